// Package site builds the course: one folder of static files that works on any host, under any path,
// without special headers.
//
//	index.html, lab/index.html   every page; other languages below their code: ja/lab/index.html
//	404.html                     what hosts show for an unknown address
//	v/HASH/                      style sheets, scripts, icons and programs; HASH is their content's
//	py/VERSION/                  Python, for the lab: a browser fetches and keeps it when it is first asked for
//	quiz/                        quizzes with their index: an instructor may change them in place
//	sw.js, manifest.webmanifest  the service worker and what a browser needs to install the course
//
// A page asks only for files of its own HASH. So an old page never meets a new script, however long
// a host or a browser keeps one of them.
package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"retrylab/web"
	"retrylab/web/text"
)

// Options say what a site is built from.
type Options struct {
	Static   fs.FS // the files of static/
	Programs fs.FS // wasm_exec.js, app.wasm, what cmd/bundle writes, and engine.wasm when it is built
	Quizzes  fs.FS // the quizzes, *.yaml; nil for none
	// QuizTitles are the quizzes' titles by file and language. A quiz without one is shown by its file's
	// name until it is open.
	QuizTitles map[string]map[string]string
	Base       string // the path the site will have: "/course/"; "" makes links that work under any path
}

// Files is a built site: the content of each file by its path.
type Files map[string][]byte

type build struct {
	Options
	files        Files
	assets       string // v/HASH/
	sprite       string
	programs     Files // by their place in the site without .gz: as they are before packing
	programBytes int
}

// Build builds the site. The same options give the same bytes.
func Build(o Options) (Files, error) {
	if o.Base != "" && (!strings.HasPrefix(o.Base, "/") || !strings.HasSuffix(o.Base, "/") || o.Base != path.Clean(o.Base)+"/" && o.Base != "/") {
		return nil, fmt.Errorf("base %q: want a path that begins and ends with a slash, such as /course/", o.Base)
	}
	b := &build{Options: o, files: Files{}, programs: Files{}}
	for _, step := range []func() error{b.addAssets, b.addPython, b.addPages, b.addQuizzes, b.addManifest, b.addWorker} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.files, nil
}

// rootFiles are the files of static/ that cannot stand in the folder of assets: a service worker
// governs the folder it lies in.
var rootFiles = []string{"sw.js"}

func (b *build) addAssets() error {
	assets := Files{}
	names, err := fs.Glob(b.Static, "*.*")
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".go") || slices.Contains(rootFiles, name) {
			continue
		}
		if assets[name], err = fs.ReadFile(b.Static, name); err != nil {
			return err
		}
	}
	b.sprite = string(bytes.TrimSpace(assets["sprite.svg"]))
	for _, name := range []string{"wasm_exec.js", "quickjs.js", "editor.js"} {
		if assets[name], err = fs.ReadFile(b.Programs, name); err != nil {
			return fmt.Errorf("the programs are not built: %w", err)
		}
	}
	programs := Files{}
	for _, name := range []string{"app.wasm", "engine.wasm", "quickjs.wasm"} {
		program, err := fs.ReadFile(b.Programs, name)
		if errors.Is(err, fs.ErrNotExist) && name == "engine.wasm" {
			continue
		}
		if err != nil {
			return fmt.Errorf("the programs are not built: %w", err)
		}
		programs[name] = program
		if packed, err := fs.ReadFile(b.Programs, name+".gz"); err == nil {
			assets[name+".gz"] = packed
			continue
		}
		if assets[name+".gz"], err = pack(program); err != nil {
			return err
		}
	}
	python, err := b.python()
	if err != nil {
		return err
	}
	if assets["python.json"], err = json.MarshalIndent(python, "", " "); err != nil {
		return err
	}
	b.programBytes = len(assets["app.wasm.gz"])
	b.assets = "v/" + hash(assets) + "/"
	for name, data := range programs {
		b.programs[b.assets+name] = data
	}
	for name, data := range assets {
		b.files[b.assets+name] = data
	}
	return nil
}

// pack compresses a program, since many hosts do not compress WebAssembly. Browsers unpack gzip
// themselves in static/program.js; they have no brotli there.
func pack(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// hash is short, and long enough to tell versions of one site apart.
func hash(files Files) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		one := sha256.Sum256(files[name])
		fmt.Fprintf(sum, "%s %x\n", name, one)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func (b *build) addPages() error {
	for _, lang := range web.Languages() {
		for _, p := range web.Pages() {
			full := web.Prefix(lang) + p.Path
			at := b.place(lang, p.Path, full)
			data, err := b.page(p, at)
			if err != nil {
				return err
			}
			b.files[strings.TrimPrefix(full, "/")+"index.html"] = data
		}
	}
	// A host shows this page at any depth, so its links cannot be relative.
	missing := web.Missing()
	at := web.Place{Lang: text.Languages()[0], Path: missing.Path, Base: b.Base}
	if at.Base == "" {
		at.Base = "/"
	}
	at.Assets = at.Base + b.assets
	data, err := b.page(missing, at)
	b.files["404.html"] = data
	return err
}

func (b *build) place(lang, path, full string) web.Place {
	base := b.Base
	if base == "" {
		base = upwards(full)
	}
	return web.Place{Lang: lang, Path: path, Base: base, Assets: base + b.assets}
}

// addQuizzes copies the quizzes and lists them: the page reads the list, so an instructor adds a
// quiz to a published course with a text editor.
func (b *build) addQuizzes() error {
	index := struct {
		Files  []string                     `json:"files"`
		Titles map[string]map[string]string `json:"titles,omitempty"`
	}{[]string{}, b.QuizTitles}
	if b.Quizzes != nil {
		names, err := quizFiles(b.Quizzes)
		if err != nil {
			return err
		}
		for _, name := range names {
			if b.files["quiz/"+name], err = fs.ReadFile(b.Quizzes, name); err != nil {
				return err
			}
			index.Files = append(index.Files, name)
		}
	}
	data, err := json.MarshalIndent(index, "", "  ")
	b.files["quiz/index.json"] = append(data, '\n')
	return err
}

// quizFiles are the quizzes of a folder: first those that its index.json lists, when it has one, then
// the others by name.
func quizFiles(quizzes fs.FS) ([]string, error) {
	names, err := fs.Glob(quizzes, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !web.PlainName(strings.TrimSuffix(name, ".yaml")) {
			return nil, fmt.Errorf("%q cannot be opened by its address: use small letters, digits and - for the name of a quiz's file", name)
		}
	}
	data, err := fs.ReadFile(quizzes, "index.json")
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	}
	var index struct {
		Files []string `json:"files"`
	}
	if err == nil {
		err = json.Unmarshal(data, &index)
	}
	if err != nil {
		return nil, fmt.Errorf("the quizzes' index.json: %w", err)
	}
	place := map[string]int{}
	for i, name := range index.Files {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("the quizzes' index.json lists %s, which is not there", name)
		}
		place[name] = i + 1
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(cmp.Or(place[a], len(names)+1), cmp.Or(place[b], len(names)+1))
	})
	return names, nil
}

func (b *build) addManifest() error {
	words := text.For(text.Languages()[0])
	type icon struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
	}
	// Addresses in a manifest are relative to it, so it needs no base.
	data, err := json.MarshalIndent(map[string]any{
		"name":             words.Get("site.name"),
		"short_name":       words.Get("site.name"),
		"description":      words.Get("site.description"),
		"lang":             text.Tag(words.Lang()),
		"id":               "./",
		"scope":            "./",
		"start_url":        "./",
		"display":          "minimal-ui",
		"background_color": "#faf7ef",
		"theme_color":      "#faf7ef",
		"icons": []icon{
			{b.assets + "favicon.svg", "any", "image/svg+xml", ""},
			{b.assets + "icon-192.png", "192x192", "image/png", ""},
			{b.assets + "icon-512.png", "512x512", "image/png", ""},
			{b.assets + "icon-maskable-512.png", "512x512", "image/png", "maskable"},
		},
	}, "", "  ")
	b.files["manifest.webmanifest"] = append(data, '\n')
	return err
}

// addWorker writes the service worker with the list of what it keeps.
func (b *build) addWorker() error {
	source, err := fs.ReadFile(b.Static, "sw.js")
	if err != nil {
		return err
	}
	list := struct {
		Version  string            `json:"version"`
		Assets   string            `json:"assets"`
		Files    map[string]string `json:"files"`    // address without the root -> hash of its content
		Unpacked map[string]string `json:"unpacked"` // what is packed -> hash of what is in it
		OnDemand map[string]string `json:"onDemand"` // as files: kept when a page first asks for it
		Fresh    []string          `json:"fresh"`    // addresses of files that may be changed in place
	}{Assets: b.assets, Files: map[string]string{}, Unpacked: map[string]string{}, OnDemand: map[string]string{}, Fresh: []string{}}
	for name, data := range b.programs {
		list.Unpacked[name+".gz"] = shortHash(data)
	}
	for name, data := range b.files {
		if strings.HasPrefix(name, pythonFolder) {
			list.OnDemand[name] = shortHash(data)
			continue
		}
		if strings.HasPrefix(name, "quiz/") && path.Ext(name) != ".html" {
			list.Fresh = append(list.Fresh, name)
			continue
		}
		address := name
		if dir, file := path.Split(name); file == "index.html" {
			address = dir
		}
		list.Files[address] = shortHash(data)
	}
	slices.Sort(list.Fresh)
	version := hash(b.files)
	list.Version = path.Base(b.assets) + "." + version
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	b.files["sw.js"] = append(append([]byte("\"use strict\";\nconst build = "), data...), append([]byte(";\n\n"), source...)...)
	return nil
}
