package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"retrylab/static"
	"retrylab/web"
)

func testOptions(base string) Options {
	return Options{
		Static: static.Files,
		Programs: fstest.MapFS{
			"app.wasm":     {Data: []byte("\x00asm pages")},
			"engine.wasm":  {Data: []byte("\x00asm engine")},
			"wasm_exec.js": {Data: []byte("// go")},
			"editor.js":    {Data: []byte("// editor")},
			"quickjs.js":   {Data: []byte("// quickjs")},
			"quickjs.wasm": {Data: []byte("\x00asm quickjs")},

			"pyodide/1.2.3/pyodide.js":          {Data: []byte("// python")},
			"pyodide/1.2.3/pyodide.asm.wasm":    {Data: []byte("\x00asm python")},
			"pyodide/1.2.3/pyodide.asm.wasm.gz": {Data: []byte("\x1f\x8b packed python")},
		},
		Quizzes: fstest.MapFS{"cap.yaml": {Data: []byte("name: cap\n")}, "notes.txt": {Data: []byte("x")}},
		Base:    base,
	}
}

func testSite(t *testing.T, base string) Files {
	t.Helper()
	files, err := Build(testOptions(base))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pages are the documents of a site by their path.
func (f Files) pages() map[string]*html.Node {
	all := map[string]*html.Node{}
	for name, data := range f {
		if strings.HasSuffix(name, ".html") {
			doc, err := html.Parse(bytes.NewReader(data))
			if err != nil {
				panic(err)
			}
			all[name] = doc
		}
	}
	return all
}

func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func TestTwoBuildsAreTheSame(t *testing.T) {
	one, two := testSite(t, ""), testSite(t, "")
	if len(one) != len(two) {
		t.Fatalf("%d and %d files", len(one), len(two))
	}
	for name, data := range one {
		if !bytes.Equal(data, two[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestEveryPageStandsInEveryLanguage(t *testing.T) {
	files := testSite(t, "")
	for _, lang := range web.Languages() {
		for _, p := range web.Pages() {
			name := strings.TrimPrefix(web.Prefix(lang)+p.Path, "/") + "index.html"
			if _, ok := files[name]; !ok {
				t.Errorf("there is no %s", name)
			}
		}
	}
	for name := range files {
		if strings.HasSuffix(name, ".html") && name != "404.html" && path.Base(name) != "index.html" {
			t.Errorf("%s is no folder's index.html", name)
		}
	}
}

// An address inside of the site leads to a file of it, as seen from the page it stands on.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	for _, base := range []string{"", "/", "/any/path/"} {
		files := testSite(t, base)
		for name, doc := range files.pages() {
			here := "/" + strings.TrimSuffix(name, "index.html")
			if base != "" {
				here = base + strings.TrimSuffix(name, "index.html")
			}
			for n := range doc.Descendants() {
				for _, key := range []string{"href", "src"} {
					to, ok := attr(n, key)
					if !ok || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "mailto:") {
						continue
					}
					if strings.Contains(to, "://") {
						if n.Data != "a" {
							t.Errorf("%s (base %q): %s loads %s from another host", name, base, n.Data, to)
						}
						continue
					}
					to, _, _ = strings.Cut(to, "#")
					to, _, _ = strings.Cut(to, "?")
					full := to
					if !strings.HasPrefix(to, "/") {
						if base != "" {
							t.Errorf("%s: %s is relative although the base is known", name, to)
						}
						full = path.Join(path.Dir(here+"x"), to)
						if strings.HasSuffix(to, "/") && full != "/" {
							full += "/"
						}
					}
					root := base
					if root == "" {
						root = "/"
					}
					file, ok := strings.CutPrefix(full, root)
					if !ok {
						t.Errorf("%s (base %q): %s leaves the site", name, base, to)
						continue
					}
					if file == "" || strings.HasSuffix(file, "/") {
						file += "index.html"
					}
					if _, ok := files[file]; !ok {
						t.Errorf("%s (base %q): %s leads to %s, which is not there", name, base, to, file)
					}
				}
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	want := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' blob: " + hashOf("frame-inside.js") + "; style-src 'self'; img-src 'self' data: blob:; " +
		"font-src 'self'; connect-src 'self' blob: data:; worker-src 'self' blob:; manifest-src 'self'; form-action 'none'; base-uri 'none'"
	if got := Policy(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.Contains(Policy(), "unsafe-inline") || strings.Count(Policy(), "sha256") != 1 || regexp.MustCompile(`'unsafe-eval'|\*|https?:`).MatchString(Policy()) {
		t.Error("the policy lets strangers in")
	}
}

func TestDocumentsKeepToThePolicy(t *testing.T) {
	for name, doc := range testSite(t, "").pages() {
		policies := 0
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if v, _ := attr(n, "http-equiv"); v == "Content-Security-Policy" {
				policies++
				if content, _ := attr(n, "content"); content != Policy() {
					t.Errorf("%s has the policy %s", name, content)
				}
				if n.Parent.Data != "head" {
					t.Errorf("%s: the policy stands outside of the head", name)
				}
			}
			if _, ok := attr(n, "src"); n.Data == "script" && (!ok || n.FirstChild != nil) {
				t.Errorf("%s has an inline script", name)
			}
			if n.Data == "style" {
				t.Errorf("%s has a style element", name)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: <%s> has %s=%q", name, n.Data, a.Key, a.Val)
				}
				if strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
					t.Errorf("%s: <%s> has %s=%q", name, n.Data, a.Key, a.Val)
				}
			}
		}
		if policies != 1 {
			t.Errorf("%s has %d policies", name, policies)
		}
	}
}

func TestDocumentsAreWholeAndSayTheirLanguage(t *testing.T) {
	files := testSite(t, "")
	for name, doc := range files.pages() {
		if bytes.Contains(files[name], []byte(`\`)) {
			t.Errorf("%s has a backslash in it", name)
		}
		ids, lang, title, headings := map[string]bool{}, "", "", 0
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if id, ok := attr(n, "id"); ok {
				if ids[id] {
					t.Errorf("%s has two elements %q", name, id)
				}
				ids[id] = true
			}
			switch n.Data {
			case "html":
				lang, _ = attr(n, "lang")
			case "title":
				if n.Parent.Data == "head" && n.FirstChild != nil {
					title = n.FirstChild.Data
				}
			case "h1":
				headings++
			}
			for _, key := range []string{"aria-labelledby", "aria-describedby", "for", "aria-controls"} {
				for _, id := range strings.Fields(first(attr(n, key))) {
					if !hasID(doc, id) {
						t.Errorf("%s: %s names %q, which is not there", name, key, id)
					}
				}
			}
		}
		want := "en"
		if strings.HasPrefix(name, "xa/") {
			want = "en-XA"
		}
		if lang != want || title == "" || headings != 1 {
			t.Errorf("%s: language %q, title %q, %d main headings", name, lang, title, headings)
		}
		if regexp.MustCompile(`⟦[a-z]+\.[a-z.]+⟧`).Match(files[name]) {
			t.Errorf("%s shows a key without a text: %s", name, regexp.MustCompile(`⟦[a-z]+\.[a-z.]+⟧`).Find(files[name]))
		}
	}
}

func first(s string, _ bool) string { return s }

func hasID(doc *html.Node, id string) bool {
	for n := range doc.Descendants() {
		if v, ok := attr(n, "id"); ok && v == id {
			return true
		}
	}
	return false
}

func TestProgramsArePacked(t *testing.T) {
	files := testSite(t, "")
	for name, data := range files {
		if !strings.HasSuffix(name, "engine.wasm.gz") {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != "\x00asm engine" {
			t.Errorf("unpacked: %q, %v", got, err)
		}
		return
	}
	t.Error("there is no engine.wasm.gz")
}

func TestTheHashFollowsTheContent(t *testing.T) {
	assets := func(files Files) string {
		for name := range files {
			if strings.HasPrefix(name, "v/") {
				return strings.Split(name, "/")[1]
			}
		}
		return ""
	}
	old := assets(testSite(t, ""))
	o := testOptions("")
	o.Programs.(fstest.MapFS)["engine.wasm"] = &fstest.MapFile{Data: []byte("\x00asm another")}
	files, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	if assets(files) == old {
		t.Error("another engine has the same hash")
	}
	if assets(testSite(t, "/course/")) != old {
		t.Error("the base changes the hash")
	}
}

// workerList is the list in front of the service worker.
func workerList(t *testing.T, files Files) (list struct {
	Version, Assets string
	Files, OnDemand map[string]string
	Unpacked        map[string]string
	Fresh           []string
}) {
	t.Helper()
	s := string(files["sw.js"])
	_, s, _ = strings.Cut(s, "const build = ")
	if err := json.NewDecoder(strings.NewReader(s)).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTheServiceWorkerKeepsEveryFile(t *testing.T) {
	files := testSite(t, "")
	list := workerList(t, files)
	var want []string
	for name := range files {
		if name != "sw.js" {
			want = append(want, strings.TrimSuffix(name, "index.html"))
		}
	}
	got := slices.Clone(list.Fresh)
	for address := range list.Files {
		got = append(got, address)
	}
	for address := range list.OnDemand {
		got = append(got, address)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("kept %q\nwant %q", got, want)
	}
	if !slices.Equal(list.Fresh, []string{"quiz/cap.yaml", "quiz/index.json"}) {
		t.Errorf("asked of the server first: %q", list.Fresh)
	}
	if !strings.HasPrefix(list.Assets, "v/") || !strings.HasPrefix(list.Version, strings.Trim(list.Assets[2:], "/")+".") {
		t.Errorf("version %s, assets %s", list.Version, list.Assets)
	}
}

// Python is large: it is no part of what is kept at the first visit, and its address holds across
// versions of the site.
func TestPythonIsFetchedOnDemand(t *testing.T) {
	files := testSite(t, "")
	list := workerList(t, files)
	for _, name := range []string{"py/1.2.3/pyodide.js", "py/1.2.3/pyodide.asm.wasm.gz"} {
		if list.OnDemand[name] != shortHash(files[name]) {
			t.Errorf("on demand %s is %q", name, list.OnDemand[name])
		}
		if _, ok := list.Files[name]; ok {
			t.Errorf("%s is kept at the first visit", name)
		}
	}
	if got := list.Unpacked["py/1.2.3/pyodide.asm.wasm.gz"]; got != shortHash([]byte("\x00asm python")) {
		t.Errorf("unpacked it is %q", got)
	}
	if len(list.OnDemand) != 2 {
		t.Errorf("on demand: %v", list.OnDemand)
	}
	var told pythonFiles
	if err := json.Unmarshal(files[list.Assets+"python.json"], &told); err != nil {
		t.Fatal(err)
	}
	want := pythonFiles{"py/1.2.3/", []pythonFile{
		{"pyodide.asm.wasm", "pyodide.asm.wasm.gz", len(files["py/1.2.3/pyodide.asm.wasm.gz"])},
		{"pyodide.js", "pyodide.js", len("// python")},
	}}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("python.json is %+v, want %+v", told, want)
	}
}

func TestTheManifestStaysInsideTheSite(t *testing.T) {
	files := testSite(t, "/any/path/")
	var m struct {
		Scope, ID string
		StartURL  string `json:"start_url"`
		Icons     []struct{ Src string }
	}
	if err := json.Unmarshal(files["manifest.webmanifest"], &m); err != nil {
		t.Fatal(err)
	}
	if m.Scope != "./" || m.StartURL != "./" || m.ID != "./" || len(m.Icons) != 4 {
		t.Errorf("%+v", m)
	}
	for _, icon := range m.Icons {
		if _, ok := files[icon.Src]; !ok {
			t.Errorf("the icon %s is not there", icon.Src)
		}
	}
}

func TestBuildSaysWhatIsWrong(t *testing.T) {
	for _, base := range []string{"course", "/course", "course/", "/a//b/", "/../", "/a/./"} {
		if _, err := Build(testOptions(base)); err == nil || !strings.Contains(err.Error(), "begins and ends with a slash") {
			t.Errorf("base %q: %v", base, err)
		}
	}
	for _, missing := range []string{"app.wasm", "wasm_exec.js", "editor.js", "quickjs.js", "quickjs.wasm", "pyodide/"} {
		o := testOptions("")
		maps.DeleteFunc(o.Programs.(fstest.MapFS), func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, missing) })
		if _, err := Build(o); err == nil || !strings.Contains(err.Error(), "not built") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	o := testOptions("")
	o.Programs.(fstest.MapFS)["pyodide/1.2.4/pyodide.js"] = &fstest.MapFile{Data: []byte("// python")}
	if _, err := Build(o); err == nil || !strings.Contains(err.Error(), "two versions of Python") {
		t.Errorf("with two versions of Python: %v", err)
	}
}

func TestWriteReplacesAnOldSiteAndNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	old := Files{"sw.js": []byte("const build = {}"), "v/old/look.css": []byte("x"), "index.html": []byte("old")}
	if err := old.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := (Files{"sw.js": []byte("const build = {}"), "index.html": []byte("new")}).Write(dir); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "index.html")); string(data) != "new" {
		t.Errorf("index.html is %q", data)
	}
	if _, err := os.Stat(filepath.Join(dir, "v")); err == nil {
		t.Error("the old version is still there")
	}

	full := t.TempDir()
	kept := filepath.Join(full, "thesis.txt")
	if err := os.WriteFile(kept, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := old.Write(full); err == nil || !strings.Contains(err.Error(), "choose an empty folder") {
		t.Errorf("writing into a folder with other things: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}
