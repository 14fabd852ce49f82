package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"retrylab/quiz"
	"retrylab/quiz/prose"
)

// A moodleFile is what is read of Moodle XML.
type moodleFile struct {
	XMLName   xml.Name         `xml:"quiz"`
	Questions []moodleQuestion `xml:"question"`
}

type moodleHTML struct {
	Format string   `xml:"format,attr"`
	Text   string   `xml:"text"`
	Files  []string `xml:"file"`
}

type moodleQuestion struct {
	Type     string       `xml:"type,attr"`
	Grade    string       `xml:"defaultgrade"`
	Category moodleHTML   `xml:"category"`
	Name     moodleHTML   `xml:"name"`
	Text     moodleHTML   `xml:"questiontext"`
	General  moodleHTML   `xml:"generalfeedback"`
	Single   string       `xml:"single"`
	Hints    []moodleHTML `xml:"hint"`
	Answers  []struct {
		moodleHTML
		Fraction  string     `xml:"fraction,attr"`
		Feedback  moodleHTML `xml:"feedback"`
		Tolerance string     `xml:"tolerance"`
	} `xml:"answer"`
	Subquestions []struct {
		moodleHTML
		Answer moodleHTML `xml:"answer"`
	} `xml:"subquestion"`
	Units []struct {
		Multiplier string `xml:"multiplier"`
		Name       string `xml:"unit_name"`
	} `xml:"units>unit"`
}

// ReadMoodle makes a quiz file of Moodle XML. file is its name, for notes; language is that of its texts.
func ReadMoodle(file string, data []byte, name, language string) (string, []Note, error) {
	if len(data) > MaxImport {
		return "", nil, fmt.Errorf("%s has %d bytes, at most %d are read", file, len(data), MaxImport)
	}
	if err := encoded(file, data); err != nil {
		return "", nil, err
	}
	if err := shallow(data); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	var doc moodleFile
	if err := xml.Unmarshal(data, &doc); err != nil {
		return "", nil, fmt.Errorf("%s is no Moodle XML: %w", file, err)
	}
	title := name
	for _, q := range doc.Questions {
		if q.Type == "category" {
			title = category(q.Category.Text)
			break
		}
	}
	w := newWriter(name, title, language)
	number := 0
	for _, q := range doc.Questions {
		if q.Type == "category" {
			if c := category(q.Category.Text); c != title {
				w.note(file, "the category %s: a quiz is one file", c)
			}
			continue
		}
		number++
		m := moodleReader{moodleQuestion: q, read: read{where: fmt.Sprintf("%s: question %d", file, number), name: strings.TrimSpace(q.Name.Text)}}
		if name := []rune(oneLine(m.name)); len(name) > 60 {
			m.where += " (" + string(name[:59]) + "…)"
		} else if len(name) > 0 {
			m.where += " (" + string(name) + ")"
		}
		m.note = func(format string, args ...any) { w.note(m.where, format, args...) }
		if m.parse() {
			w.add(m.read)
		}
	}
	return w.end(file)
}

// shallow refuses XML that is nested deeply or brings a document type, with which entities could grow.
func shallow(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	encoding := ""
	d.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		encoding = charset
		return nil, errors.New("not UTF-8")
	}
	for depth := 0; ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if encoding != "" {
			line, _ := d.InputPos()
			return fmt.Errorf("line %d: the file says that its encoding is %.40s, expected UTF-8: save it as UTF-8", line, encoding)
		}
		if err != nil {
			return fmt.Errorf("this is no XML: %w", err)
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				line, _ := d.InputPos()
				return fmt.Errorf("line %d: more than %d levels deep", line, maxDepth)
			}
		case xml.EndElement:
			depth--
		case xml.Directive:
			line, _ := d.InputPos()
			return fmt.Errorf("line %d: a document type is not read here", line)
		}
	}
}

// category is the last name of a path such as $course$/top/Retries.
func category(path string) string {
	parts := strings.Split(strings.ReplaceAll(strings.TrimSpace(path), "//", "\x00"), "/")
	return oneLine(strings.ReplaceAll(parts[len(parts)-1], "\x00", "/"))
}

type moodleReader struct {
	moodleQuestion
	read
	note func(format string, args ...any)
}

// markdown is a text of the file.
func (m *moodleReader) markdown(t moodleHTML) string {
	if len(t.Files) > 0 {
		m.note("%d files in its texts", len(t.Files))
	}
	text := strings.TrimSpace(t.Text)
	switch t.Format {
	case "plain_text":
		return fromPlain(text)
	case "markdown":
		return escapePlaces(text)
	case "moodle_auto_format":
		text = strings.ReplaceAll(text, "\n", "<br>")
	}
	markdown, lost := fromHTML(text)
	for _, what := range lost {
		m.note("%s", what)
	}
	return markdown
}

func (m *moodleReader) parse() bool {
	m.ask = m.markdown(m.Text)
	if grade, ok := numberOf(m.Grade); ok && grade != "1" {
		m.note("its default grade of %s: here every question gives at most 1", grade)
	}
	if strings.TrimSpace(m.General.Text) != "" {
		m.note("what is said to every answer: the engine tells how a key comes about")
	}
	for _, h := range m.moodleQuestion.Hints {
		if text := m.markdown(h); text != "" {
			m.hints = append(m.hints, text)
		}
	}
	switch m.Type {
	case "multichoice":
		return m.multichoice()
	case "truefalse":
		isTrue, whys := false, map[bool]string{}
		for _, a := range m.Answers {
			word := strings.EqualFold(strings.TrimSpace(a.Text), "true")
			whys[word] = m.markdown(a.Feedback)
			if a.Fraction == "100" {
				isTrue = word
			}
		}
		m.trueFalse(isTrue, whys[!isTrue], whys[isTrue])
		return true
	case "numerical":
		return m.numerical()
	case "matching", "ddmatch":
		m.kind = quiz.Match
		for _, s := range m.Subquestions {
			text, option := m.markdown(s.moodleHTML), fromPlain(strings.TrimSpace(s.Answer.Text))
			if text == "" {
				m.extra = append(m.extra, option)
			} else {
				m.pairs = append(m.pairs, [2]string{text, option})
			}
		}
		return true
	case "ordering":
		m.kind = quiz.Order
		for _, a := range m.Answers {
			m.options = append(m.options, Option{Text: m.markdown(a.moodleHTML)})
		}
		return true
	}
	m.note("the question: a quiz has none of the type %s", oneLine(m.Type))
	return false
}

func (m *moodleReader) multichoice() bool {
	shares := make([]string, len(m.Answers))
	for i, a := range m.Answers {
		shares[i] = a.Fraction
		m.options = append(m.options, Option{Text: m.markdown(a.moodleHTML), Why: m.markdown(a.Feedback)})
	}
	single := strings.TrimSpace(m.Single) != "false" && strings.TrimSpace(m.Single) != "0"
	ok, note := m.weigh(shares, single)
	if note != "" {
		m.note("%s", note)
	}
	return ok
}

func (m *moodleReader) numerical() bool {
	m.kind = quiz.Number
	for _, u := range m.Units {
		if one, ok := numberOf(u.Multiplier); m.unit == "" && ok && one == "1" {
			m.unit = fromPlain(strings.TrimSpace(u.Name))
		} else {
			m.note("the unit %s: another one than the question's", oneLine(u.Name))
		}
	}
	m.unitNamed()
	for _, a := range m.Answers {
		value, ok := numberOf(a.Text)
		share, valid := new(big.Rat).SetString(strings.TrimSpace(a.Fraction))
		if !valid || len(a.Fraction) > 20 {
			share = new(big.Rat)
		}
		switch {
		case !ok && strings.TrimSpace(a.Text) == "*":
			if a.Feedback.Text != "" {
				m.note("what is said to any other number")
			}
		case !ok:
			m.note("the question: %q is no number", oneLine(a.Text))
			return false
		case share.Sign() == 0:
			if why := m.markdown(a.Feedback); why != "" {
				m.wrong = append(m.wrong, Wrong{value, why})
			}
		case m.key == "" && share.Cmp(big.NewRat(100, 1)) == 0:
			m.key = value
			if within, ok := numberOf(a.Tolerance); ok {
				m.within = strings.TrimPrefix(within, "-")
			}
		default:
			m.note("a second right number, or a part of the mark for one")
		}
	}
	if m.key == "" {
		m.note("the question: no number is right")
	}
	return m.key != ""
}

// unitNamed takes the sentence with the unit out of the question, which an export has put there: the
// page shows the unit itself.
func (m *moodleReader) unitNamed() {
	if m.unit == "" {
		return
	}
	blocks := strings.Split(m.ask, "\n\n")
	if last := prose.Plain(blocks[len(blocks)-1]); len(blocks) > 1 && len(last) < 60 && strings.HasSuffix(strings.TrimSuffix(last, "."), " "+m.unit) {
		m.ask = strings.Join(blocks[:len(blocks)-1], "\n\n")
	}
}
