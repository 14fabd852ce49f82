package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"retrylab/lab/ask"
	"retrylab/quiz"
	"retrylab/quiz/bank"
)

// check has a text checked to its end and says how often that was asked for.
func (r *reader) check(source string) (checked ask.Checked, asked int) {
	r.t.Helper()
	for !checked.Done {
		checked = answer[ask.Checked](r, ask.QuizCheck, ask.CheckQuiz{Source: source, File: "q.yaml", Languages: []string{"en"}})
		if asked++; asked > 1000 {
			r.t.Fatal("the check never ends")
		}
	}
	return checked, asked
}

func (r *reader) variants(source, question string, seed int64, count int) (all []ask.Variant, combinations int64) {
	r.t.Helper()
	for len(all) < count {
		got := answer[ask.Variants](r, ask.QuizVariants, ask.VariantsOf{Source: source, File: "q.yaml", Lang: "en", Question: question, Seed: seed + int64(len(all)), Count: count - len(all)})
		all, combinations = append(all, got.Variants...), got.Combinations
		if len(got.Variants) == 0 {
			r.t.Fatal("no variant")
		}
	}
	return all, combinations
}

const written = `quiz: written
title: {en: Written}
questions:
- id: wait
  kind: number
  given: {attempt: [1, 2, 3, 4], base_ms: 100, cap_ms: [150, 1000], jitter: 1}
  ask: "How long after failure {attempt}?"
  unit: ms
  key: delay
  mistakes: [no_cap, zero_based]
  options: [{value: 7, why: That is no wait.}]
- id: row
  kind: order
  ask: x
  items: [first, {text: second, why: Not there.}, third]
- id: pairs
  kind: match
  ask: x
  pairs: [{text: "503", with: again, why: Later.}, {text: "404", with: never}]
- id: all
  kind: choices
  ask: x
  options: [{text: wrong, why: Because.}, {text: right, right: true}]
`

func TestTheCheckOfTheBankHasNoProblemAndEveryVariantIsTried(t *testing.T) {
	r := newReader(t)
	names, err := bank.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names[:3] {
		checked, _ := r.check(bankFile(t, f.Name()))
		if !checked.Readable || checked.Found != 0 || len(checked.Problems) != 0 {
			t.Errorf("%s: %+v", f.Name(), checked.Problems)
		}
		for _, q := range checked.Questions {
			if q.Tried != q.Of || q.Of != min(q.Combinations, 1000) {
				t.Errorf("%s: %+v", f.Name(), q)
			}
		}
	}
}

func TestACheckTellsWhatIsWrongWhere(t *testing.T) {
	r := newReader(t)
	bad, _ := r.check(strings.Replace(written, "kind: order", "kind: ordr", 1))
	if bad.Readable || bad.Found != 1 || bad.Problems[0].Line != 13 || !strings.Contains(bad.Problems[0].Message, "did you mean order?") {
		t.Errorf("%+v", bad)
	}
	never, _ := r.check(strings.Replace(written, "cap_ms: [150, 1000]", "cap_ms: 100000", 1))
	if !never.Readable || never.Found != 1 || never.Problems[0].Line != 10 || !strings.Contains(never.Problems[0].Message, "no_cap never differs") {
		t.Errorf("%+v", never)
	}
	good, _ := r.check(written)
	if good.Found != 0 || good.Name != "written" || len(good.Questions) != 4 || good.Questions[0].Combinations != 8 {
		t.Errorf("%+v", good)
	}
}

func TestEveryVariantHasItsKeyAndWhatIsSaid(t *testing.T) {
	r := newReader(t)
	all, combinations := r.variants(written, "wait", 1, 8)
	if combinations != 8 || all[0].Shown == nil || all[0].Shown.Kind != "number" || all[0].Shown.Marked != nil {
		t.Fatalf("%d, %+v", combinations, all[0].Shown)
	}
	seen := map[int64]bool{}
	for i, v := range all {
		if v.Seed != int64(i+1) || len(v.Given) != 4 || !v.Answers[0].Right || v.Work == "" {
			t.Errorf("%+v", v)
		}
		if n := len(v.Answers) - 1 + len(v.Same); n != 3 { // two mistakes and an option
			t.Errorf("%d wrong answers and mistakes without one in %+v", n, v)
		}
		seen[v.Index] = true
		if last := v.Answers[len(v.Answers)-1]; last.Text != "7 ms" || last.Why != "That is no wait." || last.Right {
			t.Errorf("%+v", last)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d different variants of 8", len(seen))
	}
	row, _ := r.variants(written, "row", 5, 1)
	if a := row[0].Answers; len(a) != 3 || a[0].Text != "first" || a[1].Text != "second" || a[1].Why != "Not there." || !a[2].Right {
		t.Errorf("%+v", a)
	}
	pairs, _ := r.variants(written, "pairs", 5, 1)
	for _, a := range pairs[0].Answers {
		if want := map[string]string{"503": "again", "404": "never"}[a.Row]; a.Text != want {
			t.Errorf("%+v", a)
		}
	}
	choices, _ := r.variants(written, "all", 5, 1)
	if a := choices[0].Answers; len(a) != 2 || !a[0].Right || a[0].Text != "right" || a[1].Why != "Because." {
		t.Errorf("%+v", a)
	}
	// A variant that the engine rejects is one with a problem.
	rejected, _ := r.variants(strings.Replace(written, "attempt: [1, 2, 3, 4]", "attempt: [0, 1, 2, 3]", 1), "wait", 1, 8)
	problems := 0
	for _, v := range rejected {
		if v.Problem != nil {
			problems++
			if v.Problem.Line != 9 || len(v.Answers) > 0 {
				t.Errorf("%+v", v)
			}
		}
	}
	if problems != 2 {
		t.Errorf("%d variants are rejected, want 2", problems)
	}
}

func TestATryIsMarkedAndNotKept(t *testing.T) {
	r := newReader(t)
	try := func(text string) ask.Question {
		return answer[ask.Question](r, ask.QuizTry, ask.AnswerQuiz{Source: written, File: "q.yaml", Lang: "en", Question: "wait", Seed: 3, Answer: text})
	}
	v, _ := r.variants(written, "wait", 3, 1)
	if q := try(v[0].Answers[0].Text); q.Marked == nil || !q.Marked.Right {
		t.Errorf("%+v", q.Marked)
	}
	if q := try("7"); q.Marked == nil || q.Marked.Right || q.Marked.Why != "That is no wait." {
		t.Errorf("%+v", q.Marked)
	}
	if q := try(""); q.Marked != nil {
		t.Errorf("%+v", q.Marked)
	}
	if n := r.rows(`SELECT (SELECT count(*) FROM quiz_answer) + (SELECT count(*) FROM quiz_seed)`); n != 0 {
		t.Errorf("%d rows are kept", n)
	}
}

// TestHostileTextsEndSoonAndAnswerLittle has files checked that are made to be too much.
func TestHostileTextsEndSoonAndAnswerLittle(t *testing.T) {
	r := newReader(t)
	head := "quiz: hostile\ntitle: x\nquestions:\n"
	long := strings.Repeat("x", 200)
	for name, text := range map[string]string{
		"deep lists": strings.Repeat("[", 60_000),
		"deep maps":  strings.Repeat("{a: ", 15_000),
		"aliases":    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
		"faults":     head + strings.Repeat("- {id: a, kind: choice, x: y}\n", 100),
		"expansion":  head + "- {id: a, kind: number, unit: ms, given: {a: \"" + long + "\"}, ask: \"" + strings.Repeat("{a}", 1300) + "\", key: {value: 5}, options: [{value: 6, why: \"" + strings.Repeat("{a}", 1300) + "\"}]}\n",
		"variants":   head + "- {id: a, kind: number, unit: ms, given: {attempt: {from: 1, to: 1000}, base_ms: {from: 1, to: 1000}, cap_ms: {from: 1, to: 1000}, jitter: 1}, ask: \"{attempt}\", key: delay, mistakes: [no_cap]}\n",
		"empty":      "",
		"no text":    "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			checked, _ := r.check(text)
			if len(checked.Problems) > ask.MaxProblems {
				t.Errorf("%d problems", len(checked.Problems))
			}
			if size := len(fmt.Sprint(checked)); size > 100_000 {
				t.Errorf("an answer of %d bytes", size)
			}
			if !checked.Readable {
				if checked.Found == 0 {
					t.Error("no problem")
				}
				return
			}
			all, _ := r.variants(text, "a", 1, ask.MaxVariants)
			size := 0
			for _, v := range all {
				v.Shown = nil
				size += len(fmt.Sprint(v))
			}
			if size > 2_000_000 {
				t.Errorf("variants of %d bytes", size)
			}
		})
	}
	large := r.send(ask.QuizCheck, ask.CheckQuiz{Source: strings.Repeat("# x\n", quiz.MaxFile/4+1), File: "q.yaml"})
	if large.Err == nil || large.Err.Code != ask.TooLarge {
		t.Errorf("%+v", large)
	}
	for _, count := range []int{0, ask.MaxVariants + 1} {
		if many := r.send(ask.QuizVariants, ask.VariantsOf{Source: written, File: "q.yaml", Question: "wait", Count: count}); many.Err == nil || many.Err.Code != ask.BadRequest {
			t.Errorf("%d variants: %+v", count, many)
		}
	}
}

// TestACheckLetsOthersThrough has a check that takes long answer in parts, and go on where it was.
func TestACheckLetsOthersThrough(t *testing.T) {
	r := newReader(t)
	var now time.Time
	r.engine.SetAuthorClock(func() time.Time { now = now.Add(10 * time.Millisecond); return now })
	text := "quiz: slow\ntitle: x\nquestions:\n- id: a\n  kind: choice\n  ask: x\n  given: {n: {from: 1, to: 1000}}\n  key: {stats: due}\n  mistakes: [due_exclusive]\n  scenario:\n" +
		strings.Repeat("  - {at: 0, enqueue: {id: \"{n}\", max_attempts: 2, deadline: 50}}\n", 20)
	first := answer[ask.Checked](r, ask.QuizCheck, ask.CheckQuiz{Source: text, File: "q.yaml"})
	if first.Done || first.Questions[0].Tried == 0 {
		t.Fatalf("done: %t, %d variants tried", first.Done, first.Questions[0].Tried)
	}
	second := answer[ask.Checked](r, ask.QuizCheck, ask.CheckQuiz{Source: text, File: "q.yaml"})
	if second.Questions[0].Tried <= first.Questions[0].Tried {
		t.Errorf("%d variants tried, then %d", first.Questions[0].Tried, second.Questions[0].Tried)
	}
	// Another text is checked at once.
	if other := answer[ask.Checked](r, ask.QuizCheck, ask.CheckQuiz{Source: written, File: "q.yaml"}); !other.Readable || len(other.Questions) != 4 {
		t.Errorf("%+v", other)
	}
}
