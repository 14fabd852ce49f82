package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"retrylab/lab/ask"
	"retrylab/quiz"
)

func init() {
	Handle(ask.QuizOpen, quizOpen)
	Handle(ask.QuizAnswer, quizAnswer)
	Handle(ask.QuizFresh, quizFresh)
}

// quizTime is how long one request of a quiz may take: a hostile file may ask for a lot of play.
const quizTime = 20 * time.Second

// quizzes are the parts of an engine that know quizzes.
type quizzes struct {
	solver *quiz.Solver
	parsed []*quiz.Quiz // the latest last
	author authoring
}

const maxParsed = 20 // more than the course has

// close ends what quizzes were played on.
func (z *quizzes) close() error {
	if z.solver == nil {
		return nil
	}
	return z.solver.Close()
}

// open is the quiz of a file's text.
func (z *quizzes) open(file, source string) (*quiz.Quiz, error) {
	if z.solver == nil {
		z.solver = quiz.NewSolver()
	}
	hash := quiz.HashOf([]byte(source))
	for _, q := range z.parsed {
		if q.Hash == hash && q.File == file {
			return q, nil
		}
	}
	q, err := readQuiz(file, source)
	if err != nil {
		return nil, err
	}
	if len(z.parsed) >= maxParsed {
		z.parsed = z.parsed[1:]
	}
	z.parsed = append(z.parsed, q)
	return q, nil
}

// readQuiz reads a quiz that is not too large.
func readQuiz(file, source string) (*quiz.Quiz, error) {
	if len(source) > quiz.MaxFile {
		return nil, &ask.Error{Code: ask.TooLarge, Detail: fmt.Sprintf("%s has %d bytes, at most %d are read", file, len(source), quiz.MaxFile)}
	}
	return quiz.Parse(file, []byte(source))
}

// limited bounds the time of a request.
func limited(ctx context.Context, do func(context.Context) (any, error)) (any, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, quizTime, errTooLong)
	defer cancel()
	body, err := do(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errTooLong) {
		return nil, &ask.Error{Code: ask.TooLarge, Detail: errTooLong.Error()}
	}
	return body, err
}

var errTooLong = fmt.Errorf("the quiz has more to play than fits into %v", quizTime)

func quizOpen(ctx context.Context, e *Engine, call *Call) (any, error) {
	var open ask.OpenQuiz
	if err := call.Decode(&open); err != nil {
		return nil, err
	}
	q, err := e.quizzes.open(open.File, open.Source)
	if err != nil {
		return nil, err
	}
	return limited(ctx, func(ctx context.Context) (any, error) { return e.showQuiz(ctx, q, open.Lang, open.Brief) })
}

func quizAnswer(ctx context.Context, e *Engine, call *Call) (any, error) {
	var answer ask.AnswerQuiz
	if err := call.Decode(&answer); err != nil {
		return nil, err
	}
	q, err := e.quizzes.open(answer.File, answer.Source)
	if err != nil {
		return nil, err
	}
	question, err := questionOf(q, answer.Question)
	if err != nil {
		return nil, err
	}
	return limited(ctx, func(ctx context.Context) (any, error) {
		v := question.Variant(answer.Seed)
		marked, err := e.quizzes.solver.Mark(ctx, v, answer.Answer, answer.Lang)
		if err != nil {
			return nil, err
		}
		if marked.Unclear == "" {
			if err := keepAnswer(ctx, e.DB(), q, v, marked); err != nil {
				return nil, err
			}
		}
		return e.showQuestion(ctx, v, answer.Lang, &marked, false)
	})
}

func quizFresh(ctx context.Context, e *Engine, call *Call) (any, error) {
	var fresh ask.FreshQuiz
	if err := call.Decode(&fresh); err != nil {
		return nil, err
	}
	q, err := e.quizzes.open(fresh.File, fresh.Source)
	if err != nil {
		return nil, err
	}
	if fresh.Question != "" {
		if _, err := questionOf(q, fresh.Question); err != nil {
			return nil, err
		}
	}
	return limited(ctx, func(ctx context.Context) (any, error) {
		seeds, err := quizSeeds(ctx, e.DB(), q)
		if err != nil {
			return nil, err
		}
		drawn := map[string]int64{}
		for question, seed := range seeds {
			if fresh.Question == "" || fresh.Question == question {
				drawn[question] = seed%math.MaxInt32 + 1
			}
		}
		if err := keepSeeds(ctx, e.DB(), q, drawn); err != nil {
			return nil, err
		}
		return e.showQuiz(ctx, q, fresh.Lang, false)
	})
}

func questionOf(q *quiz.Quiz, id string) (*quiz.Question, error) {
	question, ok := q.Question(id)
	if !ok {
		return nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("the quiz %s has no question %q", q.Name, id)}
	}
	return question, nil
}

// showQuiz is a quiz in the variants that are kept, each with the last answer to it.
func (e *Engine) showQuiz(ctx context.Context, q *quiz.Quiz, lang string, brief bool) (ask.Quiz, error) {
	seeds, err := quizSeeds(ctx, e.DB(), q)
	if err != nil {
		return ask.Quiz{}, err
	}
	shown := ask.Quiz{Name: q.Name, Title: q.Title.In(lang, nil), Seed: seeds[""], Questions: []ask.Question{}}
	for _, question := range q.Questions {
		v := question.Variant(seeds[question.ID])
		answer, answered, err := lastAnswer(ctx, e.DB(), q, v)
		if err != nil {
			return ask.Quiz{}, err
		}
		var last *quiz.Marked
		if answered {
			// Marked again: in this page's language, and by the engine of today.
			marked, err := e.quizzes.solver.Mark(ctx, v, answer, lang)
			if err != nil {
				return ask.Quiz{}, err
			}
			if marked.Unclear == "" {
				last = &marked
			}
		}
		one, err := e.showQuestion(ctx, v, lang, last, brief)
		if err != nil {
			return ask.Quiz{}, err
		}
		shown.Questions = append(shown.Questions, one)
	}
	return shown, nil
}

// showQuestion is one variant. All but a number need the engine for that: for their options.
func (e *Engine) showQuestion(ctx context.Context, v quiz.Variant, lang string, marked *quiz.Marked, brief bool) (ask.Question, error) {
	shown := ask.Question{
		ID: v.ID, Kind: string(v.Kind), Ask: v.Ask.In(lang, v.Values), Unit: v.Unit.In(lang, v.Values), Source: v.Source(), Seed: v.Seed,
	}
	for _, value := range v.Shown() {
		shown.Given = append(shown.Given, ask.Field{Name: value.Name, Value: value.Node.Text})
	}
	for _, hint := range v.Hints {
		shown.Hints = append(shown.Hints, hint.In(lang, v.Values))
	}
	if v.Kind != quiz.Number && !brief {
		solution, err := e.quizzes.solver.Solve(ctx, v)
		if err != nil {
			return ask.Question{}, err
		}
		for _, o := range solution.Options {
			shown.Options = append(shown.Options, ask.Option{ID: o.ID, Text: solution.OptionText(o, lang)})
		}
		for _, r := range solution.Rows {
			shown.Rows = append(shown.Rows, ask.Option{ID: r.ID, Text: solution.RowText(r, lang)})
		}
	}
	if marked != nil {
		m := ask.Marked(*marked)
		shown.Marked = &m
	}
	return shown, nil
}
