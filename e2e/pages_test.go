package e2e

import (
	"strings"
	"testing"

	"retrylab/web"
)

// eachPage calls f for every page in every language, with its path on the site.
func eachPage(f func(lang string, p web.Page, path string)) {
	for _, lang := range web.Languages() {
		for _, p := range web.Pages() {
			f(lang, p, strings.TrimPrefix(web.Prefix(lang)+p.Path, "/"))
		}
	}
}

func TestEveryPageIsAccessible(t *testing.T) {
	h := theSite(t)
	b := open(t, h)
	eachPage(func(lang string, p web.Page, path string) {
		b.goTo(path)
		b.axe(path)
	})
}
