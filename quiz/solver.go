package quiz

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"retrylab/lab/mutant"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

// A Variant is a question as one seed shows it.
type Variant struct {
	*Question
	Seed   int64
	Values Values
}

// Variant is the question's variant of a seed.
func (q *Question) Variant(seed int64) Variant { return Variant{q, seed, q.Values(seed)} }

// A Solution is a variant's key with its wrong answers, as the engine has found them.
type Solution struct {
	Variant
	Key     Answer   // of a question with a key
	Wrong   []Wrong  // what the mistakes come to, each marked wrong and different from those before it
	Options []Option // of a choice, an order or a match, in the order to show
	Rows    []Row    // of a match, in the order to show
	Work    string   // how the key comes about; "" when there is no key
}

// A Wrong answer is a mutant's, or one that the file brings.
type Wrong struct {
	Answer  Answer
	Mistake string // the mutant, or ""
	why     Text
}

// WrongWhy is what the file says about a wrong answer that it brings.
func (s *Solution) WrongWhy(w Wrong, language string) string { return w.why.In(language, s.Values) }

// An Option of a choice, an item to put in order, or what a row of a match can be matched with.
type Option struct {
	ID      string // tells nothing about which is right; the same in every language
	Right   bool
	Mistake string // the mutant whose answer it is, or ""
	Place   int    // of an order: its right place, from 0
	answer  *Answer
	text    Text
	why     Text
}

// A Solver asks the engine: it plays scenarios on the reference and on mutants, in memory. It keeps
// what it has found out and the subjects it has made, so one Solver should live long. It is not safe
// for concurrent use.
type Solver struct {
	subjects subjects
	known    map[string]*Solution
	rejected *rejection // of the latest key that was sought
}

// NewSolver makes a Solver that has done nothing yet.
func NewSolver() *Solver { return &Solver{known: map[string]*Solution{}} }

// Close ends the subjects that are kept.
func (s *Solver) Close() error { return s.subjects.close() }

const maxKnown = 300 // solutions that a Solver keeps

// Solve finds a variant's key and its wrong answers. An error that is a [*source.Problem] is a fault of
// the file that only this variant shows.
func (s *Solver) Solve(ctx context.Context, v Variant) (*Solution, error) {
	name := v.quiz.Hash + "/" + v.ID + "/" + strconv.FormatInt(v.Seed, 10)
	if known, ok := s.known[name]; ok {
		return known, nil
	}
	solution, err := s.solve(ctx, v)
	if err != nil {
		return nil, err
	}
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[name] = solution
	return solution, nil
}

func (s *Solver) solve(ctx context.Context, v Variant) (*Solution, error) {
	solution := &Solution{Variant: v}
	s.rejected = nil
	if v.Question.Key != nil {
		play, err := v.play()
		if err != nil {
			return nil, err
		}
		var work string
		solution.Key, work, err = s.answer(ctx, v, play, "")
		if err != nil {
			return nil, err
		}
		solution.Work = work
		if v.Kind == Number && !solution.Key.Numeric {
			if value := v.Question.Key.Value; value != nil {
				if at, ok := v.Values.inQuotes(*value); ok {
					return nil, quotesFault(at)
				}
			}
			return nil, v.Question.Key.node.Problem("the key is %s%s, expected a number", solution.Key.Text, v.with())
		}
		for _, m := range v.Mistakes {
			answer, ok, err := s.mistake(ctx, v, play, m)
			if err != nil {
				return nil, err
			}
			if ok && solution.isNew(answer) {
				solution.Wrong = append(solution.Wrong, Wrong{Answer: answer, Mistake: m.Name})
			}
		}
	}
	switch v.Kind {
	case Number:
		solution.values()
	case Order:
		solution.items()
	case Match:
		solution.pairs()
	default:
		solution.options()
	}
	return solution, nil
}

// mistake is what a mutant answers. It is not ok where the mutant cannot do the scenario.
func (s *Solver) mistake(ctx context.Context, v Variant, play *scenario.Scenario, m Mistake) (answer Answer, ok bool, err error) {
	answer, _, err = s.answer(ctx, v, play, m.Name)
	var stuck *stuckError
	if errors.As(err, &stuck) {
		return Answer{}, false, nil
	}
	return answer, err == nil && (v.Kind != Number || answer.Numeric), err
}

// isKey says whether an answer is marked right: the key, or a number that the tolerance takes for it.
func (s *Solution) isKey(a Answer) bool {
	return a == s.Key || s.Kind == Number && a.Numeric && s.Tolerance.holds(a.Rat(), s.Key.Rat())
}

// isNew says whether an answer is neither right nor an earlier wrong one.
func (s *Solution) isNew(a Answer) bool {
	if s.isKey(a) {
		return false
	}
	for _, w := range s.Wrong {
		if w.Answer == a {
			return false
		}
	}
	return true
}

// optionID is an option's id: its place in the file, or its value, made unreadable.
func (v Variant) optionID(unique string) string {
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%s/%s/%d/%s", v.quiz.Name, v.ID, v.Seed, unique)
	mixed := splitmix64(sum.Sum64()) // neighbours' sums are alike
	return "o" + strconv.FormatUint(mixed.next(), 36)
}

// values are the wrong numbers that the file brings.
func (s *Solution) values() {
	for _, o := range s.Question.Options {
		if o.Value == nil {
			continue
		}
		// Check tells its author of one that is no number, or not new.
		if answer := answerIn(s.Values.fill(*o.Value)); answer.Numeric && s.isNew(answer) {
			s.Wrong = append(s.Wrong, Wrong{Answer: answer, why: o.Why})
		}
	}
}

// options makes the options and puts them in the seed's order.
func (s *Solution) options() {
	values := s.Values
	add := func(o Option, unique string) {
		o.ID = s.optionID(unique)
		s.Options = append(s.Options, o)
	}
	if s.Question.Key != nil {
		add(Option{Right: true, answer: &s.Key}, "="+s.Key.Text)
		for i := range s.Wrong {
			w := &s.Wrong[i]
			add(Option{Mistake: w.Mistake, answer: &w.Answer}, "="+w.Answer.Text)
		}
	}
	for i, o := range s.Question.Options {
		option := Option{Right: o.Right, text: o.Text, why: o.Why}
		unique := "#" + strconv.Itoa(i)
		if o.Value != nil {
			answer := answerIn(values.fill(*o.Value))
			if !s.isNew(answer) {
				continue // Check tells its author
			}
			option.answer, unique = &answer, "="+answer.Text
		}
		add(option, unique)
	}
	shuffle(s.Options, s.random(s.Seed))
}

// OptionText is what an option says.
func (s *Solution) OptionText(o Option, language string) string {
	if o.text.Is() {
		return o.text.In(language, s.Values)
	}
	return s.say(*o.answer, language, s.Values)
}

// with is a variant for a message.
func (v Variant) with() string {
	if len(v.Values) == 0 {
		return ""
	}
	return " with " + v.Values.String()
}

// answer is what a subject comes to, the reference for "", and how.
func (s *Solver) answer(ctx context.Context, v Variant, play *scenario.Scenario, subject string) (Answer, string, error) {
	key := v.Question.Key
	switch {
	case key.Delay != nil:
		return delay(v, subject)
	case key.Calls != nil:
		return calls(v)
	case key.Value != nil:
		return answerIn(v.Values.fill(*key.Value)), "", nil
	}
	if subject != "" {
		play = unexpecting(play)
	}
	var why []*retry.RejectedError
	trace, err := s.subjects.play(ctx, play, subject, &why)
	if err != nil {
		return Answer{}, "", err
	}
	if subject == "" {
		s.rejected = v.rejectionOf(trace, why)
	}
	if !trace.Pass {
		if subject != "" {
			return Answer{}, "", &stuckError{subject}
		}
		return Answer{}, "", v.scenario.Problem("step %s does not go as expected%s: %s", trace.Where, v.with(), trace.Why)
	}
	got := trace.Steps[len(trace.Steps)-1].Got
	for _, step := range trace.Steps {
		if step.No == key.Step {
			got = step.Got
		}
	}
	answers := make([]Answer, len(key.Fields))
	for i, field := range key.Fields {
		answers[i] = answerOf(got.Get(field))
		if got.Text("result") == "absent" {
			answers[i] = Answer{Text: "absent"}
		}
	}
	return joined(answers), story(trace, key.Step == ""), nil
}

// A stuckError is a mutant that cannot do a scenario to its end: its answer is none.
type stuckError struct{ subject string }

func (e *stuckError) Error() string {
	return "quiz: " + e.subject + " cannot do the scenario to its end"
}

// delay is the delay of the variant's values by a subject's rules.
func delay(v Variant, subject string) (Answer, string, error) {
	rules := scenario.ReferenceRules()
	if m, ok := mutant.Find(subject); ok {
		var err error
		if rules, err = m.Rules(); err != nil {
			return Answer{}, "", err
		}
	}
	var args [4]retry.Value
	for i, n := range v.Question.Key.Delay {
		args[i] = v.Values.fill(n).Value()
	}
	attempt, base, cap, jitter, bad := retry.CheckDelay(rules.Whole, rules.Jitter, args[0], args[1], args[2], args[3])
	if rejected := retry.Rejected(rules.Bad(bad)); rejected != nil {
		if v.Kind == Number && subject == "" {
			return Answer{}, "", v.Question.Key.node.Problem("the key is none%s: %v", v.with(), rejected)
		}
		return Answer{Text: "rejected"}, rejected.Error(), nil
	}
	ms, err := rules.Parts.Delay(attempt, base, cap, jitter)
	if err != nil {
		return Answer{}, "", err
	}
	window := retry.Window(attempt, base, cap)
	factor := strconv.FormatFloat(jitter, 'f', -1, 64)
	return number(ms), fmt.Sprintf("min(%d, %d * 2^%d) = %d; floor(%d * %s) = %d", cap, base, attempt-1, window, window, factor, ms), nil
}

// calls is how many calls layers of retries can make of one.
func calls(v Variant) (Answer, string, error) {
	tries, shown := make([]int64, len(v.Question.Key.Calls)), make([]string, len(v.Question.Key.Calls))
	for i, n := range v.Question.Key.Calls {
		filled := v.Values.fill(n)
		count, fault := filled.Value().Whole(1, retry.Max)
		if fault != "" {
			return Answer{}, "", n.Problem("%s%s", retry.BadArg{Name: "calls", Fault: fault, Want: retry.WantWhole(1, retry.Max)}, v.with())
		}
		tries[i], shown[i] = count, strconv.FormatInt(count, 10)
	}
	all := number(retry.Layers(tries...))
	return all, strings.Join(shown, " * ") + " = " + all.Text, nil
}

// play is the scenario with the variant's values, and at its end the step that shows the key's figure;
// nil for a question without one.
func (v Variant) play() (*scenario.Scenario, error) {
	if v.scenario == nil {
		return nil, nil
	}
	s, err := scenario.ParseNode(v.Values.fill(*v.scenario))
	if err != nil {
		return nil, err
	}
	switch key := v.Question.Key; {
	case key.Job != nil:
		n := v.Values.fill(*key.Job)
		id, ok := n.Value().Text()
		if !ok {
			return nil, n.Problem("the key's job is %s%s, expected an id", shortFlow(n), v.with())
		}
		s.Steps = append(s.Steps, scenario.Step{Action: scenario.Job{ID: id}, File: n.File, Line: n.Line, Column: n.Column})
	case key.Stats:
		s.Steps = append(s.Steps, scenario.Step{Action: scenario.Stats{}, File: v.scenario.File, Line: v.scenario.Line, Column: v.scenario.Column})
	}
	return s, nil
}

// unexpecting is a scenario without what it expects: a mutant may differ and go on.
func unexpecting(s *scenario.Scenario) *scenario.Scenario {
	copied := *s
	copied.Steps = unexpectingSteps(s.Steps)
	return &copied
}

func unexpectingSteps(steps []scenario.Step) []scenario.Step {
	out := make([]scenario.Step, len(steps))
	for i, step := range steps {
		step.Expect, step.During = nil, unexpectingSteps(step.During)
		out[i] = step
	}
	return out
}

// Say is an answer as it is shown in a language: the key, or a wrong one.
func (s *Solution) Say(a Answer, language string) string { return s.say(a, language, s.Values) }
