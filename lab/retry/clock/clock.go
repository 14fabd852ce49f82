// Package clock has ready clocks for retrylab/lab/retry: the machine's own, and a virtual one that
// never really waits.
package clock

import (
	"context"
	"math"
	"time"

	"retrylab/lab/retry"
)

// System is the machine's clock: ms since the Unix epoch. Its zero value is ready.
type System struct{}

var _ retry.Clock = System{}

// Now is the time in ms since the Unix epoch.
func (System) Now() int64 { return time.Now().UnixMilli() }

// Wait waits ms milliseconds, or until ctx ends; then it returns context.Cause. It returns
// [retry.ErrNoTime] at once when ctx has a deadline that is not later than the end of the wait. A wait of
// more than 292 years, the longest time.Duration, ends after that.
func (System) Wait(ctx context.Context, ms int64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ms <= 0 {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= duration(ms) {
		return retry.ErrNoTime
	}
	t := time.NewTimer(duration(ms))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// WithTimeout is context.WithTimeout, of 292 years at most.
func (System) WithTimeout(ctx context.Context, ms int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, duration(ms))
}

// longest is the longest time that a time.Duration holds in whole ms.
const longest = math.MaxInt64 / int64(time.Millisecond)

func duration(ms int64) time.Duration {
	return time.Duration(min(max(ms, 0), longest)) * time.Millisecond
}
