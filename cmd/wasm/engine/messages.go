//go:build js

package main

import (
	"encoding/json"
	"fmt"
	"sync"
	"syscall/js"

	"retrylab/lab/ask"
)

// maxRequest is how many UTF-16 units a request may have; the page's side counts bytes and refuses
// earlier.
const maxRequest = 1 << 20

// object makes an object of a text: a js.Value has properties and methods only then.
var object = js.Global().Get("Object")

// listen returns the texts of the requests, in the order in which they come. The callback hands them
// over and never waits: one that waits for an answer of JavaScript's stops the worker for good.
func listen() <-chan string {
	var mu sync.Mutex
	var waiting []string
	more := make(chan struct{}, 1)
	js.Global().Call("listen", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := args[0]
		if data.Type() != js.TypeString {
			return nil
		}
		if object.Invoke(data).Get("length").Int() > maxRequest {
			refuse(data)
			return nil
		}
		mu.Lock()
		waiting = append(waiting, data.String())
		mu.Unlock()
		select {
		case more <- struct{}{}:
		default:
		}
		return nil
	}))
	texts := make(chan string)
	go func() {
		for range more {
			mu.Lock()
			all := waiting
			waiting = nil
			mu.Unlock()
			for _, text := range all {
				texts <- text
			}
		}
	}()
	return texts
}

// refuse answers a request that is too large to read.
func refuse(data js.Value) {
	var request struct {
		ID int64 `json:"id"`
	}
	// The id stands first in what the page's side writes.
	fmt.Sscanf(object.Invoke(data).Call("slice", 0, 40).String(), `{"id":%d`, &request.ID)
	post(ask.Reply{ID: request.ID, Err: &ask.Error{Code: ask.TooLarge, Detail: fmt.Sprintf("the request has more than %d characters", maxRequest)}})
}

var postMessage = js.Global().Get("postMessage").Call("bind", js.Global())

func post(reply ask.Reply) {
	text, err := json.Marshal(reply)
	if err != nil {
		panic(err) // plain values always have a text
	}
	postMessage.Invoke(string(text))
}

func postNotice(notice ask.Notice) {
	body, err := json.Marshal(notice)
	if err != nil {
		panic(err)
	}
	post(ask.Reply{Body: body})
}
