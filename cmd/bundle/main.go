// Bundle puts together the third-party JavaScript of the site from what npm has installed:
//
//	editor.js, quickjs.js    bundled and minified with our own lines about them
//	quickjs.wasm             as it comes
//	pyodide/VERSION/         Pyodide's files as they come, and packed ones of those that are large
//
// The same input gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

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
	for _, b := range []bundle{
		{from: filepath.Join(static, "editor", "editor.js"), to: "editor.js"},
		{from: filepath.Join(static, "quickjs", "quickjs.js"), to: "quickjs.js"},
	} {
		data, err := b.build(modules)
		if err != nil {
			return err
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

func (b bundle) build(modules string) ([]byte, error) {
	from, err := filepath.Abs(b.from)
	if err != nil {
		return nil, err
	}
	if modules, err = filepath.Abs(modules); err != nil {
		return nil, err
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
		LogLevel: api.LogLevelSilent,
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		where := b.from
		if m.Location != nil {
			where = fmt.Sprintf("%s:%d:%d", m.Location.File, m.Location.Line, m.Location.Column+1)
		}
		err = fmt.Errorf("%s: %s", where, m.Text)
		return nil, err
	}
	return result.OutputFiles[0].Contents, nil
}
