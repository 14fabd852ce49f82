package retry

import (
	"context"
	"errors"
)

// A Clock tells the time and waits. Ready ones are in retrylab/lab/retry/clock: the machine's own, and
// a virtual one that never really waits.
type Clock interface {
	// Now is the time in ms, 0..Max, on any scale: only differences count.
	Now() int64
	// Wait returns nil after ms milliseconds, ms > 0. When ctx ends first it returns a non-nil error at
	// once. It leaves no timer and no goroutine. A clock on the same scale as the deadlines of contexts
	// returns [ErrNoTime] at once when ctx would end before the wait does, or together with it.
	Wait(ctx context.Context, ms int64) error
	// WithTimeout is ctx with an end in ms milliseconds, ms > 0, as of context.WithTimeout: its Err is
	// then context.DeadlineExceeded.
	WithTimeout(ctx context.Context, ms int64) (context.Context, context.CancelFunc)
}

// ErrNoTime is what a [Clock] answers when a wait does not fit before the deadline of its context.
var ErrNoTime = errors.New("the wait does not fit before the context's deadline")

// later is a + b for a and b in 0..Max; a sum that would pass Max is Max.
func later(a, b int64) int64 {
	if b > Max-a {
		return Max
	}
	return a + b
}
