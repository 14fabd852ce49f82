package quiz

import (
	"errors"
	"strings"
	"unicode/utf8"

	"retrylab/lab/source"
)

// explained adds to a fault of YAML what an author most probably has to do: the YAML library says what it
// stumbled over, which is often a character that wants quotes around its text, and may stand far below it.
func explained(err error, data []byte) error {
	var p *source.Problem
	if !errors.As(err, &p) || !utf8.Valid(data) {
		return err
	}
	text := string(data)
	lines := strings.Split(text, "\n")
	if p.Line > len(lines) {
		return err
	}
	line := strings.TrimRight(lines[p.Line-1], "\r")
	rest := line
	if before := []rune(line); p.Column-1 <= len(before) {
		rest = string(before[p.Column-1:])
	}
	tab := strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t")
	if isSyntax(p.Message) && !tab {
		if s, ok := look(text).cause(p, text); ok {
			line, column := placeIn(text, s.offset)
			return &source.Problem{File: p.File, Line: line, Column: column, Message: s.message}
		}
	}
	hint := ""
	switch {
	case tab:
		hint = "there is a tab before the text: YAML is indented with spaces"
	case strings.Contains(p.Message, "mapping values are not allowed") && strings.Contains(strings.TrimSuffix(line, rest), ": "):
		hint = `a text with a colon in it wants quotes: "..."`
	case strings.Contains(p.Message, "cannot start any token"), strings.Contains(p.Message, "is not read here"), strings.Contains(p.Message, "are not read here"),
		strings.Contains(p.Message, "block sequence entries are not allowed"), strings.Contains(p.Message, "mapping keys are not allowed"):
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

// isSyntax says whether a message is the YAML library's, about the structure of a text.
func isSyntax(message string) bool {
	for _, part := range []string{"while scanning ", "while parsing ", "not allowed in this context", "did not find expected", "could not find expected", "unknown anchor"} {
		if strings.Contains(message, part) {
			return !strings.Contains(message, "exceeded max depth")
		}
	}
	return false
}

// cause is the slip that a fault most probably comes from.
func (s slips) cause(p *source.Problem, text string) (slip, bool) {
	fault := offsetOf(text, p.Line, p.Column)
	if len(s.broken) > 0 && s.broken[0].offset <= fault {
		return s.broken[0], true
	}
	// A sign is the cause in its own line only; a text that is cut, or one entry that is read as a text, in
	// the line below at the latest.
	lineOf := func(offset int) int { line, _ := placeIn(text, offset); return line }
	last := func(found []slip, from int) (slip, bool) {
		for i := len(found) - 1; i >= 0; i-- {
			if found[i].offset <= fault {
				return found[i], lineOf(found[i].offset) >= from
			}
		}
		return slip{}, false
	}
	if sign, ok := last(s.signs, p.Line); ok && !strings.Contains(p.Message, "cannot start any token") {
		return sign, true
	}
	above := p.Line - 1
	for lines := strings.Split(text, "\n"); above > 1 && strings.TrimSpace(lines[above-1]) == ""; {
		above--
	}
	if comment, ok := last(s.comments, above); ok {
		return comment, true
	}
	return last(s.spaces, above)
}

// placeIn is the line and the column, in characters, of an offset.
func placeIn(text string, offset int) (line, column int) {
	before := text[:offset]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// offsetOf is the offset of a line and a column.
func offsetOf(text string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return len(text)
		}
		offset += next + 1
	}
	for ; column > 1 && offset < len(text); column-- {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}
