package retry_test

import (
	"math"
	"slices"
	"testing"

	"retrylab/lab/retry"
)

func TestARejectionSaysWhatWasWrongAndWhatWouldBeRight(t *testing.T) {
	_, err := retry.CheckedDelay(retry.ParseText("true"), retry.Int(100), retry.Value{}, retry.ParseText("NaN"))
	want := "rejected: attempt is a boolean, wanted a whole number from 1 to 9007199254740991; " +
		"cap_ms is missing, wanted a whole number from 1 to 9007199254740991; jitter is not a number (NaN), wanted a number from 0 to 1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	for _, c := range []struct {
		bad  retry.BadArg
		want string
	}{
		{retry.BadArg{Name: "id", Fault: retry.FaultTooLong, Want: retry.Want{Kind: "text", Lo: 1, Hi: 200}}, "id is too long, wanted text of length 1 to 200"},
		{retry.BadArg{Name: "clock", Fault: retry.FaultMissing}, "clock is missing"},
	} {
		if got := c.bad.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if retry.Rejected(nil) != nil {
		t.Error("nothing bad made an error")
	}
}

func TestAValueTellsWhatItIs(t *testing.T) {
	for _, c := range []struct {
		text   string
		number float64
		ok     bool
		given  bool
	}{
		{"0.25", 0.25, true, true}, {"-2e3", -2000, true, true}, {"0", 0, true, true}, {"0xAf", 175, true, true}, {"0o17", 15, true, true},
		{"inf", math.Inf(1), true, true}, {"-Infinity", math.Inf(-1), true, true}, {"1e400", math.Inf(1), true, true},
		{"true", 0, false, true}, {"x", 0, false, true}, {"0o18", 0, false, true}, {"0xg", 0, false, true}, {"null", 0, false, false}, {"", 0, false, false},
	} {
		v := retry.ParseText(c.text)
		if n, ok := v.Number(); n != c.number || ok != c.ok || v.Given() != c.given {
			t.Errorf("%q: %v, %v, given %v", c.text, n, ok, v.Given())
		}
	}
	if n, ok := retry.ParseText("NaN").Number(); n == n || !ok {
		t.Errorf("NaN is %v, %v", n, ok)
	}
	for text, want := range map[string]bool{"true": true, "false": false} {
		if b, ok := retry.ParseText(text).Bool(); b != want || !ok {
			t.Errorf("%s is %v, %v", text, b, ok)
		}
	}
	if _, ok := retry.Int(1).Bool(); ok {
		t.Error("1 is a boolean")
	}
}

func TestEachTypedArgumentEndsAtMax(t *testing.T) {
	const over = retry.Max + 1
	for _, c := range []struct {
		attempt, base, cap int64
		want               string
	}{{over, 1, 1, "attempt"}, {1, over, 1, "base_ms"}, {1, 1, over, "cap_ms"}} {
		if ms, err := retry.Delay(c.attempt, c.base, c.cap, 1); ms != 0 || !slices.Equal(names(err), []string{c.want}) {
			t.Errorf("Delay(%d, %d, %d, 1) = %d, %v", c.attempt, c.base, c.cap, ms, err)
		}
	}
	if ms, err := retry.Delay(retry.Max, retry.Max, retry.Max, 1); ms != retry.Max || err != nil {
		t.Errorf("at Max: %d, %v", ms, err)
	}
}
