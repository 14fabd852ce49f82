//go:build js

package opfs

import (
	"syscall/js"
	"time"
)

// Hold takes the exclusive Web Lock of that name and keeps it until release is called or the worker
// ends. It waits for as long as somebody else has it; when that takes longer than patience,
// elsewhere is called once. Where the browser has no Web Locks nothing is held: a file's exclusive
// handle still has one owner.
//
// https://w3c.github.io/web-locks/
func Hold(name string, patience time.Duration, elsewhere func()) (release func(), err error) {
	locks := js.Global().Get("navigator").Get("locks")
	if locks.IsUndefined() {
		return func() {}, nil
	}
	var letGo js.Value
	executor := js.FuncOf(func(_ js.Value, args []js.Value) any {
		letGo = args[0]
		return nil
	})
	defer executor.Release()
	kept := js.Global().Get("Promise").New(executor)

	granted := make(chan struct{})
	grant := js.FuncOf(func(js.Value, []js.Value) any {
		close(granted)
		return kept
	})
	failed := make(chan error, 1)
	go func() {
		_, err := await(locks.Call("request", name, grant))
		grant.Release()
		failed <- err
	}()

	waiting := time.NewTimer(patience)
	defer waiting.Stop()
	for {
		select {
		case <-granted:
			return func() { letGo.Invoke() }, nil
		case err := <-failed:
			return nil, err
		case <-waiting.C:
			elsewhere()
		}
	}
}
