package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// now is the bubble's time in ms.
func now() int64 { return time.Now().UnixMilli() }

// beating is a world inside a bubble of synctest: timers there take no time, and no goroutine may be
// left. The world must be closed inside.
func beating(t *testing.T, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.enqueue(now(), queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: retry.Max})
		f(w)
		w.q.Close()
		w.db.Close()
	})
}

func TestASendEndsWithItsTimeLimit(t *testing.T) {
	for name, p := range map[string]queue.RunPolicy{
		"within the lease": {LeaseMS: 1000, Backoff: backoff, SendLimitMS: 999},
		"with a heartbeat": {LeaseMS: 1000, Backoff: backoff, SendLimitMS: 60_000, HeartbeatMS: 333},
	} {
		beating(t, func(w *world) {
			began := now()
			run, err := w.q.RunOnce(w.Context(), now, p, func(ctx context.Context, _ queue.Claim) error {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
					t.Errorf("%s: the cause is %v", name, context.Cause(ctx))
				}
				return retry.Retryable(ctx.Err())
			})
			if err != nil || run.Outcome.State != queue.Pending || now()-began != p.SendLimitMS {
				t.Errorf("%s: %+v, %v after %d ms", name, run, err, now()-began)
			}
			w.is("a", "pending 1/3")
		})
	}
}

func TestALimitThatTheSendKeepsChangesNothing(t *testing.T) {
	beating(t, func(w *world) {
		run, err := w.q.RunOnce(w.Context(), now, queue.RunPolicy{LeaseMS: 1000, Backoff: backoff, SendLimitMS: 500, HeartbeatMS: 500}, func(ctx context.Context, _ queue.Claim) error {
			time.Sleep(400 * time.Millisecond)
			return ctx.Err()
		})
		if err != nil || !run.Done {
			t.Errorf("%+v, %v", run, err)
		}
		time.Sleep(time.Hour) // nothing beats on
		w.is("a", "done 1/3")
	})
}

func TestAHeartbeatKeepsTheLease(t *testing.T) {
	beating(t, func(w *world) {
		began := now()
		_, other := w.process()
		run, err := w.q.RunOnce(w.Context(), now, queue.RunPolicy{LeaseMS: 1000, Backoff: backoff, HeartbeatMS: 500}, func(ctx context.Context, _ queue.Claim) error {
			for range 20 { // ten leases long
				time.Sleep(500*time.Millisecond - time.Microsecond)
				if _, ok, err := other.Claim(w.Context(), now(), 1000); ok || err != nil {
					t.Errorf("after %d ms somebody else has it: %v, %v", now()-began, ok, err)
				}
				time.Sleep(time.Microsecond)
			}
			return ctx.Err()
		})
		if err != nil || !run.Done {
			t.Errorf("%+v, %v", run, err)
		}
		w.is("a", "done 1/3")
		other.Close()
	})
}

func TestALostLeaseEndsTheSend(t *testing.T) {
	for name, c := range map[string]struct {
		sent error
		want error
	}{
		"it says what it was told": {nil, queue.ErrLeaseLost},
		"it says ok all the same":  {errors.New("ok"), queue.ErrLeaseLost},
		"it says retryable":        {retryableErr, queue.ErrLeaseLost},
	} {
		beating(t, func(w *world) {
			began := now()
			_, err := w.q.RunOnce(w.Context(), now, queue.RunPolicy{LeaseMS: 1000, Backoff: backoff, HeartbeatMS: 400}, func(ctx context.Context, _ queue.Claim) error {
				w.exec(`UPDATE job SET lease_until = 0`) // as if the machine had slept
				w.claim(now())
				<-ctx.Done()
				if cause := context.Cause(ctx); !errors.Is(cause, queue.ErrLeaseLost) || now()-began != 400 {
					t.Errorf("%s: %v after %d ms", name, cause, now()-began)
				}
				switch {
				case c.sent == nil:
					return context.Cause(ctx)
				case c.sent.Error() == "ok":
					return nil
				}
				return c.sent
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
			w.is("a", "leased 2/3")
		})
	}
}

// A shutdown does not stop the heartbeat of a send that finishes its work.
func TestAHeartbeatGoesOnAfterTheCallersEnd(t *testing.T) {
	beating(t, func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		run, err := w.q.RunOnce(ctx, now, queue.RunPolicy{LeaseMS: 1000, Backoff: backoff, HeartbeatMS: 300}, func(ctx context.Context, _ queue.Claim) error {
			cancel()
			<-ctx.Done()
			time.Sleep(5 * time.Second)
			w.nothing(now())
			return nil
		})
		if err != nil || !run.Done {
			t.Errorf("%+v, %v", run, err)
		}
	})
}

func TestAPanicLeavesNoHeartbeat(t *testing.T) {
	beating(t, func(w *world) {
		func() {
			defer func() { recover() }()
			w.q.RunOnce(w.Context(), now, queue.RunPolicy{LeaseMS: 1000, Backoff: backoff, SendLimitMS: 5000, HeartbeatMS: 300}, func(context.Context, queue.Claim) error { panic("boom") })
		}()
		time.Sleep(time.Second)
		w.complete(now(), w.claim(now()))
	})
}

// What a beat cannot use, a reading from before or outside the range or a locked database, is no
// reason to end the send.
func TestAHeartbeatOutlivesABadMoment(t *testing.T) {
	beating(t, func(w *world) {
		var mu sync.Mutex
		began, step := now(), int64(0)
		clock := func() int64 {
			mu.Lock()
			defer mu.Unlock()
			return now() + step
		}
		move := func(ms int64) {
			mu.Lock()
			defer mu.Unlock()
			step = ms
		}
		until := func() int64 { return *w.job("a").LeaseUntil - began }
		run, err := w.q.RunOnce(w.Context(), clock, queue.RunPolicy{LeaseMS: 1000, Backoff: backoff, HeartbeatMS: 100}, func(ctx context.Context, _ queue.Claim) error {
			for i, c := range []struct{ step, want int64 }{
				{0, 1100},             // a beat at 100
				{-5000, 1100},         // the clock stepped back
				{-2 * now(), 1100},    // before time
				{2 * retry.Max, 1100}, // after time: the reading is what later ones are compared with
			} {
				move(c.step)
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
				if got := until(); got != c.want {
					t.Errorf("beat %d: the lease ends at %d, want %d", i, got, c.want)
				}
			}
			move(0)
			return ctx.Err()
		})
		if err != nil || !run.Done {
			t.Errorf("%+v, %v", run, err)
		}
	})
}

func TestAPolicyThatCannotBeRightIsRejectedBeforeTheClaim(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	before := w.row("a")
	good := queue.RunPolicy{LeaseMS: 10_000, Backoff: backoff}
	for _, c := range []struct {
		change func(p *queue.RunPolicy)
		want   string
	}{
		{func(p *queue.RunPolicy) { p.LeaseMS = 0 }, "lease_ms is too small, wanted a whole number from 1 to 9007199254740991"},
		{func(p *queue.RunPolicy) { p.SendLimitMS = -1 }, "send_limit_ms is too small, wanted a whole number from 0 to 9999"},
		{func(p *queue.RunPolicy) { p.SendLimitMS = 10_000 }, "send_limit_ms is too large, wanted a whole number from 0 to 9999"},
		{func(p *queue.RunPolicy) { p.SendLimitMS = 10_001 }, "send_limit_ms is too large, wanted a whole number from 0 to 9999"},
		{func(p *queue.RunPolicy) { p.SendLimitMS = retry.Max + 1; p.HeartbeatMS = 5 }, "send_limit_ms is too large, wanted a whole number from 0 to 9007199254740991"},
		{func(p *queue.RunPolicy) { p.HeartbeatMS = 10_000 }, "heartbeat_ms is too large, wanted a whole number from 0 to 5000"},
		{func(p *queue.RunPolicy) { p.HeartbeatMS = 5001 }, "heartbeat_ms is too large, wanted a whole number from 0 to 5000"},
		{func(p *queue.RunPolicy) { p.HeartbeatMS = -1 }, "heartbeat_ms is too small, wanted a whole number from 0 to 5000"},
		{func(p *queue.RunPolicy) { p.LeaseMS = 1; p.HeartbeatMS = 1 }, "heartbeat_ms is too large, wanted a whole number from 0 to 0"},
		{func(p *queue.RunPolicy) { *p = queue.RunPolicy{LeaseMS: -1, SendLimitMS: 5, HeartbeatMS: -5} },
			"lease_ms is too small, wanted a whole number from 1 to 9007199254740991; base_ms is too small, wanted a whole number from 1 to 9007199254740991; cap_ms is too small, wanted a whole number from 1 to 9007199254740991; heartbeat_ms is too small, wanted a whole number from 0 to 0"},
	} {
		p := good
		c.change(&p)
		readings := 0
		run, err := w.q.RunOnce(t.Context(), func() int64 { readings++; return 0 }, p, func(context.Context, queue.Claim) error {
			t.Error("sent")
			return nil
		})
		if r := (*retry.RejectedError)(nil); !errors.As(err, &r) || strings.TrimPrefix(err.Error(), "rejected: ") != c.want || run != (queue.Run{}) || readings != 0 {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if after := w.row("a"); after != before {
		t.Errorf("the row is %s, was %s", after, before)
	}
	for _, p := range []queue.RunPolicy{{LeaseMS: 10_000, SendLimitMS: 9999}, {LeaseMS: 10_000, HeartbeatMS: 5000, SendLimitMS: retry.Max}, {LeaseMS: 2, HeartbeatMS: 1}} {
		p.Backoff = backoff
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		if run, err := w.q.RunOnce(t.Context(), clock(0), p, sendOK); err != nil || !run.Done {
			t.Errorf("%+v: %+v, %v", p, run, err)
		}
	}
}

func TestAnOpenBreakerClaimsNothing(t *testing.T) {
	b, err := retry.NewBreaker(2, 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	p := policy
	p.Breaker = b
	run := func(at int64, sent error) string {
		t.Helper()
		run, err := w.q.RunOnce(t.Context(), clock(at), p, func(context.Context, queue.Claim) error {
			if sent != nil && sent.Error() == "panic" {
				panic(sent)
			}
			return sent
		})
		if err != nil && err != sent {
			t.Fatal(err)
		}
		return fmt.Sprint(run.Paused, run.Claimed, run.Done, " ", b.State(at))
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	check("nothing due", run(0, nil), "false false false closed")
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 9, Deadline: late})
	check("one failure", run(0, retryableErr), "false true false closed")
	check("two", run(100, retryableErr), "false true false open")
	before := w.row("a")
	check("open", run(1099, nil), "true false false open")
	if after := w.row("a"); after != before {
		t.Errorf("a paused run changed\n%s to\n%s", before, after)
	}
	check("an unknown error at the trial", run(1100, errors.New("what is this?")), "false true false half-open")
	check("nothing due at the trial", run(1101, nil), "false false false half-open")
	func() {
		defer func() { recover() }()
		run(3000, errors.New("panic"))
	}()
	check("a trial after one that panicked", run(5000, nil), "false true true closed")
	w.is("a", "done 5/9")
}
