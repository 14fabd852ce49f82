// Bundle puts together the third-party JavaScript of the site from what npm has installed:
//
//	editor.js, quickjs.js    bundled and minified with our own lines about them
//	quickjs.wasm             as it comes
//	pyodide/VERSION/         Pyodide's files as they come, and packed ones of those that are large
//
// The same input gives the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bundle: ")
	static := flag.String("static", "static", "the folder with our sources and, in npm/, the installed parts")
	out := flag.String("out", "build", "the folder to write to")
	flag.Parse()
	if err := run(*static, *out); err != nil {
		log.Fatal(err)
	}
}

func run(static, out string) error {
	modules := filepath.Join(static, "npm", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		return fmt.Errorf("the npm parts are not installed: run make programs: %w", err)
	}
	// A script of the page may be a module; QuickJS runs in a worker that is made from a blob, as a
	// classic script.
	notices, err := os.ReadFile(filepath.Join(static, "notices.txt"))
	if err != nil {
		return err
	}
	for _, b := range []bundle{
		{from: filepath.Join(static, "editor", "editor.js"), to: "editor.js"},
		{from: filepath.Join(static, "quickjs", "quickjs.js"), to: "quickjs.js"},
	} {
		data, parts, err := b.build(modules)
		if err != nil {
			return err
		}
		for _, part := range parts {
			if !bytes.Contains(notices, []byte("\n"+part+" ")) {
				return fmt.Errorf("%s contains %s, which static/notices.txt does not name: see static/notices_test.go", b.to, part)
			}
		}
		if err := replace(filepath.Join(out, b.to), data); err != nil {
			return err
		}
	}
	wasm, err := os.ReadFile(filepath.Join(modules, "@jitl", "quickjs-wasmfile-release-sync", "dist", "emscripten-module.wasm"))
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(out, "quickjs.wasm"), wasm); err != nil {
		return err
	}
	return copyPyodide(filepath.Join(modules, "pyodide"), filepath.Join(out, "pyodide"))
}

type bundle struct{ from, to string }

// build returns the bundle and the npm packages that are in it.
func (b bundle) build(modules string) ([]byte, []string, error) {
	from, err := filepath.Abs(b.from)
	if err != nil {
		return nil, nil, err
	}
	if modules, err = filepath.Abs(modules); err != nil {
		return nil, nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{from},
		Bundle:      true,
		Format:      api.FormatIIFE,
		Platform:    api.PlatformBrowser,
		Target:      api.ES2022,
		NodePaths:   []string{modules},
		// Names in comments and warnings do not depend on where the project lies.
		AbsWorkingDir:     filepath.Dir(from),
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsNone, // they stand in notices.txt
		Charset:           api.CharsetASCII,
		// Emscripten looks for its wasm beside the script; ours is handed over, and a script made from
		// a blob has no neighbours.
		Define:   map[string]string{"import.meta.url": `"https://none.invalid/"`},
		Metafile: true,
		LogLevel: api.LogLevelSilent,
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		where := b.from
		if m.Location != nil {
			where = fmt.Sprintf("%s:%d:%d", m.Location.File, m.Location.Line, m.Location.Column+1)
		}
		return nil, nil, fmt.Errorf("%s: %s", where, m.Text)
	}
	parts, err := packages(result.Metafile)
	return result.OutputFiles[0].Contents, parts, err
}

// packages lists the npm packages of which something is in a bundle.
func packages(metafile string) ([]string, error) {
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct{ BytesInOutput int }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, o := range meta.Outputs {
		for name, in := range o.Inputs {
			if m := packageForm.FindStringSubmatch(filepath.ToSlash(name)); m != nil && in.BytesInOutput > 0 {
				found[m[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

var packageForm = regexp.MustCompile(`.*/node_modules/((?:@[^/]+/)?[^/]+)/`)
