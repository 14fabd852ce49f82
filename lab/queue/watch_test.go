package queue_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

func TestStatsCountEachJobOnce(t *testing.T) {
	w := newWorld(t, nil)
	if s := w.stats(0); s != (queue.Stats{}) {
		t.Errorf("of an empty queue: %+v", s)
	}
	chance := rand.New(rand.NewPCG(5, 6))
	seen := queue.Stats{}
	for now := int64(0); now < 300*50; now += 50 {
		w.enqueue(now, queue.NewJob{ID: fmt.Sprint(now), MaxAttempts: 1 + chance.Int64N(3), Deadline: now + 10_001, AvailableAt: now + chance.Int64N(2)*chance.Int64N(9000)})
		for range chance.IntN(3) {
			c, ok := w.tryClaim(now)
			f := retryable
			f.RetryAfterMS = chance.Int64N(4000)
			switch n := chance.IntN(6); {
			case !ok:
			case n < 2:
				w.complete(now+chance.Int64N(50), c)
			case n < 4:
				w.fail(now, c, f)
			case n < 5:
				w.fail(now, c, permanent)
			}
		}
		for _, at := range []int64{now, now + 7000, 0} {
			s := w.stats(at)
			if got, want := show(s), w.count(at); got != want {
				t.Fatalf("at %d:\n%s, want\n%s", at, got, want)
			}
			seen.Pending, seen.Due, seen.Leased, seen.Expired = max(seen.Pending, s.Pending), max(seen.Due, s.Due), max(seen.Leased, s.Leased), max(seen.Expired, s.Expired)
			seen.Retries = s.Retries
		}
	}
	s := w.stats(15_000)
	for name, n := range map[string]int64{"pending": seen.Pending, "due": seen.Due, "leased": seen.Leased, "expired": seen.Expired, "done": s.Done,
		"exhausted": s.DeadExhausted, "deadline": s.DeadDeadline, "permanent": s.DeadPermanent, "retries": seen.Retries} {
		if n < 2 {
			t.Errorf("%s was never more than %d", name, n)
		}
	}
}

// count works the figures out of the rows.
func (w *world) count(now int64) string {
	var s queue.Stats
	jobs, err := w.q.Jobs(w.Context(), 10_000)
	if err != nil {
		w.Fatalf("%v", err)
	}
	older := func(age **int64, since int64) {
		if ms := max(0, now-since); *age == nil || ms > **age {
			*age = &ms
		}
	}
	for _, j := range jobs {
		s.Retries += max(0, j.Attempts-1)
		switch j.State {
		case queue.Pending:
			s.Pending++
			older(&s.OldestOpenMS, j.CreatedAt)
			if j.AvailableAt <= now {
				s.Due++
				older(&s.OldestDueMS, j.AvailableAt)
			}
		case queue.Leased:
			s.Leased++
			older(&s.OldestOpenMS, j.CreatedAt)
			if *j.LeaseUntil <= now {
				s.Expired++
			}
		case queue.Done:
			s.Done++
		case queue.Dead:
			s.Dead++
			switch j.DeadReason {
			case queue.Exhausted:
				s.DeadExhausted++
			case queue.Deadline:
				s.DeadDeadline++
			case queue.Permanent:
				s.DeadPermanent++
			}
		}
	}
	return show(s)
}

func show(s queue.Stats) string {
	due, open := since(s.OldestDueMS), since(s.OldestOpenMS)
	s.OldestDueMS, s.OldestOpenMS = nil, nil
	return fmt.Sprintf("%+v oldest due %v, open %v", s, due, open)
}

func TestStatsChangeNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: 100})
	w.claim(0)
	before := w.row("a")
	w.stats(retry.Max) // expired, exhausted, late
	if after := w.row("a"); after != before {
		t.Errorf("%s, was %s", after, before)
	}
}

func TestJobsAreTheNewestInTheOrderOfAcceptance(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 5 {
		w.enqueue(int64(100-i), queue.NewJob{ID: fmt.Sprint(i), MaxAttempts: 1, Deadline: late})
	}
	w.claim(100)
	for limit, want := range map[int64]string{0: "", 1: "4", 3: "234", 5: "01234", retry.Max: "01234"} {
		jobs, err := w.q.Jobs(t.Context(), limit)
		var got strings.Builder
		for _, j := range jobs {
			got.WriteString(j.ID)
		}
		if err != nil || got.String() != want {
			t.Errorf("%d: %s, %v, want %s", limit, got.String(), err, want)
		}
	}
}

func TestAPurgeRemovesOnlyWhatWasDoneBefore(t *testing.T) {
	w := newWorld(t, nil)
	for _, id := range []string{"a", "b", "c", "dead", "pending"} {
		w.enqueue(0, queue.NewJob{ID: id, MaxAttempts: 3, Deadline: late})
	}
	for now := int64(100); now <= 300; now += 100 {
		w.complete(now, w.claim(0))
	}
	w.fail(50, w.claim(0), permanent)
	for _, p := range []struct{ before, removed, left int64 }{{0, 0, 5}, {100, 0, 5}, {101, 1, 4}, {300, 1, 3}, {retry.Max, 1, 2}, {retry.Max, 0, 2}} {
		n, err := w.q.Purge(t.Context(), p.before)
		jobs, err2 := w.q.Jobs(t.Context(), 10)
		if n != p.removed || int64(len(jobs)) != p.left || err != nil || err2 != nil {
			t.Errorf("before %d: removed %d, left %d, %v, %v", p.before, n, len(jobs), err, err2)
		}
	}
	w.is("dead", "dead 1/3 permanent")
	w.is("pending", "pending 0/3")
}

func TestAClosedDatabaseIsAnErrorOfEveryOperation(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	c := w.claim(0)
	w.db.Close()
	ctx := t.Context()
	_, enqueue := w.q.Enqueue(ctx, 0, queue.NewJob{ID: "b", MaxAttempts: 3, Deadline: late})
	_, _, claim := w.q.Claim(ctx, 0, lease)
	_, extend := w.q.Extend(ctx, 0, c.Token, lease)
	_, fail := w.q.Fail(ctx, 0, c, retryable, backoff)
	run, runErr := w.q.RunOnce(ctx, clock(0), policy, sendOK)
	_, stats := w.q.Stats(ctx, 0)
	_, jobs := w.q.Jobs(ctx, 1)
	_, found, job := w.q.Job(ctx, "a")
	_, purge := w.q.Purge(ctx, 0)
	for name, err := range map[string]error{
		"enqueue": enqueue, "claim": claim, "extend": extend, "fail": fail, "run": runErr, "stats": stats, "jobs": jobs, "job": job, "purge": purge,
		"complete": w.q.Complete(ctx, 0, c.Token), "requeue": w.q.Requeue(ctx, 0, "a", 5, late),
	} {
		if err == nil || errors.Is(err, queue.ErrLeaseLost) || rejected(err) != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found || run.Claimed {
		t.Errorf("found %v, %+v", found, run)
	}
}
