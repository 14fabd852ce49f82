package student

import (
	"slices"

	"retrylab/lab/check"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

// Checks are the lab's checks for a language: those that every queue is judged by, as far as they are
// asked of a student, and the lab's own beside the scenarios.
func Checks(language Language) []check.Check {
	var checks []check.Check
	for _, c := range check.All() {
		if askedOf(c.Scenario.Steps) {
			checks = append(checks, c)
		}
	}
	return append(checks, Own(language)...)
}

// askedOf says whether a student is asked for all steps: not for a purge, and not for numbers that his
// language rounds before he sees them, when that changes whether they are right.
func askedOf(steps []scenario.Step) bool {
	return !slices.ContainsFunc(steps, func(s scenario.Step) bool {
		values := []retry.Value{}
		switch a := s.Action.(type) {
		case scenario.Purge:
			return true
		case scenario.Delay:
			values = []retry.Value{a.Attempt, a.BaseMS, a.CapMS, a.Jitter}
		case scenario.Enqueue:
			values = []retry.Value{a.MaxAttempts, a.Deadline, a.AvailableAt}
		case scenario.Requeue:
			values = []retry.Value{a.MaxAttempts, a.Deadline}
		}
		return slices.ContainsFunc(values, func(v retry.Value) bool { return !same(v) }) || !askedOf(s.During)
	})
}

// same says whether a number is as right or wrong once it is a float64.
func same(v retry.Value) bool {
	f, ok := v.Number()
	if !ok {
		return true
	}
	_, exact := v.Whole(0, retry.Max)
	_, rounded := retry.Float(f).Whole(0, retry.Max)
	_, exactJitter := v.Jitter()
	_, roundedJitter := retry.Float(f).Jitter()
	return exact == rounded && exactJitter == roundedJitter || exact == retry.FaultFraction && rounded == retry.FaultFraction
}

// asked is a scenario without what is not asked of a student: the names of what a delay rejects.
func asked(s *scenario.Scenario) *scenario.Scenario {
	copied := *s
	copied.Steps = slices.Clone(s.Steps)
	for i := range copied.Steps {
		step := &copied.Steps[i]
		if _, ok := step.Action.(scenario.Delay); ok {
			step.Expect = slices.DeleteFunc(slices.Clone(step.Expect), func(e scenario.Expectation) bool { return e.Field == "names" })
		}
	}
	return &copied
}
