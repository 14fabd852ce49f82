package web

import (
	"encoding/json"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/line"
	"retrylab/web/text"
)

// shared is the one line to the engine. The first page that needs the engine opens it, and it stays
// open for the pages after that.
var shared *line.Line

// While the page is kept for the way back, what it still wants to know waits here.
var (
	resting bool
	wake    []func()
)

// An engineState is one page's end of the line to the engine.
type engineState struct {
	ctx    app.Context // of the page: a button may be gone before its answer comes
	notice *ask.Notice // what the engine said last; nil while it starts
	failed *ask.Error  // it could not be started
	bytes  int         // of its program have arrived
	stops  []func()
}

// open takes the line up. on hears what the engine says unasked.
func (e *engineState) open(ctx app.Context, at Place, on func(ctx app.Context, n ask.Notice)) {
	if app.IsServer {
		return
	}
	e.ctx = ctx
	if shared == nil {
		shared = line.Open(at.Asset("engine.js"))
		restWhenHidden(shared)
	}
	e.stops = append(e.stops,
		shared.OnNotice(func(n ask.Notice) {
			ctx.Dispatch(func(ctx app.Context) {
				e.notice, e.failed = &n, nil
				on(ctx, n)
			})
		}),
		shared.OnProgress(func(bytes int) {
			ctx.Dispatch(func(app.Context) { e.bytes = bytes })
		}))
}

// restWhenHidden lets the engine go while a page that a person has left is kept for the way back. A
// browser may keep such a page for minutes, and its engine would keep every other tab waiting.
func restWhenHidden(l *line.Line) {
	on := func(event string, do func()) {
		app.Window().Call("addEventListener", event, app.FuncOf(func(this app.Value, args []app.Value) any {
			if args[0].Get("persisted").Bool() {
				do()
			}
			return nil
		}))
	}
	on("pagehide", func() {
		resting = true
		l.Rest()
	})
	on("pageshow", func() {
		resting = false
		l.Warm()
		again := wake
		wake = nil
		for _, ask := range again {
			ask()
		}
	})
}

// close stops hearing; the line stays open.
func (e *engineState) close() {
	for _, stop := range e.stops {
		stop()
	}
	e.stops = nil
}

// ask asks the engine. on gets every reply in order, on the page's own goroutine.
func (e *engineState) ask(kind ask.Kind, body any, on func(ctx app.Context, r ask.Reply)) {
	if shared == nil {
		return
	}
	ctx := e.ctx
	shared.Ask(kind, body, func(r ask.Reply) {
		ctx.Dispatch(func(ctx app.Context) {
			if r.Err != nil && r.Err.Code == ask.EngineFailed {
				e.failed = r.Err
			}
			on(ctx, r)
		})
	})
}

// read asks for something that changes nothing. When the engine ends before it answers, the next one is
// asked, a few times.
func (e *engineState) read(kind ask.Kind, body any, on func(ctx app.Context, r ask.Reply)) {
	const tries = 4
	var try func(left int)
	try = func(left int) {
		e.ask(kind, body, func(ctx app.Context, r ask.Reply) {
			if r.Err != nil && r.Err.Code == ask.EngineDied && left > 0 {
				if resting {
					wake = append(wake, func() { try(left - 1) })
				} else {
					try(left - 1)
				}
				return
			}
			on(ctx, r)
		})
	}
	try(tries)
}

// kill ends the engine's process; a new one starts by itself and says when it is ready.
func (e *engineState) kill() {
	if shared != nil {
		e.notice = nil
		shared.Kill()
	}
}

// waiting is true until the engine has said something.
func (e *engineState) waiting() bool { return e.notice == nil && e.failed == nil }

// starting is the progress of an engine that starts; nothing in a page that is rendered beforehand.
func (e *engineState) starting(words text.Words) []app.UI {
	if app.IsServer || !e.waiting() {
		return nil
	}
	far := ""
	if e.bytes > 0 {
		far = words.Get("engine.loaded", "mb", megabytes(e.bytes))
	}
	return []app.UI{progress(words.Get("engine.starting"), far, 0, 0)}
}

// banners tell what a person should know about the engine. again is what the page asks for once an
// engine that could not be started is tried again.
func (e *engineState) banners(words text.Words, again func()) []app.UI {
	n := e.notice
	switch {
	case e.failed != nil:
		return []app.UI{errorBanner(words, *e.failed, button{
			Scope: "retry-engine", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) {
				e.failed = nil
				shared.Retry()
				again()
			},
		}.ui())}
	case n != nil && n.State == ask.Elsewhere:
		return []app.UI{banner{Tone: "info", Title: words.Get("engine.elsewhere"), Text: words.Get("engine.elsewhere.text")}.ui()}
	case n != nil && n.Home == ask.Memory:
		why := "engine.memory.why." + n.Why
		if !words.Has(why) {
			why = "engine.memory.why." + ask.Broken
		}
		return []app.UI{banner{Tone: "warn", Title: words.Get("engine.memory"), Text: words.Get(why)}.ui()}
	}
	return nil
}

// errorBanner says what went wrong, what to do, and what the engine said about it.
func errorBanner(words text.Words, err ask.Error, acts ...app.UI) app.UI {
	key := "error." + err.Code
	if !words.Has(key) {
		key = "error." + ask.Unknown
	}
	detail := words.Get(key + ".do")
	if err.Detail != "" {
		detail += " " + words.Get("error.detail", "detail", err.Detail)
	}
	for _, p := range err.Problems {
		detail += " " + words.Get("error.problem", "file", p.File, "line", p.Line, "column", p.Column, "message", p.Message)
	}
	return banner{Tone: "error", Title: words.Get(key), Text: detail, Acts: acts}.ui()
}

// decode reads a reply's body.
func decode[T any](raw json.RawMessage) (T, bool) {
	var v T
	return v, json.Unmarshal(raw, &v) == nil
}

// focus moves the keyboard to an element.
func focus(id string) {
	if el := app.Window().GetElementByID(id); el.Truthy() {
		el.Call("focus")
	}
}
