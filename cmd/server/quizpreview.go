//go:build !js

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"retrylab/quiz"
	"retrylab/web/site"
	"retrylab/web/text"
)

//go:embed preview.js
var previewScript []byte

// quizPreview serves a built site with one quiz of the author's in place of its own: the author page has it open,
// and shows it anew when the file is saved. The file is checked then, too, and the problems are printed.
func quizPreview(args []string, std stdio) error {
	f := quizFlags("preview", std)
	dir := f.String("dir", "dist", "the folder of a built site (make site)")
	addr := f.String("addr", "127.0.0.1:0", "the address to listen on; port 0 takes a free one")
	if err := parseQuiz(f, "preview", args, std); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return wrongQuiz("preview", std, "%d files, expected one", f.NArg())
	}
	root, err := os.OpenRoot(*dir)
	if err == nil {
		defer root.Close()
		_, err = root.Stat("author/index.html")
	}
	if err != nil {
		fmt.Fprintf(std.err, "there is no site in %s: build it with make site (%v)\n", *dir, err)
		return exit(2)
	}
	p := newPreview(f.Arg(0), root.FS(), std)
	defer p.solver.Close()
	if _, err := os.Stat(p.file); err != nil {
		fmt.Fprintln(std.err, err)
		return exit(2)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(std.out, "%s is at http://%s/author/?quiz=%s and, as students see it, at http://%s/quiz/?name=%s (end with Ctrl-C)\n",
		p.file, listener.Addr(), p.name, listener.Addr(), p.name)
	p.changed(ctx)
	return serveUntil(ctx, listener, p)
}

// A preview serves a site with one quiz.
type preview struct {
	file, name string
	inner      http.Handler
	site       fs.FS
	std        stdio

	mu     sync.Mutex // of what follows
	solver *quiz.Solver
	hash   string // of what was checked last
}

func newPreview(file string, files fs.FS, std stdio) *preview {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || name == "" {
		name = "preview"
	}
	return &preview{file: file, name: name, inner: site.Handler(files, "/"), site: files, std: std, solver: quiz.NewSolver()}
}

// read is the file as it is now, cut off a little behind what is read of a quiz, so that a page says that
// it is too large.
func (p *preview) read() ([]byte, error) {
	f, err := os.Open(p.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, quiz.MaxFile+1)
	n := 0
	for n < len(data) {
		more, err := f.Read(data[n:])
		n += more
		if err != nil {
			break
		}
	}
	return data[:n], nil
}

// changed is the hash of the file. Where it is another one than before, the file is checked.
func (p *preview) changed(ctx context.Context) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, err := p.read()
	hash := quiz.HashOf(data)
	if err != nil {
		hash = "gone"
	}
	if hash == p.hash {
		return hash
	}
	p.hash = hash
	if err != nil {
		fmt.Fprintln(p.std.err, err)
		return hash
	}
	problems, err := checkQuiz(ctx, p.solver, p.file, data, quiz.CheckOptions{Languages: text.Languages(), Seeds: 1000}, map[string]string{})
	for _, problem := range problems {
		fmt.Fprintln(p.std.out, problem)
	}
	switch {
	case err != nil:
		fmt.Fprintf(p.std.err, "%s: %v\n", p.file, err)
	case len(problems) == 0:
		fmt.Fprintf(p.std.out, "%s: no problems\n", p.file)
	}
	return hash
}

func (p *preview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Another site must not read the file through a name of its own that leads here.
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		http.Error(w, "The preview is for this machine alone.", http.StatusForbidden)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	answer := func(kind string, data []byte) {
		w.Header().Set("Content-Type", kind)
		w.Write(data)
	}
	switch r.URL.Path {
	case "/quiz/index.json":
		index, _ := json.Marshal(map[string][]string{"files": {p.name + ".yaml"}})
		answer("application/json", index)
	case "/quiz/" + p.name + ".yaml":
		data, err := p.read()
		if err != nil {
			http.NotFound(w, r)
			return
		}
		answer("text/plain; charset=utf-8", data)
	case "/preview.js":
		answer("text/javascript; charset=utf-8", previewScript)
	case "/preview/changed":
		answer("text/plain; charset=utf-8", []byte(p.changed(r.Context())))
	case "/sw.js": // a preview that worked offline would show what was
		http.NotFound(w, r)
	case "/quiz/", "/author/":
		page, err := fs.ReadFile(p.site, strings.Trim(r.URL.Path, "/")+"/index.html")
		if err != nil {
			http.NotFound(w, r)
			return
		}
		answer("text/html; charset=utf-8", bytes.Replace(page, []byte("</head>"), []byte(`<script src="/preview.js" defer></script></head>`), 1))
	default:
		w.Header().Del("Cache-Control")
		p.inner.ServeHTTP(w, r)
	}
}
