package student

import (
	"errors"
	"fmt"
	"testing"
)

// broken is a program whose source does not parse: its interpreter says so at a line.
type broken int

func (b broken) Do(string) string {
	return fmt.Sprintf(`{"ok": null, "raised": {"type": "SyntaxError", "message": "no end", "line": %d}}`, int(b))
}

func TestAFaultIsNeverBehindTheLastLineOfAProgram(t *testing.T) {
	for _, c := range []struct {
		source     string
		says, want int
	}{
		{"a\nb(", 1, 1},
		{"a\nb(", 2, 2},
		{"a\nb(", 3, 2},
		{"a\nb(\n", 3, 2},
		{"\n\na\nb(\n\n  \n", 9, 4},
		{"", 2, 1},
		{"a\nb(", 0, 0}, // no line is known
	} {
		var r *Raised
		if err := (&Host{}).load(broken(c.says), c.source); !errors.As(err, &r) || r.Line != c.want {
			t.Errorf("%q, line %d: %+v, want line %d", c.source, c.says, err, c.want)
		}
	}
}
