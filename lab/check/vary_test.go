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

// Where a delay is floored, times as long a policy does not give times as long a delay: its lengths stay.
func TestALengthThatIsFlooredStays(t *testing.T) {
	source := "name: floored\npolicy: {base_ms: 7, cap_ms: 1000, jitter: 0.5}\nsteps:\n" +
		"- {at: 0, enqueue: {id: a, max_attempts: 3, deadline: 10000}, expect: {result: created}}\n" +
		"- {at: 0, run: {send: retryable}, expect: {result: retry, available_at: 3}}\n"
	scenarios, err := scenario.Parse("floored", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	maker, _ := mutant.Subject("reference", memory.Home{})
	for seed := range uint64(20) {
		varied, err := check.Check{Scenario: scenarios[0], Slug: "floored", Source: source}.Vary(seed)
		if err != nil {
			t.Fatal(err)
		}
		if trace, err := scenario.Play(t.Context(), varied.Scenario, maker); err != nil || !trace.Pass {
			t.Errorf("seed %d: step %s: %s (%v)\n%s", seed, trace.Where, trace.Why, err, varied.Source)
		}
	}
}
