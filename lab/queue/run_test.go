package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

func TestARunStoresWhatTheSendSays(t *testing.T) {
	unknown := errors.New("what is this?")
	for _, c := range []struct {
		name string
		sent error
		want string // state, reason, due, last error
		err  error
	}{
		{"ok", nil, "done", nil},
		{"retryable", retryableErr, "pending due 250: no oven", nil},
		{"retryable with Retry-After", retry.RetryableAfter(errors.New("busy"), 700), "pending due 900: busy", nil},
		{"permanent", permanentErr, "dead permanent: no such street", nil},
		{"a wrapped mark", fmt.Errorf("send: %w", permanentErr), "dead permanent: send: no such street", nil},
		{"an inner loop's mark", &retry.GaveUpError{Reason: retry.ReasonExhausted, Last: retryableErr}, "leased", nil},
		{"unknown", unknown, "leased", unknown},
	} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", Payload: "x", MaxAttempts: 3, Deadline: late})
		run, err := w.q.RunOnce(t.Context(), clock(100, 200), policy, func(_ context.Context, claim queue.Claim) error {
			if claim.ID != "a" || claim.Payload != "x" || claim.LeaseUntil != 100+lease {
				t.Errorf("%s: the send gets %+v", c.name, claim)
			}
			w.is("a", "leased 1/3")
			return c.sent
		})
		if c.want == "leased" && c.err == nil {
			c.err = c.sent
		}
		if err != c.err || !run.Claimed || run.Claim.ID != "a" || run.Done != (c.want == "done") {
			t.Errorf("%s: %+v, %v", c.name, run, err)
		}
		j := w.job("a")
		got := string(j.State)
		if j.State == queue.Pending {
			got += fmt.Sprint(" due ", j.AvailableAt)
		}
		if j.DeadReason != "" {
			got += " " + string(j.DeadReason)
		}
		if j.LastError != nil {
			got += ": " + *j.LastError
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if run.Outcome.State == queue.Pending && run.Outcome.AvailableAt != j.AvailableAt || run.Outcome.Reason != j.DeadReason {
			t.Errorf("%s: %+v, but the row is %+v", c.name, run.Outcome, j)
		}
	}
}

func TestARunWithNothingDueEndsAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late, AvailableAt: 101})
	readings := 0
	run, err := w.q.RunOnce(t.Context(), func() int64 { readings++; return 100 }, policy, func(context.Context, queue.Claim) error {
		t.Error("sent")
		return nil
	})
	if err != nil || run != (queue.Run{}) || readings != 1 {
		t.Errorf("%+v, %v, %d readings", run, err, readings)
	}
}

func TestReadingsOutsideTheRangeStoreNothing(t *testing.T) {
	for _, sent := range []error{nil, retryableErr, permanentErr} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 9, Deadline: retry.Max})
		pending := w.row("a")
		for _, now := range []int64{-1, retry.Max + 1} {
			run, err := w.q.RunOnce(t.Context(), clock(now), policy, sendOK)
			if rejected(err) != "now" || run.Claimed {
				t.Errorf("first reading %d: %+v, %v", now, run, err)
			}
			if after := w.row("a"); after != pending {
				t.Errorf("first reading %d: %s", now, after)
			}
		}
		for i, now := range []int64{-1, retry.Max + 1} {
			var leased string
			run, err := w.q.RunOnce(t.Context(), clock(int64(i)*lease, now), policy, func(context.Context, queue.Claim) error {
				leased = w.row("a")
				return sent
			})
			if rejected(err) != "clock" || run.Claim.ID != "a" || !run.Claimed || run.Done {
				t.Errorf("second reading %d: %+v, %v", now, run, err)
			}
			if after := w.row("a"); after != leased {
				t.Errorf("second reading %d:\n%s, was\n%s", now, after, leased)
			}
		}
	}
}

// SPEC.md section 4: an unknown error wins over the checks of the clock.
func TestAnUnknownErrorWinsOverTheClock(t *testing.T) {
	unknown := errors.New("what is this?")
	for _, after := range []int64{-1, 50, retry.Max + 1} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 9, Deadline: late})
		_, err := w.q.RunOnce(t.Context(), clock(100, after), policy, func(context.Context, queue.Claim) error { return unknown })
		if err != unknown {
			t.Errorf("second reading %d: %v", after, err)
		}
		w.is("a", "leased 1/9")
	}
}

func TestEqualReadingsAreFine(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(100, queue.NewJob{ID: "a", MaxAttempts: 9, Deadline: late})
	if run, err := w.q.RunOnce(t.Context(), clock(100, 100), policy, sendOK); err != nil || !run.Done {
		t.Errorf("%+v, %v", run, err)
	}
}

// The work was done, or has failed; that the caller wants to stop does not undo it.
func TestAResultIsStoredAlsoWhenTheContextEndsDuringTheSend(t *testing.T) {
	for want, sent := range map[string]error{"done 1/3": nil, "pending 1/3": retryableErr, "dead 1/3 permanent": permanentErr} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		ctx, cancel := context.WithCancel(t.Context())
		_, err := w.q.RunOnce(ctx, clock(0), policy, func(ctx context.Context, _ queue.Claim) error {
			cancel()
			if ctx.Err() == nil {
				t.Error("the send's context goes on")
			}
			return sent
		})
		if err != nil {
			t.Errorf("%s: %v", want, err)
		}
		w.is("a", want)
	}
}

func TestAnEndedContextClaimsNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	before := w.row("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run, err := w.q.RunOnce(ctx, clock(0), policy, func(context.Context, queue.Claim) error {
		t.Error("sent")
		return nil
	})
	if !errors.Is(err, context.Canceled) || run.Claimed {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := w.q.Enqueue(ctx, 0, queue.NewJob{ID: "b", MaxAttempts: 3, Deadline: late}); !errors.Is(err, context.Canceled) {
		t.Errorf("enqueue: %v", err)
	}
	if after := w.row("a") + w.row("b"); after != before {
		t.Errorf("%s, was %s", after, before)
	}
}

// SQLite calls it an interruption.
func TestAnOperationThatItsContextEndsSaysWhy(t *testing.T) {
	w := newWorld(t, nil)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	w.between("lease", func() { cancel(why) })
	_, ok, err := w.q.Claim(ctx, 0, lease)
	if ok || !errors.Is(err, why) {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestAPanicOfTheSendIsTheDeathOfItsWorker(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	func() {
		defer func() {
			if r := recover(); r != "boom" {
				t.Errorf("the panic comes out as %v", r)
			}
		}()
		w.q.RunOnce(t.Context(), clock(0), policy, func(context.Context, queue.Claim) error { panic("boom") })
	}()
	w.is("a", "leased 1/3")
	w.nothing(lease - 1)
	w.complete(lease, w.claim(lease)) // the queue goes on
}

func TestARunWhoseLeaseWasTakenSaysSo(t *testing.T) {
	for name, sent := range map[string]error{"ok": nil, "retryable": retryableErr, "permanent": permanentErr} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		run, err := w.q.RunOnce(t.Context(), clock(0, lease+1), policy, func(context.Context, queue.Claim) error {
			w.claim(lease)
			return sent
		})
		if !errors.Is(err, queue.ErrLeaseLost) || run.Claim.ID != "a" || run.Done || run.Outcome != (queue.Outcome{}) {
			t.Errorf("%s: %+v, %v", name, run, err)
		}
		w.is("a", "leased 2/3")
	}
}
