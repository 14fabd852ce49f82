package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/sqlite"
)

// tb is what a check needs of a test. A check runs twice: on the queue as it is, where it must pass,
// and on a queue with the fault put in, where it must not.
type tb interface {
	Helper()
	Cleanup(func())
	Context() context.Context
	TempDir() string
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// judge is a tb that only remembers that the check failed.
type judge struct {
	*testing.T
	why atomic.Pointer[string]
}

func (j *judge) Errorf(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	j.why.CompareAndSwap(nil, &why)
}

func (j *judge) Fatalf(format string, args ...any) {
	j.Errorf(format, args...)
	runtime.Goexit()
}

// fails runs a check and says why it failed; "" is passed.
func fails(t *testing.T, check func(tb)) string {
	j := &judge{T: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				j.Errorf("panic: %v", r)
			}
		}()
		check(j)
	}()
	<-done
	if why := j.why.Load(); why != nil {
		return *why
	}
	return ""
}

// A change puts a fault into the queue's parts.
type change func(*queue.Parts) error

func edit(name, old, text string) change {
	return func(p *queue.Parts) error { return p.Edit(name, old, text) }
}

func without(checks ...string) change {
	return func(p *queue.Parts) error {
		for _, name := range checks {
			if err := p.DropCheck(name); err != nil {
				return err
			}
		}
		return nil
	}
}

func step(f func(*queue.Parts)) change {
	return func(p *queue.Parts) error {
		f(p)
		return nil
	}
}

func all(changes ...change) change {
	return func(p *queue.Parts) error {
		for _, c := range changes {
			if err := c(p); err != nil {
				return err
			}
		}
		return nil
	}
}

// A world is a database with a queue in it. Each world has a database of its own.
type world struct {
	tb
	name string
	put  change
	db   *sql.DB
	q    *queue.Queue
}

var worlds atomic.Int64

// newWorld makes a queue in memory; put, when not nil, is the fault that is put in.
func newWorld(t tb, put change) *world {
	t.Helper()
	w := &world{tb: t, name: fmt.Sprintf("/queue-%d", worlds.Add(1)), put: put}
	memdb.Create(w.name, nil)
	t.Cleanup(func() { memdb.Delete(w.name) })
	w.db, w.q = w.process()
	return w
}

// process is one more process on the world's database. It waits for no lock.
func (w *world) process() (*sql.DB, *queue.Queue) {
	w.Helper()
	db, err := sqlite.Open("file:" + w.name + "?vfs=memdb&_pragma=busy_timeout(0)&_pragma=synchronous(off)")
	if err != nil {
		w.Fatalf("%v", err)
	}
	db.SetMaxOpenConns(1)
	q, err := queue.Open(w.Context(), db, queue.Options{Parts: w.parts(), Gather: gathered})
	if err != nil {
		db.Close()
		w.Fatalf("%v", err)
	}
	w.Cleanup(func() {
		q.Close()
		db.Close()
	})
	return db, q
}

// gathered makes the queues of all worlds gather.
var gathered bool

// parts are the queue's, with the fault.
func (w *world) parts() *queue.Parts {
	parts := queue.ReferenceParts()
	if w.put != nil {
		if err := w.put(parts); err != nil {
			panic(err) // the fault no longer applies: not a failure of the check
		}
	}
	return parts
}

// text is a statement of the queue as it is sent.
func (w *world) text(name string) string {
	w.Helper()
	text, _, err := w.parts().Compile(name)
	if err != nil {
		w.Fatalf("%v", err)
	}
	return text
}

const (
	lease = int64(1000)
	late  = int64(1_000_000)
)

var (
	backoff = queue.Backoff{BaseMS: 100, CapMS: 1000, Jitter: 0.5}
	policy  = queue.RunPolicy{LeaseMS: lease, Backoff: backoff}

	retryableErr = retry.Retryable(errors.New("no oven"))
	permanentErr = retry.Permanent(errors.New("no such street"))

	retryable = queue.Failure{Class: retry.ClassRetryable, Message: "no oven"}
	permanent = queue.Failure{Class: retry.ClassPermanent, Message: "no such street"}
)

// enqueue accepts a new job at time now.
func (w *world) enqueue(now int64, job queue.NewJob) {
	w.Helper()
	got, err := w.q.Enqueue(w.Context(), now, job)
	if err != nil || got.Verdict != queue.Created {
		w.Fatalf("enqueue %s: %v, %v", job.ID, got, err)
	}
}

func (w *world) claim(now int64) queue.Claim {
	w.Helper()
	claim, ok := w.tryClaim(now)
	if !ok {
		w.Fatalf("at %d there is nothing to claim", now)
	}
	return claim
}

func (w *world) tryClaim(now int64) (queue.Claim, bool) {
	w.Helper()
	claim, ok, err := w.q.Claim(w.Context(), now, lease)
	if err != nil {
		w.Fatalf("claim at %d: %v", now, err)
	}
	return claim, ok
}

func (w *world) nothing(now int64) {
	w.Helper()
	if claim, ok := w.tryClaim(now); ok {
		w.Errorf("at %d, %s is claimed for the %d. time, want nothing", now, claim.ID, claim.Attempts)
	}
}

func (w *world) fail(now int64, claim queue.Claim, f queue.Failure) queue.Outcome {
	w.Helper()
	got, err := w.q.Fail(w.Context(), now, claim, f, backoff)
	if err != nil {
		w.Fatalf("fail at %d: %v", now, err)
	}
	return got
}

func (w *world) complete(now int64, claim queue.Claim) {
	w.Helper()
	if err := w.q.Complete(w.Context(), now, claim.Token); err != nil {
		w.Fatalf("complete at %d: %v", now, err)
	}
}

// exec runs SQL behind the queue's back.
func (w *world) exec(query string, args ...any) {
	w.Helper()
	if _, err := w.db.ExecContext(w.Context(), query, args...); err != nil {
		w.Fatalf("%s: %v", query, err)
	}
}

// row is every column of a job, as text.
func (w *world) row(id string) string {
	w.Helper()
	rows, err := w.db.QueryContext(w.Context(), `SELECT * FROM job WHERE id = ?`, id)
	if err != nil {
		w.Fatalf("%v", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		w.Fatalf("%v", err)
	}
	values, to := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		to[i] = &values[i]
	}
	var out strings.Builder
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			w.Fatalf("%v", err)
		}
		for i, name := range names {
			fmt.Fprintf(&out, "%s=%v ", name, values[i])
		}
	}
	if err := rows.Err(); err != nil {
		w.Fatalf("%v", err)
	}
	return out.String()
}

func (w *world) job(id string) queue.Job {
	w.Helper()
	job, found, err := w.q.Job(w.Context(), id)
	if err != nil || !found {
		w.Fatalf("job %s: found %v, %v", id, found, err)
	}
	return job
}

// is compares a job's state, attempts and reason, such as "dead 3/3 exhausted".
func (w *world) is(id, want string) {
	w.Helper()
	job := w.job(id)
	got := fmt.Sprintf("%s %d/%d", job.State, job.Attempts, job.MaxAttempts)
	if job.DeadReason != "" {
		got += " " + string(job.DeadReason)
	}
	if got != want {
		w.Errorf("job %s is %s, want %s", id, got, want)
	}
}

func (w *world) stats(now int64) queue.Stats {
	w.Helper()
	s, err := w.q.Stats(w.Context(), now)
	if err != nil {
		w.Fatalf("stats: %v", err)
	}
	return s
}

// clock gives one reading after the other.
func clock(readings ...int64) func() int64 {
	return func() int64 {
		now := readings[0]
		if len(readings) > 1 {
			readings = readings[1:]
		}
		return now
	}
}

// sendOK is a send that works.
func sendOK(context.Context, queue.Claim) error { return nil }

// dies is a worker that dies in its send.
func (w *world) dies(now int64) (sent bool) {
	w.Helper()
	defer func() { recover() }()
	run, err := w.q.RunOnce(w.Context(), clock(now), policy, func(context.Context, queue.Claim) error {
		sent = true
		panic("the process dies")
	})
	if err != nil || run.Claimed {
		w.Errorf("run at %d: %+v, %v", now, run, err)
	}
	return sent
}

// between does something, on another connection, just before each run of a statement of the queue.
func (w *world) between(name string, do func()) {
	w.Helper()
	text := w.text(name)
	var gate func(func(string))
	_, w.q, gate = w.gated()
	gate(func(query string) {
		if query == text {
			do()
		}
	})
}
