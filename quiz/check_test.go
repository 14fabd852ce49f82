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

func TestAStepThatIsRejectedIsNamed(t *testing.T) {
	const means = "; if that is what you ask about, write expect: {result: rejected} in the step"
	question := func(first, rest string) string {
		return "- id: a\n  kind: choice\n  ask: x\n  scenario:\n  - " + first + "\n  " + rest
	}
	const soon = "{at: 0, enqueue: {id: a, max_attempts: 1, deadline: soon}}"
	const options = ", options: [{value: q, why: w}]"
	job, stats := "key: {job: a, field: state}\n  options: [{value: q, why: w}]", "key: {stats: pending}\n  options: [{value: 1, why: w}]"
	told := []string{"8:5: step 1 is rejected: deadline is text, wanted a whole number from 0 to 9007199254740991" + means}
	holdsCheck(t, []checkCase{
		{"a text, with the job as key", question(soon, job), told},
		{"a text, with a figure as key", question(soon, stats), told},
		{"a limit of 0", question("{at: 0, enqueue: {id: a, max_attempts: 0, deadline: 9}}", stats), []string{"8:5: step 1 is rejected: max_attempts is too small, wanted a whole number from 1 to 10000" + means}},
		{"the key of a number", "- id: a\n  kind: number\n  unit: ms\n  ask: x\n  scenario: [" + soon + "]\n  key: {job: a, field: attempts}", []string{"8:14" + told[0][3:]}},
		{"another step goes wrong for it", question(soon, "- {run: {send: ok}, expect: {result: done}}\n  "+job), told},
		{"during a run", question("{at: 0, enqueue: {id: a, max_attempts: 1, deadline: 9}}", "- {run: {send: ok, during: [{enqueue: {id: b, max_attempts: x, deadline: 9}}]}}\n  "+job),
			[]string{"9:31: step 2.1 is rejected: max_attempts is text, wanted a whole number from 1 to 10000" + means}},
		{"late in the only variant", question("{at: 5, enqueue: {id: a, max_attempts: 1, deadline: 5}}", stats), []string{"8:5: step 1 is rejected: deadline leaves no time, wanted a whole number from 6 to 9007199254740991" + means}},
		{"late in all variants", "- {id: a, kind: choice, ask: x, given: {at: [5, 6]}, scenario: [{at: {at}, enqueue: {id: a, max_attempts: 1, deadline: 5}}], key: {job: a, field: state}" + options + "}",
			[]string{"4:65: step 1 is rejected: deadline leaves no time, wanted a whole number from 6 to 9007199254740991 with at 5" + means}},
		{"late in some variants", "- {id: a, kind: choice, ask: x, given: {at: [4, 5]}, scenario: [{at: {at}, enqueue: {id: a, max_attempts: 1, deadline: 5}}], key: {stats: pending}" + options + "}", nil},
		{"a word in one variant", "- {id: a, kind: choice, ask: x, given: {end: [4, x]}, scenario: [{enqueue: {id: a, max_attempts: 1, deadline: {end}}}], key: {stats: pending}" + options + "}",
			[]string{"4:66: step 1 is rejected: deadline is text, wanted a whole number from 0 to 9007199254740991 with end x" + means}},
		{"expected", question(soon[:len(soon)-1]+", expect: {result: rejected}}", stats), nil},
		{"asked for", question(soon, "key: {step: 1, field: result}\n  options: [{value: 1, why: w}]"), nil},
		{"a job that no step brings", question("{at: 0, enqueue: {id: b, max_attempts: 1, deadline: 9}}", job), []string{"9:14: at the end of the scenario there is no job a, expected the id of one that is enqueued"}},
	})
}
