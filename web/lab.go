package web

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// labPage is the comprehensive lab: every check, run on the reference or on a mutant, with its steps.
// A link such as /lab/?subject=no_cap#the-cap-comes-first chooses a subject and unfolds a check.
type labPage struct {
	app.Compo
	At Place

	engine engineState
	state  labState
	own    program   // the student's program
	linked string    // a fragment whose check is not there yet
	drawn  time.Time // when results that come in were last drawn
}

// drawEvery is how long results that come in may wait until they are drawn.
const drawEvery = 200 * time.Millisecond

// nextFrame is how long the page's thread is left to the browser between two pieces of one work.
const nextFrame = 20 * time.Millisecond

func (p *labPage) OnInit() {
	p.state = newLabState()
	p.own = newProgram()
}

func (p *labPage) OnMount(ctx app.Context) {
	p.engine.open(ctx, p.At, func(ctx app.Context, n ask.Notice) {
		if n.State == ask.Ready && !p.state.Loaded {
			p.list()
		}
	})
	p.list()
	p.own.open(p)
}

func (p *labPage) OnDismount() {
	p.own.close(p)
	p.engine.close()
}

func (p *labPage) OnNav(ctx app.Context) {
	at := ctx.Page().URL()
	if name := at.Query().Get("subject"); name != "" {
		p.state.choose(name)
	}
	if seed, err := strconv.ParseInt(at.Query().Get("seed"), 10, 64); err == nil && seed > 0 {
		p.own.seed = seed
	}
	p.linked = at.Fragment
	p.follow(ctx)
}

// follow goes to the check that the address points to, once it is there.
func (p *labPage) follow(ctx app.Context) {
	if p.linked != "" && p.state.Loaded && p.state.Drawn == len(p.state.Lab.Checks) && p.state.reveal(p.linked) {
		ctx.ScrollTo(p.linked)
		p.linked = ""
	}
}

func (p *labPage) list() {
	p.engine.read(ask.LabList, nil, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.state.Err = r.Err
			return
		}
		if lab, ok := decode[ask.Lab](r.Body); ok {
			p.state.load(lab)
			ctx.After(nextFrame, p.more)
		}
	})
}

// more lets the checks onto the page, some at a time.
func (p *labPage) more(ctx app.Context) {
	if p.state.drawMore() {
		ctx.After(nextFrame, p.more)
	} else {
		p.follow(ctx)
	}
}

// run runs all checks, or those of one part.
func (p *labPage) run(part int) {
	if p.state.Running || !p.state.Loaded {
		return
	}
	if isProgram(p.state.Subject) {
		p.own.run(p, p.state.start(part))
		return
	}
	checks := p.state.start(part)
	p.engine.ask(ask.LabRun, ask.RunLab{Subject: p.state.Subject, Checks: checks}, func(ctx app.Context, r ask.Reply) {
		switch {
		case r.Err != nil:
			p.state.fail(*r.Err)
		case r.More:
			if result, ok := decode[ask.CheckResult](r.Body); ok {
				p.state.add(result)
			}
			// Results come faster than anybody reads. Drawing each would keep the page from what it is for.
			if now := time.Now(); now.Sub(p.drawn) < drawEvery {
				ctx.PreventUpdate()
			} else {
				p.drawn = now
			}
		default:
			if sum, ok := decode[ask.LabSummary](r.Body); ok {
				p.state.end(sum)
			}
		}
	})
}

// stop ends the run with the engine, which starts again by itself.
func (p *labPage) stop(ctx app.Context) {
	p.state.stop()
	if isProgram(p.state.Ran) {
		p.own.stop(p)
		return
	}
	p.engine.kill()
}

// choose makes another subject the next one to run, and keeps it in the address.
func (p *labPage) choose(name string) {
	p.state.choose(name)
	p.own.keepLanguage(p)
	address := p.At.Href(p.At.Path)
	if name != programLanguages[0] {
		address += "?subject=" + url.QueryEscape(name)
	}
	app.Window().Get("history").Call("replaceState", nil, "", address)
}

func (p *labPage) Render() app.UI {
	words := p.At.Words()
	total := p.state.count(0)
	var tags []app.UI
	if p.state.Ran != "" && total.Passed > 0 {
		tags = append(tags, remark(toneGood, words.Get("lab.passed", "n", total.Passed), true))
	}
	if p.state.Ran != "" {
		if total.Failed > 0 {
			tags = append(tags, remark(toneBad, words.Get("lab.failed", "n", total.Failed), true))
		}
		if total.Idle > 0 {
			tags = append(tags, remark(tone{"is-idle", "idle"}, words.Get("lab.idle", "n", total.Idle), true))
		}
	}
	body := []app.UI{
		crumbs(p.At, []choice{{"/", words.Get("nav.course")}}, words.Get("lab.crumb")),
		app.Div().Class("sec-head lab-top").Body(app.H1().Text(words.Get("lab.title")), app.P().Class("row").Body(tags...)),
	}
	body = append(body, p.engine.banners(words, p.list)...)
	if p.state.Err != nil && p.engine.failed == nil {
		body = append(body, errorBanner(words, *p.state.Err, button{
			Scope: "again", Label: words.Get("error.again"), Icon: "reload", On: func(ctx app.Context) {
				p.state.Err = nil
				p.list()
			},
		}.ui()))
	}
	if p.state.Loaded {
		body = append(body, p.parts(words))
	} else {
		body = append(body, app.P().Class("lead").Text(words.Get("lab.lead")))
	}
	body = append(body, app.Div().Class("bench bench-lab").Body(
		app.Div().Class("gap").Body(append(p.chooser(words), p.own.panel(p))...),
		p.checks(words),
	))
	return app.Div().Class("gap").Body(body...)
}

// parts are the four parts with a pip for each check.
func (p *labPage) parts(words text.Words) app.UI {
	var parts []app.UI
	for part := 1; part <= 4; part++ {
		checks := p.state.ofPart(part)
		if len(checks) == 0 {
			continue
		}
		t := p.state.count(part)
		outcomes := make([]byte, len(checks))
		for i, c := range checks {
			outcomes[i] = p.state.outcome(c.Slug)[0]
		}
		far := words.N("lab.part.idle", int64(len(checks)))
		if t.Idle < len(checks) {
			far = words.N("lab.part.far", int64(len(checks)), "passed", t.Passed)
		}
		parts = append(parts, app.A().Class("part").Href("#part-"+whole(part)).Body(
			app.B().Body(p.partName(words, part)...),
			app.Span().Text(far),
			&pips{Part: part, Outcomes: string(outcomes)},
		))
	}
	return app.Nav().Class("parts").Aria("label", words.Get("lab.parts")).Body(parts...)
}

// pips are a part's checks as small squares. They are a component so that they are drawn when one changes.
type pips struct {
	app.Compo
	Part     int
	Outcomes string // p passed, f failed, i idle
}

func (p *pips) CompoID() string { return whole(p.Part) }

func (p *pips) Render() app.UI {
	var all []app.UI
	for _, o := range p.Outcomes {
		all = append(all, app.I().Class(map[rune]string{'p': "is-pass", 'f': "is-fail"}[o]))
	}
	return app.Span().Class("pips").Aria("hidden", "true").Body(all...)
}

// partName is a part's name, with a sign when the program has passed it once.
func (p *labPage) partName(words text.Words, part int) []app.UI {
	name := []app.UI{app.Text(words.Get("lab.part." + whole(part)))}
	if isProgram(p.state.Subject) && slices.Contains(p.state.Finished[p.state.Subject], part) {
		if p.state.count(part).Failed > 0 {
			return append(name, app.Text(" "), app.Span().Class("small").Text(words.Get("program.part.before")))
		}
		name = append(name, app.Text(" "), icon("done"), app.Span().Class("vh").Text(" "+words.Get("program.part.finished")))
	}
	return name
}

// chooser is what is run: the reference, or a mutant with its misunderstanding; the buttons; and
// what came out.
func (p *labPage) chooser(words text.Words) []app.UI {
	s := &p.state
	acts := []app.UI{button{
		Scope: "run", Label: words.Get("lab.run"), Icon: "play", Class: "btn-main", Busy: s.Running, Disabled: !s.Loaded,
		On: func(app.Context) { p.run(0) },
	}.ui()}
	if s.Running {
		acts = append(acts, button{Scope: "stop", Label: words.Get("lab.stop"), Icon: "kill", Class: "btn-harm", Disabled: s.Stopped, On: p.stop}.ui())
	}
	why := ""
	for _, key := range []string{"lab.subject." + s.Subject + ".text", "mutant." + s.Subject + ".why"} {
		if words.Has(key) {
			why = words.Get(key)
		}
	}
	body := []app.UI{
		app.H2().Class("h-s").ID("subject-h").Text(words.Get("lab.subject")),
		app.Div().Class("field").Body(app.Label().For("subject").Text(words.Get("lab.subject.label")), &subjects{At: p.At, Chosen: s.Subject, Of: len(s.Lab.Subjects), Disabled: s.Running, page: p}),
		para("", why),
	}
	if isProgram(s.Subject) {
		acts = append(acts, p.own.brief(p, words))
	}
	// What comes and goes stands below the editor: nothing moves it under a person who types.
	body = append(body, app.Div().Class("row").Body(acts...))
	if isProgram(s.Subject) {
		body = append(body, p.own.editor(p, words))
		body = append(body, p.own.starting(words)...)
	}
	if s.Running {
		body = append(body, progress(words.Get("lab.running", "subject", subjectTitle(words, s.Ran)), words.Get("lab.running.far", "done", s.Done, "total", s.Total), s.Done, s.Total))
	}
	body = append(body, app.Div().Role("status").Body(p.outcome(words)...))
	return []app.UI{app.Section().Class("gap").Aria("labelledby", "subject-h").Body(body...)}
}

// outcome is the summary of the last run.
func (p *labPage) outcome(words text.Words) []app.UI {
	s := &p.state
	switch {
	case s.Running || s.Ran == "":
		return nil
	case s.Stopped && isProgram(s.Ran):
		return []app.UI{verdict(toneWarn, words.Get("lab.stopped"), para("", words.Get("program.stopped")))}
	case s.Stopped:
		return []app.UI{verdict(toneWarn, words.Get("lab.stopped"), para("", words.Get("lab.stopped.text")))}
	case s.Load != nil:
		return []app.UI{p.own.loadFault(words, *s.Load)}
	case s.Summary == nil:
		return nil
	case isProgram(s.Ran):
		return p.own.outcome(p, words)
	}
	took := app.P().Class("small").Text(words.Get("lab.took", "s", seconds(s.Summary.MS)))
	named, finders := s.finders()
	ran := subjectTitle(words, s.Ran)
	if len(finders) == 0 {
		if s.Ran == reference {
			return []app.UI{verdict(toneGood, words.N("lab.all-pass", int64(s.Summary.Passed)), took)}
		}
		return []app.UI{verdict(toneWarn, words.Get("lab.not-found"), para("", words.Get("lab.not-found.text", "subject", ran)), took)}
	}
	if s.Ran == reference {
		return []app.UI{verdict(toneBad, words.N("lab.reference-fails", int64(len(finders))), took)}
	}
	var links []app.UI
	for _, slug := range finders {
		a := app.A().Href("#" + slug).Text(checkTitle(words, slug, s.name(slug)))
		item := []app.UI{a}
		if slug == named {
			item = append(item, app.Text(" "), app.Span().Class("small").Text(words.Get("lab.names-it")))
		}
		links = append(links, app.Li().Body(item...))
	}
	return []app.UI{verdict(toneBad, words.N("lab.found", int64(len(finders))), para("", words.Get("lab.found.text", "subject", ran)), app.Ul().Class("finders").Body(links...), took)}
}

// subjects is the list of what the checks can be run on. It is a component of its own: eighty options are not drawn with
// every result that comes in.
type subjects struct {
	app.Compo
	At       Place
	Chosen   string
	Of       int // how many mutants there are: they come from the engine
	Disabled bool
	page     *labPage
}

func (c *subjects) Render() app.UI {
	words, s := c.At.Words(), &c.page.state
	var options []app.UI
	for _, name := range append(slices.Clone(programLanguages), reference) {
		options = append(options, option(name, subjectTitle(words, name), c.Chosen == name))
	}
	for _, group := range s.groups() {
		var of []app.UI
		for _, sub := range s.Lab.Subjects {
			if sub.Group == group {
				of = append(of, option(sub.Name, subjectTitle(words, sub.Name), c.Chosen == sub.Name))
			}
		}
		options = append(options, app.OptGroup().Label(words.Get("lab.group."+group)).Body(of...))
	}
	return app.Select().Class("input").ID("subject").Disabled(c.Disabled).Body(options...).
		OnChange(func(ctx app.Context, e app.Event) { c.page.choose(ctx.JSSrc().Get("value").String()) })
}

func option(value, label string, selected bool) app.UI {
	return app.Option().Value(value).Selected(selected).Text(label)
}

// subjectTitle is the name of a subject as a person reads it.
func subjectTitle(words text.Words, name string) string {
	if name == reference || isProgram(name) {
		return words.Get("lab.subject." + name)
	}
	if key := "mutant." + name + ".title"; words.Has(key) {
		return words.Get(key)
	}
	return name
}

// checkTitle is the title of a check; a check that has none in the catalogue is called by its name.
func checkTitle(words text.Words, slug, name string) string {
	if key := "check." + slug + ".title"; words.Has(key) {
		return words.Get(key)
	}
	return name
}
