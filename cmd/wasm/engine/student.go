//go:build js

package main

import (
	"context"
	"syscall/js"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
	"retrylab/lab/student"
)

// program is a student's program in the interpreter that static/student-worker.js has started beside
// this one.
type program struct{ do js.Value }

func (p program) Do(call string) string { return p.do.Invoke(call).String() }

// beside tells whether this program was started beside an interpreter, to judge a student's code there,
// and makes what judges it. It opens no database of the lab: none can be reached from there.
func beside() (*engine.Engine, bool) {
	there := js.Global().Get("student")
	if !there.Truthy() {
		return nil, false
	}
	host := student.NewHost()
	functions := js.Global().Get("studentHost")
	functions.Set("execute", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return host.Execute(args[0].Int(), args[1].String(), args[2].String())
	}))
	functions.Set("clock", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return host.Clock(args[0].Int())
	}))
	functions.Set("send", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return host.Send(args[0].Int(), args[1].String())
	}))
	judge := &student.Judge{
		Program:  program{there.Get("do")},
		Host:     host,
		Language: student.Language(there.Get("language").String()),
	}
	return engine.Judging(context.Background(), judge), true
}

// ready is what the engine says when it is up beside an interpreter.
var ready = ask.Notice{State: ask.Ready, Home: ask.Memory, SQLite: sqliteVersion()}
