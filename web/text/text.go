// Package text is the catalogue: every word that a person reads on a page, one file a language.
//
// A key is a dotted name such as lab.run. A text may hold places such as {name}, which [Words.Get]
// fills, and spans of code between backquotes, which pages show as code. A text that depends on a
// count has one key for each plural form of its language: key.one, key.few, key.many, key.other.
package text

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Pseudo is the language for tests: English in accented letters between ⟦ and ⟧, so that a text
// which does not come from the catalogue is seen at once.
const Pseudo = "xa"

//go:embed *.json
var files embed.FS

// Languages lists the codes of the languages of the site. The first, English, is the one without a
// prefix in the address, and the one every other is held against.
func Languages() []string { return []string{"en"} }

// Tag is the language tag (BCP 47) for a code, as the lang attribute has it.
func Tag(lang string) string {
	if lang == Pseudo {
		return "en-XA"
	}
	return lang
}

// Words are the texts of one language. The zero value has none.
type Words struct {
	lang  string
	texts map[string]string
}

var load = sync.OnceValue(func() map[string]Words {
	all := map[string]Words{}
	for _, lang := range Languages() {
		data, err := files.ReadFile(lang + ".json")
		if err != nil {
			panic(err) // the file is embedded: only a build without it can fail
		}
		texts := map[string]string{}
		if err := json.Unmarshal(data, &texts); err != nil {
			panic(fmt.Sprintf("web/text/%s.json: %v", lang, err))
		}
		all[lang] = Words{lang, texts}
	}
	pseudo := map[string]string{}
	for key, s := range all["en"].texts {
		pseudo[key] = pseudoText(s)
	}
	all[Pseudo] = Words{Pseudo, pseudo}
	return all
})

// For returns the words of a language; an unknown language gets English.
func For(lang string) Words {
	if w, ok := load()[lang]; ok {
		return w
	}
	return load()["en"]
}

// Lang is the language's code.
func (w Words) Lang() string { return w.lang }

// Has says whether the catalogue has the key.
func (w Words) Has(key string) bool {
	_, ok := w.texts[key]
	return ok
}

// Keys lists the keys in order.
func (w Words) Keys() []string { return slices.Sorted(maps.Keys(w.texts)) }

// Get returns the text of a key with its places filled from pairs of name and value. A place that
// no pair names stays as it is. A missing key gives the key between ⟦ and ⟧.
func (w Words) Get(key string, pairs ...any) string {
	s, ok := w.texts[key]
	if !ok {
		return "⟦" + key + "⟧"
	}
	if len(pairs) == 0 {
		return s
	}
	old := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		old = append(old, "{"+fmt.Sprint(pairs[i])+"}", fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(old...).Replace(s)
}

// N returns the text of a key in the plural form that n has in the language, with {n} and the pairs
// filled.
func (w Words) N(key string, n int64, pairs ...any) string {
	return w.Get(key+"."+plural(w.lang, n), append([]any{"n", n}, pairs...)...)
}
