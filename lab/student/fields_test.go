package student

import "testing"

func TestAKeyInTheOtherLanguagesHabitIsNamed(t *testing.T) {
	seven := tagged{"i": "7"}
	for _, c := range []struct {
		language Language
		key      string // as it travels
		says     string
	}{
		{Python, "available_at", ""},
		{Python, "availableAt", "run_once returned the key availableAt, wanted available_at"},
		{JavaScript, "available_at", ""}, // availableAt
		{JavaScript, "available__at", "runOnce returned the key available_at, wanted availableAt"},
	} {
		got := map[string]any{"m": map[string]any{c.key: map[string]any(seven)}}
		row, err := fields("run_once", got, outcomes)
		switch {
		case c.says == "" && (err != nil || row.Get("available_at") != int64(7)):
			t.Errorf("%s, %s: %v, %v", c.language, c.key, row, err)
		case c.says != "" && (err == nil || c.language.named(err).Error() != c.says):
			t.Errorf("%s, %s: %v", c.language, c.key, err)
		}
	}
}

func TestWhatAFunctionMustReturnIsSaidInTheLanguagesWords(t *testing.T) {
	for _, c := range []struct {
		function string
		language Language
		says     string
	}{
		{"stats", Python, `stats returned the text "none", wanted a dict`},
		{"stats", JavaScript, `stats returned the text "none", wanted an object`},
		{"run_once", Python, `run_once returned the text "none", wanted None or a dict`},
		{"run_once", JavaScript, `runOnce returned the text "none", wanted null or an object`},
		{"job", JavaScript, `job returned the text "none", wanted null or an object`},
	} {
		_, err := fields(c.function, "none", figures)
		if got := c.language.named(err).Error(); got != c.says {
			t.Errorf("%s: %s", c.language, got)
		}
	}
	if got := JavaScript.named(wrong("retry_delay", "", map[string]any{"f": "2.5"}, "a whole number")).Error(); got != "retryDelay returned 2.5, a float, wanted a whole number" {
		t.Errorf("%s", got)
	}
}
