package web

import (
	"fmt"
	"slices"
	"strings"

	"retrylab/lab/ask"
)

// reference is the name of the right subject; every other subject is a mutant, or a student's program.
const reference = "reference"

// The languages of a student's program, which as subjects are called like them.
var programLanguages = []string{"python", "javascript"}

// isProgram says whether a subject is a student's program.
func isProgram(subject string) bool { return slices.Contains(programLanguages, subject) }

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

	Told     map[string]*ask.StudentCheck // of a program: what was told beside the results
	Load     *ask.Raised                  // why the program could not be run at all
	Printed  string                       // by the program while it was loaded
	TimeOuts int                          // checks of this run that did not end
	TooLong  bool                         // the run as a whole took too long, and was ended
	Finished map[string][]int             // the parts that a program has passed as a whole, by language

	Show  string            // all, failed, passed
	Open  map[string]bool   // slugs of the checks that are unfolded
	Hints map[string]int    // how many hints of a check are open
	Texts map[string]string // scenarios of the checks that were unfolded, by slug
	Drawn int               // so many checks are on the page: two hundred come bit by bit

	due map[string]bool // what a program's run has not come to

	asked struct { // what ofPart has answered last
		subject string
		parts   [5][]ask.Check
	}
}

// newLabState is a lab that has not heard from the engine.
func newLabState() labState {
	return labState{
		Subject: programLanguages[0], Show: "all", Results: map[string]*ask.CheckResult{}, Open: map[string]bool{},
		Told: map[string]*ask.StudentCheck{}, Finished: map[string][]int{}, Hints: map[string]int{}, Texts: map[string]string{},
	}
}

// load takes over the list of checks and subjects.
func (s *labState) load(lab ask.Lab) {
	s.Lab, s.Loaded, s.Err = lab, true, nil
	s.asked.subject = ""
	if _, ok := s.subject(s.Subject); !ok && !isProgram(s.Subject) && len(lab.Subjects) > 0 {
		s.Subject = lab.Subjects[0].Name
	}
}

// checks are those that the chosen subject is asked for.
func (s *labState) checks() []ask.Check { return s.ofPart(0) }

// ofPart are those of one part in order, or of all when part is 0.
func (s *labState) ofPart(part int) []ask.Check {
	if s.asked.subject != s.Subject {
		s.asked.subject, s.asked.parts = s.Subject, [5][]ask.Check{}
		for _, c := range s.Lab.Checks {
			if (c.Only == "" || c.Only == s.Subject) && !slices.Contains(c.Except, s.Subject) {
				s.asked.parts[0] = append(s.asked.parts[0], c)
				s.asked.parts[c.Part] = append(s.asked.parts[c.Part], c)
			}
		}
	}
	return s.asked.parts[part]
}

// drawAtOnce is how many checks come onto the page at a time: the page's thread is free again between them.
const drawAtOnce = 12

// drawMore lets more checks onto the page; false when all are there.
func (s *labState) drawMore() bool {
	s.Drawn = min(s.Drawn+drawAtOnce, len(s.Lab.Checks))
	return s.Drawn < len(s.Lab.Checks)
}

// drawn are the checks of a part that are on the page.
func (s *labState) drawn(part int) []ask.Check {
	before := 0
	for p := 1; p < part; p++ {
		before += len(s.ofPart(p))
	}
	checks := s.ofPart(part)
	return checks[:min(len(checks), max(s.Drawn-before, 0))]
}

// choose makes another subject the one to run. Results of the one before are dropped.
func (s *labState) choose(subject string) {
	if subject == s.Subject {
		return
	}
	s.Subject = subject
	s.forget()
}

// forget drops all results.
func (s *labState) forget() {
	s.Results, s.Told = map[string]*ask.CheckResult{}, map[string]*ask.StudentCheck{}
	s.Ran, s.Load, s.Printed, s.Summary, s.Err, s.Stopped, s.TimeOuts = "", nil, "", nil, nil, false, 0
	s.TooLong = false
}

// start begins a run on the chosen subject: of all checks, or of one part's when part is 1 to 4.
// It returns the slugs to ask for, nil for all. Results of another subject are dropped.
func (s *labState) start(part int) []string {
	if s.Ran != s.Subject {
		s.forget()
	}
	s.Ran, s.Running, s.Stopped, s.Summary, s.Err, s.Done = s.Subject, true, false, nil, nil, 0
	s.Load, s.Printed, s.TimeOuts, s.TooLong = nil, "", 0, false
	if part == 0 && !isProgram(s.Subject) {
		s.Results = map[string]*ask.CheckResult{}
		s.Total = len(s.checks())
		return nil
	}
	var slugs []string
	for _, c := range s.ofPart(part) {
		slugs = append(slugs, c.Slug)
		// What a program's last run said stays in sight until this one says something.
		if !isProgram(s.Subject) {
			delete(s.Results, c.Slug)
		}
	}
	s.Total = len(slugs)
	s.due = map[string]bool{}
	for _, slug := range slugs {
		s.due[slug] = true
	}
	return slugs
}

// tell takes over what came of one check on a program.
func (s *labState) tell(t ask.StudentCheck) {
	result := ask.CheckResult{Slug: t.Slug, Pass: t.Pass}
	if t.Trace != nil {
		result.Trace = *t.Trace
	}
	s.Told[t.Slug] = &t
	delete(s.due, t.Slug)
	s.add(result)
}

// endEarly ends a program's run in the middle: the checks that it has not come to have no result, whatever an earlier
// run said of them.
func (s *labState) endEarly() {
	s.Running = false
	for slug := range s.due {
		delete(s.Results, slug)
		delete(s.Told, slug)
	}
}

// mostTimeOuts is how many checks of one run may not end before the rest is left out.
const mostTimeOuts = 2

// late notes that a check, now, has not ended, or has brought its frame to an end: why says which, as a person
// reads it; now is empty when that happened while the program was loaded. It returns those of slugs, which the
// frame was asked for, that are left and shall be run.
func (s *labState) late(why, now string, slugs []string) (left []string) {
	s.TimeOuts++
	at := slices.Index(slugs, now)
	if at < 0 {
		s.Load = &ask.Raised{Message: why}
		s.Results, s.Told = map[string]*ask.CheckResult{}, map[string]*ask.StudentCheck{}
		return nil
	}
	s.tell(ask.StudentCheck{Slug: now, Done: true, Trace: &ask.Trace{Error: why}})
	if s.TimeOuts >= mostTimeOuts {
		return nil
	}
	return slugs[at+1:]
}

// deal deals checks out to as many as n, one after the other: neighbours take about as long. Each gets at least
// ten, or there are fewer.
func deal(slugs []string, n int) [][]string {
	n = max(min(n, len(slugs)/10), 1)
	hands := make([][]string, n)
	for i, slug := range slugs {
		hands[i%n] = append(hands[i%n], slug)
	}
	return hands
}

// endProgram closes a program's run. It returns whether a part is finished that was not before.
func (s *labState) endProgram(ms float64) (finished bool) {
	s.Running = false
	total := s.count(0)
	s.Summary = &ask.LabSummary{Passed: total.Passed, Failed: total.Failed, MS: ms}
	for part := 1; part <= 4; part++ {
		if t := s.count(part); t.all() > 0 && t.Passed == t.all() && !slices.Contains(s.Finished[s.Ran], part) {
			s.Finished[s.Ran] = append(s.Finished[s.Ran], part)
			finished = true
		}
	}
	return finished
}

// marks are the lines of the program where checks failed, each with the error of the first one.
func (s *labState) marks() []codeMark {
	var marks []codeMark
	if s.Load != nil && s.Load.Line > 0 {
		return []codeMark{{s.Load.Line, raisedText(*s.Load)}}
	}
	seen := map[int]bool{}
	for _, c := range s.checks() {
		if t := s.Told[c.Slug]; t != nil && !t.Pass && t.Raised != nil && t.Raised.Line > 0 && !seen[t.Raised.Line] {
			seen[t.Raised.Line] = true
			marks = append(marks, codeMark{t.Raised.Line, raisedText(*t.Raised)})
		}
	}
	return marks
}

// raisedText is an error of a program in one line.
func raisedText(r ask.Raised) string {
	switch {
	case r.Type == "":
		return r.Message
	case r.Message == "":
		return r.Type
	}
	return r.Type + ": " + r.Message
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
	for _, c := range s.ofPart(part) {
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

// firstFailed is the slug of the first check that failed.
func (s *labState) firstFailed() string {
	for _, c := range s.checks() {
		if s.outcome(c.Slug) == "fail" {
			return c.Slug
		}
	}
	return ""
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

// signature tells two states of a part's list of checks apart, and how many are shown.
func (s *labState) signature(part int) (shown int, state string) {
	var b strings.Builder
	fmt.Fprint(&b, s.Subject, s.Running, " ")
	for _, c := range s.drawn(part) {
		if !s.shown(c.Slug) {
			b.WriteByte('-')
			continue
		}
		shown++
		b.WriteByte(s.outcome(c.Slug)[0])
		if s.Open[c.Slug] || s.outcome(c.Slug) == "fail" {
			fmt.Fprintf(&b, "%t%d%p%d", s.Open[c.Slug], s.Hints[c.Slug], s.Results[c.Slug], len(s.Texts[c.Slug]))
		}
	}
	return shown, b.String()
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
