//go:build !js

package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAPreviewShowsTheFileAsItIsNow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "second-week.yaml")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good := "quiz: second-week\ntitle: {en: x}\nquestions:\n- {id: a, kind: order, ask: x, items: [a, b]}\n"
	save(good)
	var out, errs bytes.Buffer
	files := fstest.MapFS{
		"quiz/index.html":   {Data: []byte("<html><head></head><body>page</body></html>")},
		"author/index.html": {Data: []byte("<html><head></head><body>author</body></html>")},
		"sw.js":             {Data: []byte("worker")},
		"quiz/other.yaml":   {Data: []byte("other")},
		"quiz/index.json":   {Data: []byte("the site's")},
	}
	p := newPreview(file, files, stdio{nil, &out, &errs})
	defer p.solver.Close()
	get := func(path string) (int, string) {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8123"+path, nil)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for path, want := range map[string]string{
		"/quiz/":                 `<script src="/preview.js" defer></script></head>`,
		"/author/":               `<script src="/preview.js" defer></script></head><body>author`,
		"/quiz/index.json":       `{"files":["second-week.yaml"]}`,
		"/quiz/second-week.yaml": good,
		"/preview.js":            "location.reload()",
	} {
		if code, body := get(path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, _ := get("/sw.js"); code != 404 {
		t.Error("the service worker is there")
	}
	_, first := get("/preview/changed")
	if out.String() != file+": no problems\n" {
		t.Error(out.String(), errs.String())
	}
	out.Reset()
	if _, again := get("/preview/changed"); again != first || out.Len() > 0 {
		t.Error("an unchanged file is checked again")
	}
	save(strings.Replace(good, "kind: order", "kind: ordr", 1))
	if _, changed := get("/preview/changed"); changed == first || !strings.Contains(out.String(), "second-week.yaml:4:17: unknown kind ordr, did you mean order?") {
		t.Error(out.String())
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, changed := get("/preview/changed"); changed != "gone" || errs.Len() == 0 {
		t.Error(changed)
	}
	if code, _ := get("/quiz/second-week.yaml"); code != 404 {
		t.Error(code)
	}
	r := httptest.NewRequest("GET", "http://evil.example/quiz/second-week.yaml", nil)
	w := httptest.NewRecorder()
	if p.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("another host's name: %d", w.Code)
	}
}

func TestAPreviewNeedsASiteAndAFile(t *testing.T) {
	dir := t.TempDir()
	if code, _, errs := quizRun(t, "", "preview", "-dir", filepath.Join(dir, "none"), "x.yaml"); code != 2 || !strings.Contains(errs, "make site") {
		t.Error(code, errs)
	}
	if err := os.MkdirAll(filepath.Join(dir, "author"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "author", "index.html"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := quizRun(t, "", "preview", "-dir", dir, filepath.Join(dir, "x.yaml")); code != 2 || !strings.Contains(errs, "x.yaml") {
		t.Error(code, errs)
	}
}
