package web

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// checks are all checks in their parts, each with its outcome, and its steps when it is unfolded.
func (p *labPage) checks(words text.Words) app.UI {
	s := &p.state
	body := []app.UI{app.Div().Class("code-head").Body(
		app.H2().Class("h-s").ID("checks").Text(words.Get("lab.checks")),
		segment{
			ID: "show", Label: words.Get("lab.show"), Chosen: s.Show,
			Options: []choice{{"all", words.Get("lab.show.all")}, {"failed", words.Get("lab.show.failed")}, {"passed", words.Get("lab.show.passed")}},
			On:      func(ctx app.Context, value string) { s.Show = value },
		}.ui(),
	)}
	if !s.Loaded {
		body = append(body, app.P().Class("small").Text(words.Get("lab.checks.later")))
		body = append(body, p.engine.starting(words)...)
	}
	shown := 0
	for part := 1; part <= 4; part++ {
		n, state := s.signature(part)
		shown += n
		if n > 0 {
			body = append(body, &checkPart{At: p.At, Part: part, State: state, page: p})
		}
	}
	if s.Loaded && shown == 0 && s.Drawn == len(s.Lab.Checks) {
		body = append(body, app.Div().Class("empty").Body(app.P().Text(words.Get("lab.show.none"))))
	}
	return app.Section().Class("gap").Aria("labelledby", "checks").Body(body...)
}

// checkPart is one part's checks. It is a component of its own, drawn when its State has changed: a result
// that comes in does not draw two hundred checks.
type checkPart struct {
	app.Compo
	At    Place
	Part  int
	State string // of all that it shows, as labState.signature has it
	page  *labPage
}

func (c *checkPart) CompoID() string { return whole(c.Part) }

func (c *checkPart) Render() app.UI {
	words, p, s, part := c.At.Words(), c.page, &c.page.state, c.Part
	var items []app.UI
	for _, check := range s.drawn(part) {
		if slug := check.Slug; s.shown(slug) {
			items = append(items, &checkItem{
				At: c.At, Check: check, Outcome: s.outcome(slug), Open: s.Open[slug], Result: s.result(slug), Text: s.Texts[slug],
				Told: s.Told[slug], Hints: s.Hints[slug], toggle: p.toggle, hint: p.hint, goTo: func(line int) { p.own.goTo(p, line) },
			})
		}
	}
	return app.Div().ID("part-"+whole(part)).Class("gap-s").Body(
		app.Div().Class("row row-between").Body(
			app.H3().Class("h-part").Text(words.Get("lab.part."+whole(part))),
			button{Scope: "run-" + whole(part), Label: words.Get("lab.run.part", "part", part), Class: "btn-plain", Disabled: s.Running, On: func(app.Context) { p.run(part) }}.ui(),
		),
		app.Ul().Class("checks").Body(items...),
	)
}

func (p *labPage) toggle(slug string, open bool) {
	p.state.Open[slug] = open
	if _, known := p.state.Texts[slug]; open && !known {
		p.engine.read(ask.LabShow, ask.ShowCheck{Slug: slug}, func(ctx app.Context, r ask.Reply) {
			if shown, ok := decode[ask.CheckSource](r.Body); r.Err == nil && ok {
				p.state.Texts[slug] = shown.Source
			}
		})
	}
	if r := p.state.Results[slug]; open && isProgram(p.state.Ran) && r != nil && r.Pass && len(r.Trace.Steps) == 0 {
		p.own.look(p, slug)
	}
}

// hint opens one more hint of a check.
func (p *labPage) hint(slug string) { p.state.Hints[slug]++ }

// checkItem is one check. It is a component of its own so that a result that comes in draws only the
// check it belongs to.
type checkItem struct {
	app.Compo
	At      Place
	Check   ask.Check
	Outcome string // pass, fail, idle
	Text    string // its scenario, once it has come
	Open    bool
	Result  *ask.CheckResult
	Told    *ask.StudentCheck // of a student's program
	Hints   int               // that are open

	toggle func(slug string, open bool) // not exported: go-app would take any two functions for different
	hint   func(slug string)
	goTo   func(line int)
}

// CompoID keeps the items of a filtered list from taking each other's place.
func (c *checkItem) CompoID() string { return c.Check.Slug }

var outcomeTones = map[string]tone{"pass": {"is-pass", "done"}, "fail": {"is-fail", "permanent"}, "idle": {"is-idle", "idle"}}

func (c *checkItem) Render() app.UI {
	words := c.At.Words()
	slug := c.Check.Slug
	t := outcomeTones[c.Outcome]
	end := words.Get("lab.outcome." + c.Outcome)
	if c.Result != nil && !c.Result.Pass && c.Result.Trace.Where != "" {
		end = words.Get("lab.outcome.fail-at", "step", c.Result.Trace.Where)
	}
	body := []app.UI{app.Summary().Body(
		icon(t.Icon), app.Span().Class("check-name").Text(checkTitle(words, slug, c.Check.Name)), app.Span().Class("check-end").Text(end),
	)}
	if c.Open {
		body = append(body, c.body(words))
	}
	return app.Li().ID(slug).Body(app.Details().Class("check "+t.Class).Open(c.Open).
		On("toggle", func(ctx app.Context, e app.Event) {
			open := ctx.JSSrc().Get("open").Bool()
			c.Open = open
			c.toggle(slug, open)
		}, app.EventScope(slug)).
		Body(body...))
}

// body is what a check shows when it is unfolded: what it is for and its scenario, or its steps as
// they were played.
func (c *checkItem) body(words text.Words) app.UI {
	var parts []app.UI
	source := words.Get("lab.source.of", "check", checkTitle(words, c.Check.Slug, c.Check.Name))
	if key := "check." + c.Check.Slug + ".shows"; words.Has(key) {
		parts = append(parts, para("check-why", words.Get(key)))
	}
	scenario := c.Text
	if c.Told != nil && c.Told.Source != "" {
		scenario = c.Told.Source
	}
	parts = append(parts, told(words, c.Told, c.goTo)...)
	if c.Result == nil || len(c.Result.Trace.Steps) == 0 {
		if c.Result != nil && c.Result.Trace.Error != "" {
			parts = append(parts, app.P().Class("error-text").Body(icon("permanent"), app.Span().Text(c.Result.Trace.Error)))
		}
		if scenario != "" {
			parts = append(parts, sourceText(source, scenario))
		}
	} else {
		trace := c.Result.Trace
		if c.Told != nil && c.Told.Raised != nil {
			trace.Error = "" // it stands above
		}
		parts = append(parts, traceSteps(words, trace))
		if scenario != "" {
			parts = append(parts, app.Details().Class("fold").Body(app.Summary().Text(words.Get("lab.source")), sourceText(source, scenario)))
		}
	}
	if c.Result != nil && !c.Result.Pass {
		parts = append(parts, c.hints(words)...)
	}
	link := "#" + c.Check.Slug
	if c.Told != nil && c.Told.Seed != 0 {
		link = c.At.Href(c.At.Path) + "?seed=" + strconv.FormatInt(c.Told.Seed, 10) + link
	}
	parts = append(parts, app.P().Class("small").Body(app.A().Class("with-icon").Href(link).Body(icon("link"), app.Text(words.Get("lab.link")))))
	return app.Div().Class("check-body gap-s").Body(parts...)
}

// hints are those of a check that are open, and the button for the next.
func (c *checkItem) hints(words text.Words) []app.UI {
	all := checkHints(words, c.Check.Slug)
	if len(all) == 0 {
		return nil
	}
	open := min(c.Hints, len(all))
	var items []app.UI
	for _, hint := range all[:open] {
		items = append(items, app.Li().Body(inline(hint)...))
	}
	var parts []app.UI
	parts = append(parts, app.Div().Role("status").Body(app.Ol().Class("hints").Hidden(open == 0).Body(items...)))
	if open < len(all) {
		label := words.Get("program.hint.first")
		if open > 0 {
			label = words.Get("program.hint.next", "n", open+1, "all", len(all))
		}
		parts = append(parts, app.P().Body(button{Scope: "hint-" + c.Check.Slug, Label: label, Icon: "hint", Class: "btn-plain", On: func(app.Context) {
			c.Hints++
			c.hint(c.Check.Slug)
		}}.ui()))
	}
	return parts
}

// sourceText is a scenario as its file has it, with a name for those who cannot see where it stands.
func sourceText(name, source string) app.UI {
	var lines []app.UI
	for line := range strings.SplitSeq(strings.TrimRight(source, "\n"), "\n") {
		lines = append(lines, app.Li().Text(line))
	}
	return app.Div().Class("code").TabIndex(0).Role("region").Aria("label", name).Body(app.Ol().Body(lines...))
}

// traceSteps are a scenario's steps as they were played on a subject.
func traceSteps(words text.Words, trace ask.Trace) app.UI {
	p := trace.Policy
	parts := []app.UI{app.P().Class("small").Text(words.Get("lab.policy", "base", p.BaseMS, "cap", p.CapMS, "jitter", short(p.Jitter), "lease", p.LeaseMS))}
	if trace.Error != "" {
		parts = append(parts, app.P().Class("error-text").Body(icon("permanent"), app.Span().Text(words.Get("lab.step.error", "error", trace.Error))))
	}
	var steps []app.UI
	for _, s := range trace.Steps {
		steps = append(steps, traceStep(words, s))
	}
	return app.Div().Body(append(parts, app.Ol().Class("steps").Body(steps...))...)
}

func traceStep(words text.Words, s ask.TracedStep) app.UI {
	class := "step"
	if strings.Contains(s.No, ".") {
		class += " step-during"
	}
	do := app.P().Class("step-do").Body(app.Span().Class("at").Text(words.Get("lab.step.at", "ms", s.At)+" "), verbatim(s.Text))
	if !s.Reached {
		return app.Li().Class(class+" is-idle").DataSet("no", s.No).Body(do, app.P().Class("small").Text(words.Get("lab.step.not-reached")))
	}
	parts := []app.UI{do}
	if len(s.Differs) > 0 || s.Error != "" {
		class += " is-fail"
	} else if len(s.Got) > 0 {
		var got []app.UI
		for _, f := range s.Got {
			got = append(got, app.Span().Attr("translate", "no").Body(app.Span().Text(f.Name+" "), app.Text(f.Value)))
		}
		parts = append(parts, app.P().Class("gotline").Body(append([]app.UI{app.Span().Class("vh").Text(words.Get("lab.step.got"))}, got...)...))
	}
	if s.Error != "" {
		parts = append(parts, app.P().Class("error-text").Body(icon("permanent"), app.Span().Text(words.Get("lab.step.error", "error", s.Error))))
	}
	if len(s.Differs) > 0 {
		parts = append(parts, gotWant(words, s.Differs))
	}
	if fields := rowFields(s.RowBefore, s.Row); len(fields) > 0 {
		row := []app.UI{app.Span().Class("vh").Text(words.Get("lab.step.row"))}
		for _, f := range fields {
			class := ""
			if f.Changed {
				class = "chg"
			}
			cell := []app.UI{verbatim(f.Name + " "), app.Span().Class("v").Attr("translate", "no").Text(f.Value)}
			if f.Changed {
				cell = append(cell, app.I().Class("vh").Text(" "+words.Get("lab.step.changed")))
			}
			row = append(row, app.Span().Class(class).Body(cell...))
		}
		parts = append(parts, app.P().Class("rowline").Body(row...))
	}
	return app.Li().Class(class).DataSet("no", s.No).Body(parts...)
}

// gotWant is the fields whose value was not the wanted one.
func gotWant(words text.Words, differs []ask.Difference) app.UI {
	var rows []app.UI
	for _, d := range differs {
		rows = append(rows, app.Tr().Body(
			app.Th().Scope("row").Body(app.Code().Text(d.Field)),
			app.Td().Class("want").Body(verbatim(d.Want)), app.Td().Class("got").Body(verbatim(d.Got)),
		))
	}
	return app.Table().Class("tbl tbl-close gotwant-tbl").Body(
		app.THead().Body(app.Tr().Body(
			app.Th().Scope("col").Text(words.Get("lab.field")), app.Th().Scope("col").Text(words.Get("lab.want")), app.Th().Scope("col").Text(words.Get("lab.got")),
		)),
		app.TBody().Body(rows...),
	)
}
