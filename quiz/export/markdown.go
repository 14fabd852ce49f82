package export

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// fromHTML is the Markdown of a text in HTML, as far as quizzes have it. lost are the kinds of things
// that it cannot say. The text is read as a row of tags, so that no nesting costs more than its length.
func fromHTML(text string) (markdown string, lost []string) {
	m := &marker{}
	z := html.NewTokenizer(strings.NewReader(text))
	skip := ""
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				m.lose("a part of a text that is no HTML")
			}
			return m.end(), m.lost
		}
		token := z.Token()
		switch {
		case skip != "":
			if kind == html.EndTagToken && token.Data == skip {
				skip = ""
			}
		case kind == html.TextToken:
			m.text(token.Data)
		case kind == html.StartTagToken && (token.Data == "script" || token.Data == "style" || token.Data == "object" || token.Data == "iframe"):
			skip = token.Data
			m.lose("a " + token.Data)
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
			m.start(token)
		case kind == html.EndTagToken:
			m.finish(token.Data)
		}
	}
}

// A marker writes Markdown.
type marker struct {
	blocks []string
	line   strings.Builder
	open   []string // marks of emphasis that are open
	lists  []string // "- " or "1. "
	prefix string   // of the line: that of a list's item
	code   *strings.Builder
	pre    *strings.Builder
	lost   []string
}

func (m *marker) lose(what string) {
	if !slices.Contains(m.lost, what) {
		m.lost = append(m.lost, what)
	}
}

func (m *marker) text(s string) {
	switch {
	case m.pre != nil:
		m.pre.WriteString(s)
	case m.code != nil:
		m.code.WriteString(s)
	default:
		m.line.WriteString(escapeMarkdown(s))
	}
}

func (m *marker) start(token html.Token) {
	switch token.Data {
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "tr", "dt", "dd", "hr":
		m.flush()
		if token.Data == "tr" {
			m.lose("the columns of a table")
		}
	case "br":
		m.flush()
	case "td", "th":
		m.line.WriteString(" ")
	case "ul", "ol":
		m.flush()
		mark := "- "
		if token.Data == "ol" {
			mark = "1. "
		}
		if len(m.lists) > 0 {
			m.lose("a list inside a list")
		}
		m.lists = append(m.lists, mark)
	case "li":
		m.flush()
		m.prefix = "- "
		if len(m.lists) > 0 {
			m.prefix = m.lists[len(m.lists)-1]
		}
	case "pre":
		m.flush()
		m.pre = &strings.Builder{}
	case "code", "tt", "kbd", "samp":
		if m.pre == nil && m.code == nil {
			m.code = &strings.Builder{}
		}
	case "b", "strong":
		m.emphasis("**")
	case "i", "em":
		m.emphasis("*")
	case "img", "audio", "video", "svg", "canvas", "math", "input", "embed":
		m.lose("a picture or another medium (" + token.Data + ")")
	case "a":
		m.lose("where a link leads")
	case "sub", "sup":
		m.lose("that a text stands higher or lower (" + token.Data + ")")
	}
}

// emphasis opens a mark, unless one like it is open.
func (m *marker) emphasis(mark string) {
	if m.pre == nil && m.code == nil && !slices.Contains(m.open, mark) {
		m.open = append(m.open, mark)
		m.line.WriteString("\x00" + mark) // where it opens; end puts it behind the space that follows
	}
}

func (m *marker) finish(tag string) {
	switch tag {
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "tr", "dt", "dd", "li":
		m.flush()
	case "ul", "ol":
		m.flush()
		if len(m.lists) > 0 {
			m.lists = m.lists[:len(m.lists)-1]
		}
	case "pre":
		if m.pre != nil {
			code := strings.Trim(m.pre.String(), "\n")
			fence := "```"
			if strings.Contains(code, fence) {
				fence = "~~~"
			}
			m.pre = nil
			if strings.TrimSpace(code) != "" {
				m.blocks = append(m.blocks, fence+"\n"+escapePlaces(code)+"\n"+fence)
			}
		}
	case "code", "tt", "kbd", "samp":
		if m.code != nil {
			code := oneLine(m.code.String())
			m.code = nil
			m.line.WriteString(markCode(code))
		}
	case "b", "strong":
		m.close("**")
	case "i", "em":
		m.close("*")
	}
}

func (m *marker) close(mark string) {
	if m.pre != nil || m.code != nil {
		return
	}
	if at := slices.Index(m.open, mark); at >= 0 {
		m.open = slices.Delete(m.open, at, at+1)
		m.line.WriteString("\x01" + mark)
	}
}

// markCode is a word as code.
func markCode(code string) string {
	if code == "" {
		return ""
	}
	ticks := "`"
	for strings.Contains(code, ticks) {
		ticks += "`"
	}
	pad := ""
	if len(ticks) > 1 {
		pad = " "
	}
	return ticks + pad + escapePlaces(code) + pad + ticks
}

// flush ends a line: it is a block of its own.
func (m *marker) flush() {
	for i := len(m.open) - 1; i >= 0; i-- {
		m.line.WriteString("\x01" + m.open[i])
	}
	m.open = nil
	line := tighten(m.line.String())
	m.line.Reset()
	if line == "" {
		return
	}
	block := m.prefix + startOfLine(line, m.prefix)
	if n := len(m.blocks); m.prefix != "" && n > 0 && strings.HasPrefix(m.blocks[n-1], m.prefix) && len(m.lists) > 0 {
		m.blocks[n-1] += "\n" + block
	} else {
		m.blocks = append(m.blocks, block)
	}
	m.prefix = ""
}

var (
	opening = regexp.MustCompile(`\x00(\*+)(\s*)`)
	closing = regexp.MustCompile(`(\s*)\x01(\*+)`)
	nothing = regexp.MustCompile(`\x00\*+\s*\x01\*+`)
)

// tighten puts marks next to the words that they belong to.
func tighten(line string) string {
	line = nothing.ReplaceAllString(line, " ")
	for _, mark := range []string{"**", "*"} {
		line = strings.ReplaceAll(line, "\x01"+mark+"\x00"+mark, "") // one that ends where it begins again
	}
	line = opening.ReplaceAllString(line, "$2$1")
	line = closing.ReplaceAllString(line, "$2$1")
	return oneLine(line)
}

func (m *marker) end() string {
	if m.code != nil {
		m.finish("code")
	}
	m.finish("pre")
	m.flush()
	return strings.Join(m.blocks, "\n\n")
}

var places = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// escapePlaces keeps {name} from standing for a given value.
func escapePlaces(s string) string { return places.ReplaceAllString(s, "{{$1}}") }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "\x00", "", "\x01", "")

// escapeMarkdown is plain text as Markdown.
func escapeMarkdown(s string) string { return escapePlaces(escapeMarks(s)) }

// escapeMarks escapes what Markdown gives a meaning inside a line. An underscore inside a word has none.
func escapeMarks(s string) string {
	var out strings.Builder
	word := func(c byte) bool {
		return c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], '_')
		if j < 0 {
			out.WriteString(markdownEscapes.Replace(s[i:]))
			break
		}
		j += i
		out.WriteString(markdownEscapes.Replace(s[i:j]))
		if j > 0 && j+1 < len(s) && word(s[j-1]) && word(s[j+1]) {
			out.WriteByte('_')
		} else {
			out.WriteString(`\_`)
		}
		i = j + 1
	}
	return out.String()
}

var listStart = regexp.MustCompile(`^([-+]|[0-9]{1,9}[.)])( |$)`)

// startOfLine keeps a line from beginning a list or a fence.
func startOfLine(line, prefix string) string {
	if at := listStart.FindStringSubmatchIndex(line); at != nil && prefix == "" {
		return line[:at[3]-1] + `\` + line[at[3]-1:]
	}
	if strings.HasPrefix(line, "~~~") {
		return `\` + line
	}
	return line
}

// fromPlain is plain text as Markdown: each line is a paragraph.
func fromPlain(text string) string {
	var blocks []string
	for _, line := range strings.Split(text, "\n") {
		if line = oneLine(line); line != "" {
			blocks = append(blocks, startOfLine(escapeMarkdown(line), ""))
		}
	}
	return strings.Join(blocks, "\n\n")
}
