package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"retrylab/quiz/bank"
	"retrylab/static"
	"retrylab/web/site"
)

// published is the site as make site builds it, by the built server.
var published = sync.OnceValues(func() (site.Files, error) {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("./build/server", "site", "-out", filepath.Join(dir, "dist"))
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return readFiles(filepath.Join(dir, "dist"))
})

func readFiles(dir string) (site.Files, error) {
	files := site.Files{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(file)
		return err
	})
	return files, err
}

// options build a site like the published one, without packing the programs again.
func options(t *testing.T, base string) site.Options {
	t.Helper()
	files := buildSite(t, "")
	o := site.Options{Static: static.Files, Quizzes: bank.Files, Base: base}
	all := fstest.MapFS{}
	built := os.DirFS(filepath.Join("..", "build"))
	names := []string{"wasm_exec.js", "app.wasm", "engine.wasm", "editor.js", "quickjs.js", "quickjs.wasm"}
	python, err := fs.Glob(built, "pyodide/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, python...) {
		data, err := fs.ReadFile(built, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: data}
	}
	for name, data := range files {
		if strings.HasPrefix(name, "v/") && strings.HasSuffix(name, ".wasm.gz") {
			all[path.Base(name)] = &fstest.MapFile{Data: data}
		}
	}
	o.Programs = all
	var index struct{ Titles map[string]map[string]string }
	if err := json.Unmarshal(files["quiz/index.json"], &index); err != nil {
		t.Fatal(err)
	}
	o.QuizTitles = index.Titles
	return o
}

var (
	builtMu sync.Mutex
	built   = map[string]site.Files{}
)

// buildSite is the site for a base, built once for each run of the tests.
func buildSite(t *testing.T, base string) site.Files {
	t.Helper()
	if base == "" {
		files, err := published()
		if err != nil {
			t.Fatalf("the site cannot be built: run make test: %v", err)
		}
		return files
	}
	builtMu.Lock()
	defer builtMu.Unlock()
	if files, ok := built[base]; ok {
		return files
	}
	files, err := site.Build(options(t, base))
	if err != nil {
		t.Fatalf("building the site: %v", err)
	}
	built[base] = files
	return files
}

// A host serves one site on a port of its own. It can be stopped, and started again there.
type host struct {
	t        *testing.T
	addr     string
	base     string
	server   *http.Server
	listener net.Listener
}

// serve serves files below a base until the test ends.
func serve(t *testing.T, files site.Files, base string) *host {
	t.Helper()
	need(t)
	h := &host{t: t, addr: "127.0.0.1:0", base: base}
	h.start(files)
	t.Cleanup(h.stop)
	return h
}

// site is the site as make run serves it, on a host of its own.
func theSite(t *testing.T) *host {
	t.Helper()
	need(t)
	return serve(t, buildSite(t, ""), "/")
}

// start serves files at the host's address.
func (h *host) start(files site.Files) {
	h.t.Helper()
	h.startWith(site.Handler(asFS(files), h.base))
}

func (h *host) startWith(handler http.Handler) {
	h.t.Helper()
	listener, err := net.Listen("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	h.addr = listener.Addr().String()
	h.server, h.listener = &http.Server{Handler: handler}, listener
	go h.server.Serve(listener)
}

// stop ends the server and its connections: from now on nobody answers.
func (h *host) stop() {
	h.listener.Close() // Close of a server that has not begun to serve would leave it open
	h.server.Close()
}

// url is the address of a path below the base: "lab/?q#part".
func (h *host) url(path string) string { return "http://" + h.addr + h.base + path }

func asFS(files site.Files) fstest.MapFS {
	m := fstest.MapFS{}
	for name, data := range files {
		m[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return m
}
