package quiz

import (
	"slices"
	"strconv"
	"strings"
)

// A Row of a match.
type Row struct {
	ID    string
	Match string // the id of the option that fits
	text  Text
	why   Text
}

// RowText is what a row says.
func (s *Solution) RowText(r Row, language string) string { return r.text.In(language, s.Values) }

// OptionWhy is what the file says about an option.
func (s *Solution) OptionWhy(o Option, language string) string { return o.why.In(language, s.Values) }

// RowWhy is what the file says about a row that is matched with another option.
func (s *Solution) RowWhy(r Row, language string) string { return r.why.In(language, s.Values) }

// items are those of an order, in the seed's order, which is never the right one: there is always
// something to do.
func (s *Solution) items() {
	for i, item := range s.Items {
		s.Options = append(s.Options, Option{ID: s.optionID("#" + strconv.Itoa(i)), Place: i, text: item.Text, why: item.Why})
	}
	random := s.random(s.Seed)
	for len(s.Options) > 1 {
		shuffle(s.Options, random)
		for i, o := range s.Options {
			if o.Place != i {
				return
			}
		}
	}
}

// pairs are the rows and the options of a match, both in the seed's order. Rows whose options are
// written alike share one.
func (s *Solution) pairs() {
	seen := map[string]string{}
	option := func(t Text, unique string) string {
		id, ok := seen[t.node.Flow()]
		if !ok {
			id = s.optionID(unique)
			seen[t.node.Flow()] = id
			s.Options = append(s.Options, Option{ID: id, text: t})
		}
		return id
	}
	for i, pair := range s.Pairs {
		n := strconv.Itoa(i)
		s.Rows = append(s.Rows, Row{ID: s.optionID("row" + n), Match: option(pair.With, "with"+n), text: pair.Text, why: pair.Why})
	}
	for i, extra := range s.Extra {
		option(extra, "extra"+strconv.Itoa(i))
	}
	random := s.random(s.Seed)
	shuffle(s.Rows, random)
	shuffle(s.Options, random)
}

// markOrder marks ids in an order: the score is the share of the pairs of items that stand the right way
// round, less the share of those that do not, so that a guess is worth nothing. Wrong are the fewest
// items that would have to move.
func (s *Solution) markOrder(m Marked, language string) Marked {
	ids := strings.Fields(m.Answer)
	if len(ids) == 0 {
		return Marked{Answer: m.Answer, Unclear: UnclearEmpty}
	}
	right := make([]Option, len(s.Options))
	for _, o := range s.Options {
		right[o.Place] = o
	}
	var places []int
	for _, id := range ids {
		at := slices.IndexFunc(right, func(o Option) bool { return o.ID == id })
		if at < 0 || slices.Contains(places, at) {
			return Marked{Answer: m.Answer, Unclear: UnclearOption}
		}
		places = append(places, at)
	}
	if len(places) != len(right) {
		return Marked{Answer: m.Answer, Unclear: UnclearRows}
	}
	var keys, keyIDs []string
	for _, o := range right {
		keys, keyIDs = append(keys, s.OptionText(o, language)), append(keyIDs, o.ID)
	}
	m.Key, m.KeyID = strings.Join(keys, "; "), strings.Join(keyIDs, " ")
	good, pairs := 0, len(places)*(len(places)-1)/2
	for i, a := range places {
		for _, b := range places[i+1:] {
			if a < b {
				good++
			}
		}
	}
	m.Right = good == pairs
	m.Score = max(0, float64(2*good-pairs)/float64(pairs))
	stay := longestRise(places)
	for _, at := range places {
		if !slices.Contains(stay, at) {
			m.wrong(right[at].ID, s.OptionWhy(right[at], language))
		}
	}
	return m
}

// longestRise is a longest part of numbers that rises, not necessarily in one piece.
func longestRise(numbers []int) []int {
	var best []int
	ending := make([][]int, len(numbers)) // the longest that ends with each number
	for i, n := range numbers {
		for j := range i {
			if numbers[j] < n && len(ending[j]) > len(ending[i]) {
				ending[i] = ending[j]
			}
		}
		ending[i] = append(slices.Clone(ending[i]), n)
		if len(ending[i]) > len(best) {
			best = ending[i]
		}
	}
	return best
}

// markMatch marks ROW=OPTION for each row: the score is the share of the rows that are right.
func (s *Solution) markMatch(m Marked, language string) Marked {
	answers := strings.Fields(m.Answer)
	if len(answers) == 0 {
		return Marked{Answer: m.Answer, Unclear: UnclearEmpty}
	}
	chosen := map[string]string{}
	for _, a := range answers {
		row, option, _ := strings.Cut(a, "=")
		known := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.ID == row }) &&
			slices.ContainsFunc(s.Options, func(o Option) bool { return o.ID == option })
		if _, twice := chosen[row]; twice || !known {
			return Marked{Answer: m.Answer, Unclear: UnclearOption}
		}
		chosen[row] = option
	}
	if len(chosen) < len(s.Rows) {
		return Marked{Answer: m.Answer, Unclear: UnclearRows}
	}
	var keys, keyIDs []string
	hits := 0
	for _, r := range s.Rows {
		at := slices.IndexFunc(s.Options, func(o Option) bool { return o.ID == r.Match })
		keys = append(keys, s.RowText(r, language)+": "+s.OptionText(s.Options[at], language))
		keyIDs = append(keyIDs, r.ID+"="+r.Match)
		if chosen[r.ID] == r.Match {
			hits++
		} else {
			m.wrong(r.ID, s.RowWhy(r, language))
		}
	}
	m.Key, m.KeyID = strings.Join(keys, "; "), strings.Join(keyIDs, " ")
	m.Right = hits == len(s.Rows)
	m.Score = float64(hits) / float64(len(s.Rows))
	return m
}

func (m *Marked) wrong(id, why string) {
	if m.Wrong == nil {
		m.Wrong = map[string]string{}
	}
	m.Wrong[id] = why
}
