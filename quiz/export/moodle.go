package export

import (
	"strings"

	"retrylab/quiz"
)

// Moodle writes Moodle XML.
func Moodle(sets ...Set) (string, []Note) {
	var out strings.Builder
	var notes []Note
	out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n")
	for _, set := range sets {
		out.WriteString("<question type=\"category\"><category><text>$course$/" +
			escape(strings.ReplaceAll(oneLine(set.Title), "/", "//")) + "</text></category></question>\n")
		for _, it := range set.Items {
			note := func(what string) { notes = append(notes, Note{Where: it.ID, What: what}) }
			kind, answers, ok := moodleAnswers(it, note)
			if !ok {
				continue
			}
			out.WriteString(`<question type="` + kind + `">` + "\n<name><text>" + escape(it.ID) + "</text></name>\n" +
				moodleText("questiontext", htmlOf(it.Ask)) + moodleText("generalfeedback", htmlText(it.Work)) +
				"<defaultgrade>1</defaultgrade>\n<penalty>0.3333333</penalty>\n<hidden>0</hidden>\n" + answers)
			for _, hint := range it.Hints {
				out.WriteString(moodleText("hint", htmlText(hint)))
			}
			out.WriteString("</question>\n")
		}
	}
	out.WriteString("</quiz>\n")
	return out.String(), notes
}

// moodleText is an element with HTML in it, escaped once more for XML.
func moodleText(element, html string) string {
	return "<" + element + ` format="html"><text>` + escape(html) + "</text></" + element + ">\n"
}

func moodleAnswers(it Item, note func(string)) (kind, answers string, ok bool) {
	var out strings.Builder
	answer := func(fraction, text, why, more string) {
		out.WriteString(`<answer fraction="` + fraction + `" format="html"><text>` + escape(text) + "</text>" + moodleText("feedback", htmlText(why)) + more + "</answer>\n")
	}
	switch it.Kind {
	case quiz.Number:
		edgeNote(it, note)
		answer("100", it.Key, "", "<tolerance>"+decimal(it.Within)+"</tolerance>")
		for _, w := range it.Wrong {
			answer("0", w.Value, w.Why, "<tolerance>0</tolerance>")
		}
		if it.Unit != "" {
			out.WriteString("<units><unit><multiplier>1</multiplier><unit_name>" + escape(it.Unit) + "</unit_name></unit></units>\n" +
				"<unitgradingtype>0</unitgradingtype>\n<unitpenalty>0</unitpenalty>\n<showunits>0</showunits>\n<unitsleft>0</unitsleft>\n")
		}
		return "numerical", out.String(), true
	case quiz.Choice, quiz.Choices:
		single, right := "true", "100"
		wrong := "0"
		if it.Kind == quiz.Choices {
			var known bool
			if right, known = weight(it.rights()); !known {
				note("the question: Moodle has no weights for so many right options")
				return "", "", false
			}
			single, wrong = "false", "-"+right
		}
		out.WriteString("<single>" + single + "</single>\n<shuffleanswers>true</shuffleanswers>\n<answernumbering>none</answernumbering>\n")
		for _, o := range it.Options {
			fraction := wrong
			if o.Right {
				fraction = right
			}
			answer(fraction, htmlText(o.Text), o.Why, "")
		}
		return "multichoice", out.String(), true
	}
	rows, options := asMatch(it, note)
	out.WriteString("<shuffleanswers>true</shuffleanswers>\n")
	used := map[int]bool{}
	row := func(text, option string) {
		out.WriteString(`<subquestion format="html"><text>` + escape(text) + "</text><answer><text>" + escape(option) + "</text></answer></subquestion>\n")
	}
	for _, r := range rows {
		used[r.With] = true
		row(htmlText(r.Text), options[r.With])
	}
	for i, option := range options {
		if !used[i] {
			row("", option)
		}
	}
	return "matching", out.String(), true
}
