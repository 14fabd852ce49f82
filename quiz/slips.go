package quiz

import (
	"regexp"
	"strings"

	"retrylab/lab/retry"
)

// A slip is a place where an author most probably meant something else than YAML reads.
type slip struct {
	offset  int // in bytes
	message string
}

// Slips are what a look at the text of a file finds that the YAML library tells late or not at all. The
// look goes over the text once and knows just enough of YAML for that: quotes, braces, block texts and
// comments. It is asked about files that do not parse, and for comments.
type slips struct {
	broken   []slip // surely faults: quotes that are left open, text behind a closing quote or brace
	comments []slip // texts that a # without a space behind it has cut
	signs    []slip // texts that begin with a sign that means something to YAML
	spaces   []slip // entries without a space after their colon
}

// maxComments is how many cut texts of a file are told.
const maxComments = 100

// A looker reads a text from its start.
type looker struct {
	slips
	text      string
	at        int
	lineStart int
	parent    int   // the column where the latest entry of the line begins
	block     int   // the column of the entry whose block text is read; -1 outside of one
	flow      []int // where the open braces and brackets are
	closed    int   // where the value began that a quote or a brace has just ended; -1 for none
	plain     bool  // a text without quotes has just ended
	fresh     bool  // nothing but dashes before this on its line
}

func look(text string) slips {
	l := &looker{text: text, block: -1, closed: -1, fresh: true}
	for l.at < len(text) {
		l.step()
	}
	return l.slips
}

// here is the byte i places on; a newline behind the end.
func (l *looker) here(i int) byte {
	if l.at+i >= len(l.text) {
		return '\n'
	}
	return l.text[l.at+i]
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// restOfLine is the text up to the line's end.
func (l *looker) restOfLine() string {
	rest, _, _ := strings.Cut(l.text[l.at:], "\n")
	return strings.TrimSuffix(rest, "\r")
}

// head is the start of the rest of the line: a look at all of it for each word would take too long.
func (l *looker) head() string {
	head, _, _ := strings.Cut(l.text[l.at:min(l.at+200, len(l.text))], "\n")
	return strings.TrimSuffix(head, "\r")
}

var blockHeader = regexp.MustCompile(`^[|>][-+0-9]{0,2}[ \t]*(#.*)?$`)

func (l *looker) step() {
	c, inFlow := l.here(0), len(l.flow) > 0
	if l.closed >= 0 && !blank(c) {
		if c != ':' && !(inFlow && strings.IndexByte(",]}", c) >= 0) && !(c == '#' && blank(l.text[l.at-1])) {
			l.behind()
		}
		l.closed = -1
	}
	dash := !inFlow && l.fresh && (c == '-' || c == '?') && blank(l.here(1))
	switch {
	case c == '\n':
		l.newLine()
		return
	case blank(c):
		l.at++
		return
	case c == '#' && (l.at == 0 || blank(l.text[l.at-1])):
		l.at += len(l.restOfLine())
		return
	case dash:
		l.parent = l.at - l.lineStart
		l.at++
		l.plain = false
		return
	case c == '[' || c == '{':
		l.flow = append(l.flow, l.at)
		l.at++
	case inFlow && (c == ']' || c == '}'):
		l.closed = l.flow[len(l.flow)-1]
		l.flow = l.flow[:len(l.flow)-1]
		l.at++
	case inFlow && c == ',', c == ':' && (inFlow || blank(l.here(1))):
		l.at++
	case c == '"' || c == '\'':
		l.quoted(c)
	case !inFlow && (c == '|' || c == '>') && blockHeader.MatchString(l.head()):
		l.block = l.parent
		l.at += len(l.restOfLine())
	default:
		if strings.IndexByte("*&!@`%|>", c) >= 0 {
			l.signs = append(l.signs, slip{l.at, beginsWith(string(c))})
		}
		l.bare()
		return
	}
	l.fresh, l.plain = false, false
}

// beginsWith says what a text wants that begins with a sign.
func beginsWith(sign string) string {
	if sign == `"` {
		return `a text that begins with " wants quotes around all of it: '"...'`
	}
	return "a text that begins with " + sign + ` wants quotes: "` + sign + `..."`
}

// newLine goes to the next line that is not part of a block text. A line that goes on with a text without
// quotes is read as part of it.
func (l *looker) newLine() {
	l.at++
	for l.block >= 0 && l.at < len(l.text) {
		rest := l.restOfLine()
		if words := strings.TrimLeft(rest, " "); strings.TrimSpace(words) != "" && len(rest)-len(words) <= l.block {
			l.block = -1
			break
		}
		l.at = min(l.at+len(rest), len(l.text))
		if next := strings.IndexByte(l.text[l.at:], '\n'); next >= 0 {
			l.at += next + 1
		} else {
			l.at = len(l.text)
		}
	}
	l.lineStart, l.fresh, l.closed = l.at, true, -1
	if !l.plain {
		return
	}
	rest := l.restOfLine()
	words := strings.TrimLeft(rest, " ")
	inFlow := len(l.flow) > 0
	if words == "" {
		return
	}
	if words[0] != '#' && (inFlow && strings.IndexByte(",[]{}", words[0]) < 0 || !inFlow && len(rest)-len(words) > l.parent) {
		l.at += len(rest) - len(words)
		l.bare()
	}
	l.plain = false
}

// quoted reads a text in quotes.
func (l *looker) quoted(quote byte) {
	start := l.at
	for l.at++; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.lineStart = l.at + 1
		case c == '\\' && quote == '"':
			l.at++
		case c == quote && quote == '\'' && l.here(1) == quote:
			l.at++
		case c == quote:
			l.at++
			l.closed = start
			return
		}
	}
	l.at = len(l.text)
	l.broken = append(l.broken, slip{start, "this quote is never closed: write the same quote at the end of the text"})
}

var entry = regexp.MustCompile(`^("[^"]*"|'[^']*'|[A-Za-z_][\w-]*):([ \t]|$)`)

// behind finds text behind the quote or the brace that ended a value.
func (l *looker) behind() {
	if len(l.broken) > 0 {
		return // the first is the one that counts
	}
	opened := string(l.text[l.closed])
	inFlow := len(l.flow) > 0
	_, begun, several := strings.Cut(l.text[l.closed:l.at], "\n")
	switch quote := opened == `"` || opened == "'"; {
	case inFlow && entry.MatchString(l.head()):
		l.broken = append(l.broken, slip{l.at, "a comma is missing before this"})
	case quote && several && begun != "":
		l.broken = append(l.broken, slip{l.closed, "this quote is not closed in its line: write the same quote at the end of the text"})
	case inFlow && strings.IndexByte(`[{"'`, l.here(0)) >= 0:
		l.broken = append(l.broken, slip{l.at, "a comma is missing before this"})
	case quote && strings.HasSuffix(strings.TrimRight(l.head(), " \t,]}"), opened):
		other := map[string]string{`"`: `'...'`, `'`: `"..."`}[opened]
		l.broken = append(l.broken, slip{l.closed, "a text with " + opened + " in it wants the other quotes around it: " + other})
	case opened == "'":
		l.broken = append(l.broken, slip{l.closed, `a text that begins with ' wants quotes around all of it: "'..."`})
	default:
		l.broken = append(l.broken, slip{l.closed, beginsWith(opened)})
	}
}

var colon = regexp.MustCompile(`^([A-Za-z_]\w*):([^\s/:].*)$`)

// bare reads a text without quotes, or a key.
func (l *looker) bare() {
	start, first, inFlow := l.at, l.fresh, len(l.flow) > 0
	l.fresh, l.plain = false, true
	for ; ; l.at++ {
		c, next := l.here(0), l.here(1)
		text := func() string { return strings.TrimSpace(l.text[start:min(l.at, len(l.text))]) }
		switch {
		case c == '\n', inFlow && strings.IndexByte(",[]{}", c) >= 0:
			if !first || inFlow {
				return // no entry begins here, or one that YAML reads as a name without a value
			}
			if m := colon.FindStringSubmatch(text()); m != nil {
				l.spaces = append(l.spaces, slip{start, "a space is missing after the colon, expected " + m[1] + ": " + short(m[2])})
			}
			return
		case c == ':' && (blank(next) || inFlow && strings.IndexByte(",[]{}", next) >= 0):
			if l.parent = start - l.lineStart; inFlow {
				l.parent = 0
			}
			l.plain = false
			return
		case c == '#' && l.at > start && blank(l.text[l.at-1]):
			if len(l.comments) < maxComments && !blank(next) && next != '#' && retry.ParsePlain(text()).Type() == retry.TypeText {
				l.comments = append(l.comments, slip{l.at, "what follows # is a comment: put quotes around the text, or a space behind the #"})
			}
			return
		}
	}
}

func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
