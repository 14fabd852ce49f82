package quiz

import (
	"strings"

	"retrylab/lab/source"
)

// A Text is something to read, in some languages, with places for given values. The zero Text is no
// text.
type Text struct {
	languages []string // "" stands for all
	parts     [][]part
	own       string // the file's own language
	node      source.Node
}

// A part of a text is literal, or the place of a given value.
type part struct {
	literal, name string
}

// Is says whether there is a text.
func (t Text) Is() bool { return len(t.parts) > 0 }

// In is the text in a language, such as pt-BR; where that is missing in the language without its region
// (pt), then in the file's own language, and else in the text's first. Values are put in their places.
func (t Text) In(language string, values Values) string {
	if !t.Is() {
		return ""
	}
	var out strings.Builder
	for _, p := range t.parts[t.pick(language)] {
		if p.name == "" {
			out.WriteString(p.literal)
		} else if node, ok := values.Get(p.name); ok {
			out.WriteString(node.Text)
		} else {
			out.WriteString("{" + p.name + "}")
		}
	}
	return out.String()
}

func (t Text) pick(language string) int {
	main, _, _ := strings.Cut(language, "-")
	for _, want := range []string{language, "", main, t.own} {
		for i, have := range t.languages {
			if have == want {
				return i
			}
		}
	}
	return 0
}

// has says whether the text is there in a language, without falling back.
func (t Text) has(language string) bool {
	for _, have := range t.languages {
		if have == language || have == "" {
			return true
		}
	}
	return false
}

// names are the given values that the text uses, in any language.
func (t Text) names() []string {
	var names []string
	for _, parts := range t.parts {
		for _, p := range parts {
			if p.name != "" {
				names = append(names, p.name)
			}
		}
	}
	return names
}

// split finds the places for values. {name} is one; {{ and }} around a name stand for themselves with
// one brace less; any other brace is only a brace.
func split(s string) []part {
	var parts []part
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, part{literal: literal.String()})
			literal.Reset()
		}
	}
	for s != "" {
		start := strings.IndexByte(s, '{')
		if start < 0 {
			break
		}
		literal.WriteString(s[:start])
		s = s[start:]
		if strings.HasPrefix(s, "{{") {
			if name, rest, ok := strings.Cut(s[2:], "}}"); ok && isName(name) {
				literal.WriteString("{" + name + "}")
				s = rest
				continue
			}
		}
		if name, rest, ok := strings.Cut(s[1:], "}"); ok && isName(name) {
			flush()
			parts = append(parts, part{name: name})
			s = rest
			continue
		}
		literal.WriteByte('{')
		s = s[1:]
	}
	literal.WriteString(s)
	flush()
	if len(parts) == 0 {
		parts = []part{{}}
	}
	return parts
}

// isName says whether s can name a given value: small letters, digits and _, a letter first.
func isName(s string) bool {
	for i, c := range s {
		switch {
		case 'a' <= c && c <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '_'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= 40
}
