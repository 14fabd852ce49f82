package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/hunt"
)

func (p *page) hunts() ask.Hunts {
	p.t.Helper()
	return read[ask.Hunts](p, p.last(p.ask(ask.HuntList, nil)).Body)
}

func (p *page) hunt(no int, source string) ask.HuntPlayed {
	p.t.Helper()
	r := p.last(p.ask(ask.HuntPlay, ask.PlayHunt{No: no, Source: source}))
	if r.Err != nil {
		p.t.Fatal(r.Err)
	}
	return read[ask.HuntPlayed](p, r.Body)
}

// huntWinner is the text that wins a hunt.
func huntWinner(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "hunt", "testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAHuntIsWonAndKeptWithItsScenario(t *testing.T) {
	p := newPage(t)
	for _, h := range p.hunts().Hunts {
		if h.Won || h.GaveUp || h.Mutant != "" || h.Source != "" {
			t.Errorf("at first hunt %d is %+v", h.No, h)
		}
	}
	text := huntWinner(t, "mochi")
	played := p.hunt(2, text)
	if played.Verdict != ask.HuntWon || !played.Reference.Pass || played.Hunted == nil || played.Hunted.Pass || played.Hunted.Where != "2" {
		t.Errorf("%+v", played)
	}
	p.restart()
	if h := p.hunts().Hunts[1]; !h.Won || h.Mutant != "permanent_retried" || h.Source != text {
		t.Errorf("after a restart: %+v", h)
	}
	if h := p.hunts().Hunts[2]; h.Won || h.Mutant != "" {
		t.Errorf("another hunt: %+v", h)
	}
}

func TestWhatDoesNotWinAHunt(t *testing.T) {
	p := newPage(t)
	const head = "name: mine\nsteps:\n- {enqueue: {id: a, max_attempts: 3, deadline: 1000}}\n"
	for _, c := range []struct{ text, verdict, where string }{
		{head + "- {run: {send: ok}, expect: {result: done}}\n", ask.HuntMissed, ""},
		{head + "- {run: {send: permanent}}\n", ask.HuntExpectsNothing, ""},
		{head + "- {run: {send: permanent}, expect: {result: retry}}\n- {job: a}\n", ask.HuntReferenceFails, "2"},
	} {
		played := p.hunt(2, c.text)
		if played.Verdict != c.verdict || played.Reference.Where != c.where || played.Hunt.Mutant != "" || (played.Hunted != nil) != (c.verdict == ask.HuntMissed) {
			t.Errorf("%s: %+v", c.text, played)
		}
		if last := played.Given.Steps[len(played.Given.Steps)-1]; !last.Reached || len(last.Got) == 0 {
			t.Errorf("%s: the rules give nothing for step %s", c.text, last.No)
		}
	}
	if h := p.hunts().Hunts[1]; h.Won {
		t.Errorf("%+v", h)
	}
	r := p.last(p.ask(ask.HuntPlay, ask.PlayHunt{No: 2, Source: huntWinner(t, "mochi"), ReferenceOnly: true}))
	if played := read[ask.HuntPlayed](p, r.Body); played.Verdict != ask.HuntReferenceAgrees || played.Hunted != nil || played.Hunt.Mutant != "" {
		t.Errorf("on the reference only: %+v", played)
	}
}

func TestGivingUpTellsTheMisunderstandingAndAWinStaysAWin(t *testing.T) {
	p := newPage(t)
	give := func() ask.Hunt {
		return read[ask.Hunt](p, p.last(p.ask(ask.HuntGiveUp, ask.HuntNo{No: 1})).Body)
	}
	if h := give(); !h.GaveUp || h.Won || h.Mutant != "no_cap" {
		t.Errorf("%+v", h)
	}
	if played := p.hunt(1, huntWinner(t, "dango")); !played.Hunt.Won || !played.Hunt.GaveUp {
		t.Errorf("hunted again: %+v", played.Hunt)
	}
	give()
	if h := p.hunts().Hunts[0]; !h.Won || h.Source == "" {
		t.Errorf("a win is lost by giving up: %+v", h)
	}
	p.hunt(2, huntWinner(t, "mochi"))
	p.ask(ask.HuntGiveUp, ask.HuntNo{No: 2})
	if h := p.hunts().Hunts[1]; h.GaveUp {
		t.Errorf("what was won is given up: %+v", h)
	}
}

func TestBadHunts(t *testing.T) {
	p := newPage(t)
	for _, no := range []int{0, -1, len(hunt.All()) + 1} {
		if err := p.fails(ask.HuntPlay, ask.PlayHunt{No: no, Source: "x"}); err.Code != ask.BadRequest {
			t.Error(err)
		}
		if err := p.fails(ask.HuntGiveUp, ask.HuntNo{No: no}); err.Code != ask.BadRequest {
			t.Error(err)
		}
	}
	if err := p.fails(ask.HuntRead, ask.ReadHunt{Source: strings.Repeat("#", ask.MaxHuntSource+1)}); err.Code != ask.TooLarge {
		t.Error(err)
	}
	err := p.fails(ask.HuntRead, ask.ReadHunt{Source: "name: a\nsteps:\n- {jobs: a}\n"})
	if err.Code != ask.BadFile || len(err.Problems) != 1 || err.Problems[0].File != hunt.File || err.Problems[0].Line != 3 {
		t.Errorf("%+v", err)
	}
	if err := p.fails(ask.HuntPlay, ask.PlayHunt{No: 1, Source: "name: a\nsteps:\n- {enqueue: {id: a, max_attempts: 1, deadline: 9}}\n- {run: {takes: -1}}\n"}); err.Code != ask.BadFile {
		t.Error(err)
	}
}

func TestAScenarioIsTakenApart(t *testing.T) {
	p := newPage(t)
	r := p.last(p.ask(ask.HuntRead, ask.ReadHunt{Source: `name: "a: b"
policy: {jitter: 0, lease_ms: 1e3}
steps:
- enqueue:
    id: "5"
    max_attempts: true
    deadline: [1]
- at: 10
  run: {send: ok, during: [{claim: B, expect: {result: none}}, {stats: true}]}
- {job: "5", expect: {state: done, dead_reason: null}}
`}))
	got := read[ask.HuntForm](p, r.Body)
	if got.Name != "a: b" || !slices.Equal(got.Policy, []ask.Field{{Name: "jitter", Value: "0"}, {Name: "lease_ms", Value: "1e3"}}) || len(got.Steps) != 3 {
		t.Fatalf("%+v", got)
	}
	if s := got.Steps[0]; s.Do != "enqueue" || !slices.Equal(s.Fields, []ask.Field{{Name: "id", Value: `"5"`}, {Name: "max_attempts", Value: "true"}, {Name: "deadline", Value: "[1]"}}) {
		t.Errorf("%+v", s)
	}
	if s := got.Steps[1]; s.At != "10" || !slices.Equal(s.Fields, []ask.Field{{Name: "send", Value: "ok"}}) || len(s.During) != 2 ||
		s.During[0].Do != "claim" || !slices.Equal(s.During[0].Fields, []ask.Field{{Name: "worker", Value: "B"}}) ||
		!slices.Equal(s.During[0].Expect, []ask.Field{{Name: "result", Value: "none"}}) || s.During[1].Do != "stats" || s.During[1].Fields != nil {
		t.Errorf("%+v", s)
	}
	if s := got.Steps[2]; !slices.Equal(s.Fields, []ask.Field{{Name: "id", Value: `"5"`}}) || !slices.Equal(s.Expect, []ask.Field{{Name: "state", Value: "done"}, {Name: "dead_reason", Value: "null"}}) {
		t.Errorf("%+v", s)
	}
}
