// Package student runs a student's own code as a subject: the same scenarios as the reference, mapped
// to the names of SPEC.md section 10. It knows no interpreter: whoever runs the code is a [Program],
// and gives it the functions of a [Host].
//
// The code works on real SQLite in memory. A life is one process of it: the code as it was loaded anew,
// with a connection of its own and a Queue on it. A restart ends all lives; the database stays.
package student

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"retrylab/lab/scenario"
)

// A Language is one that a student may write in.
type Language string

// Languages.
const (
	Python     Language = "python"
	JavaScript Language = "javascript"
)

// name is a name of Python's as the language writes it.
func (l Language) name(name string) string {
	if l != JavaScript {
		return name
	}
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// named is an error about a value with the language's own names in it.
func (l Language) named(err error) error {
	w, ok := err.(*WrongType)
	if !ok {
		return err
	}
	own := *w
	own.Function, own.Field = l.name(w.Function), l.name(w.Field)
	if own.Want == wantedMap {
		own.Want = map[Language]string{Python: "a dict", JavaScript: "an object"}[l]
		switch w.Function {
		case "run_once", "claim", "job": // SPEC 10: nothing to do, or no such job
			own.Want = map[Language]string{Python: "None or ", JavaScript: "null or "}[l] + own.Want
		}
	}
	return &own
}

// MaxSource is how many bytes a student's program may have.
const MaxSource = 64 << 10

// A Program is a student's code in its interpreter. Do does what a call says and returns the answer;
// both are JSON texts, the formats of wire.go. It may call the host meanwhile.
type Program interface {
	Do(call string) (answer string)
}

// load gives a program its source. The error is a [*Raised]: what does not parse, with its line.
func (h *Host) load(program Program, source string) error {
	if len(source) > MaxSource {
		return &Raised{Type: "TooLong", Message: fmt.Sprintf("the program has %d bytes, at most %d are allowed", len(source), MaxSource)}
	}
	h.ended = nil
	_, err := h.ask(program, call{Do: "load", Source: source})
	var r *Raised
	if errors.As(err, &r) {
		// What is not closed is noticed behind the last line, where nobody can look.
		r.Line = min(r.Line, strings.Count(strings.TrimRight(source, " \t\r\n"), "\n")+1)
		if r.Type == "SyntaxError" && modules.MatchString(source) {
			r.Message += "; there are no modules here: leave import and export out"
		}
	}
	return err
}

// modules finds JavaScript's keywords of modules where a statement begins.
var modules = regexp.MustCompile(`(?m)^\s*(export\b|import\s*["'{*\w].*["'])`)

// A subject is a student's code on one database.
type subject struct {
	program  Program
	host     *Host
	language Language
	policy   scenario.Policy
	database *database
	main     *life
	died     bool  // a process has: nothing of it may be left in the next
	others   *life // who works during a send; nil until somebody does
	alone    *life // for the delay, which needs no database

	claims   map[string]claim  // each worker's latest; it outlives a restart
	sends    map[string]int64  // how often each job was claimed, as far as the scenario saw it
	payloads map[string]string // of the jobs that were created
}

// A claim is what a worker holds.
type claim struct {
	id    string
	token any // the code's, as it travels
}

// Close ends the subject's lives.
func (s *subject) Close() error {
	s.end()
	return nil
}

// end ends all lives: what was not committed is gone.
func (s *subject) end() {
	for _, l := range []*life{s.main, s.others, s.alone} {
		l.end()
	}
	s.main, s.others, s.alone = nil, nil, nil
}

// Do does one step in the main life.
func (s *subject) Do(ctx context.Context, call scenario.Call) (scenario.Result, error) {
	if d, ok := call.Action.(scenario.Delay); ok {
		return s.delay(d)
	}
	if _, ok := call.Action.(scenario.Restart); ok && s.main != nil {
		return result("ok"), s.restart()
	}
	if s.main == nil {
		if err := s.begin(); err != nil {
			return nil, err
		}
	}
	if _, ok := call.Action.(scenario.Restart); ok {
		return result("ok"), nil // nothing was there to die
	}
	return s.main.do(ctx, call)
}

// begin makes the first process, on an empty database.
func (s *subject) begin() (err error) {
	s.database.empty()
	s.main, err = s.start()
	if s.database.made(err) {
		return err
	}
	s.end()
	return s.begin()
}

// restart is the death of every process, and a new one on the same database.
func (s *subject) restart() (err error) {
	s.end()
	s.main, err = s.start()
	return err
}

// during does the steps of those who work during a send, over a connection of their own.
type during struct{ *subject }

func (s during) Do(ctx context.Context, call scenario.Call) (scenario.Result, error) {
	if s.others == nil {
		l, err := s.start()
		if err != nil {
			return nil, err
		}
		s.others = l
	}
	return s.others.do(ctx, call)
}

// delay does a delay step. What the student rejects has no names: they are not asked of him.
func (s *subject) delay(d scenario.Delay) (scenario.Result, error) {
	n, err := s.wait(d)
	if r, ok := raised(err, rejected); ok {
		return result("rejected", s.host.note(r)), nil
	}
	if err != nil {
		return nil, err
	}
	return result("ok", scenario.Field{Name: "value", Value: n}), nil
}

// wait asks the code for a delay, ms.
func (s *subject) wait(d scenario.Delay) (int64, error) {
	if s.alone == nil {
		l := &life{subject: s}
		if err := l.load(); err != nil {
			return 0, err
		}
		s.alone = l
	}
	got, err := s.alone.call("retry_delay", []any{value(d.Attempt), value(d.BaseMS), value(d.CapMS), value(d.Jitter)}, nil)
	if err != nil {
		return 0, err
	}
	n, err := whole("retry_delay", "", got)
	return n, s.language.named(err)
}

// A Raised is an error that came out of a student's code.
type Raised struct {
	Type    string `json:"type"`    // as the language calls it: ValueError, RangeError
	Is      is     `json:"is"`      // what it means to the lab
	Message string `json:"message"` // the student's
	Line    int    `json:"line"`    // of the student's program, from 1; 0 when none is known
	Trace   string `json:"trace"`   // the student's part of it
}

func (r *Raised) Error() string {
	text := r.Type
	if r.Message != "" {
		text += ": " + r.Message
	}
	if r.Line > 0 {
		text += fmt.Sprintf(" (line %d)", r.Line)
	}
	return text
}

// An is says what an error means to the lab.
type is string

const (
	rejected  is = "rejected"   // ValueError, TypeError; RangeError, TypeError
	conflict  is = "conflict"   // Conflict
	leaseLost is = "lease_lost" // LeaseLost
	clockBack is = "clock_back" // ClockWentBack
	sentError is = "sent"       // the unknown error that send raised, itself
	missing   is = "missing"    // the code has no function of that name
	died      is = "died"       // the end of a process that the code had caught
	other     is = "other"
)

// raised tells whether an error is a Raised of one of these meanings.
func raised(err error, meanings ...is) (*Raised, bool) {
	var r *Raised
	if errors.As(err, &r) {
		for _, m := range meanings {
			if r.Is == m {
				return r, true
			}
		}
	}
	return nil, false
}

func result(word string, more ...scenario.Field) scenario.Result {
	return append(scenario.Result{{Name: "result", Value: word}}, more...)
}

// An Ended is the end of a program's interpreter, by what the program did to it.
type Ended struct{ Why string }

func (e *Ended) Error() string { return e.Why }

// ask has a program do a call, keeps what it prints meanwhile, and tells it which lives are gone. The error
// is a *Raised, or a fault of the program's host.
func (h *Host) ask(program Program, c call) (any, error) {
	c.Gone, h.gone = h.gone, nil
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var a answer
	decoder := json.NewDecoder(strings.NewReader(program.Do(string(text))))
	decoder.UseNumber()
	if err := decoder.Decode(&a); err != nil {
		return nil, &Raised{Is: other, Type: "Broken", Message: "the program has changed what the lab itself works with, such as JSON or a prototype"}
	}
	if a.Ended != "" {
		h.ended = &Ended{a.Ended}
		return nil, h.ended
	}
	if room := maxPrinted - len(h.printed); room > 0 {
		h.printed += a.Printed[:min(room, len(a.Printed))]
	}
	if a.Raised != nil {
		return nil, a.Raised
	}
	return a.OK, nil
}

// Delay asks the program that is loaded for one delay, ms, of any arguments. The error is a [*Raised], also
// when the program rejects them, or a [*WrongType].
func (j *Judge) Delay(d scenario.Delay) (int64, error) {
	s := &subject{program: j.Program, host: j.Host, language: j.Language}
	defer s.end()
	return s.wait(d)
}
