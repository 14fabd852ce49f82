//go:build js

// Command engine is the program of the engine's Web Worker; static/engine.js starts it. It opens the
// lab's database on the device, or in memory where that cannot be, and answers the pages' requests
// one after the other.
package main

import (
	"context"
	"encoding/json"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
)

func main() {
	ctx := context.Background()
	requests := listen()
	e, notice, judges := beside()
	if !judges {
		e, notice = start(ctx)
	}
	postNotice(notice)
	for text := range requests {
		answer(ctx, e, text)
	}
}

// answer answers one request's text.
func answer(ctx context.Context, e *engine.Engine, text string) {
	var request ask.Request
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		// Without an id there is nobody to tell.
		post(ask.Reply{ID: request.ID, Err: &ask.Error{Code: ask.BadRequest, Detail: err.Error()}})
		return
	}
	e.Answer(ctx, request, post)
}
