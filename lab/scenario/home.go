package scenario

import (
	"context"
	"database/sql"
)

// A Home makes empty databases for subjects: in memory, in files, on OPFS, on D1. Each is a package of
// its own, so that a program holds no engine that it does not use.
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
