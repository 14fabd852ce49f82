package quiz_test

import (
	"slices"
	"strings"
	"testing"

	"retrylab/quiz"
)

// found are the problems of a file, of parsing it or of its check, without the file's name.
func found(t *testing.T, s *quiz.Solver, text string) []string {
	t.Helper()
	q, err := quiz.Parse("q.yaml", []byte(text))
	if err != nil {
		var lines []string
		for line := range strings.SplitSeq(err.Error(), "\n") {
			lines = append(lines, strings.TrimPrefix(line, "q.yaml:"))
		}
		return lines
	}
	problems, err := s.Check(t.Context(), q, quiz.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return asLines(problems)
}

// A checkCase is a question with what is found about it. Its text begins in line 4 of the file.
type checkCase struct {
	name, question string
	want           []string
}

func holdsCheck(t *testing.T, cases []checkCase) {
	t.Helper()
	s := newSolver(t)
	for _, c := range cases {
		if got := found(t, s, head+c.question+"\n"); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestAMistakeThatTheToleranceTakesIsNone has a key of 125 for attempt 3, and no_cap gives 200.
func TestAMistakeThatTheToleranceTakesIsNone(t *testing.T) {
	question := func(attempts, tolerance string) string {
		return `- {id: a, kind: number, unit: ms, ask: x, given: {attempt: ` + attempts + `, base_ms: 100, cap_ms: 250, jitter: 0.5}, key: delay, mistakes: [no_cap], tolerance: ` + tolerance + `}`
	}
	never := func(at string) []string {
		return []string{at + ": the mistake no_cap never differs from the key by more than the tolerance takes: take it out, take a narrower tolerance, or give values that show it"}
	}
	holdsCheck(t, []checkCase{
		{"far within", question("3", "{within: 1000, edge: right}"), never("4:127")},
		{"on an edge that is right", question("3", "{within: 75, edge: right}"), never("4:127")},
		{"on an edge that is wrong", question("3", "{within: 75, edge: wrong}"), nil},
		{"outside", question("3", "{within: 74.9, edge: right}"), nil},
		{"outside in one variant", question("[1, 3]", "{within: 5, edge: right}"), nil},
	})
}

func TestAnAnswerThatTheToleranceTakesIsNoWrongOne(t *testing.T) {
	q := parse(t, head+`- {id: a, kind: number, unit: ms, ask: x, given: {attempt: [3, 4], base_ms: 100, cap_ms: 250, jitter: 0.5}, key: delay, mistakes: [no_cap], tolerance: {within: 80, edge: right}, options: [{value: 130, why: x}]}`+"\n")
	s := newSolver(t)
	for seed := range int64(2) {
		v := q.Questions[0].Variant(seed)
		solution, err := s.Solve(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range solution.Wrong {
			if m, err := s.Mark(t.Context(), v, w.Answer.Text, "en"); err != nil || m.Right {
				t.Errorf("with %v the wrong answer %s is marked right (%v)", v.Values, w.Answer.Text, err)
			}
		}
	}
}
