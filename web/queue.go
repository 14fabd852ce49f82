package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// queuePage is the live queue: the real queue in the engine, on a virtual clock, step by step.
type queuePage struct {
	app.Compo
	At Place

	engine engineState
	state  liveState
	form   map[string]string // what is typed, by the field's id
	hold   bool              // the next run stops in the middle of its send
}

// What the forms hold before anybody has typed.
var queueForm = map[string]string{
	"enqueue-id": "cake-1", "enqueue-payload": "2 sponge cakes", "enqueue-max_attempts": "3", "enqueue-deadline": "3000",
	"run-send": "retryable", "run-takes": "40", "answer-send": "ok", "answer-takes": "40",
	"worker-worker": "mika", "worker-send": "retryable", "requeue-max_attempts": "6",
}

func (p *queuePage) OnInit() {
	p.form = map[string]string{}
	for id, value := range queueForm {
		p.form[id] = value
	}
}

func (p *queuePage) OnMount(ctx app.Context) {
	p.engine.open(ctx, p.At, func(ctx app.Context, n ask.Notice) {
		if n.State == ask.Ready && p.state.ready() {
			p.view()
		}
	})
	p.view()
}

func (p *queuePage) OnDismount() { p.engine.close() }

// view asks for the queue as it stands.
func (p *queuePage) view() {
	p.engine.read(ask.LiveView, nil, func(ctx app.Context, r ask.Reply) { p.reply(ctx, r, "", "") })
}

// step does one step of the live queue.
func (p *queuePage) step(s ask.Step) { p.ask(ask.LiveStep, s, s.Do, s.ID) }

// ask sends a request whose answer is the queue; do and id say what it is about.
func (p *queuePage) ask(kind ask.Kind, body any, do, id string) {
	if p.state.Sending != nil {
		return
	}
	p.state.start(do)
	p.engine.ask(kind, body, func(ctx app.Context, r ask.Reply) {
		if !r.More {
			p.state.end(do)
		}
		p.reply(ctx, r, do, id)
	})
}

// reply takes over the queue, or that a send is held, or what went wrong.
func (p *queuePage) reply(ctx app.Context, r ask.Reply, do, id string) {
	switch {
	case r.Err != nil:
		p.state.fail(*r.Err)
	case r.More:
		if sending, ok := decode[ask.Sending](r.Body); ok {
			p.state.hold(sending)
			ctx.Defer(func(app.Context) { focus("held-h") })
		}
	default:
		live, ok := decode[ask.Live](r.Body)
		if !ok {
			p.state.fail(ask.Error{Code: ask.BadRequest})
			return
		}
		if id == "" && live.Result != nil {
			for _, f := range live.Result.Fields {
				if f.Name == "id" {
					id = f.Value
				}
			}
		}
		p.state.show(live, do, id)
		p.fillPolicy(live.Policy)
	}
}

// answer ends the held send.
func (p *queuePage) answer() {
	p.state.Err, p.state.Answer = nil, nil
	p.engine.ask(ask.LiveAnswer, ask.Answer{
		Send: p.form["answer-send"], Takes: p.form["answer-takes"],
		Error: p.form["answer-error"], RetryAfter: p.form["answer-retry_after_ms"],
	}, func(ctx app.Context, r ask.Reply) {
		switch {
		case r.Err != nil:
			p.state.refuse(*r.Err)
		case p.state.Sending != nil: // begun on an earlier visit to this page: its answer has gone there
			p.view()
		}
	})
}

// kill ends the engine's process as a crash would.
func (p *queuePage) kill(ctx app.Context) {
	p.state.kill()
	p.engine.kill()
	p.view()
}

// fillPolicy shows the policy in force, unless a person is changing it.
func (p *queuePage) fillPolicy(policy ask.Policy) {
	for id, value := range map[string]string{
		"policy-base_ms": whole(policy.BaseMS), "policy-cap_ms": whole(policy.CapMS),
		"policy-jitter": short(policy.Jitter), "policy-lease_ms": whole(policy.LeaseMS),
	} {
		if p.form[id] == "" {
			p.form[id] = value
		}
	}
}

func (p *queuePage) Render() app.UI {
	words := p.At.Words()
	body := []app.UI{p.top(words)}
	body = append(body, p.engine.banners(words, p.view)...)
	body = append(body, p.news(words)...)
	if p.state.Live == nil {
		body = append(body, app.P().Class("lead").Text(words.Get("queue.lead")))
		return app.Div().Class("gap-l").Body(append(body, p.engine.starting(words)...)...)
	}
	live := *p.state.Live
	body = append(body,
		dashboard(words, live.Stats),
		app.Div().Class("desk").Body(p.enqueueForm(words), p.runForm(words), p.clockForm(words, live)),
		p.jobs(words, live),
		liveFigure(words, live),
		app.Div().Class("desk").Body(
			p.workerForm(words),
			app.Div().Class("gap-l").Body(p.requeueForm(words), p.purgeForm(words)),
			app.Div().Class("gap-l").Body(p.policyForm(words)),
		),
		liveLog(words, live),
	)
	return app.Div().Class("gap-l").Body(body...)
}

// top is the title with the clock and the queue's home.
func (p *queuePage) top(words text.Words) app.UI {
	var facts []app.UI
	if live := p.state.Live; live != nil {
		facts = append(facts, app.Span().Class("clock").Body(app.Small().Text(words.Get("queue.clock")), app.Text(words.Get("unit.ms", "ms", live.Now))))
		home, t := "queue.home.opfs", toneGood
		if n := p.engine.notice; n != nil && n.Home == ask.Memory {
			home, t = "queue.home.memory", toneWarn
		}
		facts = append(facts, remark(t, words.Get(home)+", "+words.N("queue.jobs", live.Total), false))
	}
	return app.Div().Class("sec-head").Body(app.H1().Text(words.Get("queue.title")), app.P().Class("row").Body(facts...))
}

// news is what has happened to the engine or to the last request.
func (p *queuePage) news(words text.Words) []app.UI {
	s := &p.state
	var held string
	if s.Held != nil {
		held = words.Get("queue.news.held", "id", s.Held.ID, "attempt", s.Held.Attempt)
	}
	switch {
	case s.Killed:
		return []app.UI{banner{Tone: "info", Title: words.Get("queue.news.killed"), Text: words.Get("queue.news.starting")}.ui()}
	case s.Died:
		return []app.UI{banner{Tone: "warn", Title: words.Get("queue.news.died"), Text: words.Get("queue.news.starting")}.ui()}
	case s.Back:
		kept := words.Get("queue.news.kept") + " " + held
		if n := p.engine.notice; n != nil && n.Home == ask.Memory {
			kept = words.Get("queue.news.gone")
		}
		return []app.UI{banner{Tone: "info", Title: words.Get("queue.news.back"), Text: kept}.ui()}
	case s.Err != nil && p.engine.failed == nil:
		return []app.UI{errorBanner(words, *s.Err, button{
			Scope: "again", Label: words.Get("error.again"), Icon: "reload", On: func(ctx app.Context) {
				s.Err = nil
				p.view()
			},
		}.ui())}
	}
	return nil
}
