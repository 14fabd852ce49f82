package retry

import "sync"

// A BreakerState is what a breaker does with the next call.
type BreakerState uint8

// Breaker states.
const (
	Closed   BreakerState = iota // calls pass
	Open                         // no call passes
	HalfOpen                     // one trial passes, if none is under way
)

func (s BreakerState) String() string {
	switch s {
	case Closed:
		return "closed"
	case Open:
		return "open"
	}
	return "half-open"
}

// An Outcome is what a breaker is told about a call that passed.
type Outcome uint8

// Outcomes.
const (
	Ignored Outcome = iota // says nothing about the receiver: the breaker stays as it is
	Success
	Failure // counted
)

// A Breaker pauses calls to a receiver that keeps failing (SPEC.md section 7). It opens after a number
// of consecutive counted failures, for a fixed time, then lets one trial pass: a success closes it, a
// counted failure opens it anew, and anything else leaves it half-open for the next trial.
//
// It has no clock: each question carries the time. A Breaker is safe for many goroutines.
type Breaker struct {
	failures int64
	openMS   int64
	counts   func(Class, error) bool

	mu       sync.Mutex
	state    BreakerState // Open also when it is time for a trial that nobody has asked for yet
	run      int64        // consecutive counted failures, while closed
	reopenAt int64        // while open
	trial    bool         // a trial is under way, while half-open
	epoch    uint64       // counts openings and trials, so that late reports are told apart
}

// A Pass is the breaker's leave for one call. It must be handed back with [Breaker.Report], whatever
// becomes of the call: a trial that is not reported is under way for ever.
type Pass struct{ epoch uint64 }

// NewBreaker returns a closed breaker that opens after the given number of consecutive counted
// failures, 1..Max, for openMS milliseconds, 1..Max. counts says which failures those are, by the class
// and the error; nil counts the retryable ones. Errors that it does not count are ignored: they neither
// add to the run nor end it. A bad number gives a [*RejectedError].
func NewBreaker(failures, openMS int64, counts func(Class, error) bool) (*Breaker, error) {
	var bad []BadArg
	for _, arg := range []struct {
		name string
		n    int64
	}{{"failures", failures}, {"open_ms", openMS}} {
		if _, fault := Int(arg.n).Whole(1, Max); fault != "" {
			bad = append(bad, BadArg{arg.name, fault, WantWhole(1, Max)})
		}
	}
	if err := Rejected(bad); err != nil {
		return nil, err
	}
	return &Breaker{failures: failures, openMS: openMS, counts: counts}, nil
}

// Ask asks whether a call may pass at nowMS. At the reopening time itself the breaker is half-open.
func (b *Breaker) Ask(nowMS int64) (Pass, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == Closed:
		return Pass{b.epoch}, true
	case b.state == Open && nowMS < b.reopenAt, b.trial:
		return Pass{}, false
	}
	b.state, b.trial = HalfOpen, true
	return Pass{b.epoch}, true
}

// Report tells how a call that passed went, at nowMS, when it was over. A report on a call that passed
// before the breaker last opened or closed changes nothing: it is about a time that is past. Nor does a
// second report of one trial.
func (b *Breaker) Report(p Pass, nowMS int64, o Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.epoch != b.epoch {
		return
	}
	trial := b.trial
	if trial {
		b.trial = false
		b.epoch++
	}
	switch o {
	case Success:
		b.state, b.run = Closed, 0
	case Failure:
		b.run++
		if trial || b.run >= b.failures {
			b.state, b.run, b.reopenAt = Open, 0, later(min(max(nowMS, 0), Max), b.openMS)
			b.epoch++
		}
	}
}

// State is what the breaker would do with a call at nowMS. It changes nothing.
func (b *Breaker) State(nowMS int64) BreakerState {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == Open && nowMS >= b.reopenAt {
		return HalfOpen
	}
	return b.state
}

// ReopenAt is the time from which a trial may pass, and whether the breaker is open at nowMS.
func (b *Breaker) ReopenAt(nowMS int64) (atMS int64, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != Open || nowMS >= b.reopenAt {
		return 0, false
	}
	return b.reopenAt, true
}

// Outcome is what the breaker is to be told about an error of the given class; a nil error is success.
func (b *Breaker) Outcome(class Class, err error) Outcome {
	switch {
	case err == nil:
		return Success
	case b.counts == nil && class == ClassRetryable, b.counts != nil && b.counts(class, err):
		return Failure
	}
	return Ignored
}
