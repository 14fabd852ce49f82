package export

import (
	"strconv"
	"strings"

	"retrylab/quiz"
)

// Sheet writes one page of HTML to print: the questions to fill in, and on a new sheet their answers. It
// asks for nothing from anywhere.
func Sheet(o Options, sets ...Set) (string, []Note) {
	var out strings.Builder
	var notes []Note
	title := ""
	if len(sets) > 0 {
		title = oneLine(sets[0].Title)
	}
	out.WriteString(`<!doctype html>
<html lang="` + escape(o.Language) + `">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>` + escape(title) + `</title>
<style>
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 serif; color: #000; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; } h3 { font-size: 1rem; margin: 0; }
section { break-inside: avoid; margin: 1.5rem 0; }
pre { padding: .5rem; border: 1px solid #888; white-space: pre-wrap; font-size: .85rem; }
.opts { list-style: none; padding: 0; } .opts li { margin: .25rem 0; }
.line { display: inline-block; min-width: 10rem; border-bottom: 1px solid #000; }
.box { display: inline-block; width: .8rem; height: .8rem; margin-right: .6rem; border: 1px solid #000; }
.round { border-radius: 50%; }
.key { break-before: page; }
td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top; }
</style>
</head>
<body>
`)
	for _, set := range sets {
		out.WriteString("<article>\n<h1>" + escape(set.Title) + "</h1>\n<p>" + escape(o.say("sheet.name")) + ` <span class="line">&nbsp;</span></p>` + "\n")
		for i, it := range set.Items {
			out.WriteString("<section>\n<h3>" + strconv.Itoa(i+1) + ". " + escape(o.say("sheet.kind."+string(it.Kind))) + "</h3>\n" + htmlOf(it.Ask) + "\n" + blanks(o, it) + "</section>\n")
			if len(it.Hints) > 0 {
				notes = append(notes, Note{Where: it.ID, What: "its hints: they would give it away on paper"})
			}
		}
		out.WriteString("</article>\n<article class=\"key\">\n<h2>" + escape(set.Title+": "+o.say("sheet.key")) + "</h2>\n<table>\n")
		for i, it := range set.Items {
			out.WriteString("<tr><th>" + strconv.Itoa(i+1) + "</th><td>" + answer(o, it) + "</td></tr>\n")
		}
		out.WriteString("</table>\n</article>\n")
	}
	out.WriteString("</body>\n</html>\n")
	return out.String(), notes
}

// blanks are what is filled in.
func blanks(o Options, it Item) string {
	var out strings.Builder
	blank := `<span class="line">&nbsp;</span>`
	switch it.Kind {
	case quiz.Number:
		return "<p>" + blank + " " + inline(it.Unit) + "</p>\n"
	case quiz.Order:
		out.WriteString("<ul class=\"opts\">\n")
		for i, at := range it.shown {
			out.WriteString("<li>" + letter(i) + ") " + inline(it.Options[at].Text) + "</li>\n")
		}
		return out.String() + "</ul>\n<p>" + escape(o.say("sheet.order")) + " " + blank + "</p>\n"
	case quiz.Match:
		out.WriteString("<ul class=\"opts\">\n")
		for i, option := range it.Options {
			out.WriteString("<li>" + letter(i) + ") " + inline(option.Text) + "</li>\n")
		}
		out.WriteString("</ul>\n<ol>\n")
		for _, row := range it.Rows {
			out.WriteString("<li>" + inline(row.Text) + ": " + blank + "</li>\n")
		}
		return out.String() + "</ol>\n"
	}
	round := ""
	if it.Kind == quiz.Choice {
		round = " round"
	}
	out.WriteString("<ul class=\"opts\">\n")
	for i, option := range it.Options {
		out.WriteString(`<li><span class="box` + round + `"></span>` + letter(i) + ") " + inline(option.Text) + "</li>\n")
	}
	return out.String() + "</ul>\n"
}

// answer is the right answer, with the letters of the sheet.
func answer(o Options, it Item) string {
	var parts []string
	switch it.Kind {
	case quiz.Number:
		key := escape(it.Key) + " " + inline(it.Unit)
		if it.Within != nil && it.Within.Sign() > 0 {
			key += " (± " + escape(decimal(it.Within)) + ")"
		}
		parts = append(parts, strings.TrimSpace(key))
	case quiz.Order:
		letters := make([]string, len(it.shown))
		for i, at := range it.shown {
			letters[at] = letter(i)
		}
		parts = append(parts, strings.Join(letters, ", "))
	case quiz.Match:
		for i, row := range it.Rows {
			parts = append(parts, strconv.Itoa(i+1)+": "+letter(row.With))
		}
	default:
		for i, option := range it.Options {
			if option.Right {
				parts = append(parts, letter(i)+") "+inline(option.Text))
			}
		}
	}
	key := strings.Join(parts, "<br>")
	if it.Work != "" {
		key += "<br><small>" + inline(it.Work) + "</small>"
	}
	return key
}

func letter(i int) string { return string(rune('A' + i)) }
