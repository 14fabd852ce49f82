// Package queue is a persistent job queue with a retry budget, over database/sql and SQLite.
//
// A job has a budget that is written down with it: max_attempts and a deadline. [Queue.Claim] leases
// the first due job and consumes an attempt, durably, before anything is sent; the attempt is never
// given back, whatever happens afterwards. [Queue.Complete], [Queue.Fail] and [Queue.Extend] need the
// claim's fencing token. [Queue.RunOnce] puts them together around one send, with its time limit, a
// heartbeat, a breaker and a retry budget where they are wanted. Nothing here sleeps, has a clock of its
// own, or holds a lock during a send; only the limit and the heartbeat of a send wait, with timers that
// are passed in.
//
// Times are whole ms, 0..[retry.Max], on a clock that all workers read alike (Unix epoch or virtual).
// Every transition is one guarded SQL statement, so that it also runs on a database without interactive
// transactions. What an operation has reported holds; an operation that returned an error of the
// database has happened or has not, and may be asked for again. The rules are SPEC.md sections 3 to 6.
//
// How a database is opened belongs to the homes: packages file, opfs and d1. Durability is theirs: a
// claim must be flushed before its send starts. With [Options].Gather the operations of several
// goroutines share a flush. The receiver's side of the idempotency key is package inbox.
//
// The cost of a claim does not depend on how many jobs were ever done, nor does that of [Queue.Stats].
package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// SchemaVersion is the version of the schema that this package writes.
const SchemaVersion = 2

// Options of [Open]. The zero Options are right for a SQLite file.
type Options struct {
	// NoTransactions is for a database without BEGIN, such as D1: the schema's statements then run one
	// by one; each may be repeated without harm.
	NoTransactions bool
	// Gather lets operations of several goroutines share one transaction, and so one flush to the device:
	// with a file that is flushed at each commit, eight workers do several times as much. A caller hears
	// of its operation when the transaction is committed; an operation that fails is done again alone, and
	// so are those that it was gathered with. Other goroutines' reads wait for the transaction where the
	// pool has one connection. It needs transactions.
	Gather bool
	// Parts is for the lab; nil is the reference.
	Parts *Parts
}

// A Queue is safe for use by several goroutines. Several processes may open the same file.
type Queue struct {
	db    *sql.DB
	parts *Parts
	steps Steps
	calls bool // the driver takes a Call

	mu         sync.Mutex // guards statements
	statements map[string]statement
	gather     *gatherer // nil: each operation by itself
}

type statement struct {
	prepared *sql.Stmt
	args     []string
}

// Open makes the queue's table where it is missing and brings one of an older version to SchemaVersion.
// It is [ErrNewerSchema] when a newer version of this package has written the database, and
// [ErrOtherTable] when a table job is there that is not a queue's; both leave the database as it is.
// Close the Queue before db.
func Open(ctx context.Context, db *sql.DB, options Options) (*Queue, error) {
	if options.Gather && options.NoTransactions {
		return nil, errors.New("queue: Gather needs transactions")
	}
	parts := options.Parts
	if parts == nil {
		parts = ReferenceParts()
	}
	if err := migrate(ctx, db, parts, options.NoTransactions); err != nil {
		return nil, err
	}
	q := &Queue{db: db, parts: parts, steps: parts.Steps, calls: takesCalls(db), statements: make(map[string]statement, len(names))}
	if options.Gather {
		// In a transaction there may be no connection left to prepare with.
		if err := q.Prepare(ctx); err != nil {
			return nil, errors.Join(err, q.Close())
		}
		q.gather = &gatherer{}
	}
	return q, nil
}

// The statements of a Queue.
var names = []string{
	"insert", "existing", "bury", "lease", "peek", "lease_it", "postpone", "complete", "fail", "extend", "requeue",
	"stats", "purge", "job", "jobs",
}

// Prepare prepares every statement. Without it each is prepared when it is first used, which makes a
// queue that does little cheap to open.
func (q *Queue) Prepare(ctx context.Context) error {
	for _, name := range names {
		if _, err := q.statement(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// statement is a prepared statement.
func (q *Queue) statement(ctx context.Context, name string) (statement, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s, ok := q.statements[name]; ok {
		return s, nil
	}
	text, args, err := q.parts.Compile(name)
	if err != nil {
		return statement{}, err
	}
	prepared, err := q.db.PrepareContext(ctx, text)
	if err != nil {
		return statement{}, fmt.Errorf("queue: statement %q: %w", name, err)
	}
	s := statement{prepared, args}
	q.statements[name] = s
	return s, nil
}

// Close releases the prepared statements. It does not close the database.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var errs []error
	for _, s := range q.statements {
		errs = append(errs, s.prepared.Close())
	}
	clear(q.statements)
	return errors.Join(errs...)
}

// arg is a named parameter of a statement.
type arg struct {
	name  string
	value any
}

// bind puts the arguments in the order of the statement's parameters. A mutant's statement may use
// fewer of them.
func (s statement) bind(args []arg) ([]any, error) {
	values := make([]any, len(s.args))
next:
	for i, name := range s.args {
		for _, a := range args {
			if a.name == name {
				values[i] = a.value
				continue next
			}
		}
		return nil, fmt.Errorf("queue: no argument %q", name)
	}
	return values, nil
}

// A run is how the statements of one operation are run: each by itself, or in a transaction with other
// operations.
type run struct {
	q   *Queue
	tx  *sql.Tx // nil: each by itself
	ctx context.Context
}

// write does an operation that changes the database. f may be run more than once.
func (q *Queue) write(ctx context.Context, f func(run) error) error {
	if q.gather != nil {
		return q.gather.do(ctx, q, f)
	}
	return f(run{q: q, ctx: ctx})
}

func (q *Queue) read(ctx context.Context) run { return run{q: q, ctx: ctx} }

// statement is a prepared statement with its parameters' values.
func (r run) statement(name string, args []arg) (*sql.Stmt, []any, error) {
	s, err := r.q.statement(r.ctx, name)
	if err != nil {
		return nil, nil, err
	}
	values, err := s.bind(args)
	if err != nil {
		return nil, nil, err
	}
	if r.tx != nil {
		return r.tx.StmtContext(r.ctx, s.prepared), values, nil
	}
	return s.prepared, values, nil
}

// row runs a statement that returns at most one row, and reports whether it did. It steps the
// statement to its end, so that the error of an implicit commit is not lost.
func (r run) row(name string, args []arg, to ...any) (found bool, err error) {
	if r.q.calls {
		call := &Call{To: to}
		_, err = r.call(name, args, call)
		return call.Found && err == nil, err
	}
	err = r.rows(name, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(to...)
	})
	return found && err == nil, err
}

// rows runs a statement and calls each for every row.
func (r run) rows(name string, args []arg, each func(*sql.Rows) error) error {
	s, values, err := r.statement(name, args)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(r.ctx, values...)
	if err != nil {
		return r.told(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return r.told(err)
		}
	}
	if err := rows.Err(); err != nil {
		return r.told(err)
	}
	return r.told(rows.Close())
}

// told adds the end of the context to an error that comes from it, which a driver may call an
// interruption.
func (r run) told(err error) error {
	if err != nil && r.ctx.Err() != nil && !errors.Is(err, r.ctx.Err()) {
		return fmt.Errorf("%w: %w", context.Cause(r.ctx), err)
	}
	return err
}

// call runs a statement in one call of the driver.
func (r run) call(name string, args []arg, call *Call) (sql.Result, error) {
	s, values, err := r.statement(name, args)
	if err != nil {
		return nil, err
	}
	call.Args = values
	result, err := s.ExecContext(r.ctx, call)
	return result, r.told(err)
}

// exec runs a statement that returns no rows, and says how many it changed: exactly 0 when it changed
// none. In some homes the rows that triggers change count too.
func (r run) exec(name string, args []arg) (int64, error) {
	if r.q.calls {
		result, err := r.call(name, args, &Call{})
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	s, values, err := r.statement(name, args)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(r.ctx, values...)
	if err != nil {
		return 0, r.told(err)
	}
	return result.RowsAffected()
}
