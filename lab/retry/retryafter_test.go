package retry_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"retrylab/lab/retry"
)

// now1994 is 8 s before the date of RFC 9110's examples.
var now1994 = time.Date(1994, 11, 6, 8, 49, 29, 0, time.UTC).UnixMilli()

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int64
		ok    bool
	}{
		// Seconds.
		{"0", 0, true}, {"2", 2000, true}, {"7", 7000, true}, {"3600", 3_600_000, true}, {"007", 7000, true},
		{" 3 ", 3000, true}, {"\t3\t ", 3000, true},
		{"9007199254740", 9_007_199_254_740_000, true},
		{"9007199254741", retry.Max, true}, {"18446744073709551617", retry.Max, true}, {strings.Repeat("9", 100_000), retry.Max, true},
		{"0000000000000000000000000000000001", 1000, true},
		// Neither seconds nor a date.
		{"", 0, false}, {" ", 0, false}, {"-5", 0, false}, {"-0", 0, false}, {"+5", 0, false}, {"abc", 0, false}, {"1.5", 0, false},
		{"1e3", 0, false}, {"0x10", 0, false}, {"3 4", 0, false}, {"3,", 0, false}, {"3s", 0, false}, {"\n3", 0, false}, {"٣", 0, false}, {"NaN", 0, false},
		{"Infinity", 0, false}, {"3\x00", 0, false}, {"true", 0, false},
		// The three forms of a date.
		{"Sun, 06 Nov 1994 08:49:37 GMT", 8000, true},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 8000, true},
		{"Sun Nov  6 08:49:37 1994", 8000, true},
		{" Sun, 06 Nov 1994 08:49:37 GMT ", 8000, true},
		{"sun, 06 NOV 1994 08:49:37 GMT", 8000, true},
		{"Sun, 06 Nov 1994 08:49:29 GMT", 0, true},
		{"Sun, 06 Nov 1994 08:49:28 GMT", 0, true}, // past
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0, true},
		{"Sat, 01 Jan 0000 00:00:00 GMT", 0, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 252_618_189_030_000, true},
		{"Wed, 16 Nov 1994 08:49:29 GMT", 864_000_000, true},
		{"Wednesday, 16-Nov-94 08:49:29 GMT", 864_000_000, true},
		{"Wed Nov 16 08:49:29 1994", 864_000_000, true},
		{"Sun, 06 Nov 1994 08:49:60 GMT", 31_000, true}, // a leap second
		{"Mon, 29 Feb 1996 00:00:00 GMT", 41_440_231_000, true},
		// A year of two digits is at most 50 years ahead.
		{"Sunday, 06-Nov-44 08:49:29 GMT", 1_577_923_200_000, true},
		{"Sunday, 06-Nov-44 08:49:30 GMT", 0, true}, // 1944
		{"Sunday, 06-Nov-93 08:49:30 GMT", 0, true},
		{"Sunday, 06-Nov-00 08:49:29 GMT", 189_388_800_000, true},
		// Not dates.
		{"Sun, 6 Nov 1994 08:49:37 GMT", 0, false}, {"Sun, 06 Nov 94 08:49:37 GMT", 0, false}, {"06 Nov 1994 08:49:37 GMT", 0, false},
		{"Sun, 06 Nov 1994 08:49:37", 0, false}, {"Sun, 06 Nov 1994 08:49:37 UTC", 0, false}, {"Sun, 06 Nov 1994 08:49:37 +0000", 0, false},
		{"Sun, 06 Nov 1994 08:49:37 GMT!", 0, false}, {"Sun, 06 Nov 1994 08:49:37.5 GMT", 0, false}, {"Sun, 06 Nov 1994 08:49 GMT", 0, false},
		{"Sun, 31 Feb 1994 08:49:37 GMT", 0, false}, {"Sun, 00 Nov 1994 08:49:37 GMT", 0, false}, {"Sun, 29 Feb 1995 00:00:00 GMT", 0, false},
		{"Sun, 06 Nov 1994 24:00:00 GMT", 0, false}, {"Sun, 06 Nov 1994 08:60:37 GMT", 0, false}, {"Sun, 06 Nov 1994 08:49:61 GMT", 0, false},
		{"Sun, 06 Foo 1994 08:49:37 GMT", 0, false}, {"Xxx, 06 Nov 1994 08:49:37 GMT", 0, false}, {"Sun, 06 Nov 1994  08:49:37 GMT", 0, false},
		{"Sunday, 06 Nov 1994 08:49:37 GMT", 0, false}, {"Sunday, 06-Nov-1994 08:49:37 GMT", 0, false}, {"Mo, 06-Nov-94 08:49:37 GMT", 0, false},
		{"Monsday, 06-Nov-94 08:49:37 GMT", 0, false}, {"Sun Nov 6 08:49:37 1994", 0, false}, {"Sun Nov  6 08:49:37 94", 0, false}, {"Sun", 0, false},
		{"1994-11-06T08:49:37Z", 0, false}, {"Wednesday, 31-Feb-94 23:59:60 GMT", 0, false},
	} {
		ms, ok := retry.RetryAfter(c.value, now1994)
		if ms != c.want || ok != c.ok {
			t.Errorf("Retry-After %.50q = %d, %v, want %d, %v", c.value, ms, ok, c.want, c.ok)
		}
	}
}

func TestRetryAfterAtAnyTimeOfTheClock(t *testing.T) {
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	for now, want := range map[int64]int64{0: 784_111_777_000, -1: 784_111_777_000, retry.Max: 0, retry.Max + 5: 0} {
		if ms, ok := retry.RetryAfter(date, now); ms != want || !ok {
			t.Errorf("at %d: %d, %v, want %d", now, ms, ok, want)
		}
	}
	if ms, ok := retry.RetryAfter("Sunday, 06-Nov-94 08:49:37 GMT", retry.Max); ms < 0 || !ok {
		t.Errorf("a short year far ahead: %d, %v", ms, ok)
	}
}

// Every date that net/http reads, in each form, is read alike, but for the century of a short year.
func TestRetryAfterReadsEveryDateOfThreeForms(t *testing.T) {
	days := []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	rapid.Check(t, func(t *rapid.T) {
		now := rapid.Int64Range(0, 4_000_000_000).Draw(t, "now") * 1000
		ahead := rapid.Int64Range(-1_500_000_000, 1_500_000_000).Draw(t, "ahead") // within 48 years
		at := time.UnixMilli(now).Add(time.Duration(ahead) * time.Second).UTC()
		want := max(0, ahead*1000)
		for _, value := range []string{
			at.Format(http.TimeFormat),
			days[at.Weekday()] + at.Format(", 02-Jan-06 15:04:05 GMT"),
			at.Format(time.ANSIC),
		} {
			if ms, ok := retry.RetryAfter(value, now); ms != want || !ok {
				t.Fatalf("%q at %d: %d, %v, want %d", value, now, ms, ok, want)
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"3", " 3 ", "-5", "1.5", "9007199254741", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 16 08:49:37 1994"} {
		f.Add(s, int64(784_111_769_000))
	}
	f.Fuzz(func(t *testing.T, value string, now int64) {
		ms, ok := retry.RetryAfter(value, now)
		if ms < 0 || ms > retry.Max || !ok && ms != 0 {
			t.Fatalf("%q at %d: %d, %v", value, now, ms, ok)
		}
		trimmed := strings.Trim(value, " \t")
		if again, ok2 := retry.RetryAfter("\t"+trimmed+" ", now); again != ms || ok2 != ok {
			t.Fatalf("white space changes %q: %d, %v and %d, %v", value, ms, ok, again, ok2)
		}
		if !ok || strings.Trim(trimmed, "0123456789") == "" {
			return
		}
		// What is read as a date is one to net/http too. Leap seconds are none to it, and it has another
		// rule for the century of a short year.
		leap := strings.Contains(trimmed, ":60")
		want, err := http.ParseTime(strings.Replace(trimmed, ":60", ":59", 1))
		if err != nil {
			t.Fatalf("%q is a date only here: %v", value, err)
		}
		if strings.Contains(trimmed, "-") || now < 0 || now > retry.Max {
			return
		}
		at := want.UnixMilli()
		if leap {
			at += 1000
		}
		if ms != max(0, at-now) {
			t.Fatalf("%q at %d: %d, want %d", value, now, ms, max(0, at-now))
		}
	})
}
