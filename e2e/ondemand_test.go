package e2e

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"retrylab/web/site"
)

// pythonNames are the files of Python on a site.
func pythonNames(files site.Files) []string {
	var names []string
	for name := range files {
		if strings.HasPrefix(name, "py/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// noting serves a site and notes what is asked of it.
type noting struct {
	site http.Handler
	mu   sync.Mutex
	all  []string
	cut  string // the file that arrives cut short
}

func (a *noting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.all = append(a.all, r.URL.Path)
	cut := a.cut != "" && strings.HasSuffix(r.URL.Path, a.cut)
	a.mu.Unlock()
	if cut {
		w.Header().Set("Cache-Control", "no-store")
		w.Write([]byte("\x1f\x8b\x08 the rest is missing"))
		return
	}
	a.site.ServeHTTP(w, r)
}

func (a *noting) python() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, path := range a.all {
		if strings.HasPrefix(path, "/py/") {
			n++
		}
	}
	return n
}

func (a *noting) cutShort(file string) {
	a.mu.Lock()
	a.cut = file
	a.mu.Unlock()
}

// TestPythonIsKeptOnceItWasAskedFor visits a page, which fetches no Python; asks for Python's files as the lab
// does; and then has them without a server, whole, and also with a newer version of the site.
func TestPythonIsKeptOnceItWasAskedFor(t *testing.T) {
	need(t)
	t.Parallel()
	files := buildIfWanted(t)
	names := pythonNames(files)
	if len(names) < 5 {
		t.Fatalf("the site has %q of Python", names)
	}
	wasm := names[slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, ".asm.wasm.gz") })]
	kept := func(name string) string { return `caches.match(` + quote("/"+name) + `).then((r) => r !== undefined)` }
	size := func(name string) string {
		return `fetch(` + quote("/"+name) + `).then((r) => r.ok ? r.arrayBuffer() : new ArrayBuffer(0)).then((a) => a.byteLength)`
	}
	for _, c := range []struct {
		name string
		ask  func(b *tab)
	}{
		{"as the page fetches it", func(b *tab) {
			for _, name := range names {
				if got := eval[int](b, size(name)); got != len(files[name]) {
					t.Errorf("%s has %d bytes, want %d", name, got, len(files[name]))
				}
			}
		}},
		{"as the page tells that it has it", func(b *tab) {
			folder := names[0][:strings.LastIndex(names[0], "/")+1]
			eval[bool](b, `navigator.serviceWorker.ready.then((r) => (r.active.postMessage({ keep: `+quote(folder)+` }), true))`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := theSite(t)
			server := &noting{site: site.Handler(asFS(files), "/")}
			h.stop()
			h.startWith(server)
			b := open(t, h)
			b.goTo("lab/")
			b.offline()
			if n := server.python(); n != 0 {
				t.Errorf("%d files of Python were fetched before anybody asked", n)
			}
			server.cutShort(wasm)
			if got := eval[int](b, size(wasm)); got >= len(files[wasm]) {
				t.Errorf("cut short it has %d bytes", got)
			}
			server.cutShort("")
			c.ask(b)
			for _, name := range names {
				b.wait(kept(name), name+" is kept")
			}

			h.stop()
			h.start(version2(t, "two"))
			b.update()
			b.sees(wordsOf("en").Get("update.text"))
			was := eval[string](b, assets)
			b.role("button", wordsOf("en").Get("update.now")).click()
			b.wait(assets+` !== `+quote(was), "the new version is there")
			b.ready()
			h.stop()
			b.load("lab/")
			for _, name := range names {
				if got := eval[int](b, size(name)); got != len(files[name]) {
					t.Errorf("offline %s has %d bytes, want %d", name, got, len(files[name]))
				}
			}
		})
	}
}

// TestPythonIsPackedAsABrowserCanUnpackIt unpacks each packed file in the page as the lab does.
func TestPythonIsPackedAsABrowserCanUnpackIt(t *testing.T) {
	need(t)
	t.Parallel()
	files := buildIfWanted(t)
	b := open(t, theSite(t))
	b.goTo("")
	for _, name := range pythonNames(files) {
		if !strings.HasSuffix(name, ".gz") {
			continue
		}
		plain := eval[int](b, `fetchUnpacked(`+quote("/"+name)+`).then((s) => new Response(s).arrayBuffer()).then((a) => a.byteLength)`)
		if plain <= len(files[name]) || !bytes.HasPrefix(files[name], []byte("\x1f\x8b")) {
			t.Errorf("%s has %d bytes, unpacked %d", name, len(files[name]), plain)
		}
	}
}
