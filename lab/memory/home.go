// Package memory makes databases in memory: real SQLite that is gone with its process.
package memory

import (
	"context"
	"database/sql"
	"strconv"
	"sync/atomic"

	_ "github.com/ncruces/go-sqlite3/driver" // database/sql's "sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/scenario"
	"retrylab/lab/sqlite"
)

// A Home makes databases for scenarios.
type Home struct {
	// Plain takes SQLite's driver as it is, not package sqlite's: the queue does the same with both.
	Plain bool
}

var names atomic.Int64

// Fresh makes an empty database that several connections share.
func (h Home) Fresh(context.Context) (scenario.Database, error) {
	name := "scenario-" + strconv.FormatInt(names.Add(1), 10)
	memdb.Create(name, nil)
	return database{name, h.Plain}, nil
}

// A database is one by its name among those in memory.
type database struct {
	name  string
	plain bool
}

// Connect opens the database for one more process, which waits for no lock.
func (d database) Connect(context.Context) (*sql.DB, error) {
	open := sqlite.Open
	if d.plain {
		open = func(dsn string) (*sql.DB, error) { return sql.Open("sqlite3", dsn) }
	}
	db, err := open("file:/" + d.name + "?vfs=memdb&_pragma=busy_timeout(0)&_pragma=synchronous(off)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func (database) Several() bool      { return true }
func (database) Transactions() bool { return true }

func (d database) Remove() error {
	memdb.Delete(d.name)
	return nil
}
