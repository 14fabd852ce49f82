package queue

import (
	"database/sql"
	"database/sql/driver"
)

// A Call is one run of a statement, from its arguments to its end, as the one argument of a prepared
// statement's ExecContext. A driver that takes calls does in one go what database/sql needs several for: it
// binds, steps to the end, and puts the columns of a row where they are wanted. The connection's pool,
// transactions, contexts and errors stay database/sql's. The result is the number of rows changed.
type Call struct {
	Args  []any // of the parameters ?1, ?2, ...: int64, int or string; NULL where there are fewer
	To    []any // for the columns of a row: *int64, *string, *bool or [database/sql.Scanner]
	Found bool  // there was a row; of several rows To has the last
}

// A Caller is a driver whose prepared statements take a *Call, too. [Open] asks the database's driver: the
// home decides, by how it opens a database (package lab/sqlite).
type Caller interface {
	driver.Driver
	TakesCalls()
}

var takesCalls = func(db *sql.DB) bool {
	_, ok := db.Driver().(Caller)
	return ok
}
