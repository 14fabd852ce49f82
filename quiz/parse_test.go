package quiz_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retrylab/lab/scenario"
	"retrylab/lab/source"
	"retrylab/quiz"
)

// TestProblemsAreToldWhereTheyAre holds every message to the golden file beside its quiz.
func TestProblemsAreToldWhereTheyAre(t *testing.T) {
	files, _ := filepath.Glob("testdata/broken/*.yaml")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	s := newSolver(t)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		q, err := quiz.Parse(filepath.Base(file), data)
		problems := scenario.Problems(err)
		if err == nil {
			if problems, err = s.Check(t.Context(), q, quiz.CheckOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		golden(t, strings.TrimSuffix(file, "yaml")+"txt", lines(problems))
	}
}

func lines(problems []*source.Problem) string {
	var out strings.Builder
	for _, p := range problems {
		out.WriteString(p.Error() + "\n")
	}
	return out.String()
}
