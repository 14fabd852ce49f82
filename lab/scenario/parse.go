package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"retrylab/lab/retry"
	"retrylab/lab/source"
)

// MaxFile is how many bytes of a scenario file are read.
const MaxFile = 16 << 20

// Parse reads a file of scenarios, one document each. The error joins a [*source.Problem] for each
// fault of the file, in the order of the lines.
func Parse(file string, data []byte) ([]*Scenario, error) {
	documents, err := source.Documents(file, data, MaxFile)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 {
		return nil, &source.Problem{File: file, Line: 1, Column: 1, Message: "the file has no scenario, expected name and steps"}
	}
	p := &parser{}
	scenarios := make([]*Scenario, 0, len(documents))
	for _, document := range documents {
		scenarios = append(scenarios, p.scenario(document))
	}
	return scenarios, p.err()
}

// Problems are the faults that an error of [Parse] or [Play] joins.
func Problems(err error) []*source.Problem {
	var one *source.Problem
	var several interface{ Unwrap() []error }
	switch {
	case errors.As(err, &several):
		var all []*source.Problem
		for _, e := range several.Unwrap() {
			all = append(all, Problems(e)...)
		}
		return all
	case errors.As(err, &one):
		return []*source.Problem{one}
	}
	return nil
}

// ParseNode reads one scenario that stands inside another file.
func ParseNode(node source.Node) (*Scenario, error) {
	p := &parser{}
	s := p.scenario(node)
	return s, p.err()
}

// ParseSteps reads a list of steps that stands inside another file.
func ParseSteps(node source.Node) ([]Step, error) {
	p := &parser{}
	steps := p.steps(node, false)
	return steps, p.err()
}

type parser struct {
	problems []error
}

func (p *parser) err() error {
	slices.SortStableFunc(p.problems, func(a, b error) int {
		x, y := a.(*source.Problem), b.(*source.Problem)
		if x.Line != y.Line {
			return x.Line - y.Line
		}
		return x.Column - y.Column
	})
	if len(p.problems) == 1 {
		return p.problems[0]
	}
	return errors.Join(p.problems...)
}

func (p *parser) fault(n source.Node, format string, args ...any) {
	p.problems = append(p.problems, n.Problem(format, args...))
}

// fields checks that a node is a map of known keys with all required ones, and calls the function of
// each key.
func (p *parser) fields(n source.Node, what string, required []string, known map[string]func(source.Node)) {
	if n.Kind != source.Map {
		p.fault(n, "%s is %s, expected a map with %s", what, n.Kind, list(known))
		return
	}
	for _, e := range n.Entries {
		read, ok := known[e.Key]
		if !ok {
			p.fault(e.At, "unknown key %q in %s%s, expected %s", e.Key, what, meant(e.Key, slices.Collect(maps.Keys(known))), list(known))
			continue
		}
		read(e.Value)
	}
	for _, key := range required {
		if _, ok := n.Get(key); !ok {
			p.fault(n, "%s has no %s", what, key)
		}
	}
}

// meant is the name that was probably meant, for a message.
func meant(name string, known []string) string {
	slices.Sort(known)
	return strings.TrimSuffix(source.DidYouMean(name, known), "?")
}

func list[V any](known map[string]V) string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (p *parser) scenario(n source.Node) *Scenario {
	s := &Scenario{Policy: DefaultPolicy, File: n.File, Line: n.Line}
	p.fields(n, "a scenario", []string{"name", "steps"}, map[string]func(source.Node){
		"name":   p.text("name", &s.Name),
		"policy": func(n source.Node) { p.policy(n, &s.Policy) },
		"steps":  func(n source.Node) { s.Steps = p.steps(n, false) },
	})
	return s
}

func (p *parser) policy(n source.Node, policy *Policy) {
	p.fields(n, "policy", nil, map[string]func(source.Node){
		"base_ms":  p.whole("base_ms", 1, &policy.BaseMS),
		"cap_ms":   p.whole("cap_ms", 1, &policy.CapMS),
		"lease_ms": p.whole("lease_ms", 1, &policy.LeaseMS),
		"jitter": func(n source.Node) {
			j, fault := n.Value().Jitter()
			if fault != "" {
				p.fault(n, "%s", retry.BadArg{Name: "jitter", Fault: fault, Want: retry.WantJitter()})
			}
			policy.Jitter = j
		},
	})
}

func (p *parser) text(name string, to *string) func(source.Node) {
	return func(n source.Node) {
		s, ok := n.Value().Text()
		if !ok {
			p.fault(n, "%s is %s, expected text", name, n.Flow())
		}
		*to = s
	}
}

// whole reads a whole number lo..Max.
func (p *parser) whole(name string, lo int64, to *int64) func(source.Node) {
	return func(n source.Node) {
		i, fault := n.Value().Whole(lo, retry.Max)
		if fault != "" {
			p.fault(n, "%s", retry.BadArg{Name: name, Fault: fault, Want: retry.WantWhole(lo, retry.Max)})
		}
		*to = i
	}
}

// signed reads a whole number -Max..Max.
func (p *parser) signed(name string, to *int64) func(source.Node) {
	return func(n source.Node) {
		v, sign := n.Value(), int64(1)
		if digits, ok := strings.CutPrefix(n.Text, "-"); ok && n.Plain && v.Type() == retry.TypeNumber {
			v, sign = retry.ParsePlain(digits), -1
		}
		i, fault := v.Whole(0, retry.Max)
		if fault != "" {
			p.fault(n, "%s", retry.BadArg{Name: name, Fault: fault, Want: retry.WantWhole(-retry.Max, retry.Max)})
		}
		*to = sign * i
	}
}

func (p *parser) boolean(name string, to *bool) func(source.Node) {
	return func(n source.Node) {
		b, ok := n.Value().Bool()
		if !ok {
			p.fault(n, "%s is %s, expected true or false", name, n.Flow())
		}
		*to = b
	}
}

// onlyTrue reads the true of restart and stats.
func (p *parser) onlyTrue(name string) func(source.Node) {
	return func(n source.Node) {
		if b, ok := n.Value().Bool(); !ok || !b {
			p.fault(n, "%s is %s, expected true", name, n.Flow())
		}
	}
}

// raw keeps a value as it stands, for the subject to judge.
func raw(to *retry.Value) func(source.Node) {
	return func(n source.Node) { *to = n.Value() }
}

func (p *parser) send(to *Send, allowed ...Send) func(source.Node) {
	return func(n source.Node) {
		s, ok := n.Value().Text()
		if !ok || !slices.Contains(allowed, Send(s)) {
			names := make([]string, len(allowed))
			for i, a := range allowed {
				names[i] = string(a)
			}
			p.fault(n, "send is %s, expected %s", n.Flow(), strings.Join(names, ", "))
		}
		*to = Send(s)
	}
}

// retryAfter reads retry_after_ms, where null means not given.
func (p *parser) retryAfter(to *int64) func(source.Node) {
	return func(n source.Node) {
		if n.Value().Given() {
			p.whole("retry_after_ms", 0, to)(n)
		}
	}
}

func (p *parser) steps(n source.Node, inside bool) []Step {
	if n.Kind != source.List {
		p.fault(n, "steps are %s, expected a list", n.Kind)
		return nil
	}
	steps := make([]Step, len(n.Items))
	for i, item := range n.Items {
		steps[i] = p.step(item, inside)
	}
	return steps
}

// actionNames are the names of the steps.
var actionNames = []string{
	"enqueue", "run", "claim", "complete", "fail", "extend", "requeue", "purge", "restart", "job", "stats", "delay",
}

func (p *parser) step(n source.Node, inside bool) Step {
	s := Step{File: n.File, Line: n.Line, Column: n.Column}
	if n.Kind != source.Map {
		p.fault(n, "a step is %s, expected a map", n.Kind)
		return s
	}
	var action, expect *source.Entry
	for i, e := range n.Entries {
		switch {
		case e.Key == "at":
			p.whole("at", 0, &s.At)(e.Value)
			s.HasAt = true
		case e.Key == "expect":
			expect = &n.Entries[i]
		case !slices.Contains(actionNames, e.Key):
			p.fault(e.At, "unknown key %q in a step%s, expected at, expect, or one of %s", e.Key, meant(e.Key, append([]string{"at", "expect"}, actionNames...)), strings.Join(actionNames, ", "))
			return s
		case action != nil:
			p.fault(e.At, "a step does one thing, but this one has %s and %s", action.Key, e.Key)
			return s
		default:
			action = &n.Entries[i]
		}
	}
	if action == nil {
		p.fault(n, "a step does one thing, but this one has none of %s", strings.Join(actionNames, ", "))
		return s
	}
	s.Text = action.Key + " " + shown(action.Value)
	s.Action = p.action(action, &s, inside)
	if expect != nil {
		s.Expect = p.expect(expect.Value, action.Key)
	}
	return s
}

// shown is an action's value without the steps during it.
func shown(n source.Node) string {
	if _, ok := n.Get("during"); ok {
		n.Entries = slices.DeleteFunc(slices.Clone(n.Entries), func(e source.Entry) bool { return e.Key == "during" })
	}
	return n.Flow()
}

func (p *parser) action(e *source.Entry, s *Step, inside bool) Action {
	switch e.Key {
	case "enqueue":
		a := Enqueue{Payload: retry.Text("")}
		p.fields(e.Value, "enqueue", []string{"id", "max_attempts", "deadline"}, map[string]func(source.Node){
			"id": raw(&a.ID), "payload": raw(&a.Payload), "max_attempts": raw(&a.MaxAttempts),
			"deadline": raw(&a.Deadline), "available_at": raw(&a.AvailableAt),
		})
		return a
	case "run":
		return p.run(e.Value, s, inside)
	case "claim":
		var a Claim
		p.text("claim", &a.Worker)(e.Value)
		return a
	case "complete":
		var a Complete
		p.text("complete", &a.Worker)(e.Value)
		return a
	case "fail":
		var a Fail
		p.fields(e.Value, "fail", []string{"worker", "send"}, map[string]func(source.Node){
			"worker": p.text("worker", &a.Worker), "send": p.send(&a.Send, Retryable, Permanent),
			"error": p.text("error", &a.Error), "retry_after_ms": p.retryAfter(&a.RetryAfterMS),
		})
		if _, ok := e.Value.Get("error"); !ok {
			a.Error = string(a.Send)
		}
		return a
	case "extend":
		var a Extend
		p.text("extend", &a.Worker)(e.Value)
		return a
	case "requeue":
		var a Requeue
		p.fields(e.Value, "requeue", []string{"id", "max_attempts", "deadline"}, map[string]func(source.Node){
			"id": raw(&a.ID), "max_attempts": raw(&a.MaxAttempts), "deadline": raw(&a.Deadline),
		})
		return a
	case "purge":
		var a Purge
		p.fields(e.Value, "purge", []string{"before"}, map[string]func(source.Node){"before": p.whole("before", 0, &a.Before)})
		return a
	case "restart":
		p.onlyTrue("restart")(e.Value)
		if inside {
			p.fault(e.At, "no restart inside during")
		}
		return Restart{}
	case "job":
		var a Job
		p.text("job", &a.ID)(e.Value)
		return a
	case "stats":
		p.onlyTrue("stats")(e.Value)
		return Stats{}
	}
	var a Delay
	p.fields(e.Value, "delay", []string{"attempt", "base_ms", "cap_ms", "jitter"}, map[string]func(source.Node){
		"attempt": raw(&a.Attempt), "base_ms": raw(&a.BaseMS), "cap_ms": raw(&a.CapMS), "jitter": raw(&a.Jitter),
	})
	return a
}

func (p *parser) run(n source.Node, s *Step, inside bool) Action {
	a := Run{Send: OK}
	p.fields(n, "run", nil, map[string]func(source.Node){
		"send": p.send(&a.Send, OK, Retryable, Permanent, Unknown, Crash), "takes": p.signed("takes", &a.Takes),
		"error": p.text("error", &a.Error), "retry_after_ms": p.retryAfter(&a.RetryAfterMS),
		"wrapped": p.boolean("wrapped", &a.Wrapped),
		"during": func(n source.Node) {
			if inside {
				p.fault(n, "no further during inside during")
				return
			}
			s.During = p.steps(n, true)
		},
	})
	if _, ok := n.Get("error"); !ok {
		a.Error = string(a.Send)
	}
	if inside && a.Send == Crash {
		p.fault(n, "no crash inside during")
	}
	return a
}

// resultFields are the fields of each step's result (SPEC.md section 9).
var resultFields = map[string][]string{
	"enqueue":  {"result", "state", "reason"},
	"run":      {"result", "id", "available_at", "reason"},
	"claim":    {"result", "id", "attempts"},
	"complete": {"result"},
	"fail":     {"result", "available_at", "reason"},
	"extend":   {"result", "lease_until"},
	"requeue":  {"result"},
	"purge":    {"result", "count"},
	"restart":  {"result"},
	"job": {"result", "id", "payload", "state", "attempts", "max_attempts", "available_at", "deadline", "lease_until",
		"last_error", "dead_reason"},
	"stats": {"pending", "due", "leased", "expired", "done", "dead", "dead_exhausted", "dead_deadline",
		"dead_permanent", "retries", "oldest_due_ms", "oldest_open_ms"},
	"delay": {"result", "value", "names"},
}

// ResultFields are the fields that a step of this name can give, in order, or nil.
func ResultFields(action string) []string { return slices.Clone(resultFields[action]) }

func (p *parser) expect(n source.Node, action string) []Expectation {
	if n.Kind != source.Map {
		p.fault(n, "expect is %s, expected a map with %s", n.Kind, strings.Join(resultFields[action], ", "))
		return nil
	}
	var wants []Expectation
	for _, e := range n.Entries {
		if !slices.Contains(resultFields[action], e.Key) {
			p.fault(e.At, "unknown key %q%s: %s gives %s", e.Key, meant(e.Key, ResultFields(action)), action, strings.Join(resultFields[action], ", "))
			continue
		}
		want := Wanted{Value: e.Value.Value(), Text: e.Value.Flow()}
		for _, item := range e.Value.Items {
			want.Items = append(want.Items, item.Value())
		}
		wants = append(wants, Expectation{e.Key, want})
	}
	return wants
}

// Equal compares a result's value with the wanted one: a number by its value, a text as it is, null
// with null only.
func (w Wanted) Equal(got any) bool {
	switch got := got.(type) {
	case nil:
		return w.Value.Type() == retry.TypeNull
	case int64:
		n, fault := w.Value.Whole(0, retry.Max)
		return fault == "" && n == got
	case string:
		s, ok := w.Value.Text()
		return ok && s == got
	case []string:
		if w.Value.Type() != retry.TypeList || len(w.Items) != len(got) {
			return false
		}
		for i, item := range w.Items {
			if s, ok := item.Text(); !ok || s != got[i] {
				return false
			}
		}
		return true
	}
	return false
}

// Show is a result's value as it would stand in a file.
func Show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return source.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = source.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return fmt.Sprint(v)
}
