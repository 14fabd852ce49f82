package check_test

import (
	"testing"

	"retrylab/lab/check"
	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

func TestTheReferencePassesEveryVariedCheck(t *testing.T) {
	maker, _ := mutant.Subject("reference", memory.Home{})
	maker, end := scenario.Reusing(maker)
	defer end()
	same := 0
	for _, c := range check.All() {
		for seed := range uint64(4) {
			varied, err := c.Vary(seed)
			if err != nil {
				t.Fatal(err)
			}
			if varied.Source == c.Source {
				same++
			}
			trace, err := scenario.Play(t.Context(), varied.Scenario, maker)
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.Slug, err, varied.Source)
			}
			if !trace.Pass {
				t.Errorf("%s, seed %d: step %s: %s\n%s", c.Slug, seed, trace.Where, trace.Why, varied.Source)
				break
			}
			again, _ := c.Vary(seed)
			if again.Source != varied.Source {
				t.Errorf("%s: seed %d gives two scenarios", c.Slug, seed)
			}
		}
	}
	if same > 0 {
		t.Errorf("%d varied checks are the visible ones", same)
	}
}

// A varied check keeps its teeth: most mutants fail the varied form of the check that names them.
func TestMutantsFailVariedChecks(t *testing.T) {
	missed := 0
	for _, m := range mutant.All() {
		c, _ := check.Find(check.SlugOf(m.NamedBy))
		found := false
		for seed := range uint64(3) {
			varied, err := c.Vary(seed)
			if err != nil {
				t.Fatal(err)
			}
			trace, err := scenario.Play(t.Context(), varied.Scenario, m.Maker(memory.Home{}))
			if err != nil {
				t.Fatal(err)
			}
			found = found || !trace.Pass
		}
		if !found {
			missed++
			t.Logf("%s passes the varied %q", m.Name, m.NamedBy)
		}
	}
	if missed > 3 {
		t.Errorf("%d mutants pass", missed)
	}
}
