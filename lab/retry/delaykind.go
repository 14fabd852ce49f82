package retry

import "math"

// A DelayKind is a rule for the waits between attempts (SPEC.md section 2). Full is the rule that the
// queue uses; the others are there to be compared with it, in a simulation or a [Policy].
//
// Full, Equal and Decorrelated are described in Marc Brooker, "Exponential Backoff And Jitter" (AWS
// Architecture Blog, 2015).
type DelayKind uint8

// Delay kinds. The window is [Window] of attempt, base and cap.
const (
	Full         DelayKind = iota // floor(window * jitter)
	Fixed                         // base
	Exponential                   // window
	Equal                         // floor(window/2 * (1 + jitter))
	Decorrelated                  // min(cap, base + floor((3*previous - base) * jitter)); previous starts as base
	kinds
)

var kindNames = [kinds]string{"full", "fixed", "exponential", "equal", "decorrelated"}

func (k DelayKind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// ParseDelayKind is the kind with the given name: full, fixed, exponential, equal or decorrelated.
func ParseDelayKind(name string) (DelayKind, bool) {
	for k, n := range kindNames {
		if n == name {
			return DelayKind(k), true
		}
	}
	return 0, false
}

// Random reports whether the kind looks at the jitter.
func (k DelayKind) Random() bool { return k != Fixed && k != Exponential }

// Delay is the wait in ms after failure number attempt. The arguments are those of [Delay]; previousMS
// is the kind's own last result, which only Decorrelated looks at: 0..Max, and 0 before the first
// failure. The result lies in 0..capMS. Fixed is baseMS: it knows no cap and judges none. A bad argument
// gives a [*RejectedError].
func (k DelayKind) Delay(attempt, previousMS, baseMS, capMS int64, jitter float64) (int64, error) {
	if k == Fixed {
		capMS = Max
	}
	full, err := Delay(attempt, baseMS, capMS, jitter)
	switch {
	case err != nil:
		return 0, err
	case k >= kinds:
		return 0, Rejected([]BadArg{{"kind", FaultTooLarge, WantWhole(0, int64(kinds)-1)}})
	case previousMS < 0 || previousMS > Max:
		_, fault := Int(previousMS).Whole(0, Max)
		return 0, Rejected([]BadArg{{"previous_ms", fault, WantWhole(0, Max)}})
	}
	switch k {
	case Fixed:
		return baseMS, nil
	case Exponential:
		return Window(attempt, baseMS, capMS), nil
	case Equal:
		// Half a window is exact in a float64; the sum and the product are rounded, each once.
		half := float64(Window(attempt, baseMS, capMS)) / 2
		return int64(math.Floor(float64(half * float64(1+jitter)))), nil
	case Decorrelated:
		if previousMS == 0 {
			previousMS = baseMS
		}
		// Below 2^55, so nothing overflows; above 2^53 the difference is rounded before the product is.
		// It is negative where the cap has cut a larger base: the sum is then still above the cap.
		spread := math.Floor(float64(float64(3*previousMS-baseMS) * jitter))
		return min(capMS, baseMS+int64(spread)), nil
	}
	return full, nil
}

// A Backoff gives the waits of a loop.
type Backoff interface {
	// Delay is the wait in ms, 0..Max, after failure number attempt, which counts from 1. previousMS is
	// the result after the failure before, 0 at first; jitter is 0..1 inclusive, and 1 when Random is
	// false. An error ends the loop: it says which argument or setting is bad.
	Delay(attempt, previousMS int64, jitter float64) (int64, error)
	// Random reports whether Delay looks at its jitter.
	Random() bool
}

// A Schedule is a [Backoff] of one [DelayKind]. Its zero Kind is Full, the rule of SPEC.md section 2.
type Schedule struct {
	Kind   DelayKind
	BaseMS int64 // 1..Max
	CapMS  int64 // 1..Max; the cap wins over a larger base; Fixed does not look at it
}

// Delay is [DelayKind.Delay].
func (s Schedule) Delay(attempt, previousMS int64, jitter float64) (int64, error) {
	return s.Kind.Delay(attempt, previousMS, s.BaseMS, s.CapMS, jitter)
}

// Random is [DelayKind.Random].
func (s Schedule) Random() bool { return s.Kind.Random() }

// Scaled is the [Backoff] of Resilience4j: a wait that is multiplied after each failure and then
// spread around its middle. Its zero value waits 0 ms.
type Scaled struct {
	WaitMS     int64   // after the first failure, 0..Max
	Multiplier float64 // of the wait after each further failure, 1 or more and finite; 0 counts as 1
	Factor     float64 // the wait is spread evenly over wait * (1 - Factor) .. wait * (1 + Factor); 0..1
	CapMS      int64   // the longest wait, spread included, 1..Max; 0 for none
}

// Random reports whether the wait is spread.
func (s Scaled) Random() bool { return s.Factor != 0 }

// Delay is floor(wait * (1 - Factor + 2 * Factor * jitter)), where wait is
// floor(WaitMS * Multiplier^(attempt-1)); neither passes CapMS or Max.
func (s Scaled) Delay(attempt, _ int64, jitter float64) (int64, error) {
	var bad []BadArg
	whole := func(name string, n, lo int64) {
		if _, fault := Int(n).Whole(lo, Max); fault != "" {
			bad = append(bad, BadArg{name, fault, WantWhole(lo, Max)})
		}
	}
	fraction := func(name string, f float64) {
		if _, fault := Float(f).Jitter(); fault != "" {
			bad = append(bad, BadArg{name, fault, WantJitter()})
		}
	}
	if attempt < 1 || attempt > Max || s.WaitMS < 0 || s.WaitMS > Max || s.CapMS < 0 || s.CapMS > Max ||
		!(s.Multiplier >= 0 && s.Multiplier <= math.MaxFloat64) || s.Multiplier > 0 && s.Multiplier < 1 ||
		!(s.Factor >= 0 && s.Factor <= 1) || !(jitter >= 0 && jitter <= 1) {
		whole("attempt", attempt, 1)
		whole("wait_ms", s.WaitMS, 0)
		if fault := multiplierFault(s.Multiplier); fault != "" {
			bad = append(bad, BadArg{"multiplier", fault, Want{"number", 1, Max}})
		}
		fraction("factor", s.Factor)
		whole("cap_ms", s.CapMS, 0)
		fraction("jitter", jitter)
		return 0, Rejected(bad)
	}
	limit := int64(Max)
	if s.CapMS > 0 {
		limit = s.CapMS
	}
	wait := float64(s.WaitMS)
	if wait > 0 && s.Multiplier > 1 {
		// An exponent too large for any multiplier gives +Inf, which the limit cuts like all else.
		wait = math.Floor(min(float64(wait*math.Pow(s.Multiplier, float64(attempt-1))), Max))
	}
	if s.Factor > 0 {
		least := float64(wait * float64(1-s.Factor))
		wait = math.Floor(min(least+float64(jitter*float64(2*float64(s.Factor*wait))), Max))
	}
	return min(int64(wait), limit), nil
}

func multiplierFault(m float64) Fault {
	switch {
	case m != m:
		return FaultNaN
	case math.IsInf(m, 0):
		return FaultInfinite
	case m < 1 && m != 0:
		return FaultTooSmall
	}
	return ""
}
