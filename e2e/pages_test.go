package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"retrylab/web"
	"retrylab/web/site"
	"retrylab/web/text"
)

type webPage = web.Page

func wordsOf(lang string) text.Words { return text.For(lang) }

// buildIfWanted is the site; tests that are skipped do not build it.
func buildIfWanted(t *testing.T) site.Files {
	t.Helper()
	need(t)
	return buildSite(t, "")
}

// eachPage calls f for every page in every language, with its path on the site.
func eachPage(f func(lang string, p web.Page, path string)) {
	for _, lang := range web.Languages() {
		for _, p := range web.Pages() {
			f(lang, p, strings.TrimPrefix(web.Prefix(lang)+p.Path, "/"))
		}
	}
}

// theme makes the system light or dark, and stills what moves.
func (b *tab) theme(scheme string) {
	b.t.Helper()
	err := call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// width makes the window as wide as a phone (390) or a laptop (1280).
func (b *tab) width(pixels int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(pixels, 900))
}

// settled waits until a page that needs the engine has it. The page of components shows how it looks
// while it starts.
func (b *tab) settled(lang string, p web.Page) {
	b.t.Helper()
	if p.Path != "/components/" {
		b.seesNot(wordsOf(lang).Get("engine.starting"))
	}
	if p.Path == "/lab/" {
		b.wait(`document.querySelectorAll(".part").length === 4`, "the checks are listed")
	}
}

func TestEveryPageIsAccessibleLightAndDarkWideAndNarrowAndAllItsWordsAreFromTheCatalogue(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	eachPage(func(lang string, p web.Page, path string) {
		b.theme("light")
		b.width(1280)
		b.goTo(path)
		b.settled(lang, p)
		b.axe(path + " light, wide")
		if lang == text.Pseudo {
			for _, s := range eval[[]string](b, missedWords) {
				t.Errorf("%s shows %q, which is not from the catalogue", path, s)
			}
		}
		name := lang + strings.ReplaceAll(p.Path, "/", "-")
		b.shot(name + "light")
		b.theme("dark")
		b.width(390)
		b.axe(path + " dark, narrow")
		b.shot(name + "dark-narrow")
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s on a phone is %d pixels wide", path, wide)
		}
	})
	b.theme("light")
	b.expect("404")
	b.load("no/such/page/")
	b.ready()
	b.axe("404.html")
	b.shot("404")
}

// missedWords finds text with plain letters that the catalogue's pseudo-language has not changed. Code,
// the names of languages, the texts of quiz files and what is marked translate="no" keep their letters. Units such as ms too.
const missedWords = `(() => {
	const exempt = (e) => e.closest("a[hreflang], code, pre, kbd, samp, script, style, noscript, svg symbol, [translate=no], [data-authored], .code, .mono");
	const plain = (s) => s.replace(/⟦[^⟦⟧]*⟧/g, "").replace(/\b(ms|kB|MB|SQLite)\b/g, "");
	const missed = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		if (!exempt(n.parentElement) && /[A-Za-z]/.test(plain(n.data))) missed.push(n.data.trim());
	}
	for (const e of document.querySelectorAll("[aria-label], [title], [alt], [placeholder], [aria-description], [aria-roledescription], [aria-valuetext]")) {
		for (const a of ["aria-label", "title", "alt", "placeholder", "aria-description", "aria-roledescription", "aria-valuetext"]) {
			const s = e.getAttribute(a);
			if (s && !exempt(e) && /[A-Za-z]/.test(plain(s))) missed.push(a + "=" + s);
		}
	}
	if (/[A-Za-z]/.test(plain(document.title))) missed.push("title: " + document.title);
	return [...new Set(missed)];
})()`
