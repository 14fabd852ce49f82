package quiz_test

import (
	"maps"
	"strings"
	"testing"

	"retrylab/quiz"
)

const marking = head + `
- {id: valued, kind: number, unit: ms, ask: x, key: {value: 2.50}, options: [{value: 3, why: w is wrong.}]}
- {id: long, kind: number, unit: ms, ask: x, key: {value: 1.50e-29}, options: [{value: 3e2, why: w is wrong.}]}
- {id: layered, kind: number, unit: calls, ask: x, key: {calls: [3, 3, 3]}, options: [{value: 9, why: w is wrong.}]}
- {id: ordered, kind: order, ask: x, items: [i1, {text: i2, why: w2 is wrong.}, i3, i4]}
- {id: matched, kind: match, ask: x, pairs: [{text: i1, with: r1}, {text: i2, with: r2, why: w2 is wrong.}, {text: i3, with: r1}], extra: [r3]}
- {id: exactly, kind: number, unit: ms, ask: x, given: {attempt: 3, base_ms: 100, cap_ms: 250, jitter: 0.5}, key: delay, mistakes: [no_cap, jitter_before_cap, zero_based]}
- {id: edge-right, kind: number, unit: ms, ask: x, tolerance: {within: 2.5, edge: right}, given: {attempt: 3, base_ms: 100, cap_ms: 250, jitter: 0.5}, key: delay, mistakes: [no_cap]}
- {id: edge-wrong, kind: number, unit: ms, ask: x, tolerance: {within: 2.5, edge: wrong}, given: {attempt: 3, base_ms: 100, cap_ms: 250, jitter: 0.5}, key: delay, mistakes: [no_cap]}
- {id: within-nothing, kind: number, unit: ms, ask: x, tolerance: {within: 0, edge: wrong}, given: {attempt: 3, base_ms: 100, cap_ms: 250, jitter: 0.5}, key: delay}
- id: all
  kind: choices
  ask: x
  options:
  - {text: r1, right: true}
  - {text: r2, right: true, why: "{{r2}} is right."}
  - {text: w1, why: w1 is wrong.}
  - {text: w2, why: w2 is wrong.}
- id: one
  kind: choice
  ask: x
  options:
  - {text: r, right: true}
  - {text: w, why: w is wrong.}
- id: from-engine
  kind: choice
  ask: x
  scenario:
  - {at: 0, enqueue: {id: cake-1, max_attempts: 1, deadline: 50}}
  - {at: 7, run: {send: retryable}}
  key: {job: cake-1, field: [state, dead_reason]}
  mistakes: [one_attempt_too_many, deadline_before_exhausted]
  options: [{value: "leased, null", why: It is not.}]
`

func TestMarks(t *testing.T) {
	q := parse(t, marking)
	s := newSolver(t)
	for _, c := range []struct {
		question, answer string // of options: their texts
		want             quiz.Marked
	}{
		{"valued", "2,5 ms", quiz.Marked{Score: 1, Right: true}},
		{"valued", "3", quiz.Marked{Why: "w is wrong."}},
		{"long", "0.000000000000000000000000000015", quiz.Marked{Score: 1, Right: true}},
		{"long", "300", quiz.Marked{Why: "w is wrong."}},
		{"layered", "27", quiz.Marked{Score: 1, Right: true}},
		{"layered", "9", quiz.Marked{Why: "w is wrong."}},

		// The pairs that stand the right way round, less the others, of all.
		{"ordered", "i1 i2 i3 i4", quiz.Marked{Score: 1, Right: true}},
		{"ordered", "i2 i1 i3 i4", quiz.Marked{Score: 4. / 6, Wrong: map[string]string{"i1": ""}}},
		{"ordered", "i2 i3 i4 i1", quiz.Marked{Wrong: map[string]string{"i1": ""}}},
		{"ordered", "i1 i3 i4 i2", quiz.Marked{Score: 2. / 6, Wrong: map[string]string{"i2": "w2 is wrong."}}},
		{"ordered", "i4 i3 i2 i1", quiz.Marked{Wrong: map[string]string{"i1": "", "i3": "", "i2": "w2 is wrong."}}},
		{"ordered", "i1 i2 i3", quiz.Marked{Unclear: "rows"}},
		{"ordered", "i1 i2 i3 i3", quiz.Marked{Unclear: "not_an_option"}},
		{"ordered", "i1 i2 i3 i4 i5", quiz.Marked{Unclear: "not_an_option"}},
		{"ordered", "", quiz.Marked{Unclear: "empty"}},

		{"matched", "i1=r1 i2=r2 i3=r1", quiz.Marked{Score: 1, Right: true}},
		{"matched", "i3=r3 i1=r1 i2=r1", quiz.Marked{Score: 1. / 3, Wrong: map[string]string{"i2": "w2 is wrong.", "i3": ""}}},
		{"matched", "i1=r1 i2=r2", quiz.Marked{Unclear: "rows"}},
		{"matched", "i1=r1 i1=r1 i2=r2 i3=r1", quiz.Marked{Unclear: "not_an_option"}},
		{"matched", "i1=r1 i2=r2 i3=i1", quiz.Marked{Unclear: "not_an_option"}},
		{"matched", "i1 i2 i3", quiz.Marked{Unclear: "not_an_option"}},
		{"matched", " ", quiz.Marked{Unclear: "empty"}},

		{"exactly", "125", quiz.Marked{Score: 1, Right: true}},
		{"exactly", " １２５ ms", quiz.Marked{Score: 1, Right: true}},
		{"exactly", "0.125 s", quiz.Marked{Score: 1, Right: true}},
		{"exactly", "200", quiz.Marked{Mistake: "no_cap"}}, // jitter_before_cap gives 200 too: the first is named
		{"exactly", "126", quiz.Marked{}},
		{"exactly", "-125", quiz.Marked{}},
		{"exactly", "125.0000001", quiz.Marked{}},
		{"exactly", "1,250", quiz.Marked{Unclear: "thousands"}},
		{"exactly", "?", quiz.Marked{Unclear: "not_a_number"}},

		{"edge-right", "127.5", quiz.Marked{Score: 1, Right: true}},
		{"edge-right", "122,5", quiz.Marked{Score: 1, Right: true}},
		{"edge-right", "127.6", quiz.Marked{}},
		{"edge-right", "200", quiz.Marked{Mistake: "no_cap"}},
		{"edge-right", "202.5", quiz.Marked{Mistake: "no_cap"}},
		{"edge-wrong", "127.5", quiz.Marked{}},
		{"edge-wrong", "127.49", quiz.Marked{Score: 1, Right: true}},
		{"edge-wrong", "125", quiz.Marked{Score: 1, Right: true}},
		{"within-nothing", "125", quiz.Marked{Score: 1, Right: true}},

		{"all", "r1 r2", quiz.Marked{Score: 1, Right: true, Why: "{r2} is right."}},
		{"all", "r2 r1 r1", quiz.Marked{Score: 1, Right: true, Why: "{r2} is right."}},
		{"all", "r1", quiz.Marked{Score: 0.5}},
		{"all", "w1", quiz.Marked{Why: "w1 is wrong.", Wrong: map[string]string{"w1": "w1 is wrong."}}},
		{"all", "r1 w1", quiz.Marked{Why: "w1 is wrong.", Wrong: map[string]string{"w1": "w1 is wrong."}}},
		{"all", "r1 r2 w1", quiz.Marked{Score: 0.5, Why: "{r2} is right. w1 is wrong.", Wrong: map[string]string{"w1": "w1 is wrong."}}},
		{"all", "r1 r2 w1 w2", quiz.Marked{Why: "{r2} is right. w1 is wrong. w2 is wrong.", Wrong: map[string]string{"w1": "w1 is wrong.", "w2": "w2 is wrong."}}},
		{"all", "", quiz.Marked{Unclear: "empty"}},
		{"all", "r1 o123", quiz.Marked{Unclear: "not_an_option"}},

		{"one", "r", quiz.Marked{Score: 1, Right: true}},
		{"one", "w", quiz.Marked{Why: "w is wrong."}},
		{"one", "r w", quiz.Marked{Unclear: "not_an_option"}},
		{"one", "zzz", quiz.Marked{Unclear: "not_an_option"}},

		{"from-engine", "`dead, exhausted`", quiz.Marked{Score: 1, Right: true}},
		{"from-engine", "`dead, deadline`", quiz.Marked{Mistake: "one_attempt_too_many"}},
		{"from-engine", "`leased, null`", quiz.Marked{Why: "It is not."}},
	} {
		question, ok := q.Question(c.question)
		if !ok {
			t.Fatal(c.question)
		}
		v := question.Variant(5)
		solution, err := s.Solve(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{} // of options and rows, by their texts
		for _, o := range solution.Options {
			ids[solution.OptionText(o, "en")] = o.ID
		}
		for _, r := range solution.Rows {
			ids[solution.RowText(r, "en")] = r.ID
		}
		wrong := map[string]string{}
		for text, why := range c.want.Wrong {
			wrong[ids[text]] = why
		}
		answer := c.answer
		if question.Kind != quiz.Number {
			// One text may have a space in it; then it is the only one.
			texts := strings.Fields(c.answer)
			if strings.HasPrefix(c.answer, "`") {
				texts = []string{c.answer}
			}
			answer = ""
			for _, text := range texts {
				row, option, pair := strings.Cut(text, "=")
				if pair {
					answer += ids[row] + "=" + ids[option] + " "
				} else if id, known := ids[text]; known {
					answer += id + " "
				} else {
					answer += text + " "
				}
			}
			answer = strings.TrimSpace(answer)
		}
		got, err := s.Mark(t.Context(), v, answer, "en")
		if err != nil {
			t.Fatal(err)
		}
		whys := got.Why
		if c.question == "all" { // their order is the seed's
			whys = sortedSentences(whys)
		}
		if got.Answer != answer || got.Score != c.want.Score || got.Right != c.want.Right || got.Mistake != c.want.Mistake || whys != c.want.Why || got.Unclear != c.want.Unclear || !maps.Equal(got.Wrong, wrong) {
			t.Errorf("%s %q: got %+v, want %+v", c.question, c.answer, got, c.want)
		}
		if (got.Key == "") != (got.Unclear != "") {
			t.Errorf("%s %q: the key is %q", c.question, c.answer, got.Key)
		}
	}
}

func sortedSentences(s string) string {
	order := []string{"{r2} is right.", "w1 is wrong.", "w2 is wrong."}
	var out []string
	for _, sentence := range order {
		if strings.Contains(s, sentence) {
			out = append(out, sentence)
		}
	}
	return strings.Join(out, " ")
}

func TestTheEngineSaysHowTheKeyComesAbout(t *testing.T) {
	q := parse(t, marking)
	s := newSolver(t)
	for id, want := range map[string]string{
		"exactly":     "min(250, 100 * 2^2) = 250; floor(250 * 0.5) = 125",
		"from-engine": "at 0 enqueue: created, state pending; at 7 run: dead, reason exhausted",
		"one":         "",
	} {
		question, _ := q.Question(id)
		m, err := s.Mark(t.Context(), question.Variant(1), "125", "en")
		if question.Kind == quiz.Choice {
			solution, _ := s.Solve(t.Context(), question.Variant(1))
			m, err = s.Mark(t.Context(), question.Variant(1), solution.Options[0].ID, "en")
		}
		if err != nil || m.Work != want {
			t.Errorf("%s: got %q %v, want %q", id, m.Work, err, want)
		}
	}
}

func TestATextFallsBackToTheFilesOwnLanguage(t *testing.T) {
	q := parse(t, `quiz: languages
title: {ja: 待ち時間, en: Waiting}
questions:
- {id: a, kind: choice, ask: {ru: p, en: e, ja: j}, hints: [{ru: p, en: e}, all], options: [{text: "1", right: true}, {text: "2", why: x}]}
`)
	a := q.Questions[0]
	for _, c := range []struct{ got, want string }{
		{q.Title.In("en", nil), "Waiting"},
		{q.Title.In("fr", nil), "待ち時間"},
		{q.Title.In("en-GB", nil), "Waiting"}, // the language without its region
		{a.Ask.In("ru", nil), "p"},
		{a.Ask.In("fr", nil), "j"},
		{a.Hints[0].In("en", nil), "e"},
		{a.Hints[0].In("ja", nil), "p"}, // not there in the file's own language either: the first
		{a.Hints[1].In("ja", nil), "all"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
