package quiz_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"retrylab/lab/source"
	"retrylab/quiz"
	"retrylab/quiz/bank"
)

const faulty = head + `- id: cap
  kind: number
  unit: ms
  given: {attempt: [1, 2], base_ms: 100, cap_ms: 1000, jitter: 1}
  ask: "{attempt}"
  key: delay
  mistakes: [no_cap]
- id: b
  kind: choice
  ask: x
  options: [{text: a, right: true}, {text: b}]
`

func asLines(problems []*source.Problem) []string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message))
	}
	return lines
}

func TestACheckInPartsFindsWhatAWholeOneFinds(t *testing.T) {
	files := map[string]string{"faulty": faulty, "marking": marking, "variants": variants}
	names, err := bank.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		if data, err := bank.Files.ReadFile(f.Name()); err == nil && strings.HasSuffix(f.Name(), ".yaml") {
			files[f.Name()] = string(data)
		}
	}
	s := newSolver(t)
	options := quiz.CheckOptions{Languages: []string{"en", "ja"}, Seeds: 5}
	for name, text := range files {
		q := parse(t, text)
		want, err := s.Check(t.Context(), q, options)
		if err != nil {
			t.Fatal(err)
		}
		c := s.Begin(q, options, nil)
		for parts := 0; c.At() < len(q.Questions); parts++ {
			if err := c.Go(t.Context(), func() bool { return true }); err != nil {
				t.Fatal(err)
			}
			if parts > 10_000 {
				t.Fatal("the check never ends")
			}
		}
		if got := asLines(c.Problems()); !slices.Equal(got, asLines(want)) {
			t.Errorf("%s: in parts\n%s\nat once\n%s", name, got, asLines(want))
		}
	}
}

// TestWhatIsTheSameIsNotTriedAgain changes one of two questions: the other's problems move with its lines.
func TestWhatIsTheSameIsNotTriedAgain(t *testing.T) {
	s := newSolver(t)
	never := func() bool { return false }
	first := s.Begin(parse(t, faulty), quiz.CheckOptions{}, nil)
	if err := first.Go(t.Context(), never); err != nil {
		t.Fatal(err)
	}
	if got := asLines(first.Problems()); len(got) != 2 || !strings.Contains(got[0], "no_cap never differs") || !strings.Contains(got[1], "without a why") {
		t.Fatal(got)
	}
	// Another first question's layout, and a comment above: the second is known, the first is not.
	for _, test := range []struct {
		name, text string
		at         int // what is to be checked next
	}{
		{"the same", faulty, 2},
		{"a comment above", "# a\n\n" + faulty, 2},
		{"the first changed", strings.Replace(faulty, "attempt: [1, 2]", "attempt: [1, 2, 9]", 1), 0},
		{"the first laid out anew", strings.Replace(faulty, "  ask: \"{attempt}\"\n", "\n  ask:   \"{attempt}\"\n", 1), 0},
		{"the second changed", strings.Replace(faulty, "text: b}", "text: c}", 1), 1},
		{"another name", strings.Replace(faulty, "quiz: hostile", "quiz: other", 1), 0},
		{"another language", strings.Replace(faulty, "title: x", "title: {ja: x}", 1), 0},
	} {
		q := parse(t, test.text)
		again := s.Begin(q, quiz.CheckOptions{}, first)
		if again.At() != test.at {
			t.Errorf("%s: question %d is to be checked, want %d", test.name, again.At(), test.at)
		}
		if err := again.Go(t.Context(), never); err != nil {
			t.Fatal(err)
		}
		anew, err := s.Check(t.Context(), q, quiz.CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := asLines(again.Problems()); !slices.Equal(got, asLines(anew)) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, asLines(anew))
		}
	}
}

func TestASkippedQuestionIsNotBlamed(t *testing.T) {
	s := newSolver(t)
	c := s.Begin(parse(t, faulty), quiz.CheckOptions{}, nil)
	for range 2 { // begun, and one of two variants
		if err := c.Go(t.Context(), func() bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	if tried, of := c.Tried(0); tried != 1 || of != 2 {
		t.Errorf("%d of %d tried", tried, of)
	}
	c.Skip(0)
	if err := c.Go(t.Context(), func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	if got := asLines(c.Problems()); len(got) != 1 || !strings.Contains(got[0], "without a why") {
		t.Error(got)
	}
	if tried, _ := c.Tried(0); tried != 1 {
		t.Errorf("%d tried after it was skipped", tried)
	}
	// What was skipped is tried again the next time.
	if again := s.Begin(parse(t, faulty), quiz.CheckOptions{}, c); again.At() != 0 {
		t.Error(again.At())
	}
}

// TestManyAlikeVariantsAreCountedInTime has a million combinations of few that differ.
func TestManyAlikeVariantsAreCountedInTime(t *testing.T) {
	tables := strings.Repeat("{a: {from: 1, to: 9999}}, ", 999) + "{a: 1}"
	q := parse(t, head+"- {id: a, kind: order, ask: \"{a}\", items: [a, b], variants: 10000, given: ["+tables+"]}\n")
	start := time.Now()
	problems, err := newSolver(t).Check(t.Context(), q, quiz.CheckOptions{Seeds: 10})
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
