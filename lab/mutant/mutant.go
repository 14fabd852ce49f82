// Package mutant has the misunderstandings that the lab knows: the reference with one small change
// each (SPEC.md section 8). A change of a named SQL statement must apply exactly once, so that no
// mutant silently becomes the reference again when the queue is rewritten.
package mutant

import (
	"fmt"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

// A Mutant is one misunderstanding. Its title and explanation stand in the catalogue, under
// mutant.NAME.title and mutant.NAME.why.
type Mutant struct {
	Name    string
	Group   Group
	NamedBy string // the name of the check that names its misunderstanding
	change  change
}

// A Group is the part of the rules that a mutant misunderstands.
type Group string

// Groups, in the order of SPEC.md section 8.
const (
	Delay    Group = "delay"
	Boundary Group = "boundary"
	Enqueue  Group = "enqueue"
	Budget   Group = "budget"
	Leases   Group = "leases"
	Failures Group = "failures"
	Watching Group = "watching"
)

// A change makes the reference's rules the mutant's.
type change func(*scenario.Rules) error

// All are the mutants, in the order of SPEC.md section 8.
func All() []Mutant { return all }

// Find is the mutant of a name.
func Find(name string) (Mutant, bool) {
	for _, m := range all {
		if m.Name == name {
			return m, true
		}
	}
	return Mutant{}, false
}

// Rules are the mutant's rules.
func (m Mutant) Rules() (scenario.Rules, error) {
	rules := scenario.ReferenceRules()
	if err := m.change(&rules); err != nil {
		return rules, fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	return rules, nil
}

// Maker makes the mutant as a subject on databases of a home.
func (m Mutant) Maker(home scenario.Home) scenario.Maker { return scenario.NewReference(home, m.Rules) }

// Subject is the reference for "" and "reference", and else the mutant of that name.
func Subject(name string, home scenario.Home) (scenario.Maker, bool) {
	if name == "" || name == "reference" {
		return scenario.NewReference(home, func() (scenario.Rules, error) { return scenario.ReferenceRules(), nil }), true
	}
	m, ok := Find(name)
	return m.Maker(home), ok
}

// edit changes one statement or fragment of the queue.
func edit(statement, old, text string) change {
	return func(r *scenario.Rules) error { return r.Parts.Edit(statement, old, text) }
}

// without takes CHECKs out of the table that the change would break.
func without(checks ...string) change {
	return func(r *scenario.Rules) error {
		for _, name := range checks {
			if err := r.Parts.DropCheck(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// step changes a pure step.
func step(f func(*scenario.Rules)) change {
	return func(r *scenario.Rules) error {
		f(r)
		return nil
	}
}

// both makes several changes: one misunderstanding may show in more than one place.
func both(changes ...change) change {
	return func(r *scenario.Rules) error {
		for _, c := range changes {
			if err := c(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// delay replaces the delay. The arguments were checked before.
func delay(f func(attempt, base, cap int64, jitter float64) int64) change {
	return step(func(r *scenario.Rules) {
		r.Parts.Delay = func(attempt, base, cap int64, jitter float64) (int64, error) {
			return f(attempt, base, cap, jitter), nil
		}
	})
}

// onAgain changes the row when its id is enqueued again, where the reference only looks at it.
func onAgain(set string) change {
	const look = "SELECT state, dead_reason, payload = :payload FROM job WHERE id = :id"
	return edit("existing", look, "UPDATE job SET "+set+" WHERE id = :id RETURNING state, dead_reason, payload = :payload")
}

// lenient takes for a whole number, and for a jitter, what the real check rejects with a fault.
func lenient(fault retry.Fault, whole func(v retry.Value, lo, hi int64) int64, jitter func(retry.Value) float64) change {
	return step(func(r *scenario.Rules) {
		r.Whole = func(v retry.Value, lo, hi int64) (int64, retry.Fault) {
			n, f := v.Whole(lo, hi)
			if f == fault {
				return min(max(whole(v, lo, hi), lo), hi), ""
			}
			return n, f
		}
		r.Jitter = func(v retry.Value) (float64, retry.Fault) {
			j, f := v.Jitter()
			if f == fault && jitter != nil {
				return min(max(jitter(v), 0), 1), ""
			}
			return j, f
		}
	})
}

// classify changes how a send's error is judged.
func classify(f func(err error, judged queue.Failure) queue.Failure) change {
	return step(func(r *scenario.Rules) {
		judge := r.Parts.Classify
		r.Parts.Classify = func(err error) queue.Failure { return f(err, judge(err)) }
	})
}

// as gives an error of one class another.
func as(from, to retry.Class) change {
	return classify(func(_ error, f queue.Failure) queue.Failure {
		if f.Class == from {
			f.Class = to
		}
		return f
	})
}

// wait changes how the delay and the server's Retry-After are joined.
func wait(f func(delay, asked, cap int64) int64) change {
	return step(func(r *scenario.Rules) {
		r.Parts.Wait = func(delay, retryAfter, cap int64, asked bool) int64 {
			if !asked {
				return delay
			}
			return f(delay, retryAfter, cap)
		}
	})
}
