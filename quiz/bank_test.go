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
	if questions < 60 {
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

	"the-load-of-retries": func(g given) string { return decimal(g.number("clients") * (g.number("more") + 1)) },
	"the-extra-load":      func(g given) string { return decimal(g.number("clients") * g.number("more")) },

	// 20 ms of sending, then 150 ms.
	"due-again": func(g given) string {
		if g.number("now") >= 20+300/2 {
			return "done"
		}
		return "none"
	},
	"due-for-two-workers": func(g given) string {
		if g.number("third") <= 100 {
			return "2"
		}
		return "1"
	},

	"the-end-of-the-lease": func(g given) string {
		if g.number("now") >= 1000 {
			return "done, 2"
		}
		return "leased, 1"
	},
	"the-first-worker-comes-back": always("lease_lost"),
	"a-late-result":               always("done"),
	"a-longer-lease":              func(g given) string { return decimal(g.number("at") + g.number("lease_ms")) },

	"when-after-retry-after": func(g given) string { return decimal(g.number("at") + max(50, g.number("asked"))) },
	"the-wish-and-the-deadline": func(g given) string {
		if 100+g.number("asked") < 1000 {
			return "pending, null"
		}
		return "dead, deadline"
	},
	"a-wrapped-failure": always("dead, permanent"),
	"the-last-error":    always("no such shop"),

	"how-many-charges": func(g given) string { return decimal(g.number("lost") + 1) },

	"three-layers":        func(g given) string { return decimal(g.number("browser") * g.number("server") * g.number("sdk")) },
	"one-layer-is-left":   func(g given) string { return g.text("server") },
	"services-below":      func(g given) string { return decimal(g.number("upper") * g.number("lower")) },
	"a-budget-for-all":    func(g given) string { return decimal(g.number("spare") + g.number("first")*g.number("percent")/100) },
	"calls-that-reach-it": func(g given) string { return g.text("limit") },
	"the-reopening-time": func(g given) string {
		if g.number("now") < g.number("opened")+g.number("open_ms") {
			return "open"
		}
		return "half-open"
	},

	"two-readings": func(g given) string {
		if strings.HasPrefix(g.text("takes"), "-") {
			return "clock_backwards"
		}
		return "done"
	},
	"the-row-after-a-step-back": always("leased"),
	"back-between-two-calls": func(g given) string {
		if g.number("now") < 1000 {
			return "none"
		}
		return "done"
	},
	"due-after-a-restart": func(g given) string { return decimal(g.number("at") + g.number("base_ms")/2) },

	"counted-as-dead": func(g given) string {
		if g.text("second") == "ok" {
			return "1"
		}
		return "2"
	},
	"counted-as-waiting":     always("2"),
	"the-oldest-that-is-due": func(g given) string { return decimal(g.number("now") - 100) },
	"counted-as-retries":     always("2"),

	"attempts-and-waits":  func(g given) string { return decimal(g.number("most") - 1) },
	"an-exponential-wait": func(g given) string { return decimal(g.number("wait") << (g.number("failure") - 1)) },
	"a-randomised-wait":   func(g given) string { return decimal(g.number("wait")/2) + " to " + decimal(g.number("wait")*3/2) },
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
			if question.Key.Delay != nil && !ok {
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
				if question.Kind == quiz.Order || question.Kind == quiz.Match {
					marksArranged(t, v, solution, mark)
					continue
				}
				if question.Kind == quiz.Number {
					if m := mark(v, solution.Key.Text); !m.Right || m.Score != 1 || m.Mistake != "" {
						t.Errorf("%s: the key %s is marked %+v", v.ID, solution.Key.Text, m)
					}
					for _, w := range solution.Wrong {
						if m := mark(v, w.Answer.Text); m.Right || m.Score != 0 || m.Mistake != w.Mistake || m.Mistake == "" && m.Why == "" {
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

// marksArranged answers an order or a match rightly, and as it is shown.
func marksArranged(t *testing.T, v quiz.Variant, solution *quiz.Solution, mark func(quiz.Variant, string) quiz.Marked) {
	t.Helper()
	var asShown, right []string
	if v.Kind == quiz.Order {
		right = make([]string, len(solution.Options))
		for _, o := range solution.Options {
			asShown, right[o.Place] = append(asShown, o.ID), o.ID
		}
	} else {
		for _, r := range solution.Rows {
			right = append(right, r.ID+"="+r.Match)
			wrong := solution.Options[0].ID
			if wrong == r.Match {
				wrong = solution.Options[1].ID
			}
			asShown = append(asShown, r.ID+"="+wrong)
		}
	}
	if m := mark(v, strings.Join(right, " ")); !m.Right || m.Score != 1 || len(m.Wrong) != 0 || m.KeyID == "" || m.Key == "" {
		t.Errorf("%s: the right answer is marked %+v", v.ID, m)
	}
	if m := mark(v, strings.Join(asShown, " ")); m.Right || m.Score >= 1 || len(m.Wrong) == 0 {
		t.Errorf("%s: a wrong answer is marked %+v", v.ID, m)
	}
}

// TestNoQuestionIsAnsweredByTheShapeOfItsOptions looks at each choice and choices alone: the right option is
// neither far longer nor far shorter than the wrong ones, and in choices the right ones are not the long ones.
func TestNoQuestionIsAnsweredByTheShapeOfItsOptions(t *testing.T) {
	s := newSolver(t)
	for _, q := range bankQuizzes(t) {
		for _, question := range q.Questions {
			if question.Kind != quiz.Choice && question.Kind != quiz.Choices {
				continue
			}
			var right, wrong, rights, wrongs float64
			shortest, longest := map[bool]int{true: 1000, false: 1000}, map[bool]int{}
			for seed := range min(question.Combinations(), 20) {
				solution, err := s.Solve(t.Context(), question.Variant(seed))
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range solution.Options {
					length := utf8.RuneCountInString(solution.OptionText(o, "en"))
					shortest[o.Right], longest[o.Right] = min(shortest[o.Right], length), max(longest[o.Right], length)
					if o.Right {
						right, rights = right+float64(length), rights+1
					} else {
						wrong, wrongs = wrong+float64(length), wrongs+1
					}
				}
			}
			right, wrong = right/rights, wrong/wrongs
			if right > 1.35*wrong+4 || wrong > 1.35*right+4 {
				t.Errorf("%s/%s: the right options have %.0f characters, the wrong ones %.0f", q.Name, question.ID, right, wrong)
			}
			if shortest[true] > longest[false]+6 || shortest[false] > longest[true]+6 {
				t.Errorf("%s/%s: the right options have %d to %d characters, the wrong ones %d to %d", q.Name, question.ID, shortest[true], longest[true], shortest[false], longest[false])
			}
		}
	}
}

// TestTheBoundariesComeUp finds the values around each boundary of the rules among the variants.
func TestTheBoundariesComeUp(t *testing.T) {
	quizzes := map[string]*quiz.Quiz{}
	for _, q := range bankQuizzes(t) {
		quizzes[q.Name] = q
	}
	for _, c := range []struct {
		quiz, question, name string
		want                 []string
	}{
		{"cap-and-deadline", "around-the-cap", "cap_ms", []string{"299", "300", "301", "399", "400", "401"}},
		{"cap-and-deadline", "jitter-at-its-ends", "jitter", []string{"0", "1"}},
		{"cap-and-deadline", "the-wait-and-the-deadline", "left_ms", []string{"49", "50", "51"}},
		{"cap-and-deadline", "sent-at-the-deadline", "now", []string{"999", "1000", "1001"}},
		{"what-an-attempt-counts", "the-last-attempt", "max_attempts", []string{"2", "3"}},
		{"crashes-and-leases", "the-end-of-the-lease", "now", []string{"999", "1000", "1001"}},
		{"waiting-without-holding", "due-again", "now", []string{"169", "170", "171"}},
		{"three-kinds-of-failure", "the-wish-and-the-deadline", "asked", []string{"899", "900", "901"}},
		{"three-kinds-of-failure", "when-after-retry-after", "asked", []string{"49", "50", "51"}},
		{"the-circuit-breaker", "the-reopening-time", "now", []string{"1499", "1500", "1501"}},
		{"clocks", "two-readings", "takes", []string{"1", "0", "-1"}},
	} {
		question, ok := quizzes[c.quiz].Question(c.question)
		if !ok {
			t.Fatal(c.question)
		}
		seen := map[string]bool{}
		for seed := range question.Combinations() {
			node, _ := question.Values(seed).Get(c.name)
			seen[node.Text] = true
		}
		for _, want := range c.want {
			if !seen[want] {
				t.Errorf("%s/%s: %s is never %s", c.quiz, c.question, c.name, want)
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
