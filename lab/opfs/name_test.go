package opfs

import (
	"strings"
	"testing"
)

func TestNamesThatCouldLeaveTheDirectoryAreRefused(t *testing.T) {
	for _, name := range []string{
		"", ".", "..", "../a", "a/b", "/a", `a\b`, `..\a`, "a\x00b", "a b", "ä", "a:b", "-a", ".a", "a%2Fb", "a\n", strings.Repeat("a", MaxName+1),
	} {
		if checkName(name) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	for _, name := range []string{"a", "lab.db", "lab.db-journal", "lab.db-wal", "lab.db-mj0A1B2C3D9EF", "0_x", "a..b", strings.Repeat("a", MaxName)} {
		if err := checkName(name); err != nil {
			t.Errorf("%q is refused: %v", name, err)
		}
	}
}

func TestEachPathHasADirectoryOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for _, path := range []string{
		"", "/", "//", "/a", "/a/", "/a/b/", "/a-b/", "/a_2db/", "/a.b/", "/a%2Fb/", "/ä/", "/_/", "/日本/", "..", "../..",
		strings.Repeat("/long", 40), strings.Repeat("/long", 41),
	} {
		name := DirName("lab", path)
		if err := checkName(name); err != nil {
			t.Errorf("%q gives %q: %v", path, name, err)
		}
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q both give %q", path, other, name)
		}
		seen[name] = path
	}
}
