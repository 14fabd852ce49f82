package student

import (
	"context"
	"time"

	"retrylab/lab/check"
	"retrylab/lab/scenario"
)

// A Judge runs the lab's checks on a student's program.
type Judge struct {
	Program  Program
	Host     *Host
	Language Language
	Printed  func() string // what the code has printed since the last call; nil when nobody asks

	loaded string
}

// A Verdict is what came of one check.
type Verdict struct {
	Pass    bool
	Trace   scenario.Trace // of the scenario that failed, or else of the visible one
	Seed    uint64         // of the values that it failed on; 0 when they are the visible ones
	Source  string         // of the scenario in Trace
	Raised  *Raised        // the code's error that no step expected; nil when there was none
	Printed string
	Took    time.Duration
}

// Load gives the program its source, as [Load] does.
func (j *Judge) Load(source string) error {
	j.loaded = source
	return Load(j.Program, source)
}

// Check plays a check on the program that is loaded: first with the visible values, then, when that
// passes, with values drawn from a seed, so that code that knows the visible ones by heart is found
// out. The error is a fault of the check, or ctx's end.
func (j *Judge) Check(ctx context.Context, c check.Check, seed uint64) (v Verdict, err error) {
	began := time.Now()
	defer func() {
		v.Took = time.Since(began)
		if j.Printed != nil {
			v.Printed = j.Printed()
		}
	}()
	if v, err = j.play(ctx, c); err != nil || !v.Pass || seed == 0 || c.Source == "" {
		return v, err
	}
	visible := v
	varied, err := c.Vary(seed)
	if err != nil {
		return v, err
	}
	if v, err = j.play(ctx, varied); err != nil || v.Pass {
		return visible, err
	}
	v.Seed = seed
	return v, nil
}

func (j *Judge) play(ctx context.Context, c check.Check) (Verdict, error) {
	trace, err := scenario.Play(ctx, asked(c.Scenario), New(j.Program, j.Host, j.Language))
	v := Verdict{Pass: trace.Pass, Trace: trace, Source: c.Source}
	for _, step := range trace.Steps {
		if r, ok := raised(step.Err, "", rejected, conflict, leaseLost, clockBack, sentError, missing, died, other); ok {
			v.Raised = r
		}
	}
	return v, err
}
