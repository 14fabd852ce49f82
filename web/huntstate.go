package web

import (
	"encoding/json"
	"slices"

	"retrylab/lab/ask"
)

// A huntState is the bug hunt's page without its looks: the hunts, and the scenario for the open one.
// The scenario's text is what counts. The form writes it, and reads it again when it was changed by hand.
type huntState struct {
	List   ask.Hunts
	Loaded bool
	No     int // the open hunt; 0 is the list

	Form  huntForm
	Text  string
	Ahead bool       // the text was changed by hand, and the form has not read it
	Fault *ask.Error // why the text cannot be read

	Hints  int  // so many are open
	Again  bool // hunted again: what was given up is hidden
	Linked bool // the scenario came with a link
	Busy   string
	Played *ask.HuntPlayed
	Err    *ask.Error // of the last play

	played   string                 // the text that Played is about
	given    map[string][]ask.Field // what the rules give, by step
	givenFor string                 // the form without expectations that they belong to
	lastKey  int
	past     []huntPast
}

// A huntPast is a scenario that can be brought back.
type huntPast struct {
	form  huntForm
	text  string
	ahead bool
}

// maxHuntPast is how many changes can be taken back.
const maxHuntPast = 50

// find is a hunt by its number.
func (s *huntState) find(no int) (ask.Hunt, bool) {
	for _, h := range s.List.Hunts {
		if h.No == no {
			return h, true
		}
	}
	return ask.Hunt{}, false
}

// put takes over how far a person has come with a hunt.
func (s *huntState) put(h ask.Hunt) {
	for i := range s.List.Hunts {
		if s.List.Hunts[i].No == h.No {
			s.List.Hunts[i] = h
		}
	}
}

// count is how many hunts are won.
func (s *huntState) count() (won, all int) {
	for _, h := range s.List.Hunts {
		if h.Won {
			won++
		}
	}
	return won, len(s.List.Hunts)
}

// next is the first hunt after a number that is neither won nor given up, around the end; ok is false
// when there is none.
func (s *huntState) next(no int) (next ask.Hunt, ok bool) {
	for i := range s.List.Hunts {
		if h := s.List.Hunts[(no+i)%len(s.List.Hunts)]; h.Mutant == "" && h.No != no {
			return h, true
		}
	}
	return ask.Hunt{}, false
}

// told says whether the open hunt's misunderstanding is shown: it is won, or given up for good.
func (s *huntState) told(h ask.Hunt) bool { return h.Mutant != "" && (h.Won || !s.Again) }

// open begins a hunt with a scenario to start from.
func (s *huntState) open(no int, name string) {
	*s = huntState{List: s.List, Loaded: s.Loaded, No: no, lastKey: s.lastKey}
	s.fresh(name)
}

// fresh puts the scenario to start from in the form's place.
func (s *huntState) fresh(name string) {
	s.Form = huntForm{Name: name, Policy: map[string]string{}, Steps: []huntStep{s.step("enqueue"), s.step("run")}}
	s.written()
}

func (s *huntState) step(do string) huntStep {
	s.lastKey++
	return newHuntStep(s.lastKey, do)
}

// written makes the text what the form says.
func (s *huntState) written() { s.Text, s.Ahead = s.Form.source(), false }

// save keeps the scenario as it is, to be brought back by undo.
func (s *huntState) save() {
	s.past = append(s.past, huntPast{s.Form.clone(), s.Text, s.Ahead})
	if len(s.past) > maxHuntPast {
		s.past = slices.Delete(s.past, 0, 1)
	}
}

func (s *huntState) canUndo() bool { return len(s.past) > 0 }

// undo brings back the scenario before the last change that was saved.
func (s *huntState) undo() {
	if last := len(s.past) - 1; last >= 0 {
		s.Form, s.Text, s.Ahead = s.past[last].form, s.past[last].text, s.past[last].ahead
		s.past, s.Fault, s.Linked = s.past[:last], nil, false
	}
}

// typed takes over the text as it was changed by hand.
func (s *huntState) typed(text string) { s.Text, s.Ahead = text, true }

// locked says whether the form must wait: what it would write would take the place of a text that it
// could not read.
func (s *huntState) locked() bool { return s.Ahead && s.Fault != nil }

// read is what the engine says of a text: its parts, or why it has none. Words about a text that is no
// longer there are dropped.
func (s *huntState) read(text string, form *ask.HuntForm, fault *ask.Error) {
	if text != s.Text {
		return
	}
	s.Fault = fault
	if fault == nil && form != nil && s.Ahead {
		s.Form, s.Ahead = s.formOf(*form), false
	}
	s.bind()
}

func (s *huntState) formOf(read ask.HuntForm) huntForm {
	form := huntForm{Name: read.Name, Policy: map[string]string{}}
	for _, f := range read.Policy {
		form.Policy[f.Name] = f.Value
	}
	form.Steps = s.stepsOf(read.Steps)
	return form
}

func (s *huntState) stepsOf(read []ask.HuntStep) []huntStep {
	var steps []huntStep
	for _, r := range read {
		s.lastKey++
		step := huntStep{Key: s.lastKey, At: r.At, Do: r.Do, Fields: map[string]string{}, Expect: r.Expect, During: s.stepsOf(r.During)}
		for _, f := range r.Fields {
			step.Fields[f.Name] = f.Value
		}
		steps = append(steps, step)
	}
	return steps
}

// place is the list that holds a step, and where in it; the step's number as 2 or 2.1.
func (s *huntState) place(key int) (list *[]huntStep, at int, no string) {
	for i := range s.Form.Steps {
		if s.Form.Steps[i].Key == key {
			return &s.Form.Steps, i, whole(i + 1)
		}
		for j := range s.Form.Steps[i].During {
			if s.Form.Steps[i].During[j].Key == key {
				return &s.Form.Steps[i].During, j, whole(i+1) + "." + whole(j+1)
			}
		}
	}
	return nil, 0, ""
}

// change changes a step. The text follows.
func (s *huntState) change(key int, do func(step *huntStep)) {
	if list, at, _ := s.place(key); list != nil {
		do(&(*list)[at])
		s.written()
	}
}

// add puts a step at the end, or into the send of the run with a key, and returns the new step's key.
func (s *huntState) add(into int, do string) int {
	s.save()
	step := s.step(do)
	if into == 0 {
		s.Form.Steps = append(s.Form.Steps, step)
		s.written()
	} else {
		s.change(into, func(run *huntStep) { run.During = append(run.During, step) })
	}
	return step.Key
}

// remove takes a step away.
func (s *huntState) remove(key int) {
	if list, at, _ := s.place(key); list != nil {
		s.save()
		*list = slices.Delete(*list, at, at+1)
		s.written()
	}
}

// up moves a step before the one above it.
func (s *huntState) up(key int) {
	if list, at, _ := s.place(key); list != nil && at > 0 {
		s.save()
		(*list)[at-1], (*list)[at] = (*list)[at], (*list)[at-1]
		s.written()
	}
}

// do makes a step do something else. What it expected belonged to what it did.
func (s *huntState) do(key int, action string) {
	s.save()
	s.change(key, func(step *huntStep) {
		s.lastKey++
		at := step.At
		*step = newHuntStep(s.lastKey, action)
		step.At = at
	})
}

// show takes over what a play of a text has shown.
func (s *huntState) show(p ask.HuntPlayed, text string) {
	s.Played, s.Err, s.Busy, s.played = &p, nil, "", text
	s.put(p.Hunt)
	s.given, s.givenFor = map[string][]ask.Field{}, ""
	for _, step := range p.Given.Steps {
		if step.Reached {
			s.given[step.No] = step.Got
		}
	}
	s.bind()
}

// bind notes which form the rules have given their results to, once the form has the played text.
func (s *huntState) bind() {
	if s.Played != nil && s.givenFor == "" && !s.Ahead && s.Text == s.played {
		s.givenFor = s.Form.bare()
	}
}

// stale says whether the scenario was changed since it was played.
func (s *huntState) stale() bool { return s.Played != nil && s.Text != s.played }

// gives is what the rules give for each step, as long as the form is what was played.
func (s *huntState) gives() map[string][]ask.Field {
	if s.givenFor == "" || s.Ahead || s.Form.bare() != s.givenFor {
		return nil
	}
	return s.given
}

// take makes a step expect what the rules give.
func (s *huntState) take(key int) {
	_, _, no := s.place(key)
	if got := s.gives()[no]; len(got) > 0 {
		s.save()
		s.change(key, func(step *huntStep) { step.Expect = slices.Clone(got) })
	}
}

// takeAll makes every step expect what the rules give.
func (s *huntState) takeAll() {
	gives := s.gives()
	if len(gives) == 0 {
		return
	}
	s.save()
	each := func(steps []huntStep, prefix string) {
		for i := range steps {
			if got := gives[prefix+whole(i+1)]; len(got) > 0 {
				steps[i].Expect = slices.Clone(got)
			}
		}
	}
	each(s.Form.Steps, "")
	for i := range s.Form.Steps {
		each(s.Form.Steps[i].During, whole(i+1)+".")
	}
	s.written()
}

// unexpected are the fields that a step could still expect.
func (s *huntState) unexpected(step huntStep) []string {
	return slices.DeleteFunc(slices.Clone(s.List.Fields[step.Do]), func(name string) bool {
		return slices.ContainsFunc(step.Expect, func(e ask.Field) bool { return e.Name == name })
	})
}

// expect adds an expectation: the first field that has none, with what the rules give.
func (s *huntState) expect(key int) {
	list, at, no := s.place(key)
	if list == nil {
		return
	}
	if left := s.unexpected((*list)[at]); len(left) > 0 {
		s.save()
		s.change(key, func(step *huntStep) {
			step.Expect = append(step.Expect, ask.Field{Name: left[0], Value: fieldValue(s.gives()[no], left[0])})
		})
	}
}

// rename makes expectation i of a step one of another field, with what the rules give.
func (s *huntState) rename(key, i int, name string) {
	_, _, no := s.place(key)
	value := fieldValue(s.gives()[no], name)
	s.change(key, func(step *huntStep) {
		if i < len(step.Expect) {
			step.Expect[i] = ask.Field{Name: name, Value: value}
		}
	})
}

// unexpect takes expectation i of a step away.
func (s *huntState) unexpect(key, i int) {
	s.save()
	s.change(key, func(step *huntStep) {
		if i < len(step.Expect) {
			step.Expect = slices.Delete(step.Expect, i, i+1)
		}
	})
}

func fieldValue(fields []ask.Field, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// A huntDraft is what is kept of a hunt that is not won yet.
type huntDraft struct {
	Source string `json:"source"`
	Hints  int    `json:"hints,omitempty"`
	Again  bool   `json:"again,omitempty"`
}

// huntDraftKey is where a hunt's draft is kept.
func huntDraftKey(name string) string { return "hunt-draft/" + name }

func (s *huntState) draft() string { return compactJSON(huntDraft{s.Text, s.Hints, s.Again}) }

// restore takes over a kept draft; what cannot be read changes nothing. It reports whether there was
// one.
func (s *huntState) restore(value string, hints int) bool {
	var d huntDraft
	if value == "" || json.Unmarshal([]byte(value), &d) != nil {
		return false
	}
	s.Hints, s.Again = max(0, min(d.Hints, hints)), d.Again
	if d.Source != "" && d.Source != s.Text {
		s.typed(d.Source)
	}
	return d.Source != ""
}

// maxHuntLink is how many bytes of a scenario go into a link, or come out of one.
const maxHuntLink = 4 << 10

// huntShare is a scenario in a link.
var huntShare = textLink{key: "s=", most: maxHuntLink}
