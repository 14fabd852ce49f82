package queue

import (
	"context"
	"runtime"
	"sync"
)

// A gatherer lets the operations of several goroutines share one transaction, and so one flush. Nobody
// runs in the background: a goroutine that finds nobody at work leads. It takes what waits, its own
// operation among it, into one transaction, and when that is committed it tells the others and lets one
// of those who have come meanwhile lead. A single goroutine thus goes its way as without a gatherer.
type gatherer struct {
	mu      sync.Mutex
	leading bool
	waiting []*request
	latest  int // how many were done together the last time
}

// A request is one operation that waits for its turn.
type request struct {
	ctx  context.Context
	do   func(run) error
	turn chan turn // one word: that it is done, or that it leads
	err  error
}

type turn bool

const (
	isDone turn = false
	leads  turn = true
)

// maxGathered bounds a transaction, so that its first operation does not wait for ever.
const maxGathered = 256

// do does one operation, together with others, and returns when it is committed. f may be run again
// when a transaction failed. When ctx ends while the operation waits it is not done; once it is under
// way its outcome is waited for, which is not long.
func (g *gatherer) do(ctx context.Context, q *Queue, f func(run) error) error {
	r := &request{ctx: ctx, do: f, turn: make(chan turn, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, r)
	lead := !g.leading
	g.leading = true
	g.mu.Unlock()
	if !lead {
		select {
		case word := <-r.turn:
			lead = word == leads
		case <-ctx.Done():
			if g.leave(r) {
				return context.Cause(ctx)
			}
			lead = <-r.turn == leads
		}
	}
	if lead {
		g.lead(q)
	}
	return r.err
}

// leave takes back a request that waits and that nobody has taken.
func (g *gatherer) leave(r *request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, w := range g.waiting {
		if w == r && len(r.turn) == 0 {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// lead does what waits, and hands the lead on. The caller's own request is the first.
func (g *gatherer) lead(q *Queue) {
	// Those who were told a moment ago are about to come with their next operation: let them run, as
	// long as somebody comes. A goroutine that has been alone does not wait for others.
	g.mu.Lock()
	for n := 0; n != len(g.waiting) && len(g.waiting)+g.latest > 2 && len(g.waiting) < maxGathered; {
		n = len(g.waiting)
		g.mu.Unlock()
		runtime.Gosched()
		g.mu.Lock()
	}
	batch := append([]*request(nil), g.waiting[:min(len(g.waiting), maxGathered)]...)
	g.waiting = append(g.waiting[:0], g.waiting[len(batch):]...)
	g.latest = len(batch)
	g.mu.Unlock()

	q.commit(batch)

	for _, r := range batch[1:] {
		r.turn <- isDone
	}
	g.mu.Lock()
	if g.leading = len(g.waiting) > 0; g.leading {
		g.waiting[0].turn <- leads
	}
	g.mu.Unlock()
}

// commit does the requests of a batch in one transaction. When one of them fails, or the commit, all
// is undone and each is done alone, so that nobody's failure is another's.
func (q *Queue) commit(batch []*request) {
	if len(batch) > 1 && q.together(batch) {
		return
	}
	for _, r := range batch {
		if r.err = r.ctx.Err(); r.err == nil {
			r.err = r.do(run{q: q, ctx: r.ctx})
		}
	}
}

// together reports whether the batch is done, for better or worse.
func (q *Queue) together(batch []*request) bool {
	// No caller's ctx: its end must not undo what others do.
	ctx := context.Background()
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil { // nothing has happened, and each alone would have to wait for the same lock
		for _, r := range batch {
			r.err = err
		}
		return true
	}
	for _, r := range batch {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		if err := r.do(run{q: q, tx: tx, ctx: ctx}); err != nil {
			tx.Rollback() // an error of it changes nothing: it is rolled back when the connection goes
			return false
		}
	}
	return tx.Commit() == nil
}
