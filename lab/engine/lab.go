package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"retrylab/lab/ask"
	"retrylab/lab/check"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

func init() {
	Handle(ask.LabList, labList)
	Handle(ask.LabShow, labShow)
	Handle(ask.LabRun, labRun)
}

// reference is the name of the right subject.
const reference = "reference"

func labList(context.Context, *Engine, *Call) (any, error) {
	lab := ask.Lab{Subjects: []ask.Subject{{Name: reference}}}
	for _, c := range check.All() {
		lab.Checks = append(lab.Checks, ask.Check{Slug: c.Slug, Name: c.Name(), Part: c.Part})
	}
	lab.Checks = studentChecks(lab.Checks)
	for _, m := range mutant.All() {
		lab.Subjects = append(lab.Subjects, ask.Subject{Name: m.Name, Group: string(m.Group), NamedBy: check.SlugOf(m.NamedBy)})
	}
	return lab, nil
}

// labShow answers with a check's scenario. A check for one language's programs alone has none.
func labShow(_ context.Context, _ *Engine, call *Call) (any, error) {
	var show ask.ShowCheck
	if err := call.Decode(&show); err != nil {
		return nil, err
	}
	c, _ := check.Find(show.Slug)
	return ask.CheckSource{Slug: show.Slug, Source: shownSource(c.Source)}, nil
}

// mostLine is how many characters of a line of a scenario, or of a step, are shown: some hold a payload of
// the largest size.
const mostLine = 400

func shownSource(source string) string {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		lines[i] = cut(line, mostLine)
	}
	return strings.Join(lines, "\n")
}

// subject is the reference or a mutant, on databases of a home.
func subject(name string, home scenario.Home) (scenario.Maker, error) {
	make, ok := mutant.Subject(name, home)
	if !ok {
		return nil, &ask.Error{Code: ask.NoSuchSubject, Detail: fmt.Sprintf("there is no subject %q", name)}
	}
	return make, nil
}

// labRun runs the checks one by one and answers each as it ends.
func labRun(ctx context.Context, e *Engine, call *Call) (any, error) {
	var run ask.RunLab
	if err := call.Decode(&run); err != nil {
		return nil, err
	}
	home, is := e.playground(run.Home)
	make, err := subject(run.Subject, home)
	if err != nil {
		return nil, err
	}
	for _, slug := range run.Checks {
		if _, ok := check.Find(slug); !ok {
			return nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("there is no check %q", slug)}
		}
	}
	make, end := scenario.Reusing(make)
	defer end()
	start := time.Now()
	summary := ask.LabSummary{Home: is}
	for _, c := range check.All() {
		if len(run.Checks) > 0 && !slices.Contains(run.Checks, c.Slug) {
			continue
		}
		trace, err := scenario.Play(ctx, c.Scenario, make)
		if err != nil {
			return nil, err
		}
		if trace.Pass {
			summary.Passed++
		} else {
			summary.Failed++
		}
		call.More(ask.CheckResult{Slug: c.Slug, Pass: trace.Pass, Trace: shownTrace(trace)})
	}
	summary.MS = float64(time.Since(start).Microseconds()) / 1000
	return summary, nil
}
