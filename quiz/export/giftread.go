package export

import (
	"fmt"
	"math/big"
	"strings"

	"retrylab/quiz"
	"retrylab/quiz/prose"
)

// ReadGIFT makes a quiz file of a GIFT file. file is its name, for notes; language is that of its texts.
func ReadGIFT(file string, data []byte, name, language string) (string, []Note, error) {
	if len(data) > MaxImport {
		return "", nil, fmt.Errorf("%s has %d bytes, at most %d are read", file, len(data), MaxImport)
	}
	if err := encoded(file, data); err != nil {
		return "", nil, err
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r", "")
	pieces := giftPieces(text)
	title := name
	for _, p := range pieces {
		if p.category != "" {
			title = p.category
			break
		}
	}
	w := newWriter(name, title, language)
	for _, p := range pieces {
		where := fmt.Sprintf("%s:%d", file, p.line)
		if p.category != "" {
			if p.category != title {
				w.note(where, "the category %s: a quiz is one file", p.category)
			}
			continue
		}
		r := giftQuestion{read: read{where: where}, note: func(format string, args ...any) { w.note(where, format, args...) }}
		if r.parse(p) {
			w.add(r.read)
		}
	}
	return w.end(file)
}

// A giftPiece is a question or a category, with the line where it starts.
type giftPiece struct {
	line           int
	text, category string
	open           int // the line of a brace that is not closed, or 0
}

// giftPieces splits a file: blank lines stand between questions. One inside braces is forgiven where the next
// brace closes them; where another one opens first, a brace has been forgotten, and the next question is not
// to be lost for it.
func giftPieces(text string) []giftPiece {
	lines := strings.Split(text, "\n")
	closes := closesNext(lines)
	var pieces []giftPiece
	var piece strings.Builder
	start, open := 0, 0
	flush := func() {
		if piece.Len() > 0 {
			pieces = append(pieces, giftPiece{line: start, text: piece.String(), open: open})
		}
		piece.Reset()
		open = 0
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case isComment(line):
			continue
		case isCategory(line):
			flush()
			path := strings.Split(strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(trimmed, "$CATEGORY:")), "//", "\x00"), "/")
			last := strings.ReplaceAll(path[len(path)-1], "\x00", "/")
			pieces = append(pieces, giftPiece{line: i + 1, category: giftPlain(last)})
			continue
		case (trimmed == "" || strings.HasPrefix(trimmed, "::")) && (open == 0 || !closes[i]):
			flush()
		}
		if piece.Len() == 0 {
			if trimmed == "" {
				continue
			}
			start = i + 1
		}
		piece.WriteString(line + "\n")
		for j := 0; j < len(line); j++ {
			switch line[j] {
			case '\\':
				j++
			case '{':
				if open == 0 {
					open = i + 1
				}
			case '}':
				open = 0
			}
		}
	}
	flush()
	return pieces
}

// closesNext says for each line whether the first brace in it or below it, up to the next category, is one that
// closes.
func closesNext(lines []string) []bool {
	out := make([]bool, len(lines))
	next := false
	for i := len(lines) - 1; i >= 0; i-- {
		if isCategory(lines[i]) {
			next = false
		} else if !isComment(lines[i]) {
			opens, closes := giftIndex(lines[i], "{"), giftIndex(lines[i], "}")
			if opens >= 0 || closes >= 0 {
				next = closes >= 0 && (opens < 0 || closes < opens)
			}
		}
		out[i] = next
	}
	return out
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "//") }

func isCategory(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "$CATEGORY:") }

type giftQuestion struct {
	read
	format string // html, plain, markdown, moodle
	note   func(format string, args ...any)
}

// parse reads a question. It is false when a quiz cannot have it.
func (q *giftQuestion) parse(p giftPiece) bool {
	if p.open > 0 {
		q.note("the question: the brace opened in line %d is not closed, expected a } behind its answers", p.open)
		return false
	}
	s := strings.TrimSpace(p.text)
	if rest, ok := strings.CutPrefix(s, "::"); ok {
		if at := giftIndex(rest, "::"); at >= 0 {
			q.name, s = giftPlain(rest[:at]), strings.TrimSpace(rest[at+2:])
		}
	}
	for _, format := range []string{"html", "plain", "markdown", "moodle"} {
		if rest, ok := strings.CutPrefix(s, "["+format+"]"); ok {
			q.format, s = format, rest
		}
	}
	start := giftIndex(s, "{")
	if start < 0 {
		q.note("a description: a quiz has only questions")
		return false
	}
	end := giftIndex(s[start:], "}")
	if end < 0 { // a brace that closed stands before it
		q.note("the question: it has a { without its }")
		return false
	}
	before, answers, after := s[:start], strings.TrimSpace(s[start+1:start+end]), strings.TrimSpace(s[start+end+1:])
	if strings.Trim(after, " .,;:!?\"'") != "" {
		if giftIndex(after, "{") >= 0 {
			q.note("a second pair of braces: is a blank line missing between two questions?")
		}
		before += " _____ " + after // the missing word of a sentence
	}
	if giftIndex(answers, "{") >= 0 || giftIndex(after, "}") >= 0 {
		q.note(`a brace inside its braces: answers end at the first }, expected \{ and \} for those of a text`)
	}
	q.ask = q.text(before)
	if q.name == "" {
		q.name = prose.Plain(q.ask)
	}
	if at := giftIndex(answers, "####"); at >= 0 {
		if strings.TrimSpace(answers[at+4:]) != "" {
			q.note("what is said to every answer: the engine tells how a key comes about")
		}
		answers = strings.TrimSpace(answers[:at])
	}
	switch {
	case answers == "":
		q.note("an essay: no program can mark it")
		return false
	case answers[0] == '#':
		return q.number(strings.TrimSpace(answers[1:]))
	}
	word, fb, _ := giftCut(answers, "#")
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "T", "TRUE", "F", "FALSE":
		wrong, right, _ := giftCut(fb, "#")
		isTrue := strings.ToUpper(strings.TrimSpace(word))[0] == 'T'
		q.trueFalse(isTrue, q.text(wrong), q.text(right))
		return true
	}
	return q.listed(answers)
}

func (r *read) trueFalse(isTrue bool, wrong, right string) {
	r.kind = quiz.Choice
	for _, is := range []bool{true, false} {
		o := Option{Text: map[bool]string{true: "True", false: "False"}[is], Right: is == isTrue, Why: wrong}
		if o.Right {
			o.Why = right
		}
		r.options = append(r.options, o)
	}
}

// A giftAnswer is one = or ~ with what belongs to it.
type giftEntry struct {
	right     bool
	weight    string // in percent; "" for none
	text, why string // as written
}

func giftEntries(answers string) []giftEntry {
	var entries []giftEntry
	for answers = strings.TrimSpace(answers); answers != ""; {
		e := giftEntry{right: answers[0] == '='}
		body := answers
		if answers[0] == '=' || answers[0] == '~' {
			body = answers[1:]
		}
		end := 0
		for end < len(body) && body[end] != '=' && body[end] != '~' {
			if body[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(body))
		body, answers = strings.TrimSpace(body[:end]), body[end:]
		if rest, ok := strings.CutPrefix(body, "%"); ok {
			if weight, text, ok := strings.Cut(rest, "%"); ok && isNumber.MatchString(strings.TrimSpace(weight)) {
				e.weight, body = strings.TrimSpace(weight), strings.TrimSpace(text)
			}
		}
		e.text, e.why, _ = giftCut(body, "#")
		if body != "" || e.right { // ~= is an old way to write =
			entries = append(entries, e)
		}
	}
	return entries
}

// listed reads answers with = and ~.
func (q *giftQuestion) listed(answers string) bool {
	entries := giftEntries(answers)
	wrong, arrows, full := 0, 0, 0
	for _, e := range entries {
		if !e.right {
			wrong++
		}
		if giftIndex(e.text, "->") >= 0 {
			arrows++
		}
		if e.right && (e.weight == "" || e.weight == "100") || !e.right && e.weight == "100" {
			full++
		}
	}
	switch {
	case arrows == len(entries):
		q.kind = quiz.Match
		for _, e := range entries {
			row, option, _ := giftCut(e.text, "->")
			if text := q.text(row); text != "" {
				q.pairs = append(q.pairs, [2]string{text, fromPlain(giftPlain(option))})
			} else {
				q.extra = append(q.extra, fromPlain(giftPlain(option)))
			}
		}
		return true
	case wrong == 0:
		q.note("a short answer: a quiz has numbers and choices")
		return false
	}
	shares := make([]string, len(entries))
	for i, e := range entries {
		shares[i] = e.weight
		if e.weight == "" && e.right {
			shares[i] = "100"
		}
		q.options = append(q.options, Option{Text: q.text(e.text), Why: q.text(e.why)})
	}
	return q.weigh(shares, full == 1)
}

// weigh finds out which options are right from their shares in percent. single says that one of them
// is to be chosen.
func (r *giftQuestion) weigh(shares []string, single bool) bool {
	ok, what := r.read.weigh(shares, single)
	if what != "" {
		r.note("%s", what)
	}
	return ok
}

func (r *read) weigh(shares []string, single bool) (ok bool, note string) {
	positive, odd, taken := []string{}, false, []*big.Rat{}
	for i, s := range shares {
		share, valid := new(big.Rat).SetString(strings.TrimSpace(s))
		if !valid || len(s) > 20 {
			share = new(big.Rat)
		}
		if single {
			r.options[i].Right = share.Cmp(big.NewRat(100, 1)) == 0
			odd = odd || share.Sign() != 0 && !r.options[i].Right
			continue
		}
		r.options[i].Right = share.Sign() > 0
		if share.Sign() > 0 {
			positive = append(positive, strings.TrimSpace(s))
		} else {
			taken = append(taken, share)
		}
	}
	if single {
		r.kind = quiz.Choice
		if odd {
			note = "a part of the mark for a wrong option"
		}
		return true, note
	}
	r.kind = quiz.Choices
	for _, p := range positive {
		odd = odd || p != positive[0]
	}
	if len(positive) == 0 {
		return false, "the question: no option is right"
	}
	gives, _ := new(big.Rat).SetString(positive[0])
	for _, share := range taken {
		odd = odd || new(big.Rat).Neg(share).Cmp(gives) != 0
	}
	if odd {
		note = "its weights: here every right option gives the same, and every wrong one takes as much away"
	}
	return true, note
}

// number reads the answers of a number.
func (q *giftQuestion) number(answers string) bool {
	q.kind = quiz.Number
	entries := giftEntries(answers)
	for _, e := range entries {
		value, within, ok := giftNumber(giftPlain(e.text))
		zero := e.weight != "" && strings.Trim(e.weight, "0.") == ""
		switch {
		case !ok && zero, e.text == "" && !e.right, !ok && !e.right:
			q.note("what is said to any other number")
		case !ok:
			q.note("the question: %q is no number", giftPlain(e.text))
			return false
		case zero:
			if e.why == "" {
				continue
			}
			q.wrong = append(q.wrong, Wrong{value, q.text(e.why)})
		case q.key == "" && (e.weight == "" || e.weight == "100"):
			q.key, q.within = value, within
		default:
			q.note("a second right number, or a part of the mark for one")
		}
	}
	if q.key == "" {
		q.note("the question: no number is right")
		return false
	}
	return true
}

// giftNumber reads 5, 5:0.1 and 4.9..5.1.
func giftNumber(s string) (value, within string, ok bool) {
	if lo, hi, isRange := strings.Cut(s, ".."); isRange {
		a, okA := numberOf(lo)
		b, okB := numberOf(hi)
		if !okA || !okB {
			return "", "", false
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		half := big.NewRat(1, 2)
		middle := new(big.Rat).Mul(new(big.Rat).Add(x, y), half)
		away := new(big.Rat).Mul(new(big.Rat).Sub(y, x), half)
		return decimal(middle), decimal(away.Abs(away)), true
	}
	v, tolerance, _ := strings.Cut(s, ":")
	if value, ok = numberOf(v); !ok {
		return "", "", false
	}
	if tolerance != "" {
		if within, ok = numberOf(tolerance); !ok {
			return "", "", false
		}
	}
	return value, strings.TrimPrefix(within, "-"), true
}

// text is a text of the question as Markdown.
func (q *giftQuestion) text(s string) string {
	s = strings.TrimSpace(s)
	for _, format := range []string{"html", "plain", "markdown", "moodle"} {
		if rest, ok := strings.CutPrefix(s, "["+format+"]"); ok {
			was := q.format
			q.format = format
			defer func() { q.format = was }()
			s = rest
		}
	}
	if q.format != "markdown" {
		s = strings.ReplaceAll(s, "\n", " ") // a line of the file may end anywhere; \n is what ends one of the text
	}
	plain := giftPlain(s)
	switch q.format {
	case "plain":
		return fromPlain(plain)
	case "markdown":
		return escapePlaces(strings.TrimSpace(plain))
	case "html":
	default: // Moodle's own: HTML in which a line's end is one
		plain = strings.ReplaceAll(plain, "\n", "<br>")
	}
	markdown, lost := fromHTML(plain)
	for _, what := range lost {
		q.note("%s", what)
	}
	return markdown
}

// giftIndex is where a mark stands that is not escaped, or -1.
func giftIndex(s, mark string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if strings.HasPrefix(s[i:], mark) {
			return i
		}
	}
	return -1
}

func giftCut(s, mark string) (before, after string, found bool) {
	if at := giftIndex(s, mark); at >= 0 {
		return strings.TrimSpace(s[:at]), strings.TrimSpace(s[at+len(mark):]), true
	}
	return strings.TrimSpace(s), "", false
}

// giftPlain takes the escapes out.
func giftPlain(s string) string {
	var out strings.Builder
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case 'n':
				out.WriteByte('\n')
			case '~', '=', '#', '{', '}', ':', '\\':
				out.WriteByte(s[i])
			default:
				out.WriteString(s[i-1 : i+1])
			}
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
