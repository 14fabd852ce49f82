package quiz

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"retrylab/lab/retry"
	"retrylab/lab/source"
)

// Parse reads a quiz. The error joins a [*source.Problem] for each fault of the file, in the order of
// the lines; scenario.Problems takes it apart. A quiz that parses can be shown; [Check] finds what
// makes it a bad one.
func Parse(file string, data []byte) (*Quiz, error) {
	documents, err := source.Documents(file, data, MaxFile)
	if err != nil {
		return nil, explained(err, data)
	}
	start := source.Node{File: file, Line: 1, Column: 1}
	if len(documents) == 0 {
		return nil, start.Problem("the file is empty, expected quiz, title and questions")
	}
	if len(documents) > 1 {
		return nil, documents[1].Problem("a second document starts here, expected one quiz a file")
	}
	q := &Quiz{File: file, Hash: HashOf(data)}
	p := &parser{quiz: q}
	p.quizFile(documents[0])
	for _, s := range look(string(data)).comments {
		line, column := placeIn(string(data), s.offset)
		q.warnings = append(q.warnings, &source.Problem{File: file, Line: line, Column: column, Message: s.message})
	}
	if len(p.problems) > 0 {
		p.problems = append(p.problems, q.warnings...)
	}
	return q, p.err()
}

// HashOf is the hash of a file's content, as [Quiz] has it.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

type parser struct {
	quiz     *Quiz
	problems []*source.Problem
}

func (p *parser) err() error {
	sortProblems(p.problems)
	errs := make([]error, len(p.problems))
	for i, problem := range p.problems {
		errs[i] = problem
	}
	return errors.Join(errs...)
}

func sortProblems(problems []*source.Problem) {
	slices.SortStableFunc(problems, func(a, b *source.Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

func (p *parser) fault(n source.Node, format string, args ...any) {
	p.problems = append(p.problems, n.Problem(format, args...))
}

// A field reads one key of a map.
type field struct {
	key      string
	required bool
	read     func(source.Node)
}

// examples are what to write for a key that is missing.
var examples = map[string]string{
	"quiz": "its name, such as quiz: second-week", "title": "one such as title: {en: The second week}", "questions": "questions: with a list of them",
	"id": "a name of its own, such as id: one-run", "kind": "kind: number, choice, choices, order or match", "ask": `what is asked, such as ask: {en: "How long?"}`,
	"from": "the least value, such as from: 1", "to": "the greatest value, such as to: 5",
	"within": "how far from the key an answer may be, such as within: 2", "edge": "edge: right or edge: wrong: how an answer exactly that far from the key is marked",
	"field":   "the name of one, such as field: state",
	"attempt": `such as attempt: "{n}"`, "base_ms": "such as base_ms: 100", "cap_ms": "such as cap_ms: 1000", "jitter": "such as jitter: 0.5",
	"text": `what a student reads, such as text: {en: "..."}`, "with": `what fits it, such as with: {en: "..."}`,
}

// fields checks that a node is a map of known keys with all required ones, and reads them in the order
// of the fields.
func (p *parser) fields(n source.Node, what string, fields ...field) bool {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	if n.Kind != source.Map {
		p.fault(n, "%s is %s, expected a map with %s", what, n.Kind, strings.Join(keys, ", "))
		return false
	}
	for _, e := range n.Entries {
		if !slices.Contains(keys, e.Key) {
			hint := source.DidYouMean(e.Key, keys)
			if key, value, ok := strings.Cut(e.Key, ":"); ok && slices.Contains(keys, key) {
				hint = ": a space is missing after the colon, expected " + key + ": " + short(value)
			} else if hint == "" {
				hint = ", expected " + strings.Join(keys, ", ")
			}
			p.fault(e.At, "unknown key %s in %s%s", source.Quote(e.Key), what, hint)
		}
	}
	for _, f := range fields {
		value, ok := n.Get(f.key)
		switch {
		case ok:
			f.read(value)
		case f.required:
			p.fault(n, "%s has no %s, expected %s", what, f.key, cmp.Or(examples[f.key], f.key))
		}
	}
	return true
}

func (p *parser) quizFile(n source.Node) {
	p.fields(n, "a quiz",
		field{"quiz", true, func(n source.Node) { p.quiz.Name = p.slug(n, "the quiz's name") }},
		field{"title", true, func(n source.Node) {
			p.quiz.Title = p.text(n, "title")
			p.quiz.Languages = p.quiz.Title.languages
			if slices.Equal(p.quiz.Languages, []string{""}) {
				p.quiz.Languages = []string{"en"}
			}
		}},
		field{"questions", true, p.questions},
	)
}

func (p *parser) questions(n source.Node) {
	if n.Kind != source.List {
		p.fault(n, "questions is %s, expected a list", n.Kind)
		return
	}
	if len(n.Items) == 0 {
		p.fault(n, "the quiz has no question, expected a list of one at least")
	}
	if len(n.Items) > maxQuestions {
		p.fault(n, "the quiz has %d questions, at most %d are read", len(n.Items), maxQuestions)
		return
	}
	for _, item := range n.Items {
		p.question(item)
	}
}

// slug reads a name of small letters, digits and -.
func (p *parser) slug(n source.Node, what string) string {
	s, ok := n.Value().Text()
	valid := ok && s != "" && len(s) <= 60
	for _, c := range s {
		valid = valid && ('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-')
	}
	if !valid {
		p.fault(n, "%s is %s, expected 1 to 60 small letters, digits and -", what, shortFlow(n))
	}
	return s
}

// shortFlow is a node as text for a message.
func shortFlow(n source.Node) string {
	s := n.Flow()
	if utf8.RuneCountInString(s) > 60 {
		s = string([]rune(s)[:60]) + "…"
	}
	return s
}

// text reads a text: a map of languages, or one for all.
func (p *parser) text(n source.Node, what string) Text {
	t := Text{node: n}
	if len(p.quiz.Languages) > 0 {
		t.own = p.quiz.Languages[0]
	}
	add := func(language string, n source.Node) {
		s := n.Text
		switch {
		case n.Kind != source.Scalar:
			p.fault(n, "%s is %s, expected text", what, n.Kind)
			return
		case strings.TrimSpace(s) == "", n.Value().Type() == retry.TypeNull:
			p.fault(n, "%s is empty, expected text", what)
			return
		case utf8.RuneCountInString(s) > maxText:
			p.fault(n, "%s has %d characters, at most %d are read", what, utf8.RuneCountInString(s), maxText)
			return
		}
		t.languages = append(t.languages, language)
		t.parts = append(t.parts, split(strings.TrimSpace(s)))
	}
	switch n.Kind {
	case source.List:
		p.fault(n, "%s is a list, expected a text for each language, such as {en: ...}", what)
	case source.Scalar:
		add("", n)
	default:
		if len(n.Entries) == 0 {
			p.fault(n, "%s is empty, expected a text for each language, such as {en: ...}", what)
		}
		for _, e := range n.Entries {
			if !isLanguage(e.Key) {
				p.fault(e.At, "%s is no language of %s, expected a code such as en, ja or ru", source.Quote(e.Key), what)
				continue
			}
			add(e.Key, e.Value)
		}
	}
	return t
}

// isLanguage says whether s looks like a language code.
func isLanguage(s string) bool {
	main, rest, _ := strings.Cut(s, "-")
	for _, c := range main {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	for _, c := range rest {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return len(main) >= 2 && len(main) <= 3 && len(rest) <= 20
}

// kinds lists each kind's own keys.
var kinds = map[Kind][]string{
	Number:  {"unit", "tolerance", "key", "mistakes", "scenario", "options"},
	Choice:  {"unit", "key", "mistakes", "scenario", "options", "words"},
	Choices: {"options", "scenario"},
	Order:   {"items", "scenario"},
	Match:   {"pairs", "extra", "scenario"},
}

var kindNames = []string{string(Number), string(Choice), string(Choices), string(Order), string(Match)}

func (p *parser) question(n source.Node) {
	q := &Question{quiz: p.quiz, node: n}
	q.Hash = HashOf([]byte(p.quiz.Name + "\n" + n.Flow()))
	var scenario source.Node
	own := func(key string, read func(source.Node)) field {
		return field{key, false, func(n source.Node) {
			if _, known := kinds[q.Kind]; known && !slices.Contains(kinds[q.Kind], key) {
				p.fault(q.part(key), "a question of kind %s takes no %s: take it out", q.Kind, key)
				return
			}
			read(n)
		}}
	}
	before := len(p.problems)
	ok := p.fields(n, "a question",
		field{"id", true, func(n source.Node) {
			q.ID = p.slug(n, "a question's id")
			if _, twice := p.quiz.Question(q.ID); twice && q.ID != "" {
				p.fault(n, "the id %s stands here twice, expected one for each question", q.ID)
			}
		}},
		field{"kind", true, func(n source.Node) {
			q.Kind = Kind(n.Text)
			if _, known := kinds[q.Kind]; !known || n.Kind != source.Scalar {
				hint := source.DidYouMean(n.Text, kindNames)
				if hint == "" {
					hint = ", expected one of " + strings.Join(kindNames, ", ")
				}
				p.fault(n, "unknown kind %s%s", shortFlow(n), hint)
				q.Kind = ""
			}
		}},
		field{"given", false, func(n source.Node) { p.given(n, q) }},
		own("scenario", func(n source.Node) { scenario = n; q.scenario = &scenario }),
		field{"ask", true, func(n source.Node) { q.Ask = p.text(n, "ask") }},
		own("unit", func(n source.Node) { q.Unit = p.text(n, "unit") }),
		own("tolerance", func(n source.Node) { q.Tolerance = p.tolerance(n) }),
		own("key", func(n source.Node) { q.Key = p.key(n, q) }),
		own("mistakes", func(n source.Node) { q.Mistakes = p.mistakes(n) }),
		own("options", func(n source.Node) { p.options(n, q) }),
		own("items", func(n source.Node) { p.items(n, q) }),
		own("pairs", func(n source.Node) { p.pairs(n, q) }),
		own("extra", func(n source.Node) { p.extra(n, q) }),
		own("words", func(n source.Node) { p.words(n, q) }),
		field{"hints", false, func(n source.Node) { p.hints(n, q) }},
		field{"variants", false, func(n source.Node) {
			count, fault := n.Value().Whole(1, maxVariants)
			if fault != "" {
				p.fault(n, "%s", retry.BadArg{Name: "variants", Fault: fault, Want: retry.WantWhole(1, maxVariants)})
			}
			q.Variants = count
		}},
	)
	p.quiz.Questions = append(p.quiz.Questions, q)
	if !ok {
		return
	}
	p.unknownPlaces(q)
	p.whole(q)
	if q.scenario != nil {
		p.scenario(q, len(p.problems) == before)
	}
}

// part is the key of a question, for a fault of what stands under it as a whole; the question where it has
// no such key.
func (q *Question) part(key string) source.Node {
	for _, e := range q.node.Entries {
		if e.Key == key {
			return e.At
		}
	}
	return q.node
}

// whole checks what only shows when all keys of a question are read.
func (p *parser) whole(q *Question) {
	right := 0
	for _, o := range q.Options {
		if o.Right {
			right++
		}
	}
	_, hasKey := q.node.Get("key")
	_, hasOptions := q.node.Get("options")
	switch {
	case q.Kind == Number && !hasKey:
		p.fault(q.node, "a question of kind number has no key, expected delay, or a figure of the scenario")
	case q.Kind == Choice && !hasKey && !hasOptions:
		p.fault(q.node, "a question of kind choice has neither key nor options, expected key and mistakes, or options with one right: true")
	case q.Kind == Choices && !hasOptions:
		p.fault(q.node, "a question of kind choices has no options, expected options: [{text: ..., right: true}, {text: ..., why: ...}]")
	case q.Kind == Order && len(q.Items) < 2:
		p.fault(q.part("items"), "a question of kind order has %d items, expected two at least, in their right order", len(q.Items))
	case q.Kind == Match && len(q.Pairs) < 2:
		p.fault(q.part("pairs"), "a question of kind match has %d pairs, expected two at least", len(q.Pairs))
	case hasKey && right > 0:
		for _, o := range q.Options {
			if o.Right {
				p.fault(o.node, "this option is right: true, but the right answer comes from the key")
			}
		}
	case q.Kind == Choice && hasOptions && !hasKey && right != 1:
		p.fault(q.part("options"), "%d options are right: true, expected one", right)
	case q.Kind == Choices && hasOptions && right == 0:
		p.fault(q.part("options"), "no option is right: true, expected one at least")
	}
	if !hasKey {
		if len(q.Mistakes) > 0 {
			p.fault(q.Mistakes[0].node, "mistakes are answers to a key, but the question has none")
		}
		for _, o := range q.Options {
			if o.Value != nil && !o.Text.Is() {
				p.fault(o.node, "an option has a value only beside a key, expected text")
			}
		}
		return
	}
	if q.Key == nil {
		return
	}
	if q.Key.ofScenario() && q.scenario == nil {
		p.fault(q.Key.node, "the key is a figure of a scenario, but the question has no scenario")
	}
	if !q.Key.hasMutants() && len(q.Mistakes) > 0 {
		p.fault(q.Mistakes[0].node, "no mutant answers this key: write the wrong answers as options with value and why")
	}
	if q.Kind == Number {
		for _, o := range q.Options {
			if o.Text.Is() {
				p.fault(o.node, "an option of a number is a wrong number, expected value and why")
			}
		}
	}
	if q.Kind == Number && len(q.Key.Fields) > 1 {
		p.fault(q.Key.node, "the key of a number has %d fields, expected one", len(q.Key.Fields))
	}
}
