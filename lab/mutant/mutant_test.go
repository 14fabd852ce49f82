package mutant_test

import (
	"testing"

	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/queue"
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
