package engine_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
	"retrylab/lab/file"
	"retrylab/quiz"
	"retrylab/quiz/bank"
)

// quizHome is a home on the device, as a folder.
type quizHome string

func (quizHome) Name() string { return ask.OPFS }

func (h quizHome) Connect(database string) (*sql.DB, error) {
	return file.Open(filepath.Join(string(h), database))
}

func (h quizHome) Remove(database string) error {
	return file.Remove(filepath.Join(string(h), database))
}

// A reader is somebody at the quiz page.
type reader struct {
	t      *testing.T
	home   quizHome
	engine *engine.Engine
}

func newReader(t *testing.T) *reader {
	r := &reader{t: t, home: quizHome(t.TempDir())}
	r.start()
	t.Cleanup(func() { r.engine.Close() })
	return r
}

func (r *reader) start() {
	r.t.Helper()
	var err error
	if r.engine, err = engine.New(context.Background(), r.home); err != nil {
		r.t.Fatal(err)
	}
}

// reload ends the engine and starts another on what it has left.
func (r *reader) reload() {
	r.t.Helper()
	if err := r.engine.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.start()
}

// send sends a request, whose answer is one reply.
func (r *reader) send(kind ask.Kind, body any) (reply ask.Reply) {
	r.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	replies := 0
	r.engine.Answer(context.Background(), ask.Request{ID: 1, Kind: kind, Body: raw}, func(got ask.Reply) { reply, replies = got, replies+1 })
	if replies != 1 || reply.More {
		r.t.Fatalf("%s: %d replies, the last is %v", kind, replies, reply)
	}
	return reply
}

func answer[T any](r *reader, kind ask.Kind, body any) (v T) {
	r.t.Helper()
	reply := r.send(kind, body)
	if reply.Err != nil {
		r.t.Fatalf("%s: %v %v", kind, reply.Err, reply.Err.Problems)
	}
	if err := json.Unmarshal(reply.Body, &v); err != nil {
		r.t.Fatal(err)
	}
	return v
}

func (r *reader) open(source string) ask.Quiz {
	r.t.Helper()
	return answer[ask.Quiz](r, ask.QuizOpen, ask.OpenQuiz{Source: source, File: "q.yaml", Lang: "en"})
}

func (r *reader) answer(source string, q ask.Question, text string) ask.Question {
	r.t.Helper()
	return answer[ask.Question](r, ask.QuizAnswer, ask.AnswerQuiz{Source: source, File: "q.yaml", Lang: "en", Question: q.ID, Seed: q.Seed, Answer: text})
}

func (r *reader) fresh(source, question string) ask.Quiz {
	r.t.Helper()
	return answer[ask.Quiz](r, ask.QuizFresh, ask.FreshQuiz{Source: source, File: "q.yaml", Lang: "en", Question: question})
}

func (r *reader) rows(query string) (n int) {
	r.t.Helper()
	if err := r.engine.DB().QueryRow(query).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func bankFile(t *testing.T, name string) string {
	t.Helper()
	data, err := bank.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// solve is a question's key as a person would answer it, from the quiz package.
func solve(t *testing.T, source string, q ask.Question) *quiz.Solution {
	t.Helper()
	parsed, err := quiz.Parse("q.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	question, _ := parsed.Question(q.ID)
	s := quiz.NewSolver()
	defer s.Close()
	solution, err := s.Solve(t.Context(), question.Variant(q.Seed))
	if err != nil {
		t.Fatal(err)
	}
	return solution
}

func TestAQuizComesBackAfterAReload(t *testing.T) {
	for _, name := range []string{"cap-and-deadline.yaml", "what-an-attempt-counts.yaml", "the-same-order-again.yaml"} {
		source := bankFile(t, name)
		r := newReader(t)
		opened := r.open(source)
		if opened.Name+".yaml" != name || opened.Title == "" || len(opened.Questions) == 0 {
			t.Fatalf("%+v", opened)
		}
		if !same(opened, r.open(source)) {
			t.Error("opened twice, it differs")
		}
		for i, q := range opened.Questions {
			if q.Marked != nil || strings.ContainsAny(q.Ask, "{}") {
				t.Errorf("%+v", q)
			}
			solution := solve(t, source, q)
			text := solution.Key.Text
			if q.Kind != "number" {
				if len(q.Options) < 2 || len(q.Options) != len(solution.Options) {
					t.Errorf("%s has %d options", q.ID, len(q.Options))
				}
				text = ""
				for _, o := range solution.Options {
					if o.Right {
						text = strings.TrimSpace(text + " " + o.ID)
					}
				}
			}
			marked := r.answer(source, q, text)
			if marked.Marked == nil || !marked.Marked.Right || marked.Marked.Score != 1 || marked.Marked.Answer != text {
				t.Errorf("%s: %q is marked %+v", q.ID, text, marked.Marked)
			}
			opened.Questions[i] = marked
			marked.Marked = nil
			if q.Marked = nil; !same(q, marked) {
				t.Errorf("%s: the answered question differs", q.ID)
			}
		}
		r.reload()
		if again := r.open(source); !same(again, opened) {
			t.Errorf("after a reload it differs:\n%+v\n%+v", again, opened)
		}
	}
}

func TestAFreshVariantShowsAnotherCombination(t *testing.T) {
	source := bankFile(t, "cap-and-deadline.yaml")
	r := newReader(t)
	opened := r.open(source)
	first := opened.Questions[0]
	r.answer(source, first, "1")
	second := r.fresh(source, first.ID)
	if q := second.Questions[0]; q.Seed == first.Seed || q.Marked != nil || same(q.Given, first.Given) && q.Ask == first.Ask {
		t.Errorf("%+v after %+v", q, first)
	}
	for i, q := range second.Questions[1:] {
		if !same(q, opened.Questions[i+1]) {
			t.Errorf("%s has changed too", q.ID)
		}
	}
	r.reload()
	if !same(r.open(source), second) {
		t.Error("after a reload it is another one")
	}
	all := r.fresh(source, "")
	for i, q := range all.Questions {
		if q.Seed == second.Questions[i].Seed {
			t.Errorf("%s has its old seed", q.ID)
		}
	}
	if all.Seed == second.Seed {
		t.Error("the quiz has its old seed")
	}
	if n := r.rows(`SELECT count(*) FROM quiz_answer`); n != 1 {
		t.Errorf("%d answers are kept, want 1", n)
	}
}

func TestWhatIsNotUnderstoodIsNotMarked(t *testing.T) {
	source := bankFile(t, "cap-and-deadline.yaml")
	r := newReader(t)
	q := r.open(source).Questions[0]
	for typed, want := range map[string]string{"": "empty", "soon": "not_a_number", "1,000": "thousands", "3 boxes": "unit"} {
		got := r.answer(source, q, typed).Marked
		if got == nil || got.Unclear != want || got.Key != "" || got.Answer != typed {
			t.Errorf("%q: %+v, want %s", typed, got, want)
		}
	}
	if n := r.rows(`SELECT count(*) FROM quiz_answer`); n != 0 {
		t.Errorf("%d answers are kept", n)
	}
	r.answer(source, q, "７５ ms")
	if got := r.open(source).Questions[0].Marked; got == nil || got.Answer != "７５ ms" || got.Key == "" || got.Work == "" {
		t.Errorf("%+v", got)
	}
}

func TestAChangedQuizKeepsTheOldAnswers(t *testing.T) {
	source := bankFile(t, "the-same-order-again.yaml")
	r := newReader(t)
	opened := r.open(source)
	for _, q := range opened.Questions[:2] {
		r.answer(source, q, "12345")
	}
	// A comment changes the file and no question.
	if again := r.open("# A comment.\n" + source); again.Questions[0].Marked == nil || again.Questions[1].Marked == nil {
		t.Error("a comment hides the answers")
	}
	changed := strings.Replace(source, "first: [10000, 12000]", "first: [11000, 12000]", 1)
	again := r.open(changed)
	if again.Questions[0].Marked != nil || again.Questions[1].Marked == nil {
		t.Error("an answer to a changed question is shown, or one to the same is not")
	}
	r.answer(changed, again.Questions[0], "777")
	if n, hashes := r.rows(`SELECT count(*) FROM quiz_answer`), r.rows(`SELECT count(DISTINCT quiz_hash) FROM quiz_answer`); n != 3 || hashes != 2 {
		t.Errorf("%d answers to %d contents, want 3 to 2", n, hashes)
	}
	if got := r.open(source).Questions[0].Marked; got == nil || got.Answer != "12345" {
		t.Errorf("the old content shows %+v", got)
	}
	if n := r.rows(`SELECT count(*) FROM quiz_answer WHERE at > 1600000000000`); n != 3 {
		t.Errorf("%d answers have a time", n)
	}
}

func TestAWrongAnswerNamesItsMisunderstanding(t *testing.T) {
	source := bankFile(t, "cap-and-deadline.yaml")
	r := newReader(t)
	named := 0
	for _, q := range r.open(source).Questions {
		solution := solve(t, source, q)
		for _, w := range solution.Wrong {
			text := w.Answer.Text
			for _, o := range solution.Options {
				if o.Mistake == w.Mistake {
					text = o.ID
				}
			}
			named++
			if m := r.answer(source, q, text).Marked; m.Mistake != w.Mistake || m.Right || m.Key == "" {
				t.Errorf("%s: %q is marked %+v, want %s", q.ID, text, m, w.Mistake)
			}
		}
	}
	if named == 0 {
		t.Error("no mistakes")
	}
}

func TestQuizRequestsThatCannotBeAnswered(t *testing.T) {
	source := bankFile(t, "cap-and-deadline.yaml")
	r := newReader(t)
	for _, c := range []struct {
		kind ask.Kind
		body any
		code string
	}{
		{ask.QuizOpen, ask.OpenQuiz{Source: "quiz: [", File: "q.yaml"}, ask.BadFile},
		{ask.QuizOpen, ask.OpenQuiz{Source: "quiz: a\ntitle: x\nquestions: [{id: a}]\n", File: "q.yaml"}, ask.BadFile},
		{ask.QuizOpen, ask.OpenQuiz{Source: "quiz: a\ntitle: x\nquestions:\n- {id: a, kind: choice, ask: x, key: {delay: {attempt: 1, base_ms: 1, cap_ms: 1, jitter: 1}}, options: [{value: 2, why: x}]}\n" +
			"- {id: b, kind: choice, ask: x, scenario: [{at: 0, run: {send: ok}, expect: {result: done}}], key: {step: 1, field: result}}\n", File: "q.yaml"}, ask.BadFile},
		{ask.QuizOpen, ask.OpenQuiz{Source: strings.Repeat("[", quiz.MaxFile+1), File: "q.yaml"}, ask.TooLarge},
		{ask.QuizAnswer, ask.AnswerQuiz{Source: source, File: "q.yaml", Question: "no-such"}, ask.BadRequest},
		{ask.QuizFresh, ask.FreshQuiz{Source: source, File: "q.yaml", Question: "no-such"}, ask.BadRequest},
		{ask.QuizOpen, "text", ask.BadRequest},
	} {
		reply := r.send(c.kind, c.body)
		if reply.Err == nil || reply.Err.Code != c.code || (c.code == ask.BadFile) != (len(reply.Err.Problems) > 0) {
			t.Errorf("%s %.80v: %v", c.kind, c.body, reply.Err)
		}
		if reply.Err == nil {
			continue
		}
		for _, p := range reply.Err.Problems {
			if p.File != "q.yaml" || p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
	}
	r.open(source) // the engine still answers
}

func TestAnArrangedQuestionIsAnsweredAndKept(t *testing.T) {
	const source = `quiz: arranged
title: {en: Arranged}
questions:
- {id: a, kind: order, ask: x, items: [first, {text: second, why: It comes second.}, third]}
- {id: b, kind: match, ask: x, pairs: [{text: one, with: odd}, {text: two, with: even, why: It is even.}], extra: [neither]}
`
	r := newReader(t)
	opened := r.open(source)
	order, pairs := opened.Questions[0], opened.Questions[1]
	if len(order.Options) != 3 || len(pairs.Rows) != 2 || len(pairs.Options) != 3 {
		t.Fatalf("%+v", opened)
	}
	id := func(options []ask.Option, text string) string {
		for _, o := range options {
			if o.Text == text {
				return o.ID
			}
		}
		t.Fatal("no", text)
		return ""
	}
	swapped := id(order.Options, "first") + " " + id(order.Options, "third") + " " + id(order.Options, "second")
	if m := r.answer(source, order, swapped).Marked; m.Right || m.Score < 0.3 || m.Score > 0.4 || len(m.Wrong) != 1 {
		t.Errorf("%+v", m)
	}
	odd := id(pairs.Options, "odd")
	both := id(pairs.Rows, "one") + "=" + odd + " " + id(pairs.Rows, "two") + "=" + odd
	if m := r.answer(source, pairs, both).Marked; m.Score != 0.5 || m.Wrong[id(pairs.Rows, "two")] != "It is even." {
		t.Errorf("%+v", m)
	}
	if m := r.answer(source, pairs, id(pairs.Rows, "one")+"="+odd).Marked; m.Unclear != quiz.UnclearRows {
		t.Errorf("%+v", m)
	}
	r.reload()
	again := r.open(source)
	if m := again.Questions[0].Marked; m == nil || m.Answer != swapped || !strings.Contains(m.Key, "first; second; third") {
		t.Errorf("%+v", m)
	}
}

func TestAnswersCanBeSavedToAFile(t *testing.T) {
	source := bankFile(t, "cap-and-deadline.yaml")
	r := newReader(t)
	save := func(student string) quiz.Progress {
		t.Helper()
		saved := answer[ask.Progress](r, ask.QuizProgress, ask.SaveProgress{Student: student})
		p, err := quiz.ReadProgress([]byte(saved.Text))
		if err != nil || len(p.Answers) != saved.Answers {
			t.Fatal(err, saved.Answers)
		}
		return p
	}
	if p := save(""); len(p.Answers) != 0 || p.SavedAt == 0 {
		t.Errorf("%+v", p)
	}
	q := r.open(source).Questions[0]
	r.answer(source, q, "1")
	r.answer(source, q, solve(t, source, q).Key.Text)
	r.reload()
	p := save("Aiko \u3042 \"x\"")
	if p.Student != "Aiko \u3042 \"x\"" || len(p.Answers) != 2 || p.Answers[0].Score != 0 || p.Answers[1].Score != 1 || p.Answers[1].Question != q.ID || p.Answers[1].QuizHash != quiz.HashOf([]byte(source)) {
		t.Errorf("%+v", p)
	}
}

func TestAQuizInBriefHasItsMarksAndNoOptions(t *testing.T) {
	source := bankFile(t, "crashes-and-leases.yaml")
	r := newReader(t)
	for _, q := range r.open(source).Questions[:2] {
		r.answer(source, q, q.Options[0].ID)
	}
	whole := r.open(source)
	brief := answer[ask.Quiz](r, ask.QuizOpen, ask.OpenQuiz{Source: source, File: "q.yaml", Lang: "en", Brief: true})
	if len(brief.Questions) != len(whole.Questions) {
		t.Fatal(len(brief.Questions))
	}
	for i, q := range brief.Questions {
		if len(q.Options) > 0 || !same(q.Marked, whole.Questions[i].Marked) || (q.Marked != nil) != (i < 2) {
			t.Errorf("%+v", q)
		}
	}
}
