package retry

import "strconv"

// A Reason says why a loop stopped without success. The first three are the ways a job dies
// (SPEC.md section 3).
type Reason string

// Reasons.
const (
	ReasonExhausted Reason = "exhausted" // the last allowed attempt failed
	ReasonDeadline  Reason = "deadline"  // the next wait does not fit into the time that is left
	ReasonPermanent Reason = "permanent" // trying again cannot help
	ReasonRefused   Reason = "refused"   // the retry budget is empty
	ReasonPaused    Reason = "paused"    // the breaker is open
	ReasonEnded     Reason = "ended"     // the caller's context ended
	ReasonRejected  Reason = "rejected"  // the jitter source or the backoff gave a bad value: Cause tells
)

// A GaveUpError is what [Do] returns when it stops without success, except for an unknown error.
//
// errors.Is and errors.As look into Last and Cause, but do not find the marks of Last: an outer loop
// judges for itself (see [Judge]).
type GaveUpError struct {
	Reason   Reason
	Attempts int64 // calls of the operation, 0..MaxAttempts
	Last     error // of the last call; nil when it was never called
	Cause    error // context.Cause when the context has ended; ErrNoTime, or what was rejected; else nil
}

func (e *GaveUpError) Error() string {
	s := "gave up after " + strconv.FormatInt(e.Attempts, 10) + " attempts"
	switch e.Attempts {
	case 0:
		s = "not tried"
	case 1:
		s = "gave up after 1 attempt"
	}
	s += " (" + string(e.Reason) + ")"
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	if e.Last != nil {
		s += ": " + e.Last.Error()
	}
	return s
}

// Is lets errors.Is find what Last and Cause are or wrap.
func (e *GaveUpError) Is(target error) bool { return isAny(target, e.Last, e.Cause) }

// As lets errors.As find what Last and Cause are or wrap, except a [*Mark].
func (e *GaveUpError) As(target any) bool { return !hides(target) && asAny(target, e.Last, e.Cause) }
