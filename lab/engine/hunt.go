package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"retrylab/lab/ask"
	"retrylab/lab/hunt"
	"retrylab/lab/memory"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

func init() {
	Handle(ask.HuntList, huntList)
	Handle(ask.HuntRead, huntRead)
	Handle(ask.HuntPlay, huntPlay)
	Handle(ask.HuntGiveUp, huntGiveUp)
}

// A page knows the same bound.
var _ = [1]int{}[ask.MaxHuntSource-hunt.MaxSource]

// huntActions are the steps that a scenario can have.
var huntActions = []string{"enqueue", "run", "claim", "complete", "fail", "extend", "requeue", "purge", "restart", "job", "stats", "delay"}

// A huntKept is how far a person has come with a hunt, as it is kept.
type huntKept struct {
	Won    bool   `json:"won,omitempty"`
	GaveUp bool   `json:"gave_up,omitempty"`
	Source string `json:"source,omitempty"`
}

// huntKey is where a hunt's huntKept is kept: by the name, so that hunts may change their places.
func huntKey(h hunt.Hunt) string { return "hunt/" + h.Name }

// keptHunt reads how far a person has come. What cannot be read counts as nothing.
func (e *Engine) keptHunt(ctx context.Context, h hunt.Hunt) (kept huntKept, err error) {
	value, err := e.kept(ctx, huntKey(h))
	if err == nil && value != "" && json.Unmarshal([]byte(value), &kept) != nil {
		kept = huntKept{}
	}
	return kept, err
}

func (e *Engine) keepHunt(ctx context.Context, h hunt.Hunt, kept huntKept) error {
	var value strings.Builder
	encoder := json.NewEncoder(&value)
	encoder.SetEscapeHTML(false) // a text full of < would grow beyond what is kept
	if err := encoder.Encode(kept); err != nil {
		return err
	}
	return e.keep(ctx, huntKey(h), value.String())
}

// shownHunt is a hunt as a page gets it: without the misunderstanding until it is found or given up.
func shownHunt(no int, h hunt.Hunt, kept huntKept) ask.Hunt {
	shown := ask.Hunt{No: no, Name: h.Name, Level: h.Level, Hints: hunt.Hints, Won: kept.Won, GaveUp: kept.GaveUp, Source: kept.Source}
	if kept.Won || kept.GaveUp {
		shown.Mutant = h.Mutant
	}
	return shown
}

func huntList(ctx context.Context, e *Engine, _ *Call) (any, error) {
	list := ask.Hunts{Fields: map[string][]string{}}
	for _, action := range huntActions {
		list.Fields[action] = scenario.ResultFields(action)
	}
	for i, h := range hunt.All() {
		kept, err := e.keptHunt(ctx, h)
		if err != nil {
			return nil, err
		}
		list.Hunts = append(list.Hunts, shownHunt(i+1, h, kept))
	}
	return list, nil
}

// huntOf is the hunt of a number.
func huntOf(no int) (hunt.Hunt, error) {
	all := hunt.All()
	if no < 1 || no > len(all) {
		return hunt.Hunt{}, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("there is no hunt %d", no)}
	}
	return all[no-1], nil
}

// readHunt reads a scenario within the bounds.
func readHunt(text string) (*scenario.Scenario, source.Node, error) {
	if len(text) > hunt.MaxSource {
		return nil, source.Node{}, &ask.Error{Code: ask.TooLarge, Detail: fmt.Sprintf("a scenario of %d bytes, at most %d are read", len(text), hunt.MaxSource)}
	}
	return hunt.Read(text)
}

func huntRead(_ context.Context, _ *Engine, call *Call) (any, error) {
	var read ask.ReadHunt
	if err := call.Decode(&read); err != nil {
		return nil, err
	}
	_, node, err := readHunt(read.Source)
	if err != nil {
		return nil, err
	}
	return huntForm(node), nil
}

func huntPlay(ctx context.Context, e *Engine, call *Call) (any, error) {
	var play ask.PlayHunt
	if err := call.Decode(&play); err != nil {
		return nil, err
	}
	h, err := huntOf(play.No)
	if err != nil {
		return nil, err
	}
	s, _, err := readHunt(play.Source)
	if err != nil {
		return nil, err
	}
	kept, err := e.keptHunt(ctx, h)
	if err != nil {
		return nil, err
	}
	given, err := hunt.Reference(ctx, hunt.Given(s), memory.Home{})
	if err != nil {
		return nil, err
	}
	reference, err := hunt.Reference(ctx, s, memory.Home{})
	if err != nil {
		return nil, err
	}
	played := ask.HuntPlayed{Given: shownTrace(given), Reference: shownTrace(reference)}
	switch {
	case !reference.Pass:
		played.Verdict = ask.HuntReferenceFails
	case play.ReferenceOnly:
		played.Verdict = ask.HuntReferenceAgrees
	case !hunt.Expects(s.Steps):
		played.Verdict = ask.HuntExpectsNothing
	default:
		hunted, err := h.Play(ctx, s, memory.Home{})
		if err != nil {
			return nil, err
		}
		trace := shownTrace(hunted)
		played.Verdict, played.Hunted = ask.HuntMissed, &trace
		if !hunted.Pass {
			played.Verdict, kept.Won, kept.Source = ask.HuntWon, true, play.Source
			if err := e.keepHunt(ctx, h, kept); err != nil {
				return nil, err
			}
		}
	}
	played.Hunt = shownHunt(play.No, h, kept)
	return played, nil
}

func huntGiveUp(ctx context.Context, e *Engine, call *Call) (any, error) {
	var which ask.HuntNo
	if err := call.Decode(&which); err != nil {
		return nil, err
	}
	h, err := huntOf(which.No)
	if err != nil {
		return nil, err
	}
	kept, err := e.keptHunt(ctx, h)
	if err != nil {
		return nil, err
	}
	if !kept.Won {
		kept.GaveUp = true
		if err := e.keepHunt(ctx, h, kept); err != nil {
			return nil, err
		}
	}
	return shownHunt(which.No, h, kept), nil
}

// huntForm takes a scenario that parses apart.
func huntForm(n source.Node) ask.HuntForm {
	form := ask.HuntForm{Steps: []ask.HuntStep{}}
	for _, e := range n.Entries {
		switch e.Key {
		case "name":
			form.Name = e.Value.Text
		case "policy":
			form.Policy = flowFields(e.Value)
		case "steps":
			form.Steps = huntSteps(e.Value)
		}
	}
	return form
}

func huntSteps(n source.Node) []ask.HuntStep {
	steps := make([]ask.HuntStep, 0, len(n.Items))
	for _, item := range n.Items {
		var step ask.HuntStep
		for _, e := range item.Entries {
			switch e.Key {
			case "at":
				step.At = e.Value.Flow()
			case "expect":
				step.Expect = flowFields(e.Value)
			default:
				step.Do = e.Key
				step.Fields = huntFields(e.Key, e.Value)
				if during, ok := e.Value.Get("during"); ok {
					step.During = huntSteps(during)
				}
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// huntFields are the values of an action; a single one gets the name of what it is.
func huntFields(action string, n source.Node) []ask.Field {
	switch action {
	case "claim", "complete", "extend":
		return []ask.Field{{Name: "worker", Value: n.Flow()}}
	case "job":
		return []ask.Field{{Name: "id", Value: n.Flow()}}
	case "restart", "stats":
		return nil
	}
	return flowFields(n)
}

// flowFields are the entries of a map but during.
func flowFields(n source.Node) (fields []ask.Field) {
	for _, e := range n.Entries {
		if e.Key != "during" {
			fields = append(fields, ask.Field{Name: e.Key, Value: e.Value.Flow()})
		}
	}
	return fields
}
