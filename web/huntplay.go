package web

import (
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// bench is one hunt: the form on one side; the play, the text, the hints and the way out on the other.
func (p *huntPage) bench(words text.Words, h ask.Hunt) []app.UI {
	outcome := huntOutcome(h)
	body := []app.UI{app.Div().Class("sec-head lab-top").Body(
		app.H1().ID("hunt-h").TabIndex(-1).Text(huntTitle(words, h)),
		app.P().Class("row").Body(
			app.Span().Class("small").Text(words.Get("hunt.level."+whole(h.Level))),
			remark(huntTones[outcome], words.Get("hunt.outcome."+outcome), true),
		),
	)}
	body = append(body, p.banners(words)...)
	var told, leave []app.UI
	switch {
	case p.state.told(h):
		told = append(told, p.told(words, h))
	case !h.Won:
		leave = append(leave, p.leaving(words))
	}
	// What comes and goes has a place that stays, or go-app would make the text field anew.
	side := []app.UI{p.playing(words, h), app.Div().Body(told...), p.text(words), p.hints(words, h), app.Div().Body(leave...)}
	return append(body,
		app.P().Class("lead").Text(words.Get("hunt.bench.lead")),
		app.P().Class("small").Body(link(p.At, "/rules/", words.Get("hunt.rules"))),
		app.Div().Class("bench bench-hunt").Body(p.form(words), app.Div().Class("gap-l").Body(side...)),
		p.neighbours(words, h),
	)
}

// playing are the two buttons, what came of them, and the steps as they were played.
func (p *huntPage) playing(words text.Words, h ask.Hunt) app.UI {
	s := &p.state
	body := []app.UI{
		app.Div().Class("code-head").Body(app.H2().Class("h-s").ID("hunt-play-h").Text(words.Get("hunt.play"))),
		app.Div().Class("row").Body(
			button{Scope: "hunt-play", Label: words.Get("hunt.play.both", "n", h.No), Icon: "play", Class: "btn-main", Busy: s.Busy == "hunt", On: func(app.Context) { p.play(false) }}.ui(),
			button{Scope: "hunt-reference", Label: words.Get("hunt.play.reference"), Busy: s.Busy == "reference", On: func(app.Context) { p.play(true) }}.ui(),
		),
		app.Div().Role("status").Body(p.verdict(words, h)...),
	}
	if s.Played != nil {
		if s.stale() {
			body = append(body, app.P().Class("small").Text(words.Get("hunt.play.stale")))
		}
		body = append(body, p.traces(words, h, *s.Played)...)
	}
	return app.Section().Class("gap").Aria("labelledby", "hunt-play-h").Body(body...)
}

// verdict is what the last play has shown.
func (p *huntPage) verdict(words text.Words, h ask.Hunt) []app.UI {
	s := &p.state
	switch {
	case s.Busy != "":
		return nil
	case s.Err != nil && (s.Err.Code == ask.BadFile || s.Err.Code == ask.TooLarge):
		return []app.UI{verdict(toneWarn, words.Get("hunt.verdict.unread"), para("", words.Get("hunt.verdict.unread.text")))}
	case s.Err != nil:
		return []app.UI{errorBanner(words, *s.Err)}
	case s.Played == nil:
		return []app.UI{para("small", words.Get("hunt.verdict.first", "n", h.No))}
	}
	t := toneWarn
	where := s.Played.Reference.Where
	switch s.Played.Verdict {
	case ask.HuntWon:
		t, where = toneGood, s.Played.Hunted.Where
	case ask.HuntReferenceFails:
		t = toneBad
	case ask.HuntReferenceAgrees, ask.HuntExpectsNothing:
		t = toneInfo
	}
	key := "hunt.verdict." + s.Played.Verdict
	return []app.UI{verdict(t, words.Get(key, "step", where, "n", h.No), para("", words.Get(key+".text", "step", where, "n", h.No)))}
}

// traces are the scenario's steps as they were played, on each queue in a fold of its own.
func (p *huntPage) traces(words text.Words, h ask.Hunt, played ask.HuntPlayed) []app.UI {
	fold := func(name, title string, trace ask.Trace) app.UI {
		t, end := outcomeTones["pass"], words.Get("hunt.trace.holds")
		if !trace.Pass {
			t, end = outcomeTones["fail"], words.Get("lab.outcome.fail-at", "step", trace.Where)
		}
		body := []app.UI{app.Summary().Body(icon(t.Icon), app.Span().Class("check-name").Text(title), app.Span().Class("check-end").Text(end))}
		if p.open[name] {
			body = append(body, app.Div().Class("check-body").Body(traceSteps(words, trace)))
		}
		return app.Li().Body(app.Details().Class("check "+t.Class).Open(p.open[name]).
			On("toggle", func(ctx app.Context, e app.Event) { p.open[name] = ctx.JSSrc().Get("open").Bool() }, app.EventScope("hunt", name)).
			Body(body...))
	}
	folds := []app.UI{fold("reference", words.Get("hunt.trace.reference"), played.Reference)}
	if played.Hunted != nil {
		folds = append(folds, fold("hunted", words.Get("hunt.queue", "n", h.No), *played.Hunted))
	}
	return []app.UI{app.Ul().Class("checks").Body(folds...)}
}

// told explains what the queue gets wrong, once it was found or given up.
func (p *huntPage) told(words text.Words, h ask.Hunt) app.UI {
	t, kicker := toneGood, words.Get("hunt.told.won")
	if !h.Won {
		t, kicker = toneWarn, words.Get("hunt.told.gave-up")
	} else if h.GaveUp {
		kicker = words.Get("hunt.told.won-after")
	}
	acts := []app.UI{}
	if h.Source != "" {
		acts = append(acts, button{Scope: "hunt-winner", Label: words.Get("hunt.told.open"), Icon: "reload", Disabled: p.state.Text == h.Source, On: func(app.Context) { p.load(h.Source) }}.ui())
	}
	if next, ok := p.state.next(h.No); ok {
		acts = append(acts, app.A().Class("btn").Href(huntAddress(p.At, next.No)).Body(app.Text(words.Get("hunt.told.next", "n", next.No)), icon("next")))
	}
	if !h.Won {
		acts = append(acts, button{Scope: "hunt-again", Label: words.Get("hunt.told.again"), Icon: "reload", On: func(app.Context) {
			p.state.Again = true
			p.keep()
			p.engine.ctx.Defer(func(app.Context) { focus("hunt-h") })
		}}.ui())
	}
	return app.Section().Class("gap").Aria("labelledby", "hunt-told").Body(
		app.H2().Class("h-s").ID("hunt-told").TabIndex(-1).Text(words.Get("hunt.told", "n", h.No)),
		app.Div().Body(verdict(t, subjectTitle(words, h.Mutant), app.P().Class("small").Text(kicker), para("", words.Get("mutant."+h.Mutant+".why")))),
		app.Div().Class("row").Body(append(acts, app.A().Href(p.At.Href("/lab/?subject="+url.QueryEscape(h.Mutant))).Text(words.Get("hunt.told.lab")))...),
	)
}

// text is the scenario as a file has it, and what keeps it from being read.
func (p *huntPage) text(words text.Words) app.UI {
	s := &p.state
	area := app.Textarea().ID("hunt-text").Class("input input-mono hunt-text").Rows(min(24, max(8, lines(s.Text)+1))).
		Spellcheck(false).Attr("autocapitalize", "off").Wrap("off").
		OnInput(func(ctx app.Context, e app.Event) {
			s.typed(ctx.JSSrc().Get("value").String())
			p.changed()
		})
	body := []app.UI{app.Div().Class("field").Body(app.Label().Class("h-s").For("hunt-text").Text(words.Get("hunt.text")), area)}
	var faults []app.UI
	if s.Fault != nil {
		area.Aria("invalid", "true").Aria("describedby", "hunt-faults")
		for _, f := range s.Fault.Problems {
			faults = append(faults, app.Li().Class("is-error").Body(icon("permanent"), app.Span().Class("mono").Text(f.File+":"+whole(f.Line)+":"+whole(f.Column)), app.Span().Attr("translate", "no").Text(f.Message)))
		}
		if s.Fault.Code == ask.TooLarge {
			faults = append(faults, app.Li().Class("is-error").Body(icon("permanent"), app.Span(), app.Span().Text(words.Get("hunt.text.too-large", "kb", ask.MaxHuntSource>>10))))
		}
		faults = []app.UI{app.Ul().Class("problems").Body(faults...)}
	} else {
		area.Aria("invalid", "false").Aria("describedby", "hunt-text-hint")
	}
	body = append(body,
		app.Div().ID("hunt-faults").Role("status").Body(faults...),
		app.P().Class("small").ID("hunt-text-hint").Text(words.Get("hunt.text.hint")),
	)
	body = append(body, app.Div().Class("row").Body(button{Scope: "hunt-share", Label: words.Get("hunt.share"), Icon: "link", On: func(app.Context) { p.share() }}.ui(), app.Span().Class("small").Text(words.Get(p.kept()))))
	if p.shared != "" {
		body = append(body, app.Div().Class("field").Body(
			app.Label().For("hunt-link").Text(words.Get("hunt.share.link")),
			app.Input().Class("input input-mono").ID("hunt-link").Type("text").ReadOnly(true).Value(p.shared).
				OnFocus(func(ctx app.Context, e app.Event) { ctx.JSSrc().Call("select") }),
			app.P().Class("hint-text").Text(words.Get("hunt.share.text")),
		))
	}
	if p.tooLong {
		body = append(body, verdict(toneWarn, words.Get("hunt.share.long"), para("", words.Get("hunt.share.long.text", "kb", maxHuntLink>>10))))
	}
	return app.Section().Class("gap-s").Aria("label", words.Get("hunt.text")).Body(body...)
}

// lines counts the lines of a text.
func lines(text string) (n int) {
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}

// hints open one by one.
func (p *huntPage) hints(words text.Words, h ask.Hunt) app.UI {
	s := &p.state
	var items []app.UI
	for n := 1; n <= s.Hints; n++ {
		items = append(items, app.Li().Class("is-open").ID("hunt-hint-"+whole(n)).TabIndex(-1).Body(inline(words.Get("hunt.hint."+h.Name+"."+whole(n)))...))
	}
	if s.Hints < h.Hints {
		n := s.Hints + 1
		items = append(items, app.Li().Body(button{
			Scope: "hunt-hint-" + h.Name + "-" + whole(n), Label: hintLabel(words, n, h.Hints), Class: "btn-plain",
			On: func(app.Context) {
				s.Hints = n
				p.keep()
				p.engine.ctx.Defer(func(app.Context) { focus("hunt-hint-" + whole(n)) })
			},
		}.ui()))
	}
	return app.Section().Aria("labelledby", "hunt-hints-h").Body(
		app.H2().Class("h-s").ID("hunt-hints-h").Text(words.Get("quiz.hints")),
		app.Ol().Class("hints").Body(items...),
	)
}

// leaving is the way out of a hunt that is too hard.
func (p *huntPage) leaving(words text.Words) app.UI {
	return app.Details().Class("fold").Body(
		app.Summary().Text(words.Get("hunt.give-up")),
		app.Div().Class("gap-s").Body(
			para("small", words.Get("hunt.give-up.text")),
			button{Scope: "hunt-give-up", Label: words.Get("hunt.give-up.do"), Class: "btn-harm", On: func(app.Context) { p.giveUp() }}.ui(),
		),
	)
}

// neighbours lead to the hunts before and after this one.
func (p *huntPage) neighbours(words text.Words, h ask.Hunt) app.UI {
	to := func(no int, key string) app.UI {
		if n, ok := p.state.find(no); ok {
			return app.A().Href(huntAddress(p.At, no)).Body(app.Span().Text(words.Get(key)), app.Text(huntTitle(words, n)))
		}
		return app.A().Href(huntAddress(p.At, 0)).Body(app.Span().Text(words.Get("hunt.all")), app.Text(words.Get("hunt.title")))
	}
	return app.Nav().Class("prevnext").Aria("label", words.Get("hunt.neighbours")).Body(to(h.No-1, "hunt.before"), to(h.No+1, "hunt.after"))
}
