package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pairs reads a file of the catalogue as it stands, in order.
func pairs(t *testing.T, lang string) (keys, texts []string) {
	t.Helper()
	data, err := files.ReadFile(lang + ".json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		value, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		s, ok := value.(string)
		if !ok {
			t.Fatalf("%s: %v is no text", lang, key)
		}
		keys, texts = append(keys, key.(string)), append(texts, s)
	}
	return keys, texts
}

var (
	keyForm = regexp.MustCompile(`^[a-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
	place   = regexp.MustCompile(`\{[a-z_]+\}`)
)

func TestCatalogueFilesAreInOrderAndComplete(t *testing.T) {
	for _, lang := range Languages() {
		keys, texts := pairs(t, lang)
		if !slices.IsSorted(keys) {
			for i := 1; i < len(keys); i++ {
				if keys[i] < keys[i-1] {
					t.Errorf("%s: %s stands after %s: the keys are kept sorted", lang, keys[i], keys[i-1])
					break
				}
			}
		}
		for i, key := range keys {
			if i > 0 && key == keys[i-1] {
				t.Errorf("%s: %s stands there twice", lang, key)
			}
			if !keyForm.MatchString(key) {
				t.Errorf("%s: %q is no key such as lab.run", lang, key)
			}
			s := texts[i]
			if strings.TrimSpace(s) == "" || strings.TrimSpace(s) != strings.TrimSuffix(s, " ") {
				t.Errorf("%s: %s is empty, or has space around it that is not one before what follows: %q", lang, key, s)
			}
			if strings.Count(s, "`")%2 != 0 {
				t.Errorf("%s: %s has a span of code without an end", lang, key)
			}
			if strings.ContainsAny(s, "<>") && strings.Contains(s, "</") {
				t.Errorf("%s: %s has HTML in it", lang, key)
			}
		}
	}
}

func TestEveryLanguageHasTheKeysAndPlacesOfEnglish(t *testing.T) {
	english := For("en")
	for _, lang := range Languages()[1:] {
		words := For(lang)
		for _, key := range english.Keys() {
			if stem, form, ok := cutForm(key); ok {
				if form == "one" {
					continue
				}
				for _, f := range PluralForms(lang) {
					if !words.Has(stem + "." + f) {
						t.Errorf("%s lacks %s.%s", lang, stem, f)
					}
				}
				continue
			}
			if !words.Has(key) {
				t.Errorf("%s lacks %s", lang, key)
				continue
			}
			if got, want := places(words.Get(key)), places(english.Get(key)); got != want {
				t.Errorf("%s: %s has the places %s, English has %s", lang, key, got, want)
			}
		}
	}
}

func places(s string) string {
	all := place.FindAllString(s, -1)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// cutForm splits a key of a plural form.
func cutForm(key string) (stem, form string, ok bool) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "", "", false
	}
	if !slices.Contains([]string{"one", "few", "many", "other"}, key[i+1:]) {
		return "", "", false
	}
	return key[:i], key[i+1:], true
}

func TestGetFillsPlacesAndShowsMissingKeys(t *testing.T) {
	words := Words{"en", map[string]string{"a.b": "{n} of {total}, {n}", "job.one": "{n} job", "job.other": "{n} jobs in {place}"}}
	for _, c := range []struct{ got, want string }{
		{words.Get("a.b", "n", 3, "total", int64(9)), "3 of 9, 3"},
		{words.Get("a.b", "n", "{total}", "total", 1), "{total} of 1, {total}"}, // a value is not filled again
		{words.Get("a.b"), "{n} of {total}, {n}"},
		{words.Get("no.such", "n", 1), "⟦no.such⟧"},
		{words.N("job", 1), "1 job"},
		{words.N("job", 0, "place", "the queue"), "0 jobs in the queue"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if For("no-such-language").Lang() != "en" {
		t.Error("an unknown language does not get English")
	}
}

func TestPluralForms(t *testing.T) {
	for lang, want := range map[string]string{
		"en": "0 other 1 one 2 other 5 other 11 other 21 other",
		"xa": "0 other 1 one 2 other 5 other 11 other 21 other",
		"ja": "0 other 1 other 2 other 5 other 11 other 21 other",
		"ru": "0 many 1 one 2 few 5 many 11 many 21 one 12 many 22 few 25 many 111 many 101 one 114 many",
	} {
		fields := strings.Fields(want)
		for i := 0; i < len(fields); i += 2 {
			var n int64
			fmt.Sscan(fields[i], &n)
			if got := plural(lang, n); got != fields[i+1] {
				t.Errorf("%s: %d is %s, want %s", lang, n, got, fields[i+1])
			}
			if !slices.Contains(PluralForms(lang), fields[i+1]) {
				t.Errorf("%s: %s is not among its forms", lang, fields[i+1])
			}
		}
	}
}

func TestPseudoTextChangesEveryLetterButPlacesAndCode(t *testing.T) {
	for in, want := range map[string]string{
		"Run {n} checks":       "⟦Ŕúń {n} ćĥéćķś⟧",
		"`max_attempts` is 3.": "⟦`max_attempts` íś 3.⟧",
		"a `{x}` b":            "⟦á `{x}` ƀ⟧",
	} {
		if got := pseudoText(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	letter := regexp.MustCompile(`[A-Za-z]`)
	for r := 'a'; r <= 'z'; r++ {
		if s := string(r) + strings.ToUpper(string(r)); letter.MatchString(pseudoText(s)) {
			t.Errorf("%s keeps a letter: %s", s, pseudoText(s))
		}
	}
}
