package opfs

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// MaxName is the longest file name, in bytes. SQLite makes the names of its journals by adding up to
// 12 bytes to a database's.
const MaxName = 100

// checkName says why a file may not be called name: names are flat and plain, so that none can leave
// the directory, and so that each platform below OPFS stores them alike.
func checkName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("opfs: the empty name")
	case len(name) > MaxName:
		return fmt.Errorf("opfs: a name of %d bytes, at most %d are allowed", len(name), MaxName)
	case !letterOrDigit(name[0]):
		return fmt.Errorf("opfs: the name %q must begin with a letter or a digit", name)
	}
	for i := range len(name) {
		if c := name[i]; !letterOrDigit(c) && c != '.' && c != '-' && c != '_' {
			return fmt.Errorf("opfs: the name %q has a character other than letters, digits, dot, hyphen and underscore", name)
		}
	}
	return nil
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// DirName turns any text, such as the path a site is served under, into the name of a directory: two
// courses on one host do not share a database. Different texts give different names.
func DirName(prefix, text string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for i := range len(text) {
		switch c := text[i]; {
		case letterOrDigit(c):
			b.WriteByte(c)
		case c == '/':
			b.WriteByte('-')
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	if b.Len() <= MaxName {
		return b.String()
	}
	h := fnv.New128a()
	h.Write([]byte(text))
	return fmt.Sprintf("%s.%x", prefix, h.Sum(nil))
}
