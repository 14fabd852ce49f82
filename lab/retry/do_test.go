package retry_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
)

// A waiting is a virtual clock that notes the waits.
type waiting struct {
	clock.Virtual
	waits   []int64
	limits  int // contexts with a time limit that were made
	cancels int // and that were cancelled
}

func (w *waiting) Wait(ctx context.Context, ms int64) error {
	w.waits = append(w.waits, ms)
	return w.Virtual.Wait(ctx, ms)
}

func (w *waiting) WithTimeout(ctx context.Context, ms int64) (context.Context, context.CancelFunc) {
	ctx, cancel := w.Virtual.WithTimeout(ctx, ms)
	w.limits++
	return ctx, func() { w.cancels++; cancel() }
}

// fixed is a policy that waits 100 ms each time.
func fixed(c retry.Clock, attempts int64) *retry.Policy {
	return &retry.Policy{MaxAttempts: attempts, Backoff: retry.Schedule{Kind: retry.Fixed, BaseMS: 100, CapMS: 100}, Clock: c}
}

func always(j float64) func() float64 { return func() float64 { return j } }

// failing returns an operation that fails with the given errors, one after the other, and then with the
// last of them for ever; and how often it was called.
func failing(errs ...error) (func(context.Context) error, *int) {
	calls := new(int)
	return func(context.Context) error {
		if *calls++; *calls > 100_000 {
			panic("called without end")
		}
		return errs[min(*calls, len(errs))-1]
	}, calls
}

func gaveUp(t *testing.T, err error) *retry.GaveUpError {
	t.Helper()
	g, ok := err.(*retry.GaveUpError)
	if !ok {
		t.Fatalf("%v (%T) is no *GaveUpError", err, err)
	}
	return g
}

func TestDoStopsAtTheFirstSuccess(t *testing.T) {
	var c waiting
	op, calls := failing(retry.Retryable(errPlain), retry.Retryable(errPlain), nil)
	if err := retry.Do(t.Context(), fixed(&c, 5), op); err != nil || *calls != 3 || !slices.Equal(c.waits, []int64{100, 100}) {
		t.Errorf("%v after %d calls, waits %v", err, *calls, c.waits)
	}
}

func TestDoCallsExactlyMaxAttemptsTimesAndWaitsOnlyBetween(t *testing.T) {
	for attempts, waits := range map[int64][]int64{1: nil, 2: {2000}, 3: {2000, 4000}} {
		var c waiting
		op, calls := failing(retry.Retryable(errPlain))
		p := &retry.Policy{MaxAttempts: attempts, Backoff: retry.Schedule{BaseMS: 2000, CapMS: 60000}, Jitter: always(1), Clock: &c}
		g := gaveUp(t, retry.Do(t.Context(), p, op))
		if int64(*calls) != attempts || g.Attempts != attempts || g.Reason != retry.ReasonExhausted || !errors.Is(g, errPlain) || g.Cause != nil {
			t.Errorf("max_attempts %d: %d calls, %+v", attempts, *calls, g)
		}
		if !slices.Equal(c.waits, waits) || c.Now() != sum(waits) {
			t.Errorf("max_attempts %d: waits %v, want %v", attempts, c.waits, waits)
		}
	}
}

func sum(of []int64) (s int64) {
	for _, n := range of {
		s += n
	}
	return s
}

// counted is a backoff that notes what it is asked.
type counted struct {
	attempts, previous []int64
	jitters            []float64
	give               int64
	err                error
}

func (c *counted) Random() bool { return true }
func (c *counted) Delay(attempt, previous int64, jitter float64) (int64, error) {
	c.attempts, c.previous, c.jitters = append(c.attempts, attempt), append(c.previous, previous), append(c.jitters, jitter)
	return c.give * attempt, c.err
}

func TestTheFirstFailureIsAttemptOne(t *testing.T) {
	var c waiting
	b := &counted{give: 10}
	p := &retry.Policy{MaxAttempts: 3, Backoff: b, Jitter: always(0.25), Clock: &c}
	op, _ := failing(retry.Retryable(errPlain))
	retry.Do(t.Context(), p, op)
	// The first question is the policy's check.
	if !slices.Equal(b.attempts[1:], []int64{1, 2}) || !slices.Equal(b.previous[1:], []int64{0, 10}) || !slices.Equal(b.jitters[1:], []float64{0.25, 0.25}) {
		t.Errorf("asked for %v, %v, %v", b.attempts, b.previous, b.jitters)
	}
}

func TestDecorrelatedWaitsBuildOnEachOther(t *testing.T) {
	var c waiting
	p := &retry.Policy{MaxAttempts: 5, Backoff: retry.Schedule{Kind: retry.Decorrelated, BaseMS: 100, CapMS: 2000}, Jitter: always(1), Clock: &c}
	op, _ := failing(retry.Retryable(errPlain))
	retry.Do(t.Context(), p, op)
	if !slices.Equal(c.waits, []int64{300, 900, 2000, 2000}) {
		t.Errorf("waits %v", c.waits)
	}
}

func TestAnUnknownErrorReturnsUnchangedAndIsNeverSuccess(t *testing.T) {
	for _, errs := range [][]error{{errPlain}, {retry.Retryable(errors.New("first")), errPlain}} {
		var c waiting
		op, calls := failing(errs...)
		p := fixed(&c, retry.Max)
		p.Fallback = func(context.Context, error) error { t.Error("the fallback hid an unknown error"); return nil }
		if err := retry.Do(t.Context(), p, op); err != errPlain || *calls != len(errs) {
			t.Errorf("got %v after %d calls", err, *calls)
		}
	}
}

func TestAPermanentErrorEndsTheLoopThroughAnyWraps(t *testing.T) {
	for _, attempts := range []int64{1, 5} {
		op, calls := failing(wrap("a", wrap("b", retry.Permanent(errPlain))))
		g := gaveUp(t, retry.Do(t.Context(), fixed(&waiting{}, attempts), op))
		if *calls != 1 || g.Reason != retry.ReasonPermanent || g.Attempts != 1 || g.Last.Error() != "a: b: plain" || !errors.Is(g, errPlain) {
			t.Errorf("max_attempts %d: %d calls, %v", attempts, *calls, g)
		}
	}
}

func TestAnInnerLoopsMarkDoesNotStopTheOuterOne(t *testing.T) {
	var c waiting
	for name, outer := range map[string]func(p *retry.Policy, err error) error{
		"marked anew":      func(_ *retry.Policy, err error) error { return retry.Retryable(err) },
		"wrapped":          func(_ *retry.Policy, err error) error { return retry.Retryable(wrap("inner", err)) },
		"outer classifies": func(p *retry.Policy, err error) error { return wrap("inner", err) },
	} {
		op, calls := failing(retry.Permanent(errPlain))
		p := fixed(&c, 3)
		if name == "outer classifies" {
			p.Classify = func(err error) retry.Class {
				if errors.Is(err, errPlain) {
					return retry.ClassRetryable
				}
				return retry.ClassUnknown
			}
		}
		g := gaveUp(t, retry.Do(t.Context(), p, func(ctx context.Context) error {
			return outer(p, retry.Do(ctx, fixed(&c, 9), op))
		}))
		if *calls != 3 || g.Reason != retry.ReasonExhausted || !errors.Is(g, errPlain) {
			t.Errorf("%s: %d calls, %v", name, *calls, g)
		}
	}
	// Unasked, the outer loop leaves it alone.
	op, calls := failing(retry.Retryable(errPlain))
	err := retry.Do(t.Context(), fixed(&c, 3), func(ctx context.Context) error { return retry.Do(ctx, fixed(&c, 2), op) })
	if g := gaveUp(t, err); *calls != 2 || g.Attempts != 2 {
		t.Errorf("%d calls, %v", *calls, g)
	}
}

func TestRetryAfterIsTheLeastWaitAndMayExceedTheCap(t *testing.T) {
	for _, c := range []struct{ after, want int64 }{{0, 3000}, {50, 3000}, {3000, 3000}, {5000, 5000}} {
		var clk waiting
		p := &retry.Policy{MaxAttempts: 2, Backoff: retry.Schedule{BaseMS: 4000, CapMS: 3000}, Jitter: always(1), Clock: &clk}
		op, _ := failing(wrap("send", retry.RetryableAfter(errPlain, c.after)), nil)
		if err := retry.Do(t.Context(), p, op); err != nil || !slices.Equal(clk.waits, []int64{c.want}) {
			t.Errorf("Retry-After %d: %v, waits %v, want %d", c.after, err, clk.waits, c.want)
		}
	}
	// It is kept also where the caller classifies, and it belongs to its own error only.
	var clk waiting
	p := fixed(&clk, 3)
	p.Classify = func(error) retry.Class { return retry.ClassRetryable }
	op, _ := failing(retry.RetryableAfter(errPlain, 700), errPlain, nil)
	if err := retry.Do(t.Context(), p, op); err != nil || !slices.Equal(clk.waits, []int64{700, 100}) {
		t.Errorf("%v, waits %v", err, clk.waits)
	}
}

func TestAWaitThatDoesNotFitTheTotalLimitEndsTheLoop(t *testing.T) {
	for _, c := range []struct {
		wait  int64
		calls int
	}{{999, 2}, {1000, 1}, {1001, 1}, {retry.Max, 1}} {
		for _, start := range []int64{0, 1_700_000_000_000, retry.Max - 500} {
			var clk waiting
			clk.Set(start)
			p := &retry.Policy{MaxAttempts: 2, Backoff: retry.Schedule{BaseMS: c.wait, CapMS: retry.Max}, Jitter: always(1), Clock: &clk, TotalMS: 1000}
			op, calls := failing(retry.Retryable(errPlain))
			g := gaveUp(t, retry.Do(t.Context(), p, op))
			if *calls != c.calls || !errors.Is(g, errPlain) {
				t.Errorf("wait %d from %d: %d calls, %v", c.wait, start, *calls, g)
			}
			if c.calls == 1 && (g.Reason != retry.ReasonDeadline || clk.waits != nil) {
				t.Errorf("wait %d from %d: %v, waits %v", c.wait, start, g, clk.waits)
			}
		}
	}
}

func TestTheTotalLimitCountsAttemptsAndWaits(t *testing.T) {
	var c waiting
	p := fixed(&c, 100)
	p.TotalMS = 1000
	calls := 0
	g := gaveUp(t, retry.Do(t.Context(), p, func(ctx context.Context) error {
		calls++
		c.Set(c.Now() + 200)
		return retry.Retryable(errPlain)
	}))
	// 200 + 100 + 200 + 100 + 200 = 800, and the wait ends at 900; 1100 is too late for another.
	if calls != 4 || g.Reason != retry.ReasonDeadline {
		t.Errorf("%d calls, %v", calls, g)
	}
}

func TestAClockSetBackLendsNoTimeToTheTotalLimit(t *testing.T) {
	var c waiting
	c.Set(10_000)
	p := fixed(&c, 100)
	p.TotalMS = 1000
	calls := 0
	g := gaveUp(t, retry.Do(t.Context(), p, func(ctx context.Context) error {
		calls++
		c.Set(5000)
		return retry.Retryable(errPlain)
	}))
	if calls != 10 || g.Reason != retry.ReasonDeadline {
		t.Errorf("%d calls, %v", calls, g)
	}
}

func TestExhaustedComesBeforeDeadline(t *testing.T) {
	b := &counted{give: 5000}
	p := &retry.Policy{MaxAttempts: 1, Backoff: b, Jitter: always(1), Clock: &waiting{}, TotalMS: 1000}
	op, _ := failing(retry.Retryable(errPlain))
	if g := gaveUp(t, retry.Do(t.Context(), p, op)); g.Reason != retry.ReasonExhausted || len(b.attempts) != 1 {
		t.Errorf("%v; the backoff was asked %d times, once by the check", g, len(b.attempts))
	}
}

func TestABadJitterOrDelayEndsTheLoopBeforeAnyWait(t *testing.T) {
	for _, j := range []float64{-0.1, 1.0000001, 1.5, 2, math.NaN(), math.Inf(1), math.Inf(-1)} {
		var c waiting
		p := &retry.Policy{MaxAttempts: 3, Backoff: retry.Schedule{BaseMS: 100, CapMS: 100}, Jitter: always(j), Clock: &c}
		p.Fallback = func(context.Context, error) error { t.Error("the fallback hid a bad source of jitter"); return nil }
		op, calls := failing(retry.Retryable(errPlain))
		g := gaveUp(t, retry.Do(t.Context(), p, op))
		if *calls != 1 || c.waits != nil || g.Reason != retry.ReasonRejected || !slices.Equal(names(g), []string{"jitter"}) || !errors.Is(g, errPlain) {
			t.Errorf("jitter %v: %d calls, waits %v, %v", j, *calls, c.waits, g)
		}
	}
	// Also where the backoff does not look.
	for _, j := range []float64{-0.1, 1.5, math.NaN()} {
		b := &counted{give: 1}
		p := &retry.Policy{MaxAttempts: 3, Backoff: b, Jitter: always(j), Clock: &waiting{}}
		op, _ := failing(retry.Retryable(errPlain))
		if g := gaveUp(t, retry.Do(t.Context(), p, op)); g.Reason != retry.ReasonRejected || len(b.attempts) != 1 {
			t.Errorf("jitter %v: %v; the backoff was asked %d times, once by the check", j, g, len(b.attempts))
		}
	}
	for _, give := range []int64{-1, retry.Max + 1} {
		var c waiting
		b := &counted{give: give}
		p := &retry.Policy{MaxAttempts: 3, Backoff: b, Jitter: always(1), Clock: &c}
		op, calls := failing(retry.Retryable(errPlain))
		g := gaveUp(t, retry.Do(t.Context(), p, op))
		if *calls != 1 || c.waits != nil || g.Reason != retry.ReasonRejected || !slices.Equal(names(g), []string{"delay_ms"}) {
			t.Errorf("delay %d: %d calls, waits %v, %v", give, *calls, c.waits, g)
		}
	}
}

func TestMinusZeroIsAJitter(t *testing.T) {
	var c waiting
	p := &retry.Policy{MaxAttempts: 2, Backoff: retry.Schedule{BaseMS: 100, CapMS: 100}, Jitter: always(math.Copysign(0, -1)), Clock: &c}
	op, _ := failing(retry.Retryable(errPlain), nil)
	if err := retry.Do(t.Context(), p, op); err != nil {
		t.Error(err)
	}
}

func TestAWaitOfZeroAsksForNoTimer(t *testing.T) {
	var c waiting
	p := &retry.Policy{MaxAttempts: 3, Backoff: retry.Schedule{BaseMS: 100, CapMS: 100}, Jitter: always(0), Clock: &c}
	op, calls := failing(retry.Retryable(errPlain))
	retry.Do(t.Context(), p, op)
	if *calls != 3 || c.waits != nil {
		t.Errorf("%d calls, waits %v", *calls, c.waits)
	}
}

func TestTheLoopGoesOnFarBeyondTheDoublings(t *testing.T) {
	var c waiting
	p := &retry.Policy{MaxAttempts: 2000, Backoff: retry.Schedule{BaseMS: 1000, CapMS: 60_000}, Jitter: always(1), Clock: &c}
	op, calls := failing(retry.Retryable(errPlain))
	retry.Do(t.Context(), p, op)
	if *calls != 2000 || c.waits[1099] != 60_000 || slices.Max(c.waits) != 60_000 || !slices.IsSorted(c.waits) {
		t.Errorf("%d calls, waits up to %d", *calls, slices.Max(c.waits))
	}
}

func TestDoDoesNotCallWhenTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	shutdown := errors.New("shutdown")
	cancel(shutdown)
	budget, _ := retry.NewBudget(1, 0, 10)
	breaker, _ := retry.NewBreaker(1, 1000, nil)
	p := fixed(&waiting{}, 3)
	for range 3 {
		op, calls := failing(nil)
		g := gaveUp(t, retry.Do(ctx, p, op))
		if *calls != 0 || g.Attempts != 0 || g.Reason != retry.ReasonEnded || g.Last != nil || !errors.Is(g, shutdown) {
			t.Errorf("%d calls, %v", *calls, g)
		}
		if budget.Millionths() != 0 {
			t.Error("the budget counted a try that was none")
		}
		p.Budget, p.Breaker, p.BreakerInside = budget, breaker, p.Breaker != nil
	}
}

func TestACancelledWaitReturnsCauseAndLastError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	shutdown := errors.New("shutdown")
	p := fixed(&cancelling{after: 1, cancel: func() { cancel(shutdown) }}, 5)
	p.Fallback = func(context.Context, error) error { t.Error("nobody waits for a fallback"); return nil }
	op, calls := failing(retry.Retryable(errPlain))
	g := gaveUp(t, retry.Do(ctx, p, op))
	if *calls != 2 || g.Attempts != 2 || g.Reason != retry.ReasonEnded || g.Cause != shutdown || !errors.Is(g, errPlain) || !errors.Is(g, shutdown) {
		t.Errorf("%d calls, %v", *calls, g)
	}
}

// cancelling is a clock whose context is cancelled during a wait. It returns nil all the same, as a timer
// does that fires at the same moment.
type cancelling struct {
	clock.Virtual
	after  int
	cancel func()
}

func (c *cancelling) Wait(ctx context.Context, ms int64) error {
	if c.after--; c.after < 0 {
		c.cancel()
		return nil
	}
	return c.Virtual.Wait(ctx, ms)
}

func TestTheEndOfTheContextDuringAnAttempt(t *testing.T) {
	shutdown := errors.New("shutdown")
	for _, c := range []struct {
		name   string
		give   func(context.Context) error
		reason retry.Reason // "" when the error comes back unchanged
	}{
		{"a retryable failure", func(context.Context) error { return retry.Retryable(errPlain) }, retry.ReasonEnded},
		{"a permanent failure", func(context.Context) error { return retry.Permanent(errPlain) }, retry.ReasonPermanent},
		{"the context's own error", func(ctx context.Context) error { return wrap("send", ctx.Err()) }, retry.ReasonEnded},
		{"the context's cause", func(ctx context.Context) error { return wrap("send", context.Cause(ctx)) }, retry.ReasonEnded},
		{"an unknown failure", func(context.Context) error { return errPlain }, ""},
		{"success", func(context.Context) error { return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var clk waiting
			ctx, cancel := context.WithCancelCause(t.Context())
			var gave error
			err := retry.Do(ctx, fixed(&clk, 5), func(ctx context.Context) error {
				cancel(shutdown)
				gave = c.give(ctx)
				return gave
			})
			if clk.waits != nil {
				t.Errorf("waits %v", clk.waits)
			}
			if c.reason == "" {
				if err != gave {
					t.Errorf("got %v, want %v itself", err, gave)
				}
				return
			}
			if g := gaveUp(t, err); g.Reason != c.reason || g.Attempts != 1 || !errors.Is(g, gave) || !errors.Is(g, shutdown) {
				t.Errorf("got %+v", g)
			}
		})
	}
}

func TestAnAttemptThatRunsIntoItsTimeLimitIsTriedAgain(t *testing.T) {
	var c waiting
	p := fixed(&c, 3)
	p.AttemptMS = 500
	calls := 0
	err := retry.Do(t.Context(), p, func(ctx context.Context) error {
		if calls++; calls == 3 {
			return c.Virtual.Wait(ctx, 499)
		}
		return wrap("send", c.Virtual.Wait(ctx, 60_000))
	})
	if err != nil || calls != 3 || c.Now() != 500+100+500+100+499 || c.limits != 3 || c.cancels != 3 {
		t.Errorf("%v after %d calls at %d; %d limits, %d cancelled", err, calls, c.Now(), c.limits, c.cancels)
	}
}

func TestTheAttemptsTimeLimitDoesNotExcuseOtherErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		give error
		want retry.Reason
	}{
		{"unknown", errPlain, ""},
		{"permanent", retry.Permanent(context.DeadlineExceeded), retry.ReasonPermanent},
	} {
		var clk waiting
		p := fixed(&clk, 3)
		p.AttemptMS = 500
		calls := 0
		err := retry.Do(t.Context(), p, func(ctx context.Context) error {
			calls++
			clk.Virtual.Wait(ctx, 60_000)
			return c.give
		})
		if calls != 1 || c.want == "" && err != c.give || c.want != "" && gaveUp(t, err).Reason != c.want {
			t.Errorf("%s: %v after %d calls", c.name, err, calls)
		}
	}
	// Nor does somebody else's time-out count while the attempt's own limit has not come.
	p := fixed(&waiting{}, 3)
	p.AttemptMS = 500
	op, calls := failing(context.DeadlineExceeded)
	if err := retry.Do(t.Context(), p, op); err != context.DeadlineExceeded || *calls != 1 {
		t.Errorf("%v after %d calls", err, *calls)
	}
}

func TestAPanickingOperationLeavesNothingBehind(t *testing.T) {
	var c waiting
	breaker, _ := retry.NewBreaker(1, 1000, nil)
	for _, inside := range []bool{false, true} {
		c.Set(0)
		pass, _ := breaker.Ask(0)
		breaker.Report(pass, 0, retry.Failure)
		c.Set(1_000_000) // time for a trial
		p := fixed(&c, 3)
		p.AttemptMS, p.Breaker, p.BreakerInside = 500, breaker, inside
		func() {
			defer func() {
				if recover() != "boom" {
					t.Error("the panic was swallowed")
				}
			}()
			retry.Do(t.Context(), p, func(context.Context) error { panic("boom") })
		}()
		if c.limits != c.cancels {
			t.Errorf("%d limits, %d cancelled", c.limits, c.cancels)
		}
		op, calls := failing(nil)
		if err := retry.Do(t.Context(), p, op); err != nil || *calls != 1 {
			t.Errorf("inside %v: no trial after a panic: %v", inside, err)
		}
	}
}

func TestTheHookIsToldOfEachAttempt(t *testing.T) {
	var c waiting
	var told []retry.Attempt
	first, second := retry.RetryableAfter(errPlain, 300), wrap("b", retry.Retryable(errPlain))
	op, _ := failing(first, second, nil)
	p := fixed(&c, 3)
	p.OnAttempt = func(a retry.Attempt) {
		if len(c.waits) != len(told) {
			t.Error("told after the wait")
		}
		told = append(told, a)
	}
	retry.Do(t.Context(), p, op)
	want := []retry.Attempt{
		{Number: 1, Err: first, Class: retry.ClassRetryable, Again: true, WaitMS: 300},
		{Number: 2, Err: second, Class: retry.ClassRetryable, Again: true, WaitMS: 100},
		{Number: 3},
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %+v", told)
	}
	told, c.waits = nil, nil
	op, _ = failing(first, errPlain)
	retry.Do(t.Context(), p, op)
	if want := append(want[:1:1], retry.Attempt{Number: 2, Err: errPlain}); !slices.Equal(told, want) {
		t.Errorf("told %+v", told)
	}
	told, c.waits = nil, nil
	op, _ = failing(second)
	p.MaxAttempts = 1
	retry.Do(t.Context(), p, op)
	if want := []retry.Attempt{{Number: 1, Err: second, Class: retry.ClassRetryable}}; !slices.Equal(told, want) {
		t.Errorf("told %+v", told)
	}
}

func TestTheFallbackIsAskedInsteadOfGivingUp(t *testing.T) {
	stale := errors.New("stale")
	for _, c := range []struct {
		err    error
		reason retry.Reason
	}{{retry.Retryable(errPlain), retry.ReasonExhausted}, {retry.Permanent(errPlain), retry.ReasonPermanent}} {
		for _, answer := range []error{nil, stale} {
			var given error
			p := fixed(&waiting{}, 2)
			p.Fallback = func(_ context.Context, err error) error { given = err; return answer }
			op, _ := failing(c.err)
			if err := retry.Do(t.Context(), p, op); err != answer {
				t.Errorf("got %v, want %v", err, answer)
			}
			if g := gaveUp(t, given); g.Reason != c.reason || !errors.Is(g, errPlain) {
				t.Errorf("the fallback got %v", g)
			}
		}
	}
	// Not for an error that only looks like this loop's own.
	inner := &retry.GaveUpError{Reason: retry.ReasonExhausted, Attempts: 2, Last: errPlain}
	p := fixed(&waiting{}, 2)
	p.Fallback = func(context.Context, error) error { t.Error("asked about an unknown error"); return nil }
	op, _ := failing(inner)
	if err := retry.Do(t.Context(), p, op); err != inner {
		t.Errorf("got %v", err)
	}
	op, _ = failing(nil)
	if err := retry.Do(t.Context(), p, op); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestDoValueReturnsTheLastValue(t *testing.T) {
	p := fixed(&waiting{}, 3)
	calls := 0
	give := func(context.Context) (int, error) {
		if calls++; calls%3 != 0 {
			return calls, retry.Retryable(errPlain)
		}
		return calls, nil
	}
	if v, err := retry.DoValue(t.Context(), p, give); v != 3 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	p.MaxAttempts = 2
	if v, err := retry.DoValue(t.Context(), p, give); v != 5 || gaveUp(t, err).Attempts != 2 {
		t.Errorf("%d, %v", v, err)
	}
}

func TestDoValueOrFallsBackToAValue(t *testing.T) {
	p := fixed(&waiting{}, 2)
	give := func(context.Context) (string, error) { return "", retry.Retryable(errPlain) }
	v, err := retry.DoValueOr(t.Context(), p, give, func(_ context.Context, err error) (string, error) { return "kept", nil })
	if v != "kept" || err != nil || p.Fallback != nil {
		t.Errorf("%q, %v", v, err)
	}
	v, err = retry.DoValueOr(t.Context(), p, func(context.Context) (string, error) { return "new", nil }, nil)
	if v != "new" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if _, err = retry.DoValueOr(t.Context(), nil, give, nil); !slices.Equal(names(err), []string{"policy"}) {
		t.Error(err)
	}
}

func TestABadPolicyIsRejectedAndNothingIsCalled(t *testing.T) {
	good := func(change func(*retry.Policy)) *retry.Policy {
		p := &retry.Policy{MaxAttempts: 3, Backoff: retry.Schedule{BaseMS: 100, CapMS: 1000}, Jitter: always(1), Clock: &waiting{}}
		change(p)
		return p
	}
	breaker, _ := retry.NewBreaker(1, 1, nil)
	for _, c := range []struct {
		p    *retry.Policy
		want []string
	}{
		{nil, []string{"policy"}},
		{&retry.Policy{}, []string{"max_attempts"}},
		{good(func(p *retry.Policy) { p.MaxAttempts = 0 }), []string{"max_attempts"}},
		{good(func(p *retry.Policy) { p.MaxAttempts = -1 }), []string{"max_attempts"}},
		{good(func(p *retry.Policy) { p.MaxAttempts = retry.Max + 1 }), []string{"max_attempts"}},
		{good(func(p *retry.Policy) { p.TotalMS = -1 }), []string{"total_ms"}},
		{good(func(p *retry.Policy) { p.TotalMS = retry.Max + 1 }), []string{"total_ms"}},
		{good(func(p *retry.Policy) { p.AttemptMS = -1 }), []string{"attempt_ms"}},
		{good(func(p *retry.Policy) { p.AttemptMS = retry.Max + 1 }), []string{"attempt_ms"}},
		{good(func(p *retry.Policy) { p.Clock = nil }), []string{"clock"}},
		{good(func(p *retry.Policy) { p.Backoff = nil }), []string{"backoff"}},
		{good(func(p *retry.Policy) { p.Jitter = nil }), []string{"jitter"}},
		{good(func(p *retry.Policy) { p.Backoff = retry.Schedule{} }), []string{"base_ms", "cap_ms"}},
		{good(func(p *retry.Policy) { p.Backoff = retry.Schedule{Kind: 9, BaseMS: 1, CapMS: 1} }), []string{"kind"}},
		{good(func(p *retry.Policy) { p.Backoff = retry.Scaled{Factor: 2} }), []string{"factor"}},
		{&retry.Policy{MaxAttempts: 1, TotalMS: 5}, []string{"clock"}},
		{&retry.Policy{MaxAttempts: 1, AttemptMS: 5}, []string{"clock"}},
		{&retry.Policy{MaxAttempts: 1, Breaker: breaker}, []string{"clock"}},
		{&retry.Policy{MaxAttempts: 2, TotalMS: -5}, []string{"total_ms", "clock", "backoff"}},
	} {
		op, calls := failing(nil)
		if err := retry.Do(t.Context(), c.p, op); *calls != 0 || !slices.Equal(names(err), c.want) {
			t.Errorf("%+v: %v after %d calls, want %v", c.p, err, *calls, c.want)
		}
		if !slices.Equal(names(c.p.Check()), c.want) {
			t.Errorf("%+v: Check gave %v, want %v", c.p, c.p.Check(), c.want)
		}
	}
	odd := errors.New("odd")
	if err := good(func(p *retry.Policy) { p.Backoff = &counted{err: odd} }).Check(); err != odd {
		t.Errorf("a backoff's own error came back as %v", err)
	}
}

func TestTheLargestPolicyIsGood(t *testing.T) {
	for _, p := range []*retry.Policy{
		{MaxAttempts: 1},
		{MaxAttempts: retry.Max, TotalMS: retry.Max, AttemptMS: retry.Max, Backoff: retry.Schedule{BaseMS: retry.Max, CapMS: retry.Max}, Jitter: always(1), Clock: &waiting{}},
		{MaxAttempts: 2, Backoff: retry.Scaled{}, Clock: &waiting{}},
		{MaxAttempts: 2, Backoff: retry.Schedule{Kind: retry.Fixed, BaseMS: 1}, Clock: &waiting{}},
	} {
		op, calls := failing(nil)
		if err := retry.Do(t.Context(), p, op); err != nil || *calls != 1 {
			t.Errorf("%+v: %v after %d calls", p, err, *calls)
		}
	}
}

func TestAFirstTryThatSucceedsAllocatesNothing(t *testing.T) {
	budget, _ := retry.NewBudget(0.1, 1, 10)
	breaker, _ := retry.NewBreaker(5, 1000, nil)
	plain := fixed(&waiting{}, 5)
	full := *plain
	full.TotalMS, full.Budget, full.Breaker, full.OnAttempt = 1000, budget, breaker, func(retry.Attempt) {}
	for name, p := range map[string]*retry.Policy{"plain": plain, "with everything": &full} {
		n := 0
		op := func(context.Context) error { n++; return nil }
		if got := testing.AllocsPerRun(1000, func() { retry.Do(context.Background(), p, op) }); got != 0 {
			t.Errorf("%s: Do allocates %v times", name, got)
		}
		if got := testing.AllocsPerRun(1000, func() {
			retry.DoValue(context.Background(), p, func(context.Context) (int, error) { n++; return n, nil })
		}); got != 0 {
			t.Errorf("%s: DoValue allocates %v times", name, got)
		}
	}
}

func TestThePauseOfAContextsDeadlineIsADeadline(t *testing.T) {
	op, calls := failing(retry.Retryable(errPlain))
	g := gaveUp(t, retry.Do(t.Context(), fixed(noTime{}, 3), op))
	if *calls != 1 || g.Reason != retry.ReasonDeadline || !errors.Is(g, errPlain) || !errors.Is(g, retry.ErrNoTime) {
		t.Errorf("%d calls, %v", *calls, g)
	}
}

// noTime is a clock on whose scale the context ends before any wait does.
type noTime struct{ clock.System }

func (noTime) Wait(context.Context, int64) error { return retry.ErrNoTime }
