package quiz

import (
	"cmp"
	"context"
	"slices"

	"retrylab/lab/source"
)

// A Checking is the check of a quiz, done in parts, so that a page can show how far it is and begin anew
// when the file changes. It is made by [Solver.Begin].
type Checking struct {
	languages []string
	seeds     int64
	title     *checker
	questions []*checker
}

// Begin begins the check of a quiz. before is the check of an earlier text of the same file, nil for none:
// what it has found out about a question that is the same since, wherever it stands now, is taken over.
func (s *Solver) Begin(q *Quiz, options CheckOptions, before *Checking) *Checking {
	c := &Checking{languages: slices.Clone(q.Languages), seeds: cmp.Or(options.Seeds, 1000)}
	for _, language := range options.Languages {
		if !slices.Contains(c.languages, language) {
			c.languages = append(c.languages, language)
		}
	}
	c.title = &checker{languages: c.languages}
	c.title.text(q.Title)
	c.title.problems = append(c.title.problems, q.warnings...)
	for _, question := range q.Questions {
		one := &checker{Question: question, solver: s, languages: c.languages, told: map[string]bool{}, differs: map[string]bool{}, late: map[string]late{}, of: min(question.Combinations(), c.seeds)}
		if known := before.find(c, question); known != nil {
			one.takeOver(known)
		}
		c.questions = append(c.questions, one)
	}
	return c
}

// find is the ended check of a question with the same text.
func (c *Checking) find(now *Checking, q *Question) *checker {
	if c == nil || c.seeds != now.seeds || !slices.Equal(c.languages, now.languages) {
		return nil
	}
	for _, one := range c.questions {
		// The hash has the quiz's name in it, which decides what a seed shows.
		if one.ended && one.tried == one.of && one.Hash == q.Hash && alike(one.node, q.node, one.node.Line, q.node.Line) {
			return one
		}
	}
	return nil
}

// alike says whether two nodes are written alike, each counted from a line of its own.
func alike(a, b source.Node, fromA, fromB int) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Plain != b.Plain || a.Column != b.Column || a.Line-fromA != b.Line-fromB || len(a.Items) != len(b.Items) || len(a.Entries) != len(b.Entries) {
		return false
	}
	for i := range a.Items {
		if !alike(a.Items[i], b.Items[i], fromA, fromB) {
			return false
		}
	}
	for i := range a.Entries {
		if !alike(a.Entries[i].At, b.Entries[i].At, fromA, fromB) || !alike(a.Entries[i].Value, b.Entries[i].Value, fromA, fromB) {
			return false
		}
	}
	return true
}

// takeOver is told what an earlier check of the same question has found.
func (c *checker) takeOver(known *checker) {
	c.begun, c.ended, c.tried = true, true, known.tried
	for _, p := range known.problems {
		moved := *p
		moved.File, moved.Line = c.node.File, p.Line-known.node.Line+c.node.Line
		c.problems = append(c.problems, &moved)
	}
}

// Go goes on with the check until it is done, or until enough says so, which is asked after each
// variant. An error is ctx's end, or a fault of the engine.
func (c *Checking) Go(ctx context.Context, enough func() bool) error {
	for {
		at := c.At()
		if at == len(c.questions) {
			return nil
		}
		one := c.questions[at]
		switch {
		case !one.begun:
			one.begin()
		case one.tried == one.of:
			one.end()
		default:
			if err := one.next(ctx); err != nil {
				return err
			}
		}
		if enough() {
			return nil
		}
	}
}

// At is the question that is checked next, from 0; the number of questions when the check is done.
func (c *Checking) At() int {
	at := slices.IndexFunc(c.questions, func(one *checker) bool { return !one.ended })
	if at < 0 {
		return len(c.questions)
	}
	return at
}

// Skip leaves the rest of a question's variants untried. What only shows when all are tried is not told.
func (c *Checking) Skip(question int) { c.questions[question].end() }

// Tried is how many variants of a question are tried, and how many there are to try.
func (c *Checking) Tried(question int) (tried, of int64) {
	return c.questions[question].tried, c.questions[question].of
}

// Problems are what was found so far, in the order of the lines.
func (c *Checking) Problems() []*source.Problem {
	problems := slices.Clone(c.title.problems)
	for _, one := range c.questions {
		problems = append(problems, one.problems...)
	}
	sortProblems(problems)
	return problems
}
