//go:build js

package main

import (
	"unsafe"

	"retrylab/lab/student"
)

// An exchange is where texts change hands between this program and the interpreter beside it, thousands of times in
// each run: a part of this program's memory that both read and write. A call names only how many bytes lie
// there. As values of package js, strings took a tenth of a run more.
type exchange struct {
	host  *student.Host
	bytes []byte
}

var desk = exchange{host: student.NewHost()}

// put lays a text down, and returns how many bytes it has.
func (d *exchange) put(text string) int {
	d.room(len(text))
	return copy(d.bytes, text)
}

// text is what lies there.
func (d *exchange) text(n int) string { return string(d.bytes[:n]) }

func (d *exchange) room(n int) {
	if n > len(d.bytes) || d.bytes == nil {
		d.bytes = make([]byte, max(n, 64<<10))
	}
}

// The functions that static/student-worker.js calls. What they return is how many bytes the answer has.

// deskRoom makes room for that many bytes, and returns where they are.
//
//go:wasmexport deskRoom
func deskRoom(n int32) uint32 {
	desk.room(int(n))
	return uint32(uintptr(unsafe.Pointer(&desk.bytes[0])))
}

//go:wasmexport deskExecute
func deskExecute(life, sql, params int32) int32 {
	return int32(desk.put(desk.host.Execute(int(life), string(desk.bytes[:sql]), string(desk.bytes[sql:sql+params]))))
}

//go:wasmexport deskClock
func deskClock(life int32) float64 { return float64(desk.host.Clock(int(life))) }

//go:wasmexport deskSend
func deskSend(life, job int32) int32 {
	return int32(desk.put(desk.host.Send(int(life), desk.text(int(job)))))
}
