package quiz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"retrylab/lab/source"
)

// CheckOptions say what a [Check] asks for.
type CheckOptions struct {
	Languages []string // that every text should have, besides those of the title
	Seeds     int64    // so many variants of a question are tried; 0 is 1000
}

// Check finds what makes a quiz that parses a bad one: a key that the engine rejects, a mistake that
// never differs from the key, an option that is another one too, a choice with a single option, a
// wrong option without a why, a text that lacks a language, a number without unit, too few variants, a
// step of the scenario that is rejected though the question is not about that, a text that a comment cuts.
// Every combination of a question is tried, up to Seeds. The problems are in the order of the lines. An
// error is ctx's end, or a fault of the engine.
func (s *Solver) Check(ctx context.Context, q *Quiz, options CheckOptions) ([]*source.Problem, error) {
	c := s.Begin(q, options, nil)
	err := c.Go(ctx, func() bool { return false })
	return c.Problems(), err
}

// A checker checks one question.
type checker struct {
	*Question
	solver    *Solver
	languages []string
	problems  []*source.Problem
	given     []string        // what its answers are
	told      map[string]bool // each fault is told once, with the first variant that shows it
	differs   map[string]bool // mistakes that do in some variant
	unsolved  bool            // some variant has no key
	absent    *source.Problem // the key's job is not there; told at the end, as a step may tell why
	late      map[string]late // steps that are rejected for being late, by number
	counted   bool            // some option is a number, with the unit
	begun     bool
	ended     bool
	tried, of int64 // variants
}

// A late step is rejected in so many variants.
type late struct {
	*rejection
	variants int64
}

func (c *checker) fault(n source.Node, format string, args ...any) {
	c.problems = append(c.problems, n.Problem(format, args...))
}

// once tells a fault that many variants may show.
func (c *checker) once(name string, n source.Node, format string, args ...any) {
	if !c.told[name] {
		c.told[name] = true
		c.fault(n, format, args...)
	}
}

// text finds the languages that a text lacks.
func (c *checker) text(t Text) {
	var missing []string
	for _, language := range c.languages {
		if !t.has(language) {
			missing = append(missing, language)
		}
	}
	if len(missing) > 0 {
		c.fault(t.node, "the text has no %s: readers of it get %s, expected %s: TEXT besides", strings.Join(missing, ", "), t.languages[t.pick(missing[0])], missing[0])
	}
}

// begin finds what shows without a variant.
func (c *checker) begin() {
	c.begun = true
	q := c.Question
	for _, t := range q.texts() {
		c.text(t)
	}
	if q.Kind == Number && !q.Unit.Is() {
		c.fault(q.node, "a number without a unit, expected unit: ms, or what is counted")
	}
	for _, o := range q.Options {
		if !o.Right && !o.Why.Is() {
			c.fault(o.node, "a wrong option without a why: say what is wrong with it")
		}
	}
	for i, extra := range q.Extra {
		same := func(t Text) bool { return t.node.Flow() == extra.node.Flow() }
		switch {
		case slices.ContainsFunc(q.Pairs, func(p Pair) bool { return same(p.With) }):
			c.fault(extra.node, "this extra option is the with of a pair already, expected one that fits no pair")
		case slices.ContainsFunc(q.Extra[:i], same):
			c.fault(extra.node, "this extra option stands here twice")
		}
	}
	if distinct := q.distinct(q.Variants); distinct < q.Variants {
		c.fault(q.part("variants"), "%d different variants, but variants asks for %d: give more values, or ask for fewer", distinct, q.Variants)
	}
	if q.Kind == Choices && len(q.Options) < 2 {
		c.fault(q.part("options"), "one option only, expected two at least")
	}
}

// next tries one variant.
func (c *checker) next(ctx context.Context) error {
	solution, err := c.solver.solve(ctx, c.Variant(c.tried))
	if r := c.solver.rejected; r != nil && ctx.Err() == nil {
		if !r.late || c.of == 1 {
			// What else there is to say about this variant follows from it.
			c.once("rejected "+r.no, source.Node{File: r.problem.File, Line: r.problem.Line, Column: r.problem.Column}, "%s", r.problem.Message)
			c.unsolved = true
			c.tried++
			return nil
		}
		late, known := c.late[r.no]
		if !known {
			late.rejection = r
		}
		late.variants++
		c.late[r.no] = late
	}
	var problem *source.Problem
	if errors.As(err, &problem) && ctx.Err() == nil {
		at := source.Node{File: problem.File, Line: problem.Line, Column: problem.Column}
		c.once(fmt.Sprint("unsolved ", at.Line, at.Column), at, "%s", problem.Message)
		c.unsolved = true
		c.tried++
		return nil
	}
	if err != nil {
		return err
	}
	c.variant(solution)
	c.answers(solution)
	if err := c.mistakes(ctx, solution, c.differs); err != nil {
		return err
	}
	c.tried++
	return nil
}

// end finds what only shows when all variants are tried.
func (c *checker) end() {
	c.ended = true
	always := false
	for _, late := range c.late {
		// In some of the variants only: the question is about where it begins.
		if late.variants == c.tried && c.tried == c.of {
			c.problems = append(c.problems, late.problem)
			always = true
		}
	}
	if c.absent != nil && !always {
		c.problems = append(c.problems, c.absent)
	}
	if c.tried < c.of || c.unsolved {
		return
	}
	if c.Kind == Choice && c.Unit.Is() && !c.counted {
		c.fault(c.Unit.node, "no option is a number, so that the unit is never shown: take it out")
	}
	c.words(c.Question)
	for _, m := range c.Mistakes {
		switch {
		case c.differs[m.Name]:
		case c.Tolerance.Within != nil && c.Tolerance.Within.Sign() > 0:
			c.fault(m.node, "the mistake %s never differs from the key by more than the tolerance takes: take it out, take a narrower tolerance, or give values that show it", m.Name)
		default:
			c.fault(m.node, "the mistake %s never differs from the key: take it out, or give values that show it", m.Name)
		}
	}
}

// answers notes what the key and the wrong answers of a variant come to.
func (c *checker) answers(s *Solution) {
	note := func(a Answer) {
		if !slices.Contains(c.given, a.Text) && len(c.given) < maxKnown {
			c.given = append(c.given, a.Text)
		}
	}
	if len(s.Words) == 0 || s.Question.Key == nil {
		return
	}
	note(s.Key)
	for _, w := range s.Wrong {
		note(w.Answer)
	}
	for _, o := range s.Question.Options {
		if o.Value != nil {
			note(answerIn(s.Values.fill(*o.Value)))
		}
	}
}

// words finds words for values that no answer has.
func (c *checker) words(q *Question) {
	for _, w := range q.Words {
		if !slices.Contains(c.given, w.Value) && len(c.given) < maxKnown {
			c.fault(w.Text.node, "no answer is %s%s: take the word out, or write one of %s", source.Quote(w.Value),
				strings.TrimSuffix(source.DidYouMean(w.Value, c.given), "?"), strings.Join(c.given, "; "))
		}
	}
}

// variant finds what is wrong with one variant's options.
func (c *checker) variant(s *Solution) {
	if key := s.Question.Key; key != nil && key.Job != nil && s.Key.Text == "absent" && !slices.Contains(key.Fields, "result") {
		problem := key.Job.Problem("at the end of the scenario there is no job %s%s, expected the id of one that is enqueued", s.Values.fill(*key.Job).Text, s.with())
		if c.absent == nil {
			c.absent = problem
		}
	}
	c.counted = c.counted || slices.ContainsFunc(s.Options, func(o Option) bool {
		return o.answer != nil && o.answer.Numeric && !slices.ContainsFunc(s.Words, func(w Word) bool { return w.Value == o.answer.Text })
	})
	if s.Kind == Choice && len(s.Options) < 2 {
		c.once("single", s.node, "a choice of one%s: nothing else differs from the key", s.with())
	}
	for i, o := range s.Question.Options {
		if o.Value == nil {
			continue
		}
		answer := answerIn(s.Values.fill(*o.Value))
		quotes, inQuotes := s.Values.inQuotes(*o.Value)
		switch {
		case s.Kind == Number && !answer.Numeric && inQuotes:
			c.once("no number "+o.node.Flow(), quotes, "%s", quotesFault(quotes).Message)
		case s.Kind == Number && !answer.Numeric:
			c.once("no number "+o.node.Flow(), o.node, "this wrong answer is %s%s, expected a number", answer.Text, s.with())
		case s.isKey(answer):
			c.once("is key "+o.node.Flow(), o.node, "this wrong option is the key%s", s.with())
		case slices.ContainsFunc(s.Wrong, func(w Wrong) bool { return w.Answer == answer && w.Mistake != "" }):
			c.once("is wrong "+o.node.Flow(), o.node, "this option is what a mistake gives%s", s.with())
		case slices.ContainsFunc(s.Question.Options[:i], func(b Authored) bool {
			return b.Value != nil && answerIn(s.Values.fill(*b.Value)) == answer
		}):
			c.once("is other "+o.node.Flow(), o.node, "this option stands here twice%s", s.with())
		}
	}
	for _, language := range c.languages {
		what := "options"
		if s.Kind == Order {
			what = "items"
		}
		said := map[string]Text{}
		for _, o := range s.Options {
			text := s.OptionText(o, language)
			if other, twice := said[text]; twice {
				c.once("same "+text, c.later(other, o.text), "two %s say %q%s", what, text, s.with())
			}
			said[text] = o.text
		}
		rows := map[string]Text{}
		for _, r := range s.Rows {
			text := s.RowText(r, language)
			if other, twice := rows[text]; twice {
				c.once("row "+text, c.later(other, r.text), "two pairs ask about %q%s", text, s.with())
			}
			rows[text] = r.text
		}
	}
}

// later is where the later one of two texts stands; the question, for options without a text.
func (c *checker) later(a, b Text) source.Node {
	switch {
	case !a.Is() && !b.Is():
		return c.node
	case !b.Is() || a.Is() && (a.node.Line > b.node.Line || a.node.Line == b.node.Line && a.node.Column > b.node.Column):
		return a.node
	}
	return b.node
}

// mistakes notes which mistakes differ from the key. Those that were dropped because an earlier one
// gives the same may still do.
func (c *checker) mistakes(ctx context.Context, s *Solution, differs map[string]bool) error {
	if s.Question.Key == nil {
		return nil
	}
	for _, w := range s.Wrong {
		differs[w.Mistake] = true
	}
	play, err := s.play()
	if err != nil {
		return err
	}
	for _, m := range s.Mistakes {
		if differs[m.Name] {
			continue
		}
		answer, ok, err := c.solver.mistake(ctx, s.Variant, play, m)
		if err != nil {
			return err
		}
		differs[m.Name] = ok && !s.isKey(answer)
	}
	return nil
}

// maxDistinct is how many combinations are looked at for different ones. Those that are alike stand in
// several maps of given; a file may have many of these.
const maxDistinct = 100_000

// distinct counts different variants, up to enough; where they cannot be counted it gives that.
func (q *Question) distinct(enough int64) int64 {
	seen := map[string]bool{}
	for i := range q.Combinations() {
		if int64(len(seen)) >= enough || i >= maxDistinct {
			return enough
		}
		seen[q.combination(i).String()] = true
	}
	return int64(len(seen))
}
