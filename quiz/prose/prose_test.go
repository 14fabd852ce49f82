package prose_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"retrylab/quiz/prose"
)

// show writes what was read in a way that a test can compare.
func show(text string) string {
	spans := func(spans []prose.Span) string {
		var out strings.Builder
		for _, s := range spans {
			piece := s.Text
			if s.Code {
				piece = "<c>" + piece + "</c>"
			}
			if s.Em {
				piece = "<e>" + piece + "</e>"
			}
			if s.Strong {
				piece = "<s>" + piece + "</s>"
			}
			out.WriteString(piece)
		}
		return out.String()
	}
	var out []string
	for _, b := range prose.Parse(text) {
		switch b.Kind {
		case prose.Paragraph:
			out = append(out, "p:"+spans(b.Spans))
		case prose.Code:
			out = append(out, "code:"+b.Code)
		default:
			for _, item := range b.Items {
				out = append(out, fmt.Sprintf("li%d:%s", b.Kind, spans(item)))
			}
		}
	}
	return strings.Join(out, "|")
}

func TestMarkdownIsRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain", "p:plain"},
		{"two\nlines", "p:two lines"},
		{"one\n\ntwo", "p:one|p:two"},
		{"`cap_ms` is 250", "p:<c>cap_ms</c> is 250"},
		{"`` a`b ``", "p:<c>a`b</c>"},
		{"a ` alone, ``", "p:a ` alone, ``"},
		{"a ` alone, ``b``", "p:a ` alone, <c>b</c>"},
		{"*soft* and **loud**", "p:<e>soft</e> and <s>loud</s>"},
		{"**loud and *soft* too**", "p:<s>loud and </s><s><e>soft</e></s><s> too</s>"},
		{"***both***, ***not", "p:<s><e>both</e></s>, ***not"},
		{"_soft_ base_ms and cap_ms", "p:<e>soft</e> base_ms and cap_ms"},
		{"2 * 3 * 4, a* b*", "p:2 * 3 * 4, a* b*"},
		{"*not closed", "p:*not closed"},
		{"**not closed*", "p:**not closed*"},
		{"`*code*` *`code`*", "p:<c>*code*</c> <e><c>code</c></e>"},
		{`\*stars\* \\ \n \` + "`", `p:*stars* \ \n ` + "`"},
		{"- a\n- *b*\n  goes on\n\nafter", "li1:a|li1:<e>b</e> goes on|p:after"},
		{"before\n1. a\n2) b", "p:before|li2:a|li2:b"},
		{"in\n2026. That", "p:in 2026. That"},
		{"```\na: 1\n\n  b: *2*\n```\nafter", "code:a: 1\n\n  b: *2*|p:after"},
		{"```\nnot closed", "code:not closed"},
		{"<b>no</b> <script>alert(1)</script>", "p:<b>no</b> <script>alert(1)</script>"},
		{"[a](javascript:alert(1)) ![b](http://x)", "p:[a](javascript:alert(1)) ![b](http://x)"},
		{"あ*い*う", "p:あ<e>い</e>う"},
	} {
		if got := show(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestHostileTextsTakeNoLongerThanOthers(t *testing.T) {
	for _, piece := range []string{"*a ", "**a ", "`", "``a`", "_a ", "*a**b", "\\", "- ", "1. ", "```\n", "*`a", "a* ", "[", "<"} {
		start := time.Now()
		prose.Parse(strings.Repeat(piece, 100_000/len(piece)))
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%q took %v", piece, took)
		}
	}
}

func FuzzNoLetterIsLost(f *testing.F) {
	for _, s := range []string{"", "a *b* `c` **d**", "- x\n1. y\n\nz", "```\nq\n```"} {
		f.Add(s)
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' {
				return r
			}
			return -1
		}, s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "~~~") || strings.Contains(text, "```") {
			return // the word behind a fence names a language
		}
		if got := prose.Plain(text); letters(got) != letters(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestSpansOfTheCatalogueAreReadAsBefore(t *testing.T) {
	got := prose.Spans("from `a` to `b`")
	want := []prose.Span{{Text: "from "}, {Text: "a", Code: true}, {Text: " to "}, {Text: "b", Code: true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}
