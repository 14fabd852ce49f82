package export

import (
	"strconv"
	"strings"

	"retrylab/quiz"
	"retrylab/quiz/prose"
)

// GIFT writes the text format that Moodle and others read. A weight is one of those that Moodle takes.
func GIFT(sets ...Set) (string, []Note) {
	var out strings.Builder
	var notes []Note
	for _, set := range sets {
		out.WriteString("$CATEGORY: $course$/" + giftText(strings.ReplaceAll(oneLine(set.Title), "/", "//")) + "\n\n")
		for _, it := range set.Items {
			note := func(what string) { notes = append(notes, Note{Where: it.ID, What: what}) }
			answers, ok := giftAnswers(it, note)
			if !ok {
				continue
			}
			if len(it.Hints) > 0 {
				note("its hints: GIFT has none")
			}
			out.WriteString("::" + giftText(it.ID) + "::[html]" + giftText(htmlOf(it.Ask)) + "{" + answers)
			if it.Work != "" {
				out.WriteString("\n####" + giftHTML(it.Work))
			}
			out.WriteString("\n}\n\n")
		}
	}
	return out.String(), notes
}

func giftAnswers(it Item, note func(string)) (string, bool) {
	var out strings.Builder
	answer := func(mark, weight, text, why string) {
		out.WriteString("\n" + mark + weight + text)
		if why != "" {
			out.WriteString("#" + giftHTML(why))
		}
	}
	switch it.Kind {
	case quiz.Number:
		edgeNote(it, note)
		out.WriteString("#")
		answer("=", "", it.Key+":"+decimal(it.Within), "")
		for _, w := range it.Wrong {
			answer("=", "%0%", w.Value+":0", w.Why)
		}
	case quiz.Choice:
		for _, o := range it.Options {
			mark := "~"
			if o.Right {
				mark = "="
			}
			answer(mark, "", giftHTML(o.Text), o.Why)
		}
	case quiz.Choices:
		if it.rights() == 1 { // Moodle reads no weight of three digits
			note("its kind: since one option is right, only one can be chosen")
			it.Kind = quiz.Choice
			return giftAnswers(it, note)
		}
		right, ok := weight(it.rights())
		if !ok {
			note("the question: Moodle has no weights for " + strconv.Itoa(it.rights()) + " right options")
			return "", false
		}
		for _, o := range it.Options {
			percent := "%" + right + "%"
			if !o.Right {
				percent = "%-" + right + "%"
			}
			answer("~", percent, giftHTML(o.Text), o.Why)
		}
	default:
		rows, options := asMatch(it, note)
		used := map[int]bool{}
		for _, row := range rows {
			used[row.With] = true
			out.WriteString("\n=" + giftHTML(row.Text) + " -> " + giftText(options[row.With]))
		}
		for i, option := range options {
			if !used[i] {
				out.WriteString("\n= -> " + giftText(option))
			}
		}
	}
	return out.String(), true
}

// asMatch is a match, or an order as one: each item with its place. Options are plain text: Moodle shows
// them in a list to choose from.
func asMatch(it Item, note func(string)) (rows []Row, options []string) {
	if it.Kind == quiz.Order {
		note("its kind: it becomes a match of each item with its place, and each place counts alone")
		for i := range it.Options {
			options = append(options, strconv.Itoa(i+1))
		}
		for _, place := range it.shown {
			rows = append(rows, Row{it.Options[place].Text, it.Options[place].Why, place})
		}
	} else {
		rows = it.Rows
		for _, o := range it.Options {
			options = append(options, prose.Plain(o.Text))
		}
	}
	for _, row := range rows {
		if row.Why != "" {
			note("what is said to single rows: a match has no place for it")
			break
		}
	}
	if len(options) < 3 {
		note("a match with two answers: Moodle asks for three, so add one here (extra) or there")
	}
	return rows, options
}

func edgeNote(it Item, note func(string)) {
	if it.Within != nil && it.Within.Sign() > 0 && !it.Edge {
		note("the edge of its tolerance: Moodle takes an answer exactly " + decimal(it.Within) + " away as right")
	}
}

// weights are the shares that Moodle takes, in percent, by how many of them make a whole.
var weights = map[int]string{
	1: "100", 2: "50", 3: "33.33333", 4: "25", 5: "20", 6: "16.66667", 7: "14.28571", 8: "12.5", 9: "11.11111", 10: "10", 20: "5",
}

func weight(rights int) (string, bool) {
	w, ok := weights[rights]
	return w, ok
}

var giftEscapes = strings.NewReplacer(`\`, `\\`, "~", `\~`, "=", `\=`, "#", `\#`, "{", `\{`, "}", `\}`, ":", `\:`, "\r", "", "\n", `\n`)

// giftText escapes what GIFT gives a meaning.
func giftText(s string) string { return giftEscapes.Replace(s) }

// giftHTML is a text as HTML. At its start a percent sign would be a weight, and a bracket a format.
func giftHTML(text string) string {
	s := htmlText(text)
	switch {
	case strings.HasPrefix(s, "%"):
		s = "&#37;" + s[1:]
	case strings.HasPrefix(s, "["):
		s = "&#91;" + s[1:]
	}
	return giftText(s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
