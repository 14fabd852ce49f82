package export

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fromHTML is the Markdown of a text in HTML, as far as quizzes have it. lost are the kinds of things
// that it cannot say. The text is read as a row of tags, so that no nesting costs more than its length.
// What only looks like a tag, such as <String> or <stdio.h>, is text: quizzes about programs have it in plenty.
func fromHTML(text string) (markdown string, lost []string) {
	m := &marker{}
	z := html.NewTokenizer(strings.NewReader(text))
	skip := ""    // an element without words for a reader
	foreign := "" // one with elements of its own
	for {
		kind := z.Next()
		raw := html.UnescapeString(string(z.Raw())) // before Token, which makes a name's letters small
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				m.lose("a part of a text that is no HTML")
			}
			switch {
			case skip != "":
				m.lose("all that stands behind a <" + skip + ">, which has no end")
			default:
				m.text(raw) // a < that no > follows
			}
			return m.end(), m.lost
		}
		token := z.Token()
		starts := kind == html.StartTagToken || kind == html.SelfClosingTagToken
		switch {
		case skip != "":
			if kind == html.EndTagToken && token.Data == skip {
				skip = ""
			}
		case kind == html.TextToken:
			m.text(token.Data)
		case kind == html.CommentToken && strings.HasPrefix(raw, "<!--"):
			m.lose("a comment of HTML")
		case kind == html.CommentToken, kind == html.DoctypeToken: // <?php ?>, <!x> and the like
			m.text(raw)
		case foreign == "" && !isElement(token, starts):
			m.text(raw)
		case kind == html.StartTagToken && (token.Data == "script" || token.Data == "style" || token.Data == "object" || token.Data == "iframe"):
			skip = token.Data
			m.lose("a " + token.Data)
		case starts:
			if kind == html.StartTagToken && (token.Data == "svg" || token.Data == "math") {
				foreign = token.Data
			}
			m.start(token)
		case kind == html.EndTagToken:
			if token.Data == foreign {
				foreign = ""
			}
			m.finish(token.Data)
		}
	}
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

var (
	// blockElements stand on lines of their own.
	blockElements = setOf(`p div h1 h2 h3 h4 h5 h6 blockquote tr dt dd hr address article aside caption center details dialog dl fieldset
		figcaption figure footer form header hgroup legend main nav option section select summary table textarea`)
	// mute ones change nothing that a text says, or are told elsewhere.
	muteElements = setOf(`p div tr dt dd dl br td th ul ol li pre code tt kbd samp b strong i em img audio video svg canvas math input embed a sub
		sup span font table tbody thead tfoot caption colgroup col html head body title meta link base article aside footer header main nav
		section hgroup figure figcaption center address wbr nobr label source track param picture o:p`)
	// otherElements are told when they are dropped.
	otherElements = setOf(`h1 h2 h3 h4 h5 h6 blockquote hr abbr acronym applet area basefont bdi bdo big button cite data datalist del details
		dfn dialog dir fieldset form frame frameset iframe ins legend map mark marquee menu meter noembed noframes noscript object optgroup
		option output plaintext progress q rb rp rt rtc ruby s script search select slot small strike style summary template textarea time u var xmp`)
	// idleElements do nothing without an attribute: without one they are a program's words, such as List<Object>.
	idleElements = setOf("a area base data embed font iframe img input link map meta object param source track")
)

// isElement says whether a tag is one of HTML. In a<b && c>d it is none: && and c are no attributes.
func isElement(token html.Token, starts bool) bool {
	if prefix, _, ok := strings.Cut(token.Data, ":"); ok && len(prefix) == 1 { // a word processor's, such as o:p
		return strings.Contains("movw", prefix)
	}
	if !muteElements[token.Data] && !otherElements[token.Data] {
		return false
	}
	if starts && len(token.Attr) == 0 && idleElements[token.Data] {
		return false
	}
	for _, a := range token.Attr {
		if a.Val == "" && atom.Lookup([]byte(a.Key)) == 0 && a.Key != "/" && strings.Trim(a.Key, "abcdefghijklmnopqrstuvwxyz") == "" && !strings.HasPrefix(a.Key, "on") {
			return false
		}
		if strings.Trim(a.Key, "abcdefghijklmnopqrstuvwxyz0123456789-_:.@/") != "" {
			return false
		}
	}
	return true
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
	s = ownMarks.Replace(s)
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
	if blockElements[token.Data] {
		m.flush()
	}
	if otherElements[token.Data] {
		m.lose("the element " + token.Data + ", not the words in it")
	}
	switch token.Data {
	case "tr":
		m.lose("the columns of a table")
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
	case "sub":
		m.lose("that a text stands lower (sub): it is written as x_1")
		m.out().WriteString("\x02_")
	case "sup":
		m.lose("that a text stands higher (sup): it is written as 2^10")
		m.out().WriteString("\x02^")
	}
}

// emphasis opens a mark, unless one like it is open.
func (m *marker) emphasis(mark string) {
	if m.pre == nil && m.code == nil && !slices.Contains(m.open, mark) {
		m.open = append(m.open, mark)
		m.line.WriteString("\x00" + mark) // where it opens; end puts it behind the space that follows
	}
}

// out is where text goes.
func (m *marker) out() *strings.Builder {
	switch {
	case m.pre != nil:
		return m.pre
	case m.code != nil:
		return m.code
	}
	return &m.line
}

func (m *marker) finish(tag string) {
	if blockElements[tag] {
		m.flush()
	}
	switch tag {
	case "li":
		m.flush()
	case "sub", "sup":
		m.out().WriteString("\x03")
	case "ul", "ol":
		m.flush()
		if len(m.lists) > 0 {
			m.lists = m.lists[:len(m.lists)-1]
		}
	case "pre":
		if m.pre != nil {
			code := strings.Trim(raised(m.pre.String(), "_"), "\n")
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
			code := oneLine(raised(m.code.String(), "_"))
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
	line = raised(line, `\_`)
	line = nothing.ReplaceAllString(line, " ")
	for _, mark := range []string{"**", "*"} {
		line = strings.ReplaceAll(line, "\x01"+mark+"\x00"+mark, "") // one that ends where it begins again
	}
	line = opening.ReplaceAllString(line, "$2$1")
	line = closing.ReplaceAllString(line, "$2$1")
	return oneLine(line)
}

// raised writes what stands higher or lower behind a ^ or _, in parentheses where it is more than a word.
// low is how a _ is written where Markdown might take it for a mark.
func raised(s, low string) string {
	if !strings.ContainsAny(s, "\x02\x03") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\x03': // of one that has been written, or that nothing opened
		case '\x02':
			i++ // the sign
			sign, rest := s[i:i+1], s[i+1:]
			end := strings.IndexAny(rest, "\x02\x03")
			if end < 0 {
				end = len(rest)
			}
			if strings.TrimSpace(rest[:end]) == "" && !strings.HasPrefix(rest[end:], "\x02") {
				continue
			}
			if sign == "_" {
				sign = low
			}
			out.WriteString(sign)
			if !isWord.MatchString(rest[:end]) && strings.HasPrefix(rest[end:], "\x03") {
				out.WriteString("(" + strings.TrimSpace(rest[:end]) + ")")
				i += end
			}
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

var isWord = regexp.MustCompile(`^[-+−]?[\pL\pN]+$`)

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

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`)

// ownMarks takes the marks of a marker out of a text that brings them.
var ownMarks = strings.NewReplacer("\x00", "", "\x01", "", "\x02", "", "\x03", "")

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
	for _, line := range strings.Split(ownMarks.Replace(text), "\n") {
		if line = oneLine(line); line != "" {
			blocks = append(blocks, startOfLine(escapeMarkdown(line), ""))
		}
	}
	return strings.Join(blocks, "\n\n")
}
