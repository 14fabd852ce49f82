package web

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"retrylab/lab/ask"
)

func TestAQuizOpensAtTheFirstUnansweredQuestion(t *testing.T) {
	right := &ask.Marked{Answer: "50", Right: true, Score: 1}
	unclear := &ask.Marked{Answer: "fifty", Unclear: "not_a_number"}
	s := newQuizState()
	s.load(ask.Quiz{Questions: []ask.Question{{ID: "a", Marked: right}, {ID: "b", Marked: unclear}, {ID: "c"}}})
	if s.Shown != 2 || s.Drafts["a"] != "50" {
		t.Errorf("shown %d, drafts %v", s.Shown, s.Drafts)
	}
	if done, n := s.score(); done != 1 || n != 1 {
		t.Errorf("score %d %d", done, n)
	}
	if s.finished() {
		t.Error("finished with two open questions")
	}
}

func TestANewVariantForgetsTheOldDraft(t *testing.T) {
	s := newQuizState()
	s.load(ask.Quiz{Questions: []ask.Question{{ID: "a", Seed: 1}}})
	s.Drafts["a"], s.Hints["a"], s.Told["a"], s.Busy["a"] = "7", 2, true, true
	s.put(ask.Question{ID: "a", Seed: 1, Marked: &ask.Marked{Answer: "7"}})
	if s.Drafts["a"] != "7" || s.Hints["a"] != 2 || s.Busy["a"] {
		t.Errorf("marking lost something: %+v", s)
	}
	s.put(ask.Question{ID: "a", Seed: 2})
	if s.Drafts["a"] != "" || s.Hints["a"] != 0 || s.Told["a"] {
		t.Errorf("the new variant kept something: %+v", s)
	}
}

func TestMistakesAreNamedOnce(t *testing.T) {
	s := newQuizState()
	s.load(ask.Quiz{Questions: []ask.Question{
		{ID: "a", Marked: &ask.Marked{Mistake: "no_cap"}},
		{ID: "b", Marked: &ask.Marked{Right: true, Score: 1}},
		{ID: "c", Marked: &ask.Marked{Mistake: "zero_based"}},
		{ID: "d", Marked: &ask.Marked{Mistake: "no_cap"}},
		{ID: "e", Marked: &ask.Marked{Score: 0.5}},
	}})
	if got := s.mistakes(); !reflect.DeepEqual(got, []string{"no_cap", "zero_based"}) {
		t.Errorf("got %v", got)
	}
	if !s.finished() {
		t.Error("not finished")
	}
	if got := mark(s.Quiz.Questions[4]); got != "part" {
		t.Errorf("half a point is %q", got)
	}
}

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		text string
		want []span
	}{
		{"", nil},
		{"plain", []span{{Text: "plain"}}},
		{"`cap_ms` is 250", []span{{Text: "cap_ms", Code: true}, {Text: " is 250"}}},
		{"from `a` to `b`", []span{{Text: "from "}, {Text: "a", Code: true}, {Text: " to "}, {Text: "b", Code: true}}},
		{"a ` alone", []span{{Text: "a ` alone"}}},
		{"empty `` stays", []span{{Text: "empty `` stays"}}},
		{"<b>`<i>`", []span{{Text: "<b>"}, {Text: "<i>", Code: true}}},
	} {
		if got := spans(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
}

func FuzzSpansLoseNothing(f *testing.F) {
	for _, s := range []string{"", "`", "``", "a`b`c", "`a``b`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for _, s := range spans(text) {
			if s.Code {
				b.WriteString("`" + s.Text + "`")
			} else {
				b.WriteString(s.Text)
			}
		}
		if b.String() != text {
			t.Errorf("%q became %q", text, b.String())
		}
	})
}

func TestToggleAddsAndTakesAway(t *testing.T) {
	a := toggle(toggle("", "x"), "y")
	if a != "x y" || !chosen(a, "y") || chosen(a, "z") {
		t.Errorf("got %q", a)
	}
	if a = toggle(a, "x"); a != "y" {
		t.Errorf("got %q", a)
	}
}

func TestAnOrderBeginsAsItIsShown(t *testing.T) {
	s := newQuizState()
	order := ask.Question{ID: "a", Kind: "order", Options: []ask.Option{{ID: "x"}, {ID: "y"}, {ID: "z"}}}
	s.load(ask.Quiz{Questions: []ask.Question{order, {ID: "b", Kind: "match"}}})
	if s.Drafts["a"] != "x y z" || !s.canCheck(order) || s.canCheck(s.Quiz.Questions[1]) {
		t.Errorf("drafts %v", s.Drafts)
	}
	s.Drafts["a"] = moved(s.Drafts["a"], "z", -1)
	if s.Drafts["a"] != "x z y" {
		t.Error(s.Drafts["a"])
	}
	for _, c := range []struct {
		id   string
		by   int
		want string
	}{{"x", -1, "x z y"}, {"y", 1, "x z y"}, {"x", 1, "z x y"}, {"q", 1, "x z y"}} {
		if got := moved("x z y", c.id, c.by); got != c.want {
			t.Errorf("%s by %d: %s", c.id, c.by, got)
		}
	}
	order.Marked = &ask.Marked{Answer: "x z y", Wrong: map[string]string{"z": ""}}
	s.put(order)
	if s.Drafts["a"] != "x z y" {
		t.Errorf("marking lost the order: %v", s.Drafts)
	}
	order.Seed, order.Marked, order.Options = 7, nil, []ask.Option{{ID: "p"}, {ID: "q"}}
	s.put(order)
	if s.Drafts["a"] != "p q" {
		t.Errorf("a new variant begins with %q", s.Drafts["a"])
	}
}

func TestAMatchKeepsOneOptionForEachRow(t *testing.T) {
	a := match(match(match("", "r1", "x"), "r2", "y"), "r1", "z")
	if a != "r2=y r1=z" || matched(a, "r1") != "z" || matched(a, "r3") != "" {
		t.Error(a)
	}
	if a = match(a, "r2", ""); a != "r1=z" {
		t.Error(a)
	}
}

func TestAFaultInTheListOfQuizzesHasALine(t *testing.T) {
	for list, want := range map[string]int{
		"": 1, "{": 1, "{\n  \"files\": [\n    \"a.yaml\",\n  ]\n}": 4, "{\n\"files\": \"a.yaml\",\n\"titles\": {}\n}": 2, "{}\n{": 2, "[1]": 1,
	} {
		var index struct{ Files []string }
		err := json.Unmarshal([]byte(list), &index)
		if got := faultLine(list, err); err == nil || got != want {
			t.Errorf("%q: line %d, want %d (%v)", list, got, want, err)
		}
	}
}
