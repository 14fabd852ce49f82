package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"retrylab/lab/ask"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
	"retrylab/quiz"
)

func init() {
	Handle(ask.QuizCheck, checkQuiz)
	Handle(ask.QuizVariants, quizVariants)
	Handle(ask.QuizTry, quizTry)
}

// Bounds of one request of the author page, which others wait behind, and of one question's check.
const (
	authorSlice  = 200 * time.Millisecond
	questionTime = 15 * time.Second
	variantBytes = 256 << 10 // of texts in one reply
)

// authoring is what the engine knows about the text that somebody is writing.
type authoring struct {
	quiz    *quiz.Quiz // the last text that could be read
	check   *quiz.Checking
	of      *quiz.Quiz // that check is about
	asked   []string   // the languages of check
	at      int        // the question that is being checked
	elapsed time.Duration
	clock   func() time.Time // nil is time.Now
}

// now is the time that the bounds of this page are measured by.
func (a *authoring) now() time.Time {
	if a.clock != nil {
		return a.clock()
	}
	return time.Now()
}

// draft is the quiz of a text that is being written. It is no quiz of the course, so those stay parsed.
func (z *quizzes) draft(file, source string) (*quiz.Quiz, error) {
	if z.solver == nil {
		z.solver = quiz.NewSolver()
	}
	if q := z.author.quiz; q != nil && q.File == file && q.Hash == quiz.HashOf([]byte(source)) {
		return q, nil
	}
	q, err := readQuiz(file, source)
	if err == nil {
		z.author.quiz = q
	}
	return q, err
}

func checkQuiz(ctx context.Context, e *Engine, call *Call) (any, error) {
	var check ask.CheckQuiz
	if err := call.Decode(&check); err != nil {
		return nil, err
	}
	q, err := e.quizzes.draft(check.File, check.Source)
	if problems := scenario.Problems(err); len(problems) > 0 {
		checked := ask.Checked{Done: true}
		tell(&checked, problems)
		return checked, nil
	}
	if err != nil {
		return nil, err
	}
	a := &e.quizzes.author
	if a.of != q || !slices.Equal(a.asked, check.Languages) {
		a.check = e.quizzes.solver.Begin(q, quiz.CheckOptions{Languages: check.Languages}, a.check)
		a.of, a.asked, a.at, a.elapsed = q, check.Languages, 0, 0
	}
	for begun := a.now(); a.check.At() < len(q.Questions) && a.now().Sub(begun) < authorSlice; {
		if at := a.check.At(); at != a.at {
			a.at, a.elapsed = at, 0
		}
		at, from := a.at, a.now()
		err := a.check.Go(ctx, func() bool { return a.check.At() != at || a.now().Sub(begun) >= authorSlice })
		if err != nil {
			return nil, err
		}
		if a.elapsed += a.now().Sub(from); a.elapsed > questionTime && a.check.At() == at {
			a.check.Skip(at)
		}
	}
	checked := ask.Checked{Readable: true, Name: q.Name, Languages: q.Languages, Done: a.check.At() == len(q.Questions)}
	for i, question := range q.Questions {
		tried, of := a.check.Tried(i)
		checked.Questions = append(checked.Questions, ask.CheckedQuestion{ID: question.ID, Kind: string(question.Kind), Combinations: question.Combinations(), Tried: tried, Of: of})
	}
	tell(&checked, a.check.Problems())
	return checked, nil
}

// tell puts problems into a reply, as many as a page takes.
func tell(checked *ask.Checked, problems []*source.Problem) {
	checked.Problems, checked.Found = []ask.Problem{}, len(problems)
	for _, p := range problems[:min(len(problems), ask.MaxProblems)] {
		checked.Problems = append(checked.Problems, problemOf(p))
	}
}

// maxMessage is how many characters of a problem's message a page gets: it may quote the text.
const maxMessage = 600

func problemOf(p *source.Problem) ask.Problem {
	return ask.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: cut(p.Message, maxMessage)}
}

func quizVariants(ctx context.Context, e *Engine, call *Call) (any, error) {
	var want ask.VariantsOf
	if err := call.Decode(&want); err != nil {
		return nil, err
	}
	if want.Count < 1 || want.Count > ask.MaxVariants {
		return nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("%d variants, expected 1 to %d", want.Count, ask.MaxVariants)}
	}
	q, err := e.quizzes.draft(want.File, want.Source)
	if err != nil {
		return nil, err
	}
	question, err := questionOf(q, want.Question)
	if err != nil {
		return nil, err
	}
	return limited(ctx, func(ctx context.Context) (any, error) {
		variants := ask.Variants{Combinations: question.Combinations()}
		begun, bytes := time.Now(), 0
		for n := range int64(want.Count) {
			if n > 0 && (time.Since(begun) >= authorSlice || bytes > variantBytes) {
				break
			}
			one, err := e.variant(ctx, question.Variant(want.Seed+n), want.Lang)
			if err != nil {
				return nil, err
			}
			if n == 0 && one.Problem == nil {
				shown, err := e.showQuestion(ctx, question.Variant(want.Seed), want.Lang, nil, false)
				if err != nil {
					return nil, err
				}
				one.Shown = &shown
			}
			bytes += shorten(&one)
			variants.Variants = append(variants.Variants, one)
		}
		return variants, nil
	})
}

// maxSaid is how many characters of a text stand in a list of answers. The question itself is shown whole.
const maxSaid = 1000

// shorten shortens the texts of a variant and says how many bytes are left.
func shorten(v *ask.Variant) int {
	v.Work = cut(v.Work, maxSaid)
	bytes := len(v.Work)
	for i := range v.Answers {
		a := &v.Answers[i]
		a.Row, a.Text, a.Why = cut(a.Row, maxSaid), cut(a.Text, maxSaid), cut(a.Why, maxSaid)
		bytes += len(a.Row) + len(a.Text) + len(a.Why)
	}
	return bytes
}

// variant is one variant with its key and what is said to each answer.
func (e *Engine) variant(ctx context.Context, v quiz.Variant, lang string) (ask.Variant, error) {
	one := ask.Variant{Seed: v.Seed, Index: v.Index(v.Seed)}
	for _, value := range v.Values {
		one.Given = append(one.Given, ask.Field{Name: value.Name, Value: value.Node.Text})
	}
	s, err := e.quizzes.solver.Solve(ctx, v)
	var problem *source.Problem
	if errors.As(err, &problem) && ctx.Err() == nil {
		p := problemOf(problem)
		one.Problem = &p
		return one, nil
	}
	if err != nil {
		return one, err
	}
	one.Work = s.Work
	switch v.Kind {
	case quiz.Number:
		one.Answers = append(one.Answers, ask.Said{Text: s.Say(s.Key, lang), Right: true})
		for _, w := range s.Wrong {
			one.Answers = append(one.Answers, ask.Said{Text: s.Say(w.Answer, lang), Mistake: w.Mistake, Why: s.WrongWhy(w, lang)})
		}
	case quiz.Match:
		for _, r := range s.Rows {
			at := slices.IndexFunc(s.Options, func(o quiz.Option) bool { return o.ID == r.Match })
			one.Answers = append(one.Answers, ask.Said{Row: s.RowText(r, lang), Text: s.OptionText(s.Options[at], lang), Right: true, Why: s.RowWhy(r, lang)})
		}
	default:
		options := slices.Clone(s.Options)
		slices.SortStableFunc(options, func(a, b quiz.Option) int {
			if a.Right != b.Right {
				if a.Right {
					return -1
				}
				return 1
			}
			return cmp.Compare(a.Place, b.Place)
		})
		for _, o := range options {
			one.Answers = append(one.Answers, ask.Said{Text: s.OptionText(o, lang), Right: o.Right || v.Kind == quiz.Order, Mistake: o.Mistake, Why: s.OptionWhy(o, lang)})
		}
	}
	for _, m := range v.Mistakes {
		if !slices.ContainsFunc(s.Wrong, func(w quiz.Wrong) bool { return w.Mistake == m.Name }) {
			one.Same = append(one.Same, m.Name)
		}
	}
	return one, nil
}

func quizTry(ctx context.Context, e *Engine, call *Call) (any, error) {
	var answer ask.AnswerQuiz
	if err := call.Decode(&answer); err != nil {
		return nil, err
	}
	q, err := e.quizzes.draft(answer.File, answer.Source)
	if err != nil {
		return nil, err
	}
	question, err := questionOf(q, answer.Question)
	if err != nil {
		return nil, err
	}
	return limited(ctx, func(ctx context.Context) (any, error) {
		v := question.Variant(answer.Seed)
		if answer.Answer == "" {
			return e.showQuestion(ctx, v, answer.Lang, nil, false)
		}
		marked, err := e.quizzes.solver.Mark(ctx, v, answer.Answer, answer.Lang)
		if err != nil {
			return nil, err
		}
		return e.showQuestion(ctx, v, answer.Lang, &marked, false)
	})
}
