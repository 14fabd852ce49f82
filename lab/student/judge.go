package student

import (
	"context"
	"errors"
	"slices"
	"time"

	"retrylab/lab/check"
	"retrylab/lab/scenario"
)

// A Judge runs the lab's checks on a student's program.
type Judge struct {
	Program  Program
	Host     *Host
	Language Language

	database *database

	seed  uint64
	drawn map[string]check.Check // the checks varied by that seed, by their slugs
}

// A Verdict is what came of one check.
type Verdict struct {
	Pass    bool
	Trace   *scenario.Trace // of the scenario that failed, or else of the visible one; nil when nobody wanted it
	Seed    uint64          // of the values that it failed on; 0 when they are the visible ones
	Source  string          // of the scenario in Trace
	Raised  *Raised         // the code's error that no step expected; nil when there was none
	Printed string
	Took    time.Duration
}

// Load gives the program its source. The error is a [*Raised]: what does not parse, with its line; or
// a fault of the judge's own.
func (j *Judge) Load(source string) error {
	if j.database == nil {
		d, err := newDatabase()
		if err != nil {
			return err
		}
		j.database = d
	}
	j.database.program()
	return j.Host.load(j.Program, source)
}

// Subject makes a subject of the program that is loaded. One must be closed before the next is made.
func (j *Judge) Subject(_ context.Context, policy scenario.Policy) (scenario.Subject, error) {
	return &subject{
		program: j.Program, host: j.Host, language: j.Language, policy: policy, database: j.database,
		claims: map[string]claim{}, sends: map[string]int64{}, payloads: map[string]string{},
	}, nil
}

// Check plays a check on the program that is loaded: first with the visible values, then, when that
// passes, with values drawn from a seed, so that code that knows the visible ones by heart is found
// out. Seed 0 draws none. What fails is played again for its trace, with the jobs' rows; what passes has
// a trace only when rows are wanted. The error is a fault of the check, ctx's end, or an [*Ended].
func (j *Judge) Check(ctx context.Context, c check.Check, seed uint64, rows bool) (v Verdict, err error) {
	began := time.Now()
	defer func() {
		v.Took = time.Since(began)
		v.Printed = j.Host.Printed()
		if j.Host.ended != nil {
			err = j.Host.ended
		}
	}()
	v, err = j.play(ctx, c, rows)
	if err != nil || !v.Pass || seed == 0 || c.Source == "" {
		return v, err
	}
	varied, err := j.varied(c, seed)
	if err != nil {
		return v, err
	}
	if w, err := j.play(ctx, varied, false); err != nil || !w.Pass {
		w.Seed = seed
		return w, err
	}
	return v, nil
}

// varied keeps the checks of one seed: to draw them takes longer than to play them.
func (j *Judge) varied(c check.Check, seed uint64) (check.Check, error) {
	if j.seed != seed || j.drawn == nil {
		j.seed, j.drawn = seed, map[string]check.Check{}
	}
	if drawn, ok := j.drawn[c.Slug]; ok {
		return drawn, nil
	}
	drawn, err := c.Vary(seed)
	if err == nil {
		j.drawn[c.Slug] = drawn
	}
	return drawn, err
}

func (j *Judge) play(ctx context.Context, c check.Check, rows bool) (Verdict, error) {
	if !rows {
		began := time.Now()
		trace, err := scenario.Play(ctx, asked(c.Scenario), j.Subject, scenario.WithoutRows)
		if err != nil || trace.Pass {
			return Verdict{Pass: trace.Pass}, err
		}
		if time.Since(began) > patience || !hasRows(c.Scenario) {
			return j.failed(c, trace), nil
		}
	}
	j.Host.Printed() // it will be printed again
	trace, err := scenario.Play(ctx, asked(c.Scenario), j.Subject)
	return j.failed(c, trace), err
}

// patience is how long a scenario may have taken to be played a second time.
const patience = 300 * time.Millisecond

// hasRows says whether a scenario is about jobs, whose rows its trace could show.
func hasRows(s *scenario.Scenario) bool {
	return slices.ContainsFunc(s.Steps, func(step scenario.Step) bool {
		_, delay := step.Action.(scenario.Delay)
		return !delay
	})
}

// failed is the verdict with a trace, as a rule of what failed.
func (j *Judge) failed(c check.Check, trace scenario.Trace) Verdict {
	v := Verdict{Pass: trace.Pass, Trace: &trace, Source: c.Source}
	for _, step := range trace.Steps {
		var r *Raised
		if errors.As(step.Err, &r) {
			v.Raised = r
		}
		// A TypeError may be a rejection or a slip of the code: where nobody wanted one, its line helps.
		if n := j.Host.noted; n != nil && len(step.Differences) > 0 && step.Differences[0].Field == "result" && step.Got.Get("raised") == n.Error() {
			v.Raised = n
		}
	}
	return v
}
