package e2e

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"retrylab/web"
	"retrylab/web/site"
)

// TestAfterOneVisitTheSiteWorksOffline visits one page, stops the server and ends the browser, and
// then goes to every page by its address in a browser that was started anew.
func TestAfterOneVisitTheSiteWorksOffline(t *testing.T) {
	need(t)
	t.Parallel()
	for _, base := range []string{"/", "/any/path/"} {
		t.Run(base, func(t *testing.T) {
			need(t)
			built := ""
			if base != "/" {
				built = base
			}
			h := serve(t, buildSite(t, built), base)
			profile := t.TempDir()

			browser, end := startBrowser(t, chromedp.UserDataDir(profile))
			b := openIn(t, h, browser)
			b.goTo("")
			b.offline()
			b.checkFaults()
			b.stop()
			end()
			h.stop()

			browser, end = startBrowser(t, chromedp.UserDataDir(profile))
			defer end()
			b = openIn(t, h, browser)
			seen := map[string]bool{}
			eachPage(func(lang string, p web.Page, path string) {
				if base != "/" && seen[lang] {
					return // one page of each language tells about a path; all are seen at the root
				}
				addresses := []string{path}
				if !seen[lang] {
					addresses = append(addresses, path+"?x=1&y=a/b#main")
				}
				seen[lang] = true
				for _, address := range addresses {
					b.goTo(address)
					at := web.Place{Lang: lang, Path: p.Path}
					if got, want := eval[string](b, `document.title`), p.FullTitle(at); got != want {
						t.Errorf("%s offline is %q, want %q", address, got, want)
					}
					if got, want := eval[string](b, `location.href`), h.url(address); got != want {
						t.Errorf("the address became %s, want %s", got, want)
					}
				}
			})
			b.reload()
			// Without the last slash, and by the name of the file.
			last := web.Pages()[len(web.Pages())-1]
			b.goTo(strings.Trim(last.Path, "/") + "?x=1")
			if got, want := eval[string](b, `location.href`), h.url(strings.TrimPrefix(last.Path, "/")+"?x=1"); got != want {
				t.Errorf("the address became %s, want %s", got, want)
			}
			b.goTo(strings.TrimPrefix(last.Path, "/") + "index.html")
			b.sees(wordsOf("en").Get(last.Title))
			// Everything that a page may ask for later.
			for name := range buildSite(t, built) {
				if name == "sw.js" || strings.HasSuffix(name, ".html") || strings.HasPrefix(name, "py/") {
					continue // Python is kept when it is asked for: ondemand_test.go
				}
				if status := eval[int](b, `fetch(`+quote(h.url(name))+`).then((r) => r.blob().then(() => r.status))`); status != http.StatusOK {
					t.Errorf("%s offline: %d", name, status)
				}
			}
			b.expect("404")
			b.load("no/such/page")
			b.ready()
			b.sees(wordsOf("en").Get("missing.title"))
		})
	}
}

// TestOneBrokenFileDoesNotSpoilTheRest serves a site of which a file is wrong at first, as the service
// worker gets it: nothing wrong is kept, what works is kept, and the next visit brings the rest.
func TestOneBrokenFileDoesNotSpoilTheRest(t *testing.T) {
	need(t)
	t.Parallel()
	login := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><p>Please log in to this network")
	}
	for _, c := range []struct {
		name, file string
		answer     func(w http.ResponseWriter)
	}{
		{"a page fails", "/quiz/", func(w http.ResponseWriter) { http.Error(w, "try later", http.StatusServiceUnavailable) }},
		{"another page comes", "/quiz/", login},
		{"another file comes", "/look.css", login},
		{"a program is cut short", "/app.wasm.gz", func(w http.ResponseWriter) { io.WriteString(w, "\x1f\x8b\x08") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := theSite(t)
			all := site.Handler(asFS(buildSite(t, "")), "/")
			var broken atomic.Bool
			var wrong, asked atomic.Int64
			broken.Store(true)
			h.stop()
			h.startWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				kept := r.Header.Get("Cache-Control") == "no-cache" // the service worker asks so
				switch {
				case kept && broken.Load() && strings.HasSuffix(r.URL.Path, c.file):
					wrong.Add(1)
					c.answer(w)
					return
				case strings.HasSuffix(r.URL.Path, ".yaml"):
					http.NotFound(w, r) // an instructor has taken the quizzes away
					return
				case kept && strings.HasSuffix(r.URL.Path, "/sprite.svg"):
					asked.Add(1)
				}
				all.ServeHTTP(w, r)
			}))
			b := open(t, h)
			b.goTo("")
			for began := time.Now(); wrong.Load() == 0; b.pause(began) {
				if time.Since(began) > patience {
					t.Fatal("the service worker has not asked for the file")
				}
			}
			b.wait(`navigator.serviceWorker.getRegistration().then((r) => !r?.installing && !r?.active && !r?.waiting)`, "the first install has failed")
			broken.Store(false)
			before := asked.Load()
			b.reload()
			b.offline()
			if n := asked.Load(); before > 0 && n > before {
				t.Errorf("the second try fetched again what was kept")
			}
			h.stop()
			b.expect("ERR_FAILED") // the page asks for its quizzes
			b.expect("ERR_CONNECTION_REFUSED")
			b.goTo("quiz/")
			b.sees(wordsOf("en").Get("quiz.title"))
		})
	}
}

// version2 is the site with another style sheet.
func version2(t *testing.T, mark string) site.Files {
	t.Helper()
	o := options(t, "")
	o.Static = overlay{o.Static, "look.css", "\n/* " + mark + " */\n"}
	files, err := site.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// hoarding is a host that lets browsers keep every file for an hour.
func hoarding(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(hoarder{w}, r)
	})
}

type hoarder struct{ http.ResponseWriter }

func (w hoarder) WriteHeader(status int) {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Del("ETag")
	w.ResponseWriter.WriteHeader(status)
}

// assets is the folder of the version that a page belongs to.
const assets = `document.querySelector("link[rel=stylesheet]").href.split("/").at(-2)`

// update makes the browser look for a new version, as it does by itself from time to time.
func (b *tab) update() {
	b.t.Helper()
	eval[bool](b, `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => true)`)
}

func TestANewVersionIsOfferedAndAnOldTabGoesOn(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	publish := func(files site.Files) {
		h.stop()
		h.startWith(hoarding(site.Handler(asFS(files), "/")))
	}
	publish(buildSite(t, ""))
	b := open(t, h)
	b.goTo("")
	b.offline()
	old := eval[string](b, assets)
	other := b.beside()
	other.goTo("quiz/")

	publish(version2(t, "two"))
	b.update()
	for _, tab := range []*tab{b, other} {
		tab.sees(wordsOf("en").Get("update.text"))
	}
	b.axe("the offer of a new version")
	b.shot("update")

	// Nothing is forced: a reload and a new page are of the old version, with its files.
	b.reload()
	if now := eval[string](b, assets); now != old {
		t.Errorf("a reload brought version %s before anybody asked for it", now)
	}
	b.sees(wordsOf("en").Get("update.text"))
	b.role("button", wordsOf("en").Get("update.later")).click()
	b.seesNot(wordsOf("en").Get("update.text"))
	b.reload()
	b.role("button", wordsOf("en").Get("update.now")).click()
	b.wait(assets+` !== `+quote(old), "the new version is there")
	b.ready()
	b.seesNot(wordsOf("en").Get("update.text"))

	// The other tab is as it was, and what it may still need is there, though the server has it no more.
	if now := eval[string](other, assets); now != old {
		t.Errorf("the other tab became version %s", now)
	}
	for _, file := range []string{"app.wasm.gz", "engine.wasm.gz", "look.css", "wasm_exec.js"} {
		if _, ok := buildSite(t, "")["v/"+old+"/"+file]; !ok {
			continue
		}
		if status := eval[int](other, `fetch(`+quote(h.url("v/"+old+"/"+file))+`).then((r) => r.status)`); status != http.StatusOK {
			t.Errorf("the old tab asks for %s: %d", file, status)
		}
	}
	eval[chromedp.Void](other, `[...document.querySelectorAll("a")].find((a) => a.href === `+quote(h.url(""))+`).click()`)
	other.sees(wordsOf("en").Get("home.title"))
	other.checkFaults()

	// A third version comes while the old tab lives: its files stay. When it is closed they go.
	publish(version2(t, "three"))
	b.update()
	b.sees(wordsOf("en").Get("update.text"))
	b.role("button", wordsOf("en").Get("update.now")).click()
	b.wait(`caches.keys().then((names) => names.length === 3 && navigator.serviceWorker.getRegistration()).then((r) => r && !r.waiting && r.active.state === "activated")`, "three versions are kept")
	b.ready()
	if status := eval[int](other, `fetch(`+quote(h.url("v/"+old+"/look.css"))+`).then((r) => r.status)`); status != http.StatusOK {
		t.Errorf("with two newer versions the old tab asks for its style sheet: %d", status)
	}
	other.checkFaults()
	other.stop()
	publish(version2(t, "four"))
	b.update()
	b.sees(wordsOf("en").Get("update.text"))
	b.role("button", wordsOf("en").Get("update.now")).click()
	b.wait(`caches.keys().then((names) => names.length === 2 && !names.some((n) => n.includes(`+quote(old)+`)))`, "the oldest versions are gone")
	b.ready()
}

// TestAChangedQuizIsSeenAtOnce changes a quiz on the server, as an instructor does.
func TestAChangedQuizIsSeenAtOnce(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	b := open(t, h)
	b.goTo("")
	b.offline()
	read := `fetch(` + quote(h.url("quiz/index.json")) + `).then((r) => r.text())`
	before := eval[string](b, read)
	h.stop()
	h.start(changed(buildSite(t, ""), func(name string, data []byte) []byte {
		if name == "quiz/index.json" {
			return []byte(`{"files": ["mine.yaml"]}`)
		}
		return data
	}))
	after := eval[string](b, read)
	if after == before || !strings.Contains(after, "mine.yaml") {
		t.Errorf("the changed list of quizzes is %q", after)
	}
	h.stop()
	if offline := eval[string](b, read); offline != after {
		t.Errorf("offline the list is %q", offline)
	}
}

// TestTwoCoursesOnOneHostKeepApart serves two courses on one origin. New versions of the first leave
// the second alone.
func TestTwoCoursesOnOneHostKeepApart(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	publish := func(one, two site.Files) {
		h.stop()
		first, second := site.Handler(asFS(one), "/one/"), site.Handler(asFS(two), "/two/")
		h.startWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/two/") {
				second.ServeHTTP(w, r)
				return
			}
			first.ServeHTTP(w, r)
		}))
	}
	another := version2(t, "another course")
	publish(buildSite(t, ""), another)
	other := open(t, h)
	other.goTo("two/")
	other.offline()
	theirs := eval[string](other, assets)
	b := other.beside()
	b.goTo("one/")
	b.offline()
	other.load("one/") // no page of the second course is open now
	for _, mark := range []string{"two", "three"} {
		mine := eval[string](b, assets)
		publish(version2(t, mark), another)
		b.update()
		b.sees(wordsOf("en").Get("update.text"))
		b.role("button", wordsOf("en").Get("update.now")).click()
		b.wait(assets+` !== `+quote(mine), "the new version is there")
		b.ready()
	}
	h.stop()
	other.goTo("two/")
	if now := eval[string](other, assets); now != theirs {
		t.Errorf("version %s of the other course became %s", theirs, now)
	}
	other.seesNot(wordsOf("en").Get("update.text"))
}
