package clock

import (
	"context"
	"sync"

	"retrylab/lab/retry"
)

// Virtual is a clock that stands still until somebody waits or moves it: a wait of an hour takes no
// time at all. Its zero value stands at 0. It is safe for many goroutines, but all of them move the
// same clock: it is meant for tests and simulations of one line of events.
type Virtual struct {
	mu     sync.Mutex
	now    int64
	limits []*limited
}

var _ retry.Clock = (*Virtual)(nil)

// Now is the virtual time in ms.
func (v *Virtual) Now() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Set moves the clock, also back. Contexts of [Virtual.WithTimeout] that are due by then end.
func (v *Virtual) Set(ms int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set(ms)
}

func (v *Virtual) set(ms int64) {
	v.now = min(max(ms, 0), retry.Max)
	for _, l := range v.limits {
		if l.due <= v.now {
			l.cancel(context.DeadlineExceeded)
		}
	}
}

// Wait moves the clock by ms and returns nil. When a context of [Virtual.WithTimeout] that ctx is or
// comes from ends earlier, the clock stands there instead, and Wait returns context.Cause.
func (v *Virtual) Wait(ctx context.Context, ms int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	end := min(v.now+min(max(ms, 0), retry.Max), retry.Max)
	if l, ok := ctx.Value(v).(*limited); ok && l.due < end {
		end = max(l.due, v.now)
	}
	v.set(end)
	return context.Cause(ctx)
}

// WithTimeout is ctx with an end at the virtual time ms from now. It has no Deadline, since that would
// be read on another clock.
func (v *Virtual) WithTimeout(ctx context.Context, ms int64) (context.Context, context.CancelFunc) {
	v.mu.Lock()
	defer v.mu.Unlock()
	l := &limited{clock: v, due: min(v.now+min(max(ms, 0), retry.Max), retry.Max)}
	if outer, ok := ctx.Value(v).(*limited); ok {
		l.due = min(l.due, outer.due)
	}
	l.Context, l.cancel = context.WithCancelCause(ctx)
	v.limits = append(v.limits, l)
	if ms <= 0 {
		l.cancel(context.DeadlineExceeded)
	}
	return l, func() {
		l.cancel(context.Canceled)
		v.mu.Lock()
		defer v.mu.Unlock()
		for i := range v.limits {
			if v.limits[i] == l {
				v.limits = append(v.limits[:i], v.limits[i+1:]...)
				break
			}
		}
	}
}

// limited is a context that ends at a virtual time.
type limited struct {
	context.Context
	clock  *Virtual
	due    int64
	cancel context.CancelCauseFunc
}

// Err tells the end of the time from a cancellation, as the contexts of context.WithTimeout do.
func (l *limited) Err() error {
	err := l.Context.Err()
	if err != nil && context.Cause(l.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// Value finds the innermost limit of a clock.
func (l *limited) Value(key any) any {
	if key == any(l.clock) {
		return l
	}
	return l.Context.Value(key)
}
