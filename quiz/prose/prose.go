// Package prose reads the Markdown of quizzes: paragraphs, lists (-, * or 1.), fenced code, `code`,
// *emphasis*, **strong emphasis**, and a backslash before a mark that stands for itself. It is a part of
// CommonMark and reads that part the same way. Everything else, HTML and links above all, is text like
// any other, so that a file cannot bring anything onto a page but words.
//
// It takes time in proportion to the text, whatever the text is.
package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Block is a paragraph, a list, or code.
type Block struct {
	Kind  BlockKind
	Spans []Span   // of a Paragraph
	Items [][]Span // of a List or Numbered
	Code  string   // of Code: its lines
}

// A BlockKind is what a block is.
type BlockKind uint8

// Kinds of blocks.
const (
	Paragraph BlockKind = iota
	List
	Numbered
	Code
)

// A Span is a piece of text. Spans do not nest: one that is in both emphases has both.
type Span struct {
	Text   string
	Code   bool
	Em     bool
	Strong bool
}

// Parse reads a text.
func Parse(text string) []Block {
	var blocks []Block
	var lines []string // of the open paragraph
	flush := func() {
		if len(lines) > 0 {
			blocks = append(blocks, Block{Kind: Paragraph, Spans: Spans(strings.Join(lines, " "))})
			lines = nil
		}
	}
	rest := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(rest); i++ {
		line := strings.TrimSpace(rest[i])
		if fence := fenceOf(line); fence != "" {
			flush()
			end := i + 1
			for end < len(rest) && strings.TrimSpace(rest[end]) != fence {
				end++
			}
			blocks = append(blocks, Block{Kind: Code, Code: strings.Join(rest[i+1:end], "\n")})
			i = end
			continue
		}
		kind, item := itemOf(line)
		if len(lines) > 0 && kind == Numbered && !strings.HasPrefix(line, "1") {
			kind = Paragraph // as in CommonMark: only 1 may interrupt a paragraph
		}
		switch {
		case line == "":
			flush()
		case kind == Paragraph:
			if n := len(blocks); len(lines) == 0 && n > 0 && blocks[n-1].Items != nil && i > 0 && strings.TrimSpace(rest[i-1]) != "" {
				last := &blocks[n-1].Items[len(blocks[n-1].Items)-1] // a line that goes on with an item
				*last = append(*last, Spans(" "+line)...)
				continue
			}
			lines = append(lines, line)
		default:
			flush()
			if n := len(blocks); n > 0 && blocks[n-1].Kind == kind && blocks[n-1].Items != nil {
				blocks[n-1].Items = append(blocks[n-1].Items, Spans(item))
			} else {
				blocks = append(blocks, Block{Kind: kind, Items: [][]Span{Spans(item)}})
			}
		}
	}
	flush()
	return blocks
}

func fenceOf(line string) string {
	for _, fence := range []string{"```", "~~~"} {
		if rest, ok := strings.CutPrefix(line, fence); ok && !strings.Contains(rest, fence[:1]) {
			return fence
		}
	}
	return ""
}

// itemOf is a list's item, or Paragraph for a line that is none.
func itemOf(line string) (BlockKind, string) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if item, ok := strings.CutPrefix(line, mark); ok {
			return List, strings.TrimSpace(item)
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < 10 && len(line) > digits+1 && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ' {
		return Numbered, strings.TrimSpace(line[digits+2:])
	}
	return Paragraph, ""
}

// Spans reads a text of one paragraph. A mark without a partner is a character like any other.
func Spans(text string) []Span {
	var out []Span
	var plain strings.Builder
	em, strong := false, false
	var emMark byte
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, Span{Text: plain.String(), Em: em, Strong: strong})
			plain.Reset()
		}
	}
	// Where no further mark closes, none is looked for again: that keeps the time in proportion.
	none := map[string]bool{}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && isMark(text[i+1]):
			plain.WriteByte(text[i+1])
			i += 2
			continue
		case c == '`':
			ticks := run(text[i:], '`')
			mark := text[i : i+ticks]
			if !none[mark] {
				if code, ok := codeUntil(text[i+ticks:], ticks); ok {
					flush()
					out = append(out, Span{Text: unpadded(code), Code: true, Em: em, Strong: strong})
					i += ticks + len(code) + ticks
					continue
				}
				none[mark] = true
			}
			plain.WriteString(mark)
			i += ticks
			continue
		case c == '*' || c == '_':
			marks := run(text[i:], c)
			left, right := flanks(text, i, marks, c)
			switch {
			case marks == 3 && em && strong && right && c == '*' && emMark == '*':
				flush()
				em, strong = false, false
				i += 3
				continue
			case marks == 3 && !em && !strong && left && c == '*' && !none["***"]:
				if closes(text[i+3:], "***") {
					flush()
					em, strong, emMark = true, true, '*'
					i += 3
					continue
				}
				none["***"] = true
			case marks == 2 && strong && right && c == '*':
				flush()
				strong = false
				i += 2
				continue
			case marks == 2 && !strong && left && c == '*' && !none["**"]:
				if closes(text[i+2:], "**") {
					flush()
					strong = true
					i += 2
					continue
				}
				none["**"] = true
			case marks == 1 && em && right && c == emMark:
				flush()
				em = false
				i++
				continue
			case marks == 1 && !em && left && !none[string(c)]:
				if closes(text[i+1:], string(c)) {
					flush()
					em, emMark = true, c
					i++
					continue
				}
				none[string(c)] = true
			}
			plain.WriteString(text[i : i+marks])
			i += marks
			continue
		}
		plain.WriteByte(c)
		i++
	}
	flush()
	return out
}

func isMark(c byte) bool { return strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) >= 0 }

func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// codeUntil is what stands before the next run of just so many backquotes.
func codeUntil(s string, ticks int) (string, bool) {
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '`')
		if at < 0 {
			return "", false
		}
		i += at
		n := run(s[i:], '`')
		if n == ticks {
			return s[:i], i > 0
		}
		i += n
	}
	return "", false
}

// unpadded is code without the one space at each end that lets it begin with a backquote.
func unpadded(code string) string {
	if len(code) > 2 && code[0] == ' ' && code[len(code)-1] == ' ' && strings.TrimSpace(code) != "" {
		return code[1 : len(code)-1]
	}
	return code
}

// flanks says whether marks may open an emphasis (something follows) and close one (something stands
// before). An underscore inside a word does neither.
func flanks(text string, at, marks int, c byte) (left, right bool) {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+marks:])
	space := func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }
	sign := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	left = !space(after) && (!sign(after) || space(before) || sign(before))
	right = !space(before) && (!sign(before) || space(after) || sign(after))
	if c == '_' {
		return left && (!right || sign(before)), right && (!left || sign(after))
	}
	return left, right
}

// closes says whether a mark that closes follows, outside of code.
func closes(s, mark string) bool {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\':
			i += 2
		case c == '`':
			ticks := run(s[i:], '`')
			i += ticks
			if code, ok := codeUntil(s[i:], ticks); ok {
				i += len(code) + ticks
			}
		case c == mark[0]:
			n := run(s[i:], c)
			if _, right := flanks(s, i, n, c); right && n == len(mark) && i > 0 {
				return true
			}
			i += n
		default:
			i++
		}
	}
	return false
}

// Plain is a text without its marks, on one line.
func Plain(text string) string {
	var out []string
	add := func(spans []Span) {
		var line strings.Builder
		for _, s := range spans {
			line.WriteString(s.Text)
		}
		out = append(out, line.String())
	}
	for _, b := range Parse(text) {
		switch b.Kind {
		case Paragraph:
			add(b.Spans)
		case Code:
			out = append(out, strings.Fields(b.Code)...)
		default:
			for _, item := range b.Items {
				add(item)
			}
		}
	}
	return strings.Join(out, " ")
}
