package export

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"retrylab/lab/source"
	"retrylab/quiz"
)

// Limits of a file to read.
const (
	MaxImport    = 16 << 20 // bytes
	maxDepth     = 100      // of XML
	maxQuestions = 100      // that a quiz can have
)

// A question as it was read from another format. Texts are Markdown.
type read struct {
	where   string // for notes
	name    string
	kind    quiz.Kind
	ask     string
	unit    string
	key     string // of a number
	within  string
	options []Option
	wrong   []Wrong
	pairs   [][2]string
	extra   []string
	hints   []string
}

// A writer makes a quiz file of questions, and leaves out those that would not be read.
type writer struct {
	language string
	ids      map[string]bool
	out      strings.Builder
	count    int
	notes    []Note
}

func newWriter(name, title, language string) *writer {
	w := &writer{language: language, ids: map[string]bool{}}
	w.out.WriteString("quiz: " + slug(name, "quiz") + "\ntitle: " + w.text(title) + "\nquestions:\n")
	return w
}

func (w *writer) note(where, format string, args ...any) {
	w.notes = append(w.notes, Note{Where: where, What: fmt.Sprintf(format, args...)})
}

func (w *writer) toDo(where, what string) {
	w.notes = append(w.notes, Note{Where: where, What: what, ToDo: true})
}

// text is a text in the language of the file.
func (w *writer) text(s string) string { return "{" + w.language + ": " + source.Quote(s) + "}" }

var declared = regexp.MustCompile(`^<\?xml[^>]*encoding=["'][^"']*["']`)

// encoded refuses a file that is no UTF-8, with the line. One that says itself how it is encoded is left to
// the reader of XML, which knows the name.
func encoded(file string, data []byte) error {
	if utf8.Valid(data) || declared.Match(data) && !bytes.Contains(bytes.ToLower(declared.Find(data)), []byte("utf-8")) {
		return nil
	}
	line := 1
	for rest := data; ; line++ {
		row, below, more := bytes.Cut(rest, []byte("\n"))
		if !utf8.Valid(row) || !more {
			break
		}
		rest = below
	}
	return fmt.Errorf("%s:%d: this is no UTF-8 text: save the file as UTF-8", file, line)
}

// slug is a name of small letters, digits and -.
func slug(name, otherwise string) string {
	var out strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			out.WriteRune(c)
		default:
			if s := out.String(); s != "" && !strings.HasSuffix(s, "-") {
				out.WriteByte('-')
			}
		}
		if out.Len() >= 50 {
			break
		}
	}
	if s := strings.Trim(out.String(), "-"); s != "" {
		return s
	}
	return otherwise
}

func (w *writer) id(name string) string {
	base := slug(name, "question-"+strconv.Itoa(w.count+1))
	id := base
	for n := 2; w.ids[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// add adds a question.
func (w *writer) add(r read) {
	if w.count >= maxQuestions {
		w.note(r.where, "the question: a quiz has at most %d", maxQuestions)
		return
	}
	id := w.id(r.name)
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("- id: %s", id)
	line("  kind: %s", r.kind)
	line("  ask: %s", w.text(r.ask))
	switch r.kind {
	case quiz.Number:
		if r.unit != "" {
			line("  unit: %s", w.text(r.unit))
		} else {
			w.toDo(r.where, "write its unit, such as ms, or what is counted")
		}
		line("  key: {value: %s}", r.key)
		if r.within != "" && r.within != "0" {
			line("  tolerance: {within: %s, edge: right}", r.within)
		}
		if len(r.wrong) > 0 {
			line("  options:")
		}
		for _, o := range r.wrong {
			line("  - {value: %s, why: %s}", o.Value, w.text(o.Why))
		}
	case quiz.Match:
		line("  pairs:")
		for _, p := range r.pairs {
			line("  - {text: %s, with: %s}", w.text(p[0]), w.text(p[1]))
		}
		if len(r.extra) > 0 {
			line("  extra:")
		}
		for _, e := range r.extra {
			line("  - %s", w.text(e))
		}
	case quiz.Order:
		line("  items:")
		for _, o := range r.options {
			line("  - %s", w.text(o.Text))
		}
	default:
		line("  options:")
		silent := false
		for _, o := range r.options {
			entry := "text: " + w.text(o.Text)
			if o.Right {
				entry += ", right: true"
			}
			if o.Why != "" {
				entry += ", why: " + w.text(o.Why)
			} else if !o.Right {
				silent = true
			}
			line("  - {%s}", entry)
		}
		if silent {
			w.toDo(r.where, "write a why for each wrong option")
		}
	}
	if len(r.hints) > 0 {
		line("  hints:")
	}
	for _, h := range r.hints {
		line("  - %s", w.text(h))
	}
	alone := "quiz: a\ntitle: {" + w.language + ": a}\nquestions:\n" + out.String()
	if _, err := quiz.Parse("alone", []byte(alone)); err != nil {
		w.note(r.where, "the question: %s", strings.Split(messageOf(err), "\n")[0])
		return
	}
	if w.out.Len()+out.Len() > quiz.MaxFile {
		w.note(r.where, "the question: the file would have more than %d bytes", quiz.MaxFile)
		return
	}
	w.ids[id] = true
	w.count++
	w.out.WriteString(out.String())
}

// messageOf is the first fault without its place, which is none in the file that was read.
func messageOf(err error) string {
	message := err.Error()
	for range 3 {
		if _, rest, ok := strings.Cut(message, ":"); ok {
			message = rest
		}
	}
	return strings.TrimSpace(message)
}

// end is the file; an error when no question is in it.
func (w *writer) end(from string) (string, []Note, error) {
	if w.count == 0 {
		return "", w.notes, fmt.Errorf("%s has no question that a quiz can have", from)
	}
	return w.out.String(), w.notes, nil
}

var isNumber = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,2})?$`)

// numberOf is a number as YAML has it, or ok false.
func numberOf(s string) (string, bool) {
	s = strings.TrimSpace(s)
	r := new(big.Rat)
	if !isNumber.MatchString(s) || len(s) > 100 {
		return "", false
	}
	if _, ok := r.SetString(s); !ok {
		return "", false
	}
	return decimal(r), true
}
