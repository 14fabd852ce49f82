package scenario_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"retrylab/lab/memory"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// FuzzParse reads any bytes as a scenario file. They are refused with the places of their faults, or
// give scenarios that can be played; nothing panics or takes for ever.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/cases/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		for document := range bytes.SplitSeq(data, []byte("\n---")) {
			f.Add(document)
		}
	}
	for _, text := range []string{"", "a", "[", "name: x\nsteps: []", "name: x\nsteps:\n- {run: {send: ok, takes: -1, during: [{stats: true}]}}", "- \xff", "name: &a x\nsteps: *a"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		scenarios, err := scenario.Parse("f.yaml", data)
		if err != nil {
			problems := scenario.Problems(err)
			if len(problems) == 0 {
				t.Fatalf("no place in: %v", err)
			}
			lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
			for _, p := range problems {
				if p.File != "f.yaml" || p.Line < 1 || p.Line > lines || p.Column < 1 || p.Message == "" {
					t.Fatalf("%+v in a file of %d lines", p, lines)
				}
			}
			return
		}
		for _, s := range scenarios[:min(len(scenarios), 3)] {
			if s.Name == "" {
				t.Fatalf("a scenario without a name: %+v", s)
			}
			if len(s.Steps) > 30 {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			trace, err := scenario.Play(ctx, s, reference(memory.Home{}))
			cancel()
			var problem *source.Problem
			if err != nil && !errors.As(err, &problem) {
				t.Fatalf("%v", err)
			}
			if err == nil && !trace.Pass && (trace.Where == "" || trace.Why == "") {
				t.Fatalf("failed and says nothing: %+v", trace)
			}
			for _, step := range trace.Steps {
				if step.Err != nil {
					t.Fatalf("step %s: %v", step.No, step.Err)
				}
			}
		}
	})
}
