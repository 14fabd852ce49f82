package web

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
	"retrylab/lab/file"
)

type huntHome string

func (huntHome) Name() string { return ask.OPFS }

func (h huntHome) Connect(database string) (*sql.DB, error) {
	return file.Open(filepath.Join(string(h), database))
}

func (h huntHome) Remove(database string) error {
	return file.Remove(filepath.Join(string(h), database))
}

// huntAsker asks an engine as the page does.
func huntAsker(t *testing.T) func(kind ask.Kind, body any) ask.Reply {
	t.Helper()
	e, err := engine.New(context.Background(), huntHome(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return func(kind ask.Kind, body any) (last ask.Reply) {
		t.Helper()
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		e.Answer(t.Context(), ask.Request{ID: 1, Kind: kind, Body: raw}, func(r ask.Reply) { last = r })
		return last
	}
}

// unquoted is the text inside of quotes, or "".
func unquoted(s string) (text string) {
	json.Unmarshal([]byte(s), &text)
	return text
}

// newHunt is a state with the list of hunts and the first one open.
func newHunt(t *testing.T, asks func(ask.Kind, any) ask.Reply) huntState {
	t.Helper()
	list, ok := decode[ask.Hunts](asks(ask.HuntList, nil).Body)
	if !ok || len(list.Hunts) == 0 {
		t.Fatal("no hunts")
	}
	s := huntState{List: list, Loaded: true}
	s.open(1, "mine")
	return s
}

// reads has the engine read the text.
func (s *huntState) reads(t *testing.T, asks func(ask.Kind, any) ask.Reply) {
	t.Helper()
	r := asks(ask.HuntRead, ask.ReadHunt{Source: s.Text})
	form, ok := decode[ask.HuntForm](r.Body)
	if r.Err == nil && !ok {
		t.Fatalf("%s", r.Body)
	}
	s.read(s.Text, &form, r.Err)
}

// plain are a form's steps without their keys and empty parts.
func plainSteps(steps []huntStep) (out []huntStep) {
	for _, s := range steps {
		s = s.clone()
		s.Key, s.During = 0, plainSteps(s.During)
		for name, value := range s.Fields {
			if value == "" {
				delete(s.Fields, name)
			}
		}
		if len(s.Expect) == 0 {
			s.Expect = nil
		}
		out = append(out, s)
	}
	return out
}

func TestTheFormWritesATextThatReadsBackAsTheSameForm(t *testing.T) {
	asks := huntAsker(t)
	s := newHunt(t, asks)
	s.Form.Name = "a name: with # signs, \"quotes\" and 3 < 4"
	s.Form.Policy = map[string]string{"jitter": "0", "lease_ms": "1e3"}
	for _, a := range huntActions {
		key := s.add(0, a.Name)
		for _, name := range s.List.Fields[a.Name] {
			s.change(key, func(step *huntStep) { step.Expect = append(step.Expect, ask.Field{Name: name, Value: "1"}) })
		}
	}
	run := s.Form.Steps[1].Key
	for _, a := range huntActions {
		if a.Name != "restart" {
			s.add(run, a.Name)
		}
	}
	for i, typed := range []string{"true", "Infinity", "NaN", "1e400", "\"3\"", "2.5", "null", "[1]", "{}", "-5", "a, b", "{", "x: y", "it's", "# no", "[attempt, base_ms]", "- a", "-", "~", "ü 3", "a\\b", "<b>", "two boxes"} {
		key := s.add(0, "enqueue")
		s.change(key, func(step *huntStep) { step.Fields["payload"], step.At = typed, whole(i) })
	}
	before := s.Form.clone()
	s.typed(s.Text)
	s.reads(t, asks)
	if s.Fault != nil || s.Ahead {
		t.Fatalf("%v in\n%s", s.Fault, s.Text)
	}
	for i, step := range s.Form.Steps {
		// What was typed as text that YAML reads as something else comes back in quotes.
		if want := before.Steps[i].Fields["payload"]; want != "" && step.Fields["payload"] != want && unquoted(step.Fields["payload"]) != want {
			t.Errorf("%q came back as %q", want, step.Fields["payload"])
		}
		before.Steps[i].Fields["payload"] = step.Fields["payload"]
	}
	if got, want := plainSteps(s.Form.Steps), plainSteps(before.Steps); !reflect.DeepEqual(got, want) || s.Form.Name != before.Name || !reflect.DeepEqual(s.Form.Policy, before.Policy) {
		t.Errorf("%+v\n%+v", got, want)
	}
	again := s.Form.source()
	s.typed(again)
	s.reads(t, asks)
	if s.Form.source() != again {
		t.Errorf("the text is not stable:\n%s\n%s", again, s.Form.source())
	}
}

func TestEveryStepOfTheFormParsesAsItStarts(t *testing.T) {
	asks := huntAsker(t)
	for _, a := range huntActions {
		s := newHunt(t, asks)
		s.add(0, a.Name)
		s.typed(s.Text)
		if s.reads(t, asks); s.Fault != nil {
			t.Errorf("%s: %v", a.Name, s.Fault.Problems)
		}
		if len(s.List.Fields[a.Name]) == 0 {
			t.Errorf("nothing can be expected of %s", a.Name)
		}
	}
	if len(huntActions) != len(newHunt(t, asks).List.Fields) {
		t.Error("the form and the engine know other steps")
	}
}

func TestATextThatCannotBeReadLocksTheFormAndLosesNothing(t *testing.T) {
	asks := huntAsker(t)
	s := newHunt(t, asks)
	was := s.Form.source()
	s.typed("name: mine\nsteps:\n- {enqeue: {}}\n")
	s.reads(t, asks)
	if !s.locked() || s.Form.source() != was || len(s.Fault.Problems) != 1 || s.Fault.Problems[0].Line != 3 || s.Fault.Problems[0].Column != 4 {
		t.Errorf("%+v", s.Fault)
	}
	s.typed("name: other\nsteps:\n- {job: b}\n")
	s.read("an older text", nil, &ask.Error{Code: ask.BadFile})
	if s.reads(t, asks); s.locked() || s.Ahead || s.Form.Name != "other" || s.Form.Steps[0].Fields["id"] != "b" {
		t.Errorf("%+v", s.Form)
	}
}

func TestWhatTheRulesGiveIsTakenOverAndWins(t *testing.T) {
	asks := huntAsker(t)
	s := newHunt(t, asks)
	s.open(2, "mine")
	play := func() ask.HuntPlayed {
		t.Helper()
		played, ok := decode[ask.HuntPlayed](asks(ask.HuntPlay, ask.PlayHunt{No: s.No, Source: s.Text}).Body)
		if !ok {
			t.Fatal("no answer")
		}
		s.show(played, s.Text)
		return played
	}
	run := s.Form.Steps[1].Key
	s.change(run, func(step *huntStep) { step.Fields["send"] = "permanent" })
	if p := play(); p.Verdict != ask.HuntExpectsNothing {
		t.Error(p.Verdict)
	}
	s.expect(run)
	if e := s.Form.Steps[1].Expect; !slices.Equal(e, []ask.Field{{Name: "result", Value: "dead"}}) {
		t.Errorf("%v", e)
	}
	s.rename(run, 0, "reason")
	if e := s.Form.Steps[1].Expect; !slices.Equal(e, []ask.Field{{Name: "reason", Value: "permanent"}}) {
		t.Errorf("%v", e)
	}
	s.takeAll()
	if !strings.Contains(s.Text, "expect: {result: created, state: pending, reason: null}") || !strings.Contains(s.Text, "expect: {result: dead, reason: permanent, id: a}") {
		t.Errorf("%s", s.Text)
	}
	if p := play(); p.Verdict != ask.HuntWon {
		t.Error(p.Verdict)
	}
	if h, _ := s.find(2); !h.Won || h.Mutant != "permanent_retried" || !s.told(h) {
		t.Errorf("%+v", h)
	}
	if next, ok := s.next(2); !ok || next.No != 3 {
		t.Errorf("after hunt 2 comes %+v", next)
	}
	if next, ok := s.next(len(s.List.Hunts)); !ok || next.No != 1 {
		t.Errorf("after the last hunt comes %+v", next)
	}
	if next, ok := s.next(1); !ok || next.No != 3 {
		t.Errorf("after hunt 1 comes %+v", next)
	}
	if won, all := s.count(); won != 1 || all != len(s.List.Hunts) {
		t.Error(won, all)
	}
	s.change(run, func(step *huntStep) { step.Fields["send"] = "ok" })
	if s.gives() != nil || !s.stale() {
		t.Error("the rules give this to another scenario")
	}
	s.undo() // the take
	if s.take(run); len(s.Form.Steps[1].Expect) != 3 {
		t.Errorf("%v", s.Form.Steps[1].Expect)
	}
}

func TestWhatTheRulesGiveToATextIsGivenToTheFormThatReadsIt(t *testing.T) {
	asks := huntAsker(t)
	s := newHunt(t, asks)
	s.typed("name: typed\nsteps:\n- {stats: true}\n")
	played, _ := decode[ask.HuntPlayed](asks(ask.HuntPlay, ask.PlayHunt{No: 1, Source: s.Text, ReferenceOnly: true}).Body)
	s.show(played, s.Text)
	if s.gives() != nil {
		t.Error("the form has not read the text yet")
	}
	s.reads(t, asks)
	if len(s.gives()["1"]) != len(s.List.Fields["stats"]) {
		t.Errorf("%v", s.gives())
	}
}

func TestChangesOfTheFormAreTakenBack(t *testing.T) {
	s := newHunt(t, huntAsker(t))
	text := s.Text
	run := s.Form.Steps[1].Key
	for name, change := range map[string]func(){
		"add":    func() { s.add(0, "job") },
		"during": func() { s.add(run, "claim") },
		"remove": func() { s.remove(run) },
		"up":     func() { s.up(run) },
		"do":     func() { s.do(run, "stats") },
		"expect": func() { s.expect(run) },
	} {
		change()
		if s.Text == text {
			t.Errorf("%s changes nothing", name)
		}
		if s.undo(); s.Text != text || s.Form.source() != text {
			t.Errorf("%s is not taken back:\n%s", name, s.Text)
		}
	}
	if s.canUndo() {
		t.Error("there is more to take back")
	}
	for range 2 * maxHuntPast {
		s.add(0, "job")
	}
	if len(s.past) != maxHuntPast {
		t.Errorf("%d are kept", len(s.past))
	}
}

func TestADraftAndALinkHoldTheScenario(t *testing.T) {
	s := newHunt(t, huntAsker(t))
	s.typed("name: ü\nsteps: []\n")
	s.Hints, s.Again = 2, true
	kept := s.draft()
	s.open(1, "mine")
	if !s.restore(s.draft(), 3) || s.Ahead {
		t.Error("a draft of what is there is none, or changes something")
	}
	if !s.restore(kept, 3) || !s.Again || s.Text != "name: ü\nsteps: []\n" || !s.Ahead || s.Hints != 2 {
		t.Errorf("%+v", s)
	}
	s.typed(strings.Repeat("<", ask.MaxHuntSource))
	if size := len(s.draft()); size > 64<<10 {
		t.Errorf("a draft of %d bytes is not kept", size)
	}
	for _, bad := range []string{"", "{", `"x"`, `{"source":""}`} {
		s.open(1, "mine")
		if text := s.Text; s.restore(bad, 3) || s.Text != text {
			t.Errorf("%q is restored", bad)
		}
	}
	if got, ok := huntShare.text(huntShare.fragment("name: ü\n")); !ok || got != "name: ü\n" {
		t.Errorf("%q", got)
	}
	if got, ok := huntShare.text("checks"); !ok || got != "" {
		t.Error("another fragment is no scenario")
	}
	if huntShare.fragment(strings.Repeat("a", maxHuntLink)) == "" || huntShare.fragment(strings.Repeat("a", maxHuntLink+1)) != "" {
		t.Error("the limit of a link")
	}
	for _, bad := range []string{"s=", "s=%%", "s=" + strings.Repeat("A", 3*maxHuntLink), "s=_w", "s=YQBi"} {
		if got, ok := huntShare.text(bad); ok {
			t.Errorf("%.20s gives %q", bad, got)
		}
	}
}
