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

func TestQuotesThatMakeATextOfANumberAreToldToGo(t *testing.T) {
	const told = "the quotes make 7 a text, expected a number: take them away"
	holdsCheck(t, []checkCase{
		{"of a key", `- {id: a, kind: number, unit: ms, ask: x, key: {value: "7"}}`, []string{"4:56: " + told}},
		{"of a given value", `- {id: a, kind: number, unit: ms, ask: x, given: {n: [6, "7"]}, key: {value: "{n}"}}`, []string{"4:58: " + told}},
		{"of a wrong answer", `- {id: a, kind: number, unit: ms, ask: x, key: {value: 6}, options: [{value: '7', why: y}]}`, []string{"4:78: " + told}},
		{"around no number", `- {id: a, kind: number, unit: ms, ask: x, key: {value: "7 ms"}}`, []string{"4:48: the key is 7 ms, expected a number"}},
		{"of a choice", `- {id: a, kind: choice, ask: x, key: {value: "7"}, options: [{value: "8", why: y}]}`, nil},
	})
}

func TestAnExtraOptionFitsNoPairAndStandsThereOnce(t *testing.T) {
	question := func(extra string) string {
		return `- {id: a, kind: match, ask: x, pairs: [{text: a, with: b}, {text: c, with: {en: d}}], extra: ` + extra + `}`
	}
	holdsCheck(t, []checkCase{
		{"a new one", question("[e]"), nil},
		{"a pair's", question("[e, b]"), []string{"4:98: this extra option is the with of a pair already, expected one that fits no pair"}},
		{"a pair's in languages", question("[{en: d}]"), []string{"4:95: this extra option is the with of a pair already, expected one that fits no pair"}},
		{"a pair's in quotes", question(`["b"]`), []string{"4:95: this extra option is the with of a pair already, expected one that fits no pair"}},
		{"twice", question("[e, f, e]"), []string{"4:101: this extra option stands here twice"}},
	})
}

func TestAUnitThatIsNeverShownIsTold(t *testing.T) {
	const told = "no option is a number, so that the unit is never shown: take it out"
	holdsCheck(t, []checkCase{
		{"texts", "- {id: a, kind: choice, ask: x, unit: ms, options: [{text: 5, right: true}, {text: 6, why: y}]}", []string{"4:39: " + told}},
		{"words of an engine", "- {id: a, kind: choice, ask: x, unit: ms, key: {value: dead}, options: [{value: done, why: y}]}", []string{"4:39: " + told}},
		{"a number with a word for it", "- {id: a, kind: choice, ask: x, unit: ms, key: {value: 5}, words: {5: five}, options: [{value: done, why: y}]}", []string{"4:39: " + told}},
		{"a number", "- {id: a, kind: choice, ask: x, unit: ms, key: {value: 5}, options: [{value: done, why: y}]}", nil},
		{"a number in some variant", "- {id: a, kind: choice, ask: x, unit: ms, given: {n: [x, 5]}, key: {value: '{n}'}, options: [{value: done, why: y}]}", nil},
	})
}

func TestWhatIsMissingIsToldWithAnExampleWhereItBelongs(t *testing.T) {
	holdsCheck(t, []checkCase{
		{"an edge", "- {id: a, kind: number, unit: ms, ask: x, key: {value: 5}, tolerance: {within: 1}}",
			[]string{"4:71: tolerance has no edge, expected edge: right or edge: wrong: how an answer exactly that far from the key is marked"}},
		{"the end of a range", "- {id: a, kind: order, ask: '{n}', items: [a, b], given: {n: {from: 1}}}", []string{"4:29: {n} is not given, expected nothing; write {{n}} for the braces themselves", "4:62: the range of n has no to, expected the greatest value, such as to: 5"}},
		{"a field", "- {id: a, kind: choice, ask: x, scenario: [{stats: true}], key: {job: a}, options: [{value: b, why: c}]}", []string{"4:65: the key has no field, expected the name of one, such as field: state"}},
		{"an item's text", "- id: a\n  kind: order\n  ask: x\n  items:\n  - b\n  - {text: }", []string{"9:12: an item's text is empty, expected text"}},
		{"a pair's half", "- id: a\n  kind: match\n  ask: x\n  pairs:\n  - {text: b, with: c}\n  - text: d", []string{`9:5: a pair has no with, expected what fits it, such as with: {en: "..."}`}},
		{"another item", "- id: a\n  kind: order\n  ask: x\n  items:\n  - b\n  - c\n  - text: b", []string{`10:11: two items say "b"`}},
		{"another option", "- id: a\n  kind: choices\n  ask: x\n  options:\n  - {text: b, right: true}\n  - {text: b, why: c}", []string{`9:12: two options say "b"`}},
		{"a right option", "- id: a\n  kind: choice\n  ask: x\n  options:\n  - {text: b, why: c}\n  - {text: d, why: c}", []string{"7:3: 0 options are right: true, expected one"}},
	})
	s := newSolver(t)
	for _, c := range []struct{ text, want string }{
		{"title: x\nquestions: []", "1:1: a quiz has no quiz, expected its name, such as quiz: second-week"},
		{"quiz: a\ntitle: x", "1:1: a quiz has no questions, expected questions: with a list of them"},
		{"quiz: a\ntitle: x\nquestions: []", "3:12: the quiz has no question, expected a list of one at least"},
	} {
		if got := found(t, s, c.text); !slices.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
