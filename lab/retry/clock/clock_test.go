package clock_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
)

func TestTheSystemClockTellsUnixMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got, want := (clock.System{}).Now(), time.Now().UnixMilli(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	})
}

func TestTheSystemClockWaits(t *testing.T) {
	shutdown := errors.New("shutdown")
	for _, c := range []struct {
		name string
		ms   int64
		end  time.Duration // of the context, by a cancellation; 0 for none
		want time.Duration
		err  error
	}{
		{"a wait", 100, 0, 100 * time.Millisecond, nil},
		{"nothing", 0, 0, 0, nil},
		{"less than nothing", -5, 0, 0, nil},
		{"cancelled", 100, 40 * time.Millisecond, 40 * time.Millisecond, shutdown},
		{"cancelled before", 100, -1, 0, shutdown},
		{"cancelled before nothing", 0, -1, 0, shutdown},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.end < 0 {
				cancel(shutdown)
			} else if c.end > 0 {
				time.AfterFunc(c.end, func() { cancel(shutdown) })
			}
			start := time.Now()
			err := (clock.System{}).Wait(ctx, c.ms)
			if took := time.Since(start); took != c.want || err != c.err {
				t.Errorf("%s: %v after %v, want %v after %v", c.name, err, took, c.err, c.want)
			}
		})
	}
}

func TestTheSystemClockBeginsNoWaitThatItsContextCannotOutlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		for ms, want := range map[int64]error{1000: retry.ErrNoTime, 1001: retry.ErrNoTime, retry.Max: retry.ErrNoTime, beyondDuration: retry.ErrNoTime} {
			if err := (clock.System{}).Wait(ctx, ms); err != want || time.Since(start) != 0 {
				t.Errorf("%d ms: %v after %v", ms, err, time.Since(start))
			}
		}
		if err := (clock.System{}).Wait(ctx, 999); err != nil || time.Since(start) != 999*time.Millisecond {
			t.Errorf("999 ms: %v after %v", err, time.Since(start))
		}
	})
}

func TestTheSystemClockLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := clock.System{}.WithTimeout(t.Context(), 70)
		defer cancel()
		<-ctx.Done()
		if took := time.Since(start); took != 70*time.Millisecond || ctx.Err() != context.DeadlineExceeded {
			t.Errorf("%v after %v", ctx.Err(), took)
		}
		// A limit that a time.Duration cannot hold is no limit that has passed.
		for _, ms := range []int64{retry.Max, beyondDuration} {
			ctx, cancel := clock.System{}.WithTimeout(t.Context(), ms)
			defer cancel()
			if ctx.Err() != nil {
				t.Errorf("a limit of %d ms has passed at once", ms)
			}
		}
	})
}

// beyondDuration is the first whole ms that a time.Duration does not hold; as one it would be negative.
const beyondDuration = math.MaxInt64/1_000_000 + 1

func TestTheVirtualClockMovesByItsWaits(t *testing.T) {
	var v clock.Virtual
	for _, c := range []struct{ ms, want int64 }{{100, 100}, {0, 100}, {-50, 100}, {3_600_000, 3_600_100}, {retry.Max, retry.Max}, {1, retry.Max}} {
		if err := v.Wait(t.Context(), c.ms); err != nil || v.Now() != c.want {
			t.Errorf("after %d: %v, at %d, want %d", c.ms, err, v.Now(), c.want)
		}
	}
	v.Set(500)
	if v.Now() != 500 {
		t.Errorf("set back to 500, at %d", v.Now())
	}
	v.Set(-1)
	if v.Now() != 0 {
		t.Errorf("set before 0, at %d", v.Now())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if err := v.Wait(ctx, 100); err != gone || v.Now() != 0 {
		t.Errorf("%v, at %d", err, v.Now())
	}
}

func TestTheVirtualClockLimits(t *testing.T) {
	var v clock.Virtual
	ctx, cancel := v.WithTimeout(t.Context(), 1000)
	if err := v.Wait(ctx, 1000); err != context.DeadlineExceeded || v.Now() != 1000 || ctx.Err() != context.DeadlineExceeded {
		t.Errorf("a wait that ends with its limit: %v, at %d, %v", err, v.Now(), ctx.Err())
	}
	cancel()
	if ctx.Err() != context.DeadlineExceeded {
		t.Errorf("the cancellation after the end made it %v", ctx.Err())
	}

	outer, cancelOuter := v.WithTimeout(t.Context(), 500)
	inner, cancelInner := v.WithTimeout(outer, 9000)
	if err := v.Wait(inner, 60_000); err != context.DeadlineExceeded || v.Now() != 1500 {
		t.Errorf("the outer limit: %v, at %d", err, v.Now())
	}
	cancelInner()
	cancelOuter()

	ctx, cancel = v.WithTimeout(t.Context(), 500)
	child, cancelChild := context.WithCancel(ctx)
	defer cancelChild()
	if err := v.Wait(child, 60_000); err != context.DeadlineExceeded || v.Now() != 2000 {
		t.Errorf("a context below the limit: %v, at %d", err, v.Now())
	}
	cancel()

	ctx, cancel = v.WithTimeout(t.Context(), 500)
	cancel()
	if ctx.Err() != context.Canceled {
		t.Errorf("cancelled: %v", ctx.Err())
	}
	if err := v.Wait(t.Context(), 1000); err != nil || v.Now() != 3000 || ctx.Err() != context.Canceled {
		t.Errorf("a limit that is gone: %v, at %d, %v", err, v.Now(), ctx.Err())
	}

	ctx, cancel = v.WithTimeout(t.Context(), 500)
	v.Set(3500)
	if ctx.Err() != context.DeadlineExceeded {
		t.Errorf("the clock was set to the limit: %v", ctx.Err())
	}
	cancel()

	ctx, cancel = v.WithTimeout(t.Context(), 0)
	defer cancel()
	if ctx.Err() != context.DeadlineExceeded {
		t.Errorf("no time at all: %v", ctx.Err())
	}
	if _, ok := ctx.Deadline(); ok {
		t.Error("a virtual time was passed off as a real one")
	}
}
