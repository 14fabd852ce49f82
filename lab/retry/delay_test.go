package retry_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"retrylab/lab/retry"
	"retrylab/lab/source"
)

func TestDelayHoldsEveryCase(t *testing.T) {
	data, err := os.ReadFile("testdata/delay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := source.Documents("delay.yaml", data, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, row := range docs[0].Items {
		get := func(name string) source.Node { n, _ := row.Get(name); return n }
		attempts, wants := get("attempts").Items, get("wants").Items
		if len(attempts) == 0 {
			attempts, wants = []source.Node{get("attempt")}, []source.Node{get("want")}
		}
		for i, attempt := range attempts {
			rows++
			got, err := retry.CheckedDelay(attempt.Value(), get("base_ms").Value(), get("cap_ms").Value(), get("jitter").Value())
			var names []string
			for _, n := range get("reject").Items {
				names = append(names, n.Text)
			}
			var rejected *retry.RejectedError
			if errors.As(err, &rejected) != (names != nil) {
				t.Errorf("line %d: error %v, want rejected %v", row.Line, err, names)
				continue
			}
			if names != nil {
				if !slices.Equal(rejected.Names(), names) {
					t.Errorf("line %d: rejected %v, want %v", row.Line, rejected.Names(), names)
				}
				continue
			}
			if want, _ := wants[i].Value().Whole(0, retry.Max); got != want {
				t.Errorf("line %d, attempt %s: got %d, want %d", row.Line, attempt.Text, got, want)
			}
		}
	}
	if rows < 60 {
		t.Errorf("only %d rows", rows)
	}
}

// TestDelayBoundaries are the neighbours of each bound, and what went wrong elsewhere.
func TestDelayBoundaries(t *testing.T) {
	const Max = retry.Max
	for _, c := range []struct {
		attempt, base, cap int64
		jitter             float64
		want               int64
	}{
		{1, 325, 1000, 0.48, 156}, // the product is rounded before the floor
		{2147483647, 2000, 300000, 1, 300000},
		{100, 50, 10000, 1, 10000}, {100, 64, 10000, 1, 10000},
		{1100, 1, 60000, 1, 60000},
		{1, Max, Max, 1, Max}, {2, Max, Max, 1, Max}, {Max, Max, Max, 1, Max}, {Max, 1, 1, 0, 0},
		{53, 1, Max, 1, 1 << 52}, {54, 1, Max, 1, Max}, {53, 2, Max, 1, Max}, {52, 2, Max, 1, 1 << 52},
		{53, 1, 1 << 52, 1, 1 << 52}, {53, 1, 1<<52 - 1, 1, 1<<52 - 1}, {53, 1, 1<<52 + 1, 1, 1 << 52},
		{1, 3, 1, 1, 1}, {1, 1, 1, math.SmallestNonzeroFloat64, 0}, {1, 1, 1, math.Copysign(0, -1), 0},
		{1, Max, Max, math.Nextafter(1, 0), Max - 1},
	} {
		got, err := retry.Delay(c.attempt, c.base, c.cap, c.jitter)
		if err != nil || got != c.want {
			t.Errorf("Delay(%d, %d, %d, %v) = %d, %v, want %d", c.attempt, c.base, c.cap, c.jitter, got, err, c.want)
		}
	}
}

func TestDelayRejectsTypedValuesOutOfRange(t *testing.T) {
	const Max = retry.Max
	for _, c := range []struct {
		attempt, base, cap int64
		jitter             float64
		names              []string
	}{
		{0, 1, 1, 0, []string{"attempt"}}, {Max + 1, 1, 1, 0, []string{"attempt"}}, {math.MinInt64, 1, 1, 0, []string{"attempt"}},
		{1, 0, 1, 0, []string{"base_ms"}}, {1, math.MaxInt64, 1, 0, []string{"base_ms"}},
		{1, 1, 0, 0, []string{"cap_ms"}}, {1, 9007199254740995, 9007199254740995, 1, []string{"base_ms", "cap_ms"}},
		{1, 1, 1, math.NaN(), []string{"jitter"}}, {1, 1, 1, math.Inf(1), []string{"jitter"}}, {1, 1, 1, math.Inf(-1), []string{"jitter"}},
		{1, 1, 1, -0.1, []string{"jitter"}}, {1, 1, 1, math.Nextafter(1, 2), []string{"jitter"}}, {1, 1, 1, -math.SmallestNonzeroFloat64, []string{"jitter"}},
		{-1, -1, -1, 2, []string{"attempt", "base_ms", "cap_ms", "jitter"}},
	} {
		got, err := retry.Delay(c.attempt, c.base, c.cap, c.jitter)
		var rejected *retry.RejectedError
		if !errors.As(err, &rejected) || got != 0 || !slices.Equal(rejected.Names(), c.names) {
			t.Errorf("Delay(%d, %d, %d, %v) = %d, %v, want %v rejected", c.attempt, c.base, c.cap, c.jitter, got, err, c.names)
		}
	}
}

func TestTextIsJudgedByItsExactValue(t *testing.T) {
	for _, c := range []struct {
		text   string
		whole  retry.Fault // as a whole number 1..Max
		n      int64
		jitter retry.Fault
		j      float64
	}{
		{"1", "", 1, "", 1}, {"+1", "", 1, "", 1}, {"1.0", "", 1, "", 1}, {"01", "", 1, "", 1}, {"1e0", "", 1, "", 1}, {" 1 ", "", 1, "", 1},
		{"2.0", "", 2, retry.FaultTooLarge, 0}, {"1e3", "", 1000, retry.FaultTooLarge, 0}, {"0x10", "", 16, retry.FaultTooLarge, 0},
		{"0o17", "", 15, retry.FaultTooLarge, 0}, {"017", "", 17, retry.FaultTooLarge, 0}, {"5.", "", 5, retry.FaultTooLarge, 0},
		{"123e-2", retry.FaultFraction, 0, retry.FaultTooLarge, 0}, {"1200e-2", "", 12, retry.FaultTooLarge, 0},
		{".5", retry.FaultFraction, 0, "", 0.5}, {"0.5", retry.FaultFraction, 0, "", 0.5}, {"5e-1", retry.FaultFraction, 0, "", 0.5},
		{"0", retry.FaultTooSmall, 0, "", 0}, {"-0", retry.FaultTooSmall, 0, "", 0}, {"-0.0", retry.FaultTooSmall, 0, "", 0}, {"0e999", retry.FaultTooSmall, 0, "", 0},
		{"-1", retry.FaultTooSmall, 0, retry.FaultTooSmall, 0}, {"-1e-400", retry.FaultFraction, 0, retry.FaultTooSmall, 0},
		{"1e-400", retry.FaultFraction, 0, "", 0}, {"1e400", retry.FaultTooLarge, 0, retry.FaultTooLarge, 0},
		{"1e99999999999999999999", retry.FaultTooLarge, 0, retry.FaultTooLarge, 0}, {"1e-99999999999999999999", retry.FaultFraction, 0, "", 0},
		{"9007199254740991", "", retry.Max, retry.FaultTooLarge, 0}, {"9007199254740992", retry.FaultTooLarge, 0, retry.FaultTooLarge, 0},
		{"9007199254740991.4", retry.FaultFraction, 0, retry.FaultTooLarge, 0}, {"9007199254740991.0", "", retry.Max, retry.FaultTooLarge, 0},
		{"1.0000000000000000001", retry.FaultFraction, 0, retry.FaultTooLarge, 0}, {"0.99999999999999999999", retry.FaultFraction, 0, "", 1},
		{"18446744073709551616", retry.FaultTooLarge, 0, retry.FaultTooLarge, 0}, {"0xffffffffffffffffff", retry.FaultTooLarge, 0, retry.FaultTooLarge, 0},
		{"true", retry.FaultBoolean, 0, retry.FaultBoolean, 0}, {"False", retry.FaultBoolean, 0, retry.FaultBoolean, 0},
		{"Infinity", retry.FaultInfinite, 0, retry.FaultInfinite, 0}, {"-inf", retry.FaultInfinite, 0, retry.FaultInfinite, 0},
		{".inf", retry.FaultInfinite, 0, retry.FaultInfinite, 0}, {"+.INF", retry.FaultInfinite, 0, retry.FaultInfinite, 0},
		{"NaN", retry.FaultNaN, 0, retry.FaultNaN, 0}, {".nan", retry.FaultNaN, 0, retry.FaultNaN, 0},
		{"null", retry.FaultNull, 0, retry.FaultNull, 0}, {"None", retry.FaultNull, 0, retry.FaultNull, 0}, {"~", retry.FaultNull, 0, retry.FaultNull, 0},
		{"", retry.FaultMissing, 0, retry.FaultMissing, 0}, {"undefined", retry.FaultMissing, 0, retry.FaultMissing, 0},
		{`"3"`, retry.FaultText, 0, retry.FaultText, 0}, {"'0.5'", retry.FaultText, 0, retry.FaultText, 0}, {"three", retry.FaultText, 0, retry.FaultText, 0},
		{"1_000", retry.FaultText, 0, retry.FaultText, 0}, {"0x", retry.FaultText, 0, retry.FaultText, 0}, {"1e", retry.FaultText, 0, retry.FaultText, 0}, {".", retry.FaultText, 0, retry.FaultText, 0}, {"--1", retry.FaultText, 0, retry.FaultText, 0}, {"3n", retry.FaultText, 0, retry.FaultText, 0},
		{"[3]", retry.FaultList, 0, retry.FaultList, 0}, {"{}", retry.FaultMap, 0, retry.FaultMap, 0},
	} {
		v := retry.ParseText(c.text)
		if n, fault := v.Whole(1, retry.Max); n != c.n || fault != c.whole {
			t.Errorf("%q as a whole number: %d, %q, want %d, %q", c.text, n, fault, c.n, c.whole)
		}
		if j, fault := v.Jitter(); j != c.j || fault != c.jitter || math.Signbit(j) {
			t.Errorf("%q as a jitter: %v, %q, want %v, %q", c.text, j, fault, c.j, c.jitter)
		}
	}
}

func TestFloatsAreJudgedByTheirValueAndPythonsByTheirType(t *testing.T) {
	if n, fault := retry.Float(2).Whole(1, 9); n != 2 || fault != "" {
		t.Error("JavaScript's 2.0 is", n, fault)
	}
	if _, fault := retry.FloatType(2).Whole(1, 9); fault != retry.FaultFraction {
		t.Error("Python's 2.0 is", fault)
	}
	if j, fault := retry.FloatType(0.25).Jitter(); j != 0.25 || fault != "" {
		t.Error("Python's 0.25 is", j, fault)
	}
	for f, want := range map[float64]retry.Fault{1 << 53: retry.FaultTooLarge, 1<<53 - 1: "", 1e308: retry.FaultTooLarge, 0.5: retry.FaultFraction, -3: retry.FaultTooSmall} {
		if _, fault := retry.Float(f).Whole(1, retry.Max); fault != want {
			t.Errorf("%v: %q, want %q", f, fault, want)
		}
	}
}

// TestDelayIsTheExactWindowTimesJitterRoundedOnce compares with big integers, and with a product of
// exact rationals rounded once.
func TestDelayIsTheExactWindowTimesJitterRoundedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := func(name string) int64 {
			return rapid.OneOf(rapid.Int64Range(1, 70), rapid.Int64Range(1, 100_000), rapid.Int64Range(1, retry.Max), rapid.Int64Range(retry.Max-3, retry.Max)).Draw(t, name)
		}
		attempt, base, cap := edge("attempt"), edge("base"), edge("cap")
		jitter := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 0.5, 1.0 / 3, math.Nextafter(1, 0)})).Draw(t, "jitter")
		window := new(big.Int).Lsh(big.NewInt(base), uint(min(attempt-1, 60)))
		if window.Cmp(big.NewInt(cap)) > 0 {
			window.SetInt64(cap)
		}
		product := new(big.Rat).Mul(new(big.Rat).SetInt(window), new(big.Rat).SetFloat64(jitter))
		rounded, _ := product.Float64()
		want := int64(math.Floor(rounded))
		got, err := retry.Delay(attempt, base, cap, jitter)
		if err != nil || got != want {
			t.Fatalf("Delay(%d, %d, %d, %v) = %d, %v, want %d", attempt, base, cap, jitter, got, err, want)
		}
		if got < 0 || got > cap {
			t.Fatalf("%d outside 0..%d", got, cap)
		}
		text := func(f any) retry.Value { return retry.ParseText(fmt.Sprint(f)) }
		if checked, err := retry.CheckedDelay(text(attempt), text(base), text(cap), text(jitter)); err != nil || checked != got {
			t.Fatalf("CheckedDelay gives %d, %v, want %d", checked, err, got)
		}
	})
}

func TestDelayNeverFallsAsAttemptsGrow(t *testing.T) {
	for _, cap := range []int64{1, 1000, retry.Max} {
		last := int64(0)
		for a := int64(1); a <= 200; a++ {
			d, err := retry.Delay(a, 1, cap, 1)
			if err != nil || d < last || d > cap {
				t.Fatalf("attempt %d, cap %d: %d after %d, %v", a, cap, d, last, err)
			}
			last = d
		}
	}
}

func FuzzCheckedDelay(f *testing.F) {
	f.Add("1", "100", "1000", "0.5")
	f.Add("true", ".inf", "1e400", "-0.0")
	f.Add("9007199254740991.4", "0x10", "null", "1.0000000000000000001")
	f.Fuzz(func(t *testing.T, a, b, c, j string) {
		attempt, base, cap, jitter := retry.ParseText(a), retry.ParseText(b), retry.ParseText(c), retry.ParseText(j)
		d, err := retry.CheckedDelay(attempt, base, cap, jitter)
		var rejected *retry.RejectedError
		if errors.As(err, &rejected) {
			if len(rejected.Bad) == 0 || d != 0 {
				t.Fatal("rejected without a name")
			}
			return
		}
		limit, fault := cap.Whole(1, retry.Max)
		if err != nil || fault != "" || d < 0 || d > limit {
			t.Fatalf("delay %d of cap %d, %v", d, limit, err)
		}
	})
}
