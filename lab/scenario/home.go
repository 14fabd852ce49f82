package scenario

import (
	"context"
	"database/sql"
	"strconv"
	"sync/atomic"

	_ "github.com/ncruces/go-sqlite3/driver" // database/sql's "sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/memdb"
)

// A Home makes empty databases for subjects: in memory, in files, on OPFS, on D1.
type Home interface {
	Fresh(ctx context.Context) (Database, error)
}

// A Database is one database of a Home.
type Database interface {
	// Connect opens the database for one more process: a pool of one connection that waits for no lock.
	Connect(ctx context.Context) (*sql.DB, error)
	// Several says whether several processes may be connected at a time. Where there is only one
	// connection, other processes share it.
	Several() bool
	// Transactions says whether BEGIN works.
	Transactions() bool
	// Remove deletes the database, when nobody is connected any more.
	Remove() error
}

// Memory is the home in memory.
type Memory struct{}

var memoryNames atomic.Int64

// Fresh makes an empty database that several connections share.
func (Memory) Fresh(context.Context) (Database, error) {
	name := "scenario-" + strconv.FormatInt(memoryNames.Add(1), 10)
	memdb.Create(name, nil)
	return memory(name), nil
}

type memory string

func (m memory) Connect(context.Context) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", "file:/"+string(m)+"?vfs=memdb&_pragma=busy_timeout(0)&_pragma=synchronous(off)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func (memory) Several() bool      { return true }
func (memory) Transactions() bool { return true }

func (m memory) Remove() error {
	memdb.Delete(string(m))
	return nil
}
