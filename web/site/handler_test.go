package site

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func testFolder() fstest.MapFS {
	return fstest.MapFS{
		"index.html":            {Data: []byte("home")},
		"404.html":              {Data: []byte("no such page")},
		"lab/index.html":        {Data: []byte("lab")},
		"sw.js":                 {Data: []byte("worker")},
		"manifest.webmanifest":  {Data: []byte("{}")},
		"quiz/cap.yaml":         {Data: []byte("name: cap")},
		"v/0123/look.css":       {Data: []byte("p{}")},
		"v/0123/app.wasm.gz":    {Data: []byte("\x1f\x8b")},
		"v/0123/favicon.svg":    {Data: []byte("<svg/>")},
		".git/config":           {Data: []byte("secret")},
		"empty/.keep":           {Data: []byte("secret")},
		"v/0123/wasm_exec.js":   {Data: []byte("go")},
		"with space/index.html": {Data: []byte("space")},
	}
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		base, request, want string
	}{
		{"/", "GET /", "200 text/html; charset=utf-8|no-cache|home"},
		{"/", "GET /?x=1", "200 text/html; charset=utf-8|no-cache|home"},
		{"/", "GET /index.html", "200 text/html; charset=utf-8|no-cache|home"},
		{"/", "GET /lab/", "200 text/html; charset=utf-8|no-cache|lab"},
		{"/", "GET /lab", "301 to /lab/"},
		{"/", "GET /lab?run=x&y=2", "301 to /lab/?run=x&y=2"},
		{"/", "GET /with%20space/", "200 text/html; charset=utf-8|no-cache|space"},
		{"/", "GET /with%20space", "301 to /with%20space/"},
		{"/", "GET /sw.js", "200 text/javascript; charset=utf-8|no-cache|worker"},
		{"/", "GET /manifest.webmanifest", "200 application/manifest+json|no-cache|{}"},
		{"/", "GET /quiz/cap.yaml", "200 text/plain; charset=utf-8|no-cache|name: cap"},
		{"/", "GET /v/0123/look.css", "200 text/css; charset=utf-8|public, max-age=31536000, immutable|p{}"},
		{"/", "GET /v/0123/app.wasm.gz", "200 application/gzip|public, max-age=31536000, immutable|\x1f\x8b"},
		{"/", "GET /v/0123/favicon.svg", "200 image/svg+xml|public, max-age=31536000, immutable|<svg/>"},
		{"/", "HEAD /lab/", "200 text/html; charset=utf-8|no-cache|"},
		{"/", "GET /no/such", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /lab/no", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /v/", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /v", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /.git/config", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /empty/.keep", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /../../etc/passwd", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /..%2f..%2fetc/passwd", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /lab/..%5c..%5csw.js", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET //lab/", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /sw.js%00", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "GET /sw.js/", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/", "POST /", "405 text/plain; charset=utf-8||This is a folder of files: use GET.\n"},
		{"/any/path/", "GET /any/path/", "200 text/html; charset=utf-8|no-cache|home"},
		{"/any/path/", "GET /any/path", "301 to /any/path/"},
		{"/any/path/", "GET /any/path/lab", "301 to /any/path/lab/"},
		{"/any/path/", "GET /", "404 text/html; charset=utf-8|no-cache|no such page"},
		{"/any/path/", "GET /lab/", "404 text/html; charset=utf-8|no-cache|no such page"},
	} {
		method, target, _ := strings.Cut(c.request, " ")
		r := httptest.NewRequest(method, target, nil)
		w := httptest.NewRecorder()
		Handler(testFolder(), c.base).ServeHTTP(w, r)
		head := w.Header()
		got := fmt.Sprintf("%d %s|%s|%s", w.Code, head.Get("Content-Type"), head.Get("Cache-Control"), w.Body)
		if w.Code == http.StatusMovedPermanently {
			got = fmt.Sprintf("301 to %s", head.Get("Location"))
		}
		if got != c.want {
			t.Errorf("%s below %s:\n got %q\nwant %q", c.request, c.base, got, c.want)
		}
		if head.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: a browser may guess the type", c.request)
		}
	}
}

func TestHandlerAnswersNotModifiedUntilTheFileChanges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "index.html")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	h := Handler(os.DirFS(dir), "/")
	get := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	tag := get("").Header().Get("ETag")
	if w := get(tag); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("unchanged: %d %q", w.Code, w.Body)
	}
	write("three")
	if w := get(tag); w.Code != http.StatusOK || w.Body.String() != "three" || w.Header().Get("ETag") == tag {
		t.Errorf("changed: %d %q", w.Code, w.Body)
	}
}

func TestHandlerStaysInsideARoot(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := httptest.NewRecorder()
	Handler(root.FS(), "/").ServeHTTP(w, httptest.NewRequest("GET", "/link.txt", nil))
	if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
