package quiz

import (
	"context"
	"math/big"
	"slices"
	"strings"
)

// Marked is an answer with its mark and what to say about it. Nothing is marked that was not
// understood: then Unclear says why, and the rest is empty.
type Marked struct {
	Answer  string  // as typed or chosen
	Score   float64 // 0..1
	Right   bool
	Mistake string // the mutant whose answer it is
	Why     string // what the file says about the chosen options
	Key     string // the right answer
	KeyID   string // the right answer as Mark takes it, of a question that is not a number
	Work    string // how the key comes about, when the engine can say
	Unclear string // a reason why the answer was not understood

	// Wrong are the options of a choices that were chosen and are not right, the items of an order that would
	// have to move, or the rows of a match that are not right, by id, with what the file says about each (""
	// when it says nothing).
	Wrong map[string]string
}

// Mark marks an answer: a number as typed, the ids of the chosen options, the ids of all items in an
// order, or ROW=OPTION for each row of a match; these separated by spaces.
func (s *Solver) Mark(ctx context.Context, v Variant, answer, language string) (Marked, error) {
	m := Marked{Answer: answer}
	var typed *big.Rat
	if v.Kind == Number {
		if typed, m.Unclear = ReadNumber(answer, v.units()); m.Unclear != "" {
			return m, nil
		}
	}
	solution, err := s.Solve(ctx, v)
	if err != nil {
		return m, err
	}
	m.Work = solution.Work
	switch v.Kind {
	case Number:
		solution.markNumber(&m, typed, language)
		m.Key = v.say(solution.Key, language, v.Values)
		return m, nil
	case Order:
		return solution.markOrder(m, language), nil
	case Match:
		return solution.markMatch(m, language), nil
	}
	return solution.markOptions(m, language), nil
}

// units are the names of a number's unit, in all languages.
func (v Variant) units() []string {
	var units []string
	for _, language := range v.Unit.languages {
		units = append(units, v.Unit.In(language, v.Values))
	}
	return units
}

func (s *Solution) markNumber(m *Marked, typed *big.Rat, language string) {
	if s.Tolerance.holds(typed, s.Key.Rat()) {
		m.Score, m.Right = 1, true
		return
	}
	// The very number first: with a tolerance, it may lie near several.
	for _, near := range []Tolerance{{}, s.Tolerance} {
		for _, w := range s.Wrong {
			if near.holds(typed, w.Answer.Rat()) {
				m.Mistake, m.Why = w.Mistake, s.WrongWhy(w, language)
				return
			}
		}
	}
}

func (s *Solution) markOptions(m Marked, language string) Marked {
	chosen := strings.Fields(m.Answer)
	if len(chosen) == 0 {
		m.Unclear = UnclearEmpty
	}
	if s.Kind == Choice && len(chosen) > 1 {
		m.Unclear = UnclearOption
	}
	for _, id := range chosen {
		if !slices.ContainsFunc(s.Options, func(o Option) bool { return o.ID == id }) {
			m.Unclear = UnclearOption
		}
	}
	if m.Unclear != "" {
		return Marked{Answer: m.Answer, Unclear: m.Unclear}
	}
	var keys, ids, whys []string
	right, hits, misses := 0, 0, 0
	for _, o := range s.Options {
		mine := slices.Contains(chosen, o.ID)
		if o.Right {
			right++
			keys, ids = append(keys, s.OptionText(o, language)), append(ids, o.ID)
		}
		switch {
		case mine && o.Right:
			hits++
		case mine:
			misses++
			m.Mistake = o.Mistake
			if s.Kind == Choices {
				m.wrong(o.ID, s.OptionWhy(o, language))
			}
		}
		if mine && o.why.Is() {
			whys = append(whys, s.OptionWhy(o, language))
		}
	}
	m.Right = misses == 0 && hits == right
	m.Score = max(0, float64(hits-misses)/float64(right))
	m.Key, m.KeyID, m.Why = strings.Join(keys, "; "), strings.Join(ids, " "), strings.Join(whys, "\n\n")
	return m
}
