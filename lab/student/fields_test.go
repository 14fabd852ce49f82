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
	_, err := fields("stats", "none", figures)
	for language, says := range map[Language]string{
		Python:     `stats returned the text "none", wanted a dict`,
		JavaScript: `stats returned the text "none", wanted an object`,
	} {
		if got := language.named(err).Error(); got != says {
			t.Errorf("%s: %s", language, got)
		}
	}
	if got := JavaScript.named(wrong("retry_delay", "", map[string]any{"f": "2.5"}, "a whole number")).Error(); got != "retryDelay returned 2.5, a float, wanted a whole number" {
		t.Errorf("%s", got)
	}
}
