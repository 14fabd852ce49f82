package web

import (
	"strings"

	"retrylab/lab/ask"
)

// reference is the name of the right subject; every other subject is a mutant.
const reference = "reference"

// A labState is the comprehensive lab's page without its looks: the checks, the chosen subject, and
// the results that have come in.
type labState struct {
	Lab     ask.Lab
	Loaded  bool
	Subject string // chosen
	Ran     string // the subject of the results below; "" before the first run
	Running bool
	Total   int // checks of the run under way
	Done    int // of them have come in
	Results map[string]*ask.CheckResult
	Summary *ask.LabSummary
	Err     *ask.Error
	Stopped bool // the last run was cancelled

	Show string          // all, failed, passed
	Open map[string]bool // slugs of the checks that are unfolded
}

// newLabState is a lab that has not heard from the engine.
func newLabState() labState {
	return labState{Subject: reference, Show: "all", Results: map[string]*ask.CheckResult{}, Open: map[string]bool{}}
}

// load takes over the list of checks and subjects.
func (s *labState) load(lab ask.Lab) {
	s.Lab, s.Loaded, s.Err = lab, true, nil
	if _, ok := s.subject(s.Subject); !ok && len(lab.Subjects) > 0 {
		s.Subject = lab.Subjects[0].Name
	}
}

// start begins a run on the chosen subject: of all checks, or of one part's when part is 1 to 4.
// It returns the slugs to ask for, nil for all. Results of another subject are dropped.
func (s *labState) start(part int) []string {
	if s.Ran != s.Subject {
		s.Results = map[string]*ask.CheckResult{}
	}
	s.Ran, s.Running, s.Stopped, s.Summary, s.Err, s.Done = s.Subject, true, false, nil, nil, 0
	if part == 0 {
		s.Results = map[string]*ask.CheckResult{}
		s.Total = len(s.Lab.Checks)
		return nil
	}
	var slugs []string
	for _, c := range s.Lab.Checks {
		if c.Part == part {
			slugs = append(slugs, c.Slug)
			delete(s.Results, c.Slug)
		}
	}
	s.Total = len(slugs)
	return slugs
}

// add takes over one result.
func (s *labState) add(r ask.CheckResult) {
	s.Results[r.Slug] = &r
	s.Done++
}

// end closes the run.
func (s *labState) end(sum ask.LabSummary) { s.Running, s.Summary = false, &sum }

// fail closes the run with an error; a run that was stopped on purpose has none.
func (s *labState) fail(err ask.Error) {
	if s.Running && s.Stopped && err.Code == ask.EngineDied {
		s.Running = false
		return
	}
	s.Running, s.Err = false, &err
}

// stop notes that the run is being cancelled.
func (s *labState) stop() { s.Stopped = true }

func (s *labState) subject(name string) (ask.Subject, bool) {
	for _, sub := range s.Lab.Subjects {
		if sub.Name == name {
			return sub, true
		}
	}
	return ask.Subject{}, false
}

// groups are the mutants' groups, in the order in which they first appear.
func (s *labState) groups() []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, sub := range s.Lab.Subjects {
		if !seen[sub.Group] {
			seen[sub.Group] = true
			names = append(names, sub.Group)
		}
	}
	return names
}

// A tally counts checks.
type tally struct{ Passed, Failed, Idle int }

func (t tally) all() int { return t.Passed + t.Failed + t.Idle }

// count tallies the checks of a part, or of all parts when part is 0.
func (s *labState) count(part int) tally {
	var t tally
	for _, c := range s.Lab.Checks {
		if part != 0 && c.Part != part {
			continue
		}
		switch r, ran := s.Results[c.Slug]; {
		case !ran:
			t.Idle++
		case r.Pass:
			t.Passed++
		default:
			t.Failed++
		}
	}
	return t
}

// ofPart are a part's checks in order.
func (s *labState) ofPart(part int) []ask.Check {
	var checks []ask.Check
	for _, c := range s.Lab.Checks {
		if c.Part == part {
			checks = append(checks, c)
		}
	}
	return checks
}

// outcome of one check: pass, fail or idle.
func (s *labState) outcome(slug string) string {
	switch r, ran := s.Results[slug]; {
	case !ran:
		return "idle"
	case r.Pass:
		return "pass"
	}
	return "fail"
}

// name of one check, in English.
func (s *labState) name(slug string) string {
	for _, c := range s.Lab.Checks {
		if c.Slug == slug {
			return c.Name
		}
	}
	return slug
}

// result of one check, nil when it has not run.
func (s *labState) result(slug string) *ask.CheckResult { return s.Results[slug] }

// shown says whether the filter lets a check through. An unfolded check is never hidden.
func (s *labState) shown(slug string) bool {
	switch s.Show {
	case "failed":
		return s.outcome(slug) == "fail"
	case "passed":
		return s.outcome(slug) == "pass"
	}
	return true
}

// finders are the checks that failed, the one that names the subject's misunderstanding first.
func (s *labState) finders() (named string, slugs []string) {
	sub, _ := s.subject(s.Ran)
	for _, c := range s.Lab.Checks {
		if s.outcome(c.Slug) != "fail" {
			continue
		}
		if c.Slug == sub.NamedBy {
			named = c.Slug
			slugs = append([]string{c.Slug}, slugs...)
		} else {
			slugs = append(slugs, c.Slug)
		}
	}
	return named, slugs
}

// reveal unfolds the check that a link such as #slug points to, and reports whether there is one.
func (s *labState) reveal(hash string) bool {
	slug := strings.TrimPrefix(hash, "#")
	for _, c := range s.Lab.Checks {
		if c.Slug == slug {
			s.Open[slug] = true
			if !s.shown(slug) {
				s.Show = "all"
			}
			return true
		}
	}
	return false
}
