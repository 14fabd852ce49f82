package queue

import (
	"context"
	"errors"

	"retrylab/lab/retry"
	machine "retrylab/lab/retry/clock"
)

// A Send does the work of one job: it talks to the other service. Its error is judged by
// [retry.Judge]: retryable, permanent, or unknown. No lock is held while it runs. ctx ends with the
// caller's, with the send's time limit, and when the heartbeat finds that the lease is lost; then
// context.Cause tells, [ErrLeaseLost] in the last case.
type Send func(ctx context.Context, claim Claim) error

// A RunPolicy is how [Queue.RunOnce] leases, limits and waits.
type RunPolicy struct {
	LeaseMS int64 // 1..Max; longer than any send, unless a heartbeat extends it
	Backoff

	// SendLimitMS, 1..Max, ends the send's ctx after that time; 0 is no limit. A limit of LeaseMS or more
	// needs a heartbeat.
	SendLimitMS int64
	// HeartbeatMS, 1..LeaseMS/2, extends the lease during the send, again and again after that time, each
	// time to LeaseMS from then; 0 is no heartbeat. A third of LeaseMS is a good choice. The run's clock is
	// then read by two goroutines.
	HeartbeatMS int64
	// Timers wait for both; nil is the machine's.
	Timers Timers
	// Breaker is asked before the claim; nil is none. While it is open nothing is claimed and no attempt
	// is consumed.
	Breaker *retry.Breaker
	// Budget is told of each job that is sent for the first time, and asked for each that is sent again;
	// nil is none. A retry that it refuses is not claimed and consumes no attempt: it is due again after
	// the delay of its attempts, or dead for want of time where that does not fit. New jobs go on.
	Budget *retry.Budget
}

// Timers wait. A [retry.Clock] has them.
type Timers interface {
	// Wait returns nil after ms milliseconds, and an error at once when ctx ends first.
	Wait(ctx context.Context, ms int64) error
	// WithTimeout is ctx with an end in ms milliseconds.
	WithTimeout(ctx context.Context, ms int64) (context.Context, context.CancelFunc)
}

// bad names what cannot be right, in the order of the fields.
func (p RunPolicy) bad() []retry.BadArg {
	bad := appendWhole(nil, "lease_ms", p.LeaseMS, 1, retry.Max)
	var rejected *retry.RejectedError
	if _, err := retry.Delay(1, p.BaseMS, p.CapMS, p.Jitter); errors.As(err, &rejected) {
		bad = append(bad, rejected.Bad...)
	}
	longest := int64(retry.Max)
	if p.HeartbeatMS == 0 {
		longest = max(0, p.LeaseMS-1)
	}
	bad = appendWhole(bad, "send_limit_ms", p.SendLimitMS, 0, longest)
	return appendWhole(bad, "heartbeat_ms", p.HeartbeatMS, 0, max(0, p.LeaseMS/2))
}

// A Run is what one [Queue.RunOnce] did.
type Run struct {
	Claim   Claim   // of the job that was sent
	Claimed bool    // false: nothing was due, or the breaker is open
	Paused  bool    // the breaker is open: nothing was asked for
	Refused bool    // the budget refused a retry, which was put off; Claim, if any, is another job's
	Done    bool    // the send Succeeded
	Outcome Outcome // of a failed send
}

// RunOnce does one piece of work and ends: it reads the clock, claims, sends, reads the clock again,
// and completes or fails the job with the second reading. With nothing due it ends at once, with
// Claimed false.
//
// An unknown error of the send comes back unchanged; nothing is recorded, the job stays leased until
// its lease ends, and the attempt stays consumed. The second reading earlier than the first is
// [ErrClockBackwards], and a reading outside 0..Max is a [*retry.RejectedError]; nothing is stored
// from either. An unknown error wins over these. [ErrLeaseLost] says that somebody else took the job
// over meanwhile. With any of these errors Run.Claim tells the job. A policy that cannot be right is a
// [*retry.RejectedError] before anything is claimed.
//
// A panic of send goes through: for the job it is the death of its worker.
func (q *Queue) RunOnce(ctx context.Context, clock func() int64, policy RunPolicy, send Send) (Run, error) {
	if err := retry.Rejected(policy.bad()); err != nil {
		return Run{}, err
	}
	before := clock()
	report := func(int64, retry.Outcome) {}
	if b := policy.Breaker; b != nil {
		pass, ok := b.Ask(before)
		if !ok {
			return Run{Paused: true}, nil
		}
		reported := false
		report = func(now int64, o retry.Outcome) {
			if !reported {
				reported = true
				b.Report(pass, now, o)
			}
		}
		defer report(before, retry.Ignored) // also when there is nothing to send, or send panics
	}
	run, err := q.take(ctx, before, policy)
	if err != nil || !run.Claimed {
		return run, err
	}
	claim := run.Claim
	err = q.send(ctx, clock, before, policy, claim, send)
	after := clock()
	var failure Failure
	if err != nil {
		failure = q.steps.Classify(err)
	}
	if policy.Breaker != nil {
		report(after, policy.Breaker.Outcome(failure.Class, err))
	}
	if err != nil && failure.Class == retry.ClassUnknown {
		return run, err
	}
	now, clockErr := q.steps.Finished(before, after, err != nil)
	if clockErr != nil {
		return run, clockErr
	}
	// The result is recorded even when ctx ended during the send: the work was done.
	ctx = context.WithoutCancel(ctx)
	if failure.Class == Succeeded || err == nil {
		if err := q.Complete(ctx, now, claim.Token); err != nil {
			return run, err
		}
		run.Done = true
		return run, nil
	}
	run.Outcome, err = q.Fail(ctx, now, claim, failure, policy.Backoff)
	return run, err
}

// take claims the job of a run.
func (q *Queue) take(ctx context.Context, now int64, policy RunPolicy) (got Run, err error) {
	if policy.Budget == nil {
		got.Claim, got.Claimed, err = q.Claim(ctx, now, policy.LeaseMS)
		return got, err
	}
	if err := rejectOutside("now", now, 0, retry.Max); err != nil {
		return got, err
	}
	fresh := 0
	for {
		var seq, claims, attempts int64
		// After one refusal only a new job can be sent, and it must not wait for those before it.
		found, err := q.read(ctx).row("peek", []arg{{"now", now}, {"fresh", fresh}}, &seq, &claims, &attempts)
		if err != nil {
			return got, err
		}
		if !found {
			return got, q.write(ctx, func(r run) error { return r.bury(now) })
		}
		it := []arg{{"now", now}, {"lease_ms", policy.LeaseMS}, {"seq", seq}, {"claims", claims}}
		if attempts > 0 && !policy.Budget.Retry() {
			wait, err := q.steps.Delay(attempts, policy.BaseMS, policy.CapMS, policy.Jitter)
			if err == nil {
				err = q.write(ctx, func(r run) error {
					_, err := r.exec("postpone", append(it, arg{"wait", wait}))
					return err
				})
			}
			if err != nil {
				return got, err
			}
			got.Refused, fresh = true, 1
			continue
		}
		err = q.write(ctx, func(r run) (err error) {
			got.Claim, got.Claimed, err = r.lease("lease_it", now, it)
			return err
		})
		if err != nil {
			return Run{Refused: got.Refused}, err
		}
		if got.Claimed { // else somebody was quicker
			if attempts == 0 {
				policy.Budget.First()
			}
			return got, nil
		}
	}
}

// send calls send with its time limit, and with the heartbeat beside it. When it returns, or panics, no
// timer and no goroutine is left.
func (q *Queue) send(ctx context.Context, clock func() int64, before int64, policy RunPolicy, claim Claim, send Send) error {
	var timers Timers = machine.System{}
	if policy.Timers != nil {
		timers = policy.Timers
	}
	if policy.HeartbeatMS > 0 {
		// The lease is extended as long as send runs, also after the caller's ctx has ended.
		beating, stop := context.WithCancel(context.WithoutCancel(ctx))
		var lost context.CancelCauseFunc
		ctx, lost = context.WithCancelCause(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			q.beat(beating, clock, before, policy, claim.Token, timers, lost)
		}()
		defer func() {
			stop()
			<-ended
			lost(nil)
		}()
	}
	if policy.SendLimitMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = timers.WithTimeout(ctx, policy.SendLimitMS)
		defer cancel()
	}
	return send(ctx, claim)
}

// beat extends the lease until ctx ends or the lease is lost. An extension that fails otherwise is tried
// again at the next beat: there is time for one more. A reading earlier than the one before it is no
// time to extend from.
func (q *Queue) beat(ctx context.Context, clock func() int64, before int64, policy RunPolicy, token Token, timers Timers, lost context.CancelCauseFunc) {
	for timers.Wait(ctx, policy.HeartbeatMS) == nil {
		now := clock()
		if now < before {
			continue
		}
		before = now
		if _, err := q.Extend(ctx, now, token, policy.LeaseMS); errors.Is(err, ErrLeaseLost) {
			lost(ErrLeaseLost)
			return
		}
	}
}

// Succeeded is no class of an error: a mutant takes an unknown error for a success.
const Succeeded retry.Class = 255

// classify judges a send's error by its mark.
func classify(err error) Failure {
	class, after := retry.Judge(err)
	return Failure{Class: class, RetryAfterMS: after, Message: err.Error()}
}

// finished checks the reading after the send: whole in 0..Max, and not before the first one.
func finished(before, after int64, _ bool) (int64, error) {
	if err := rejectOutside("clock", after, 0, retry.Max); err != nil {
		return 0, err
	}
	if after < before {
		return 0, ErrClockBackwards
	}
	return after, nil
}
