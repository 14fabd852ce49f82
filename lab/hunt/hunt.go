// Package hunt is the bug hunt: queues with one misunderstanding each, behind a neutral name. A
// scenario that holds on the reference and fails on such a queue has found it.
//
// A new hunt is a line in all, a scenario that wins it in testdata/NAME.yaml, and its words in the
// catalogue: hunt.stall.NAME and hunt.hint.NAME.1 to 3.
package hunt

import (
	"context"
	"fmt"

	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// A Hunt is one queue to be found out.
type Hunt struct {
	Name   string // a stall of the festival: stable, and tells nothing
	Mutant string // what is misunderstood
	Level  int    // 1 to 3
}

// Hints is the number of hints of every hunt; the last one names the idea.
const Hints = 3

// all are in rising difficulty. The first level needs one rule and a step or two, the second a rule's
// edge or two rules that meet, the third several workers, a crash or time that passes in a send.
var all = []Hunt{
	{"dango", "no_cap", 1},
	{"mochi", "permanent_retried", 1},
	{"taiyaki", "deadline_inclusive_at_enqueue", 1},
	{"senbei", "due_exclusive", 1},
	{"daifuku", "one_attempt_too_many", 1},

	{"yokan", "reenqueue_moves_deadline", 2},
	{"manju", "jitter_before_cap", 2},
	{"castella", "retry_after_shortens", 2},
	{"dorayaki", "deadline_inclusive_at_fail", 2},
	{"anmitsu", "requeue_resets_attempts", 2},

	{"warabi", "waits_from_start", 3},
	{"monaka", "refunds_crash", 3},
	{"konpeito", "late_result_refused", 3},
	{"karinto", "unfenced_extend", 3},
	{"kakigori", "head_blocks_queue", 3},
	{"amezaiku", "lock_held_during_send", 3},
}

// All are the hunts, in rising difficulty. They count from 1.
func All() []Hunt { return all }

// Bounds of a scenario.
const (
	MaxSource = 16 << 10 // bytes
	MaxSteps  = 60       // those inside during count too
)

// File is what a scenario's text is called in the problems of [Read].
const File = "scenario.yaml"

// Read reads the one scenario of a text. The error joins a [*source.Problem] for each fault.
func Read(text string) (*scenario.Scenario, source.Node, error) {
	documents, err := source.Documents(File, []byte(text), MaxSource)
	if err != nil {
		return nil, source.Node{}, err
	}
	switch len(documents) {
	case 0:
		return nil, source.Node{}, &source.Problem{File: File, Line: 1, Column: 1, Message: "there is no scenario, expected name and steps"}
	case 1:
	default:
		return nil, source.Node{}, documents[1].Problem("a second scenario, expected one")
	}
	s, err := scenario.ParseNode(documents[0])
	if err != nil {
		return nil, source.Node{}, err
	}
	steps := 0
	for _, step := range s.Steps {
		steps += 1 + len(step.During)
		if steps > MaxSteps {
			return nil, source.Node{}, &source.Problem{File: step.File, Line: step.Line, Column: step.Column,
				Message: fmt.Sprintf("a scenario of more than %d steps, expected fewer", MaxSteps)}
		}
	}
	return s, documents[0], nil
}

// Expects says whether any step expects anything. A scenario that does not can only fail where a queue
// breaks.
func Expects(steps []scenario.Step) bool {
	for _, s := range steps {
		if len(s.Expect) > 0 || Expects(s.During) {
			return true
		}
	}
	return false
}

// Given is a scenario without its expectations: played on the reference, each step gets the result that
// the rules give.
func Given(s *scenario.Scenario) *scenario.Scenario {
	bare := *s
	bare.Steps = unexpecting(s.Steps)
	return &bare
}

func unexpecting(steps []scenario.Step) []scenario.Step {
	bare := make([]scenario.Step, len(steps))
	for i, s := range steps {
		s.Expect, s.During = nil, unexpecting(s.During)
		bare[i] = s
	}
	return bare
}

// Reference plays a scenario on the reference.
func Reference(ctx context.Context, s *scenario.Scenario, home scenario.Home) (scenario.Trace, error) {
	make, _ := mutant.Subject("", home)
	return scenario.Play(ctx, s, make)
}

// Play plays a scenario on the hunted queue.
func (h Hunt) Play(ctx context.Context, s *scenario.Scenario, home scenario.Home) (scenario.Trace, error) {
	make, ok := mutant.Subject(h.Mutant, home)
	if !ok {
		return scenario.Trace{Scenario: s}, fmt.Errorf("hunt %s: there is no mutant %s", h.Name, h.Mutant)
	}
	return scenario.Play(ctx, s, make)
}
