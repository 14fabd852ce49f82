package retry_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryKnownBugHasItsTest(t *testing.T) {
	declared := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
					declared[fn.Name.Name] = true
				}
			}
		}
	}
	text, err := os.ReadFile("testdata/known-bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile(`\bTest\w+`)
	rows := 0
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "--") || strings.TrimSpace(cells[2]) == "Tests" {
			continue
		}
		rows++
		named := test.FindAllString(cells[2], -1)
		if len(named) == 0 {
			t.Errorf("no test for %s", cells[1])
		}
		for _, name := range named {
			if !declared[name] {
				t.Errorf("%s is to have %s, which is not there", cells[1], name)
			}
		}
	}
	if rows < 45 {
		t.Errorf("only %d rows were found", rows)
	}
}
