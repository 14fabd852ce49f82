package web

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/starter"
	"retrylab/web/text"
)

// runLimit is how long a whole run may take. On a slow device the first one takes some tens of seconds.
const runLimit = 60 * time.Second

// maxProgram is how many bytes a program may have.
const maxProgram = 64 << 10

// What is kept on the device, in the lab's database. A version of the site that changes these names
// loses people's work.
const (
	keyProgram  = "program."          // with the language: the program as it was last
	keyReset    = "program.reset."    // the program before the last reset
	keyLanguage = "program.language"  // the one last chosen
	keyFinished = "program.finished." // the parts that it has passed
)

// A program is the student's program on the lab's page: its text in each language, and its runs.
type program struct {
	texts   map[string]string // by language
	reset   map[string]string // before the last reset; "" when there was none
	saved   time.Time
	changed int // counts the changes: the last of them is saved
	unsaved map[string]bool
	seed    int64 // what the values of a run are drawn from
	began   time.Time
	tabs    bool

	left  [][]string // of the run under way: what no interpreter has been asked for
	lanes int        // how many interpreters are at it
}

func newProgram() program {
	p := program{texts: map[string]string{}, reset: map[string]string{}, unsaved: map[string]bool{}}
	for _, language := range programLanguages {
		p.texts[language] = starter.Program(language)
	}
	return p
}

// open reads what is kept.
func (o *program) open(p *labPage) {
	if app.IsServer {
		return
	}
	if o.seed == 0 {
		o.seed = 1 + rand.Int64N(1_000_000)
	}
	get := func(key string, on func(value string)) {
		p.engine.read(ask.KeepGet, ask.Key{Key: key}, func(ctx app.Context, r ask.Reply) {
			if kept, ok := decode[ask.Kept](r.Body); r.Err == nil && ok {
				on(kept.Value)
			}
		})
	}
	for _, language := range programLanguages {
		get(keyProgram+language, func(value string) {
			switch {
			case value == "" || value == o.texts[language]:
			case o.texts[language] == starter.Program(language):
				o.texts[language] = value
			default:
				// Somebody was quicker than the engine: what was kept can be had again.
				o.reset[language] = value
				keep(p, keyReset+language, value, nil)
			}
		})
		get(keyReset+language, func(value string) {
			if o.reset[language] == "" {
				o.reset[language] = value
			}
		})
		get(keyFinished+language, func(value string) {
			var parts []int
			if json.Unmarshal([]byte(value), &parts) == nil {
				p.state.Finished[language] = parts
			}
		})
	}
	if app.Window().URL().Query().Get("subject") == "" {
		get(keyLanguage, func(value string) {
			if isProgram(value) && o.changed == 0 && !p.state.Running && p.state.Ran == "" {
				p.state.choose(value)
			}
		})
	}
}

// close saves what the last keystrokes changed.
func (o *program) close(p *labPage) { o.save(p) }

func keep(p *labPage, key, value string, then func()) {
	p.engine.ask(ask.KeepPut, ask.Kept{Key: key, Value: value}, func(ctx app.Context, r ask.Reply) {
		switch {
		case r.Err != nil:
			p.state.Err = r.Err
		case then != nil:
			then()
		}
	})
}

func (o *program) keepLanguage(p *labPage) {
	if isProgram(p.state.Subject) {
		keep(p, keyLanguage, p.state.Subject, nil)
	}
}

// typed takes over what the person has written, and saves it when he pauses.
func (o *program) typed(p *labPage, ctx app.Context, value string) {
	o.texts[p.state.Subject] = value
	o.unsaved[p.state.Subject] = true
	o.changed++
	change := o.changed
	runnerOf(p.At, p.state.Subject).warm(func() { ctx.Dispatch(func(app.Context) {}) })
	time.AfterFunc(400*time.Millisecond, func() {
		ctx.Dispatch(func(app.Context) {
			if change == o.changed {
				o.save(p)
			}
		})
	})
}

// save keeps each program that has changed since it was kept, unless it is too long to be.
func (o *program) save(p *labPage) {
	for _, language := range programLanguages {
		if o.unsaved[language] && len(o.texts[language]) <= maxProgram {
			o.unsaved[language] = false
			keep(p, keyProgram+language, o.texts[language], func() { o.saved = time.Now() })
		}
	}
}

// restart puts the starter back; what was there can be had again.
func (o *program) restart(p *labPage) {
	language := p.state.Subject
	o.reset[language] = o.texts[language]
	keep(p, keyReset+language, o.reset[language], nil)
	o.texts[language] = starter.Program(language)
	o.unsaved[language] = true
	o.changed++
	o.save(p)
	p.state.forget()
}

// undo takes the last reset back.
func (o *program) undo(p *labPage) {
	language := p.state.Subject
	o.texts[language], o.reset[language] = o.reset[language], ""
	keep(p, keyReset+language, "", nil)
	o.unsaved[language] = true
	o.changed++
	o.save(p)
	p.state.forget()
}

// run runs checks on the program, on every interpreter that is up: each takes a share, and the next one when it has
// done with that, since one that is new is slow at first. A check that does not end is thrown away with its
// frame, and the others go on in another.
func (o *program) run(p *labPage, slugs []string) {
	o.began = time.Now()
	o.save(p)
	all := runnerOf(p.At, p.state.Ran).begin(p.engine.ctx)
	shares := 1
	if len(all) > 1 {
		shares = 4 * len(all)
	}
	o.left = deal(slugs, shares)
	all = all[:min(len(all), len(o.left))]
	o.lanes = len(all)
	for _, f := range all {
		o.goOn(p, f)
	}
}

// goOn has an interpreter run the next share, if there is one.
func (o *program) goOn(p *labPage, f *interpreter) {
	if len(o.left) == 0 {
		if o.lanes--; o.lanes == 0 {
			o.end(p)
			o.show(p)
		}
		return
	}
	slugs := o.left[0]
	o.left = o.left[1:]
	now := "" // the check that runs
	r := runnerOf(p.At, p.state.Ran)
	body := ask.RunStudent{Source: o.texts[p.state.Ran], Checks: slugs, Seed: o.seed}
	r.ask(p.engine.ctx, f, ask.StudentRun, body, func(ctx app.Context, reply ask.Reply) {
		if !reply.More {
			if sum, ok := decode[ask.StudentSummary](reply.Body); ok {
				p.state.Load = sum.Load
				p.state.Printed = sum.Printed
				if sum.Load != nil {
					p.state.Results, p.state.Told = map[string]*ask.CheckResult{}, map[string]*ask.StudentCheck{}
				}
			}
			o.goOn(p, f)
			return
		}
		if told, ok := decode[ask.StudentCheck](reply.Body); ok {
			now = told.Next
			if told.Done {
				p.state.tell(told)
			}
		}
		if time.Since(o.began) > runLimit {
			p.state.TooLong = true
			o.giveUp(p)
			return
		}
		if now := time.Now(); now.Sub(p.drawn) < drawEvery {
			ctx.PreventUpdate()
		} else {
			p.drawn = now
		}
	}, func(l late) {
		left := p.state.late(o.why(p, l), now, slugs)
		switch {
		case p.state.TimeOuts >= mostTimeOuts || p.state.Load != nil:
			o.giveUp(p)
			return
		case len(left) > 0:
			o.left = append(o.left, left)
		}
		if o.lanes > 1 {
			o.lanes-- // the other one takes what is left
			return
		}
		o.goOn(p, r.now)
	})
}

// giveUp ends the run with what has come in.
func (o *program) giveUp(p *labPage) {
	runnerOf(p.At, p.state.Ran).stop(p.engine.ctx)
	p.state.endEarly()
	o.end(p)
}

func (o *program) end(p *labPage) {
	if p.state.endProgram(float64(time.Since(o.began).Milliseconds())) {
		parts, _ := json.Marshal(p.state.Finished[p.state.Ran])
		keep(p, keyFinished+p.state.Ran, string(parts), nil)
	}
}

// show brings the line into sight that keeps the program from being run.
func (o *program) show(p *labPage) {
	if p.state.Load == nil || p.state.Load.Line == 0 {
		return
	}
	o.goTo(p, p.state.Load.Line)
}

// stop ends a run in the middle.
func (o *program) stop(p *labPage) {
	runnerOf(p.At, p.state.Ran).stop(p.engine.ctx)
	p.state.endEarly()
}

// look plays a check that has passed once more, to show its steps.
func (o *program) look(p *labPage, slug string) {
	if p.state.Running {
		return
	}
	body := ask.RunStudent{Source: o.texts[p.state.Ran], Checks: []string{slug}, Rows: true}
	r := runnerOf(p.At, p.state.Ran)
	r.ask(p.engine.ctx, r.begin(p.engine.ctx)[0], ask.StudentRun, body, func(ctx app.Context, r ask.Reply) {
		if told, ok := decode[ask.StudentCheck](r.Body); r.More && ok && told.Done {
			p.state.tell(told)
		}
	}, func(late) {})
}

// editor is the program with what belongs to it: the language, when it was saved, and the way back.
func (o *program) editor(p *labPage, words text.Words) app.UI {
	language := p.state.Subject
	var choices []choice
	for _, l := range programLanguages {
		choices = append(choices, choice{l, words.Get("program.language." + l)})
	}
	saved := ""
	switch {
	case len(o.texts[language]) > maxProgram:
		saved = words.Get("program.toolong")
	case !o.saved.IsZero():
		saved = words.Get("program.saved", "time", o.saved.Format("15:04"))
	}
	acts := []app.UI{}
	if o.texts[language] != starter.Program(language) {
		acts = append(acts, button{Scope: "program-reset", Label: words.Get("program.reset"), Icon: "reload", Class: "btn-plain", Disabled: p.state.Running, On: func(app.Context) { o.restart(p) }}.ui())
	}
	if o.reset[language] != "" {
		acts = append(acts, button{Scope: "program-undo", Label: words.Get("program.undo"), Icon: "back", Class: "btn-plain", Disabled: p.state.Running, On: func(app.Context) { o.undo(p) }}.ui())
	}
	acts = append(acts, tick("program-tabs", words.Get("program.tabs"), o.tabs, func(ctx app.Context, checked bool) { o.tabs = checked }))
	return app.Div().Class("gap-s").Body(
		app.Div().Class("code-head").Body(
			segment{ID: "program-language", Label: words.Get("program.language"), Chosen: language, Options: choices, On: func(ctx app.Context, value string) {
				if !p.state.Running {
					p.choose(value)
				}
			}}.ui(),
			app.Span().Class("small").Text(saved),
		),
		&codeEditor{
			At: p.At, ID: "program-" + language, Lang: language, Label: words.Get("program.label", "language", words.Get("program.language."+language)), Value: o.texts[language],
			Marks: p.state.marks(), TabIndents: o.tabs,
			OnInput: func(ctx app.Context, value string) { o.typed(p, ctx, value) },
			OnRun:   func(ctx app.Context) { p.run(0) },
		},
		app.Div().Class("row").Body(acts...),
		app.P().Class("small").Body(app.A().Href(p.At.Href("/rules/")).Text(words.Get("program.rules"))),
	)
}

// panel is the panel of arguments, which asks the program too once its interpreter is up.
func (o *program) panel(p *labPage) app.UI {
	panel := &argsPanel{At: p.At}
	if isProgram(p.state.Subject) {
		panel.Language = p.state.Subject
	}
	panel.try = func(typed [4]string, on func(ask.StudentValue)) {
		r, ok := runners[panel.Language]
		if !ok || p.state.Running {
			return
		}
		if _, starting := r.starting(); starting {
			return
		}
		body := ask.StudentDelay{Source: o.texts[panel.Language], Attempt: typed[0], BaseMS: typed[1], CapMS: typed[2], Jitter: typed[3]}
		r.ask(p.engine.ctx, r.begin(p.engine.ctx)[0], ask.StudentTry, body, func(ctx app.Context, reply ask.Reply) {
			if v, ok := decode[ask.StudentValue](reply.Body); reply.Err == nil && ok {
				on(v)
			}
		}, func(l late) {
			on(ask.StudentValue{Error: o.why(p, l)})
		})
	}
	return panel
}

// why says how a program came to its end without an answer.
func (o *program) why(p *labPage, l late) string {
	if l.Limit {
		return p.At.Words().Get("program.late", "s", int(programLimit/time.Second))
	}
	return p.At.Words().Get("program.died", "detail", l.Detail)
}

// starting is the progress of an interpreter that is on its way.
func (o *program) starting(words text.Words) []app.UI {
	if app.IsServer {
		return nil
	}
	for _, language := range programLanguages {
		r, ok := runners[language]
		if !ok {
			continue
		}
		if bytes, yes := r.starting(); yes {
			far := ""
			if bytes > 0 {
				far = words.Get("engine.loaded", "mb", megabytes(bytes))
			}
			return []app.UI{progress(words.Get("program.starting", "language", words.Get("program.language."+language)), far, 0, 0)}
		}
	}
	return nil
}

// loadFault tells why a program could not be run at all.
func (o *program) loadFault(words text.Words, fault ask.Raised) app.UI {
	title := words.Get("program.load")
	if fault.Line > 0 {
		title = words.Get("program.load.line", "line", fault.Line)
	}
	parts := []app.UI{app.P().Body(verbatim(raisedText(fault)))}
	if strings.Contains(fault.Trace, "\n") { // more than the line, which stands above
		parts = append(parts, traceback(words, fault.Trace))
	}
	return verdict(toneBad, title, parts...)
}

// brief is how far the run is, or how it ended, beside the button that began it: the whole stands below the editor, on
// a phone out of sight.
func (o *program) brief(p *labPage, words text.Words) app.UI {
	s := &p.state
	total := s.count(0)
	switch {
	case s.Running:
		return app.Span().Class("small").Text(words.Get("lab.running.far", "done", s.Done, "total", s.Total))
	case s.Ran != s.Subject || s.Summary == nil || s.Load != nil:
		return app.Span().Class("small keys").Body(app.Elem("kbd").Text("Ctrl"), app.Text(" "), app.Elem("kbd").Text("Enter"))
	case total.Failed > 0:
		return app.A().Href("#" + s.firstFailed()).Text(words.N("program.failed", int64(total.Failed)))
	case total.Idle > 0:
		return app.Span().Class("small").Text(words.N("program.passed", int64(total.Passed)))
	}
	return app.Span().Class("small").Text(words.N("program.all", int64(total.Passed)))
}

// goTo brings a line of the program into sight, with the cursor in it.
func (o *program) goTo(p *labPage, line int) {
	editor := app.Window().GetElementByID("program-" + p.state.Ran)
	if editor.Truthy() && editor.Get("goTo").Type() == app.TypeFunction {
		editor.Call("goTo", line, 1)
		editor.Call("scrollIntoView", map[string]any{"block": "nearest"})
	}
}

// outcome is what came of the last run.
func (o *program) outcome(p *labPage, words text.Words) []app.UI {
	s := &p.state
	took := app.P().Class("small").Text(words.Get("program.took", "s", seconds(s.Summary.MS), "seed", o.seed))
	parts := []app.UI{took}
	if s.Printed != "" {
		parts = append(parts, printed(words, s.Printed))
	}
	total := s.count(0)
	switch {
	case s.TooLong:
		parts = append([]app.UI{para("", words.Get("program.toolong.run", "s", int(runLimit/time.Second)))}, parts...)
		return []app.UI{verdict(toneWarn, words.Get("program.gaveup"), parts...)}
	case s.TimeOuts >= mostTimeOuts:
		parts = append([]app.UI{para("", words.Get("program.gaveup.text", "n", mostTimeOuts))}, parts...)
		return []app.UI{verdict(toneWarn, words.Get("program.gaveup"), parts...)}
	case total.Failed > 0:
		return []app.UI{verdict(toneBad, words.N("program.failed", int64(total.Failed)), parts...)}
	case total.Idle > 0:
		return []app.UI{verdict(toneGood, words.N("program.passed", int64(total.Passed)), parts...)}
	}
	parts = append([]app.UI{para("", words.Get("program.all.text"))}, parts...)
	return []app.UI{verdict(toneGood, words.N("program.all", int64(total.Passed)), parts...)}
}

// told is what a check has to say about a program beside its steps. goTo goes to a line of the program.
func told(words text.Words, t *ask.StudentCheck, goTo func(line int)) []app.UI {
	if t == nil {
		return nil
	}
	var parts []app.UI
	if t.Raised != nil {
		at := raisedText(*t.Raised)
		if t.Raised.Line > 0 {
			at = words.Get("program.line", "line", t.Raised.Line) + ": " + at
		}
		parts = append(parts, app.P().Class("error-text").Body(icon("permanent"), verbatim(at)))
		if line := t.Raised.Line; line > 0 {
			parts = append(parts, app.P().Body(button{Scope: "line-" + t.Slug, Label: words.Get("program.goto", "line", line), Class: "btn-plain", On: func(app.Context) { goTo(line) }}.ui()))
		}
		if strings.Contains(t.Raised.Trace, "\n") {
			parts = append(parts, traceback(words, t.Raised.Trace))
		}
	}
	if t.Seed != 0 {
		parts = append(parts, para("small", words.Get("program.seed", "seed", t.Seed)))
	}
	if t.Printed != "" {
		parts = append(parts, printed(words, t.Printed))
	}
	return parts
}

func traceback(words text.Words, trace string) app.UI {
	return output(words.Get("program.trace"), trace)
}

func printed(words text.Words, text string) app.UI { return output(words.Get("program.printed"), text) }

// output is a text of a program's, as it is.
func output(title, text string) app.UI {
	return app.Details().Class("fold").Open(true).Body(
		app.Summary().Text(title),
		app.Pre().Class("code code-plain").TabIndex(0).Attr("translate", "no").Text(strings.TrimRight(text, "\n")),
	)
}
