package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

// TestAReusedSubjectPlaysAsANewOne plays every case on a new subject and on one that has played all the
// cases before it, for the reference and for mutants that lock, crash and bury.
func TestAReusedSubjectPlaysAsANewOne(t *testing.T) {
	files, _ := filepath.Glob("testdata/cases/*.yaml")
	for _, name := range []string{"reference", "lock_held_during_send", "counts_at_failure", "budget_in_memory", "unfenced_complete"} {
		maker, ok := mutant.Subject(name, memory.Home{})
		if !ok {
			t.Fatal(name)
		}
		reusing, end := scenario.Reusing(maker)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			scenarios, err := scenario.Parse(file, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scenarios {
				fresh, err := scenario.Play(t.Context(), s, maker)
				if err != nil {
					t.Fatal(err)
				}
				reused, err := scenario.Play(t.Context(), s, reusing)
				if err != nil {
					t.Fatal(err)
				}
				if fresh.Pass != reused.Pass || fresh.Where != reused.Where || fresh.Why != reused.Why {
					t.Errorf("%s: %s: new: %v %s %s, reused: %v %s %s", name, s.Name, fresh.Pass, fresh.Where, fresh.Why, reused.Pass, reused.Where, reused.Why)
				}
			}
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}
