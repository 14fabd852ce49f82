package e2e

import (
	"io/fs"
	"net"
	"net/http"
	"os"
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

// programs are the built programs, packed once for all sites that the tests build.
var programs = sync.OnceValues(func() (fs.FS, error) {
	all := fstest.MapFS{}
	for _, name := range []string{"wasm_exec.js", "app.wasm", "engine.wasm"} {
		data, err := os.ReadFile(filepath.Join("..", "build", name))
		if err != nil {
			return nil, err
		}
		all[name] = &fstest.MapFile{Data: data}
	}
	files, err := site.Build(site.Options{Static: static.Files, Programs: all})
	for name, data := range files {
		if strings.HasSuffix(name, ".wasm.gz") {
			all[path.Base(name)] = &fstest.MapFile{Data: data}
		}
	}
	return all, err
})

// options are what make site builds from, with a base.
func options(t *testing.T, base string) site.Options {
	t.Helper()
	built, err := programs()
	if err != nil {
		t.Fatalf("the programs are not built: run make test: %v", err)
	}
	return site.Options{
		Static:   static.Files,
		Programs: built,
		Quizzes:  bank.Files,
		Base:     base,
	}
}

var (
	builtMu sync.Mutex
	built   = map[string]site.Files{}
)

// buildSite builds the site for a base once for each run of the tests.
func buildSite(t *testing.T, base string) site.Files {
	t.Helper()
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
