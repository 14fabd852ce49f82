package export

import (
	"html"
	"strings"

	"retrylab/quiz/prose"
)

// htmlOf writes blocks as HTML that is XML too. Nothing of a text becomes a tag but its emphasis.
func htmlOf(blocks []prose.Block) string {
	var out strings.Builder
	for _, b := range blocks {
		switch b.Kind {
		case prose.Paragraph:
			out.WriteString("<p>" + htmlSpans(b.Spans) + "</p>")
		case prose.Code:
			out.WriteString("<pre>" + escape(b.Code) + "</pre>")
		default:
			tag := "ul"
			if b.Kind == prose.Numbered {
				tag = "ol"
			}
			out.WriteString("<" + tag + ">")
			for _, item := range b.Items {
				out.WriteString("<li>" + htmlSpans(item) + "</li>")
			}
			out.WriteString("</" + tag + ">")
		}
	}
	return out.String()
}

func htmlSpans(spans []prose.Span) string {
	var out strings.Builder
	for _, s := range spans {
		piece := escape(s.Text)
		if s.Code {
			piece = "<code>" + piece + "</code>"
		}
		if s.Em {
			piece = "<em>" + piece + "</em>"
		}
		if s.Strong {
			piece = "<strong>" + piece + "</strong>"
		}
		out.WriteString(piece)
	}
	return out.String()
}

// htmlText is a text as blocks, or without a paragraph around it when it is only one.
func htmlText(text string) string {
	blocks := prose.Parse(text)
	if len(blocks) == 1 && blocks[0].Kind == prose.Paragraph {
		return htmlSpans(blocks[0].Spans)
	}
	return htmlOf(blocks)
}

// inline is a text as HTML in one line, for places that hold no block.
func inline(text string) string {
	var out []string
	for _, b := range prose.Parse(text) {
		if b.Kind == prose.Code {
			out = append(out, "<code>"+escape(b.Code)+"</code>")
		}
		if b.Kind == prose.Paragraph {
			out = append(out, htmlSpans(b.Spans))
		}
		for _, item := range b.Items {
			out = append(out, htmlSpans(item))
		}
	}
	return strings.Join(out, " ")
}

// escape writes text for HTML and XML. Characters that XML cannot hold become the replacement character.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, s))
}
