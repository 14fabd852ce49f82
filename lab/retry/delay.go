package retry

import "math"

// Window is min(capMS, baseMS * 2^(attempt-1)) in ms, exact (SPEC.md section 2). It is meant for
// arguments that [Delay] would accept: attempt, baseMS and capMS in 1..Max.
func Window(attempt, baseMS, capMS int64) int64 {
	shift := attempt - 1
	// baseMS * 2^shift > capMS, asked by a division, which cannot overflow. From 2^53 on even a base of
	// 1 ms is past every cap.
	if shift >= 53 || baseMS > capMS>>shift {
		return capMS
	}
	return baseMS << shift
}

// Jittered is floor(windowMS * jitter): the product is rounded once to a float64, then floored, so
// that 325 * 0.48 is 156 (SPEC.md section 2). The result lies in 0..windowMS.
func Jittered(windowMS int64, jitter float64) int64 {
	// The conversion forbids a fused multiply-add, whatever the compiler makes of the floor.
	return int64(math.Floor(float64(float64(windowMS) * jitter)))
}

// Delay is the wait in whole ms after failure number attempt:
//
//	window = min(capMS, baseMS * 2^(attempt-1))
//	delay  = floor(window * jitter)
//
// attempt, baseMS and capMS are 1..[Max]; jitter is 0..1 inclusive, -0.0 counts as 0. A base above
// the cap is allowed: the cap wins. The result lies in 0..capMS. An argument out of range, or a NaN,
// gives a [*RejectedError] that names each bad argument. The rule is SPEC.md section 2; it is "full
// jitter" of Marc Brooker's "Exponential Backoff And Jitter" when the jitter is drawn evenly.
func Delay(attempt, baseMS, capMS int64, jitter float64) (int64, error) {
	if attempt < 1 || attempt > Max || baseMS < 1 || baseMS > Max || capMS < 1 || capMS > Max || !(jitter >= 0 && jitter <= 1) {
		_, _, _, _, bad := CheckDelay(Value.Whole, Value.Jitter, Int(attempt), Int(baseMS), Int(capMS), Float(jitter))
		return 0, Rejected(bad)
	}
	return Jittered(Window(attempt, baseMS, capMS), jitter), nil
}

// CheckedDelay is [Delay] for values that come from outside: the one checking boundary. Booleans,
// NaN, the infinities, fractions for whole numbers, texts, null, lists, and what is out of range are
// rejected with a [*RejectedError] that names every bad argument in the order of the arguments.
func CheckedDelay(attempt, baseMS, capMS, jitter Value) (int64, error) {
	a, b, c, j, bad := CheckDelay(Value.Whole, Value.Jitter, attempt, baseMS, capMS, jitter)
	if err := Rejected(bad); err != nil {
		return 0, err
	}
	return Delay(a, b, c, j)
}

// CheckDelay judges the four arguments of a delay with the given two judges and returns them typed,
// and the bad ones in order. [CheckedDelay] passes the real judges; the lab passes wrong ones to show
// what they let through.
func CheckDelay(whole func(v Value, lo, hi int64) (int64, Fault), fraction func(Value) (float64, Fault), attempt, baseMS, capMS, jitter Value) (a, b, c int64, j float64, bad []BadArg) {
	for _, arg := range []struct {
		name string
		v    Value
		to   *int64
	}{{"attempt", attempt, &a}, {"base_ms", baseMS, &b}, {"cap_ms", capMS, &c}} {
		n, fault := whole(arg.v, 1, Max)
		if fault != "" {
			bad = append(bad, BadArg{arg.name, fault, WantWhole(1, Max)})
		}
		*arg.to = n
	}
	j, fault := fraction(jitter)
	if fault != "" {
		bad = append(bad, BadArg{"jitter", fault, WantJitter()})
	}
	return a, b, c, j, bad
}
