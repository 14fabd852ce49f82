// Package scenario has the project's one idea: a scenario runs on a subject.
//
// A [Scenario] is data: steps on a virtual clock, each with what is expected (SPEC.md section 9). A
// [Subject] is anything that can do the steps: the [Reference], a mutant of it, a student's code.
// [Play] runs the one on the other and returns a [Trace]. The lab's checks, the live queue, a quiz
// question's key and the tests are all views of that.
package scenario

import "retrylab/lab/retry"

// A Scenario is steps on a virtual clock that starts at 0.
type Scenario struct {
	Name   string
	Policy Policy
	Steps  []Step
	File   string
	Line   int // where it starts
}

// A Policy is the lease and the backoff of a scenario's runs.
type Policy struct {
	BaseMS, CapMS int64   // 1..Max
	Jitter        float64 // 0..1
	LeaseMS       int64   // 1..Max
}

// DefaultPolicy is the policy of a scenario that gives none.
var DefaultPolicy = Policy{BaseMS: 100, CapMS: 1000, Jitter: 0.5, LeaseMS: 30_000}

// A Step sets the clock, perhaps, and does one thing.
type Step struct {
	At     int64 // where the clock goes first, when HasAt
	HasAt  bool
	Action Action
	During []Step // of a run: what other processes do while the send goes on
	Expect []Expectation
	Text   string // the action as its author wrote it, on one line
	File   string
	Line   int
	Column int
}

// An Expectation wants one field of a step's result to have a value.
type Expectation struct {
	Field string
	Want  Wanted
}

// A Wanted is an expected value as it stands in the file: a value, or a list of them.
type Wanted struct {
	Value retry.Value
	Items []retry.Value // of a list
	Text  string        // as written
}

// An Action is what a step does: one of the types below, named after the step.
type Action interface{ action() }

// Actions.
type (
	// Enqueue has its arguments as they stand in the file: the subject judges them. A payload that is
	// not given is the empty text; an available_at that is not given, or null, is now.
	Enqueue struct{ ID, Payload, MaxAttempts, Deadline, AvailableAt retry.Value }
	// Run is one run once. Takes is the time between the clock's two readings, -Max..Max.
	Run struct {
		Send         Send
		Takes        int64
		Error        string
		RetryAfterMS int64 // 0 when not given
		Wrapped      bool
	}
	Claim    struct{ Worker string }
	Complete struct{ Worker string }
	Fail     struct {
		Worker       string
		Send         Send // Retryable or Permanent
		Error        string
		RetryAfterMS int64
	}
	Extend  struct{ Worker string }
	Requeue struct{ ID, MaxAttempts, Deadline retry.Value }
	Purge   struct{ Before int64 }
	Restart struct{}
	Job     struct{ ID string }
	Stats   struct{}
	Delay   struct{ Attempt, BaseMS, CapMS, Jitter retry.Value }
)

func (Enqueue) action()  {}
func (Run) action()      {}
func (Claim) action()    {}
func (Complete) action() {}
func (Fail) action()     {}
func (Extend) action()   {}
func (Requeue) action()  {}
func (Purge) action()    {}
func (Restart) action()  {}
func (Job) action()      {}
func (Stats) action()    {}
func (Delay) action()    {}

// A Send is how a send ends.
type Send string

// Sends.
const (
	OK        Send = "ok"
	Retryable Send = "retryable"
	Permanent Send = "permanent"
	Unknown   Send = "unknown"
	Crash     Send = "crash" // the process dies inside the send
)

// A Result is what a step gave: fields by name, in order. A value is an int64, a string, a []string,
// or nil for null.
type Result []Field

// A Field is one field of a Result.
type Field struct {
	Name  string
	Value any
}

// Get is the value of a field; a field that the result lacks is nil.
func (r Result) Get(name string) any {
	for _, f := range r {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// Text is the value of a field that is a text, or "".
func (r Result) Text(name string) string {
	s, _ := r.Get(name).(string)
	return s
}

// is makes the result of one word.
func is(word string, more ...Field) Result {
	return append(Result{{"result", word}}, more...)
}
