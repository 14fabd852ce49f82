package mutant_test

import (
	"fmt"
	"testing"

	"retrylab/lab/check"
	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/queue"
	"retrylab/lab/scenario"
)

// TestEveryMutantIsSQLThatRuns keeps a mutant from being caught only because SQLite refuses it.
func TestEveryMutantIsSQLThatRuns(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutant.All() {
		if seen[m.Name] {
			t.Errorf("two mutants are called %s", m.Name)
		}
		seen[m.Name] = true
		rules, err := m.Rules()
		if err != nil {
			t.Error(err)
			continue
		}
		database, err := memory.Home{}.Fresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		db, err := database.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		q, err := queue.Open(t.Context(), db, queue.Options{Parts: rules.Parts})
		if err == nil {
			err = q.Prepare(t.Context())
		}
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if q != nil {
			q.Close()
		}
		if rules.Reopen != "" {
			if _, err := db.ExecContext(t.Context(), rules.Reopen); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
		db.Close()
		database.Remove()
	}
}

// TestEveryMutantDoesTheSameWithoutCalls plays the lab's checks on the reference and on every mutant, on both
// ways in which a queue runs its statements (queue.Call): every step has the same outcome, the wrong ones and
// the errors included.
func TestEveryMutantDoesTheSameWithoutCalls(t *testing.T) {
	names := []string{"reference"}
	for _, m := range mutant.All() {
		names = append(names, m.Name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := func(home memory.Home) (told []string) {
				maker, _ := mutant.Subject(name, home)
				maker, end := scenario.Reusing(maker)
				defer end()
				for _, c := range check.All() {
					trace, err := scenario.Play(t.Context(), c.Scenario, maker)
					if err != nil {
						t.Fatal(err)
					}
					for _, s := range trace.Steps {
						told = append(told, fmt.Sprintf("%s, step %s: %v %v %v %v %v", c.Name(), s.No, s.Reached, s.Got, s.Differences, s.Err, s.Row))
					}
				}
				return told
			}
			calls, plain := told(memory.Home{}), told(memory.Home{Plain: true})
			for i := range min(len(calls), len(plain)) {
				if calls[i] != plain[i] {
					t.Fatalf("in calls: %s\nplainly: %s", calls[i], plain[i])
				}
			}
			if len(calls) != len(plain) {
				t.Errorf("%d steps in calls, %d plainly", len(calls), len(plain))
			}
		})
	}
}

func TestAChangeThatNoLongerAppliesIsAnError(t *testing.T) {
	parts := queue.ReferenceParts()
	for _, err := range []error{
		parts.Edit("late", "not there", ""), parts.Edit("nothing", "", ""), parts.Edit("fail", "{verdict}", ""), parts.DropCheck("no_such_check"),
	} {
		if err == nil {
			t.Error("a change that applies nowhere, or in several places, is no error")
		}
	}
	if err := parts.DropCheck("deadline_in_range"); err != nil {
		t.Error(err)
	}
}
