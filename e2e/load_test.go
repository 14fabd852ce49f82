package e2e

import (
	"bytes"
	"image"
	"image/png"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"retrylab/web/site"
)

// inked is how much of the box of an element's text is dark on light, or light on dark, in a picture of the window:
// 0 when something covers it, or nothing is written there.
func inked(e element) float64 {
	e.b.t.Helper()
	box := on[[]float64](e, `function() { const text = document.createRange(); text.selectNodeContents(this); const r = text.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }`)
	shot, err := ask(e.b, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		e.b.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		e.b.t.Fatal(err)
	}
	area := image.Rect(int(box[0]), int(box[1]), int(box[0]+box[2]), int(box[1]+box[3])).Intersect(picture.Bounds())
	light := func(x, y int) int {
		r, g, b, _ := picture.At(x, y).RGBA()
		return int(r+g+b) / 3 >> 8
	}
	if area.Empty() {
		return 0
	}
	paper, far := light(area.Min.X, area.Min.Y), 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if d := light(x, y) - paper; d > 100 || d < -100 {
				far++
			}
		}
	}
	return float64(far) / float64(area.Dx()*area.Dy())
}

func (b *tab) noScript() {
	b.t.Helper()
	if err := call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.t.Fatal(err)
	}
}

func TestPagesCanBeReadWithoutJavaScript(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	b := open(t, h)
	b.noScript()
	eachPage(func(lang string, p webPage, path string) {
		b.load(path)
		title := b.role("heading", wordsOf(lang).Get(p.Title))
		if ink := inked(title); ink < 0.02 || ink > 0.6 {
			t.Errorf("%s without JavaScript: %.3f of the main heading is written: it cannot be read", path, ink)
		}
		b.sees(wordsOf(lang).Get("load.noscript"))
		b.shot("noscript-" + lang + strings.ReplaceAll(p.Path, "/", "-"))
	})
}

// held serves a site, but holds the pages' program back until release is closed.
func held(files site.Files, release chan struct{}) http.Handler {
	all := site.Handler(asFS(files), "/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/app.wasm.gz") {
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
		}
		all.ServeHTTP(w, r)
	})
}

func TestPagesCanBeReadWhileTheirProgramLoads(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	h.stop()
	release := make(chan struct{})
	h.startWith(held(buildSite(t, ""), release))
	b := open(t, h)
	b.load("")
	if ink := inked(b.role("heading", wordsOf("en").Get("home.title"))); ink < 0.02 {
		t.Errorf("while the program loads %.3f of the main heading is written: it cannot be read", ink)
	}
	if n := b.role("progressbar", wordsOf("en").Get("load.progress")).count(); n != 1 {
		t.Errorf("there are %d progress bars", n)
	}
	b.shot("loading")
	// What a person has begun must not be lost when the program arrives.
	link := b.role("link", wordsOf("en").Get("nav.skip"))
	on[chromedp.Void](link, `function() { this.focus() }`)
	close(release)
	b.ready()
	if !link.focused() {
		t.Error("the keyboard focus is lost when the program arrives")
	}
	if n := b.role("progressbar", wordsOf("en").Get("load.progress")).count(); n != 0 {
		t.Error("the progress bar is still there")
	}
}

// changed is a site with some of its files replaced; nil takes a file away.
func changed(files site.Files, by func(name string, data []byte) []byte) site.Files {
	all := maps.Clone(files)
	for name, data := range files {
		if all[name] = by(name, data); all[name] == nil {
			delete(all, name)
		}
	}
	return all
}

func isApp(name string) bool { return strings.HasSuffix(name, "/app.wasm.gz") }

func TestAPageWhoseProgramCannotStartSaysSo(t *testing.T) {
	need(t)
	t.Parallel()
	for what, files := range map[string]site.Files{
		"missing": changed(buildIfWanted(t), func(name string, data []byte) []byte {
			if isApp(name) {
				return nil
			}
			return data
		}),
		"cut short": changed(buildIfWanted(t), func(name string, data []byte) []byte {
			if isApp(name) {
				return data[:len(data)/2]
			}
			return data
		}),
		"something else": changed(buildIfWanted(t), func(name string, data []byte) []byte {
			if isApp(name) {
				return []byte("<!doctype html><p>Please log in to this network")
			}
			return data
		}),
		"empty": changed(buildIfWanted(t), func(name string, data []byte) []byte {
			if isApp(name) {
				return []byte{}
			}
			return data
		}),
	} {
		t.Run(what, func(t *testing.T) {
			h := serve(t, files, "/")
			b := open(t, h)
			b.expect("the pages' program could not start")
			b.expect("Failed to load resource")
			b.load("")
			b.sees(wordsOf("en").Get("load.fault"))
			if n := b.role("alert", "").count(); n != 1 {
				t.Errorf("%d alerts", n)
			}
			b.sees(wordsOf("en").Get("home.title"))
			b.shot("load-fault")
			h.stop()
			h.start(buildSite(t, ""))
			b.role("button", wordsOf("en").Get("load.reload")).click()
			b.ready()
			b.seesNot(wordsOf("en").Get("load.fault"))
		})
	}
}

func TestAHostMayUnpackThePrograms(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	all := site.Handler(asFS(buildSite(t, "")), "/")
	h.stop()
	h.startWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".gz") {
			w.Header().Set("Content-Encoding", "gzip") // the browser unpacks it
		}
		all.ServeHTTP(w, r)
	}))
	b := open(t, h)
	b.goTo("")
	b.sees(wordsOf("en").Get("home.title"))
	b.offline()
	h.stop()
	b.reload()
}

func TestAPageWhoseProgramEndsSaysSo(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("")
	b.expect("index out of range")
	b.expect("the pages' program has ended")
	b.expect("Go program has already exited")
	eval[chromedp.Void](b, `goappNav()`) // go-app wants an argument, and panics without
	b.sees(wordsOf("en").Get("load.stopped"))
	b.sees(wordsOf("en").Get("home.title"))
	b.role("button", wordsOf("en").Get("load.reload")).click()
	b.ready()
	b.seesNot(wordsOf("en").Get("load.stopped"))
}
