//go:build js

package opfs

import (
	"sync"
	"syscall/js"
)

// A waiter turns a promise into a value. Its two callbacks live as long as the program: making and
// releasing two for each call costs more than the call.
type waiter struct {
	settled   chan settled
	good, bad js.Func
}

type settled struct {
	value js.Value
	err   error
}

var (
	waitersMu sync.Mutex
	waiters   []*waiter
)

func newWaiter() *waiter {
	w := &waiter{settled: make(chan settled, 1)}
	w.good = js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.settled <- settled{value: first(args)}
		return nil
	})
	w.bad = js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.settled <- settled{err: js.Error{Value: first(args)}}
		return nil
	})
	return w
}

func first(args []js.Value) js.Value {
	if len(args) == 0 {
		return js.Undefined()
	}
	return args[0]
}

// await waits for a promise. It may be called from a goroutine only, never from a callback of
// JavaScript's: that would wait for itself.
func await(promise js.Value) (js.Value, error) {
	waitersMu.Lock()
	var w *waiter
	if n := len(waiters); n > 0 {
		w, waiters = waiters[n-1], waiters[:n-1]
	} else {
		w = newWaiter()
	}
	waitersMu.Unlock()

	promise.Call("then", w.good, w.bad)
	s := <-w.settled

	waitersMu.Lock()
	waiters = append(waiters, w)
	waitersMu.Unlock()
	return s.value, s.err
}

// exception is the name of the exception behind err, "" when it has none.
func exception(err error) string {
	if e, ok := err.(js.Error); ok && e.Value.Type() == js.TypeObject {
		if name := e.Value.Get("name"); name.Type() == js.TypeString {
			return name.String()
		}
	}
	return ""
}
