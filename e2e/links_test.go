package e2e

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"retrylab/web"
)

// TestTheSiteWorksUnderAnyPath goes to every page by every link that the running program has drawn, by
// address, and by reload: at the root, under a path that the build knew, and under one it did not.
func TestTheSiteWorksUnderAnyPath(t *testing.T) {
	need(t)
	t.Parallel()
	for _, c := range []struct{ name, built, served string }{
		{"root", "", "/"},
		{"a path known when it was built", "/any/path/", "/any/path/"},
		{"a path unknown when it was built", "", "/~teacher/retry budgets/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			need(t)
			h := serve(t, buildSite(t, c.built), c.served)
			h.base = (&url.URL{Path: c.served}).EscapedPath()
			b := open(t, h)
			pages := map[string]bool{}
			for _, lang := range web.Languages() {
				for _, p := range web.Pages() {
					pages[h.url(strings.TrimPrefix(web.Prefix(lang)+p.Path, "/"))] = true
				}
			}
			for i, p := range web.Pages() {
				if c.served != "/" && i > 1 {
					break // the home page and one below it tell; TestEveryLinkLeadsSomewhere reads all
				}
				path := strings.TrimPrefix(p.Path, "/")
				b.goTo(path)
				title := p.FullTitle(web.Place{Lang: "en", Path: p.Path})
				if got := eval[string](b, `document.title`); got != title {
					t.Errorf("%s is %q, want %q", path, got, title)
				}
				b.sees(wordsOf("en").Get(p.Title))
				for _, to := range eval[[]string](b, `[...document.querySelectorAll("a[href]:not([rel~=license])")].map((a) => a.href.replace(/[?#].*/, ""))`) {
					if !pages[to] {
						t.Errorf("%s leads to %s, which is no page", path, to)
					}
				}
				b.reload()
				if again := eval[string](b, `document.title`); again != title {
					t.Errorf("%s is %q after a reload, was %q", path, again, title)
				}
			}
			if got := eval[string](b, `fetch(document.querySelector("footer a[rel~=license]").href).then((r) => r.text())`); !strings.HasPrefix(got, "This course contains the work of others.") {
				t.Errorf("the link to the licences leads to %.60q", got)
			}
			// By links, without loading a new document.
			b.goTo("")
			eval[chromedp.Void](b, `void (window.sameDocument = true)`)
			for _, p := range web.Pages() {
				if eval[bool](b, `![...document.querySelectorAll("a")].some((a) => a.href === `+quote(h.url(strings.TrimPrefix(p.Path, "/")))+`)`) {
					continue // not every page is linked from every other
				}
				eval[chromedp.Void](b, `[...document.querySelectorAll("a")].find((a) => a.href === `+quote(h.url(strings.TrimPrefix(p.Path, "/")))+`).click()`)
				at := web.Place{Lang: "en", Path: p.Path}
				b.wait(`document.title === `+quote(p.FullTitle(at)), "the link to "+p.Path+" works")
				if got, want := eval[string](b, `location.href`), h.url(strings.TrimPrefix(p.Path, "/")); got != want {
					t.Errorf("the address is %s, want %s", got, want)
				}
			}
			if !eval[bool](b, `window.sameDocument === true`) {
				t.Error("a link within the site loads a new document")
			}
			// An address without its last slash, and one that is no page.
			b.goTo(strings.Trim(web.Pages()[len(web.Pages())-1].Path, "/"))
			if got := eval[string](b, `location.pathname`); !strings.HasSuffix(got, "/") {
				t.Errorf("the address stays %s", got)
			}
			if c.built == c.served || c.served == "/" {
				b.expect("404")
				b.load("no/such/page/")
				b.ready()
				b.role("link", wordsOf("en").Get("missing.home")).click()
				b.wait(`location.href === `+quote(h.url("")), "the way home works")
				b.sees(wordsOf("en").Get("home.title"))
			}
		})
	}
}

func TestBackLeadsToWhereOneWas(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.width(390)
	b.goTo("")
	eval[chromedp.Void](b, `scrollTo(0, document.documentElement.scrollHeight)`)
	b.wait(`scrollY > 200`, "the page is scrolled down")
	was := eval[float64](b, `scrollY`)
	other := web.Pages()[1]
	eval[chromedp.Void](b, `[...document.querySelectorAll("footer a, main a")].filter((a) => a.href === `+quote(b.host.url(strings.TrimPrefix(other.Path, "/")))+`).at(-1).click()`)
	b.wait(`document.title === `+quote(other.FullTitle(web.Place{Lang: "en", Path: other.Path})), "the other page is there")
	b.wait(`scrollY === 0`, "a new page starts at its beginning")
	b.wait(`document.activeElement.id === "main"`, "the screen reader starts at the main part")
	eval[chromedp.Void](b, `history.back()`)
	b.sees(wordsOf("en").Get("home.title"))
	b.wait(`Math.abs(scrollY - `+quoteNumber(was)+`) < 50`, "back leads to the place on the page")
}

func TestTheSkipLinkMovesTheKeyboard(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("")
	b.key("\t")
	skip := b.role("link", wordsOf("en").Get("nav.skip"))
	if !skip.focused() {
		t.Fatal("the first stop of the keyboard is not the skip link")
	}
	b.key("\r")
	b.wait(`document.activeElement.id === "main" && location.hash === "#main"`, "the keyboard is at the main part")
}
