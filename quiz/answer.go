package quiz

import (
	"math/big"
	"strconv"
	"strings"

	"retrylab/lab/retry"
	"retrylab/lab/source"
)

// An Answer is what a key or a mistake comes to: a number, or words. Two that are the same are equal.
type Answer struct {
	Text    string
	Numeric bool // Text is a decimal number, in the shortest way to write it
}

func number(n int64) Answer { return Answer{strconv.FormatInt(n, 10), true} }

// Rat is the number of an answer that is Numeric.
func (a Answer) Rat() *big.Rat {
	if r, ok := exact(a.Text); ok && a.Numeric {
		return r
	}
	return new(big.Rat)
}

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
	if n.Plain && n.Value().Type() == retry.TypeNumber {
		if r, ok := exact(n.Text); ok {
			return Answer{shortest(r), true}
		}
	}
	return Answer{Text: n.Text}
}

// inQuotes is the value that makes a text of a number by the quotes around it: the node, or the given value
// that it stands for.
func (v Values) inQuotes(n source.Node) (at source.Node, ok bool) {
	at = n
	if name, is := place(n); is {
		if at, ok = v.Get(name); !ok {
			return at, false
		}
	}
	bare := at
	bare.Plain = true
	return at, at.Kind == source.Scalar && !at.Plain && answerIn(bare).Numeric
}

// quotesFault says what to do about quotes around a number.
func quotesFault(at source.Node) *source.Problem {
	return at.Problem("the quotes make %s a text, expected a number: take them away", at.Text)
}

// shortest is a number that was exact in the shortest way to write it: it has fewer decimals than
// maxAnswer + maxExponent.
func shortest(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(maxAnswer+maxExponent), "0")
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
	if a.Numeric {
		return strings.TrimSpace(a.Text + " " + q.Unit.In(language, values))
	}
	return "`" + strings.ReplaceAll(a.Text, "`", "'") + "`"
}
