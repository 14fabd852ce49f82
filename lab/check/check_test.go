package check_test

import (
	"slices"
	"testing"

	"retrylab/lab/check"
	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

// failed are the names of the checks that a subject fails.
func failed(t *testing.T, maker scenario.Maker) (names []string) {
	t.Helper()
	maker, end := scenario.Reusing(maker)
	defer end()
	for _, c := range check.All() {
		trace, err := scenario.Play(t.Context(), c.Scenario, maker)
		if err != nil {
			t.Fatalf("%s: %v", c.Name(), err)
		}
		if !trace.Pass {
			names = append(names, c.Name())
			t.Logf("%s: step %s: %s", c.Name(), trace.Where, trace.Why)
		}
	}
	return names
}

func TestReferencePassesEveryCheck(t *testing.T) {
	maker, _ := mutant.Subject("reference", memory.Home{})
	if names := failed(t, maker); len(names) > 0 {
		t.Errorf("the reference fails %q", names)
	}
}

func TestEveryMutantFailsTheCheckThatNamesIt(t *testing.T) {
	names := map[string]bool{}
	for _, c := range check.All() {
		if names[c.Name()] || c.Slug == "" {
			t.Errorf("two checks are called %q", c.Name())
		}
		names[c.Name()] = true
	}
	for _, m := range mutant.All() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			if !names[m.NamedBy] {
				t.Fatalf("no check is called %q", m.NamedBy)
			}
			if found := failed(t, m.Maker(memory.Home{})); !slices.Contains(found, m.NamedBy) {
				t.Errorf("%q passes; it fails %q", m.NamedBy, found)
			}
		})
	}
}
