package quiz_test

import (
	"io/fs"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"retrylab/quiz"
	"retrylab/quiz/bank"
)

func bankQuizzes(t *testing.T) []*quiz.Quiz {
	t.Helper()
	files, err := fs.Glob(bank.Files, "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no quizzes", err)
	}
	var quizzes []*quiz.Quiz
	for _, file := range files {
		data, err := bank.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		q, err := quiz.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		if q.Name+".yaml" != file {
			t.Errorf("the quiz of %s is named %s", file, q.Name)
		}
		quizzes = append(quizzes, q)
	}
	return quizzes
}

func newSolver(t *testing.T) *quiz.Solver {
	s := quiz.NewSolver()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestBankIsSound holds every question to the rules for quizzes: each mistake differs from the key in
// some variant, each choice has two options or more in every variant, each wrong option has a why.
func TestBankIsSound(t *testing.T) {
	s := newSolver(t)
	questions := 0
	for _, q := range bankQuizzes(t) {
		questions += len(q.Questions)
		problems, err := s.Check(t.Context(), q, quiz.CheckOptions{Languages: []string{"en"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Error(p)
		}
	}
	if questions < 12 {
		t.Errorf("the bank has %d questions", questions)
	}
}

// modelDelay is the delay by exact arithmetic: min(cap, base * 2^(attempt-1)), times the jitter, rounded
// once to 53 bits, floored. It shares nothing with package retry.
func modelDelay(attempt, base, cap int64, jitter string) string {
	window := new(big.Int).Lsh(big.NewInt(base), uint(attempt-1))
	if window.Cmp(big.NewInt(cap)) > 0 {
		window.SetInt64(cap)
	}
	factor, err := strconv.ParseFloat(jitter, 64)
	if err != nil {
		return err.Error()
	}
	product := new(big.Float).SetPrec(53).SetMode(big.ToNearestEven)
	product.Mul(new(big.Float).SetInt(window), big.NewFloat(factor))
	floor, _ := product.Int(nil)
	return floor.String()
}

// A given reads the given values of a variant.
type given struct {
	t *testing.T
	quiz.Values
}

func (g given) text(name string) string {
	node, ok := g.Get(name)
	if !ok {
		g.t.Fatalf("no value %s", name)
	}
	return node.Text
}

func (g given) number(name string) int64 {
	n, err := strconv.ParseInt(g.text(name), 10, 64)
	if err != nil {
		g.t.Fatal(err)
	}
	return n
}

func always(key string) func(given) string { return func(given) string { return key } }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// modelKeys are the keys by hand, from SPEC.md, without the engine.
var modelKeys = map[string]func(given) string{
	"the-wait-and-the-deadline": func(g given) string {
		if g.number("left_ms") > 50 {
			return "pending"
		}
		return "dead"
	},
	"due-when": func(g given) string { return decimal(g.number("at") + g.number("takes") + 50) },
	"sent-at-the-deadline": func(g given) string {
		if g.number("now") < 1000 {
			return "done"
		}
		return "dead"
	},
	"accepted-at-the-deadline": always("rejected"),

	"after-a-crash":         always("2"),
	"the-row-after-a-crash": always("leased, 1"),
	"the-last-attempt": func(g given) string {
		if g.number("max_attempts") > 2 {
			return "pending, null"
		}
		return "dead, exhausted"
	},
	"permanent-on-the-last-attempt": always("permanent"),
	"two-reasons-at-once":           always("exhausted"),
	"after-a-restart":               always("3"),
	"after-a-requeue":               always("3"),
	"a-requeue-without-room":        always("rejected"),
	"nobody-knows":                  always("leased"),

	"the-deadline-stays":  func(g given) string { return g.text("first") },
	"the-attempts-stay":   always("2"),
	"the-limit-stays":     func(g given) string { return g.text("first") },
	"the-due-time-stays":  func(g given) string { return decimal(g.number("base_ms") / 2) },
	"another-payload":     always("conflict"),
	"a-dead-order-again":  always("dead"),
	"an-order-being-sent": always("done"),
	"after-its-deadline":  always("existing"),
}

// TestBankKeysFollowTheRules compares a thousand seeds of each question with a model that does not use
// the engine.
func TestBankKeysFollowTheRules(t *testing.T) {
	s := newSolver(t)
	delays := 0
	for _, q := range bankQuizzes(t) {
		for _, question := range q.Questions {
			if question.Key == nil {
				continue
			}
			model, ok := modelKeys[question.ID]
			seeds := int64(1000)
			if question.Key.Delay != nil {
				delays++
				ok = true
				model = func(g given) string {
					return modelDelay(g.number("attempt"), g.number("base_ms"), g.number("cap_ms"), g.text("jitter"))
				}
			} else {
				// These play scenarios; their seeds repeat their few combinations.
				seeds = question.Combinations()
			}
			if !ok {
				t.Errorf("%s: no model for the question", question.ID)
				continue
			}
			for seed := range seeds {
				v := question.Variant(seed)
				solution, err := s.Solve(t.Context(), v)
				if err != nil {
					t.Fatal(err)
				}
				want := model(given{t, v.Values})
				if solution.Key.Text != want {
					t.Fatalf("%s with %v: the key is %s, want %s", question.ID, v.Values, solution.Key.Text, want)
				}
				for _, w := range solution.Wrong {
					if w.Answer.Text == want {
						t.Errorf("%s with %v: the mistake %s is right", question.ID, v.Values, w.Mistake)
					}
				}
			}
		}
	}
	if delays < 5 {
		t.Errorf("only %d questions about a delay", delays)
	}
}

// TestBankMarksItsOwnKeys answers each question with its key and with each wrong answer.
func TestBankMarksItsOwnKeys(t *testing.T) {
	s := newSolver(t)
	mark := func(v quiz.Variant, answer string) quiz.Marked {
		t.Helper()
		m, err := s.Mark(t.Context(), v, answer, "en")
		if err != nil {
			t.Fatal(err)
		}
		if m.Unclear != "" {
			t.Errorf("%s: %q is unclear: %s", v.ID, answer, m.Unclear)
		}
		return m
	}
	for _, q := range bankQuizzes(t) {
		for _, question := range q.Questions {
			for seed := range min(question.Combinations(), 20) {
				v := question.Variant(seed)
				solution, err := s.Solve(t.Context(), v)
				if err != nil {
					t.Fatal(err)
				}
				if question.Kind == quiz.Number {
					if m := mark(v, solution.Key.Text); !m.Right || m.Score != 1 || m.Mistake != "" {
						t.Errorf("%s: the key %s is marked %+v", v.ID, solution.Key.Text, m)
					}
					for _, w := range solution.Wrong {
						if m := mark(v, w.Answer.Text); m.Right || m.Score != 0 || m.Mistake != w.Mistake {
							t.Errorf("%s: the mistake %s is marked %+v", v.ID, w.Mistake, m)
						}
					}
					continue
				}
				var right []string
				for _, o := range solution.Options {
					if o.Right {
						right = append(right, o.ID)
					} else if m := mark(v, o.ID); m.Right || m.Score != 0 || m.Mistake != o.Mistake || m.Mistake == "" && m.Why == "" {
						t.Errorf("%s: a wrong option is marked %+v", v.ID, m)
					}
				}
				if m := mark(v, strings.Join(right, " ")); !m.Right || m.Score != 1 || m.Mistake != "" || m.KeyID == "" || m.Key == "" {
					t.Errorf("%s: the right options are marked %+v", v.ID, m)
				}
			}
		}
	}
}

// TestOptionsDoNotGiveTheAnswerAway lets somebody guess who knows nothing: by the longest option, by the
// shortest, by the place.
func TestOptionsDoNotGiveTheAnswerAway(t *testing.T) {
	s := newSolver(t)
	var variants, longest, shortest, chance float64
	places := map[int]float64{}
	for _, q := range bankQuizzes(t) {
		for _, question := range q.Questions {
			if question.Kind != quiz.Choice {
				continue
			}
			const seeds = 12
			for seed := range int64(seeds) {
				solution, err := s.Solve(t.Context(), question.Variant(seed))
				if err != nil {
					t.Fatal(err)
				}
				long, short, place := 0, 0, 0
				for i, o := range solution.Options {
					length := utf8.RuneCountInString(solution.OptionText(o, "en"))
					if length > utf8.RuneCountInString(solution.OptionText(solution.Options[long], "en")) {
						long = i
					}
					if length < utf8.RuneCountInString(solution.OptionText(solution.Options[short], "en")) {
						short = i
					}
					if o.Right {
						place = i
					}
				}
				const weight = 1.0 / seeds
				variants += weight
				chance += weight / float64(len(solution.Options))
				if long == place {
					longest += weight
				}
				if short == place {
					shortest += weight
				}
				places[place] += weight
			}
		}
	}
	t.Logf("chance %.2f, longest %.2f, shortest %.2f, places %v of %.0f", chance/variants, longest/variants, shortest/variants, places, variants)
	for name, hits := range map[string]float64{"the longest option": longest, "the shortest option": shortest, "the first option": places[0]} {
		if hits/variants > chance/variants+0.15 {
			t.Errorf("%s is right in %.0f %%, by chance it would be %.0f %%", name, 100*hits/variants, 100*chance/variants)
		}
	}
}
