package engine

import (
	"context"
	"database/sql"

	"retrylab/lab/ask"
	"retrylab/lab/memory"
	"retrylab/lab/scenario"
)

func init() { Handle(ask.ScenarioRun, scenarioRun) }

// scenarioRun plays every scenario of a text on a subject.
func scenarioRun(ctx context.Context, e *Engine, call *Call) (any, error) {
	var run ask.RunScenario
	if err := call.Decode(&run); err != nil {
		return nil, err
	}
	home, _ := e.playground(run.Home)
	make, err := subject(run.Subject, home)
	if err != nil {
		return nil, err
	}
	if run.File == "" {
		run.File = "scenario.yaml"
	}
	scenarios, err := scenario.Parse(run.File, []byte(run.Source))
	if err != nil {
		return nil, err
	}
	result := ask.ScenarioResult{Traces: []ask.Trace{}}
	for _, s := range scenarios {
		trace, err := scenario.Play(ctx, s, make)
		if err != nil {
			return nil, err
		}
		result.Traces = append(result.Traces, shownTrace(trace))
	}
	return result, nil
}

// playground is the home for scenarios: in memory unless the device is asked for and there.
func (e *Engine) playground(name string) (home scenario.Home, is string) {
	if name == ask.OPFS && e.home.Name() == ask.OPFS {
		return scratch{e.home}, ask.OPFS
	}
	return memory.Home{}, ask.Memory
}

// scratch makes databases on the device, one at a time, and deletes each afterwards.
type scratch struct{ home Home }

// Fresh removes first what an engine that died in the middle has left.
func (s scratch) Fresh(context.Context) (scenario.Database, error) {
	return s, s.home.Remove(scratchDatabase)
}

func (s scratch) Connect(context.Context) (*sql.DB, error) { return s.home.Connect(scratchDatabase) }
func (scratch) Several() bool                              { return false }
func (scratch) Transactions() bool                         { return true }
func (s scratch) Remove() error                            { return s.home.Remove(scratchDatabase) }

// shownTrace is a trace as a page gets it.
func shownTrace(t scenario.Trace) ask.Trace {
	shown := ask.Trace{Name: t.Scenario.Name, Policy: ask.Policy(t.Scenario.Policy), Pass: t.Pass, Where: t.Where, Steps: []ask.TracedStep{}}
	rows := map[string]*ask.Job{} // each job's latest row
	for _, played := range t.Steps {
		step := ask.TracedStep{No: played.No, At: played.Now, Text: cut(played.Step.Text, mostLine), Reached: played.Reached, Got: gotFields(played.Got)}
		for _, d := range played.Differences {
			step.Differs = append(step.Differs, ask.Difference{Field: d.Field, Want: cut(d.Want, mostLine), Got: cut(d.Got, mostLine)})
		}
		if played.Err != nil {
			step.Error = cut(played.Err.Error(), mostLine)
			if shown.Error == "" {
				shown.Error = step.Error
			}
		}
		if row := traceRow(played.Row); row != nil {
			step.Row, step.RowBefore = row, rows[row.ID]
			rows[row.ID] = row
		}
		shown.Steps = append(shown.Steps, step)
	}
	return shown
}

// gotFields are a result's fields as texts, nulls included.
func gotFields(result scenario.Result) (shown []ask.Field) {
	for _, f := range result {
		shown = append(shown, ask.Field{Name: f.Name, Value: cut(scenario.Show(f.Value), mostLine)})
	}
	return shown
}

// traceRow is the result of a job step as a row, nil when there is none.
func traceRow(r scenario.Result) *ask.Job {
	if r == nil || r.Get("id") == nil {
		return nil
	}
	number := func(name string) int64 {
		n, _ := r.Get(name).(int64)
		return n
	}
	row := &ask.Job{
		ID: cut(r.Text("id"), mostLine), Payload: cut(r.Text("payload"), mostLine), State: cut(r.Text("state"), mostLine),
		Attempts: number("attempts"), MaxAttempts: number("max_attempts"), AvailableAt: number("available_at"), Deadline: number("deadline"),
	}
	if n, ok := r.Get("lease_until").(int64); ok {
		row.LeaseUntil = &n
	}
	if s, ok := r.Get("last_error").(string); ok {
		s = cut(s, mostLine)
		row.LastError = &s
	}
	if s, ok := r.Get("dead_reason").(string); ok {
		s = cut(s, mostLine)
		row.DeadReason = &s
	}
	return row
}
