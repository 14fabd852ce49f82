// Package engine answers what a page asks (package ask): the live queue, the lab, scenarios, quizzes,
// and what a page wants kept. It knows no browser: a [Home] opens its database, and whoever runs it
// carries the requests and replies.
package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"retrylab/lab/ask"
	"retrylab/lab/scenario"
	"retrylab/lab/student"
)

// A Home opens databases by name, on the device or in memory.
type Home interface {
	// Name is ask.OPFS or ask.Memory.
	Name() string
	// Connect opens a database, and makes it when there is none: a pool of one connection. At most one
	// is open for each name.
	Connect(database string) (*sql.DB, error)
	// Remove deletes a closed database. One that is not there is no error.
	Remove(database string) error
}

// The databases of the engine.
const (
	labDatabase     = "lab.db"     // the live queue, quiz answers, what pages keep
	scratchDatabase = "scratch.db" // of the scenario that is playing
)

// An Engine answers requests, one after the other: none of its methods may be called while another
// runs.
type Engine struct {
	home Home
	db   *sql.DB // the lab's database; another one after a restart step
	live *live

	quizzes quizzes
	judge   *student.Judge // of a student's program; nil but beside an interpreter
}

// New opens the lab's database in a home and brings its tables to this version. The error wraps
// [ErrNewer] when a newer version of the site has written the database; it is left as it is.
func New(ctx context.Context, home Home) (*Engine, error) {
	e := &Engine{home: home}
	var err error
	if e.live, err = openLive(ctx, e); err != nil {
		return nil, err
	}
	return e, nil
}

// Close ends a held send as the death of its process, and closes the database.
func (e *Engine) Close() error { return errors.Join(e.quizzes.close(), e.live.close()) }

// DB is the lab's database. A handler asks for it each time: a restart step closes it and opens it
// again.
func (e *Engine) DB() *sql.DB { return e.db }

// Why says which of ask's reasons for a home in memory an error of [New] is.
func Why(err error) string {
	switch {
	case errors.Is(err, ErrNewer):
		return ask.Newer
	case errors.Is(err, sqlite3.FULL):
		return ask.Full
	}
	return ask.Broken
}

// A Call is one request on its way. A handler answers it by returning; one that returns [Later]
// answers by Done.
type Call struct {
	Body json.RawMessage

	id    int64
	reply func(ask.Reply)
}

// A Handler answers the requests of one kind. The value that it returns becomes the reply's body, nil
// for none. An error that is an [*ask.Error] is passed on as it is.
type Handler func(ctx context.Context, e *Engine, call *Call) (any, error)

// Later is what a handler returns when it will answer by [Call.Done].
var Later = errors.New("engine: answered later")

var handlers = map[ask.Kind]Handler{}

// Handle registers the handler of a kind of request. It is called when the program starts.
func Handle(kind ask.Kind, handler Handler) {
	if _, twice := handlers[kind]; twice {
		panic(fmt.Sprintf("engine: two handlers for %s", kind))
	}
	handlers[kind] = handler
}

// Answer answers one request. reply is called for each reply, the last one with More false. That last
// one comes before Answer returns, except for a send that is held: it comes with the answer to it.
func (e *Engine) Answer(ctx context.Context, request ask.Request, reply func(ask.Reply)) {
	call := &Call{Body: request.Body, id: request.ID, reply: reply}
	handler, ok := handlers[request.Kind]
	if !ok {
		call.Done(nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("there is no request %q", request.Kind)})
		return
	}
	body, err := guarded(handler, ctx, e, call)
	if err != Later {
		call.Done(body, err)
	}
}

// guarded keeps a fault of one handler from ending the engine.
func guarded(handler Handler, ctx context.Context, e *Engine, call *Call) (body any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &ask.Error{Code: ask.Unknown, Detail: fmt.Sprint("a fault of the engine: ", r)}
		}
	}()
	return handler(ctx, e, call)
}

// Decode reads the request's body. The error is for the page's maker, and to be returned as it is.
func (c *Call) Decode(to any) error {
	if len(c.Body) == 0 {
		return &ask.Error{Code: ask.BadRequest, Detail: "the request has no body"}
	}
	if err := json.Unmarshal(c.Body, to); err != nil {
		return &ask.Error{Code: ask.BadRequest, Detail: err.Error()}
	}
	return nil
}

// More sends a reply that others will follow.
func (c *Call) More(body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // a fault of the handler: it gave what is no JSON
	}
	c.reply(ask.Reply{ID: c.id, More: true, Body: raw})
}

// Done sends the last reply.
func (c *Call) Done(body any, err error) {
	reply := ask.Reply{ID: c.id}
	if err == nil && body != nil {
		reply.Body, err = json.Marshal(body)
	}
	if err != nil {
		reply.Body, reply.Err = nil, coded(err)
	}
	c.reply(reply)
}

// coded is an error as a page gets it.
func coded(err error) *ask.Error {
	var e *ask.Error
	if errors.As(err, &e) {
		return e
	}
	e = &ask.Error{Code: ask.Unknown, Detail: err.Error()}
	if errors.Is(err, sqlite3.FULL) {
		e.Code = ask.StorageFull
	}
	for _, p := range scenario.Problems(err) {
		e.Code, e.Detail = ask.BadFile, ""
		e.Problems = append(e.Problems, ask.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message})
	}
	return e
}
