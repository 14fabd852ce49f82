package line

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"syscall/js"

	"retrylab/lab/ask"
)

// A Line is a line to the engine. Its methods may be called from any goroutine; they do not wait.
type Line struct {
	url  string
	make func() js.Value // the worker, where it is not made from url

	mu       sync.Mutex
	worker   js.Value // undefined while none runs
	module   js.Value // the compiled program, once there has been one
	name     string   // of this line: its workers' locks are named after it
	workers  int      // that were started
	deaths   int      // in a row, since an engine was ready
	failed   *ask.Error
	last     *ask.Notice
	id       int64
	open     map[int64]On
	hear     map[int]func(ask.Notice)
	progress map[int]func(int)
	hearer   int

	onMessage, onError js.Func
}

// Open returns a line to the engine whose worker's script has that address. The worker is started by
// the first [Line.Ask], or by [Line.Warm].
func Open(url string) *Line {
	// The page's address may change before a second worker is started.
	return open(js.Global().Get("URL").New(url, js.Global().Get("document").Get("baseURI")).Get("href").String(), nil)
}

// OpenFrame returns a line to an engine that runs beside the interpreter of a language, in a frame from
// which nothing can be reached (static/frame.js). assets is the address of the folder of assets, root
// that of the site; language is python or javascript.
func OpenFrame(assets, root, language string) *Line {
	base := js.Global().Get("document").Get("baseURI").String()
	return open("", func() js.Value { return js.Global().Get("StudentFrame").New(assets, root, language, base) })
}

func open(url string, make func() js.Value) *Line {
	l := &Line{
		url:      url,
		make:     make,
		name:     "engine-" + strconv.FormatUint(rand.Uint64(), 36) + "-",
		open:     map[int64]On{},
		hear:     map[int]func(ask.Notice){},
		progress: map[int]func(int){},
	}
	l.onMessage = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if !l.current(args[0]) {
			return nil
		}
		if data := args[0].Get("data"); data.Type() == js.TypeString {
			l.take(data.String())
		} else {
			l.mu.Lock()
			l.module = data.Get("module")
			l.mu.Unlock()
		}
		return nil
	})
	l.onError = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if l.current(args[0]) {
			detail := args[0].Get("message")
			if detail.Type() != js.TypeString { // the script could not be loaded
				detail = js.ValueOf("the engine's script could not be loaded")
			}
			l.died(detail.String())
		}
		return nil
	})
	return l
}

// current tells whether an event is of the worker that runs now, not of one that was ended.
func (l *Line) current(event js.Value) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.worker.Truthy() && event.Get("currentTarget").Equal(l.worker)
}

// Warm starts the engine if it does not run, so that the first Ask is answered sooner.
func (l *Line) Warm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start()
}

// start starts a worker unless one runs or the engine has failed. The caller holds mu.
func (l *Line) start() {
	if l.worker.Truthy() || l.failed != nil {
		return
	}
	l.workers++
	if l.make != nil {
		l.worker = l.make()
	} else {
		url := l.url
		if l.module.Truthy() {
			url += "?again"
		}
		l.worker = js.Global().Get("Worker").New(url + "#" + l.name + strconv.Itoa(l.workers))
	}
	l.worker.Set("onmessage", l.onMessage)
	l.worker.Set("onerror", l.onError)
	if l.module.Truthy() {
		l.worker.Call("postMessage", map[string]any{"module": l.module})
	}
}

// Ask sends a request. on hears its replies: when the engine ends before the last of them, that one
// is an error with the code ask.EngineDied. on may be nil.
func (l *Line) Ask(kind ask.Kind, body any, on On) {
	if on == nil {
		on = func(ask.Reply) {}
	}
	request := ask.Request{Kind: kind}
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			l.refuse(on, ask.BadRequest, err.Error())
			return
		}
		request.Body = raw
	}
	l.mu.Lock()
	l.id++
	request.ID = l.id
	text, err := json.Marshal(request)
	switch {
	case err != nil:
		l.mu.Unlock()
		l.refuse(on, ask.BadRequest, err.Error())
		return
	case len(text) > MaxRequest:
		l.mu.Unlock()
		l.refuse(on, ask.TooLarge, fmt.Sprintf("the request has %d bytes, at most %d are allowed", len(text), MaxRequest))
		return
	case l.failed != nil:
		failed := *l.failed
		l.mu.Unlock()
		l.refuse(on, failed.Code, failed.Detail)
		return
	}
	l.open[request.ID] = on
	l.start()
	l.worker.Call("postMessage", string(text)) // the worker keeps it until its program runs
	l.mu.Unlock()
}

// refuse answers a request that is not sent. It answers later, as the engine does: a caller may count
// on Ask returning first.
func (l *Line) refuse(on On, code, detail string) {
	l.mu.Lock()
	l.id++
	id := l.id
	l.mu.Unlock()
	go on(ask.Reply{ID: id, Err: &ask.Error{Code: code, Detail: detail}})
}

// A message is what the worker says: a reply, or with id 0 a notice, or something about the worker
// itself.
type message struct {
	ask.Reply
	Bytes int     `json:"bytes"` // of the program, that have arrived
	Ended *string `json:"ended"` // the program has ended: why
	Alive string  `json:"alive"` // the lock that the worker holds as long as it lives
}

func (l *Line) take(text string) {
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		l.died("the engine said something that is no reply: " + err.Error())
		return
	}
	switch {
	case m.Ended != nil:
		l.died(*m.Ended)
	case m.Alive != "":
		l.mourn(m.Alive)
	case m.Bytes > 0:
		for _, on := range hearers(l, l.progress) {
			on(m.Bytes)
		}
	case m.ID == 0:
		var n ask.Notice
		if err := json.Unmarshal(m.Body, &n); err != nil {
			l.died("the engine gave a notice that is none: " + err.Error())
			return
		}
		l.notice(n)
	default:
		l.mu.Lock()
		on := l.open[m.ID]
		if !m.More {
			delete(l.open, m.ID)
		}
		l.mu.Unlock()
		if on != nil {
			on(m.Reply)
		}
	}
}

// mourn waits for the lock that the running worker holds: who gets it knows that the worker is gone,
// also when the browser or a person ended it from outside, which no event tells.
func (l *Line) mourn(lock string) {
	l.mu.Lock()
	worker := l.worker
	l.mu.Unlock()
	var granted, settled js.Func
	granted = js.FuncOf(func(js.Value, []js.Value) any {
		l.mu.Lock()
		gone := l.worker.Equal(worker) // not one that this line has ended itself
		l.mu.Unlock()
		if gone {
			l.died("the engine's worker was ended from outside")
		}
		return nil
	})
	settled = js.FuncOf(func(js.Value, []js.Value) any {
		granted.Release()
		settled.Release()
		return nil
	})
	js.Global().Get("navigator").Get("locks").Call("request", lock, granted).Call("then", settled, settled)
}

func (l *Line) notice(n ask.Notice) {
	l.mu.Lock()
	if n.State == ask.Ready {
		l.deaths = 0
	}
	l.last = &n
	l.mu.Unlock()
	for _, on := range hearers(l, l.hear) {
		on(n)
	}
}

// hearers are the functions of a map, in the order in which they came.
func hearers[F any](l *Line, of map[int]F) []F {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []F
	for _, key := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[key])
	}
	return all
}

// died is called when the engine has ended by itself: its open requests fail, and another engine is
// started, unless too many have died.
func (l *Line) died(detail string) {
	l.mu.Lock()
	l.deaths++
	code := ask.EngineDied
	if l.deaths >= maxDeaths {
		code = ask.EngineFailed
		l.failed = &ask.Error{Code: code, Detail: detail}
	}
	open := l.end()
	if l.deaths > 1 {
		l.module = js.Undefined() // perhaps it is what is wrong
	}
	l.start()
	l.mu.Unlock()
	answer(open, code, detail)
}

// Kill ends the engine as the end of its process would, in the middle of whatever it does. Its open
// requests fail with ask.EngineDied, and another engine is started.
func (l *Line) Kill() {
	l.mu.Lock()
	open := l.end()
	l.start()
	l.mu.Unlock()
	answer(open, ask.EngineDied, "the engine was ended on purpose")
}

// Rest ends the engine until the next [Line.Ask] or [Line.Warm]. Its open requests fail with
// ask.EngineDied.
func (l *Line) Rest() {
	l.mu.Lock()
	open := l.end()
	l.mu.Unlock()
	answer(open, ask.EngineDied, "the engine was put to rest")
}

// Retry starts an engine again after it has failed; requests meanwhile were refused.
func (l *Line) Retry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed, l.deaths = nil, 0
	l.start()
}

// end terminates the worker and returns the requests that were open. The caller holds mu.
func (l *Line) end() map[int64]On {
	if l.worker.Truthy() {
		l.worker.Call("terminate")
	}
	l.worker, l.last = js.Undefined(), nil
	open := l.open
	l.open = map[int64]On{}
	return open
}

func answer(open map[int64]On, code, detail string) {
	for _, id := range slices.Sorted(maps.Keys(open)) {
		open[id](ask.Reply{ID: id, Err: &ask.Error{Code: code, Detail: detail}})
	}
}

// OnNotice hears what the engine says unasked, until stop is called. When the engine that runs has
// said something already, on hears the last of it first.
func (l *Line) OnNotice(on func(ask.Notice)) (stop func()) {
	l.mu.Lock()
	l.hearer++
	key := l.hearer
	l.hear[key] = on
	last := l.last
	l.mu.Unlock()
	if last != nil {
		on(*last)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.hear, key)
	}
}

// OnProgress hears how many bytes of the engine's packed program have arrived, while it is loaded.
func (l *Line) OnProgress(on func(bytes int)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hearer++
	key := l.hearer
	l.progress[key] = on
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.progress, key)
	}
}
