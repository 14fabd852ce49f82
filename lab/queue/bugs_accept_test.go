package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// again makes an enqueue of an id that exists do something.
func again(set string) change {
	return edit("insert", "ON CONFLICT (id) DO NOTHING", "ON CONFLICT (id) DO UPDATE SET "+set)
}

// twice makes the lease of a taken job end at once, so that others may take it too.
var twice = edit("taken", "min(9007199254740991, :now + :lease_ms)", ":now")

var bugsOfAcceptance = []bug{{
	source: "lidge-jun/opencodex#4728, llun/activities.next#1863",
	name:   "the same id again leaves the row as it is",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", Payload: "two boxes", MaxAttempts: 5, Deadline: 10_000})
		w.fail(100, w.claim(0), retryable)
		w.fail(450, w.claim(200), retryable) // the second wait is 100
		if j := w.job("a"); j.Attempts != 2 || j.AvailableAt != 550 {
			t.Fatalf("%+v", j)
		}
		before := w.row("a")
		for payload, want := range map[string]queue.Verdict{"two boxes": queue.Existing, "three": queue.Conflict} {
			got, err := w.q.Enqueue(t.Context(), 460, queue.NewJob{ID: "a", Payload: payload, MaxAttempts: 9, Deadline: 99_999, AvailableAt: 700})
			if err != nil || got != (queue.Acceptance{Verdict: want, State: queue.Pending}) {
				t.Errorf("%s: %+v, %v", payload, got, err)
			}
			if after := w.row("a"); after != before {
				t.Errorf("%s: the row is\n%s, was\n%s", payload, after, before)
			}
		}
	},
	faults: map[string]change{
		"resets attempts":     again("attempts = 0"),
		"raises the limit":    again("max_attempts = :max_attempts"),
		"moves the deadline":  again("deadline = :deadline"),
		"moves the due time":  again("available_at = max(:now, :available_at)"),
		"changes the payload": again("payload = :payload"),
	},
}, {
	source: "graphile/worker#303",
	name:   "the same id during its send makes no other row",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		job := queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late}
		w.enqueue(0, job)
		c := w.claim(0)
		before := w.row("a")
		for range 5 {
			got, err := w.q.Enqueue(t.Context(), 1, job)
			if err != nil || got != (queue.Acceptance{Verdict: queue.Existing, State: queue.Leased}) {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if after := w.row("a"); after != before {
			t.Errorf("the row is\n%s, was\n%s", after, before)
		}
		if jobs, err := w.q.Jobs(t.Context(), 10); err != nil || len(jobs) != 1 {
			t.Errorf("%d rows, %v", len(jobs), err)
		}
		w.complete(2, c)
	},
	faults: map[string]change{
		"breaks the lease": again("state = 'pending', lease_until = NULL, token = NULL"),
		"another token":    all(again("claims = claims + 1, token = token + 1")),
	},
}, {
	source: "oban-bg/oban#935, hibiken/asynq#842",
	name:   "the same id of a dead job says that it is dead, and why",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		job := queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: late}
		w.enqueue(0, job)
		w.fail(1, w.claim(0), permanent)
		before := w.row("a")
		got, err := w.q.Enqueue(t.Context(), 2, job)
		if err != nil || got != (queue.Acceptance{Verdict: queue.Existing, State: queue.Dead, Reason: queue.Permanent}) {
			t.Errorf("%+v, %v", got, err)
		}
		if after := w.row("a"); after != before {
			t.Errorf("the row is\n%s, was\n%s", after, before)
		}
		if err := w.q.Requeue(t.Context(), 3, "a", 5, late); err != nil {
			t.Errorf("requeue: %v", err)
		}
		w.is("a", "pending 1/5")
	},
	faults: map[string]change{
		"revives":         again("state = 'pending', dead_reason = NULL, died_at = NULL"),
		"says too little": edit("existing", "state, dead_reason, payload", "state, NULL, payload"),
	},
}, {
	source: "taskforcesh/bullmq#3555, garrytan/gbrain#2974",
	name:   "a requeue needs a larger budget and then has all of it",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: 50_000})
		now := int64(0)
		for range 3 {
			w.fail(now, w.claim(now), retryable)
			now += lease
		}
		w.is("a", "dead 3/3 exhausted")
		before := w.row("a")
		now = 100_000
		for _, c := range []struct {
			max, deadline int64
			names         string
		}{{3, 50_000, "max_attempts deadline"}, {3, 200_000, "max_attempts"}, {6, 50_000, "deadline"}, {6, now, "deadline"}} {
			if err := w.q.Requeue(t.Context(), now, "a", c.max, c.deadline); rejected(err) != c.names {
				t.Errorf("requeue %d, %d: %v", c.max, c.deadline, err)
			}
			if after := w.row("a"); after != before {
				t.Errorf("requeue %d, %d: the row is %s", c.max, c.deadline, after)
			}
		}
		if err := w.q.Requeue(t.Context(), now, "a", 6, 200_000); err != nil {
			t.Fatalf("%v", err)
		}
		for want := int64(4); want <= 6; want++ {
			c := w.claim(now)
			if c.Attempts != want {
				t.Errorf("attempt %d, want %d", c.Attempts, want)
			}
			w.fail(now, c, retryable)
			now += lease
		}
		w.nothing(now)
		w.is("a", "dead 6/6 exhausted")
	},
	faults: map[string]change{
		"resets attempts":           edit("requeue", "dead_reason = NULL", "attempts = 0, dead_reason = NULL"),
		"keeps the old limit":       all(edit("requeue", "max_attempts = :max_attempts,", ""), without("pending_has_an_attempt_left")),
		"keeps the old deadline":    all(edit("requeue", ", deadline = :deadline", ""), without("due_before_deadline")),
		"takes a passed deadline":   all(edit("requeue", "AND :deadline > :now", ""), without("due_before_deadline")),
		"takes a budget that is no": all(edit("requeue", "AND :max_attempts > attempts", ""), without("pending_has_an_attempt_left")),
	},
}, {
	source: "NousResearch/hermes-agent#104002",
	name:   "an enqueue and a purge at once send nothing twice that is remembered",
	check: func(t tb, put change) {
		const window = 5 // rounds for which a done job is remembered
		w := newWorld(t, put)
		_, second := w.process()
		ids := []string{"a", "b", "c"}
		sent := map[string]int64{} // when
		for now := int64(1); now <= rounds(400, 10_000); now++ {
			job := queue.NewJob{ID: ids[now%3], MaxAttempts: 3, Deadline: retry.Max}
			var both sync.WaitGroup
			both.Go(func() {
				for busy(t, func() error { _, err := w.q.Enqueue(t.Context(), now, job); return err }) {
				}
			})
			both.Go(func() {
				for busy(t, func() error { _, err := second.Purge(t.Context(), max(0, now-window)); return err }) {
				}
			})
			both.Wait()
			for {
				run, err := w.q.RunOnce(t.Context(), clock(now), policy, func(_ context.Context, c queue.Claim) error {
					if before, again := sent[c.ID]; again && now-before <= window {
						t.Errorf("at %d, %s is sent again, after %d", now, c.ID, before)
					}
					sent[c.ID] = now
					return nil
				})
				if err != nil {
					t.Fatalf("%v", err)
				}
				if !run.Claimed {
					break
				}
			}
		}
		if len(sent) != 3 {
			t.Errorf("%v", sent)
		}
	},
	faults: map[string]change{
		"the purge forgets all": edit("purge", "done_at < :before", "done_at >= 0"),
		"the insert revives":    again("state = 'pending', done_at = NULL"),
	},
}, {
	source: "coleifer/huey#253, kent8192/reinhardt-web#1549",
	name:   "eight workers send one job once",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		queues := []*queue.Queue{w.q}
		for range 3 {
			_, q := w.process()
			queues = append(queues, q)
		}
		for round := range rounds(25, 1000) {
			w.enqueue(round, queue.NewJob{ID: fmt.Sprint("job ", round), MaxAttempts: 3, Deadline: late})
			sends := make([]int, 8)
			var workers, asking sync.WaitGroup
			asking.Add(len(sends))
			for i := range sends {
				workers.Go(func() {
					asked := sync.OnceFunc(asking.Done)
					defer asked()
					q := queues[i%len(queues)]
					for busy(t, func() error {
						_, err := q.RunOnce(t.Context(), clock(round), policy, func(context.Context, queue.Claim) error {
							sends[i]++
							asked()
							asking.Wait() // the send goes on until every worker has asked for work
							return nil
						})
						return err
					}) {
					}
				})
			}
			workers.Wait()
			total := 0
			for _, n := range sends {
				total += n
			}
			if total != 1 {
				t.Fatalf("round %d: %d sends, want 1", round, total)
			}
		}
	},
	faults: map[string]change{"two may hold it": twice},
	byHand: "the lease statement split into a SELECT of the row and an UPDATE of it",
}, {
	source: "coleifer/huey#253, second point",
	name:   "a job whose worker was killed is claimed again",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		w.claim(0)
		_, second := w.process()
		if _, ok, err := second.Claim(t.Context(), lease-1, lease); ok || err != nil {
			t.Errorf("within the lease: %v, %v", ok, err)
		}
		if c, ok, err := second.Claim(t.Context(), lease, lease); !ok || err != nil || c.ID != "a" || c.Attempts != 2 {
			t.Errorf("after the lease: %+v, %v, %v", c, ok, err)
		}
	},
	faults: map[string]change{
		"removed at the take": edit("taken", "min(9007199254740991, :now + :lease_ms)", "9007199254740991"),
		"only pending ones":   edit("candidates", "state = 'leased' AND available_at >= 0 AND {expired}", "FALSE"),
	},
}, {
	source: "ovumcy/ovumcy-web#155, gitmoot/gitmoot#2028",
	name:   "every writing statement takes the write lock before it reads",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		parts := queue.ReferenceParts()
		if put != nil {
			if err := put(parts); err != nil {
				panic(err)
			}
		}
		for _, name := range []string{"insert", "bury", "lease", "lease_it", "postpone", "complete", "fail", "extend", "requeue", "purge"} {
			text, args, err := parts.Compile(name)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if strings.Contains(text, ";") {
				t.Errorf("%s is not one statement", name)
			}
			if locks, reads := w.transaction(text, len(args)); !locks || reads {
				t.Errorf("%s: takes the write lock %v, reads before %v", name, locks, reads)
			}
		}
	},
	byHand: "a claim as a SELECT and an UPDATE in a deferred transaction: fifty workers see SQLITE_BUSY (TestFiftyWorkersOnOneFile)",
}, {
	source: "IntersectMBO/ouroboros-consensus#2233",
	name:   "a snapshot conflict cannot happen",
	cannot: "no transition reads first and writes later: each is one statement, and the schema's transaction begins with the write lock; the check of the row before this one shows it",
}, {
	source: "holon-run/holon#1851",
	name:   "a claim that finds the database locked uses no attempt",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		before := w.row("a")
		other, _ := w.process()
		lock, err := other.Conn(t.Context())
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer lock.Close()
		if _, err := lock.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatalf("%v", err)
		}
		for range 100 {
			run, err := w.q.RunOnce(t.Context(), clock(0), policy, func(context.Context, queue.Claim) error {
				t.Errorf("sent")
				return nil
			})
			if !errors.Is(err, sqlite3.BUSY) || run.Claimed {
				t.Fatalf("%+v, %v, want SQLITE_BUSY", run, err)
			}
		}
		if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatalf("%v", err)
		}
		if after := w.row("a"); after != before {
			t.Errorf("the row is %s, was %s", after, before)
		}
		if c := w.claim(0); c.Attempts != 1 {
			t.Errorf("%+v", c)
		}
	},
	byHand: "RunOnce that takes an error of the claim for nothing to do",
}, {
	source: "holon-run/holon#1851, second point",
	name:   "a log that a long reader holds up shrinks again",
	cannot: "tested where files are opened: lab/file, TestTheLogGrowsOnlyWhileSomebodyReadsAnOldState",
}, {
	source: "rails/solid_queue#324, sparklemotion/sqlite3-ruby#558",
	name:   "no child process uses its parent's handle",
	cannot: "a Go program cannot fork without starting another program, and its files are closed in that one (O_CLOEXEC); integrity_check after kills is in TestAKilledProcessLosesNothing",
}, {
	source: "dstackai/dstack#825",
	name:   "others work during a send",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		_, second := w.process()
		sent := false
		_, err := w.q.RunOnce(t.Context(), clock(0, 10_000), policy, func(ctx context.Context, _ queue.Claim) error {
			sent = true
			// Neither waits for a lock: the second process has no patience, the first has one connection.
			for i, q := range []*queue.Queue{w.q, second} {
				got, err := q.Enqueue(ctx, 1, queue.NewJob{ID: fmt.Sprint("other ", i), MaxAttempts: 1, Deadline: late})
				if err != nil || got.Verdict != queue.Created {
					t.Errorf("enqueue %d during the send: %v, %v", i, got, err)
				}
			}
			return nil
		})
		if err != nil || !sent {
			t.Errorf("sent %v, %v", sent, err)
		}
	},
	byHand: "RunOnce in a transaction of its own from the claim to the result",
}, {
	source: "riverqueue/river#1324",
	name:   "a payload that cannot be read fails its own job only",
	check: func(t tb, put change) {
		w := newWorld(t, put)
		w.enqueue(0, queue.NewJob{ID: "bad", Payload: `{"boxes": `, MaxAttempts: 2, Deadline: late})
		w.enqueue(0, queue.NewJob{ID: "good", Payload: `{"boxes": 2}`, MaxAttempts: 2, Deadline: late})
		w.exec(`UPDATE job SET payload = CAST(x'7bff' AS TEXT) WHERE id = 'bad'`) // and it is no UTF-8 any more
		sends := map[string]int{}
		for now := int64(0); now < 5*lease; now += lease / 2 {
			_, err := w.q.RunOnce(t.Context(), clock(now), policy, func(_ context.Context, c queue.Claim) error {
				sends[c.ID]++
				var order struct{ Boxes int }
				if err := json.Unmarshal([]byte(c.Payload), &order); err != nil {
					return retry.Retryable(err)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%v", err)
			}
		}
		if sends["bad"] != 2 || sends["good"] != 1 {
			t.Errorf("%v", sends)
		}
		w.is("bad", "dead 2/2 exhausted")
		w.is("good", "done 1/2")
	},
	faults: map[string]change{
		"not counted": countsAtFailure,
		"a failure is a success": step(func(p *queue.Parts) {
			p.Classify = func(error) queue.Failure { return queue.Failure{Class: queue.Succeeded} }
		}),
	},
}, {
	source: "goqite's benchmark.txt",
	name:   "done jobs cost a claim nothing",
	cannot: "tested by TestPlans and TestAClaimCostsTheSameInALargeTable",
}}

// transaction says whether a statement begins with the write lock, and whether it may read before it.
// SQLite's program of a statement takes its locks in one instruction, Transaction, whose second
// operand is 1 for writing.
func (w *world) transaction(text string, args int) (locks, reads bool) {
	rows, err := w.db.QueryContext(w.Context(), "EXPLAIN "+text, make([]any, args)...)
	if err != nil {
		w.Fatalf("%v", err)
	}
	defer rows.Close()
	for rows.Next() {
		var addr, p1, p2, p3, p5 int64
		var opcode string
		var p4, comment any
		if err := rows.Scan(&addr, &opcode, &p1, &p2, &p3, &p4, &p5, &comment); err != nil {
			w.Fatalf("%v", err)
		}
		if opcode == "Transaction" && p1 == 0 {
			locks, reads = locks || p2 == 1, reads || p2 == 0
		}
	}
	return locks, reads
}

// rounds is how often a race is tried: few in a quick test, all of them in "make soak".
func rounds(quick, soak int64) int64 {
	if soaking {
		return soak
	}
	return quick
}

// busy says whether f must be tried again, since another process held the lock.
func busy(t tb, f func() error) bool {
	err := f()
	if err != nil && !errors.Is(err, sqlite3.BUSY) && !errors.Is(err, sqlite3.LOCKED) {
		t.Errorf("%v", err)
	}
	return errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.LOCKED)
}

// rejected are the names of the rejected arguments, or "" when err is no rejection.
func rejected(err error) string {
	var r *retry.RejectedError
	if !errors.As(err, &r) {
		return ""
	}
	return strings.Join(r.Names(), " ")
}
