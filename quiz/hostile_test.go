package quiz_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"retrylab/lab/source"
	"retrylab/quiz"
)

const head = "quiz: hostile\ntitle: x\nquestions:\n"

// TestHostileFilesAreBounded reads files that are made to be too much. Each must end in problems, or in
// a quiz that is as small as its file.
func TestHostileFilesAreBounded(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	question := func(rest string) string { return head + "- {id: a, kind: choice, ask: x, " + rest + "}\n" }
	for name, text := range map[string]string{
		"deep lists":      deep,
		"deep maps":       strings.Repeat("{a: ", 60_000),
		"deep inside":     question("scenario: " + strings.Repeat("[", 100) + strings.Repeat("]", 100)),
		"too many bytes":  strings.Repeat("# padding\n", 30_000),
		"aliases":         "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
		"merge keys":      "<<: {quiz: a}\n",
		"questions":       head + strings.Repeat("- {}\n", 50_000),
		"options":         question("options: [" + strings.Repeat("{text: a, right: true}, ", 5000) + "]"),
		"mistakes":        question("mistakes: [" + strings.Repeat("no_cap, ", 20_000) + "]"),
		"hints":           question("hints: [" + strings.Repeat("x, ", 50_000) + "]"),
		"steps":           question("key: {stats: due}, scenario: [" + strings.Repeat("{stats: true}, ", 10_000) + "]"),
		"steps inside":    question("key: {stats: due}, scenario: [{run: {during: [" + strings.Repeat("{stats: true}, ", 10_000) + "]}}]"),
		"names":           question("given: {" + manyNames(20_000) + "}"),
		"tables":          question("given: [" + strings.Repeat("{a: [1, 2]}, ", 10_000) + "]"),
		"a long value":    question("given: {a: \"" + strings.Repeat("x", 201) + "\"}, hints: [\"{a}\"]"),
		"many tables":     question("given: [" + strings.Repeat("{a: 1}, ", 1001) + "]"),
		"combinations":    question("given: {a: {from: 1, to: 9007199254740991}, b: {from: 1, to: 9007199254740991}}"),
		"a long text":     question("ask2: " + strings.Repeat("x", 200_000)),
		"braces":          head + "- {id: a, kind: choice, ask: \"" + strings.Repeat("{", 200_000) + "\"}\n",
		"places":          head + "- {id: a, kind: choice, ask: \"" + strings.Repeat("{a}", 60_000) + "\"}\n",
		"tiny tolerance":  head + "- {id: a, kind: number, ask: x, tolerance: {within: 1e-999999999, edge: right}}\n",
		"huge tolerance":  head + "- {id: a, kind: number, ask: x, tolerance: {within: 1e999999999, edge: right}}\n",
		"languages":       head + "- {id: a, kind: choice, ask: {" + manyNames(20_000) + "}}\n",
		"long names":      head + "- {id: " + strings.Repeat("a", 100_000) + ", kind: choice, ask: x}\n",
		"invalid UTF-8":   head + "- {id: a, kind: choice, ask: \"\xff\xfe\"}\n",
		"many documents":  strings.Repeat("---\nquiz: a\n", 20_000),
		"quotes and tags": "quiz: !!python/object x\n",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := quiz.Parse("hostile.yaml", []byte(text))
			if err == nil {
				t.Error("no problem")
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if err != nil && len(err.Error()) > 64*len(text)+10_000 {
				t.Errorf("%d bytes of messages for a file of %d", len(err.Error()), len(text))
			}
		})
	}
}

func manyNames(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "a%d: 1, ", i)
	}
	return out.String()
}

// TestALargeVariantSpaceCostsNothing draws from a billion combinations.
func TestALargeVariantSpaceCostsNothing(t *testing.T) {
	q := parse(t, head+`- {id: a, kind: number, unit: ms, ask: x, key: delay, given: {attempt: {from: 1, to: 1000}, base_ms: {from: 1, to: 1000}, cap_ms: {from: 1, to: 1000}, jitter: 1}, mistakes: [no_cap]}`+"\n")
	question := q.Questions[0]
	if n := question.Combinations(); n != 1_000_000_000 {
		t.Fatal(n)
	}
	s := newSolver(t)
	for seed := range int64(1000) {
		if _, err := s.Solve(t.Context(), question.Variant(seed*999_999_937)); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := s.Check(t.Context(), q, quiz.CheckOptions{})
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

// TestPlayEndsWithItsContext stops a file that asks for a great deal of play.
func TestPlayEndsWithItsContext(t *testing.T) {
	var text strings.Builder
	text.WriteString(head + "- id: a\n  kind: choice\n  ask: x\n  given: {n: {from: 1, to: 1000}}\n  key: {stats: due}\n  mistakes: [due_exclusive, dead_hidden, lease_end_exclusive]\n  scenario:\n")
	for range 99 {
		text.WriteString("  - {at: 0, enqueue: {id: \"{n}\", max_attempts: 2, deadline: 50}}\n")
	}
	q := parse(t, text.String())
	ctx, cancel := context.WithCancel(t.Context())
	s := newSolver(t)
	if _, err := s.Solve(ctx, q.Questions[0].Variant(1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Solve(ctx, q.Questions[0].Variant(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Check(ctx, q, quiz.CheckOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// And goes on afterwards.
	if _, err := s.Solve(t.Context(), q.Questions[0].Variant(3)); err != nil {
		t.Fatal(err)
	}
}

// TestValuesAreNoYAML puts values that look like YAML into a scenario: they stay values.
func TestValuesAreNoYAML(t *testing.T) {
	q := parse(t, head+`- id: a
  kind: choice
  given:
    payload: ["two, max_attempts: 9", "}", "{payload}", "x\n- {stats: true}", "5"]
  ask: "{payload}"
  scenario:
  - {at: 0, enqueue: {id: cake-1, payload: {payload}, max_attempts: 2, deadline: 50}}
  - {at: 0, enqueue: {id: "id {payload}", max_attempts: 2, deadline: 50}}
  key: {job: cake-1, field: payload}
  options: [{value: other, why: x}]
`)
	s := newSolver(t)
	question := q.Questions[0]
	for seed := range question.Combinations() {
		v := question.Variant(seed)
		solution, err := s.Solve(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := v.Values.Get("payload")
		if solution.Key.Text != want.Text {
			t.Errorf("got %q, want %q", solution.Key.Text, want.Text)
		}
		// What is shown reads back as one scenario with the same steps.
		again, err := quiz.Parse("again.yaml", []byte(head+"- id: a\n  kind: choice\n  ask: x\n  key: {step: 2, field: result}\n  options: [{value: x, why: x}]\n  scenario:\n"+indent(v.Source())))
		if want.Text == "{payload}" {
			continue // a place of its own when it is read as a template again
		}
		if err != nil {
			t.Errorf("%q: %v\n%s", want.Text, err, v.Source())
			continue
		}
		if again.Questions[0].Variant(0).Source() != v.Source() {
			t.Errorf("%q reads back as\n%s", v.Source(), again.Questions[0].Variant(0).Source())
		}
	}
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n    ") + "\n"
}

// FuzzWhatParsesCanBeSolved reads any file; what the parser takes can be shown and marked without a panic,
// and a fault that only a variant shows is told as one.
func FuzzWhatParsesCanBeSolved(f *testing.F) {
	f.Add(marking)
	f.Add(variants)
	f.Add(head + "- {id: a, kind: match, ask: x, pairs: [{text: a, with: b}, {text: c, with: b}]}\n")
	s := quiz.NewSolver()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 5000 {
			return
		}
		q, err := quiz.Parse("f.yaml", []byte(text))
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for _, question := range q.Questions {
			v := question.Variant(3)
			v.Source()
			v.Shown()
			if _, err := s.Mark(ctx, v, "1 o1=o2", "en"); err != nil {
				var problem *source.Problem
				if !errors.As(err, &problem) && ctx.Err() == nil {
					t.Errorf("%v\n%s", err, text)
				}
			}
		}
	})
}
