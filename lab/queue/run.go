package queue

import (
	"context"

	"retrylab/lab/retry"
)

// A Send does the work of one job: it talks to the other service. Its error is judged by
// [retry.Judge]: retryable, permanent, or unknown. No lock is held while it runs.
type Send func(ctx context.Context, claim Claim) error

// A RunPolicy is how [Queue.RunOnce] leases and waits.
type RunPolicy struct {
	LeaseMS int64 // 1..Max; longer than any send
	Backoff
}

// A Run is what one [Queue.RunOnce] did.
type Run struct {
	Claim   Claim   // of the job that was sent
	Claimed bool    // false: nothing was due
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
// over meanwhile. With any of these errors Run.Claim tells the job.
//
// A panic of send goes through: for the job it is the death of its worker.
func (q *Queue) RunOnce(ctx context.Context, clock func() int64, policy RunPolicy, send Send) (Run, error) {
	before := clock()
	claim, ok, err := q.Claim(ctx, before, policy.LeaseMS)
	if err != nil || !ok {
		return Run{}, err
	}
	run := Run{Claim: claim, Claimed: true}
	err = send(ctx, claim)
	after := clock()
	var failure Failure
	if err != nil {
		failure = q.steps.Classify(err)
		if failure.Class == retry.ClassUnknown {
			return run, err
		}
	}
	now, clockErr := q.steps.Finished(before, after, err != nil)
	if clockErr != nil {
		return run, clockErr
	}
	// The result is recorded even when ctx ended during the send: the work was done.
	ctx = context.WithoutCancel(ctx)
	if failure.Class == Succeeded || err == nil {
		run.Done = true
		if err := q.Complete(ctx, now, claim.Token); err != nil {
			return Run{Claim: claim, Claimed: true}, err
		}
		return run, nil
	}
	run.Outcome, err = q.Fail(ctx, now, claim, failure, policy.Backoff)
	return run, err
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
