package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"retrylab/lab/memory"
	"retrylab/lab/scenario"
)

func reference() scenario.Maker {
	return scenario.NewReference(memory.Home{}, func() (scenario.Rules, error) { return scenario.ReferenceRules(), nil })
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
				trace, err := scenario.Play(t.Context(), s, reference())
				if err != nil {
					t.Fatal(err)
				}
				if !trace.Pass {
					t.Errorf("step %s: %s", trace.Where, trace.Why)
				}
			})
		}
	}
}
