package retry_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"retrylab/lab/retry"
)

func TestDelayKinds(t *testing.T) {
	type args struct {
		attempt, previous, base, cap int64
		jitter                       float64
	}
	for _, c := range []struct {
		kind retry.DelayKind
		args args
		want int64
	}{
		{retry.Full, args{1, 0, 100, 1000, 0.5}, 50},
		{retry.Full, args{3, 0, 100, 250, 0.5}, 125},
		{retry.Fixed, args{1, 0, 100, 1000, 0.5}, 100},
		{retry.Fixed, args{9, 100, 100, 1000, 0}, 100},
		{retry.Fixed, args{9, 100, 100, 0, 0}, 100}, // no cap is needed
		{retry.Exponential, args{1, 0, 100, 1000, 0}, 100},
		{retry.Exponential, args{4, 400, 100, 1000, 0.3}, 800},
		{retry.Exponential, args{5, 800, 100, 1000, 0.3}, 1000},
		{retry.Equal, args{1, 0, 101, 1000, 0}, 50}, // half a window is not rounded first
		{retry.Equal, args{1, 0, 101, 1000, 0.5}, 75},
		{retry.Equal, args{1, 0, 101, 1000, 1}, 101},
		{retry.Equal, args{99, 0, 100, retry.Max, 1}, retry.Max},
		{retry.Decorrelated, args{1, 0, 100, 1000, 0}, 100},
		{retry.Decorrelated, args{1, 0, 100, 1000, 0.5}, 200},
		{retry.Decorrelated, args{1, 0, 100, 1000, 1}, 300},
		{retry.Decorrelated, args{2, 300, 100, 1000, 1}, 900},
		{retry.Decorrelated, args{3, 900, 100, 1000, 1}, 1000},
		{retry.Decorrelated, args{7, 300, 100, 1000, 0.33}, 364}, // 100 + floor(800 * 0.33)
		{retry.Decorrelated, args{2, 100, 1000, 100, 0.5}, 100},  // the cap wins over a larger base
		{retry.Decorrelated, args{2, retry.Max, retry.Max, retry.Max, 1}, retry.Max},
		{retry.Decorrelated, args{2, retry.Max, 1, retry.Max, 1}, retry.Max},
	} {
		got, err := c.kind.Delay(c.args.attempt, c.args.previous, c.args.base, c.args.cap, c.args.jitter)
		if err != nil || got != c.want {
			t.Errorf("%v %+v = %d, %v, want %d", c.kind, c.args, got, err, c.want)
		}
		got, err = retry.Schedule{Kind: c.kind, BaseMS: c.args.base, CapMS: c.args.cap}.Delay(c.args.attempt, c.args.previous, c.args.jitter)
		if err != nil || got != c.want {
			t.Errorf("schedule %v %+v = %d, %v, want %d", c.kind, c.args, got, err, c.want)
		}
	}
}

func names(err error) []string {
	var r *retry.RejectedError
	if !errors.As(err, &r) {
		return nil
	}
	return r.Names()
}

func TestDelayKindsRejectBadArguments(t *testing.T) {
	for _, c := range []struct {
		kind                         retry.DelayKind
		attempt, previous, base, cap int64
		jitter                       float64
		want                         []string
	}{
		{retry.Equal, 0, 0, 100, 1000, 0.5, []string{"attempt"}},
		{retry.Exponential, 1, 0, 0, 0, 0.5, []string{"base_ms", "cap_ms"}},
		{retry.Fixed, 1, 0, 0, 0, math.NaN(), []string{"base_ms", "jitter"}},
		{retry.Decorrelated, 1, -1, 100, 1000, 0.5, []string{"previous_ms"}},
		{retry.Decorrelated, 1, retry.Max + 1, 100, 1000, 0.5, []string{"previous_ms"}},
		{retry.DelayKind(5), 1, 0, 100, 1000, 0.5, []string{"kind"}},
	} {
		got, err := c.kind.Delay(c.attempt, c.previous, c.base, c.cap, c.jitter)
		if got != 0 || !slices.Equal(names(err), c.want) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}

func TestDelayKindsHaveNames(t *testing.T) {
	for _, c := range []struct {
		kind   retry.DelayKind
		name   string
		random bool
	}{
		{retry.Full, "full", true}, {retry.Fixed, "fixed", false}, {retry.Exponential, "exponential", false},
		{retry.Equal, "equal", true}, {retry.Decorrelated, "decorrelated", true},
	} {
		if got, ok := retry.ParseDelayKind(c.name); got != c.kind || !ok || c.kind.String() != c.name || c.kind.Random() != c.random {
			t.Errorf("%s: parsed %v, %v; named %v; random %v", c.name, got, ok, c.kind, c.kind.Random())
		}
	}
	if _, ok := retry.ParseDelayKind("Full"); ok || retry.DelayKind(9).String() != "unknown" {
		t.Error("a kind that is none")
	}
}

// Every kind lies in 0..cap, grows with the jitter, and is what exact arithmetic says it is, up to the
// one rounding of a product.
func TestDelayKindsAgainstExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt := rapid.Int64Range(1, 70).Draw(t, "attempt")
		base := rapid.Int64Range(1, retry.Max).Draw(t, "base_ms")
		limit := rapid.Int64Range(1, retry.Max).Draw(t, "cap_ms")
		jitter := rapid.Float64Range(0, 1).Draw(t, "jitter")
		previous := rapid.Int64Range(1, min(limit, retry.Max)).Draw(t, "previous_ms")

		window := new(big.Int).Lsh(big.NewInt(base), uint(attempt-1))
		if window.Cmp(big.NewInt(limit)) > 0 {
			window = big.NewInt(limit)
		}
		half := new(big.Rat).SetFrac(window, big.NewInt(2))
		equal := new(big.Rat).Mul(half, new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFloat64(jitter)))
		spread := new(big.Rat).SetInt64(3*previous - base)
		decorrelated := new(big.Rat).Add(new(big.Rat).SetInt64(base), spread.Mul(spread, new(big.Rat).SetFloat64(jitter)))
		if decorrelated.Cmp(new(big.Rat).SetInt64(limit)) > 0 {
			decorrelated.SetInt64(limit)
		}
		for kind, exact := range map[retry.DelayKind]*big.Rat{
			retry.Exponential: new(big.Rat).SetInt(window), retry.Equal: equal, retry.Decorrelated: decorrelated,
		} {
			got, err := kind.Delay(attempt, previous, base, limit, jitter)
			if err != nil || got < 0 || got > limit {
				t.Fatalf("%v: %d, %v", kind, got, err)
			}
			// Two roundings of numbers below 2^55, and the floor.
			off, _ := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(got)).Float64()
			want, _ := exact.Float64()
			if slack := want * 0x1p-51; off < -slack || off >= 1+slack {
				t.Fatalf("%v: %d, exactly %s", kind, got, exact.FloatString(3))
			}
		}
	})
}

func TestScaledDelays(t *testing.T) {
	for _, c := range []struct {
		s       retry.Scaled
		attempt int64
		jitter  float64
		want    int64
	}{
		{retry.Scaled{}, 5, 1, 0},
		{retry.Scaled{WaitMS: 500}, 5, 1, 500},
		{retry.Scaled{WaitMS: 500, Multiplier: 1}, 5, 1, 500},
		{retry.Scaled{WaitMS: 500, Multiplier: 2}, 1, 1, 500},
		{retry.Scaled{WaitMS: 500, Multiplier: 2}, 4, 1, 4000},
		{retry.Scaled{WaitMS: 500, Multiplier: 1.5}, 4, 1, 1687}, // 1687.5
		{retry.Scaled{WaitMS: 500, Multiplier: 2, CapMS: 3000}, 4, 1, 3000},
		{retry.Scaled{WaitMS: 500, Multiplier: 2}, 1000, 1, retry.Max},
		{retry.Scaled{WaitMS: 500, Multiplier: 1e300}, retry.Max, 1, retry.Max},
		{retry.Scaled{WaitMS: 0, Multiplier: 1e300}, retry.Max, 1, 0},
		{retry.Scaled{WaitMS: 1, Multiplier: 2, CapMS: retry.Max}, 53, 1, 1 << 52},
		{retry.Scaled{WaitMS: 100, Factor: 0.5}, 1, 0, 50},
		{retry.Scaled{WaitMS: 100, Factor: 0.5}, 1, 0.5, 100},
		{retry.Scaled{WaitMS: 100, Factor: 0.5}, 1, 1, 150},
		{retry.Scaled{WaitMS: 100, Factor: 1}, 1, 0, 0},
		{retry.Scaled{WaitMS: 100, Factor: 1}, 1, 1, 200},
		{retry.Scaled{WaitMS: 100, Factor: 0.5, CapMS: 120}, 1, 1, 120}, // the cap cuts after the spread
		{retry.Scaled{WaitMS: retry.Max, Factor: 1}, 1, 1, retry.Max},
	} {
		if got, err := c.s.Delay(c.attempt, 0, c.jitter); err != nil || got != c.want {
			t.Errorf("%+v, attempt %d, jitter %v: %d, %v, want %d", c.s, c.attempt, c.jitter, got, err, c.want)
		}
	}
	if (retry.Scaled{WaitMS: 5}).Random() || !(retry.Scaled{Factor: 0.1}).Random() {
		t.Error("Random is wrong")
	}
}

func TestScaledRejectsBadSettings(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		s       retry.Scaled
		attempt int64
		jitter  float64
		want    []string
	}{
		{retry.Scaled{}, 0, 0, []string{"attempt"}},
		{retry.Scaled{WaitMS: -1}, 1, 0, []string{"wait_ms"}},
		{retry.Scaled{WaitMS: retry.Max + 1}, 1, 0, []string{"wait_ms"}},
		{retry.Scaled{CapMS: -1}, 1, 0, []string{"cap_ms"}},
		{retry.Scaled{CapMS: retry.Max + 1}, 1, 0, []string{"cap_ms"}},
		{retry.Scaled{Multiplier: 0.5}, 1, 0, []string{"multiplier"}},
		{retry.Scaled{Multiplier: -1}, 1, 0, []string{"multiplier"}},
		{retry.Scaled{Multiplier: inf}, 1, 0, []string{"multiplier"}},
		{retry.Scaled{Multiplier: nan}, 1, 0, []string{"multiplier"}},
		{retry.Scaled{Factor: nan}, 1, 0, []string{"factor"}},
		{retry.Scaled{Factor: 1.1}, 1, 0, []string{"factor"}},
		{retry.Scaled{Factor: -0.1}, 1, 0, []string{"factor"}},
		{retry.Scaled{}, 1, nan, []string{"jitter"}},
		{retry.Scaled{}, 1, 1.1, []string{"jitter"}},
		{retry.Scaled{WaitMS: -1, Multiplier: nan, Factor: 2, CapMS: -1}, 0, -1, []string{"attempt", "wait_ms", "multiplier", "factor", "cap_ms", "jitter"}},
	} {
		if got, err := c.s.Delay(c.attempt, 0, c.jitter); got != 0 || !slices.Equal(names(err), c.want) {
			t.Errorf("%+v: %d, %v", c.s, got, err)
		}
	}
}

func TestScaledStaysInItsRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := retry.Scaled{
			WaitMS:     rapid.Int64Range(0, retry.Max).Draw(t, "wait_ms"),
			Multiplier: rapid.Float64Range(1, math.MaxFloat64).Draw(t, "multiplier"),
			Factor:     rapid.Float64Range(0, 1).Draw(t, "factor"),
			CapMS:      rapid.Int64Range(1, retry.Max).Draw(t, "cap_ms"),
		}
		attempt := rapid.Int64Range(1, retry.Max).Draw(t, "attempt")
		low, err := s.Delay(attempt, 0, 0)
		got, err2 := s.Delay(attempt, 0, rapid.Float64Range(0, 1).Draw(t, "jitter"))
		high, err3 := s.Delay(attempt, 0, 1)
		if err := errors.Join(err, err2, err3); err != nil || low < 0 || low > got || got > high || high > s.CapMS {
			t.Fatalf("%d <= %d <= %d <= %d, %v", low, got, high, s.CapMS, err)
		}
	})
}

func TestLayersMultiply(t *testing.T) {
	for _, c := range []struct {
		tries []int64
		want  int64
	}{
		{nil, 1}, {[]int64{4, 3}, 12}, {[]int64{3, 3, 5}, 45}, {[]int64{3, 3, 3}, 27}, {[]int64{0, -2, 5}, 5},
		{[]int64{1 << 30, 1 << 30}, retry.Max}, {[]int64{retry.Max, 1}, retry.Max}, {[]int64{retry.Max, retry.Max, retry.Max}, retry.Max},
	} {
		if got := retry.Layers(c.tries...); got != c.want {
			t.Errorf("Layers(%v) = %d, want %d", c.tries, got, c.want)
		}
	}
}
