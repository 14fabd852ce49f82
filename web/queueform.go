package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/lab/retry"
	"retrylab/web/text"
)

// The forms of the live queue. Numbers go to the engine as they are typed: the rules judge them, not
// the form.

// input is one field of a form of the live queue. Its id is form-name; the engine's verdict on the
// field of that name stands below it.
func (p *queuePage) input(words text.Words, form, name string) app.UI {
	id := form + "-" + name
	steps := []string{form}
	switch form {
	case "worker":
		steps = []string{"claim", "complete", "extend", "fail"}
	case "answer":
		steps = nil
	}
	f := field{
		ID: id, Label: words.Get("queue.field." + name), Value: p.form[id], Mono: true,
		On: func(ctx app.Context, value string) { p.form[id] = value },
	}
	if bad, ok := p.state.bad(name, steps...); ok {
		f.Fault = faultText(words, bad.Fault, wanted(name, retry.Fault(bad.Fault)))
	} else if key := "queue.hint." + form + "." + name; words.Has(key) {
		f.Hint = words.Get(key)
	}
	return f.ui()
}

// result is what the last step said, in the form that sent it.
func (p *queuePage) result(words text.Words, steps ...string) app.UI {
	var said []app.UI
	live := p.state.Live
	for _, do := range steps {
		if do != p.state.Last || live == nil || live.Result == nil {
			continue
		}
		var fields []app.UI
		for _, f := range live.Result.Fields {
			fields = append(fields, app.Dt().Body(verbatim(f.Name)), app.Dd().Body(verbatim(f.Value)))
		}
		said = append(said, verdict(resultTone(live.Result.Result), words.Get("result."+live.Result.Result),
			para("", resultText(words, do, *live.Result)), app.Dl().Class("outcome").Body(fields...)))
	}
	return app.Div().Role("status").Body(said...)
}

// resultText explains a result in a sentence; there is none for some.
func resultText(words text.Words, do string, r ask.Result) string {
	for _, key := range []string{"result." + do + "." + r.Result + ".text", "result." + r.Result + ".text"} {
		if words.Has(key) {
			return words.Get(key)
		}
	}
	return ""
}

// panel is one form of the live queue: its title, and what it sends when Enter is pressed.
func (p *queuePage) panel(words text.Words, do string, send func(ctx app.Context), body ...app.UI) app.UI {
	return app.Form().Class("panel gap").Aria("labelledby", do+"-h").
		OnSubmit(func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			send(ctx)
		}, app.EventScope(do)).
		Body(append([]app.UI{app.H2().ID(do + "-h").Text(words.Get("queue." + do + ".title"))}, body...)...)
}

// send is the button that sends a form.
func (p *queuePage) send(words text.Words, do, shape, class string) app.UI {
	return button{
		Scope: do + "-send", Label: words.Get("queue." + do + ".send"), Icon: shape, Class: class, Submit: true,
		Working: p.state.Open[do] > 0, Disabled: p.state.Sending != nil,
	}.ui()
}

func (p *queuePage) enqueueForm(words text.Words) app.UI {
	send := func(ctx app.Context) {
		p.step(ask.Step{
			Do: "enqueue", ID: p.form["enqueue-id"], Payload: p.form["enqueue-payload"], MaxAttempts: p.form["enqueue-max_attempts"],
			Deadline: p.form["enqueue-deadline"], AvailableAt: p.form["enqueue-available_at"],
		})
	}
	return p.panel(words, "enqueue", send,
		app.Div().Class("args").Body(
			p.input(words, "enqueue", "id"), p.input(words, "enqueue", "payload"),
			p.input(words, "enqueue", "max_attempts"), p.input(words, "enqueue", "deadline"), p.input(words, "enqueue", "available_at"),
		),
		app.Div().Class("row").Body(p.send(words, "enqueue", "plus", "")),
		p.result(words, "enqueue"),
	)
}

// sends are the ways in which a send can end, one under the other.
func (p *queuePage) sends(words text.Words, id string, ways ...string) app.UI {
	var labels []app.UI
	for _, way := range ways {
		in := radio(id, way, p.form[id] == way).OnChange(func(ctx app.Context, e app.Event) { p.form[id] = way }, app.EventScope(id, way))
		labels = append(labels, app.Label().Class("tick").Body(in, app.Span().Body(inline(words.Get("send."+way))...)))
	}
	return app.FieldSet().Class("ways-list").Body(append([]app.UI{app.Legend().Class("label").Text(words.Get("queue.field.send"))}, labels...)...)
}

var allSends = []string{"ok", "retryable", "permanent", "unknown", "crash"}

func (p *queuePage) runForm(words text.Words) app.UI {
	if held := p.state.Sending; held != nil {
		return p.heldForm(words, *held)
	}
	send := func(ctx app.Context) {
		p.step(ask.Step{
			Do: "run", Send: p.form["run-send"], Takes: p.form["run-takes"], Error: p.form["run-error"],
			RetryAfter: p.form["run-retry_after_ms"], Hold: p.hold,
		})
	}
	return p.panel(words, "run", send,
		p.sends(words, "run-send", allSends...),
		app.Div().Class("args").Body(p.input(words, "run", "takes"), p.input(words, "run", "retry_after_ms"), p.input(words, "run", "error")),
		tick("run-hold", words.Get("queue.run.hold"), p.hold, func(ctx app.Context, on bool) { p.hold = on }),
		app.Div().Class("row").Body(p.send(words, "run", "play", "btn-main")),
		p.result(words, "run"),
	)
}

// heldForm stands in the run's place while a send is held.
func (p *queuePage) heldForm(words text.Words, held ask.Sending) app.UI {
	return app.Form().Class("panel gap held").Aria("labelledby", "held-h").
		OnSubmit(func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			p.answer()
		}, app.EventScope("held")).
		Body(
			app.H2().ID("held-h").TabIndex(-1).Text(words.Get("queue.held.title", "id", held.ID)),
			app.P().Body(app.Span().Class("state is-leased").Body(icon("leased"), app.Text(words.Get("queue.held.lease", "attempt", held.Attempt, "until", held.LeaseUntil)))),
			p.sends(words, "answer-send", allSends...),
			app.Div().Class("args").Body(p.input(words, "answer", "takes"), p.input(words, "answer", "retry_after_ms"), p.input(words, "answer", "error")),
			app.Div().Class("row").Body(
				button{Scope: "answer", Label: words.Get("queue.held.answer"), Icon: "play", Class: "btn-main", Submit: true}.ui(),
				p.killButton(words, "kill-held"),
			),
			para("small", words.Get("queue.held.text")),
		)
}

func (p *queuePage) killButton(words text.Words, scope string) app.UI {
	return button{Scope: scope, Label: words.Get("queue.kill"), Icon: "kill", Class: "btn-harm", Disabled: p.state.Killed, On: p.kill}.ui()
}

// clockForm moves the clock, and holds what concerns the whole queue.
func (p *queuePage) clockForm(words text.Words, live ask.Live) app.UI {
	set := func(at int64) func(ctx app.Context) {
		return func(ctx app.Context) { p.step(ask.Step{Do: "clock", At: whole(at)}) }
	}
	move := func(scope, label string, at int64) app.UI {
		return button{Scope: "clock-" + scope + "-" + whole(at), Label: label, On: set(at), Disabled: p.state.Sending != nil}.ui()
	}
	moves := []app.UI{}
	if next, ok := nextEvent(live.Jobs, live.Now); ok {
		moves = append(moves, move("next", words.Get("queue.clock.next", "ms", next), next))
	}
	for _, by := range []int64{10, 100, 1000} {
		if live.Now <= retry.Max-by {
			moves = append(moves, move("on", words.Get("queue.clock.on", "ms", by), live.Now+by))
		}
	}
	if live.Now >= 100 {
		moves = append(moves, move("back", words.Get("queue.clock.back", "ms", 100), live.Now-100))
	}
	var undo app.UI
	if live.CanUndo {
		undo = app.Div().Class("row").Body(remark(toneInfo, words.Get("queue.reset.done"), false), button{
			Scope: "undo", Label: words.Get("queue.reset.undo"), On: func(ctx app.Context) { p.whole(ask.LiveUndo) },
		}.ui())
	}
	return app.Div().Class("gap-l").Body(
		p.panel(words, "clock", func(ctx app.Context) { p.step(ask.Step{Do: "clock", At: p.form["clock-at"]}) },
			app.Div().Class("row").Body(moves...),
			app.Div().Class("answer").Body(p.input(words, "clock", "at"), p.send(words, "clock", "", "")),
			p.result(words, "clock"),
		),
		app.Section().Class("panel gap").Aria("labelledby", "process-h").Body(
			app.H2().ID("process-h").Text(words.Get("queue.process.title")),
			app.Div().Class("row").Body(
				p.killButton(words, "kill"),
				button{Scope: "restart", Label: words.Get("queue.restart"), Icon: "reload", Disabled: p.state.Sending != nil, On: func(ctx app.Context) { p.step(ask.Step{Do: "restart"}) }}.ui(),
				button{Scope: "reset", Label: words.Get("queue.reset"), Icon: "close", Disabled: p.state.Sending != nil, On: func(ctx app.Context) { p.whole(ask.LiveReset) }}.ui(),
			),
			undo,
			p.result(words, "restart"),
		),
	)
}

// whole asks for something that concerns the whole queue.
func (p *queuePage) whole(kind ask.Kind) { p.ask(kind, nil, string(kind), "") }

// workerForm lets a named worker claim a job and report on it.
func (p *queuePage) workerForm(words text.Words) app.UI {
	act := func(do, shape string) app.UI {
		return button{
			Scope: "worker-" + do, Label: words.Get("queue.worker." + do), Icon: shape, Disabled: p.state.Sending != nil,
			On: func(ctx app.Context) {
				s := ask.Step{Do: do, Worker: p.form["worker-worker"]}
				if do == "fail" {
					s.Send, s.Error, s.RetryAfter = p.form["worker-send"], p.form["worker-error"], p.form["worker-retry_after_ms"]
				}
				p.step(s)
			},
		}.ui()
	}
	return p.panel(words, "worker", func(app.Context) {},
		para("small", words.Get("queue.worker.text")),
		app.Div().Class("row").Body(app.Div().Class("answer").Body(p.input(words, "worker", "worker")), act("claim", ""), act("complete", ""), act("extend", "")),
		app.Div().Class("gap-s").Body(
			p.sends(words, "worker-send", "retryable", "permanent"),
			app.Div().Class("args").Body(p.input(words, "worker", "error"), p.input(words, "worker", "retry_after_ms")),
			app.Div().Class("row").Body(act("fail", "")),
		),
		p.result(words, "claim", "complete", "extend", "fail"),
	)
}

func (p *queuePage) requeueForm(words text.Words) app.UI {
	return p.panel(words, "requeue", func(ctx app.Context) {
		p.step(ask.Step{Do: "requeue", ID: p.form["requeue-id"], MaxAttempts: p.form["requeue-max_attempts"], Deadline: p.form["requeue-deadline"]})
	},
		para("small", words.Get("queue.requeue.text")),
		app.Div().Class("args").Body(p.input(words, "requeue", "id"), p.input(words, "requeue", "max_attempts"), p.input(words, "requeue", "deadline")),
		app.Div().Class("row").Body(p.send(words, "requeue", "reload", "")),
		p.result(words, "requeue"),
	)
}

func (p *queuePage) policyForm(words text.Words) app.UI {
	return p.panel(words, "policy", func(ctx app.Context) {
		p.ask(ask.LivePolicy, ask.PolicyText{
			BaseMS: p.form["policy-base_ms"], CapMS: p.form["policy-cap_ms"], Jitter: p.form["policy-jitter"], LeaseMS: p.form["policy-lease_ms"],
		}, "policy", "")
	},
		para("small", words.Get("queue.policy.text")),
		app.Div().Class("args").Body(p.input(words, "policy", "base_ms"), p.input(words, "policy", "cap_ms"), p.input(words, "policy", "jitter"), p.input(words, "policy", "lease_ms")),
		app.Div().Class("row").Body(p.send(words, "policy", "", "")),
		p.result(words, "policy"),
	)
}

func (p *queuePage) purgeForm(words text.Words) app.UI {
	return p.panel(words, "purge", func(ctx app.Context) { p.step(ask.Step{Do: "purge", Before: p.form["purge-before"]}) },
		para("small", words.Get("queue.purge.text")),
		app.Div().Class("answer").Body(p.input(words, "purge", "before"), p.send(words, "purge", "", "")),
		p.result(words, "purge"),
	)
}
