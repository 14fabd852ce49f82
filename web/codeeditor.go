package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// A codeMark is a line where something is wrong. Lines count from 1.
type codeMark struct {
	Line    int
	Message string
}

// codeEditor is the field for a student's program: the element <code-editor> of static/code-editor.js, which is a
// plain field until CodeMirror has arrived.
//
// Value is given to the element at the beginning, and later only when it changes to something that the person has
// not typed: a page that draws itself again does not move the cursor. Such a change can be undone. The page keeps
// what OnInput tells it, and gives it back as Value. Another program, such as that of another part, wants another ID.
type codeEditor struct {
	app.Compo
	At         Place
	ID         string // of the element; unique on the page
	Lang       string // python, javascript or yaml
	Label      string
	Value      string // at most 64 KiB of UTF-8
	Marks      []codeMark
	TabIndents bool
	OnInput    func(ctx app.Context, value string) // the person has changed the text
	OnRun      func(ctx app.Context)               // Ctrl or Cmd with Enter or S

	first   string     // what the plain field begins with
	given   string     // the last Value
	typed   string     // the last text that came from the element
	marked  []codeMark // what the element shows
	tooLong bool
}

func (c *codeEditor) CompoID() string { return c.ID }

func (c *codeEditor) OnInit() { c.first, c.given, c.typed = c.Value, c.Value, c.Value }

func (c *codeEditor) OnMount(ctx app.Context) { c.mark() }

func (c *codeEditor) OnUpdate(ctx app.Context) {
	if c.Value != c.given {
		c.given = c.Value
		if c.Value != c.typed {
			c.typed, c.tooLong = c.Value, false
			c.element().Set("value", c.Value)
		}
	}
	c.mark()
}

func (c *codeEditor) element() app.Value { return app.Window().GetElementByID(c.ID) }

// text is what the person has written; from the plain field when the element's script is missing.
func (c *codeEditor) text() string {
	value := c.element().Get("value")
	if value.Type() != app.TypeString {
		value = c.element().Call("querySelector", "textarea").Get("value")
	}
	return value.String()
}

// mark tells the element the marks when they are not those it has.
func (c *codeEditor) mark() {
	if slices.Equal(c.Marks, c.marked) {
		return
	}
	c.marked = slices.Clone(c.Marks)
	marks := []any{}
	for _, m := range c.Marks {
		marks = append(marks, map[string]any{"line": m.Line, "message": m.Message})
	}
	c.element().Set("marks", marks)
}

func (c *codeEditor) Render() app.UI {
	words := c.At.Words()
	tab := "false"
	if c.TabIndents {
		tab = "true"
	}
	body := []app.UI{
		app.Elem("code-editor").ID(c.ID).
			Attr("language", c.Lang).Attr("label", c.Label).Attr("tab-indents", tab).Attr("mark-text", words.Get("codeeditor.mark", "line", "{line}", "message", "{message}")).
			On("input", c.input, app.EventScope(c.ID)).On("run", c.run, app.EventScope(c.ID)).On("toolong", c.refused, app.EventScope(c.ID)).
			Body(app.Textarea().Class("input code-field").Aria("label", c.Label).Attr("wrap", "off").Attr("autocapitalize", "off").Attr("autocomplete", "off").
				Spellcheck(false).Rows(min(max(strings.Count(c.first, "\n")+2, 12), 32)).Attr("value", c.first)),
	}
	if c.tooLong {
		body = append(body, app.P().Class("error-text").Role("alert").Body(icon("permanent"), app.Span().Text(words.Get("codeeditor.toolong"))))
	}
	return app.Div().Class("code-edit").Body(body...)
}

func (c *codeEditor) input(ctx app.Context, e app.Event) {
	c.typed, c.tooLong = c.text(), false
	if c.OnInput != nil {
		c.OnInput(ctx, c.typed)
	}
}

func (c *codeEditor) run(ctx app.Context, e app.Event) {
	if c.OnRun != nil {
		c.OnRun(ctx)
	}
}

func (c *codeEditor) refused(ctx app.Context, e app.Event) { c.tooLong = true }
