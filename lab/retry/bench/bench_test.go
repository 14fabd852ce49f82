// Package bench measures retry.Do beside the retry libraries that Go programs use most, and beside a
// loop written by hand. It is a package of its own so that nobody who imports retry sees its peers.
//
//	go test -count=1 -run TestRatios -v ./lab/retry/bench -ratios
//
// prints the ratios of one run, in which all take turns; go test -bench . prints Go's own figures.
package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	avast "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
)

var ratios = flag.Bool("ratios", false, "measure, and print the ratios to each peer")

const attempts = 5

// An operation fails a number of times and then succeeds, over and over.
type operation struct {
	failures, calls int
	err             error
}

func (o *operation) call() error {
	if o.calls++; o.calls > o.failures {
		o.calls = 0
		return nil
	}
	return o.err
}

// A peer calls the operation until it succeeds; each is set up once, as far as its interface allows,
// for five attempts and no wait.
type peer struct {
	name string
	make func(ctx context.Context, o *operation) func() error
}

const ours = "retry.Do"

var peers = []peer{
	{"a loop by hand", func(ctx context.Context, o *operation) func() error {
		op := o.call
		return func() (err error) {
			for range attempts {
				if err = ctx.Err(); err != nil {
					return err
				}
				if err = op(); err == nil {
					return nil
				}
			}
			return err
		}
	}},
	{ours, func(ctx context.Context, o *operation) func() error {
		p := policy()
		op := func(context.Context) error { return o.call() }
		return func() error { return retry.Do(ctx, p, op) }
	}},
	{"retry.DoValue", func(ctx context.Context, o *operation) func() error {
		p := policy()
		op := func(context.Context) (int, error) { return 1, o.call() }
		return func() error {
			_, err := retry.DoValue(ctx, p, op)
			return err
		}
	}},
	{"avast/retry-go v5.1.1", func(ctx context.Context, o *operation) func() error {
		r := avast.New(avast.Context(ctx), avast.Attempts(attempts), avast.Delay(0), avast.MaxJitter(0), avast.DelayType(avast.FixedDelay), avast.LastErrorOnly(true))
		op := o.call
		return func() error { return r.Do(op) }
	}},
	{"cenkalti/backoff v5.0.3", func(ctx context.Context, o *operation) func() error {
		b, tries := backoff.WithBackOff(&backoff.ZeroBackOff{}), backoff.WithMaxTries(attempts)
		op := func() (int, error) { return 1, o.call() }
		return func() error {
			_, err := backoff.Retry(ctx, op, b, tries)
			return err
		}
	}},
	{"failsafe-go v0.9.8", func(ctx context.Context, o *operation) func() error {
		e := failsafe.With(retrypolicy.NewBuilder[any]().WithMaxAttempts(attempts).Build()).WithContext(ctx)
		op := o.call
		return func() error { return e.Run(op) }
	}},
}

func policy() *retry.Policy {
	return &retry.Policy{
		MaxAttempts: attempts,
		Backoff:     retry.Schedule{BaseMS: 1, CapMS: 1}, // full jitter of a window of 1 ms: waits of 0
		Jitter:      func() float64 { return rand.Float64() / 2 },
		Clock:       clock.System{},
	}
}

var cases = []struct {
	name     string
	failures int
}{{"the first try succeeds", 0}, {"the third try succeeds, no wait", 2}}

func newOperation(failures int) *operation {
	return &operation{failures: failures, err: retry.Retryable(errors.New("busy"))}
}

func BenchmarkDo(b *testing.B) {
	for _, c := range cases {
		for _, p := range peers {
			b.Run(c.name+"/"+p.name, func(b *testing.B) { run(b, p, c.failures) })
		}
	}
}

func run(b *testing.B, p peer, failures int) {
	do := p.make(b.Context(), newOperation(failures))
	b.ReportAllocs()
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
}

// Every peer must do the work that it is measured at.
func TestEveryPeerTriesUntilItSucceeds(t *testing.T) {
	for _, c := range cases {
		for _, p := range peers {
			o := newOperation(c.failures)
			calls := 0
			do := p.make(t.Context(), o)
			for range 3 {
				if err := do(); err != nil || o.calls != 0 {
					t.Errorf("%s, %s: %v after %d calls", c.name, p.name, err, o.calls)
				}
				calls++
			}
		}
		o := newOperation(attempts)
		for _, p := range peers {
			o.calls = 0
			if err := p.make(t.Context(), o)(); err == nil || o.calls != attempts {
				t.Errorf("%s: %v after %d calls, want %d", p.name, err, o.calls, attempts)
			}
		}
	}
}

// TestRatios takes the peers in turn, several times, and compares the medians.
func TestRatios(t *testing.T) {
	if !*ratios {
		t.Skip("measures only with -ratios")
	}
	const rounds = 5
	if err := flag.Set("test.benchtime", "200ms"); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		took := map[string][]time.Duration{}
		allocs := map[string]int64{}
		for range rounds {
			for _, p := range peers {
				r := testing.Benchmark(func(b *testing.B) { run(b, p, c.failures) })
				took[p.name] = append(took[p.name], r.T*1000/time.Duration(r.N)) // ps
				allocs[p.name] = r.AllocsPerOp()
			}
		}
		median := func(name string) float64 {
			slices.Sort(took[name])
			return float64(took[name][rounds/2]) / 1000
		}
		var s strings.Builder
		fmt.Fprintf(&s, "%s:\n%-26s %9s %7s  %s\n", c.name, "", "ns", "allocs", "times "+ours)
		for _, p := range peers {
			fmt.Fprintf(&s, "%-26s %9.1f %7d  %.2f\n", p.name, median(p.name), allocs[p.name], median(p.name)/median(ours))
		}
		fmt.Fprintf(&s, "%s takes %.2f times a loop by hand", ours, median(ours)/median(peers[0].name))
		if c.failures == 0 {
			s.WriteString(" (bound: under 3)")
		}
		t.Log(s.String())
	}
}
