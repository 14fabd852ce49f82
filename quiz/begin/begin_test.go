package begin_test

import (
	"testing"

	"retrylab/quiz"
	"retrylab/quiz/begin"
	"retrylab/web/text"
)

func TestWhatAnAuthorBeginsWithHasNoProblem(t *testing.T) {
	for name, source := range map[string]string{"example": begin.Example("first-week"), "empty": begin.Empty("first-week")} {
		q, err := quiz.Parse(name, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if q.Name != "first-week" {
			t.Errorf("%s is called %s", name, q.Name)
		}
		s := quiz.NewSolver()
		problems, err := s.Check(t.Context(), q, quiz.CheckOptions{Languages: text.Languages()})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Error(p)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
