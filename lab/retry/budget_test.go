package retry_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"retrylab/lab/retry"
)

func budget(t testing.TB, ratio float64, floor, capacity int64) *retry.Budget {
	t.Helper()
	b, err := retry.NewBudget(ratio, floor, capacity)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheBudgetAdmitsFloorPlusRatioWaitingOnesIncluded(t *testing.T) {
	b := budget(t, 0.2, 3, 1000)
	for range 1000 {
		b.First()
	}
	admitted := 0
	for range 1000 {
		if b.Retry() {
			admitted++
		}
	}
	if admitted != 203 {
		t.Errorf("%d retries admitted, want 203", admitted)
	}
}

// All first tries fail at one instant, and every admitted retry waits while the others ask.
func TestALoopAsksTheBudgetBeforeItsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails at once when all are stuck
		b := budget(t, 0.2, 3, 1000)
		p := fixed(nil, 2)
		p.Budget = b
		gate := make(chan struct{})
		p.Clock = gated{gate: gate}
		var refused, calls atomic.Int64
		var failed, all sync.WaitGroup
		failed.Add(1000)
		for range 1000 {
			all.Go(func() {
				first := true
				err := retry.Do(context.Background(), p, func(context.Context) error {
					if calls.Add(1); first {
						first = false
						failed.Done()
						failed.Wait() // all have made their first try
					}
					return retry.Retryable(errPlain)
				})
				var g *retry.GaveUpError
				if errors.As(err, &g) && g.Reason == retry.ReasonRefused {
					if refused.Add(1) == 797 {
						close(gate)
					}
				}
			})
		}
		all.Wait()
		if refused.Load() != 797 || calls.Load() != 1203 {
			t.Errorf("%d refused, %d calls", refused.Load(), calls.Load())
		}
	})
}

// gated is a clock whose waits end when the gate opens.
type gated struct {
	retry.Clock
	gate chan struct{}
}

func (g gated) Wait(context.Context, int64) error { <-g.gate; return nil }

func TestTheConfiguredFloorIsRead(t *testing.T) {
	b := budget(t, 0, 3, 100)
	var got []bool
	for range 10 {
		b.First()
		got = append(got, b.Retry())
	}
	if !slices.Equal(got, []bool{true, true, true, false, false, false, false, false, false, false}) {
		t.Errorf("admitted %v", got)
	}
}

func TestAnEmptyBudgetRefusesOnlyTheNewRetry(t *testing.T) {
	b := budget(t, 0, 1, 10)
	var c waiting
	p := fixed(&c, 5)
	p.Budget = b
	calls := 0
	g := gaveUp(t, retry.Do(t.Context(), p, func(ctx context.Context) error {
		if calls++; calls == 2 && (b.Retry() || ctx.Err() != nil) {
			t.Error("the budget was to be empty while this try runs, and leave it alone")
		}
		return retry.Retryable(errPlain)
	}))
	if calls != 2 || g.Reason != retry.ReasonRefused || g.Attempts != 2 || !errors.Is(g, errPlain) || !slices.Equal(c.waits, []int64{100}) {
		t.Errorf("%d calls, %v, waits %v", calls, g, c.waits)
	}
	op, _ := failing(nil)
	if err := retry.Do(t.Context(), p, op); err != nil {
		t.Errorf("a first try was refused: %v", err)
	}
}

func TestFirstTriesRefillTheBudgetUpToItsCapacity(t *testing.T) {
	b := budget(t, 0.1, 10, 10)
	for b.Retry() {
	}
	if b.Millionths() != 0 {
		t.Fatalf("%d left", b.Millionths())
	}
	for i := range 1000 {
		b.First()
		if i == 8 && b.Retry() {
			t.Error("nine tenths of a token were enough")
		}
	}
	if b.Millionths() != 10_000_000 || !b.Retry() {
		t.Errorf("%d millionths", b.Millionths())
	}
}

func TestChangedParametersHoldFromTheNextQuestion(t *testing.T) {
	b := budget(t, 0, 100, 100)
	if err := b.Set(1, 10); err != nil {
		t.Fatal(err)
	}
	if b.Millionths() > 10_000_000 {
		t.Errorf("%d millionths after the capacity fell to 10", b.Millionths())
	}
	if b.Set(1, 100); b.Millionths() != 10_000_000 {
		t.Errorf("the tokens came back: %d", b.Millionths())
	}
	if b.First(); b.Millionths() != 11_000_000 {
		t.Errorf("the new ratio does not hold: %d", b.Millionths())
	}
	if err := b.Set(2, -1); !slices.Equal(names(err), []string{"ratio", "capacity"}) || b.Millionths() != 11_000_000 {
		t.Errorf("%v, %d millionths", err, b.Millionths())
	}
	if b.First(); b.Millionths() != 12_000_000 {
		t.Errorf("a rejected change changed the budget: %d", b.Millionths())
	}
}

func TestTheBudgetIsWiredIntoTheLoop(t *testing.T) {
	p := fixed(&waiting{}, 1000)
	p.Budget = budget(t, 0, 10, 10)
	op, calls := failing(retry.Retryable(errPlain))
	if retry.Do(t.Context(), p, op); *calls != 11 {
		t.Errorf("%d calls, want 11", *calls)
	}
}

func TestStackedLayersMultiplyUnlessTheyShareABudget(t *testing.T) {
	for _, tries := range [][]int64{{4, 3}, {3, 3, 5}, {3, 3}, {3, 3, 3}} {
		for _, b := range []*retry.Budget{nil, budget(t, 0, 0, 100), budget(t, 0, 4, 100)} {
			calls := int64(0)
			op := func(context.Context) error { calls++; return retry.Retryable(errPlain) }
			for _, n := range tries {
				p, inner := fixed(&waiting{}, n), op
				p.Budget = b
				op = func(ctx context.Context) error { return retry.Retryable(retry.Do(ctx, p, inner)) }
			}
			want := retry.Layers(tries...)
			if b != nil {
				want = 1 + b.Millionths()/1_000_000
			}
			if op(t.Context()); calls != want {
				t.Errorf("layers %v: %d calls, want %d", tries, calls, want)
			}
		}
	}
}

func TestBudgetsRejectWhatIsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		ratio           float64
		floor, capacity int64
		want            []string
	}{
		{-0.1, 0, 0, []string{"ratio"}}, {1.1, 0, 0, []string{"ratio"}}, {math.NaN(), 0, 0, []string{"ratio"}}, {math.Inf(1), 0, 0, []string{"ratio"}},
		{0, -1, 0, []string{"floor"}}, {0, retry.Max + 1, 0, []string{"floor"}}, {0, 0, -1, []string{"capacity"}}, {0, 0, retry.Max + 1, []string{"capacity"}},
		{2, -1, -1, []string{"ratio", "capacity", "floor"}},
	} {
		if b, err := retry.NewBudget(c.ratio, c.floor, c.capacity); b != nil || !slices.Equal(names(err), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestBudgetsAtTheirEdges(t *testing.T) {
	for _, c := range []struct {
		ratio                  float64
		floor, capacity, first int64 // millionths after one first try
	}{
		{0, 0, 0, 0}, {1, 5, 0, 0}, {1, 5, 3, 3_000_000}, {math.Copysign(0, -1), 1, 5, 1_000_000},
		{0.57, 0, 1, 570_000}, {0.000249, 0, 1, 249}, {0.29, 0, 1, 290_000}, {1e-7, 0, 1, 0}, {0.0000015, 0, 1, 1}, {1.0 / 3, 0, 1, 333_333}, {2.0 / 3, 0, 1, 666_666},
		{1, retry.Max, retry.Max, 9_007_199_254_000_000},
	} {
		b := budget(t, c.ratio, c.floor, c.capacity)
		if b.First(); b.Millionths() != c.first {
			t.Errorf("%+v: %d millionths", c, b.Millionths())
		}
	}
}

// Whatever happens, the bucket is within its bounds, and no more is ever taken than exact arithmetic
// has put in.
func TestTheBudgetAgainstExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(0, 1).Draw(t, "ratio")
		floor := rapid.Int64Range(0, 20).Draw(t, "floor")
		b, err := retry.NewBudget(ratio, floor, rapid.Int64Range(0, 30).Draw(t, "capacity"))
		if err != nil {
			t.Fatal(err)
		}
		firsts, retries := int64(0), int64(0)
		for _, first := range rapid.SliceOfN(rapid.Bool(), 0, 300).Draw(t, "first") {
			if first {
				b.First()
				firsts++
			} else if b.Retry() {
				retries++
			}
			allowed := new(big.Rat).SetFloat64(ratio)
			allowed.Mul(allowed, big.NewRat(firsts, 1)).Add(allowed, big.NewRat(floor, 1))
			if allowed.Cmp(big.NewRat(retries, 1)) < 0 || b.Millionths() < 0 {
				t.Fatalf("%d retries after %d first tries, %d millionths left", retries, firsts, b.Millionths())
			}
		}
	})
}

func TestManyGoroutinesShareABudget(t *testing.T) {
	b := budget(t, 0.25, 8, 1_000_000)
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				b.First()
				if b.Retry() {
					admitted.Add(1)
				}
				b.Set(0.25, 1_000_000)
			}
		})
	}
	all.Wait()
	if got := admitted.Load()*1_000_000 + b.Millionths(); got != (8+2000)*1_000_000 {
		t.Errorf("%d admitted, %d millionths left: tokens got lost", admitted.Load(), b.Millionths())
	}
}

// A worker never waits for a token: the new work behind it is what fills the bucket again.
func TestTheBudgetNeverBlocks(t *testing.T) {
	p := fixed(&waiting{}, 2)
	p.Budget = budget(t, 0.5, 0, 10)
	for i := range 4 {
		calls := 0
		retry.Do(t.Context(), p, func(context.Context) error { calls++; return retry.Retryable(errPlain) })
		if want := 1 + i%2; calls != want {
			t.Errorf("job %d: %d calls, want %d", i, calls, want)
		}
	}
}
