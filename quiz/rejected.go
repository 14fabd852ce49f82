package quiz

import (
	"context"
	"slices"

	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// A rejection is a step of a scenario that the reference rejects though nothing in the question is about
// that: mostly a slip in one of the step's values, which shows far from it, or not at all.
type rejection struct {
	no      string
	problem *source.Problem
	late    bool // each value is right by itself, only not here and now
}

// rejectionOf is the first unmeant rejection of a trace, nil for none. It is meant where the step expects
// a result, or where the key is the step's result.
func (v Variant) rejectionOf(trace scenario.Trace, why []*retry.RejectedError) *rejection {
	for _, step := range trace.Steps {
		if step.Got.Text("result") != "rejected" {
			continue
		}
		names, _ := step.Got.Get("names").([]string)
		at := slices.IndexFunc(why, func(w *retry.RejectedError) bool { return slices.Equal(w.Names(), names) })
		if at < 0 {
			continue
		}
		reason := why[at]
		why = why[at+1:]
		expected := slices.ContainsFunc(step.Step.Expect, func(e scenario.Expectation) bool { return e.Field == "result" || e.Field == "names" })
		key := v.Question.Key
		asked := key.Step == step.No && slices.Contains(key.Fields, "result")
		if expected || asked {
			continue
		}
		node := source.Node{File: step.Step.File, Line: step.Step.Line, Column: step.Step.Column}
		r := &rejection{no: step.No, late: true}
		for _, bad := range reason.Bad {
			r.late = r.late && (bad.Fault == retry.FaultLate || bad.Fault == retry.FaultNoRoom || bad.Fault == retry.FaultState)
		}
		r.problem = node.Problem("step %s is %v%s; if that is what you ask about, write expect: {result: rejected} in the step", step.No, reason, v.with())
		return r
	}
	return nil
}

// A listener is a reference that keeps why steps were rejected, in their order; the trace has names only.
type listener struct {
	scenario.Doer
	reference *scenario.Reference
	why       *[]*retry.RejectedError
}

func (l listener) Close() error { return l.reference.Close() }

func (l listener) Do(ctx context.Context, call scenario.Call) (scenario.Result, error) {
	if sent := call.Sent; sent != nil {
		call.Sent = func(ctx context.Context, others scenario.Doer) { sent(ctx, listener{others, l.reference, l.why}) }
	}
	got, err := l.Doer.Do(ctx, call)
	if why := l.reference.Rejected(); why != nil && err == nil && got.Text("result") == "rejected" {
		*l.why = append(*l.why, why)
	}
	return got, err
}
