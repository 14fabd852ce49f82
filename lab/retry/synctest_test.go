package retry_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
)

// In a bubble the machine's clock is a fake one that moves only when everybody waits; a bubble fails
// when a goroutine is left over.

func TestACancelledWaitEndsAtOnceAndLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		start := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		shutdown := errors.New("shutdown")
		time.AfterFunc(10*time.Millisecond, func() { cancel(shutdown) })
		p := &retry.Policy{MaxAttempts: 5, Backoff: retry.Schedule{BaseMS: 3_600_000, CapMS: retry.Max}, Jitter: always(1), Clock: clock.System{}, AttemptMS: 1000}
		op, calls := failing(retry.Retryable(errPlain))
		g := gaveUp(t, retry.Do(ctx, p, op))
		if took := time.Since(start); took != 10*time.Millisecond || *calls != 1 {
			t.Errorf("%d calls, %v", *calls, took)
		}
		if g.Reason != retry.ReasonEnded || g.Attempts != 1 || !errors.Is(g, shutdown) || !errors.Is(g, errPlain) {
			t.Errorf("got %v", g)
		}
		synctest.Wait()
		if n := runtime.NumGoroutine(); n != before {
			t.Errorf("%d goroutines before, %d after", before, n)
		}
	})
}

func TestTheWaitsAreThoseOfThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := &retry.Policy{MaxAttempts: 4, Backoff: retry.Schedule{BaseMS: 100, CapMS: 250}, Jitter: always(1), Clock: clock.System{}}
		var at []time.Duration
		retry.Do(t.Context(), p, func(context.Context) error {
			at = append(at, time.Since(start))
			return retry.Retryable(errPlain)
		})
		for i, want := range []time.Duration{0, 100, 300, 550} {
			if at[i] != want*time.Millisecond {
				t.Errorf("attempt %d after %v, want %v ms", i+1, at[i], int64(want))
			}
		}
	})
}

func TestWaitsBeyond32BitsAreNotCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := (clock.System{}).Wait(t.Context(), 1<<31); err != nil || time.Since(start) != 1<<31*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestAWaitOfCenturiesIsOne(t *testing.T) {
	// The fake clock cannot pass the year 2262; that the wait is still under way by then is enough.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*365*24*time.Hour, cancel)
		start := time.Now()
		err := (clock.System{}).Wait(ctx, retry.Max)
		if err != context.Canceled || time.Since(start) != 200*365*24*time.Hour {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestAContextsDeadlineIsNotSleptOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			wait  int64
			calls int
		}{{999, 2}, {1000, 1}, {1001, 1}, {retry.Max, 1}} {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			p := &retry.Policy{MaxAttempts: 2, Backoff: retry.Schedule{BaseMS: c.wait, CapMS: retry.Max}, Jitter: always(1), Clock: clock.System{}}
			op, calls := failing(retry.Retryable(errPlain))
			g := gaveUp(t, retry.Do(ctx, p, op))
			cancel()
			if *calls != c.calls || !errors.Is(g, errPlain) {
				t.Errorf("wait %d: %d calls, %v", c.wait, *calls, g)
			}
			if c.calls == 1 && (time.Since(start) != 0 || g.Reason != retry.ReasonDeadline) {
				t.Errorf("wait %d: slept %v, %v", c.wait, time.Since(start), g)
			}
		}
	})
}

func TestAnAttemptsTimeLimitOnTheMachinesClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := fixed(clock.System{}, 2)
		p.AttemptMS = 500
		g := gaveUp(t, retry.Do(t.Context(), p, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		if g.Attempts != 2 || g.Reason != retry.ReasonExhausted || !errors.Is(g, context.DeadlineExceeded) || time.Since(start) != 1100*time.Millisecond {
			t.Errorf("%v after %v", g, time.Since(start))
		}
	})
}

func TestManyLoopsShareAPolicyItsBudgetAndItsBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, _ := retry.NewBudget(0.5, 10, 1000)
		breaker, _ := retry.NewBreaker(1000, 1, nil)
		p := fixed(clock.System{}, 3)
		p.Budget, p.Breaker, p.BreakerInside = budget, breaker, true
		var mu sync.Mutex
		calls := 0
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				retry.Do(t.Context(), p, func(context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					calls++
					return retry.Retryable(errPlain)
				})
			})
		}
		all.Wait()
		if calls != 100+10+50 || budget.Millionths() != 0 {
			t.Errorf("%d calls, %d millionths left", calls, budget.Millionths())
		}
	})
}
