package retry_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"retrylab/lab/retry"
)

func breaker(t testing.TB, failures, openMS int64) *retry.Breaker {
	t.Helper()
	b, err := retry.NewBreaker(failures, openMS, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// call asks and, when the call may pass, reports the outcome at the same time.
func call(b *retry.Breaker, at int64, o retry.Outcome) bool {
	pass, ok := b.Ask(at)
	if ok {
		b.Report(pass, at, o)
	}
	return ok
}

func TestTheBreakerOpensAfterConsecutiveFailures(t *testing.T) {
	for _, c := range []struct {
		name     string
		outcomes []retry.Outcome
		want     retry.BreakerState
	}{
		{"one too few", []retry.Outcome{retry.Failure, retry.Failure}, retry.Closed},
		{"enough", []retry.Outcome{retry.Failure, retry.Failure, retry.Failure}, retry.Open},
		{"a success between", []retry.Outcome{retry.Failure, retry.Failure, retry.Success, retry.Failure, retry.Failure}, retry.Closed},
		{"an ignored one between", []retry.Outcome{retry.Failure, retry.Failure, retry.Ignored, retry.Failure}, retry.Open},
		{"ignored ones only", []retry.Outcome{retry.Ignored, retry.Ignored, retry.Ignored, retry.Ignored}, retry.Closed},
	} {
		b := breaker(t, 3, 1000)
		for _, o := range c.outcomes {
			if !call(b, 0, o) {
				t.Errorf("%s: a closed breaker refused", c.name)
			}
		}
		if got := b.State(0); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTheBreakerIsHalfOpenAtItsReopeningTime(t *testing.T) {
	b := breaker(t, 1, 1000)
	call(b, 500, retry.Failure)
	if at, open := b.ReopenAt(1499); at != 1500 || !open {
		t.Errorf("reopens at %d, open %v", at, open)
	}
	if call(b, 1499, retry.Success) || b.State(1499) != retry.Open {
		t.Error("a call passed before the time")
	}
	if b.State(1500) != retry.HalfOpen {
		t.Errorf("%v at the reopening time", b.State(1500))
	}
	if _, open := b.ReopenAt(1500); open {
		t.Error("still open at the reopening time")
	}
	if !call(b, 1500, retry.Success) || b.State(1500) != retry.Closed {
		t.Error("the trial did not close it")
	}
}

func TestOneTrialPassesAtATime(t *testing.T) {
	b := breaker(t, 1, 1000)
	call(b, 0, retry.Failure)
	trial, ok := b.Ask(1000)
	if !ok {
		t.Fatal("no trial")
	}
	if _, ok := b.Ask(1000); ok {
		t.Error("a second trial")
	}
	b.Report(trial, 1100, retry.Failure)
	if at, open := b.ReopenAt(1100); !open || at != 2100 {
		t.Errorf("after a failed trial: reopens at %d, open %v", at, open)
	}
	if !call(b, 2100, retry.Success) || !call(b, 2100, retry.Success) {
		t.Error("not closed by the second trial")
	}
}

func TestAnIgnoredTrialLeavesTheBreakerHalfOpen(t *testing.T) {
	b := breaker(t, 2, 1000)
	call(b, 0, retry.Failure)
	call(b, 0, retry.Failure)
	for range 3 {
		if !call(b, 1000, retry.Ignored) || b.State(1000) != retry.HalfOpen {
			t.Fatalf("%v after an ignored trial", b.State(1000))
		}
	}
	// One counted failure is enough now, and it opens for the whole time again.
	call(b, 1200, retry.Failure)
	if at, open := b.ReopenAt(1200); !open || at != 2200 {
		t.Errorf("reopens at %d, open %v", at, open)
	}
}

func TestLateReportsDoNotMoveTheBreaker(t *testing.T) {
	b := breaker(t, 1, 1000)
	slow, _ := b.Ask(0)
	slower, _ := b.Ask(0)
	call(b, 10, retry.Failure)
	b.Report(slow, 20, retry.Success)
	if b.State(20) != retry.Open {
		t.Error("a call from before closed an open breaker")
	}
	b.Report(slow, 900, retry.Failure)
	if at, _ := b.ReopenAt(900); at != 1010 {
		t.Errorf("a call from before moved the reopening time to %d", at)
	}
	trial, _ := b.Ask(1010)
	b.Report(slower, 1011, retry.Success)
	if _, ok := b.Ask(1011); ok || b.State(1011) != retry.HalfOpen {
		t.Error("a call from before ended the trial")
	}
	b.Report(trial, 1012, retry.Success)
	if b.Report(slower, 1013, retry.Failure); b.State(1013) != retry.Closed {
		t.Error("a call from before opened a closed breaker")
	}
}

func TestASecondReportOfOneCallChangesNothing(t *testing.T) {
	for _, again := range []retry.Outcome{retry.Ignored, retry.Success, retry.Failure} {
		b := breaker(t, 1, 1000)
		call(b, 0, retry.Failure)
		first, _ := b.Ask(1000)
		b.Report(first, 1000, retry.Ignored)
		if _, ok := b.Ask(1000); !ok {
			t.Fatal("no second trial")
		}
		b.Report(first, 1000, again)
		if _, ok := b.Ask(1000); ok || b.State(1000) != retry.HalfOpen {
			t.Errorf("reported again as %d: another may pass %v, %v", again, ok, b.State(1000))
		}
	}
}

func TestTheReopeningTimeDoesNotOverflow(t *testing.T) {
	b := breaker(t, 1, retry.Max)
	call(b, 500, retry.Failure)
	if at, open := b.ReopenAt(retry.Max - 1); !open || at != retry.Max {
		t.Errorf("reopens at %d, open %v", at, open)
	}
	if b.State(retry.Max) != retry.HalfOpen {
		t.Error("never half-open")
	}
}

func TestWhatCountsIsConfigured(t *testing.T) {
	for _, c := range []struct {
		counts func(retry.Class, error) bool
		want   map[retry.Class]retry.Outcome
	}{
		{nil, map[retry.Class]retry.Outcome{retry.ClassUnknown: retry.Ignored, retry.ClassRetryable: retry.Failure, retry.ClassPermanent: retry.Ignored}},
		{func(c retry.Class, err error) bool { return err == errPlain && c != retry.ClassRetryable },
			map[retry.Class]retry.Outcome{retry.ClassUnknown: retry.Failure, retry.ClassRetryable: retry.Ignored, retry.ClassPermanent: retry.Failure}},
	} {
		b, err := retry.NewBreaker(1, 1, c.counts)
		if err != nil {
			t.Fatal(err)
		}
		for class, want := range c.want {
			if got := b.Outcome(class, errPlain); got != want {
				t.Errorf("%v: outcome %d, want %d", class, got, want)
			}
			if got := b.Outcome(class, nil); got != retry.Success {
				t.Errorf("no error: outcome %d", got)
			}
		}
	}
}

func TestBreakersRejectWhatIsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		failures, openMS int64
		want             []string
	}{
		{0, 1, []string{"failures"}}, {-1, 1, []string{"failures"}}, {1, 0, []string{"open_ms"}}, {1, retry.Max + 1, []string{"open_ms"}},
		{retry.Max + 1, -1, []string{"failures", "open_ms"}},
	} {
		if b, err := retry.NewBreaker(c.failures, c.openMS, nil); b != nil || !slices.Equal(names(err), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestBreakerStatesHaveNames(t *testing.T) {
	for s, want := range map[retry.BreakerState]string{retry.Closed: "closed", retry.Open: "open", retry.HalfOpen: "half-open"} {
		if s.String() != want {
			t.Errorf("%d is %q", s, s)
		}
	}
}

func TestAnOpenBreakerOutsideSkipsTheWholeLoop(t *testing.T) {
	var c waiting
	b := breaker(t, 2, 1000)
	p := fixed(&c, 3)
	p.Breaker, p.Budget = b, budget(t, 1, 10, 100)
	op, calls := failing(retry.Retryable(errPlain))
	for range 2 {
		// One loop of three attempts is one failure.
		if g := gaveUp(t, retry.Do(t.Context(), p, op)); g.Reason == retry.ReasonPaused || b.State(0) == retry.Open && *calls < 6 {
			t.Fatalf("%v after %d calls", g, *calls)
		}
	}
	tokens, before := p.Budget.Millionths(), *calls
	g := gaveUp(t, retry.Do(t.Context(), p, op))
	if *calls != before || g.Reason != retry.ReasonPaused || g.Attempts != 0 || g.Last != nil || p.Budget.Millionths() != tokens {
		t.Errorf("%d calls, then %d; %v", before, *calls, g)
	}
	c.Set(c.Now() + 1000)
	ok, okCalls := failing(nil)
	if err := retry.Do(t.Context(), p, ok); err != nil || *okCalls != 1 || b.State(c.Now()) != retry.Closed {
		t.Errorf("%v after %d calls, %v", err, *okCalls, b.State(c.Now()))
	}
}

func TestWhatAnOuterBreakerLearnsFromALoop(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		errs []error
		want retry.BreakerState // of a breaker that opens at the first failure
	}{
		{"success", t.Context(), []error{nil}, retry.Closed},
		{"success in the end", t.Context(), []error{retry.Retryable(errPlain), nil}, retry.Closed},
		{"exhausted", t.Context(), []error{retry.Retryable(errPlain)}, retry.Open},
		{"permanent", t.Context(), []error{retry.Permanent(errPlain)}, retry.Closed},
		{"unknown", t.Context(), []error{errPlain}, retry.Closed},
		{"unknown in the end", t.Context(), []error{retry.Retryable(errPlain), errPlain}, retry.Closed},
		{"not called", ended, []error{retry.Retryable(errPlain)}, retry.Closed},
	} {
		b := breaker(t, 1, 1000)
		p := fixed(&waiting{}, 3)
		p.Breaker = b
		op, _ := failing(c.errs...)
		retry.Do(c.ctx, p, op)
		if got := b.State(0); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestACallThatWasNotMadeIsNoSuccessToTheBreaker(t *testing.T) {
	b := breaker(t, 1, 1000)
	call(b, 0, retry.Failure)
	// The context ends between the breaker's leave and the first attempt.
	ctx, cancel := context.WithCancel(t.Context())
	p := fixed(ending{cancel}, 3)
	p.Breaker = b
	op, calls := failing(nil)
	g := gaveUp(t, retry.Do(ctx, p, op))
	if *calls != 0 || g.Reason != retry.ReasonEnded || b.State(1000) != retry.HalfOpen {
		t.Errorf("%d calls, %v, breaker %v", *calls, g, b.State(1000))
	}
	if _, ok := b.Ask(1000); !ok {
		t.Error("the trial is still under way")
	}
}

// ending is a clock that ends a context when it is read.
type ending struct{ cancel func() }

func (e ending) Now() int64                      { e.cancel(); return 1000 }
func (ending) Wait(context.Context, int64) error { return nil }
func (ending) WithTimeout(ctx context.Context, _ int64) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

func TestABreakerInsideIsAskedBeforeEachAttempt(t *testing.T) {
	var c waiting
	b := breaker(t, 2, 1000)
	p := fixed(&c, 5)
	p.Breaker, p.BreakerInside = b, true
	op, calls := failing(retry.Retryable(errPlain))
	g := gaveUp(t, retry.Do(t.Context(), p, op))
	// It opens at the second attempt; the wait would end while it is open, so it is not begun.
	if *calls != 2 || g.Attempts != 2 || g.Reason != retry.ReasonPaused || !errors.Is(g, errPlain) || !slices.Equal(c.waits, []int64{100}) {
		t.Errorf("%d calls, %v, waits %v", *calls, g, c.waits)
	}
	g = gaveUp(t, retry.Do(t.Context(), p, op))
	if *calls != 2 || g.Attempts != 0 || g.Reason != retry.ReasonPaused {
		t.Errorf("%d calls, %v", *calls, g)
	}
	// A wait that outlasts the opening is followed by the trial.
	c.waits = nil
	c.Set(c.Now() + 1000)
	p.Backoff = retry.Schedule{Kind: retry.Fixed, BaseMS: 1000, CapMS: 1000}
	op, calls = failing(retry.Retryable(errPlain), nil)
	if err := retry.Do(t.Context(), p, op); err != nil || *calls != 2 || b.State(c.Now()) != retry.Closed || !slices.Equal(c.waits, []int64{1000}) {
		t.Errorf("%v after %d calls, %v, waits %v", err, *calls, b.State(c.Now()), c.waits)
	}
}

func TestABreakerInsideThatOpensDuringTheWaitEndsTheLoop(t *testing.T) {
	b := breaker(t, 2, 1000)
	p := fixed(opening{b}, 5)
	p.Breaker, p.BreakerInside = b, true
	op, calls := failing(retry.Retryable(errPlain))
	g := gaveUp(t, retry.Do(t.Context(), p, op))
	if *calls != 1 || g.Attempts != 1 || g.Reason != retry.ReasonPaused || !errors.Is(g, errPlain) {
		t.Errorf("%d calls, %v", *calls, g)
	}
}

// opening is a clock during whose waits somebody else's call fails.
type opening struct{ b *retry.Breaker }

func (opening) Now() int64 { return 0 }
func (o opening) Wait(context.Context, int64) error {
	call(o.b, 0, retry.Failure)
	return nil
}
func (opening) WithTimeout(ctx context.Context, _ int64) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

// The breaker against a plain list of rules, for any sequence of questions and reports.
func TestTheBreakerAgainstAModel(t *testing.T) {
	type held struct {
		pass  retry.Pass
		epoch int
		trial bool
	}
	rapid.Check(t, func(t *rapid.T) {
		failures, openMS := rapid.Int64Range(1, 4).Draw(t, "failures"), rapid.Int64Range(1, 50).Draw(t, "open_ms")
		b, err := retry.NewBreaker(failures, openMS, nil)
		if err != nil {
			t.Fatal(err)
		}
		var (
			now, run, until int64
			open, trial     bool // open until until; trial: one is under way
			halfOpen        bool
			epoch           int
			passes          []held
		)
		t.Repeat(map[string]func(*rapid.T){
			"time goes on": func(t *rapid.T) { now += rapid.Int64Range(0, 60).Draw(t, "ms") },
			"ask": func(t *rapid.T) {
				pass, ok := b.Ask(now)
				want := !open && !trial || open && now >= until
				if ok != want {
					t.Fatalf("at %d: %v, want %v", now, ok, want)
				}
				if !ok {
					return
				}
				if open {
					open, halfOpen = false, true
				}
				trial = halfOpen
				passes = append(passes, held{pass, epoch, halfOpen})
			},
			"report": func(t *rapid.T) {
				if len(passes) == 0 {
					t.Skip("nothing to report")
				}
				i := rapid.IntRange(0, len(passes)-1).Draw(t, "which")
				p := passes[i]
				passes = slices.Delete(passes, i, i+1)
				o := rapid.SampledFrom([]retry.Outcome{retry.Ignored, retry.Success, retry.Failure}).Draw(t, "outcome")
				b.Report(p.pass, now, o)
				if p.epoch != epoch {
					return
				}
				if p.trial {
					trial = false
				}
				switch {
				case o == retry.Success:
					if run = 0; p.trial {
						halfOpen = false
						epoch++
					}
				case o == retry.Failure:
					if run++; p.trial || run >= failures {
						open, halfOpen, until, run = true, false, now+openMS, 0
						epoch++
					}
				}
			},
			"": func(t *rapid.T) {
				want := retry.Closed
				if open && now < until {
					want = retry.Open
				} else if open || halfOpen {
					want = retry.HalfOpen
				}
				if got := b.State(now); got != want {
					t.Fatalf("at %d: %v, want %v", now, got, want)
				}
			},
		})
	})
}

func TestManyGoroutinesShareABreaker(t *testing.T) {
	b := breaker(t, 1, 1)
	var trials, passed, tooMany atomic.Int64
	var all sync.WaitGroup
	call(b, 0, retry.Failure)
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if pass, ok := b.Ask(5); ok {
					passed.Add(1)
					if trials.Add(1) > 1 {
						tooMany.Add(1)
					}
					trials.Add(-1)
					b.Report(pass, 5, retry.Ignored)
				}
			}
		})
	}
	all.Wait()
	if passed.Load() == 0 || tooMany.Load() > 0 {
		t.Errorf("%d trials, %d of them beside another", passed.Load(), tooMany.Load())
	}
}
