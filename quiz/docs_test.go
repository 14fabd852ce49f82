package quiz_test

import (
	"os"
	"strings"
	"testing"

	"retrylab/quiz"
)

// TestTheExamplesOfTheInstructorsPageAreRight reads the questions of docs/quizzes.md as an instructor would
// copy them.
func TestTheExamplesOfTheInstructorsPageAreRight(t *testing.T) {
	page, err := os.ReadFile("../docs/quizzes.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSolver(t)
	found := 0
	for _, block := range strings.Split(string(page), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if !strings.HasPrefix(block, "- id:") {
			continue
		}
		found++
		q, err := quiz.Parse("docs.yaml", []byte("quiz: docs\ntitle: {en: x}\nquestions:\n"+block))
		if err != nil {
			t.Error(err)
			continue
		}
		problems, err := s.Check(t.Context(), q, quiz.CheckOptions{})
		if err != nil || len(problems) > 0 {
			t.Error(problems, err)
		}
	}
	if found == 0 {
		t.Error("the page has no examples")
	}
}
