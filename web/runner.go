package web

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/line"
)

// programLimit is how long a student's program may take for one check. Then it is ended: there is no
// other way to end a loop that never ends.
const programLimit = 5 * time.Second

// A runner runs a student's programs in one language. It keeps a frame with an interpreter that is up,
// and another one, which shares a long run, and takes the first one's place when that has to be thrown away.
type runner struct {
	open  func() *line.Line
	now   *interpreter
	spare *interpreter
	turn  int // counts what is begun: replies to what was before are of no interest
}

// An interpreter is a line to one in a frame of its own, with what it said last.
type interpreter struct {
	line  *line.Line
	up    bool
	bytes int // of its files have arrived
	busy  int // requests that it has not answered
}

// The runners of this tab by language. They stay up from page to page.
var runners = map[string]*runner{}

func runnerOf(at Place, language string) *runner {
	r, ok := runners[language]
	if !ok {
		r = &runner{open: func() *line.Line { return line.OpenFrame(at.Assets, at.Base, language) }}
		runners[language] = r
	}
	return r
}

// warm starts the interpreter, so that the first run need not wait for it. changed is called when
// something is to be drawn.
func (r *runner) warm(changed func()) {
	if r.now == nil {
		r.now = r.newInterpreter(changed)
	}
	r.now.line.Warm()
}

func (r *runner) newInterpreter(changed func()) *interpreter {
	f := &interpreter{line: r.open()}
	f.line.OnNotice(func(ask.Notice) {
		f.up = true
		changed()
	})
	f.line.OnProgress(func(bytes int) {
		f.bytes = bytes
		changed()
	})
	return f
}

// A late is how a request ends without an answer: the program took too long, or its frame was ended
// for what it did; detail says what.
type late struct {
	Limit  bool
	Detail string
}

// begin begins something new: whatever is under way is of no interest any more. It returns the
// interpreters that can share it, at least one.
func (r *runner) begin(ctx app.Context) []*interpreter {
	r.turn++
	r.warm(func() { ctx.Dispatch(func(app.Context) {}) })
	if r.spare != nil && r.spare.up && r.now.up && app.Window().Get("navigator").Get("hardwareConcurrency").Int() > 1 {
		return []*interpreter{r.now, r.spare}
	}
	return []*interpreter{r.now}
}

// ask has an interpreter answer a request. on hears the replies, and failed how it ended without the last of
// them, both on the page's goroutine; then the interpreter is gone.
func (r *runner) ask(ctx app.Context, f *interpreter, kind ask.Kind, body any, on func(app.Context, ask.Reply), failed func(late)) {
	changed := func() { ctx.Dispatch(func(app.Context) {}) }
	turn, waiting := r.turn, true
	f.busy++
	end := func(l late) {
		waiting = false
		r.replace(f, changed)
		failed(l)
	}
	var timer *time.Timer
	var arm func()
	arm = func() {
		if timer != nil {
			timer.Stop()
		}
		timer = time.AfterFunc(programLimit, func() {
			ctx.Dispatch(func(ctx app.Context) {
				switch {
				case turn != r.turn || !waiting:
				case !f.up:
					arm() // the interpreter is not there yet; what loads it tells of its own faults
				default:
					end(late{Limit: true})
				}
			})
		})
	}
	arm()
	var stop func()
	stop = f.line.OnNotice(func(ask.Notice) {
		if turn == r.turn && waiting {
			arm() // the time counts from here
		}
	})
	f.line.Ask(kind, body, func(reply ask.Reply) {
		if !reply.More {
			stop()
			f.busy--
		}
		if turn != r.turn || !waiting {
			return
		}
		if reply.More {
			arm()
		} else {
			timer.Stop()
		}
		ctx.Dispatch(func(ctx app.Context) {
			switch {
			case turn != r.turn || !waiting:
			case reply.Err != nil:
				// Whatever the program has done to its interpreter, the next one does not have it.
				end(late{Detail: reply.Err.Detail})
			default:
				waiting = reply.More
				on(ctx, reply)
				if !reply.More {
					r.prepare(changed)
				}
			}
		})
	})
}

// stop ends what the program does.
func (r *runner) stop(ctx app.Context) {
	r.turn++
	for _, f := range []*interpreter{r.now, r.spare} {
		if f != nil && f.busy > 0 {
			r.replace(f, func() { ctx.Dispatch(func(app.Context) {}) })
		}
	}
}

// replace throws a frame away; the spare one takes the place of the first.
func (r *runner) replace(f *interpreter, changed func()) {
	f.line.Rest()
	switch f {
	case r.now:
		r.now, r.spare = r.spare, nil
	case r.spare:
		r.spare = nil
	}
	r.warm(changed)
}

// prepare starts a spare frame, once the first one has shown that it can work. A device with little
// memory goes without.
func (r *runner) prepare(changed func()) {
	if memory := app.Window().Get("navigator").Get("deviceMemory"); memory.Type() == app.TypeNumber && memory.Float() < 4 {
		return
	}
	if r.spare == nil {
		r.spare = r.newInterpreter(changed)
		r.spare.line.Warm()
	}
}

// starting tells whether the interpreter is on its way, and how many bytes of it have arrived.
func (r *runner) starting() (bytes int, yes bool) {
	if r.now == nil {
		return 0, false
	}
	return r.now.bytes, !r.now.up
}
