package queue_test

import (
	"context"
	"errors"
	"fmt"

	"retrylab/lab/queue"
)

var bugsOfWatching = []bug{{
	source: "quartznet/quartznet#3147",
	name:   "a clock that steps back during a send is an error and stores nothing",
	check: func(t tb, put change) {
		for _, send := range []error{nil, retryableErr, permanentErr} {
			w := newWorld(t, put)
			w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
			var leased string
			run, err := w.q.RunOnce(t.Context(), clock(1000, 900), policy, func(context.Context, queue.Claim) error {
				leased = w.row("a")
				return send
			})
			if !errors.Is(err, queue.ErrClockBackwards) || run.Claim.ID != "a" || run.Done {
				t.Errorf("%v: %+v, %v", send, run, err)
			}
			if after := w.row("a"); after != leased {
				t.Errorf("%v: the row is\n%s, was\n%s", send, after, leased)
			}
			w.is("a", "leased 1/3")
		}
	},
	faults: map[string]change{
		"ignored": step(func(p *queue.Parts) {
			p.Finished = func(_, after int64, _ bool) (int64, error) { return after, nil }
		}),
		"the first reading is stored": step(func(p *queue.Parts) {
			p.Finished = func(before, after int64, _ bool) (int64, error) { return max(before, after), nil }
		}),
	},
}, {
	source: "quartznet/quartznet#1490",
	name:   "a clock that steps back between runs harms nothing",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(9000, queue.NewJob{ID: "first", MaxAttempts: 3, Deadline: late})
		w.enqueue(9000, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late, AvailableAt: 10_000})
		w.enqueue(9000, queue.NewJob{ID: "b", MaxAttempts: 3, Deadline: late, AvailableAt: 10_000})
		sends := ""
		send := func(_ context.Context, c queue.Claim) error { sends += c.ID + " "; return nil }
		for i, now := range []int64{9000, 10_000, 5000, 10_000} {
			run, err := w.q.RunOnce(t.Context(), clock(now), policy, send)
			if err != nil || run.Claimed != (now != 5000) {
				t.Errorf("call %d: %+v, %v", i, run, err)
			}
			s := w.stats(now)
			for name, n := range map[string]*int64{"oldest_due_ms": s.OldestDueMS, "oldest_open_ms": s.OldestOpenMS} {
				if n != nil && *n < 0 {
					t.Errorf("call %d: %s is %d", i, name, *n)
				}
			}
		}
		if sends != "first a b " {
			t.Errorf("sent: %s", sends)
		}
	},
	faults: map[string]change{
		"waits out the step":   edit("due", "available_at <= :now", "available_at <= :now AND (SELECT ifnull(max(done_at), 0) < :now FROM job WHERE state = 'done')"),
		"sends early":          edit("due", "available_at <= :now", "TRUE"),
		"negative oldest open": edit("stats", "max(0, :now - min(created_at)) FROM (", ":now - min(created_at) FROM ("),
	},
}, {
	source: "goharbor/harbor#21354",
	name:   "no age is negative",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(1000, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late, AvailableAt: 2000})
		if s := w.stats(1500); s.OldestDueMS != nil || *s.OldestOpenMS != 500 {
			t.Errorf("at 1500: %v, %v", since(s.OldestDueMS), since(s.OldestOpenMS))
		}
		if s := w.stats(900); s.OldestDueMS != nil || *s.OldestOpenMS != 0 { // another machine's clock
			t.Errorf("at 900: %v, %v", since(s.OldestDueMS), since(s.OldestOpenMS))
		}
	},
	faults: map[string]change{
		"due":  edit("stats", "(SELECT max(0, :now - min(available_at)) FROM job WHERE state = 'pending' AND {due})", "(SELECT :now - min(available_at) FROM job WHERE state = 'pending')"),
		"open": edit("stats", "max(0, :now - min(created_at)) FROM (", ":now - min(created_at) FROM ("),
	},
}, {
	source: "sidekiq/sidekiq#2373, zoolutions/pgbus#389",
	name:   "a parked job is no stall",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "parked", MaxAttempts: 3, Deadline: 1e9, AvailableAt: 36_000_000})
		w.enqueue(0, queue.NewJob{ID: "retrying", MaxAttempts: 3, Deadline: 1e9})
		f := retryable
		f.RetryAfterMS = 36_000_000
		w.fail(0, w.claim(0), f)
		if s := w.stats(17_000_000); s.OldestDueMS != nil || s.Due != 0 || s.Pending != 2 {
			t.Errorf("oldest due %v, due %d, pending %d", since(s.OldestDueMS), s.Due, s.Pending)
		}
	},
	faults: map[string]change{
		"counted from the creation": edit("stats", "(SELECT max(0, :now - min(available_at)) FROM job WHERE state = 'pending' AND {due})",
			"(SELECT max(0, :now - min(created_at)) FROM job WHERE state = 'pending')"),
		"counted as due": edit("stats", "(SELECT count(*) FROM job WHERE state = 'pending' AND {due})", "(SELECT count(*) FROM job WHERE state = 'pending' AND available_at >= 0)"),
	},
}, {
	source: "PostHog/posthog#98270",
	name:   "a stall is seen by its age",
	check: func(t tb, put change) {
		const jobs = 5000
		w := newWorld(t, put)
		w.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
			INSERT INTO job (id, payload, max_attempts, available_at, deadline, created_at) SELECT 'job ' || i, '', 3, 1000, 1000000000, 1000 FROM n`)
		for _, age := range []int64{0, 1, 3_600_000, 115_200_000} {
			s := w.stats(1000 + age)
			if s.OldestDueMS == nil || *s.OldestDueMS != age || *s.OldestOpenMS != age {
				t.Errorf("after %d: %v, %v", age, since(s.OldestDueMS), since(s.OldestOpenMS))
			}
			if s.Pending != jobs || s.Due != jobs || s.Leased+s.Done+s.Dead != 0 {
				t.Errorf("after %d: %+v", age, s)
			}
		}
	},
	faults: map[string]change{
		"no age":       edit("stats", "(SELECT max(0, :now - min(available_at)) FROM job WHERE state = 'pending' AND {due})", "NULL"),
		"a capped age": edit("stats", "(SELECT max(0, :now - min(available_at)) FROM job", "(SELECT min(3600000, max(0, :now - min(available_at))) FROM job"),
	},
}, {
	source: "microsoftarchive/cqrs-journey#204, MHRA/products#565",
	name:   "each way to die leaves its reason, its time and the last error",
	check: func(t tb, put change) {
		ways := map[string]func(w *world, c queue.Claim){
			"exhausted": func(w *world, c queue.Claim) {
				for range 2 {
					w.fail(10, c, retryable)
					c = w.claim(5000)
				}
				w.fail(6000, c, retryable)
			},
			"deadline": func(w *world, c queue.Claim) {
				f := retryable
				f.RetryAfterMS = 8000
				w.fail(6000, c, f)
			},
			"permanent": func(w *world, c queue.Claim) { w.fail(6000, c, permanent) },
			"exhausted in a crash": func(w *world, c queue.Claim) {
				for now := lease; now < 3*lease; now += lease {
					w.claim(now)
				}
				w.nothing(6000)
			},
			"deadline in a crash": func(w *world, c queue.Claim) { w.nothing(10_000) },
			"deadline unsent": func(w *world, c queue.Claim) {
				w.fail(10, c, retryable) // its error is the one that stays
				w.nothing(10_000)
			},
		}
		for way, die := range ways {
			w := newWorld(t, put)
			w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: 10_000})
			die(w, w.claim(0))
			j := w.job("a")
			var reason, rest string
			fmt.Sscan(way, &reason, &rest)
			if string(j.DeadReason) != reason || j.State != queue.Dead || j.DiedAt == nil || *j.DiedAt < 6000 || j.Attempts < 1 {
				t.Errorf("%s: %+v", way, j)
			}
			if rest != "in" && (j.LastError == nil || *j.LastError == "") {
				t.Errorf("%s: no last error", way)
			}
			s := w.stats(20_000)
			if s.Dead != 1 || s.DeadExhausted+s.DeadDeadline+s.DeadPermanent != 1 || s.Pending+s.Leased+s.Done != 0 {
				t.Errorf("%s: %+v", way, s)
			}
		}
	},
	faults: map[string]change{
		"no reason":           all(edit("fail", "dead_reason = {verdict},", ""), without("dead_has_a_reason")),
		"no time":             all(edit("fail", "died_at = CASE WHEN {verdict} IS NULL THEN NULL ELSE :now END,", ""), without("dead_has_a_time")),
		"no error":            edit("fail", "last_error = :error", "last_error = CASE WHEN {verdict} IS NULL THEN :error END"),
		"no time when buried": all(edit("bury", "died_at = :now, ", ""), without("dead_has_a_time")),
		"the wrong reason":    edit("bury", "CASE WHEN {exhausted} THEN 'exhausted' ELSE 'deadline' END", "'deadline'"),
	},
}}

func since(n *int64) any {
	if n == nil {
		return "none"
	}
	return *n
}
