package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// Faults that several reports share.
var (
	countsAtFailure = all(
		edit("consumed", "attempts + 1", "attempts"),
		edit("fail", "last_error = :error", "last_error = :error, attempts = attempts + 1"),
		without("leased_consumed_an_attempt", "pending_has_an_attempt_left", "exhausted_means_exhausted"))
	refundsCrash   = edit("consumed", "attempts + 1", "attempts + (state = 'pending')")
	neverExhausted = all(
		edit("exhausted", "attempts >= max_attempts", "FALSE"),
		without("attempts_within_budget", "pending_has_an_attempt_left"))
	anyToken = "seq = :seq AND state = 'leased'"
)

var bugsOfClaim = []bug{{
	source: "oban-bg/oban#137",
	name:   "a worker that dies has used the attempt",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: late})
		w.claim(0) // and then it is killed
		sends := 1
		for i := range int64(5) {
			run, err := w.q.RunOnce(t.Context(), clock(lease+i), policy, func(context.Context, queue.Claim) error {
				sends++
				return nil
			})
			if err != nil || run.Claimed {
				t.Errorf("run %d: %+v, %v", i+1, run, err)
			}
			w.is("a", "dead 1/1 exhausted")
		}
		if sends != 1 {
			t.Errorf("%d sends, want 1", sends)
		}
	},
	faults: map[string]change{"counted at failure": countsAtFailure, "no limit": neverExhausted},
}, {
	source: "sidekiq/sidekiq#4069, vectorize-io/hindsight#2675",
	name:   "a job that kills its worker at every send ends",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		sends, now := 0, int64(0)
		for range 8 {
			if w.dies(now) {
				sends++
			}
			now += lease
		}
		if sends != 3 {
			t.Errorf("%d sends, want 3", sends)
		}
		w.is("a", "dead 3/3 exhausted")
	},
	faults: map[string]change{"counted at failure": countsAtFailure, "refunded at the takeover": refundsCrash, "no limit": neverExhausted},
}, {
	source: "oluciano/NexJob#143",
	name:   "an expired lease without a budget is buried and not taken over",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		for i := range int64(3) {
			w.claim(i * lease)
		}
		w.is("a", "leased 3/3")
		w.nothing(3 * lease)
		w.is("a", "dead 3/3 exhausted")
	},
	faults: map[string]change{
		"taken over": all(
			edit("candidates", "{expired} AND NOT ({exhausted}) AND NOT ({late})", "{expired} AND NOT ({late})"),
			edit("doomed", "state = 'leased' AND {exhausted}", "FALSE"),
			without("attempts_within_budget")),
		"left lying": edit("doomed", "state = 'leased' AND {exhausted}", "FALSE"),
	},
}, {
	source: "taskforcesh/bullmq#4220",
	name:   "no path leads past max_attempts",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		chance := rand.New(rand.NewPCG(4, 220))
		ids := []string{"a", "b", "c"}
		now := int64(0)
		var held []queue.Claim
		for range 1500 {
			id := ids[chance.IntN(3)]
			switch chance.IntN(8) {
			case 0:
				_, err := w.q.Enqueue(t.Context(), now, queue.NewJob{ID: id, MaxAttempts: 1 + chance.Int64N(4), Deadline: now + 1 + chance.Int64N(20*lease)})
				if err != nil {
					t.Fatalf("%v", err)
				}
			case 1, 2:
				if claim, ok := w.tryClaim(now); ok {
					held = append(held, claim)
				}
			case 3: // a failure, perhaps a stale one
				if len(held) > 0 {
					f := retryable
					f.RetryAfterMS = chance.Int64N(2 * lease)
					_, err := w.q.Fail(t.Context(), now, held[chance.IntN(len(held))], f, backoff)
					if err != nil && !errors.Is(err, queue.ErrLeaseLost) {
						t.Fatalf("%v", err)
					}
				}
			case 4: // the leases run out
				now += chance.Int64N(2 * lease)
			case 5: // a shutdown during the send
				ctx, cancel := context.WithCancel(t.Context())
				_, err := w.q.RunOnce(ctx, clock(now), policy, func(ctx context.Context, _ queue.Claim) error {
					cancel()
					return ctx.Err()
				})
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatalf("%v", err)
				}
			case 6: // the clock steps back during the send
				_, err := w.q.RunOnce(t.Context(), clock(now+1, now), policy, sendOK)
				if err != nil && !errors.Is(err, queue.ErrClockBackwards) {
					t.Fatalf("%v", err)
				}
			case 7:
				job, found, err := w.q.Job(t.Context(), id)
				if err != nil {
					t.Fatalf("%v", err)
				}
				if found {
					err = w.q.Requeue(t.Context(), now, id, max(1, job.Attempts+chance.Int64N(3)-1), now+1+chance.Int64N(20*lease))
				}
				if rejected := (*retry.RejectedError)(nil); err != nil && !errors.As(err, &rejected) {
					t.Fatalf("%v", err)
				}
			}
			for _, id := range ids {
				if job, found, _ := w.q.Job(t.Context(), id); found && job.Attempts > job.MaxAttempts {
					t.Fatalf("job %s has %d attempts of %d", id, job.Attempts, job.MaxAttempts)
				}
			}
		}
	},
	faults: map[string]change{
		"retried jobs are exempt": all(
			edit("candidates", "{expired} AND NOT ({exhausted})", "{expired} AND (NOT ({exhausted}) OR last_error IS NOT NULL)"),
			edit("doomed", "{exhausted}", "{exhausted} AND last_error IS NULL"),
			without("attempts_within_budget", "pending_has_an_attempt_left")),
		"requeued jobs are exempt": all(
			edit("requeue", ":max_attempts > attempts AND", ""),
			without("attempts_within_budget", "pending_has_an_attempt_left")),
	},
}, {
	source: "maragudk/goqite#27",
	name:   "a job at its limit is seen, with its reason and its last error",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 2, Deadline: late})
		w.fail(10, w.claim(0), retryable)
		w.fail(2000, w.claim(1000), retryable)
		jobs, err := w.q.Jobs(t.Context(), 10)
		if err != nil || len(jobs) != 1 {
			t.Fatalf("jobs: %v, %v", jobs, err)
		}
		j := jobs[0]
		if j.State != queue.Dead || j.DeadReason != queue.Exhausted || j.LastError == nil || *j.LastError != "no oven" || j.DiedAt == nil || *j.DiedAt != 2000 {
			t.Errorf("%+v", j)
		}
		if s := w.stats(3000); s.Dead != 1 || s.DeadExhausted != 1 {
			t.Errorf("%+v", s)
		}
	},
	faults: map[string]change{
		"hidden in the list":    edit("jobs", "seq > 0", "attempts < max_attempts"),
		"hidden in the figures": edit("stats", "dead_reason = 'exhausted'", "dead_reason = 'permanent'"),
		"its error is lost":     edit("fail", "last_error = :error", "last_error = CASE WHEN {verdict} IS NULL THEN :error END"),
	},
}, {
	source: "hibiken/asynq#751",
	name:   "a job whose deadline has come dies unsent",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: 100})
		w.nothing(100)
		w.is("a", "dead 0/5 deadline")
		w.nothing(200)
	},
	faults: map[string]change{
		"the deadline is not checked at claim": edit("late", "deadline <= :now", "FALSE"),
		"left lying":                           edit("doomed", "AND {late} AND (", "AND {late} AND FALSE AND ("),
	},
}, {
	source: "cgreeno/temporalex#22",
	name:   "an attempt that outlives its lease leaves time for another",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: 60 * lease})
		w.claim(0)
		if c := w.claim(lease); c.Attempts != 2 || c.Deadline != 60*lease {
			t.Errorf("%+v", c)
		}
		w.is("a", "leased 2/3")
	},
	faults: map[string]change{
		"the deadline becomes the attempt's": all(
			edit("taken", "claims = claims + 1,", "claims = claims + 1, deadline = min(deadline, :now + :lease_ms),")),
	},
}, {
	source: "hexpm/hexpm#1825",
	name:   "a send longer than its lease is doubled, and its late result refused",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: 1e7})
		_, second := w.process()
		claimedAt := int64(-1)
		_, err := w.q.RunOnce(t.Context(), clock(0, 2_000_000), queue.RunPolicy{LeaseMS: 360_000, Backoff: backoff}, func(ctx context.Context, _ queue.Claim) error {
			for now := int64(0); now < 2_000_000 && claimedAt < 0; now += 60_000 {
				if _, ok, err := second.Claim(ctx, now, 10_000_000); err != nil {
					t.Fatalf("%v", err)
				} else if ok {
					claimedAt = now
				}
			}
			return nil
		})
		if claimedAt != 360_000 {
			t.Errorf("claimed again at %d, want 360000", claimedAt)
		}
		if !errors.Is(err, queue.ErrLeaseLost) {
			t.Errorf("the first worker gets %v, want ErrLeaseLost", err)
		}
		w.is("a", "leased 2/3")
	},
	faults: map[string]change{
		"unfenced":     edit("complete", "{held}", anyToken),
		"a loss is ok": step(func(p *queue.Parts) { p.Lost = func() error { return nil } }),
	},
}, {
	source: "brendanlong/lion-reader#917",
	name:   "a late heartbeat does not take the lease back",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		a := w.claim(0)
		b := w.claim(lease)
		before := w.row("a")
		if _, err := w.q.Extend(t.Context(), lease+1, a.Token, lease); !errors.Is(err, queue.ErrLeaseLost) {
			t.Errorf("A's heartbeat gives %v, want ErrLeaseLost", err)
		}
		if after := w.row("a"); after != before {
			t.Errorf("A's heartbeat changed\n%s to\n%s", before, after)
		}
		if until, err := w.q.Extend(t.Context(), lease+1, b.Token, lease); err != nil || until != 2*lease+1 {
			t.Errorf("B's heartbeat gives %d, %v", until, err)
		}
	},
	faults: map[string]change{"unfenced": edit("extend", "{held}", anyToken)},
}, {
	source: "camunda/camunda#57335, pikkujs/pikku#1545",
	name:   "a stale worker's result changes nothing",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		a := w.claim(0)
		b := w.claim(lease)
		before := w.row("a")
		for name, do := range map[string]func() error{
			"done":           func() error { return w.q.Complete(t.Context(), lease+1, a.Token) },
			"fail retryable": func() error { _, err := w.q.Fail(t.Context(), lease+1, a, retryable, backoff); return err },
			"fail permanent": func() error { _, err := w.q.Fail(t.Context(), lease+1, a, permanent, backoff); return err },
		} {
			if err := do(); !errors.Is(err, queue.ErrLeaseLost) {
				t.Errorf("%s: %v, want ErrLeaseLost", name, err)
			}
			if after := w.row("a"); after != before {
				t.Fatalf("%s changed\n%s to\n%s", name, before, after)
			}
		}
		w.complete(lease+2, b)
		w.is("a", "done 2/3")
	},
	faults: map[string]change{
		"unfenced done": edit("complete", "{held}", anyToken),
		"unfenced fail": edit("fail", "{held}", anyToken),
	},
}, {
	source: "hibiken/asynq#717",
	name:   "two takeovers of one expired lease are one",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		_, second := w.process()
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 10_000, Deadline: retry.Max})
		w.claim(0)
		for now := lease; now <= rounds(300, 5000)*lease; now += lease {
			var both sync.WaitGroup
			claimed := make([]bool, 2)
			for i, q := range []*queue.Queue{w.q, second} {
				both.Go(func() {
					for busy(t, func() (err error) {
						_, claimed[i], err = q.Claim(t.Context(), now, lease)
						return err
					}) {
					}
				})
			}
			both.Wait()
			if claimed[0] == claimed[1] {
				t.Fatalf("at %d, claimed: %v", now, claimed)
			}
		}
		w.is("a", fmt.Sprintf("leased %d/10000", rounds(300, 5000)+1))
	},
	faults: map[string]change{
		"the takeover renews no lease": edit("taken", "min(9007199254740991, :now + :lease_ms)", "ifnull(lease_until, :now + :lease_ms)"),
	},
	byHand: "the lease statement split into a SELECT of the row and an UPDATE of it",
}, {
	source: "hibiken/asynq#1144",
	name:   "no row is leased without an end of the lease",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late})
		w.claim(0)
		before := w.row("a")
		if _, err := w.db.Exec(`UPDATE job SET lease_until = NULL`); err == nil {
			t.Errorf("the table takes a lease without an end")
		}
		if after := w.row("a"); after != before {
			t.Errorf("%s", after)
		}
	},
	faults: map[string]change{"no CHECK": without("lease_has_an_end")},
}, {
	source: "riverqueue/river#1287, #1331",
	name:   "a lease of no length is rejected",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late})
		before := w.row("a")
		for _, ms := range []int64{0, -1, -9007199254740991, retry.Max + 1} {
			_, ok, err := w.q.Claim(t.Context(), 0, ms)
			if names := rejected(err); ok || names != "lease_ms" {
				t.Errorf("lease_ms %d: %v, %v", ms, ok, err)
			}
			if after := w.row("a"); after != before {
				t.Errorf("lease_ms %d changed the row to %s", ms, after)
			}
		}
		c := w.claim(0)
		if _, err := w.q.Extend(t.Context(), 0, c.Token, 0); rejected(err) != "lease_ms" {
			t.Errorf("extend by 0: %v", err)
		}
	},
	byHand: "Claim and Extend without the check of lease_ms",
}, {
	source: "timgit/pg-boss#389",
	name:   "a lease of a year is a year",
	check: func(t tb, put change) {
		const year = 31_536_000_000
		for _, ms := range []int64{year, retry.Max} {
			w := newWorld(t, put)
			w.enqueue(1000, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: retry.Max})
			c, ok, err := w.q.Claim(t.Context(), 1000, ms)
			if want := min(retry.Max, 1000+ms); err != nil || !ok || c.LeaseUntil != want {
				t.Fatalf("%+v, %v", c, err)
			}
			w.nothing(6000)
			w.nothing(min(1000+ms, retry.Max) - 1)
			w.complete(6000, c)
			w.is("a", "done 1/5")
		}
	},
	faults: map[string]change{
		"32 bits":       edit("taken", ":now + :lease_ms)", ":now + (:lease_ms + 2147483648) % 4294967296 - 2147483648)"),
		"no upper edge": edit("taken", "min(9007199254740991, :now + :lease_ms)", ":now + :lease_ms"),
	},
}, {
	source: "riverqueue/river#217",
	name:   "a heartbeat as long as the lease is rejected",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late})
		for ms, want := range map[int64]string{10_000: "heartbeat_ms", 5001: "heartbeat_ms", 5000: "", 3333: ""} {
			run, err := w.q.RunOnce(t.Context(), clock(0), queue.RunPolicy{LeaseMS: 10_000, HeartbeatMS: ms, Backoff: backoff}, sendOK)
			if rejected(err) != want || run.Done && want != "" {
				t.Errorf("every %d ms: %+v, %v", ms, run, err)
			}
		}
	},
	byHand: "RunPolicy.bad without the bound of heartbeat_ms",
}, {
	source: "hibiken/asynq#642",
	name:   "a result after the end of the lease counts when nobody took over",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late})
		run, err := w.q.RunOnce(t.Context(), clock(0, lease+1), policy, sendOK)
		if err != nil || !run.Done {
			t.Errorf("%+v, %v", run, err)
		}
		w.is("a", "done 1/5")
	},
	faults: map[string]change{"late is lost": edit("complete", "{held}", "{held} AND lease_until > :now")},
}, {
	source: "riverqueue/river#1290",
	name:   "a shutdown during the send gives no attempt back",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late})
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("the server stops")
		var leased string
		run, err := w.q.RunOnce(ctx, clock(0, 10), policy, func(ctx context.Context, c queue.Claim) error {
			leased = w.row("a")
			cancel(stop)
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if err != stop || run.Claim.ID != "a" {
			t.Errorf("%+v, %v, want the send's own error", run, err)
		}
		if after := w.row("a"); after != leased {
			t.Errorf("the row is\n%s, want\n%s", after, leased)
		}
		w.nothing(lease - 1)
		if c := w.claim(lease); c.Attempts != 2 {
			t.Errorf("%+v", c)
		}
	},
	faults: map[string]change{
		"unknown is retryable": step(func(p *queue.Parts) {
			p.Classify = func(err error) queue.Failure { return retryable }
		}),
		"the attempt is given back": refundsCrash,
	},
}}
