// Package sqlite opens SQLite databases with a driver for database/sql that takes a queue's statements in
// one call each ([queue.Call]). In all else it is github.com/ncruces/go-sqlite3/driver: data source names,
// values, transactions, errors.
//
// database/sql asks a statement for the names and the declared types of its columns and converts each value
// by reflection, each time: in a tab that is an eighth of a transition of the queue.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/ncruces/go-sqlite3"
	base "github.com/ncruces/go-sqlite3/driver"

	"retrylab/lab/queue"
)

// Open opens a database by its data source name. Nothing is connected yet.
func Open(dsn string) (*sql.DB, error) {
	c, err := Connector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

// Connector is for [sql.OpenDB].
func Connector(dsn string) (driver.Connector, error) {
	inner, err := (&base.SQLite{}).OpenConnector(dsn)
	return connector{inner}, err
}

type connector struct{ driver.Connector }

func (c connector) Driver() driver.Driver { return caller{c.Connector.Driver()} }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn{inner.(baseConn)}, nil
}

type caller struct{ driver.Driver }

var _ queue.Caller = caller{}

func (caller) TakesCalls() {}

// baseConn is what the base's connection can do.
type baseConn interface {
	base.Conn
	driver.ExecerContext
	driver.NamedValueChecker
}

type conn struct{ baseConn }

func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	inner, err := c.baseConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &stmt{inner.(baseStmt), c.Raw()}, nil
}

// baseStmt is what the base's statement can do, with what it has from [sqlite3.Stmt].
type baseStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
	driver.NamedValueChecker

	BindInt64(param int, value int64) error
	BindText(param int, value string) error
	ClearBindings() error
	Step() bool
	Err() error
	Reset() error
	Columns(to ...any) error
}

type stmt struct {
	baseStmt
	conn *sqlite3.Conn
}

// NumInput is -1 when the arguments are not to be counted. The base does not count parameters with a number,
// which a queue's statements have; one without any must let a call through, too.
func (s *stmt) NumInput() int {
	if n := s.baseStmt.NumInput(); n > 0 {
		return n
	}
	return -1
}

func (s *stmt) CheckNamedValue(arg *driver.NamedValue) error {
	if _, ok := arg.Value.(*queue.Call); ok {
		return nil
	}
	return s.baseStmt.CheckNamedValue(arg)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 1 {
		if call, ok := args[0].Value.(*queue.Call); ok {
			return s.call(ctx, call)
		}
	}
	return s.baseStmt.ExecContext(ctx, args)
}

// call runs the statement to its end, where it commits, and leaves it ready for the next run.
func (s *stmt) call(ctx context.Context, call *queue.Call) (driver.Result, error) {
	call.Found = false
	if old := s.conn.SetInterrupt(ctx); old != ctx {
		defer s.conn.SetInterrupt(old)
	}
	err := s.bind(call.Args)
	for err == nil && s.Step() {
		call.Found = true
		err = s.scan(call.To)
	}
	if err == nil {
		err = s.Err()
	}
	if end := s.Reset(); err == nil {
		err = end
	}
	if end := s.ClearBindings(); err == nil {
		err = end
	}
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(s.conn.Changes()), nil
}

func (s *stmt) bind(args []any) (err error) {
	for i, arg := range args {
		switch v := arg.(type) {
		case int64:
			err = s.BindInt64(i+1, v)
		case int:
			err = s.BindInt64(i+1, int64(v))
		case string:
			err = s.BindText(i+1, v)
		default:
			err = fmt.Errorf("sqlite: a call has no arguments of type %T", arg)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scan puts a row's columns where they are wanted.
func (s *stmt) scan(to []any) error {
	if len(to) == 0 {
		return nil
	}
	values := make([]any, len(to))
	if err := s.Columns(values...); err != nil {
		return fmt.Errorf("sqlite: reading %d columns: %w", len(to), err)
	}
	for i, value := range values {
		var ok bool
		switch to := to[i].(type) {
		case *int64:
			*to, ok = value.(int64)
		case *string:
			*to, ok = value.(string)
		case *bool:
			var n int64
			n, ok = value.(int64)
			*to, ok = n == 1, ok && n&^1 == 0
		case sql.Scanner:
			if err := to.Scan(value); err != nil {
				return fmt.Errorf("sqlite: column %d: %w", i, err)
			}
			ok = true
		}
		if !ok {
			return fmt.Errorf("sqlite: column %d: a %T does not fit into a %T", i, value, to[i])
		}
	}
	return nil
}
