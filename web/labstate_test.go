package web

import (
	"slices"
	"strings"
	"testing"

	"retrylab/lab/ask"
)

func sampleLab() labState {
	s := newLabState()
	s.choose(reference)
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

func sampleProgram() labState {
	s := newLabState()
	s.load(ask.Lab{Checks: []ask.Check{
		{Slug: "a", Part: 1}, {Slug: "b", Part: 1, Only: "python"}, {Slug: "c", Part: 2, Except: []string{"python"}}, {Slug: "d", Part: 2},
	}})
	return s
}

func TestAProgramIsAskedForItsLanguagesChecks(t *testing.T) {
	s := sampleProgram()
	if got := s.start(0); strings.Join(got, " ") != "a b d" {
		t.Errorf("in Python: %v", got)
	}
	s.choose("javascript")
	if got := s.start(0); strings.Join(got, " ") != "a c d" {
		t.Errorf("in JavaScript: %v", got)
	}
	s.choose(reference)
	if got := s.count(0).all(); got != 3 {
		t.Errorf("the reference: %d checks", got)
	}
}

func TestACheckThatDoesNotEndIsMarkedAndTheRestGoesOn(t *testing.T) {
	s := sampleProgram()
	slugs := s.start(0)
	left := s.late("it takes too long", "a", slugs)
	if strings.Join(left, " ") != "b d" || s.outcome("a") != "fail" || s.Results["a"].Trace.Error != "it takes too long" {
		t.Errorf("%v, %v", left, s.Results["a"])
	}
	s.tell(ask.StudentCheck{Slug: "b", Done: true, Pass: true})
	if left := s.late("again", "d", left); left != nil {
		t.Errorf("after the second one goes on with %v", left)
	}
	s.start(0)
	if s.late("a loop outside of everything", "", slugs); s.Load == nil {
		t.Error("a program that does not end while it is loaded has no fault")
	}
}

func TestARunThatEndsEarlyLeavesNoResultsOfTheOneBefore(t *testing.T) {
	s := sampleProgram()
	for _, slug := range s.start(0) {
		s.tell(ask.StudentCheck{Slug: slug, Done: true, Pass: true})
	}
	s.endProgram(1)
	s.start(2) // of the other parts the results stay
	s.endEarly()
	if s.Running || s.outcome("a") != "pass" || s.outcome("b") != "pass" || s.outcome("d") != "idle" {
		t.Errorf("a run of part 2: %v", s.Results)
	}
	slugs := s.start(0)
	s.tell(ask.StudentCheck{Slug: "a", Done: true})
	s.late("it takes too long", "b", slugs)
	s.endEarly()
	if s.outcome("a") != "fail" || s.outcome("b") != "fail" || s.outcome("d") != "idle" || s.Told["d"] != nil || s.firstFailed() != "a" {
		t.Errorf("a run of all: %v", s.Results)
	}
}

func TestChecksAreDealtOutEvenlyAndEachOnce(t *testing.T) {
	slugs := strings.Fields("a b c d e f g h i j k l m n o p q r s t u")
	for _, c := range []struct{ checks, n, hands int }{{21, 1, 1}, {21, 2, 2}, {20, 2, 2}, {19, 2, 1}, {21, 9, 2}, {1, 2, 1}, {0, 2, 1}} {
		hands := deal(slugs[:c.checks], c.n)
		var all []string
		for _, hand := range hands {
			if n := len(hand) * len(hands); n < c.checks-len(hands) || n > c.checks+len(hands) {
				t.Errorf("%d checks for %d: one has %d", c.checks, c.n, len(hand))
			}
			all = append(all, hand...)
		}
		slices.Sort(all)
		if len(hands) != c.hands || !slices.Equal(all, slugs[:c.checks]) {
			t.Errorf("%d checks for %d: %v", c.checks, c.n, hands)
		}
	}
}

func TestAPartThatWasFinishedStaysFinished(t *testing.T) {
	s := sampleProgram()
	s.start(0)
	s.tell(ask.StudentCheck{Slug: "a", Done: true, Pass: true})
	s.tell(ask.StudentCheck{Slug: "b", Done: true})
	if s.endProgram(1) {
		t.Error("a part with a failed check is finished")
	}
	s.start(1)
	s.tell(ask.StudentCheck{Slug: "b", Done: true, Pass: true})
	if !s.endProgram(1) || len(s.Finished["python"]) != 1 {
		t.Error("part 1 is not finished")
	}
	s.start(0)
	s.tell(ask.StudentCheck{Slug: "b", Done: true})
	if s.endProgram(1) || len(s.Finished["python"]) != 1 {
		t.Error("a later failure changed what was finished")
	}
}

func TestFailuresAreMarkedAtTheirLinesOnce(t *testing.T) {
	s := sampleProgram()
	s.start(0)
	fault := &ask.Raised{Type: "KeyError", Message: "'x'", Line: 7}
	s.tell(ask.StudentCheck{Slug: "a", Done: true, Raised: fault})
	s.tell(ask.StudentCheck{Slug: "b", Done: true, Raised: fault})
	if got := s.marks(); len(got) != 1 || got[0] != (codeMark{7, "KeyError: 'x'"}) {
		t.Errorf("%v", got)
	}
	s.Load = &ask.Raised{Type: "SyntaxError", Message: "invalid syntax", Line: 3}
	if got := s.marks(); len(got) != 1 || got[0].Line != 3 {
		t.Errorf("%v", got)
	}
}
