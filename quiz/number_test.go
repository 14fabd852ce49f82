package quiz_test

import (
	"strings"
	"testing"

	"retrylab/quiz"
)

func TestTypedNumbersAreUnderstoodOrAskedAbout(t *testing.T) {
	ms := []string{"ms"}
	for _, c := range []struct {
		typed string
		units []string
		want  string // the number as a fraction, or ? and the reason
	}{
		{"125", ms, "125"},
		{"  125 ", ms, "125"},
		{"\u3000１２５\u3000", ms, "125"},
		{"\u00a0125\u202f", ms, "125"},
		{"+125", ms, "125"},
		{"＋１２５", ms, "125"},
		{"-5", ms, "-5"},
		{"−5", ms, "-5"},
		{"- 5", ms, "-5"},
		{"0", ms, "0"},
		{"-0", ms, "0"},
		{"007", ms, "7"},

		// Decimals.
		{"0.5", ms, "1/2"},
		{"0,5", ms, "1/2"},
		{"０．５", ms, "1/2"},
		{"０，５", ms, "1/2"},
		{".5", ms, "1/2"},
		{"5.", ms, "5"},
		{"12,5", ms, "25/2"},
		{"12.50", ms, "25/2"},
		{"1,0000", ms, "1"},
		{"1.0", ms, "1"},
		{"0.125", ms, "1/8"},
		{"0,125", ms, "1/8"},
		{"1234,5", ms, "2469/2"},
		{"1234.567", ms, "1234567/1000"},

		// Thousands.
		{"1 000", ms, "1000"},
		{"1\u00a0000", ms, "1000"},
		{"1\u2009234\u2009567", ms, "1234567"},
		{"1'000", ms, "1000"},
		{"1’000", ms, "1000"},
		{"1_000", ms, "1000"},
		{"1,000,000", ms, "1000000"},
		{"1.000.000", ms, "1000000"},
		{"1,000.5", ms, "2001/2"},
		{"1.000,5", ms, "2001/2"},
		{"1 000,5", ms, "2001/2"},
		{"1'000.5", ms, "2001/2"},
		{"1 000.125", ms, "8001/8"},
		{"12 345 678", ms, "12345678"},
		{"1,234.567", ms, "1234567/1000"},

		// What may be two numbers.
		{"1,000", ms, "?thousands"},
		{"1.000", ms, "?thousands"},
		{"１．０００", ms, "?thousands"},
		{"125,000", ms, "?thousands"},
		{"12.345 ms", ms, "?thousands"},
		{"-1,000", ms, "?thousands"},

		// Units.
		{"125ms", ms, "125"},
		{"125 ms", ms, "125"},
		{"125 MS.", ms, "125"},
		{"125 msec", ms, "125"},
		{"１２５ｍｓ", ms, "125"},
		{"125 milliseconds", ms, "125"},
		{"125 ミリ秒", ms, "125"},
		{"125 мс", ms, "125"},
		{"0.125 s", ms, "125"},
		{"0,125s", ms, "125"},
		{"2 seconds", ms, "2000"},
		{"2 秒", ms, "2000"},
		{"2 min", ms, "120000"},
		{"1 000 ms", ms, "1000"},
		{"500 ms", []string{"s"}, "1/2"},
		{"3 attempts", []string{"attempts"}, "3"},
		{"3 Attempt", []string{"attempts"}, "3"},
		{"3回", []string{"attempts", "回"}, "3"},
		{"3", []string{"attempts"}, "3"},
		{"3 ms", []string{"attempts"}, "?unit"},
		{"3 boxes", ms, "?unit"},
		{"3 m", ms, "?unit"},
		{"3 %", ms, "?unit"},
		{"50 h", ms, "?unit"},

		// Exponents.
		{"1e3", ms, "1000"},
		{"1.5E2", ms, "150"},
		{"25e-1", ms, "5/2"},
		{"1e3 ms", ms, "1000"},
		{"1e", ms, "?unit"},
		{"1e999999999", ms, "?not_a_number"},
		{"1e-999999999", ms, "?not_a_number"},

		// No number.
		{"", ms, "?empty"},
		{" \u3000 ", ms, "?empty"},
		{"-", ms, "?not_a_number"},
		{"--5", ms, "?not_a_number"},
		{"ms", ms, "?not_a_number"},
		{"five", ms, "?not_a_number"},
		{"1 2", ms, "?not_a_number"},
		{"1 00", ms, "?not_a_number"},
		{"1000 000", ms, "?not_a_number"},
		{"1,00,000", ms, "?not_a_number"},
		{"1,000,00", ms, "?not_a_number"},
		{"1.2.3", ms, "?not_a_number"},
		{"1,2.3,4", ms, "?not_a_number"},
		{"1 000'000", ms, "?not_a_number"},
		{"..", ms, "?not_a_number"},
		{"1/2", ms, "?not_a_number"},
		{"100*2", ms, "?not_a_number"},
		{"100 - 50", ms, "?not_a_number"},
		{"~100", ms, "?not_a_number"},
		{"= 100", ms, "?not_a_number"},
		{"100 or 200", ms, "?not_a_number"},
		{"NaN", ms, "?not_a_number"},
		{"Infinity", ms, "?not_a_number"},
		{"0x10", ms, "?not_a_number"},
		{"true", ms, "?not_a_number"},
		{"١٢٥", ms, "?not_a_number"},
		{strings.Repeat("9", 201), ms, "?not_a_number"},
	} {
		value, unclear := quiz.ReadNumber(c.typed, c.units)
		got := "?" + unclear
		if unclear == "" {
			got = value.RatString()
		}
		if got != c.want {
			t.Errorf("%.40q in %v: got %s, want %s", c.typed, c.units, got, c.want)
		}
	}
}

func FuzzReadNumber(f *testing.F) {
	for _, s := range []string{"125", "1,000.5", "1 000 ms", "１２５", "1e-30", "−5", "1'000'000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		value, unclear := quiz.ReadNumber(s, []string{"ms"})
		if (value == nil) == (unclear == "") {
			t.Errorf("%q: value %v and unclear %q", s, value, unclear)
		}
		// Whatever was understood says the same without any spaces around it.
		if again, _ := quiz.ReadNumber("  "+s+"\u3000", []string{"ms"}); unclear == "" && len(s) < 150 && again.Cmp(value) != 0 {
			t.Errorf("%q: %v, and %v with spaces around it", s, value, again)
		}
	})
}
