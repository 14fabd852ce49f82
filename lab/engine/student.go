package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"retrylab/lab/ask"
	"retrylab/lab/check"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/lab/student"
)

func init() {
	Handle(ask.StudentRun, studentRun)
	Handle(ask.StudentTry, studentTry)
}

// Judging makes an engine without a database, beside an interpreter: it answers nothing but questions
// about a student's program.
func Judging(_ context.Context, judge *student.Judge) *Engine { return &Engine{judge: judge} }

// judged is the judge with a program loaded. fault is what the program raised meanwhile.
func (e *Engine) judged(source string) (fault *student.Raised, err error) {
	if e.judge == nil {
		return nil, &ask.Error{Code: ask.BadRequest, Detail: "no interpreter runs beside this engine"}
	}
	err = e.judge.Load(source)
	if r, ok := err.(*student.Raised); ok {
		return r, nil
	}
	return nil, err
}

// studentRun runs the checks one by one, and tells of each when it has ended and which one comes next: whoever
// waits can see which one never ends.
func studentRun(ctx context.Context, e *Engine, call *Call) (any, error) {
	var run ask.RunStudent
	if err := call.Decode(&run); err != nil {
		return nil, err
	}
	start := time.Now()
	fault, err := e.judged(run.Source)
	if err != nil {
		return nil, err
	}
	summary := ask.StudentSummary{Load: shownRaised(fault), Printed: e.judge.Host.Printed()}
	if fault != nil {
		return summary, nil
	}
	checks := student.Checks(e.judge.Language)
	for _, slug := range run.Checks {
		if !slices.ContainsFunc(checks, func(c check.Check) bool { return c.Slug == slug }) {
			return nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("there is no check %q for %s", slug, e.judge.Language)}
		}
	}
	if len(run.Checks) > 0 {
		checks = slices.DeleteFunc(checks, func(c check.Check) bool { return !slices.Contains(run.Checks, c.Slug) })
	}
	call.More(ask.StudentCheck{Next: checks[0].Slug})
	for i, c := range checks {
		v, err := e.judge.Check(ctx, c, uint64(run.Seed), run.Rows)
		if err != nil {
			return nil, err
		}
		if v.Pass {
			summary.Passed++
		} else {
			summary.Failed++
		}
		told := ask.StudentCheck{
			Slug: c.Slug, Done: true, Pass: v.Pass, Seed: int64(v.Seed), Source: shownSource(v.Source),
			Raised: shownRaised(v.Raised), Printed: v.Printed,
		}
		if v.Trace != nil {
			trace := shownTrace(*v.Trace)
			told.Trace = &trace
		}
		if i+1 < len(checks) {
			told.Next = checks[i+1].Slug
		}
		call.More(told)
	}
	summary.MS = float64(time.Since(start).Microseconds()) / 1000
	return summary, nil
}

// studentTry asks the program for one delay.
func studentTry(_ context.Context, e *Engine, call *Call) (any, error) {
	var try ask.StudentDelay
	if err := call.Decode(&try); err != nil {
		return nil, err
	}
	fault, err := e.judged(try.Source)
	if err != nil || fault != nil {
		return ask.StudentValue{Raised: shownRaised(fault)}, err
	}
	value, err := e.judge.Delay(scenario.Delay{
		Attempt: retry.ParseText(try.Attempt), BaseMS: retry.ParseText(try.BaseMS),
		CapMS: retry.ParseText(try.CapMS), Jitter: retry.ParseText(try.Jitter),
	})
	if r, ok := err.(*student.Raised); ok {
		return ask.StudentValue{Raised: shownRaised(r)}, nil
	}
	if _, ok := err.(*student.Ended); ok {
		return nil, err
	}
	if err != nil {
		return ask.StudentValue{Error: err.Error()}, nil
	}
	return ask.StudentValue{Value: &value}, nil
}

func shownRaised(r *student.Raised) *ask.Raised {
	if r == nil {
		return nil
	}
	return &ask.Raised{Type: r.Type, Message: cut(r.Message, ask.MaxLiveText), Line: r.Line, Trace: cut(r.Trace, ask.MaxLiveText)}
}

// languages a student may write in.
var languages = []student.Language{student.Python, student.JavaScript}

// studentChecks completes the list of checks with what is only for programs, and says what is not.
func studentChecks(checks []ask.Check) []ask.Check {
	for _, language := range languages {
		asked := map[string]bool{}
		for _, c := range student.Checks(language) {
			asked[c.Slug] = true
		}
		for i, c := range checks {
			if !asked[c.Slug] && c.Only == "" {
				checks[i].Except = append(checks[i].Except, string(language))
			}
		}
		for _, c := range student.Own(language) {
			checks = append(checks, ask.Check{Slug: c.Slug, Name: c.Name(), Part: c.Part, Only: string(language)})
		}
	}
	return checks
}
