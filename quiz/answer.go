package quiz

import (
	"strconv"
	"strings"

	"retrylab/lab/source"
)

// An Answer is what a key or a mistake comes to: a whole number, or words.
type Answer struct {
	Text   string
	Number int64
	Whole  bool // it is the number
}

func number(n int64) Answer { return Answer{strconv.FormatInt(n, 10), n, true} }

// answerOf is a value of a step's result.
func answerOf(v any) Answer {
	switch v := v.(type) {
	case int64:
		return number(v)
	case string:
		return Answer{Text: v}
	case []string:
		return Answer{Text: strings.Join(v, ", ")}
	}
	return Answer{Text: "null"}
}

// answerIn is a value in the file.
func answerIn(n source.Node) Answer {
	if n.Plain {
		if i, fault := n.Value().Whole(0, 1<<53-1); fault == "" {
			return number(i)
		}
	}
	return Answer{Text: n.Text}
}

// joined is several fields as one answer.
func joined(answers []Answer) Answer {
	if len(answers) == 1 {
		return answers[0]
	}
	texts := make([]string, len(answers))
	for i, a := range answers {
		texts[i] = a.Text
	}
	return Answer{Text: strings.Join(texts, ", ")}
}

// say is an answer as it is shown: by the question's word for it, else a number with its unit, else as
// code.
func (q *Question) say(a Answer, language string, values Values) string {
	for _, w := range q.Words {
		if w.Value == a.Text {
			return w.Text.In(language, values)
		}
	}
	if a.Whole {
		return strings.TrimSpace(a.Text + " " + q.Unit.In(language, values))
	}
	return "`" + strings.ReplaceAll(a.Text, "`", "'") + "`"
}
