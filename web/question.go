package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

var markTones = map[string]tone{"right": {"is-right", "done"}, "wrong": {"is-wrong", "permanent"}, "part": {"is-warn", "warn"}}

// questions is an open quiz: the bar, the questions as far as a person has come, and the summary.
func (p *quizPage) questions(words text.Words) []app.UI {
	s := &p.state
	count := len(s.Quiz.Questions)
	done, right := s.score()
	current := min(s.Shown, count) - 1
	var bar []app.UI
	for i, qu := range s.Quiz.Questions {
		mark := mark(qu)
		content := []app.UI{app.Text(whole(i + 1))}
		class := ""
		if mark != "" {
			class = markTones[mark].Class
			content = []app.UI{icon(markTones[mark].Icon)}
		} else if i == current {
			class = "is-now"
		}
		key := "quiz.bar"
		if mark != "" {
			key += "." + mark
		}
		b := app.Button().Type("button").Class("quiz-go").Aria("label", words.Get(key, "n", i+1)).
			OnClick(func(ctx app.Context, e app.Event) { p.visit(i) }, app.EventScope("bar", i)).Body(content...)
		if i == current {
			b.Aria("current", "step")
		}
		bar = append(bar, app.Li().Class(class).Body(b))
	}
	parts := []app.UI{app.Div().Class("book quiz-top").Body(app.Div().Class("gap").Body(
		app.H1().Body(authored(s.Quiz.Title)),
		app.Ol().Class("quiz-bar is-go").Aria("label", words.N("quiz.bar.label", int64(count))).Body(bar...),
		app.P().Class("small").Text(words.N("quiz.far", int64(count), "done", done, "right", right)+" "+words.Get("quiz.practice")),
		app.P().Class("small").Body(app.A().Href(authorAddress(p.At, p.name)).Text(words.Get("quiz.write.this"))),
	))}
	var shown []app.UI
	for i, qu := range s.Quiz.Questions[:min(s.Shown, count)] {
		shown = append(shown, p.question(words, i, qu))
	}
	if s.finished() {
		shown = append(shown, p.summary(words))
	}
	return append(parts, app.Div().Class("quiz").Body(shown...))
}

// A sitting is somebody before the questions of a quiz: each as it stands, with what is answered, and what
// is said to that.
type sitting struct {
	at       Place
	engine   *engineState
	state    quizState
	onAnswer func(qu ask.Question) // has what is in the drafts marked
	onFresh  func(id string)       // wants a new variant
	onVisit  func(i int)           // wants another question
}

func (p *sitting) question(words text.Words, i int, qu ask.Question) app.UI {
	t, marked := markTones[mark(qu)]
	no := []app.UI{app.Text(whole(i + 1))}
	if marked {
		no = append(no, icon(t.Icon))
	}
	asked, more := authoredHead(qu.Ask)
	body := []app.UI{
		app.P().Class("q-head").Body(app.Span().Text(words.Get("quiz.kind."+qu.Kind, "n", i+1))),
		app.H2().Class("q-ask").ID(headingID(i)).TabIndex(-1).Body(asked),
	}
	if more != nil {
		body = append(body, more)
	}
	if len(qu.Given) > 0 {
		var given []app.UI
		for _, f := range qu.Given {
			given = append(given, app.Div().Attr("translate", "no").Body(app.Dt().Text(f.Name), app.Dd().Text(f.Value)))
		}
		body = append(body, app.Dl().Class("given").Body(given...))
	}
	if qu.Source != "" {
		body = append(body, sourceText(words.Get("quiz.source", "n", i+1), qu.Source))
	}
	body = append(body, p.answerForm(words, i, qu), app.Div().Role("status").Body(p.marked(words, i, qu)...))
	if len(qu.Hints) > 0 {
		body = append(body, p.hints(words, qu))
	}
	body = append(body, p.actions(words, i, qu))
	return app.Section().Class("q book").ID("q-"+qu.ID).Aria("labelledby", headingID(i)).Body(
		app.P().Class("q-no hang "+t.Class).Aria("hidden", "true").Body(no...),
		app.Div().Class("q-body").Body(body...),
	)
}

// answerForm is where a question is answered.
func (p *sitting) answerForm(words text.Words, i int, qu ask.Question) app.UI {
	s := &p.state
	label := words.Get("quiz.check")
	if answered(qu) {
		label = words.Get("quiz.check-again")
	}
	check := button{Scope: "check-" + qu.ID, Label: label, Class: "btn-main", Submit: true, Busy: s.Busy[qu.ID]}.ui()
	form := app.Form().OnSubmit(func(ctx app.Context, e app.Event) {
		e.PreventDefault()
		for _, now := range s.Quiz.Questions { // as it is now, not as it was when this was drawn
			if now.ID == qu.ID {
				p.onAnswer(now)
			}
		}
	}, app.EventScope("answer", qu.ID))
	if qu.Kind == "number" {
		f := field{
			ID: "answer-" + qu.ID, Label: words.Get("quiz.answer"), Value: s.Drafts[qu.ID], Mode: "decimal",
			On: func(ctx app.Context, value string) { s.Drafts[qu.ID] = value },
		}
		if qu.Marked != nil && qu.Marked.Unclear != "" {
			f.Fault = words.Get("quiz.unclear." + qu.Marked.Unclear)
		}
		return form.Class("answer").Body(f.ui(), app.Span().Class("unit").Text(qu.Unit), check)
	}
	var fault []app.UI
	if qu.Marked != nil && qu.Marked.Unclear != "" {
		fault = append(fault, app.P().Class("error-text").Body(icon("permanent"), app.Span().Text(words.Get("quiz.unclear."+qu.Marked.Unclear))))
	}
	done := app.Div().Class("row").Body(check)
	switch qu.Kind {
	case "order":
		return form.Body(append(append([]app.UI{p.order(words, i, qu)}, fault...), done)...)
	case "match":
		return form.Body(append(append([]app.UI{p.match(words, i, qu)}, fault...), done)...)
	}
	several := qu.Kind == "choices"
	var options []app.UI
	for _, o := range qu.Options {
		options = append(options, p.option(words, qu, o, several))
	}
	role := "radiogroup"
	if several {
		role = "group"
	}
	body := []app.UI{app.Div().Class("opts").Role(role).Aria("labelledby", headingID(i)).Body(options...)}
	return form.Body(append(append(body, fault...), done)...)
}

// option is one option of a choice, marked when it was the answer or is the key that was asked for.
func (p *sitting) option(words text.Words, qu ask.Question, o ask.Option, several bool) app.UI {
	s := &p.state
	on := chosen(s.Drafts[qu.ID], o.ID)
	var in app.HTMLInput
	if several {
		in = app.Input().Type("checkbox").Value(o.ID).Checked(on).OnChange(func(ctx app.Context, e app.Event) {
			s.Drafts[qu.ID] = toggle(s.Drafts[qu.ID], o.ID)
		}, app.EventScope(qu.ID, qu.Seed, o.ID))
	} else {
		in = radio("answer-"+qu.ID, o.ID, on).OnChange(func(ctx app.Context, e app.Event) {
			s.Drafts[qu.ID] = o.ID
		}, app.EventScope(qu.ID, qu.Seed, o.ID))
	}
	body := []app.UI{in, authored(o.Text)}
	class := "opt"
	if m := qu.Marked; m != nil && answered(qu) {
		mine := chosen(m.Answer, o.ID)
		key := chosen(m.KeyID, o.ID)
		_, wrong := m.Wrong[o.ID]
		switch {
		case key && (mine && m.Right || s.Told[qu.ID]):
			class += " is-right"
			label := words.Get("quiz.right-answer")
			if mine {
				label = words.Get("quiz.your-answer")
			}
			body = append(body, remark(markTones["right"], label, false))
		case mine && (!m.Right && !several || wrong):
			class += " is-wrong"
			body = append(body, remark(markTones["wrong"], words.Get("quiz.your-answer"), false))
		}
	}
	return app.Label().Class(class).Body(body...)
}

// marked is what is said to an answer.
func (p *sitting) marked(words text.Words, i int, qu ask.Question) []app.UI {
	if err, ok := p.state.Errs[qu.ID]; ok {
		return []app.UI{errorBanner(words, err)}
	}
	m := qu.Marked
	if !answered(qu) {
		return nil
	}
	mark := mark(qu)
	var body []app.UI
	if m.Mistake != "" && !m.Right {
		body = append(body,
			app.P().Body(app.Strong().Body(inline(subjectTitle(words, m.Mistake))...)),
			para("", words.Get("mutant."+m.Mistake+".why")),
		)
	}
	if m.Why != "" {
		body = append(body, authoredBlocks(m.Why))
	}
	if m.Right || p.state.Told[qu.ID] {
		if !m.Right && m.Key != "" {
			body = append(body, p.key(words, qu))
		}
		if m.Work != "" {
			body = append(body, app.P().Body(authored(m.Work)))
		}
	}
	if m.Mistake != "" && !m.Right {
		body = append(body, app.P().Class("small").Body(app.A().Href(p.at.Href("/lab/?subject="+m.Mistake)).Text(words.Get("quiz.see-mutant"))))
	}
	return []app.UI{verdict(markTones[mark], words.Get("quiz.mark."+mark), body...)}
}

// hintLabel is what the button says that opens hint n.
func hintLabel(words text.Words, n, of int) string {
	switch {
	case of == 1:
		return words.Get("quiz.hint.only")
	case n == of:
		return words.Get("quiz.hint.last")
	}
	return words.Get("quiz.hint", "n", n, "of", of)
}

// hints open one by one.
func (p *sitting) hints(words text.Words, qu ask.Question) app.UI {
	open := p.state.Hints[qu.ID]
	var items []app.UI
	for n, hint := range qu.Hints[:open] {
		items = append(items, app.Li().Class("is-open").ID("hint-"+qu.ID+"-"+whole(n)).TabIndex(-1).Body(authoredBlocks(hint)))
	}
	if open < len(qu.Hints) {
		items = append(items, app.Li().Body(button{
			Scope: "hint-" + qu.ID + "-" + whole(open), Label: hintLabel(words, open+1, len(qu.Hints)), Class: "btn-plain",
			On: func(ctx app.Context) {
				p.state.Hints[qu.ID] = open + 1
				p.engine.ctx.Defer(func(app.Context) { focus("hint-" + qu.ID + "-" + whole(open)) })
			},
		}.ui()))
	}
	return app.Ol().Class("hints").Aria("label", words.Get("quiz.hints")).Body(items...)
}

// actions are what can be done beside answering.
func (p *sitting) actions(words text.Words, i int, qu ask.Question) app.UI {
	var acts []app.UI
	s := &p.state
	if answered(qu) && i+1 < len(s.Quiz.Questions) && i+1 >= s.Shown {
		acts = append(acts, button{Scope: "next-" + qu.ID, Label: words.Get("quiz.next"), After: "next", On: func(app.Context) { p.onVisit(i + 1) }}.ui())
	}
	acts = append(acts, button{Scope: "fresh-" + qu.ID, Label: words.Get("quiz.fresh"), Icon: "shuffle", Disabled: s.Busy[qu.ID], On: func(app.Context) { p.onFresh(qu.ID) }}.ui())
	if answered(qu) && !qu.Marked.Right && !s.Told[qu.ID] {
		acts = append(acts, button{Scope: "tell-" + qu.ID, Label: words.Get("quiz.tell"), Class: "btn-plain", On: func(app.Context) { s.Told[qu.ID] = true }}.ui())
	}
	return app.Div().Class("row q-acts").Body(acts...)
}

// summary stands below the last answer.
func (p *quizPage) summary(words text.Words) app.UI {
	s := &p.state
	_, right := s.score()
	count := len(s.Quiz.Questions)
	body := []app.UI{app.H2().ID("summary").Text(words.N("quiz.summary", int64(count), "right", right))}
	if mistakes := s.mistakes(); len(mistakes) > 0 {
		var items []app.UI
		for _, m := range mistakes {
			items = append(items, app.Li().Body(app.A().Href(p.At.Href("/lab/?subject="+m)).Body(inline(subjectTitle(words, m))...)))
		}
		body = append(body, app.P().Text(words.Get("quiz.summary.mistakes")), app.Ul().Class("list-plain").Body(items...))
	} else if right == count {
		body = append(body, app.P().Text(words.Get("quiz.summary.clean")))
	}
	acts := []app.UI{}
	for i, qu := range s.Quiz.Questions {
		if !qu.Marked.Right {
			acts = append(acts, button{Scope: "wrong-" + qu.ID, Label: words.Get("quiz.summary.wrong"), On: func(app.Context) { p.visit(i) }}.ui())
			break
		}
	}
	acts = append(acts, button{Scope: "fresh-all", Label: words.Get("quiz.summary.fresh"), Icon: "shuffle", On: func(app.Context) { p.fresh("") }}.ui(),
		app.A().Class("btn btn-plain").Href(p.At.Href("/lab/")).Text(words.Get("quiz.summary.lab")))
	if err, ok := s.Errs[""]; ok {
		body = append(body, errorBanner(words, err))
	}
	body = append(body, app.Div().Class("row").Body(acts...))
	return app.Section().Class("q book").Aria("labelledby", "summary").Body(app.Div().Class("gap").Body(body...))
}
