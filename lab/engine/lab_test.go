package engine_test

import (
	"os"
	"strings"
	"testing"

	"retrylab/lab/ask"
)

func lab(p *page, run ask.RunLab) (results []ask.CheckResult, sum ask.LabSummary) {
	p.t.Helper()
	id := p.ask(ask.LabRun, run)
	if r := p.last(id); r.Err != nil {
		p.t.Fatal(r.Err)
	}
	all := p.replies[id]
	for _, r := range all[:len(all)-1] {
		results = append(results, read[ask.CheckResult](p, r.Body))
	}
	return results, read[ask.LabSummary](p, all[len(all)-1].Body)
}

func TestTheReferencePassesTheLabAndAMutantDoesNot(t *testing.T) {
	p := newPage(t)
	list := read[ask.Lab](p, p.last(p.ask(ask.LabList, nil)).Body)
	if list.Subjects[0].Name != "reference" || len(list.Subjects) < 13 || len(list.Checks) < 20 {
		t.Fatalf("%d subjects, %d checks", len(list.Subjects), len(list.Checks))
	}
	slugs := map[string]bool{}
	var of []ask.Check // the reference
	for _, c := range list.Checks {
		slugs[c.Slug] = true
		if c.Only == "" {
			of = append(of, c)
		}
	}
	results, sum := lab(p, ask.RunLab{Subject: "reference"})
	if sum.Failed != 0 || sum.Passed != len(of) || len(results) != len(of) || sum.Home != ask.Memory {
		t.Errorf("%+v", sum)
	}
	for i, r := range results {
		if r.Slug != of[i].Slug || !r.Pass || len(r.Trace.Steps) == 0 {
			t.Errorf("%s: %+v", r.Slug, r)
		}
	}
	for _, m := range list.Subjects[1:] {
		if !slugs[m.NamedBy] {
			t.Errorf("%s is named by %q, which is no check", m.Name, m.NamedBy)
			continue
		}
		results, sum := lab(p, ask.RunLab{Subject: m.Name, Checks: []string{m.NamedBy}})
		if sum.Failed != 1 || len(results) != 1 || results[0].Pass || results[0].Trace.Where == "" {
			t.Errorf("%s: %+v", m.Name, sum)
		}
	}
	if err := p.fails(ask.LabRun, ask.RunLab{Subject: "perfect"}); err.Code != ask.NoSuchSubject {
		t.Error(err)
	}
	if err := p.fails(ask.LabRun, ask.RunLab{Subject: "reference", Checks: []string{"no such"}}); err.Code != ask.BadRequest {
		t.Error(err)
	}
}

const twice = `name: twice
steps:
- enqueue: {id: a, max_attempts: 2, deadline: 1000}
  expect: {result: created}
- at: 5
  run: {send: retryable, takes: 3, error: "503"}
  expect: {result: retry, available_at: 58}
- run: {send: ok}
  expect: {result: done}
- stats: true
`

func TestAScenarioIsPlayedOnEachHome(t *testing.T) {
	p := newPage(t)
	for _, home := range []string{"", ask.Memory, ask.OPFS} {
		got := read[ask.ScenarioResult](p, p.last(p.ask(ask.ScenarioRun, ask.RunScenario{Source: twice, Home: home})).Body)
		if len(got.Traces) != 1 {
			t.Fatalf("%+v", got)
		}
		trace := got.Traces[0]
		if trace.Pass || trace.Where != "3" || trace.Name != "twice" || trace.Policy.CapMS != 1000 || len(trace.Steps) != 4 {
			t.Errorf("%s: %+v", home, trace)
		}
		second, third, fourth := trace.Steps[1], trace.Steps[2], trace.Steps[3]
		if second.At != 5 || second.Row == nil || second.RowBefore == nil || second.RowBefore.Attempts != 0 || second.Row.Attempts != 1 || *second.Row.LastError != "503" {
			t.Errorf("%s: %+v", home, second)
		}
		if len(third.Differs) != 1 || third.Differs[0] != (ask.Difference{Field: "result", Want: "done", Got: "none"}) || fourth.Reached {
			t.Errorf("%s: %+v", home, third)
		}
	}
	if left, err := os.ReadDir(string(p.home)); err != nil || strings.Contains(names(left), "scratch") {
		t.Errorf("left behind: %s %v", names(left), err)
	}
	err := p.fails(ask.ScenarioRun, ask.RunScenario{File: "mine.yaml", Source: "name: x\nsteps:\n- run: {sned: ok}\n"})
	if err.Code != ask.BadFile || len(err.Problems) != 1 || err.Problems[0].File != "mine.yaml" || err.Problems[0].Line != 3 {
		t.Errorf("%+v", err)
	}
}

func names(entries []os.DirEntry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestACheckIsShownWithItsScenario(t *testing.T) {
	p := newPage(t)
	for _, c := range read[ask.Lab](p, p.last(p.ask(ask.LabList, nil)).Body).Checks {
		shown := read[ask.CheckSource](p, p.last(p.ask(ask.LabShow, ask.ShowCheck{Slug: c.Slug})).Body)
		if shown.Slug != c.Slug || strings.Contains(shown.Source, "steps:") != (c.Only == "") {
			t.Errorf("%+v", shown)
		}
	}
	if shown := read[ask.CheckSource](p, p.last(p.ask(ask.LabShow, ask.ShowCheck{Slug: "no such"})).Body); shown.Source != "" {
		t.Errorf("%+v", shown)
	}
}
