package web

import (
	"strings"

	"retrylab/lab/ask"
)

// A quizState is the quiz page without its looks: one opened quiz and how far a person has come.
type quizState struct {
	Quiz   ask.Quiz
	Loaded bool
	Shown  int               // so many questions are on the page
	Drafts map[string]string // what is typed or chosen, by question
	Hints  map[string]int    // how many hints are open
	Told   map[string]bool   // the answer was asked for
	Busy   map[string]bool   // being marked, or given a new variant
	Errs   map[string]ask.Error
	Err    *ask.Error // of the whole quiz
}

func newQuizState() quizState {
	return quizState{
		Drafts: map[string]string{}, Hints: map[string]int{}, Told: map[string]bool{},
		Busy: map[string]bool{}, Errs: map[string]ask.Error{},
	}
}

// load takes over a quiz as the engine opened it, with the answers kept from before. The page goes
// as far as the first question without an answer.
func (s *quizState) load(q ask.Quiz) {
	fresh := newQuizState()
	fresh.Quiz, fresh.Loaded = q, true
	for _, qu := range q.Questions {
		fresh.Drafts[qu.ID] = draftOf(qu)
	}
	fresh.Shown = min(fresh.next()+1, len(q.Questions))
	*s = fresh
}

// put takes over one question that was marked or drawn anew.
func (s *quizState) put(qu ask.Question) {
	for i := range s.Quiz.Questions {
		if s.Quiz.Questions[i].ID == qu.ID {
			if s.Quiz.Questions[i].Seed != qu.Seed {
				delete(s.Drafts, qu.ID)
				delete(s.Hints, qu.ID)
				delete(s.Told, qu.ID)
			}
			s.Quiz.Questions[i] = qu
			if s.Drafts[qu.ID] == "" {
				s.Drafts[qu.ID] = draftOf(qu)
			}
		}
	}
	delete(s.Busy, qu.ID)
	delete(s.Errs, qu.ID)
}

// answered says whether a question has an answer that was understood.
func answered(qu ask.Question) bool { return qu.Marked != nil && qu.Marked.Unclear == "" }

// mark of a question: right, wrong, part, or "" without an answer.
func mark(qu ask.Question) string {
	switch {
	case !answered(qu):
		return ""
	case qu.Marked.Right:
		return "right"
	case qu.Marked.Score > 0:
		return "part"
	}
	return "wrong"
}

// next is the index of the first question without an answer; the number of questions when all have one.
func (s *quizState) next() int {
	for i, qu := range s.Quiz.Questions {
		if !answered(qu) {
			return i
		}
	}
	return len(s.Quiz.Questions)
}

// show brings question i onto the page, and every one before it.
func (s *quizState) show(i int) { s.Shown = max(s.Shown, min(i+1, len(s.Quiz.Questions))) }

// score counts the answered and the right questions.
func (s *quizState) score() (done, right int) {
	for _, qu := range s.Quiz.Questions {
		if answered(qu) {
			done++
			if qu.Marked.Right {
				right++
			}
		}
	}
	return done, right
}

// finished says whether every question has an answer.
func (s *quizState) finished() bool {
	return s.Loaded && len(s.Quiz.Questions) > 0 && s.next() == len(s.Quiz.Questions)
}

// mistakes are the misunderstandings behind the wrong answers, each once, in the questions' order.
func (s *quizState) mistakes() []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, qu := range s.Quiz.Questions {
		if answered(qu) && !qu.Marked.Right && !seen[qu.Marked.Mistake] {
			seen[qu.Marked.Mistake] = true
			names = append(names, qu.Marked.Mistake)
		}
	}
	return names
}

// draftOf is what a question's answer begins with: the last one, or for an order the items as they are
// shown.
func draftOf(qu ask.Question) string {
	if answered(qu) {
		return qu.Marked.Answer
	}
	if qu.Kind != "order" {
		return ""
	}
	ids := make([]string, len(qu.Options))
	for i, o := range qu.Options {
		ids[i] = o.ID
	}
	return strings.Join(ids, " ")
}

// moved is an order's answer with one id a place further up (by -1) or down (by 1).
func moved(answer, id string, by int) string {
	ids := strings.Fields(answer)
	for at, have := range ids {
		if to := at + by; have == id && to >= 0 && to < len(ids) {
			ids[at], ids[to] = ids[to], ids[at]
			break
		}
	}
	return strings.Join(ids, " ")
}

// matched is the option that a match's answer ROW=OPTION ... has for a row, or "".
func matched(answer, row string) string {
	for _, pair := range strings.Fields(answer) {
		if r, option, _ := strings.Cut(pair, "="); r == row {
			return option
		}
	}
	return ""
}

// match is a match's answer with an option for a row; "" takes the row's out.
func match(answer, row, option string) string {
	var pairs []string
	for _, pair := range strings.Fields(answer) {
		if r, _, _ := strings.Cut(pair, "="); r != row {
			pairs = append(pairs, pair)
		}
	}
	if option != "" {
		pairs = append(pairs, row+"="+option)
	}
	return strings.Join(pairs, " ")
}

// textOf is the text of an option or a row.
func textOf(options []ask.Option, id string) string {
	for _, o := range options {
		if o.ID == id {
			return o.Text
		}
	}
	return ""
}

// canCheck says whether there is something to mark.
func (s *quizState) canCheck(qu ask.Question) bool {
	return strings.TrimSpace(s.Drafts[qu.ID]) != "" && !s.Busy[qu.ID]
}

// toggle adds an option to, or takes it from, an answer of several ids separated by spaces.
func toggle(answer, id string) string {
	ids := strings.Fields(answer)
	for i, have := range ids {
		if have == id {
			return strings.Join(append(ids[:i], ids[i+1:]...), " ")
		}
	}
	return strings.Join(append(ids, id), " ")
}

// chosen says whether an option is among an answer's ids.
func chosen(answer, id string) bool {
	for _, have := range strings.Fields(answer) {
		if have == id {
			return true
		}
	}
	return false
}

// A span is a piece of an authored text: plain, or code that stood between backquotes.
type span struct {
	Text string
	Code bool
}

// spans splits an authored text at its backquotes. A backquote without a partner is plain.
func spans(text string) []span {
	var out []span
	for {
		before, rest, ok := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !ok || !closed || code == "" {
			if text != "" {
				out = append(out, span{Text: text})
			}
			return out
		}
		if before != "" {
			out = append(out, span{Text: before})
		}
		out = append(out, span{Text: code, Code: true})
		text = after
	}
}
