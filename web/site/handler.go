package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Handler serves a built site below a path that begins and ends with a slash. It behaves like a plain
// static host: a folder is its index.html, an unknown address is 404.html, and no special headers are
// needed. Files below v/ and py/ never change and are kept by browsers; the others are asked for each time.
func Handler(site fs.FS, base string) http.Handler {
	h := &handler{site: site, base: base, tags: map[tagKey]string{}}
	return http.HandlerFunc(h.serve)
}

type handler struct {
	site fs.FS
	base string

	mu   sync.Mutex
	tags map[tagKey]string
}

// A tagKey stands for one state of a file: when it changes, its ETag is computed again.
type tagKey struct {
	name string
	size int64
	time time.Time
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This is a folder of files: use GET.", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path+"/" == h.base {
		redirect(w, r, h.base)
		return
	}
	name, below := strings.CutPrefix(r.URL.Path, h.base)
	if !below {
		h.missing(w, r)
		return
	}
	// fs.ValidPath refuses "..", empty parts and everything that could leave the folder.
	folder := name == "" || strings.HasSuffix(name, "/")
	file := name
	if folder {
		file = name + "index.html"
	}
	if !fs.ValidPath(file) || strings.Contains(file, "\\") || strings.HasPrefix(file, ".") || strings.Contains(file, "/.") {
		h.missing(w, r)
		return
	}
	info, err := fs.Stat(h.site, file)
	if err == nil && info.IsDir() {
		if _, err := fs.Stat(h.site, file+"/index.html"); err == nil {
			redirect(w, r, r.URL.Path+"/")
			return
		}
	}
	if err != nil || !info.Mode().IsRegular() {
		h.missing(w, r)
		return
	}
	h.send(w, r, file, http.StatusOK)
}

// redirect keeps the query. The address is a path of this host, whatever it begins with.
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	u := *r.URL
	u.Scheme, u.Host, u.User, u.Opaque = "", "", nil, ""
	u.Path, u.RawPath = "/"+strings.TrimLeft(to, "/"), ""
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, u.String(), http.StatusMovedPermanently)
}

func (h *handler) missing(w http.ResponseWriter, r *http.Request) {
	if _, err := fs.Stat(h.site, "404.html"); err != nil {
		http.NotFound(w, r)
		return
	}
	h.send(w, r, "404.html", http.StatusNotFound)
}

func (h *handler) send(w http.ResponseWriter, r *http.Request, file string, status int) {
	f, err := h.site.Open(file)
	if err != nil {
		http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
		return
	}
	defer f.Close()
	content, ok := f.(io.ReadSeeker)
	info, err := f.Stat()
	if !ok || err != nil {
		http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
		return
	}
	head := w.Header()
	head.Set("Content-Type", contentType(file))
	head.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(file, "v/") || strings.HasPrefix(file, pythonFolder) {
		head.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if status != http.StatusOK {
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			io.Copy(w, content)
		}
		return
	}
	tag, err := h.tag(file, info, content)
	if err != nil {
		http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
		return
	}
	head.Set("ETag", tag)
	http.ServeContent(w, r, file, time.Time{}, content)
}

// tag is the hash of a file's content, computed once for each state of the file.
func (h *handler) tag(file string, info fs.FileInfo, content io.ReadSeeker) (string, error) {
	key := tagKey{file, info.Size(), info.ModTime()}
	h.mu.Lock()
	tag, ok := h.tags[key]
	h.mu.Unlock()
	if ok {
		return tag, nil
	}
	sum := sha256.New()
	_, err := io.Copy(sum, content)
	_, err2 := content.Seek(0, io.SeekStart)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	tag = `"` + hex.EncodeToString(sum.Sum(nil)[:12]) + `"`
	h.mu.Lock()
	h.tags[key] = tag
	h.mu.Unlock()
	return tag, nil
}

// contentTypes does not depend on the machine's own table.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".gz":          "application/gzip",
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".mjs":         "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".yaml":        "text/plain; charset=utf-8",
	".zip":         "application/zip",
}

func contentType(file string) string {
	if t, ok := contentTypes[path.Ext(file)]; ok {
		return t
	}
	if t := mime.TypeByExtension(path.Ext(file)); t != "" {
		return t
	}
	return "application/octet-stream"
}
