package retry

import "strings"

// unit is a unit of Spring's simple durations: its length in ms, or else in ns. Both are 0 for what is
// none.
func unit(name string) (ms, ns int64) {
	switch name {
	case "ns":
		return 0, 1
	case "us":
		return 0, 1000
	case "ms", "":
		return 1, 0
	case "s":
		return 1000, 0
	case "m":
		return 60_000, 0
	case "h":
		return 3_600_000, 0
	case "d":
		return 86_400_000, 0
	}
	return 0, 0
}

// parseDuration reads a duration as Spring Boot takes it, as a whole number of ms, 0..Max: a number
// with a unit (500ms), which is ms when it is left out, or the ISO 8601 form of java.time.Duration, days
// and a fraction of the seconds included (P1DT2H, PT0.5S). Signs inside the latter are not read.
func parseDuration(s string) (ms int64, fault Fault) {
	rest := s
	negative := strings.HasPrefix(rest, "-")
	if negative || strings.HasPrefix(rest, "+") {
		rest = rest[1:]
	}
	if rest != "" && (rest[0] == 'P' || rest[0] == 'p') {
		ms, fault = isoDuration(strings.ToUpper(rest[1:]))
	} else {
		ms, fault = simpleDuration(strings.ToLower(rest))
	}
	if negative && fault != FaultNotDuration && (ms > 0 || fault != "") {
		return 0, FaultTooSmall
	}
	return ms, fault
}

func simpleDuration(s string) (int64, Fault) {
	digits := leadingDigits(s)
	ms, ns := unit(s[len(digits):])
	if digits == "" || ms+ns == 0 {
		return 0, FaultNotDuration
	}
	n, fits := count(digits)
	switch {
	case !fits:
		return 0, FaultTooLarge
	case ms > 0:
		return times(n, ms)
	case n*ns%1_000_000 != 0:
		return 0, FaultFraction
	}
	return n * ns / 1_000_000, ""
}

// isoDuration reads what follows the P.
func isoDuration(s string) (total int64, fault Fault) {
	// In the order in which they may come; the T stands before the second.
	parts := []struct {
		letter byte
		ms     int64
	}{{'D', 86_400_000}, {'H', 3_600_000}, {'M', 60_000}, {'S', 1000}}
	next, inTime := 0, false
	for s != "" || next == 0 {
		if !inTime && strings.HasPrefix(s, "T") {
			inTime, s, next = true, s[1:], max(next, 1)
			if s == "" {
				return 0, FaultNotDuration
			}
		}
		digits := leadingDigits(s)
		s = s[len(digits):]
		fraction := ""
		if digits != "" && s != "" && (s[0] == '.' || s[0] == ',') {
			fraction = leadingDigits(s[1:])
			s = s[1+len(fraction):]
			if len(fraction) > 9 || s == "" || s[0] != 'S' {
				return 0, FaultNotDuration
			}
		}
		for next < len(parts) && (s == "" || parts[next].letter != s[0]) {
			next++
		}
		if digits == "" || next == len(parts) || inTime != (next > 0) {
			return 0, FaultNotDuration
		}
		n, fits := count(digits)
		ms, f := times(n, parts[next].ms)
		if !fits || f != "" {
			fault = FaultTooLarge
		}
		if len(strings.TrimRight(fraction, "0")) > 3 {
			fault = FaultFraction
		}
		part, _ := count((fraction + "000")[:3])
		if total > Max-ms || total+ms > Max-part {
			fault = FaultTooLarge
		} else {
			total += ms + part
		}
		s = s[1:]
		next++
	}
	if fault != "" {
		return 0, fault
	}
	return total, ""
}

// count is a number of decimal digits, and whether it is at most Max.
func count(digits string) (int64, bool) {
	n := int64(0)
	for i := range len(digits) {
		if n = n*10 + int64(digits[i]-'0'); n > Max {
			return 0, false
		}
	}
	return n, true
}

func times(n, ms int64) (int64, Fault) {
	if n > Max/ms {
		return 0, FaultTooLarge
	}
	return n * ms, ""
}
