package web

import (
	"errors"
	"strconv"

	"retrylab/lab/retry"
)

// argNames are retry_delay's arguments in their order.
var argNames = [4]string{"attempt", "base_ms", "cap_ms", "jitter"}

// An argVerdict is what retry_delay says to four arguments as typed.
type argVerdict struct {
	OK    bool
	Delay int64
	// Of accepted arguments: how the delay comes about.
	Window int64
	Jitter string
	Cap    int64
	Capped bool // the cap, not the doubling, decided the window
	// Of rejected ones, in the order of the arguments.
	Bad []retry.BadArg
}

// fault is what is wrong with the named argument, and false when nothing is.
func (v argVerdict) fault(name string) (retry.BadArg, bool) {
	for _, b := range v.Bad {
		if b.Name == name {
			return b, true
		}
	}
	return retry.BadArg{}, false
}

// judge asks the one checking boundary about four arguments as a person typed them.
func judge(typed [4]string) argVerdict {
	var values [4]retry.Value
	for i, s := range typed {
		values[i] = retry.ParseText(s)
	}
	delay, err := retry.CheckedDelay(values[0], values[1], values[2], values[3])
	var rejected *retry.RejectedError
	if errors.As(err, &rejected) {
		return argVerdict{Bad: rejected.Bad}
	}
	attempt, _ := values[0].Whole(1, retry.Max)
	base, _ := values[1].Whole(1, retry.Max)
	limit, _ := values[2].Whole(1, retry.Max)
	jitter, _ := values[3].Jitter()
	window := retry.Window(attempt, base, limit)
	return argVerdict{
		OK: true, Delay: delay, Window: window, Cap: limit,
		// base * 2^(attempt-1) > cap, asked without the overflow.
		Capped: attempt > 53 || base > limit>>(attempt-1),
		Jitter: strconv.FormatFloat(jitter, 'g', -1, 64),
	}
}
