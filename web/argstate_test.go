package web

import "testing"

func TestJudgeNamesEveryBadArgument(t *testing.T) {
	for _, c := range []struct {
		typed [4]string
		delay int64
		bad   []string // name:fault
	}{
		{[4]string{"1", "100", "1000", "0.5"}, 50, nil},
		{[4]string{"3", "100", "250", "0.5"}, 125, nil},
		{[4]string{"2.0", "1e2", "1000.0", "1"}, 200, nil},
		{[4]string{"1", "325", "1000", "0.48"}, 156, nil},
		{[4]string{"true", "Infinity", "NaN", "1e400"}, 0, []string{"attempt:boolean", "base_ms:infinite", "cap_ms:nan", "jitter:too_large"}},
		{[4]string{`"3"`, "2.5", "-1", "0"}, 0, []string{"attempt:text", "base_ms:fraction", "cap_ms:too_small"}},
		{[4]string{"", "null", "[1]", "{}"}, 0, []string{"attempt:missing", "base_ms:null", "cap_ms:list", "jitter:map"}},
		{[4]string{"0", "9007199254740992", "9007199254740991.4", "1.0000000000000000001"}, 0, []string{"attempt:too_small", "base_ms:too_large", "cap_ms:fraction", "jitter:too_large"}},
	} {
		v := judge(c.typed)
		if v.OK != (c.bad == nil) || v.Delay != c.delay {
			t.Errorf("%v: got %+v", c.typed, v)
		}
		var bad []string
		for _, b := range v.Bad {
			bad = append(bad, b.Name+":"+string(b.Fault))
		}
		if len(bad) != len(c.bad) {
			t.Errorf("%v: got %v, want %v", c.typed, bad, c.bad)
			continue
		}
		for i := range bad {
			if bad[i] != c.bad[i] {
				t.Errorf("%v: got %v, want %v", c.typed, bad, c.bad)
			}
		}
	}
}

func TestJudgeSaysWhenTheCapDecided(t *testing.T) {
	for _, c := range []struct {
		typed  [4]string
		capped bool
	}{
		{[4]string{"1", "100", "250", "1"}, false},
		{[4]string{"2", "100", "200", "1"}, false}, // doubling alone gives the cap exactly
		{[4]string{"3", "100", "250", "1"}, true},
		{[4]string{"1", "300", "250", "1"}, true},
		{[4]string{"9007199254740991", "1", "9007199254740991", "1"}, true},
	} {
		if v := judge(c.typed); v.Capped != c.capped {
			t.Errorf("%v: capped %v, want %v", c.typed, v.Capped, c.capped)
		}
	}
}
