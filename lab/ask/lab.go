package ask

// Lab lists the lab's checks in their four parts, and the subjects they can be run on.
type Lab struct {
	Checks   []Check   `json:"checks"`
	Subjects []Subject `json:"subjects"`
}

// A Check is one scenario of the lab. Slug is its stable key in the catalogue
// (check.SLUG.title and check.SLUG.shows).
type Check struct {
	Slug   string   `json:"slug"`
	Name   string   `json:"name"`             // the scenario's name, English
	Part   int      `json:"part"`             // 1 to 4
	Only   string   `json:"only,omitempty"`   // the language of the programs that it is for; "" for every subject
	Except []string `json:"except,omitempty"` // the languages in which it is not asked of a program
}

// ShowCheck asks for the scenario of a check. The list leaves it out: two hundred of them would keep a page from
// whatever else it does.
type ShowCheck struct {
	Slug string `json:"slug"`
}

// CheckSource is the scenario of a check, YAML; "" of one that no file can say.
type CheckSource struct {
	Slug   string `json:"slug"`
	Source string `json:"source"`
}

// A Subject can be run: the reference, or a mutant. The catalogue has mutant.NAME.title and
// mutant.NAME.why.
type Subject struct {
	Name    string `json:"name"`
	Group   string `json:"group,omitempty"`    // of a mutant: delay, boundary, enqueue, budget, leases, failures, watching
	NamedBy string `json:"named_by,omitempty"` // the slug of the check that names its misunderstanding
}

// RunLab runs the checks on a subject. No Checks means all.
type RunLab struct {
	Subject string   `json:"subject"`
	Home    string   `json:"home,omitempty"` // Memory (the default) or OPFS
	Checks  []string `json:"checks,omitempty"`
}

// A CheckResult is one check's outcome.
type CheckResult struct {
	Slug  string `json:"slug"`
	Pass  bool   `json:"pass"`
	Trace Trace  `json:"trace"`
}

// LabSummary ends a run of the lab.
type LabSummary struct {
	Passed int     `json:"passed"`
	Failed int     `json:"failed"`
	MS     float64 `json:"ms"`
	Home   string  `json:"home"`
}

// A Trace is a scenario as it was played on a subject.
type Trace struct {
	Name   string       `json:"name"`
	Policy Policy       `json:"policy"`
	Pass   bool         `json:"pass"`
	Where  string       `json:"where,omitempty"` // the step of the first difference, such as 2 or 2.1
	Steps  []TracedStep `json:"steps"`
	Error  string       `json:"error,omitempty"` // why the scenario could not go on
}

// A TracedStep is one step with what was wanted, what was got, and the job's row afterwards.
type TracedStep struct {
	No        string       `json:"no"` // 1, 2, 2.1
	At        int64        `json:"at"` // the clock when it was done
	Text      string       `json:"text"`
	Reached   bool         `json:"reached"`
	Got       []Field      `json:"got,omitempty"`
	Differs   []Difference `json:"differs,omitempty"`
	Error     string       `json:"error,omitempty"` // an error that is no listed result
	Row       *Job         `json:"row,omitempty"`
	RowBefore *Job         `json:"row_before,omitempty"`
}

// A Difference is a field whose value was not the wanted one.
type Difference struct {
	Field string `json:"field"`
	Want  string `json:"want"`
	Got   string `json:"got"`
}

// RunScenario runs every scenario of a text on a subject.
type RunScenario struct {
	Source  string `json:"source"`
	File    string `json:"file,omitempty"`
	Subject string `json:"subject,omitempty"` // "" is the reference
	Home    string `json:"home,omitempty"`    // Memory (the default) or OPFS
}

// ScenarioResult has a trace for each scenario of the text.
type ScenarioResult struct {
	Traces []Trace `json:"traces"`
}

// RunStudent runs checks on a student's program, in the engine beside its interpreter. No Checks means
// all of the language's.
type RunStudent struct {
	Source string   `json:"source"`
	Checks []string `json:"checks,omitempty"`
	Seed   int64    `json:"seed"`           // each check that passes is played again on values drawn from it; 0 for no
	Rows   bool     `json:"rows,omitempty"` // checks that pass have a trace too
}

// A StudentCheck tells what came of a check, and which one comes next. The first one, without Done, tells only that.
type StudentCheck struct {
	Slug    string  `json:"slug"`
	Done    bool    `json:"done"`
	Next    string  `json:"next,omitempty"` // the slug of the check that runs from now on; empty after the last
	Pass    bool    `json:"pass,omitempty"`
	Trace   *Trace  `json:"trace,omitempty"`
	Seed    int64   `json:"seed,omitempty"`    // of the values it failed on; 0 when they are the visible ones
	Source  string  `json:"source,omitempty"`  // the scenario it failed on, YAML
	Raised  *Raised `json:"raised,omitempty"`  // the program's error that nobody expected
	Printed string  `json:"printed,omitempty"` // by the program, meanwhile
}

// A Raised is an error that came out of a student's program.
type Raised struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"` // of the program, from 1; 0 when none is known
	Trace   string `json:"trace,omitempty"`
}

// StudentSummary ends a run of a student's program. Load is why it could not be run at all.
type StudentSummary struct {
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	MS      float64 `json:"ms"`
	Load    *Raised `json:"load,omitempty"`
	Printed string  `json:"printed,omitempty"` // while it was loaded
}

// StudentDelay asks a student's program for one delay. The arguments are texts as typed.
type StudentDelay struct {
	Source  string `json:"source"`
	Attempt string `json:"attempt"`
	BaseMS  string `json:"base_ms"`
	CapMS   string `json:"cap_ms"`
	Jitter  string `json:"jitter"`
}

// A StudentValue is what a program made of a StudentDelay.
type StudentValue struct {
	Value  *int64  `json:"value,omitempty"`
	Raised *Raised `json:"raised,omitempty"` // it rejected the arguments, or failed
	Error  string  `json:"error,omitempty"`  // it returned what is no delay
}
