package static

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write notices.txt anew")

// shipped are the programs that leave this house: the two of the site, and the server.
var shipped = []struct{ system, arch, pkg string }{
	{"js", "wasm", "./cmd/wasm/app"},
	{"js", "wasm", "./cmd/wasm/engine"},
	{"js", "wasm", "./cmd/server"},
	{"linux", "amd64", "./cmd/server"},
}

// modules lists the modules in the shipped programs: "path version folder".
func modules(t *testing.T) []string {
	t.Helper()
	// Read so that a stored result of this test does not outlive a change of the modules.
	if _, err := os.ReadFile(filepath.Join("..", "go.sum")); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range shipped {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", s.pkg)
		list.Dir = ".."
		list.Env = append(os.Environ(), "GOOS="+s.system, "GOARCH="+s.arch, "CGO_ENABLED=0")
		var errs bytes.Buffer
		list.Stderr = &errs
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s for %s/%s: %v\n%s", s.pkg, s.system, s.arch, err, &errs)
		}
		all = append(all, strings.Split(strings.TrimSpace(string(out)), "\n")...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// unshipped are the npm packages that others ask for and of which nothing is in the site; cmd/bundle refuses to
// bundle what notices.txt does not name.
var unshipped = []string{
	"@codemirror/autocomplete", "@codemirror/lint", // of the languages' own extensions, which are not used
	"@codemirror/streamparser", "crelt", // of other languages and of panels
	"@types/emscripten", // types
	"ws",                // Pyodide in Node
}

// npmParts lists the npm packages in the site: "name version folder".
func npmParts(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("npm", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	left := slices.Clone(unshipped)
	var all []string
	for path, p := range lock.Packages {
		name, ok := strings.CutPrefix(path, "node_modules/")
		if !ok {
			continue
		}
		if i := slices.Index(left, name); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		dir := filepath.Join("npm", "licences", name) // where the package has no licence in it
		if _, err := os.Stat(dir); err != nil {
			dir = filepath.Join("npm", "node_modules", name)
		}
		all = append(all, name+" "+p.Version+" "+dir)
	}
	for _, name := range left {
		t.Errorf("%s is not installed at all", name)
	}
	slices.Sort(all)
	return all
}

// licences are the texts that a module's makers ask to be handed on.
func licences(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !(strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "PATENTS")) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")))
	}
	return b.String()
}

const rule = "================================================================================\n"

// TestEveryShippedModuleIsNamed holds notices.txt against what is in the programs, both ways. After a
// change of the modules or the npm parts: go test ./static -run Named -update
func TestEveryShippedModuleIsNamed(t *testing.T) {
	all := append(modules(t), npmParts(t)...)
	if *update {
		write(t, all)
	}
	data, err := os.ReadFile("notices.txt")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for i, part := range strings.Split(string(data), rule) {
		if i%2 == 1 {
			named[strings.TrimSpace(part)] = true
		} else if i > 0 && len(part) < 200 {
			t.Errorf("part %d of notices.txt has no licence: %q", i, part)
		}
	}
	if !named[goItself] {
		t.Error("notices.txt does not name Go")
	}
	delete(named, goItself)
	for _, m := range all {
		fields := strings.SplitN(m, " ", 3)
		name := fields[0] + " " + fields[1]
		if !named[name] {
			t.Errorf("notices.txt does not name %s", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("notices.txt names %s, which is in no program", name)
	}
}

const goItself = "Go: its runtime, standard library and wasm_exec.js"

func write(t *testing.T, all []string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("This course contains the work of others. Their names and licences:\n\n")
	section := func(name, dir string) {
		text := licences(t, dir)
		if text == "" {
			t.Errorf("%s has no licence in %s", name, dir)
		}
		fmt.Fprintf(&b, "%s%s\n%s\n%s", rule, name, rule, text)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	section(goItself, strings.TrimSpace(string(goroot)))
	for _, m := range all {
		fields := strings.SplitN(m, " ", 3)
		section(fields[0]+" "+fields[1], fields[2])
	}
	if err := os.WriteFile("notices.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
