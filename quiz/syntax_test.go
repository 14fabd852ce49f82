package quiz_test

import (
	"strings"
	"testing"

	"retrylab/quiz"
)

func TestFaultsOfYAMLSayWhatToDo(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"- id: a\n  ask: {en: {attempt} failures}\n", `a text that begins with { wants quotes`},
		{"- id: a\n  ask: {en: x}\n\t  kind: number\n", "there is a tab before the text"},
		{"- id: a\n  ask: What: is it?\n", "a text with a colon in it wants quotes"},
		{"- id: a\n  ask: @home\n", "a text that begins with @ wants quotes"},
		{"- id: a\n  ask: {en: `code`}\n", "a text that begins with ` wants quotes"},
		{"- id: a\n   kind: number\n  ask: x\n", "look at the indentation"},
		{"- id: a\n  ask: x\n kind: number\n", "look at the indentation"},
		{"- id: a\n  ask: \"x\n", ""},
		{"- id: a\n  ask: [x\n", ""},
	} {
		_, err := quiz.Parse("q.yaml", []byte(head+c.question))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.question, err, c.want)
		}
	}
}
