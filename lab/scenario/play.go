package scenario

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/source"
)

// A Subject can do the steps of one scenario, on a database of its own. Time is told with each call.
type Subject interface {
	Doer
	// Close ends the subject and removes its database.
	Close() error
}

// A Doer does one step and returns its result. An error is one that is no listed result.
type Doer interface {
	Do(ctx context.Context, call Call) (Result, error)
}

// A Call is one step to be done.
type Call struct {
	Now    int64 // the clock
	Action Action
	// Sent is called by a Run inside its send, exactly once for each send, with the doer of the other
	// processes: it plays what they do meanwhile. It may be nil.
	Sent func(ctx context.Context, others Doer)
	// After is the clock's reading after the send of a Run.
	After int64
	// Expect is what will be compared. A subject for which other fields of the result are dear may leave
	// them out.
	Expect []Expectation
	// Held, when set, is called by a Run inside its send. It may take its time: the Run and the clock's
	// reading that it returns say how this send ends, in place of Action and After. Only the
	// [Reference] asks it.
	Held func(ctx context.Context, claim queue.Claim) (Run, int64)
}

// A Maker makes a subject with an empty database for a scenario's policy.
type Maker func(ctx context.Context, policy Policy) (Subject, error)

// A Trace is a scenario as it was played on a subject.
type Trace struct {
	Scenario *Scenario
	Pass     bool
	Steps    []PlayedStep // up to the first difference, inner steps in their place
	Where    string       // the number of the step with the first difference, such as 2 or 2.1
	Why      string       // the first difference in English: field: wanted X, got Y
}

// A PlayedStep is a step with what came of it.
type PlayedStep struct {
	No          string // 1, 2, 2.1: steps count from 1
	Step        *Step
	Now         int64 // the clock when the step was done
	Reached     bool
	Got         Result
	Differences []Difference
	Err         error  // an error that is no listed result
	Row         Result // the job's row afterwards, of a step that names a job
}

// A Difference is a field whose value was not the wanted one, both as they would stand in a file.
type Difference struct {
	Field, Want, Got string
}

func (d Difference) String() string { return d.Field + ": wanted " + d.Want + ", got " + d.Got }

// An Option changes how a scenario is played.
type Option func(*player)

// WithoutRows leaves the job's row after each step out of the trace: reading it takes as long as the step.
func WithoutRows(p *player) { p.noRows = true }

// Play runs a scenario on a new subject, up to the first difference. The error is a fault of the file
// that only shows while it runs ([*source.Problem]), ctx's end, or a subject that could not be made.
func Play(ctx context.Context, s *Scenario, make Maker, options ...Option) (Trace, error) {
	subject, err := make(ctx, s.Policy)
	if err != nil {
		return Trace{Scenario: s}, err
	}
	trace, err := PlayOn(ctx, s, subject, options...)
	return trace, errors.Join(err, subject.Close())
}

// PlayOn is [Play] on a subject that stays open, so that a caller may ask it more afterwards.
func PlayOn(ctx context.Context, s *Scenario, subject Subject, options ...Option) (Trace, error) {
	p := &player{subject: subject, ids: map[string]string{}}
	for _, option := range options {
		option(p)
	}
	_, pass := p.play(ctx, subject, s.Steps, "", 0)
	trace := Trace{Scenario: s, Pass: pass && p.fault == nil, Steps: p.played, Where: p.where, Why: p.why}
	return trace, errors.Join(p.fault, ctx.Err())
}

type player struct {
	subject    Subject
	ids        map[string]string // the job that a worker holds
	played     []PlayedStep
	where, why string
	fault      error
	noRows     bool
}

// play does the steps from a clock on and returns the clock after them, and whether all went as
// expected.
func (p *player) play(ctx context.Context, doer Doer, steps []Step, prefix string, clock int64) (int64, bool) {
	for i := range steps {
		step := &steps[i]
		if step.HasAt {
			clock = step.At
		}
		var pass bool
		clock, pass = p.step(ctx, doer, step, prefix+strconv.Itoa(i+1), clock)
		if !pass {
			for j := i + 1; j < len(steps); j++ {
				p.played = append(p.played, PlayedStep{No: prefix + strconv.Itoa(j+1), Step: &steps[j]})
			}
			return clock, false
		}
		if p.fault != nil || ctx.Err() != nil {
			return clock, false
		}
	}
	return clock, true
}

func (p *player) step(ctx context.Context, doer Doer, step *Step, no string, now int64) (clock int64, pass bool) {
	at := len(p.played)
	p.played = append(p.played, PlayedStep{No: no, Step: step, Now: now, Reached: true})
	call := Call{Now: now, Action: step.Action, After: now, Expect: step.Expect}
	clock = now
	sends, innerPass := 0, true
	if run, ok := step.Action.(Run); ok {
		call.After = min(retry.Max, now+run.Takes)
		call.Sent = func(ctx context.Context, others Doer) {
			sends++
			if call.After < 0 {
				p.fault = &source.Problem{File: step.File, Line: step.Line, Column: step.Column,
					Message: fmt.Sprintf("step %s: takes %d makes the second clock reading %d, expected 0 or more", no, run.Takes, call.After)}
				return
			}
			clock = max(now, call.After)
			if sends == 1 {
				_, innerPass = p.play(ctx, others, step.During, no+".", now)
			}
		}
	}
	got, err := doer.Do(ctx, call)
	if p.fault != nil {
		return clock, false
	}
	var differences []Difference
	if err != nil {
		got = nil
		for _, e := range step.Expect {
			differences = append(differences, Difference{e.Field, e.Want.Text, "an error"})
		}
	} else {
		for _, e := range step.Expect {
			if value := got.Get(e.Field); !e.Want.Equal(value) {
				differences = append(differences, Difference{e.Field, e.Want.Text, Show(value)})
			}
		}
		if sends > 1 {
			differences = append(differences, Difference{"sends", "1", strconv.Itoa(sends)})
		}
		if sends == 0 && len(step.During) > 0 {
			differences = append(differences, Difference{"during", "played", "not played"})
		}
	}
	played := &p.played[at]
	played.Got, played.Err, played.Differences = got, err, differences
	if id, ok := p.jobOf(step.Action, got); ok && !p.noRows && ctx.Err() == nil {
		// Only for the eye: a subject that cannot show the row has said so in the step's own result.
		played.Row, _ = doer.Do(ctx, Call{Now: now, Action: Job{ID: id}})
	}
	switch {
	case !innerPass:
		return clock, false // an inner step told where and why
	case err != nil:
		p.where, p.why = no, "error: "+err.Error()
	case len(differences) > 0:
		p.where, p.why = no, differences[0].String()
	default:
		return clock, true
	}
	return clock, false
}

// jobOf is the id of the job that a step was about.
func (p *player) jobOf(action Action, got Result) (id string, ok bool) {
	switch a := action.(type) {
	case Enqueue:
		return a.ID.Text()
	case Requeue:
		return a.ID.Text()
	case Claim:
		if id, ok = got.Get("id").(string); ok {
			p.ids[a.Worker] = id
		}
		return id, ok
	case Complete:
		id, ok = p.ids[a.Worker]
	case Fail:
		id, ok = p.ids[a.Worker]
	case Extend:
		id, ok = p.ids[a.Worker]
	case Run:
		id, ok = got.Get("id").(string)
	}
	return id, ok
}
