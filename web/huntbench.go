package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// The form of the bug hunt. Ids of its fields: hs-KEY-NAME for a value of a step, hx-KEY-I-field and
// -value for what it expects, hp-NAME for the policy.

func stepID(key int, name string) string { return "hs-" + whole(key) + "-" + name }

func expectID(key, i int, part string) string {
	return "hx-" + whole(key) + "-" + whole(i) + "-" + part
}

// inputs are the fields of the form and what each must show, by id.
func (s *huntState) inputs() map[string]string {
	values := map[string]string{"hunt-text": s.Text, "hunt-name": s.Form.Name}
	for _, name := range huntPolicy {
		values["hp-"+name] = s.Form.Policy[name]
	}
	var steps func([]huntStep)
	steps = func(list []huntStep) {
		for _, step := range list {
			values[stepID(step.Key, "at")], values[stepID(step.Key, "do")] = step.At, step.Do
			for _, f := range huntFieldsOf(step.Do, false) {
				value := step.Fields[f.Name]
				if value == "" && len(f.Choices) > 0 {
					value = f.Choices[0]
				}
				values[stepID(step.Key, f.Name)] = value
			}
			for i, e := range step.Expect {
				values[expectID(step.Key, i, "field")], values[expectID(step.Key, i, "value")] = e.Name, e.Value
			}
			steps(step.During)
		}
	}
	steps(s.Form.Steps)
	return values
}

// form is the scenario in fields.
func (p *huntPage) form(words text.Words) app.UI {
	s := &p.state
	gives := s.gives()
	var policy []app.UI
	for _, name := range huntPolicy {
		policy = append(policy, field{ID: "hp-" + name, Label: name, Name: true, Mono: true, Value: s.Form.Policy[name], On: func(ctx app.Context, value string) {
			p.edit(func() { s.Form.Policy[name] = value; s.written() })
		}}.ui())
	}
	var steps []app.UI
	for i := range s.Form.Steps {
		steps = append(steps, p.step(words, s.Form.Steps[i], whole(i+1), false, gives))
	}
	var list app.UI
	if len(steps) > 0 {
		list = app.Ol().Class("steps").Body(steps...)
	} else {
		list = app.Div().Class("empty").Body(app.P().Text(words.Get("hunt.form.empty")))
	}
	fields := []app.UI{
		field{ID: "hunt-name", Label: words.Get("hunt.form.name"), Value: s.Form.Name, On: func(ctx app.Context, value string) {
			p.edit(func() { s.Form.Name = value; s.written() })
		}}.ui(),
		app.Details().Class("fold").Open(p.policy).On("toggle", func(ctx app.Context, e app.Event) {
			p.policy = ctx.JSSrc().Get("open").Bool()
		}, app.EventScope("hunt-policy")).Body(
			app.Summary().Text(words.Get("hunt.form.policy")),
			app.Div().Class("gap-s").Body(
				app.Div().Class("args hunt-args").Body(policy...),
				app.P().Class("small").Text(words.Get("hunt.form.policy.text")),
			),
		),
		list,
		app.Div().Class("answer hunt-add").Body(
			app.Div().Class("field").Body(app.Label().For("hunt-adding").Text(words.Get("hunt.form.next")), p.actions("hunt-adding", p.adding, false, func(action string) { p.adding = action })),
			button{Scope: "hunt-add", Label: words.Get("hunt.form.add"), Icon: "plus", On: func(app.Context) { p.edit(func() { p.insert(0, p.adding) }) }}.ui(),
		),
	}
	acts := []app.UI{}
	if len(gives) > 0 {
		acts = append(acts, button{Scope: "hunt-take-all", Label: words.Get("hunt.form.take-all"), Icon: "done", On: func(app.Context) { p.edit(s.takeAll) }}.ui())
	}
	acts = append(acts, button{Scope: "hunt-fresh", Label: words.Get("hunt.form.fresh"), Class: "btn-plain", On: func(app.Context) {
		p.edit(func() {
			s.save()
			s.fresh(words.Get("hunt.form.name.start"))
		})
	}}.ui())
	set := app.FieldSet().Class("gap").Disabled(s.locked()).Body(append(fields, app.Div().Class("row").Body(acts...))...)
	body := []app.UI{app.Div().Class("code-head").Body(
		app.H2().Class("h-s").ID("hunt-form-h").Text(words.Get("hunt.form")),
		button{Scope: "hunt-undo", Label: words.Get("hunt.form.undo"), Icon: "back", Disabled: !s.canUndo(), On: func(app.Context) {
			s.undo()
			p.changed()
		}}.ui(),
	)}
	if s.locked() {
		body = append(body, banner{Tone: "warn", Title: words.Get("hunt.form.locked"), Text: words.Get("hunt.form.locked.text"), Acts: []app.UI{
			button{Scope: "hunt-back", Label: words.Get("hunt.form.locked.back"), On: func(app.Context) {
				s.save()
				s.written()
				s.Fault = nil
				p.changed()
			}}.ui(),
		}}.ui())
	}
	if s.Linked {
		body = append(body, banner{Tone: "info", Title: words.Get("hunt.linked"), Text: words.Get("hunt.linked.text")}.ui())
	}
	return app.Section().Class("gap").Aria("labelledby", "hunt-form-h").Body(append(body, set)...)
}

// insert puts a step at the end, or into the send of a run, and moves the keyboard to it.
func (p *huntPage) insert(into int, do string) {
	key := p.state.add(into, do)
	p.engine.ctx.Defer(func(app.Context) { focus(stepID(key, "do")) })
}

// actions is the choice of what a step does.
func (p *huntPage) actions(id, chosen string, inside bool, on func(action string)) app.UI {
	var options []app.UI
	for _, a := range huntActions {
		if !inside || a.Name != "restart" {
			options = append(options, option(a.Name, a.Name, a.Name == chosen))
		}
	}
	return app.Select().Class("input input-mono").ID(id).Attr("translate", "no").Body(options...).
		OnChange(func(ctx app.Context, e app.Event) { on(ctx.JSSrc().Get("value").String()) }, app.EventScope(id))
}

// step is one step of the form: what it does, what it expects, and what the rules give.
func (p *huntPage) step(words text.Words, step huntStep, no string, inside bool, gives map[string][]ask.Field) app.UI {
	s := &p.state
	key := step.Key
	fields := []app.UI{
		app.Div().Class("field").Body(app.Label().For(stepID(key, "do")).Text(words.Get("hunt.step.do")), p.actions(stepID(key, "do"), step.Do, inside, func(action string) {
			p.edit(func() {
				s.do(key, action)
				next := s.lastKey
				p.engine.ctx.Defer(func(app.Context) { focus(stepID(next, "do")) })
			})
		})),
		field{ID: stepID(key, "at"), Label: words.Get("hunt.step.at"), Mono: true, Value: step.At, On: func(ctx app.Context, value string) {
			p.edit(func() { s.change(key, func(step *huntStep) { step.At = value }) })
		}}.ui(),
	}
	var rare []string
	for _, f := range huntFieldsOf(step.Do, inside) {
		if f.Rare && step.Fields[f.Name] == "" && !p.more[key] {
			rare = append(rare, f.Name)
			continue
		}
		fields = append(fields, p.value(step, f))
	}
	body := []app.UI{app.Div().Class("args hunt-args").Body(fields...)}
	if len(rare) > 0 {
		names := strings.Join(rare, ", ")
		body = append(body, app.Div().Class("row hunt-acts").Body(button{
			Scope: "hunt-more-" + whole(key), Label: words.Get("hunt.step.more", "fields", names), Name: words.Get("hunt.step.more.of", "fields", names, "step", no), Class: "btn-plain btn-row",
			On: func(app.Context) {
				p.more[key] = true
				p.sync()
				p.engine.ctx.Defer(func(app.Context) { focus(stepID(key, rare[0])) })
			},
		}.ui()))
	}
	if len(step.During) > 0 {
		var inner []app.UI
		for j := range step.During {
			inner = append(inner, p.step(words, step.During[j], no+"."+whole(j+1), true, gives))
		}
		body = append(body, app.P().Class("label").Text(words.Get("hunt.step.during")), app.Ol().Class("steps").Aria("label", words.Get("hunt.step.during")).Body(inner...))
	}
	if len(step.Expect) > 0 {
		body = append(body, app.P().Class("label").Text(words.Get("hunt.step.expects")), p.expectations(words, step, no))
	}
	got := gives[no]
	if len(got) > 0 {
		line := []app.UI{app.Span().Class("small").Text(words.Get("hunt.step.gives"))}
		for _, f := range got {
			line = append(line, app.Span().Attr("translate", "no").Body(app.Span().Text(f.Name+" "), app.Text(f.Value)))
		}
		body = append(body, app.P().Class("gotline").Body(line...))
	}
	acts := []app.UI{}
	act := func(name, shape string, on func()) {
		acts = append(acts, button{
			Scope: "hunt-" + name + "-" + whole(key), Label: words.Get("hunt.step." + name), Name: words.Get("hunt.step."+name+".of", "step", no), Icon: shape, Class: "btn-plain btn-row",
			On: func(app.Context) { p.edit(on) },
		}.ui())
	}
	if len(got) > 0 && !slices.Equal(got, step.Expect) {
		act("take", "done", func() { s.take(key) })
	}
	if len(s.unexpected(step)) > 0 {
		act("expect", "plus", func() {
			s.expect(key)
			at := len(step.Expect)
			p.engine.ctx.Defer(func(app.Context) { focus(expectID(key, at, "field")) })
		})
	}
	if step.Do == "run" && !inside {
		act("inside", "plus", func() { p.insert(key, "claim") })
	}
	if no != "1" && !strings.HasSuffix(no, ".1") {
		act("up", "", func() { s.up(key) })
	}
	act("remove", "close", func() {
		s.remove(key)
		p.engine.ctx.Defer(func(app.Context) { focus("hunt-adding") })
	})
	class := "step"
	if inside {
		class += " step-during"
	}
	return app.Li().Class(class).DataSet("no", no).
		Body(app.Div().Class("gap-s").Role("group").Aria("label", words.Get("hunt.step", "n", no)).Body(append(body, app.Div().Class("row hunt-acts").Body(acts...))...))
}

// value is one value of a step: a field, or a choice where only a few may stand.
func (p *huntPage) value(step huntStep, f huntField) app.UI {
	s := &p.state
	key, id := step.Key, stepID(step.Key, f.Name)
	set := func(value string) {
		p.edit(func() { s.change(key, func(step *huntStep) { step.Fields[f.Name] = value }) })
	}
	if len(f.Choices) == 0 {
		return field{ID: id, Label: f.Name, Name: true, Mono: true, Value: step.Fields[f.Name], On: func(ctx app.Context, value string) { set(value) }}.ui()
	}
	value := step.Fields[f.Name]
	if value == "" {
		value = f.Choices[0]
	}
	var options []app.UI
	for _, c := range f.Choices {
		options = append(options, option(c, c, c == value))
	}
	return app.Div().Class("field").Body(app.Label().For(id).Attr("translate", "no").Text(f.Name),
		app.Select().Class("input input-mono").ID(id).Attr("translate", "no").Body(options...).
			OnChange(func(ctx app.Context, e app.Event) { set(ctx.JSSrc().Get("value").String()) }, app.EventScope(id)))
}

// expectations are what a step expects, one under the other.
func (p *huntPage) expectations(words text.Words, step huntStep, no string) app.UI {
	s := &p.state
	key := step.Key
	var rows []app.UI
	for i, e := range step.Expect {
		var options []app.UI
		for _, name := range s.List.Fields[step.Do] {
			if name == e.Name || slices.Contains(s.unexpected(step), name) {
				options = append(options, option(name, name, name == e.Name))
			}
		}
		rows = append(rows, app.Li().Body(
			app.Select().Class("input input-mono").ID(expectID(key, i, "field")).Attr("translate", "no").Aria("label", words.Get("hunt.expect.field", "step", no, "n", i+1)).Body(options...).
				OnChange(func(ctx app.Context, ev app.Event) {
					name := ctx.JSSrc().Get("value").String()
					p.edit(func() { s.rename(key, i, name) })
				}, app.EventScope(key, i)),
			app.Input().Class("input input-mono").ID(expectID(key, i, "value")).Type("text").Value(e.Value).AutoComplete(false).
				Attr("autocapitalize", "off").Attr("spellcheck", "false").Aria("label", words.Get("hunt.expect.value", "step", no, "n", i+1)).
				OnInput(func(ctx app.Context, ev app.Event) {
					value := ctx.JSSrc().Get("value").String()
					p.edit(func() {
						s.change(key, func(step *huntStep) {
							if i < len(step.Expect) {
								step.Expect[i].Value = value
							}
						})
					})
				}, app.EventScope(key, i, "value")),
			button{Scope: "hunt-unexpect-" + whole(key) + "-" + whole(i), Icon: "close", Class: "btn-plain", Name: words.Get("hunt.expect.remove", "step", no, "n", i+1), On: func(app.Context) {
				p.edit(func() {
					s.unexpect(key, i)
					p.engine.ctx.Defer(func(app.Context) { focus(stepID(key, "do")) })
				})
			}}.ui(),
		))
	}
	return app.Ul().Class("hunt-expect").Body(rows...)
}
