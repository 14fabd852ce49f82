package queue

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"retrylab/lab/retry"
)

// Claim leases the first due job to the caller for leaseMS (1..Max) and consumes an attempt. The job
// is the one with the earliest due time, then the first enqueued, among pending jobs with
// available_at <= now and leased jobs with lease_until <= now that have a budget left. Open jobs
// without one are buried, at most 1000 a claim. With nothing to claim, ok is false.
//
// The claim is durable when Claim returns: a caller who dies from here on has consumed the attempt.
// With an error, one from the end of ctx included, nobody knows whether a job was claimed; it is then
// leased until leaseMS are over.
func (q *Queue) Claim(ctx context.Context, now, leaseMS int64) (claim Claim, ok bool, err error) {
	bad := appendWhole(nil, "now", now, 0, retry.Max)
	if err := retry.Rejected(appendWhole(bad, "lease_ms", leaseMS, 1, retry.Max)); err != nil {
		return Claim{}, false, err
	}
	err = q.write(ctx, func(r run) (err error) {
		claim, ok, err = r.claim(now, leaseMS)
		return err
	})
	if err != nil {
		return Claim{}, false, err
	}
	return claim, ok, nil
}

func (r run) claim(now, leaseMS int64) (Claim, bool, error) {
	claim, ok, err := r.lease("lease", now, []arg{{"now", now}, {"lease_ms", leaseMS}})
	if err == nil && !ok {
		err = r.bury(now)
	}
	return claim, ok, err
}

// lease runs a statement that leases, and buries when there is something to bury. What is buried is
// never what was leased.
func (r run) lease(name string, now int64, args []arg) (claim Claim, ok bool, err error) {
	var doomed bool
	ok, err = r.row(name, args,
		&claim.Token.seq, &claim.Token.claim, &claim.ID, &claim.Payload, &claim.Attempts, &claim.MaxAttempts,
		&claim.AvailableAt, &claim.Deadline, &claim.LeaseUntil, &doomed)
	if err == nil && doomed {
		err = r.bury(now)
	}
	return claim, ok, err
}

func (r run) bury(now int64) error {
	_, err := r.exec("bury", []arg{{"now", now}})
	return err
}

// Complete ends a job as done. It needs the job's current token, else [ErrLeaseLost]; a late result
// with the current token counts, also after the lease's end and after the deadline.
func (q *Queue) Complete(ctx context.Context, now int64, token Token) error {
	if err := rejectOutside("now", now, 0, retry.Max); err != nil {
		return err
	}
	var found int64
	err := q.write(ctx, func(r run) (err error) {
		found, err = r.exec("complete", []arg{{"now", now}, {"seq", token.seq}, {"token", token.claim}})
		return err
	})
	if err == nil && found == 0 {
		return q.steps.Lost()
	}
	return err
}

// Extend moves the end of the lease to now + leaseMS (1..Max) and returns it. It needs the job's
// current token, else [ErrLeaseLost].
func (q *Queue) Extend(ctx context.Context, now int64, token Token, leaseMS int64) (leaseUntil int64, err error) {
	bad := appendWhole(nil, "now", now, 0, retry.Max)
	if err := retry.Rejected(appendWhole(bad, "lease_ms", leaseMS, 1, retry.Max)); err != nil {
		return 0, err
	}
	var found bool
	err = q.write(ctx, func(r run) (err error) {
		found, err = r.row("extend", []arg{{"now", now}, {"lease_ms", leaseMS}, {"seq", token.seq}, {"token", token.claim}}, &leaseUntil)
		return err
	})
	if err == nil && !found {
		return 0, ErrLeaseLost
	}
	return leaseUntil, err
}

// A Failure is a send's error as it was classified.
type Failure struct {
	Class        retry.Class // ClassRetryable or ClassPermanent; an unknown error is not recorded at all
	RetryAfterMS int64       // what the server asked for; 0, or less, is nothing
	Message      string      // becomes last_error, at most MaxErrorBytes of it
}

// A Backoff is how long a job waits after a failure: [retry.Delay] of its attempts, with a jitter
// that the caller has drawn for this failure.
type Backoff struct {
	BaseMS, CapMS int64   // 1..Max
	Jitter        float64 // 0..1
}

// An Outcome is what became of a failed job.
type Outcome struct {
	State       State  // Pending or Dead
	AvailableAt int64  // when Pending: the due time of the next attempt
	Reason      Reason // when Dead
}

// Fail records a failed attempt. In this order: a permanent failure, or one that was the last
// attempt, or one whose wait does not end before the deadline, makes the job dead; else it is
// pending, due at now + wait. The wait is the longer of the delay and the server's Retry-After, and
// is never shortened to fit. last_error is kept in each case. It needs the job's current token, else
// [ErrLeaseLost]; a late failure with the current token counts. An unknown failure, and a backoff that
// [retry.Delay] refuses, is a [*retry.RejectedError], and the row is untouched.
func (q *Queue) Fail(ctx context.Context, now int64, claim Claim, failure Failure, backoff Backoff) (Outcome, error) {
	bad := appendWhole(nil, "now", now, 0, retry.Max)
	if failure.Class != retry.ClassRetryable && failure.Class != retry.ClassPermanent {
		bad = append(bad, retry.BadArg{Name: "class", Fault: retry.FaultMissing})
	}
	if err := retry.Rejected(bad); err != nil {
		return Outcome{}, err
	}
	delay, err := q.steps.Delay(claim.Attempts, backoff.BaseMS, backoff.CapMS, backoff.Jitter)
	if err != nil {
		return Outcome{}, err
	}
	wait := q.steps.Wait(delay, failure.RetryAfterMS, backoff.CapMS, failure.RetryAfterMS > 0)
	permanent := 0
	if failure.Class == retry.ClassPermanent {
		permanent = 1
	}
	var state string
	var reason sql.NullString
	var availableAt int64
	var found bool
	err = q.write(ctx, func(r run) (err error) {
		found, err = r.row("fail", []arg{
			{"now", now}, {"wait", wait}, {"permanent", permanent}, {"error", storable(failure.Message)},
			{"seq", claim.Token.seq}, {"token", claim.Token.claim},
		}, &state, &reason, &availableAt)
		return err
	})
	switch {
	case err != nil:
		return Outcome{}, err
	case !found:
		return Outcome{}, q.steps.Lost()
	case State(state) == Dead:
		return Outcome{State: Dead, Reason: Reason(reason.String)}, nil
	}
	return Outcome{State: Pending, AvailableAt: availableAt}, nil
}

// storable is a message as it is stored: valid UTF-8 of a bounded length, since a receiver may send any
// bytes and any number of them.
func storable(message string) string {
	message = strings.ToValidUTF8(message[:min(len(message), MaxErrorBytes)], "\uFFFD")
	end := min(len(message), MaxErrorBytes)
	for end < len(message) && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end]
}

// longerWait is max(delay, Retry-After): the server may ask for more than the cap, never for less
// than the delay (SPEC.md section 4).
func longerWait(delayMS, retryAfterMS, _ int64, _ bool) int64 { return max(delayMS, retryAfterMS) }
