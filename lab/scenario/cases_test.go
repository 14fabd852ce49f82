package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"retrylab/lab/memory"
	"retrylab/lab/scenario"
)

// homes are the two ways in which a queue runs its statements.
var homes = map[string]memory.Home{"in calls": {}, "plainly": {Plain: true}}

func reference(home memory.Home) scenario.Maker {
	return scenario.NewReference(home, func() (scenario.Rules, error) { return scenario.ReferenceRules(), nil })
}

func TestReferenceHoldsEveryCase(t *testing.T) {
	files, _ := filepath.Glob("testdata/cases/*.yaml")
	if len(files) == 0 {
		t.Fatal("no case files")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scenarios, err := scenario.Parse(filepath.Base(file), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scenarios {
			t.Run(s.Name, func(t *testing.T) {
				for name, home := range homes {
					trace, err := scenario.Play(t.Context(), s, reference(home))
					if err != nil {
						t.Fatal(err)
					}
					if !trace.Pass {
						t.Errorf("%s: step %s: %s", name, trace.Where, trace.Why)
					}
				}
			})
		}
	}
}
