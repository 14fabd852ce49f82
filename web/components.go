package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// componentsPage shows every component in every state. Whoever changes the look looks here first.
type componentsPage struct {
	app.Compo
	At Place

	seg   string
	ticks map[string]bool
	code  map[string]string // what is in the code editors, by their language
	runs  int64
	sit   sitting // the questions that are arranged
}

func (c *componentsPage) OnInit() {
	c.seg, c.ticks = "a", map[string]bool{"t1": true}
	c.sit = sitting{at: c.At, engine: &engineState{}, state: newQuizState(), onAnswer: func(ask.Question) {}, onFresh: func(string) {}, onVisit: func(int) {}}
	c.sit.state.load(sampleArranged(c.At.Words()))
	c.code = map[string]string{"python": samplePython, "javascript": sampleJavaScript}
}

func (c *componentsPage) Render() app.UI {
	words := c.At.Words()
	w := func(key string) string { return words.Get("components." + key) }
	spec := func(key string, body ...app.UI) app.UI {
		return app.Section().Class("spec").Body(app.H2().Text(w(key)), app.Div().Class("gap").Body(body...))
	}
	return app.Div().Body(
		app.Div().Class("gap comp-top").Body(app.H1().Text(w("title")), app.P().Class("lead").Text(w("lead"))),
		spec("mark",
			app.Div().Class("row marks").Body(
				app.Span().Class("mk mk-l").Body(logo(false)), app.Span().Class("mk mk-m").Body(logo(false)), app.Span().Class("mk mk-s").Body(logo(true)),
				app.Span().Class("mk mk-l mk-mono").Body(logo(false)), app.Span().Class("mk mk-l mk-neg").Body(logo(false)),
			),
			app.P().Class("small").Text(w("mark.text")),
		),
		spec("states", c.states(words)...),
		spec("buttons", c.buttons(words)...),
		spec("fields", c.fields(words)...),
		spec("banners",
			banner{Tone: "info", Title: words.Get("engine.elsewhere"), Text: words.Get("engine.elsewhere.text")}.ui(),
			banner{Tone: "warn", Title: words.Get("engine.memory"), Text: words.Get("engine.memory.why.no_opfs")}.ui(),
			c.quiet(errorBanner(words, ask.Error{Code: ask.EngineFailed, Detail: "out of memory"}, button{Scope: "demo-again", Label: words.Get("error.again"), Icon: "reload"}.ui())),
			banner{Tone: "done", Title: words.N("lab.all-pass", 50), Text: w("banners.done")}.ui(),
		),
		spec("verdicts",
			verdict(markTones["wrong"], words.Get("quiz.mark.wrong"), para("", w("verdicts.wrong"))),
			verdict(markTones["right"], words.Get("quiz.mark.right"), para("", w("verdicts.right"))),
			verdict(markTones["part"], words.Get("quiz.mark.part"), para("", w("verdicts.part"))),
		),
		spec("progress",
			progress(words.Get("lab.running", "subject", words.Get("lab.subject.reference")), words.Get("lab.running.far", "done", 31, "total", 50), 31, 50),
			progress(words.Get("engine.starting"), words.Get("engine.loaded", "mb", "1.4"), 0, 0),
			app.Ol().Class("quiz-bar").Aria("label", words.N("quiz.bar.label", 5)).Body(
				app.Li().Class("is-wrong").Body(icon("permanent"), app.Span().Class("vh").Text(words.Get("quiz.bar.wrong", "n", 1))),
				app.Li().Class("is-right").Body(icon("done"), app.Span().Class("vh").Text(words.Get("quiz.bar.right", "n", 2))),
				app.Li().Class("is-now").Aria("current", "step").Text("3"), app.Li().Text("4"), app.Li().Text("5"),
			),
		),
		spec("table", (&queuePage{At: c.At}).jobs(words, sampleLive), (&queuePage{At: c.At}).emptyTable(words)),
		spec("numbers", dashboard(words, sampleLive.Stats)),
		spec("figure", liveFigure(words, sampleLive)),
		spec("log", liveLog(words, sampleLive)),
		spec("code",
			app.Div().Class("code").TabIndex(0).Role("region").Aria("label", w("code")).Body(app.Ol().Body(
				app.Li().Text("wait = retry_delay(attempts, base_ms, cap_ms, jitter)"),
				app.Li().Class("is-error").Body(app.Text("if now + wait > deadline:"), app.Span().Class("msg").Text(w("code.msg"))),
				app.Li().Text(`    return bury(job, "deadline")`),
			)),
			para("", w("code.inline")),
		),
		spec("editor", c.editors(words)...),
		spec("arranged", c.arranged(words)...),
		spec("callouts", app.Div().Class("callout").Body(app.P().Body(app.B().Text(w("callouts.title")), app.Text(w("callouts.text")))), app.P().Class("note").Text(w("callouts.note"))),
		spec("way", crumbs(c.At, []choice{{"/", words.Get("nav.course")}}, words.Get("lab.crumb")), app.P().Body(app.A().Class("skip is-shown").Href("#main").Text(words.Get("nav.skip")))),
		spec("checks", app.Ul().Class("checks").Body(c.checks()...)),
		spec("scripts", c.scripts()...),
		spec("missing", missingBox(c.At)),
	)
}

// quiet shows what would be read out at once as a plain part of the page.
func (c *componentsPage) quiet(part app.UI) app.UI { return app.Div().Body(part) }

func (c *componentsPage) states(words text.Words) []app.UI {
	var swatches, tags []app.UI
	for _, s := range jobStates {
		if s != stateExpired { // it has the colour of leased
			swatches = append(swatches, app.Div().Class("swatch is-"+string(s)).Body(statePill(words, s, false)))
		}
		tags = append(tags, statePill(words, s, true))
	}
	return []app.UI{
		app.Div().Class("swatches").Body(swatches...), app.P().Class("row").Body(tags...),
		app.P().Class("small").Text(words.Get("components.states.text")),
	}
}

func (c *componentsPage) buttons(words text.Words) []app.UI {
	return []app.UI{
		app.Div().Class("row").Body(
			button{Scope: "b1", Label: words.Get("lab.run"), Icon: "play", Class: "btn-main"}.ui(),
			button{Scope: "b2", Label: words.Get("quiz.fresh"), Icon: "shuffle"}.ui(),
			button{Scope: "b3", Label: words.Get("quiz.tell"), Class: "btn-plain"}.ui(),
			button{Scope: "b4", Label: words.Get("queue.kill"), Icon: "kill", Class: "btn-harm"}.ui(),
			&themeButton{At: c.At},
		),
		app.Div().Class("row").Body(
			button{Scope: "b5", Label: words.Get("components.buttons.hover"), Class: "is-hover"}.ui(),
			button{Scope: "b6", Label: words.Get("components.buttons.focus"), Class: "is-focus"}.ui(),
			button{Scope: "b7", Label: words.Get("components.buttons.pressed"), Pressed: "true"}.ui(),
			button{Scope: "b8", Label: words.Get("components.buttons.off"), Disabled: true}.ui(),
			button{Scope: "b9", Label: words.Get("lab.run"), Class: "btn-main", Disabled: true}.ui(),
			button{Scope: "b10", Label: words.Get("components.buttons.busy"), Busy: true}.ui(),
		),
		segment{
			ID: "demo-seg", Label: words.Get("lab.show"), Chosen: c.seg,
			Options: []choice{{"a", words.Get("lab.show.all")}, {"b", words.Get("lab.show.failed")}, {"c", words.Get("lab.show.passed")}},
			On:      func(ctx app.Context, value string) { c.seg = value },
		}.ui(),
	}
}

func (c *componentsPage) fields(words text.Words) []app.UI {
	ticked := func(id string) func(app.Context, bool) {
		return func(ctx app.Context, on bool) { c.ticks[id] = on }
	}
	return []app.UI{
		app.Div().Class("cols").Body(
			field{ID: "f1", Label: words.Get("queue.field.id"), Value: "cake-1", Hint: words.Get("queue.hint.enqueue.id")}.ui(),
			field{ID: "f2", Label: words.Get("queue.field.max_attempts"), Value: "0", Mono: true, Fault: words.Get("fault.too_small") + "; " + words.Get("want.whole", "lo", 1, "hi", 10000)}.ui(),
			field{ID: "f3", Label: words.Get("components.fields.off"), Value: "600", Off: true}.ui(),
			app.Div().Class("field").Body(app.Label().For("f4").Text(words.Get("queue.field.send")), app.Select().ID("f4").Class("input").Body(
				option("ok", plain(words.Get("send.ok")), true), option("retryable", plain(words.Get("send.retryable")), false),
			)),
		),
		app.Div().Class("row").Body(tick("t1", words.Get("queue.run.hold"), c.ticks["t1"], ticked("t1")), tick("t2", words.Get("components.fields.tick"), c.ticks["t2"], ticked("t2"))),
		&argsPanel{At: c.At},
	}
}

// editors are a program with two marks, and one without.
func (c *componentsPage) editors(words text.Words) []app.UI {
	editor := func(lang, name string, marks ...codeMark) app.UI {
		return &codeEditor{
			At: c.At, ID: "demo-" + lang, Lang: lang, Label: words.Get("components.editor.label", "language", name), Value: c.code[lang],
			Marks: marks, TabIndents: c.ticks["tab"],
			OnInput: func(ctx app.Context, value string) { c.code[lang] = value },
			OnRun:   func(ctx app.Context) { c.runs++ },
		}
	}
	return []app.UI{
		editor("python", "Python", codeMark{4, words.Get("components.code.msg")}, codeMark{7, words.Get("components.editor.mark")}),
		editor("javascript", "JavaScript"),
		app.Div().Class("row row-between").Body(
			tick("tab", words.Get("codeeditor.tab"), c.ticks["tab"], func(ctx app.Context, on bool) { c.ticks["tab"] = on }),
			app.P().Class("small").Role("status").Text(words.N("components.editor.runs", c.runs)),
			button{Scope: "demo-reset", Label: words.Get("components.editor.reset"), Icon: "reload", On: func(app.Context) { c.code["python"], c.code["javascript"] = samplePython, sampleJavaScript }}.ui(),
		),
		app.P().Class("small").Text(words.Get("components.editor.text")),
	}
}

// arranged are an order and a match, as they are marked when they are partly right.
func (c *componentsPage) arranged(words text.Words) []app.UI {
	var parts []app.UI
	for i, qu := range c.sit.state.Quiz.Questions {
		parts = append(parts, app.Div().Class("preview").Body(c.sit.question(words, i, qu)))
	}
	return parts
}

// plain is an authored text where no code can be shown.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

func (c *componentsPage) checks() []app.UI {
	item := func(slug, name, outcome string, open bool, result *ask.CheckResult) *checkItem {
		return &checkItem{
			At: c.At, Check: ask.Check{Slug: slug, Name: name, Part: 1}, Outcome: outcome, Open: open, Result: result, toggle: func(string, bool) {},
			Text: "name: " + name + "\nsteps:\n- delay: {attempt: 1, base_ms: 100, cap_ms: 1000, jitter: 0.5}\n  expect: {result: ok, value: 50}\n",
		}
	}
	pass := ask.Trace{Name: "pass", Policy: sampleLive.Policy, Pass: true, Steps: []ask.TracedStep{{
		No: "1", Text: "delay {attempt: 1, base_ms: 100, cap_ms: 1000, jitter: 0.5}", Reached: true, Got: []ask.Field{{Name: "result", Value: "ok"}, {Name: "value", Value: "50"}},
	}}}
	pending := &ask.Job{ID: "cake-1", State: "pending", MaxAttempts: 5, Deadline: 90}
	reason := "retryable"
	fail := ask.Trace{Name: "fail", Policy: sampleLive.Policy, Where: "2", Steps: []ask.TracedStep{
		{No: "1", Text: "enqueue {id: cake-1, max_attempts: 5, deadline: 90}", Reached: true, Got: []ask.Field{{Name: "result", Value: "created"}}, Row: pending},
		{No: "2", Text: "run {send: retryable, takes: 40}", Reached: true, RowBefore: pending,
			Differs: []ask.Difference{{Field: "result", Want: "dead", Got: "retry"}, {Field: "reason", Want: "deadline", Got: "null"}},
			Row:     &ask.Job{ID: "cake-1", State: "pending", Attempts: 1, MaxAttempts: 5, AvailableAt: 90, Deadline: 90, LastError: &reason}},
		{No: "3", At: 90, Text: "job cake-1"},
	}}
	return []app.UI{
		item("the-cap-comes-before-the-jitter", "The cap comes before the jitter", "pass", false, &ask.CheckResult{Pass: true, Trace: pass}),
		item("a-wait-that-ends-on-the-deadline-is-too-long", "A wait that ends exactly on the deadline is too long", "fail", true, &ask.CheckResult{Trace: fail}),
		item("a-requeue-keeps-the-attempts", "Requeue keeps the attempts", "idle", false, nil),
	}
}

// scripts are the three writing systems that the look is made for. The samples belong to the look, not
// to the page's language.
func (c *componentsPage) scripts() []app.UI {
	var cols []app.UI
	for _, s := range [][3]string{
		{"en", "How long to wait", "The cap is applied to the window, before the jitter."},
		{"ja", "どれだけ待つか", "上限はウィンドウに適用し、ジッターはそのあとに掛けます。結果は整数のミリ秒で、端数は切り捨てます。"},
		{"ru", "Сколько ждать", "Предел применяется к окну до джиттера. Результат всегда в целых миллисекундах, с округлением вниз."},
	} {
		cols = append(cols, app.Div().Class("prose").Lang(s[0]).Attr("translate", "no").Body(app.H3().Text(s[1]), app.P().Text(s[2])))
	}
	return []app.UI{app.Div().Class("cols").Body(cols...)}
}
