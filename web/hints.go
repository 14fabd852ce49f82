package web

import (
	"strings"

	"retrylab/web/text"
)

// hintKinds are the kinds of wrong values, by a piece of the slugs of the checks that reject them.
// The hints of a kind are the same for every argument.
var hintKinds = []struct{ piece, kind string }{
	{"-boolean-", "boolean"}, {"-infinite-", "infinite"}, {"-nan-", "nan"}, {"-fractional-", "fraction"},
	{"-text-", "text"}, {"-null-", "null"}, {"-out-of-range-", "range"}, {"-float-", "float"},
}

// checkHints are the hints of a check, in the order in which they open: the first says where to look,
// the last one names the idea. A check has hints of its own, or those of the kind of value that it
// rejects; one that the catalogue does not know has none.
func checkHints(words text.Words, slug string) []string {
	if own := hintsUnder(words, "check."+slug); len(own) > 0 {
		return own
	}
	if !strings.Contains(slug, "reject") {
		return nil
	}
	for _, k := range hintKinds {
		if strings.Contains("-"+slug+"-", k.piece) {
			return hintsUnder(words, "check.kind."+k.kind)
		}
	}
	return nil
}

func hintsUnder(words text.Words, key string) (hints []string) {
	for n := 1; ; n++ {
		hint := key + ".hint." + whole(n)
		if !words.Has(hint) {
			return hints
		}
		hints = append(hints, words.Get(hint))
	}
}
