package quiz

import (
	"errors"
	"strings"

	"retrylab/lab/source"
)

// explained adds to a fault of YAML what an author most probably has to do: the YAML library says what it
// stumbled over, which is often a character that wants quotes around its text.
func explained(err error, data []byte) error {
	var p *source.Problem
	if !errors.As(err, &p) {
		return err
	}
	lines := strings.Split(string(data), "\n")
	if p.Line > len(lines) {
		return err
	}
	line := strings.TrimRight(lines[p.Line-1], "\r")
	rest := line
	if before := []rune(line); p.Column-1 <= len(before) {
		rest = string(before[p.Column-1:])
	}
	hint := ""
	switch {
	case strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t"):
		hint = "there is a tab before the text: YAML is indented with spaces"
	case strings.Contains(p.Message, "mapping values are not allowed") && strings.Contains(strings.TrimSuffix(line, rest), ": "):
		hint = `a text with a colon in it wants quotes: "..."`
	case strings.Contains(p.Message, "cannot start any token"):
		hint = `a text that begins with ` + strings.TrimSpace(string([]rune(rest + " ")[:1])) + ` wants quotes: "..."`
	case strings.Contains(p.Message, "flow mapping") && strings.Contains(line, ": {"):
		hint = `a text that begins with { wants quotes: "{name} ..."`
	case strings.Contains(p.Message, "did not find expected key"), strings.Contains(p.Message, "mapping values are not allowed"):
		hint = "look at the indentation of this line and the one above; entries of one map begin in the same column"
	}
	if hint == "" {
		return err
	}
	copied := *p
	copied.Message += "; " + hint
	return &copied
}
