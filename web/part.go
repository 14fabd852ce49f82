package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/quiz/prose"
	"retrylab/web/text"
)

// The small parts that pages are made of; the component page shows each in every state.
//
// go-app compares event handlers by the code they point to, not by what they hold, so every handler
// here is given a scope: without it a button that takes another's place in a list would do the
// other's work.

// verbatim is what a person or the program has written: no language's, so nobody translates it.
func verbatim(text string) app.HTMLSpan { return app.Span().Attr("translate", "no").Text(text) }

// inline is an authored text as nodes: what stands between backquotes is code.
func inline(text string) []app.UI {
	var nodes []app.UI
	for _, s := range spans(text) {
		if s.Code {
			nodes = append(nodes, app.Code().Text(s.Text))
		} else {
			nodes = append(nodes, app.Text(s.Text))
		}
	}
	return nodes
}

// authored is a text of a quiz's file, which has languages of its own, in one line.
func authored(text string) app.UI {
	var nodes []app.UI
	for i, b := range prose.Parse(text) {
		if i > 0 {
			nodes = append(nodes, app.Text(" "))
		}
		if b.Kind == prose.Code {
			nodes = append(nodes, app.Code().Text(b.Code))
		}
		nodes = append(nodes, proseSpans(b.Spans)...)
		for _, item := range b.Items {
			nodes = append(nodes, proseSpans(item)...)
		}
	}
	return app.Span().DataSet("authored", "file").Body(nodes...)
}

// authoredBlocks is a text of a quiz's file with its paragraphs, lists and code.
func authoredBlocks(text string) app.UI { return proseBlocks(prose.Parse(text)) }

// authoredHead is a text's first paragraph for a heading, and what follows it, nil for nothing.
func authoredHead(text string) (head, rest app.UI) {
	blocks := prose.Parse(text)
	if len(blocks) < 2 || blocks[0].Kind != prose.Paragraph {
		return authored(text), nil
	}
	return app.Span().DataSet("authored", "file").Body(proseSpans(blocks[0].Spans)...), proseBlocks(blocks[1:])
}

func proseBlocks(blocks []prose.Block) app.UI {
	var nodes []app.UI
	for _, b := range blocks {
		var items []app.UI
		for _, item := range b.Items {
			items = append(items, app.Li().Body(proseSpans(item)...))
		}
		switch b.Kind {
		case prose.Paragraph:
			nodes = append(nodes, app.P().Body(proseSpans(b.Spans)...))
		case prose.Code:
			nodes = append(nodes, app.Pre().Class("code code-plain").TabIndex(0).Text(b.Code))
		case prose.List:
			nodes = append(nodes, app.Ul().Body(items...))
		default:
			nodes = append(nodes, app.Ol().Body(items...))
		}
	}
	return app.Div().Class("gap prose").DataSet("authored", "file").Body(nodes...)
}

func proseSpans(spans []prose.Span) []app.UI {
	var nodes []app.UI
	for _, s := range spans {
		node := app.Text(s.Text)
		if s.Code {
			node = app.Code().Text(s.Text)
		}
		if s.Em {
			node = app.Em().Body(node)
		}
		if s.Strong {
			node = app.Strong().Body(node)
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// para is a paragraph of authored text.
func para(class, text string) app.UI { return app.P().Class(class).Body(inline(text)...) }

// A button is something to press.
type button struct {
	Scope    string // tells it from every other button of the page
	Label    string
	Icon     string // before the label
	After    string // an icon behind the label
	Class    string // btn-main, btn-plain, btn-harm
	Name     string // what a screen reader says, where the label alone is too short
	Disabled bool
	Busy     bool   // works, and cannot be pressed meanwhile
	Working  bool   // works, and may be pressed again
	Pressed  string // "true" or "false" for a button that stays pressed
	Submit   bool   // sends its form
	On       func(ctx app.Context)
}

func (b button) ui() app.UI {
	kind := "button"
	if b.Submit {
		kind = "submit"
	}
	body := []app.UI{}
	if b.Busy {
		body = append(body, icon("reload"))
	} else if b.Icon != "" {
		body = append(body, icon(b.Icon))
	}
	if b.Label != "" {
		body = append(body, app.Text(b.Label))
	}
	if b.After != "" {
		body = append(body, icon(b.After))
	}
	class := "btn " + b.Class
	if b.Label == "" {
		class += " btn-icon"
	}
	el := app.Button().Class(class).Type(kind).Aria("label", b.Name).Aria("pressed", b.Pressed)
	if b.Disabled {
		el = el.Disabled(true)
	}
	if b.Busy || b.Working {
		el = el.Aria("busy", "true")
	}
	if b.On != nil {
		el = el.OnClick(func(ctx app.Context, e app.Event) {
			if !b.Busy {
				b.On(ctx)
			}
		}, app.EventScope(b.Scope, b.Busy))
	}
	return el.Body(body...)
}

// A field is one line of text with a label above it, and below it what is wrong or what is wanted.
type field struct {
	ID    string
	Label string
	Value string
	Hint  string
	Fault string // what is wrong; also marks the field
	Mono  bool
	Name  bool   // the label is a name of the program, the same in every language
	Mode  string // inputmode: numeric, decimal, ...
	Off   bool   // cannot be changed now
	On    func(ctx app.Context, value string)
}

func (f field) ui() app.UI {
	class := "input"
	if f.Mono {
		class += " input-mono"
	}
	in := app.Input().Class(class).ID(f.ID).Type("text").Value(f.Value).
		AutoComplete(false).Attr("autocapitalize", "off").Attr("spellcheck", "false").Attr("inputmode", f.Mode)
	label := app.Label().For(f.ID).Text(f.Label)
	if f.Name {
		label.Attr("translate", "no")
	}
	body := []app.UI{label, in}
	switch {
	case f.Fault != "":
		in.Aria("invalid", "true").Aria("describedby", f.ID+"-fault")
		body = append(body, app.P().Class("error-text").ID(f.ID+"-fault").Body(icon("permanent"), app.Span().Body(inline(f.Fault)...)))
	case f.Hint != "":
		in.Aria("describedby", f.ID+"-hint")
		body = append(body, app.P().Class("hint-text").ID(f.ID+"-hint").Body(inline(f.Hint)...))
	}
	if f.Off {
		in.Disabled(true)
	}
	if f.On != nil {
		in.OnInput(func(ctx app.Context, e app.Event) { f.On(ctx, ctx.JSSrc().Get("value").String()) }, app.EventScope(f.ID))
	}
	return app.Div().Class("field").Body(body...)
}

// setField changes what an input shows. go-app cannot empty one: it takes the attribute away and
// leaves the value.
func setField(id, value string) {
	if el := app.Window().GetElementByID(id); el.Truthy() {
		el.Set("value", value)
	}
}

// A choice is one of a few alternatives.
type choice struct{ Value, Label string }

// A segment is a row of a few alternatives, one of which is chosen.
type segment struct {
	ID      string
	Label   string // read out; shown where the caller shows it
	Options []choice
	Chosen  string
	On      func(ctx app.Context, value string)
}

func (s segment) ui() app.UI {
	var labels []app.UI
	for _, o := range s.Options {
		in := radio(s.ID, o.Value, o.Value == s.Chosen)
		if s.On != nil {
			in.OnChange(func(ctx app.Context, e app.Event) { s.On(ctx, o.Value) }, app.EventScope(s.ID, o.Value))
		}
		labels = append(labels, app.Label().Body(in, app.Span().Text(o.Label)))
	}
	return app.Div().Class("seg").Role("radiogroup").Aria("label", s.Label).Body(labels...)
}

// radio is a bare radio button. Whether it is checked is always said, both ways: taking an attribute
// away would not uncheck it.
func radio(group, value string, checked bool) app.HTMLInput {
	return app.Input().Type("radio").Name(group).Value(value).Checked(checked)
}

// tick is a box to check, with its label.
func tick(id, label string, checked bool, on func(ctx app.Context, checked bool)) app.UI {
	in := app.Input().Type("checkbox").ID(id).Checked(checked)
	if on != nil {
		in.OnChange(func(ctx app.Context, e app.Event) { on(ctx, ctx.JSSrc().Get("checked").Bool()) }, app.EventScope(id))
	}
	return app.Label().Class("tick").Body(in, app.Text(label))
}

// statePill is a job's state: its colour, its shape and its word.
func statePill(words text.Words, s jobState, tag bool) app.UI {
	class := "state is-" + string(s)
	if tag {
		class += " state-tag"
	}
	return app.Span().Class(class).Body(icon(string(s)), app.Text(words.Get("state."+string(s))))
}

// remark is a short coloured remark with its icon.
func remark(t tone, label string, tag bool) app.UI {
	class := "state " + t.Class
	if tag {
		class += " state-tag"
	}
	return app.Span().Class(class).Body(icon(t.Icon), app.Text(label))
}

// A banner tells something about the whole page.
type banner struct {
	Tone  string // info, warn, error, done
	Title string
	Text  string
	Acts  []app.UI
}

func (b banner) ui() app.UI {
	role := "status"
	if b.Tone == "error" {
		role = "alert"
	}
	body := []app.UI{icon(b.Tone), app.P().Body(append([]app.UI{app.B().Text(b.Title), app.Text(" ")}, inline(b.Text)...)...)}
	if len(b.Acts) > 0 {
		body = append(body, app.Div().Class("acts").Body(b.Acts...))
	}
	return app.Div().Class("banner is-" + b.Tone).Role(role).Body(body...)
}

// verdict is what is said to an answer or a step.
func verdict(t tone, title string, body ...app.UI) app.UI {
	return app.Div().Class("verdict " + t.Class).Body(append([]app.UI{icon(t.Icon), app.B().Body(inline(title)...)}, body...)...)
}

// progress is a bar with what is being done on the left and how far it is on the right. A total of
// 0 is work whose end nobody knows.
func progress(label, far string, done, total int) app.UI {
	bar := app.Progress().Aria("label", label)
	if total > 0 {
		bar.Max(total).Value(done)
	}
	return app.Div().Class("bar").Body(app.Span().Text(label), app.Span().Text(far), bar)
}

// crumbs tell where a page stands: links to the pages above it, then its own title.
func crumbs(at Place, above []choice, here string) app.UI {
	words := at.Words()
	var items []app.UI
	for _, c := range above {
		items = append(items, app.Li().Body(app.A().Href(at.Href(c.Value)).Text(c.Label)))
	}
	items = append(items, app.Li().Aria("current", "page").Text(here))
	return app.Nav().Aria("label", words.Get("nav.where")).Body(app.Ol().Class("crumbs").Body(items...))
}

// link to a page of the site.
func link(at Place, path, label string) app.UI { return app.A().Href(at.Href(path)).Text(label) }
