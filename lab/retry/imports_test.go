package retry_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The library is linked into the page's program and runs in simulations: it brings little with it, and
// neither time nor chance enters but through its arguments.
func TestTheLibraryHasNoClockNoChanceAndFewImports(t *testing.T) {
	allowed := []string{"context", "errors", "math", "sort", "strconv", "strings", "sync", "time"}
	ofTime := []string{"Date", "Month", "Time", "UTC", "UnixMilli"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		read++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && !slices.Contains(ofTime, s.Sel.Name) {
					t.Errorf("%s uses time.%s", name, s.Sel.Name)
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "context" && strings.HasPrefix(s.Sel.Name, "With") {
					t.Errorf("%s uses context.%s", name, s.Sel.Name)
				}
			}
			return true
		})
	}
	if read < 10 {
		t.Errorf("only %d files were read", read)
	}
}
