package web

import (
	"testing"

	"retrylab/lab/ask"
)

func sampleLab() labState {
	s := newLabState()
	s.load(ask.Lab{
		Checks: []ask.Check{{Slug: "a", Part: 1}, {Slug: "b", Part: 1}, {Slug: "c", Part: 2}},
		Subjects: []ask.Subject{
			{Name: reference}, {Name: "no_cap", Group: "delay", NamedBy: "b"},
			{Name: "zero_based", Group: "delay", NamedBy: "a"}, {Name: "unfenced_fail", Group: "leases", NamedBy: "c"},
		},
	})
	return s
}

func TestARunCountsWhatHasComeIn(t *testing.T) {
	s := sampleLab()
	if got := s.start(0); got != nil {
		t.Errorf("a run of all names %v", got)
	}
	s.add(ask.CheckResult{Slug: "a", Pass: true})
	s.add(ask.CheckResult{Slug: "b"})
	if got, want := s.count(0), (tally{1, 1, 1}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := s.count(2), (tally{0, 0, 1}); got != want {
		t.Errorf("part 2: got %v, want %v", got, want)
	}
}

func TestARunOfOnePartKeepsTheOthersResults(t *testing.T) {
	s := sampleLab()
	s.start(0)
	s.add(ask.CheckResult{Slug: "a", Pass: true})
	s.add(ask.CheckResult{Slug: "c"})
	if got := s.start(1); len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Errorf("part 1 asks for %v", got)
	}
	if s.outcome("a") != "idle" || s.outcome("c") != "fail" {
		t.Error("results are wrong")
	}
	s.Subject = "no_cap"
	s.start(1)
	if s.outcome("c") != "idle" {
		t.Error("another subject's result stayed")
	}
}

func TestTheNamingCheckComesFirstAmongTheFinders(t *testing.T) {
	s := sampleLab()
	s.Subject = "no_cap"
	s.start(0)
	s.add(ask.CheckResult{Slug: "a"})
	s.add(ask.CheckResult{Slug: "b"})
	s.add(ask.CheckResult{Slug: "c", Pass: true})
	named, slugs := s.finders()
	if named != "b" || len(slugs) != 2 || slugs[0] != "b" || slugs[1] != "a" {
		t.Errorf("got %q %v", named, slugs)
	}
}

func TestStoppingARunIsNoError(t *testing.T) {
	s := sampleLab()
	s.start(0)
	s.add(ask.CheckResult{Slug: "a", Pass: true})
	s.stop()
	s.fail(ask.Error{Code: ask.EngineDied})
	if s.Err != nil || s.Running || s.outcome("a") != "pass" {
		t.Errorf("after the stop: %+v", s)
	}
	s.start(0)
	s.fail(ask.Error{Code: ask.EngineDied})
	if s.Err == nil || s.Running {
		t.Errorf("after a death: %+v", s)
	}
}

func TestALinkUnfoldsItsCheckAlsoUnderAFilter(t *testing.T) {
	s := sampleLab()
	s.Show = "failed"
	if !s.reveal("#c") || !s.Open["c"] || !s.shown("c") {
		t.Error("the check stays hidden")
	}
	if s.reveal("#nothing") {
		t.Error("a link to nothing is taken")
	}
}

func TestSubjectsAreGroupedInTheirOrder(t *testing.T) {
	s := sampleLab()
	if g := s.groups(); len(g) != 2 || g[0] != "delay" || g[1] != "leases" {
		t.Errorf("got %v", g)
	}
}
