package web

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/lab/retry"
	"retrylab/web/text"
)

// argsPanel lets a person type any argument of retry_delay, and says at each key what the one
// checking boundary makes of them. It needs no engine.
type argsPanel struct {
	app.Compo
	At       Place
	Language string // of the student's program, "" when another subject is chosen

	// try asks the program; not exported, since go-app would take any two functions for different.
	try func(typed [4]string, on func(ask.StudentValue))

	typed   [4]string
	made    *ask.StudentValue // what the program made of them, nil when nobody knows
	changes int
}

func (p *argsPanel) OnInit() { p.typed = [4]string{"3", "100", "250", "0.5"} }

func (p *argsPanel) Render() app.UI {
	words := p.At.Words()
	verdict := judge(p.typed)
	var fields []app.UI
	for i, name := range argNames {
		f := field{
			ID: "arg-" + name, Label: name, Value: p.typed[i], Mono: true, Name: true,
			On: func(ctx app.Context, value string) {
				p.typed[i] = value
				p.ask(ctx)
			},
		}
		if bad, ok := verdict.fault(name); ok {
			f.Fault = faultText(words, string(bad.Fault), bad.Want)
		}
		fields = append(fields, f.ui())
	}
	return app.Section().Class("panel gap").ID("args").Aria("labelledby", "args-h").Body(
		app.Div().Class("gap-s").Body(
			app.H2().ID("args-h").Text(words.Get("panel.title")),
			para("small", words.Get("panel.text")),
		),
		app.Div().Class("args").Body(fields...),
		app.Div().Role("status").Body(app.Dl().Class("outcome").Body(append(argsOutcome(words, verdict), p.program(words)...)...)),
	)
}

// ask asks the student's program when nobody has typed for a moment.
func (p *argsPanel) ask(ctx app.Context) {
	p.made = nil
	p.changes++
	change := p.changes
	time.AfterFunc(250*time.Millisecond, func() {
		ctx.Dispatch(func(app.Context) {
			if change == p.changes && p.Language != "" && p.try != nil {
				p.try(p.typed, func(v ask.StudentValue) {
					if change == p.changes {
						p.made = &v
						ctx.Update()
					}
				})
			}
		})
	})
}

// program is what the student's program makes of the arguments.
func (p *argsPanel) program(words text.Words) []app.UI {
	if p.Language == "" {
		return nil
	}
	says := words.Get("panel.program.later")
	class := "small"
	if v := p.made; v != nil {
		class = ""
		switch {
		case v.Raised != nil:
			says = raisedText(*v.Raised)
			if v.Raised.Line > 0 {
				says += " (" + words.Get("program.line", "line", v.Raised.Line) + ")"
			}
		case v.Value != nil:
			says = words.Get("unit.ms", "ms", *v.Value)
		default:
			says = v.Error
		}
	}
	return []app.UI{app.Dt().Text(words.Get("panel.program")), app.Dd().Class(class).Attr("translate", "no").Text(says)}
}

// argsOutcome is what retry_delay returns, or which arguments it rejects.
func argsOutcome(words text.Words, v argVerdict) []app.UI {
	row := func(key string, value ...app.UI) []app.UI {
		return []app.UI{app.Dt().Text(words.Get(key)), app.Dd().Body(value...)}
	}
	if !v.OK {
		var names []app.UI
		for i, b := range v.Bad {
			if i > 0 {
				names = append(names, app.Text(", "))
			}
			names = append(names, app.Code().Text(b.Name))
		}
		return row("panel.rejected", names...)
	}
	how := "panel.window.doubled"
	if v.Capped {
		how = "panel.window.capped"
	}
	rows := row("panel.delay", app.B().Text(words.Get("unit.ms", "ms", v.Delay)))
	rows = append(rows, row("panel.window", app.Text(words.Get(how, "ms", v.Window)))...)
	return append(rows, row("panel.product", app.Text(words.Get("panel.product.text", "window", v.Window, "jitter", v.Jitter, "ms", v.Delay)))...)
}

// faultText says what is wrong with a value, and what would be right.
func faultText(words text.Words, fault string, want retry.Want) string {
	s := words.Get("fault." + fault)
	if want.Kind != "" {
		s += "; " + words.Get("want."+want.Kind, "lo", want.Lo, "hi", want.Hi)
	}
	return s
}
