package queue_test

import (
	"context"
	"database/sql"
	"database/sql/driver"

	base "github.com/ncruces/go-sqlite3/driver"

	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

// A gate is a driver around SQLite's that calls a function before each run of a prepared statement: it
// is how a test comes between two statements of one operation.
type gate struct {
	driver.Connector
	pass func(ctx context.Context, query string)
}

func (g *gate) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := g.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &gatedConn{c.(base.Conn), g}, nil
}

type gatedConn struct {
	base.Conn
	gate *gate
}

func (c *gatedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c *gatedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &gatedStmt{s, query, c.gate}, nil
}

type gatedStmt struct {
	driver.Stmt
	query string
	gate  *gate
}

func (s *gatedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.gate.pass(ctx, s.query)
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (s *gatedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.gate.pass(ctx, s.query)
	return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
}

func (s *gatedStmt) CheckNamedValue(arg *driver.NamedValue) error {
	return s.Stmt.(driver.NamedValueChecker).CheckNamedValue(arg)
}

// gated is one more process on the world's database, with a gate before its statements.
func (w *world) gated() (*sql.DB, *queue.Queue, func(func(query string))) {
	w.Helper()
	connector, err := sqlite.Connector("file:" + w.name + "?vfs=memdb&_pragma=busy_timeout(0)&_pragma=synchronous(off)")
	if err != nil {
		w.Fatalf("%v", err)
	}
	pass := func(string) {}
	db := sql.OpenDB(&gate{connector, func(_ context.Context, query string) { pass(query) }})
	db.SetMaxOpenConns(1)
	q, err := queue.Open(w.Context(), db, queue.Options{Parts: w.parts()})
	if err != nil {
		w.Fatalf("%v", err)
	}
	w.Cleanup(func() {
		q.Close()
		db.Close()
	})
	return db, q, func(f func(string)) { pass = f }
}
