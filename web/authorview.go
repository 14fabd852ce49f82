package web

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

func (p *authorPage) Render() app.UI {
	words := p.At.Words()
	s := &p.state
	body := []app.UI{
		crumbs(p.At, []choice{{"/", words.Get("nav.course")}, {"/quiz/", words.Get("quiz.title")}}, words.Get("author.crumb")),
		app.Div().Class("sec-head author-top").Body(app.H1().Text(words.Get("author.title")), p.acts(words)),
	}
	body = append(body, p.engine.banners(words, func() { p.restore(); p.changed(0) })...)
	body = append(body, p.told(words)...)
	if !s.Loaded {
		body = append(body, app.P().Class("lead").Text(words.Get("author.lead")))
		body = append(body, p.engine.starting(words)...)
		return app.Div().Class("gap").Body(body...)
	}
	body = append(body,
		app.Div().Class("bench author-bench").Body(p.writing(words), p.trying(words)),
		p.list.ui(p, words),
		p.begins(words),
	)
	class := "gap"
	if p.dropping {
		class += " is-dropping"
	}
	return app.Div().Class(class).Body(body...)
}

// acts open, save and share.
func (p *authorPage) acts(words text.Words) app.UI {
	if !p.state.Loaded {
		return app.Div()
	}
	return app.Div().Class("row").Body(
		app.Input().Type("file").Class("vh").ID("author-file").Accept(".yaml,.yml,application/yaml,text/yaml,text/plain").OnChange(func(ctx app.Context, e app.Event) {
			in := ctx.JSSrc()
			p.openFile(ctx, in.Get("files").Get("0"))
			in.Set("value", "") // the same file may be opened again
		}),
		app.Label().Class("btn").For("author-file").Text(words.Get("author.open")),
		button{Scope: "author-save", Label: words.Get("author.save"), Icon: "down", On: func(app.Context) { p.download() }}.ui(),
		button{Scope: "author-share", Label: words.Get("author.share"), Icon: "link", On: func(app.Context) { p.link() }}.ui(),
	)
}

// told is what has happened to the text as a whole.
func (p *authorPage) told(words text.Words) []app.UI {
	s := &p.state
	var body []app.UI
	if p.badLink {
		body = append(body, banner{Tone: "error", Title: words.Get("author.badlink"), Text: words.Get("author.badlink.text")}.ui())
	}
	if p.lost != "" {
		body = append(body, banner{Tone: "error", Title: words.Get("author.lost"), Text: words.Get("author.lost.text", "file", plain(p.lost))}.ui())
	}
	if p.notUTF8 != "" {
		body = append(body, banner{Tone: "error", Title: words.Get("author.notutf8"), Text: words.Get("author.notutf8.text", "file", plain(p.notUTF8))}.ui())
	}
	if p.tooLarge != "" {
		body = append(body, banner{Tone: "error", Title: words.Get("author.toolarge"), Text: words.Get("author.toolarge.text", "file", plain(p.tooLarge))}.ui())
	}
	if p.keepErr != nil {
		body = append(body, errorBanner(words, *p.keepErr))
	}
	if p.tooLong {
		body = append(body, banner{Tone: "warn", Title: words.Get("author.toolong"), Text: words.Get("author.toolong.text")}.ui())
	}
	if p.share != "" {
		acts := []app.UI{button{Scope: "author-copy", Label: words.Get("author.copy"), On: func(app.Context) { p.copyLink() }}.ui()}
		if p.copied {
			acts = append(acts, app.Span().Role("status").Text(words.Get("author.copied")))
		}
		body = append(body, app.Div().Class("gap-s").Body(
			app.Div().Class("field").Body(
				app.Label().For(authorLink).Text(words.Get("author.link")),
				app.Input().Class("input input-mono").ID(authorLink).Type("text").ReadOnly(true).Value(p.share).Aria("describedby", "author-link-hint"),
				app.P().Class("hint-text").ID("author-link-hint").Text(words.Get("author.link.text")),
			),
			app.Div().Class("row").Body(acts...),
		))
	}
	if d, ok := p.draftOf(); ok {
		body = append(body, banner{Tone: "info", Title: words.Get("author.draft", "at", d.At), Text: words.Get("author.draft.text"), Acts: []app.UI{
			button{Scope: "author-draft", Label: words.Get("author.draft.open"), On: func(app.Context) { p.openDraft(d, "author.said.opened") }}.ui(),
		}}.ui())
	}
	var said []app.UI
	if s.Loaded && s.Said != "" {
		said = append(said, app.P().Class("small").Text(words.Get(s.Said)))
		if s.Before != nil {
			said = append(said, button{Scope: "author-undo", Label: words.Get("author.undo"), Icon: "back", Class: "btn-plain", On: func(app.Context) { p.undo() }}.ui())
		}
	}
	return append(body, app.Div().Class("row").Role("status").Body(said...))
}

// draftOf is the draft of the site's quiz that is open as it is on the site.
func (p *authorPage) draftOf() (draft, bool) {
	if p.state.From != "" && p.state.Draft == "" {
		for _, d := range p.drafts {
			if d.From == p.state.From {
				return d, true
			}
		}
	}
	return draft{}, false
}

// writing is the editor with what is wrong below it.
func (p *authorPage) writing(words text.Words) app.UI {
	s := &p.state
	body := []app.UI{
		app.Div().Class("code-head").Body(
			app.H2().Class("h-s").ID("author-source-h").Body(verbatim(s.Name+".yaml")),
			// What is read out changes only when the check comes to another end, not with every key.
			app.Div().Aria("hidden", "true").Body(p.far(words)),
			app.Div().Class("vh").Role("status").Text(p.outcome),
		),
		&codeEditor{
			At: p.At, ID: authorSource, Lang: "yaml", Label: words.Get("author.source"), Value: s.Text, Marks: s.lines(),
			OnInput: func(ctx app.Context, value string) { p.typed(value) },
			OnRun:   func(app.Context) { p.download() },
		},
	}
	if s.Err != nil && p.engine.failed == nil {
		body = append(body, errorBanner(words, *s.Err, button{Scope: "author-again", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) { p.check() }}.ui()))
	}
	if len(s.Checked.Problems) > 0 {
		var items []app.UI
		for i, problem := range s.Checked.Problems {
			at := whole(problem.Line) + ":" + whole(problem.Column)
			items = append(items, app.Li().Class("is-error").Body(
				icon("error"),
				app.Button().Type("button").Class("btn-at").Aria("label", words.Get("author.goto", "line", problem.Line, "column", problem.Column)).Text(at).
					OnClick(func(ctx app.Context, e app.Event) { p.goTo(problem.Line, problem.Column) }, app.EventScope("problem", i, at)),
				verbatim(problem.Message),
			))
		}
		body = append(body, app.Ul().Class("problems").Aria("label", words.Get("author.problems")).Body(items...))
	}
	if more := s.Checked.Found - len(s.Checked.Problems); more > 0 {
		body = append(body, app.P().Class("small").Text(words.N("author.problems.more", int64(more))))
	}
	for _, n := range s.unfinished() {
		q := s.Checked.Questions[n-1]
		body = append(body, app.P().Class("small").Text(words.Get("author.unfinished", "question", n, "tried", int(q.Tried), "n", int(q.Of))))
	}
	return app.Section().Class("gap-s").Aria("labelledby", "author-source-h").Body(body...)
}

// far is how far the check is, or what came out.
func (p *authorPage) far(words text.Words) app.UI {
	s := &p.state
	c := s.Checked
	switch {
	case s.Of != s.Text || s.Err != nil:
		return app.Span().Class("state is-idle").Body(icon("idle"), app.Text(words.Get("author.checking")))
	case c.Found > 0:
		return remark(toneBad, p.found(words), false)
	case !c.Done:
		done := 0
		for _, q := range c.Questions {
			if q.Tried == q.Of {
				done++
			}
		}
		return app.Span().Class("state is-idle").Body(icon("idle"), app.Text(words.N("author.checking.far", int64(len(c.Questions)), "done", done)))
	}
	return remark(toneGood, p.found(words), false)
}

// found is what came out of the check.
func (p *authorPage) found(words text.Words) string {
	if n := p.state.Checked.Found; n > 0 {
		return words.N("author.found", int64(n))
	}
	return words.Get("author.clean")
}

// trying is the chosen question as a student sees it, and below it the key with what is said to each answer.
func (p *authorPage) trying(words text.Words) app.UI {
	s := &p.state
	head := []app.UI{app.H2().Class("h-s").ID("author-try-h").Text(words.Get("author.try"))}
	if len(s.Checked.Languages) > 1 {
		var languages []choice
		for _, l := range s.Checked.Languages {
			languages = append(languages, choice{l, strings.ToUpper(l)})
		}
		head = append(head, segment{ID: "author-lang", Label: words.Get("author.lang"), Options: languages, Chosen: s.Lang, On: func(ctx app.Context, value string) {
			s.Lang = value
			p.show()
			p.list.refresh(p)
		}}.ui())
	}
	body := []app.UI{app.Div().Class("code-head").Body(head...)}
	q, at, ok := s.chosen()
	if !ok {
		text := words.Get("author.try.none")
		if !p.engine.waiting() && s.Of == s.Text {
			text = words.Get("author.try.unreadable")
		}
		body = append(body, app.Div().Class("empty").Body(app.P().Text(text)))
		body = append(body, p.engine.starting(words)...)
		return app.Section().Class("gap-s").Aria("labelledby", "author-try-h").Body(body...)
	}
	if !s.Checked.Readable {
		body = append(body, app.P().Class("note").Text(words.Get("author.try.stale")))
	}
	var options []app.UI
	for i, one := range s.Checked.Questions {
		options = append(options, app.Option().Value(one.ID).Selected(one.ID == s.Question).DataSet("authored", "file").Text(whole(i+1)+" · "+one.ID))
	}
	body = append(body, app.Div().Class("author-which").Body(
		app.Div().Class("field").Body(
			app.Label().For("author-question").Text(words.Get("author.question")),
			app.Select().Class("input").ID("author-question").Body(options...).OnChange(func(ctx app.Context, e app.Event) { p.choose(ctx.JSSrc().Get("value").String()) }),
		),
		field{ID: authorSeed, Label: words.Get("author.seed"), Value: whole(s.Seed), Mode: "numeric", On: func(ctx app.Context, value string) {
			if n := number64(value); n > 0 {
				s.Seed = n
				p.show()
			}
		}}.ui(),
		button{Scope: "author-back", Icon: "back", Name: words.Get("author.back"), Disabled: s.Seed <= 1, On: func(app.Context) { p.seed(s.Seed - 1) }}.ui(),
		button{Scope: "author-next", Icon: "next", Name: words.Get("author.next"), On: func(app.Context) { p.seed(s.Seed + 1) }}.ui(),
	))
	if p.previewErr != nil && p.engine.failed == nil {
		body = append(body, errorBanner(words, *p.previewErr))
	}
	v := p.preview
	if v == nil || p.previewOf.Question != q.ID {
		return app.Section().Class("gap-s").Aria("labelledby", "author-try-h").Body(append(body, p.engine.starting(words)...)...)
	}
	body = append(body, app.P().Class("small").Role("status").Text(words.N("author.variant", q.Combinations, "index", v.Index+1)))
	if v.Problem != nil {
		body = append(body, verdict(toneBad, words.Get("author.rejected"), app.P().Body(verbatim(v.Problem.Message))))
	}
	if qs := p.sit.state.Quiz.Questions; len(qs) == 1 && v.Problem == nil {
		body = append(body, app.Div().Class("preview").Body(p.sit.question(words, at, qs[0])), p.keys(words, v))
	}
	return app.Section().Class("gap-s").Aria("labelledby", "author-try-h").Body(body...)
}

// keys are the answers of a variant, and what a student reads who gives them.
func (p *authorPage) keys(words text.Words, v *ask.Variant) app.UI {
	var rows []app.UI
	row := func(answer, from app.UI, said ...app.UI) {
		rows = append(rows, app.Tr().Body(app.Td().Class("wrapped").Body(answer), app.Td().Body(from), app.Td().Class("wrapped").Body(said...)))
	}
	for _, a := range v.Answers {
		answer := authored(a.Text)
		if a.Row != "" {
			answer = app.Span().Body(authored(a.Row), app.Text(": "), app.Strong().Body(authored(a.Text)))
		}
		var from app.UI = app.Text(words.Get("author.keys.file"))
		var said []app.UI
		switch {
		case a.Right:
			from = remark(toneGood, words.Get("author.keys.key"), false)
			if a.Why != "" {
				said = append(said, app.Span().Text(words.Get("author.keys.elsewhere")+" "))
			} else if v.Work != "" {
				said = append(said, authored(v.Work))
			}
		case a.Mistake != "":
			from = app.Code().Text(a.Mistake)
			said = append(said, app.Span().Body(inline(subjectTitle(words, a.Mistake)+". "+words.Get("mutant."+a.Mistake+".why"))...))
		}
		if a.Why != "" {
			said = append(said, authored(a.Why))
		}
		row(answer, from, said...)
	}
	for _, name := range v.Same {
		row(app.Span().Class("none").Text(words.Get("author.keys.none")), app.Code().Text(name), app.Span().Class("none").Text(words.Get("author.keys.same")))
	}
	var heads []app.UI
	for _, key := range []string{"author.keys.answer", "author.keys.from", "author.keys.said"} {
		heads = append(heads, app.Th().Scope("col").Text(words.Get(key)))
	}
	return app.Div().Class("gap-s").Body(
		app.H3().Class("h-xs").ID("author-keys-h").Text(words.Get("author.keys")),
		app.Div().Class("scroll").TabIndex(0).Role("region").Aria("labelledby", "author-keys-h").Body(
			app.Table().Class("tbl").Body(app.THead().Body(app.Tr().Body(heads...)), app.TBody().Body(rows...))),
	)
}

// begins are what to start from, and the drafts.
func (p *authorPage) begins(words text.Words) app.UI {
	options := []app.UI{
		option(startExample, words.Get("author.start.example"), p.start == startExample),
		option(startEmpty, words.Get("author.start.empty"), p.start == startEmpty),
	}
	for _, f := range p.files {
		options = append(options, app.Option().Value(f.Value).Selected(p.start == f.Value).DataSet("authored", "file").Text(f.Label))
	}
	body := []app.UI{
		app.H2().Class("h-s").ID("author-start-h").Text(words.Get("author.start")),
		app.P().Class("small").Text(words.Get("author.start.text")),
		app.Form().Class("answer").OnSubmit(func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			p.begin()
		}, app.EventScope("author-start")).Body(
			app.Div().Class("field").Body(app.Label().For("author-start").Text(words.Get("author.start.from")),
				app.Select().Class("input author-start").ID("author-start").Body(options...).OnChange(func(ctx app.Context, e app.Event) { p.start = ctx.JSSrc().Get("value").String() })),
			button{Scope: "author-start", Label: words.Get("author.start.go"), Submit: true}.ui(),
		),
	}
	var items []app.UI
	for _, d := range p.drafts {
		name := d.Name + ".yaml, " + d.At
		mine := app.If(d.ID == p.state.Draft, func() app.UI { return app.Span().Class("small").Text(" " + words.Get("author.drafts.open")) })
		items = append(items, app.Li().Class("row row-between").Body(
			app.Span().Body(verbatim(name), mine),
			app.Span().Class("row").Body(
				button{Scope: "open-" + d.ID, Label: words.Get("author.draft.open"), Name: words.Get("author.draft.open.of", "name", name), Class: "btn-plain", Disabled: d.ID == p.state.Draft, On: func(app.Context) { p.openDraft(d, "author.said.opened") }}.ui(),
				button{Scope: "drop-" + d.ID, Label: words.Get("author.drafts.drop"), Name: words.Get("author.drafts.drop.of", "name", name), Class: "btn-plain", On: func(app.Context) { p.drop(d) }}.ui(),
			),
		))
	}
	body = append(body, app.H3().Class("h-xs").ID("author-drafts-h").Text(words.Get("author.drafts")))
	if len(items) > 0 {
		body = append(body, app.Ul().Class("list-plain").Aria("labelledby", "author-drafts-h").Body(items...))
	} else {
		body = append(body, app.P().Class("small").Text(words.Get("author.drafts.none")))
	}
	if p.dropped != nil {
		body = append(body, app.Div().Class("row").Role("status").Body(
			app.Span().Class("small").Text(words.Get("author.drafts.dropped", "name", p.dropped.Name+".yaml")),
			app.Button().Type("button").ID("author-undrop").Class("btn btn-plain").Text(words.Get("author.drafts.undrop")).OnClick(func(ctx app.Context, e app.Event) { p.undrop() }),
		))
	}
	return app.Section().Class("gap sub").Aria("labelledby", "author-start-h").Body(body...)
}

// number64 is a number that a person has typed, or 0.
func number64(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 || n > 1_000_000_000 {
		return 0
	}
	return n
}
