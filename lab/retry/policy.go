package retry

import "context"

// A Policy says how [Do] goes about its work. It is read only: many goroutines may share one, and a
// copy may be changed. Only MaxAttempts is always needed; Clock and Backoff are from two attempts on.
type Policy struct {
	// MaxAttempts is how often the operation is called at most, the first try included: 1..Max.
	MaxAttempts int64
	// Backoff gives the wait after each failed attempt but the last.
	Backoff Backoff
	// Jitter draws a number 0..1 for each wait, such as rand.Float64 of math/rand/v2. It is needed where
	// the Backoff is Random, and must be safe for as many goroutines as use the policy.
	Jitter func() float64
	// Clock tells the time and waits.
	Clock Clock

	// TotalMS limits the whole loop, from its start: a wait that would end at the limit or later is not
	// begun, and the loop ends with ReasonDeadline. It does not cut a running attempt short. 1..Max; 0
	// for no limit.
	TotalMS int64
	// AttemptMS limits one attempt: the context that the operation gets ends after it. An operation that
	// then returns context.DeadlineExceeded, wrapped or not, has failed retryably, if nothing else is
	// known about the error. 1..Max; 0 for no limit.
	AttemptMS int64

	// Classify says what is to be done about an error of the operation, instead of the class that [Judge]
	// finds. A Retry-After is taken from the marks in either case.
	Classify func(error) Class
	// OnAttempt is told of each attempt after it, before the wait.
	OnAttempt func(Attempt)
	// Fallback is asked instead of giving up, with the [*GaveUpError]; what it returns is returned. It is
	// not asked about an unknown error, and not when the context has ended: nobody waits for it then.
	Fallback func(context.Context, error) error

	// Budget bounds the retries of all loops that share it. A loop that it refuses a retry ends with
	// ReasonRefused.
	Budget *Budget
	// Breaker is asked before the loop, and told how the whole loop went. While it is open the operation
	// is not called at all, and Do ends with ReasonPaused.
	Breaker *Breaker
	// BreakerInside puts the breaker inside the loop: it is asked before each attempt and told of each.
	// When it opens, the loop ends with ReasonPaused: an open breaker uses up no attempts.
	BreakerInside bool
}

// An Attempt is what Policy.OnAttempt is told.
type Attempt struct {
	Number int64 // 1 for the first
	Err    error // nil for success
	Class  Class // of Err
	Again  bool  // another attempt is to follow, after the wait
	WaitMS int64 // the wait that follows, when Again
}

// Check returns nil for a policy that [Do] accepts, else a [*RejectedError] that names what is bad:
// max_attempts, total_ms, attempt_ms, clock, backoff, jitter, or the settings of the Backoff by its
// own names.
func (p *Policy) Check() error {
	if p == nil {
		return Rejected([]BadArg{{Name: "policy", Fault: FaultMissing}})
	}
	var bad []BadArg
	whole := func(name string, n, lo int64) {
		if n < lo || n > Max {
			_, fault := Int(n).Whole(lo, Max)
			bad = append(bad, BadArg{name, fault, WantWhole(lo, Max)})
		}
	}
	missing := func(name string) { bad = append(bad, BadArg{Name: name, Fault: FaultMissing}) }
	whole("max_attempts", p.MaxAttempts, 1)
	whole("total_ms", p.TotalMS, 0)
	whole("attempt_ms", p.AttemptMS, 0)
	if p.Clock == nil && (p.MaxAttempts > 1 || p.TotalMS > 0 || p.AttemptMS > 0 || p.Breaker != nil) {
		missing("clock")
	}
	switch {
	case p.Backoff == nil && p.MaxAttempts > 1:
		missing("backoff")
	case p.Backoff != nil:
		if p.Jitter == nil && p.Backoff.Random() {
			missing("jitter")
		}
		// The Backoff knows its own ranges.
		if _, err := p.Backoff.Delay(1, 0, 1); err != nil {
			r, ok := err.(*RejectedError)
			if !ok {
				return err
			}
			bad = append(bad, r.Bad...)
		}
	}
	return Rejected(bad)
}

// plain is true for most sound policies, and for no other: Check costs too much where the first try
// succeeds.
func (p *Policy) plain() bool {
	if p == nil {
		return false
	}
	s, ok := p.Backoff.(Schedule)
	// Numbers whose bits together are below Max are each below it; what is negative is far above.
	return ok && uint64(p.MaxAttempts-1)|uint64(p.TotalMS)|uint64(p.AttemptMS)|uint64(s.BaseMS-1)|uint64(s.CapMS-1) < Max &&
		s.Kind < kinds && (p.Jitter != nil || !s.Kind.Random()) && p.Clock != nil
}
