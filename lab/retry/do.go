package retry

import (
	"context"
	"errors"
)

// Do calls op until it succeeds or the policy says to stop (SPEC.md section 7).
//
// It returns nil as soon as op does. An error that is unknown (see [Judge]) is returned unchanged, the
// very same value. Else it gives up with a [*GaveUpError] for one of these, in this order: the error is
// permanent; ctx has ended; this was the last allowed attempt; the wait does not fit into what is left
// of TotalMS, or before the deadline of ctx; the breaker will still be open; the budget refuses. A wait
// is the backoff's, or the error's Retry-After where that is longer; it is never cut to fit.
//
// When ctx ends, Do stops at once, also in the middle of a wait, and tells context.Cause and the last
// error. It does not call op when ctx has already ended. An op that returns because ctx has ended, with
// an error that is or wraps ctx.Err() or context.Cause(ctx), is the end of ctx and no unknown error. op
// runs in the caller's goroutine and is never abandoned: Do returns after op does. No timer and no
// goroutine is left behind, and a wait of 0 uses no timer.
//
// A policy that [Policy.Check] does not accept is rejected, and op is not called.
func Do(ctx context.Context, p *Policy, op func(context.Context) error) error {
	if !p.plain() {
		if err := p.Check(); err != nil {
			return err
		}
	}
	// The usual case costs next to nothing: no extras, and the first try succeeds.
	if p.TotalMS|p.AttemptMS == 0 && p.Budget == nil && p.Breaker == nil && p.OnAttempt == nil && ctx.Err() == nil {
		if err := op(ctx); err != nil {
			return afterFirst(ctx, p, op, err)
		}
		return nil
	}
	return afterFirst(ctx, p, op, nil)
}

// afterFirst is Do from the first try's error on, or from the start when first is nil.
func afterFirst(ctx context.Context, p *Policy, op func(context.Context) error, first error) error {
	l := loop{Policy: p, ctx: ctx}
	var err error
	switch {
	case first != nil:
		l.attempts, l.last = 1, first
		l.judge()
		if err = l.pause(); err == nil {
			err = l.run(op)
		}
	case p.Breaker != nil && !p.BreakerInside && ctx.Err() == nil:
		err = l.runReporting(op)
	default:
		err = l.run(op)
	}
	if l.end != nil && p.Fallback != nil && l.end.Reason != ReasonEnded && l.end.Reason != ReasonRejected {
		return p.Fallback(ctx, err)
	}
	return err
}

// DoValue is [Do] for an operation with a value. With an error it returns the value of the last call.
func DoValue[T any](ctx context.Context, p *Policy, op func(context.Context) (T, error)) (T, error) {
	var v T
	err := Do(ctx, p, func(ctx context.Context) (err error) {
		v, err = op(ctx)
		return err
	})
	return v, err
}

// DoValueOr is [DoValue] with a fallback for the value, in the place of Policy.Fallback.
func DoValueOr[T any](ctx context.Context, p *Policy, op func(context.Context) (T, error), fallback func(context.Context, error) (T, error)) (T, error) {
	var v T
	if p == nil {
		return v, p.Check()
	}
	with := *p
	with.Fallback = func(ctx context.Context, gaveUp error) (err error) {
		v, err = fallback(ctx, gaveUp)
		return err
	}
	err := Do(ctx, &with, func(ctx context.Context) (err error) {
		v, err = op(ctx)
		return err
	})
	return v, err
}

// A loop is one call of Do under way.
type loop struct {
	*Policy
	ctx      context.Context
	attempts int64
	last     error        // of op
	class    Class        // of last
	after    int64        // the Retry-After of last, ms
	previous int64        // the backoff's last result, ms
	start    int64        // when the loop began; with TotalMS only
	now      int64        // no time before this one is believed; with TotalMS only
	end      *GaveUpError // why the loop gave up
}

// run is the loop itself.
func (l *loop) run(op func(context.Context) error) error {
	if l.TotalMS > 0 {
		l.start = l.read()
		l.now = l.start
	}
	for {
		if l.ctx.Err() != nil {
			return l.giveUp(ReasonEnded, nil)
		}
		if l.Breaker != nil && l.BreakerInside {
			pass, ok := l.Breaker.Ask(l.read())
			if !ok {
				return l.giveUp(ReasonPaused, nil)
			}
			l.tryReporting(op, pass)
		} else {
			l.try(op)
		}
		if l.last == nil {
			if l.OnAttempt != nil {
				l.OnAttempt(Attempt{Number: l.attempts})
			}
			return nil
		}
		if end := l.pause(); end != nil {
			return end
		}
	}
}

// pause follows a failed attempt: it waits for the next one, or returns why there is none.
func (l *loop) pause() error {
	wait, end := l.next()
	if l.OnAttempt != nil {
		l.OnAttempt(Attempt{l.attempts, l.last, l.class, end == nil, wait})
	}
	if end != nil {
		return end
	}
	if wait == 0 {
		return nil
	}
	if err := l.Clock.Wait(l.ctx, wait); err != nil {
		if err == ErrNoTime {
			return l.giveUp(ReasonDeadline, err)
		}
		return l.giveUp(ReasonEnded, err)
	}
	l.now = later(l.now, wait) // also when the clock has been set back meanwhile
	return nil
}

// try calls op once and judges how it went.
func (l *loop) try(op func(context.Context) error) {
	if l.attempts == 0 && l.Budget != nil {
		l.Budget.First()
	}
	l.attempts++
	if l.AttemptMS > 0 {
		l.tryLimited(op)
	} else if l.last = op(l.ctx); l.last != nil {
		l.judge()
	}
}

// tryLimited is try with the attempt's own time limit.
func (l *loop) tryLimited(op func(context.Context) error) {
	ctx, cancel := l.Clock.WithTimeout(l.ctx, l.AttemptMS)
	defer cancel()
	if l.last = op(ctx); l.last == nil {
		return
	}
	l.judge()
	if l.class == ClassUnknown && ctx.Err() == context.DeadlineExceeded && l.ctx.Err() == nil && errors.Is(l.last, context.DeadlineExceeded) {
		l.class = ClassRetryable
	}
}

// tryReporting is try behind a breaker. The breaker hears of it also when op panics: a trial that was
// never reported would keep it shut for good.
func (l *loop) tryReporting(op func(context.Context) error, pass Pass) {
	outcome := Ignored
	defer func() { l.Breaker.Report(pass, l.read(), outcome) }()
	l.try(op)
	outcome = l.Breaker.Outcome(l.class, l.last)
}

// runReporting is the whole loop behind a breaker.
func (l *loop) runReporting(op func(context.Context) error) error {
	pass, ok := l.Breaker.Ask(l.read())
	if !ok {
		return l.giveUp(ReasonPaused, nil)
	}
	outcome := Ignored
	defer func() { l.Breaker.Report(pass, l.read(), outcome) }()
	err := l.run(op)
	if l.attempts > 0 {
		outcome = l.Breaker.Outcome(l.class, l.last)
	}
	return err
}

// judge finds the class of the last error.
func (l *loop) judge() {
	l.class, l.after = Judge(l.last)
	if l.Classify != nil {
		l.class = l.Classify(l.last)
	}
}

// next decides what follows the failed attempt: a wait, or the end.
func (l *loop) next() (waitMS int64, end error) {
	switch l.class {
	case ClassPermanent:
		return 0, l.giveUp(ReasonPermanent, nil)
	case ClassRetryable:
	default:
		if gone := l.ctx.Err(); gone != nil && (errors.Is(l.last, gone) || errors.Is(l.last, context.Cause(l.ctx))) {
			return 0, l.giveUp(ReasonEnded, nil)
		}
		return 0, l.last
	}
	if l.ctx.Err() != nil {
		return 0, l.giveUp(ReasonEnded, nil)
	}
	if l.attempts >= l.MaxAttempts {
		return 0, l.giveUp(ReasonExhausted, nil)
	}
	delay, err := l.delay()
	if err != nil {
		return 0, l.giveUp(ReasonRejected, err)
	}
	l.previous = delay
	wait := max(delay, l.after)
	if l.TotalMS > 0 {
		l.now = max(l.now, l.read())
		// By subtraction: a sum could overflow. At equality nothing is left for another attempt.
		if wait >= l.TotalMS-(l.now-l.start) {
			return 0, l.giveUp(ReasonDeadline, nil)
		}
	}
	if l.Breaker != nil && l.BreakerInside && l.Breaker.State(later(l.read(), wait)) == Open {
		return 0, l.giveUp(ReasonPaused, nil)
	}
	if l.Budget != nil && !l.Budget.Retry() {
		return 0, l.giveUp(ReasonRefused, nil)
	}
	return wait, nil
}

// delay asks the backoff, and trusts neither it nor the jitter source.
func (l *loop) delay() (int64, error) {
	jitter := 1.0
	if l.Backoff.Random() {
		jitter = l.Jitter()
		if !(jitter >= 0 && jitter <= 1) {
			_, fault := Float(jitter).Jitter()
			return 0, Rejected([]BadArg{{"jitter", fault, WantJitter()}})
		}
	}
	delay, err := l.Backoff.Delay(l.attempts, l.previous, jitter)
	if err == nil && (delay < 0 || delay > Max) {
		_, fault := Int(delay).Whole(0, Max)
		err = Rejected([]BadArg{{"delay_ms", fault, WantWhole(0, Max)}})
	}
	return delay, err
}

// read is the clock's time, held in 0..Max so that no difference overflows.
func (l *loop) read() int64 { return min(max(l.Clock.Now(), 0), Max) }

// giveUp notes why the loop ends. Of a context that has ended the cause is always told.
func (l *loop) giveUp(why Reason, cause error) error {
	if l.ctx.Err() != nil {
		cause = context.Cause(l.ctx)
	}
	l.end = &GaveUpError{why, l.attempts, l.last, cause}
	return l.end
}
