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

func (p program) Do(call string) string {
	return desk.text(p.do.Invoke(desk.put(call)).Int())
}

// beside tells whether this program was started beside an interpreter, to judge a student's code there,
// and makes what judges it. It opens no database of the lab: none can be reached from there.
func beside() (e *engine.Engine, notice ask.Notice, yes bool) {
	there := js.Global().Get("student")
	if !there.Truthy() {
		return nil, notice, false
	}
	judge := &student.Judge{
		Program:  program{there.Get("do")},
		Host:     desk.host,
		Language: student.Language(there.Get("language").String()),
	}
	return engine.Judging(context.Background(), judge), ask.Notice{State: ask.Ready, Home: ask.Memory}, true
}
