// Package export carries quizzes to other programs and back: GIFT and Moodle XML both ways, QTI 2.1 packages
// and printable sheets one way. What a format has no place for is told in notes, never dropped in silence.
//
// It is for programs that run natively: the pages and the engine do not need it.
package export

import (
	"context"
	"math/big"
	"strconv"
	"strings"

	"retrylab/quiz"
	"retrylab/quiz/prose"
)

// Options say what is taken from a quiz.
type Options struct {
	Language string
	Variants int64 // of each question, from Seed on; 0 is 1. A question has at most its combinations.
	Seed     int64
	// Explain is what is said about a mistake, such as no_cap, in Language; nil says nothing.
	Explain func(mistake string) string
	// Say is a sentence of the catalogue, in Language: unit, sheet.key and so on.
	Say func(key string, pairs ...any) string
}

// A Note tells what could not be carried over, or what is still to be done by hand.
type Note struct {
	Where string // an item's id, or a place in a file
	What  string
	ToDo  bool
}

func (n Note) String() string { return n.Where + ": " + n.What }

// A Set is a quiz as it is written: in one language, each question in some of its variants.
type Set struct {
	Name, Title string
	Items       []Item
}

// An Item is one variant of a question.
type Item struct {
	ID      string
	Kind    quiz.Kind
	Ask     []prose.Block // with the given values and the scenario
	Unit    string
	Options []Option // of an order: in the right order
	Rows    []Row
	Key     string   // of a number
	Within  *big.Rat // of a number, or nil
	Edge    bool     // an answer exactly Within away is right
	Wrong   []Wrong  // of a number
	Hints   []string
	Work    string
	shown   []int // of an order: the options as a sheet shows them
}

// An Option of an item. Texts are Markdown.
type Option struct {
	Text, Why string
	Right     bool
}

// A Row of a match, with the index of its option.
type Row struct {
	Text, Why string
	With      int
}

// A Wrong number and what is said about it.
type Wrong struct{ Value, Why string }

// Draw draws the items of a quiz.
func Draw(ctx context.Context, s *quiz.Solver, q *quiz.Quiz, o Options) (Set, error) {
	set := Set{Name: q.Name, Title: q.Title.In(o.Language, nil)}
	for _, question := range q.Questions {
		count := min(max(o.Variants, 1), question.Combinations())
		for i := range count {
			solution, err := s.Solve(ctx, question.Variant(o.Seed+i))
			if err != nil {
				return set, err
			}
			id := q.Name + "-" + question.ID
			if count > 1 {
				id += "-" + strconv.FormatInt(i+1, 10)
			}
			set.Items = append(set.Items, item(id, solution, o))
		}
	}
	return set, nil
}

func item(id string, s *quiz.Solution, o Options) Item {
	it := Item{ID: id, Kind: s.Kind, Ask: prose.Parse(s.Ask.In(o.Language, s.Values)), Unit: s.Unit.In(o.Language, s.Values), Work: s.Work}
	var given [][]prose.Span
	for _, v := range s.Shown() {
		given = append(given, []prose.Span{{Text: v.Name, Code: true}, {Text: ": " + v.Node.Text}})
	}
	if given != nil {
		it.Ask = append(it.Ask, prose.Block{Kind: prose.List, Items: given})
	}
	if source := s.Source(); source != "" {
		it.Ask = append(it.Ask, prose.Block{Kind: prose.Code, Code: strings.TrimSuffix(source, "\n")})
	}
	for _, hint := range s.Hints {
		it.Hints = append(it.Hints, hint.In(o.Language, s.Values))
	}
	explain := func(mistake, why string) string {
		if mistake != "" && o.Explain != nil {
			return o.Explain(mistake)
		}
		return why
	}
	switch s.Kind {
	case quiz.Number:
		it.Key, it.Within, it.Edge = s.Key.Text, s.Tolerance.Within, s.Tolerance.Edge
		if it.Unit != "" {
			it.Ask = append(it.Ask, prose.Block{Kind: prose.Paragraph, Spans: prose.Spans(o.say("export.unit", "unit", it.Unit))})
		}
		for _, w := range s.Wrong {
			it.Wrong = append(it.Wrong, Wrong{w.Answer.Text, explain(w.Mistake, s.WrongWhy(w, o.Language))})
		}
	case quiz.Order:
		it.Options, it.shown = make([]Option, len(s.Options)), make([]int, len(s.Options))
		for i, option := range s.Options {
			it.Options[option.Place] = Option{Text: s.OptionText(option, o.Language), Why: s.OptionWhy(option, o.Language)}
			it.shown[i] = option.Place
		}
	default:
		at := map[string]int{}
		for i, option := range s.Options {
			at[option.ID] = i
			it.Options = append(it.Options, Option{s.OptionText(option, o.Language), explain(option.Mistake, s.OptionWhy(option, o.Language)), option.Right})
		}
		for _, row := range s.Rows {
			it.Rows = append(it.Rows, Row{s.RowText(row, o.Language), s.RowWhy(row, o.Language), at[row.Match]})
		}
	}
	return it
}

func (o Options) say(key string, pairs ...any) string {
	if o.Say == nil {
		return key
	}
	return o.Say(key, pairs...)
}

// rights counts the right options.
func (it Item) rights() int {
	n := 0
	for _, o := range it.Options {
		if o.Right {
			n++
		}
	}
	return n
}

// decimal is a number as other programs read it.
func decimal(r *big.Rat) string {
	if r == nil {
		return "0"
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}
