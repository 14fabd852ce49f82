package memory

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"

	"github.com/ncruces/go-sqlite3"
	base "github.com/ncruces/go-sqlite3/driver"

	"retrylab/lab/sqlite"
)

// A Kept is a database in SQLite's own memory, with no file system below it, where a commit copies nothing: a
// cycle of the queue takes an eighth less. Such a database lives in its connection; a Kept holds it while
// nobody is connected.
type Kept struct {
	driver.Connector
	mu   sync.Mutex
	conn conn // nil before the first connection
	used bool
}

// Keep makes an empty database. The settings are those of a data source name: _pragma=foreign_keys(on)&...
func Keep(settings string) (*Kept, error) {
	c, err := sqlite.Connector("file::memory:?" + settings)
	return &Kept{Connector: c}, err
}

// Open is a pool of one connection to the database. While one pool is connected, another gets
// [sqlite3.BUSY]. Closing the pool leaves the database as a process's end does: with what is committed.
func (k *Kept) Open() *sql.DB {
	db := sql.OpenDB(k)
	db.SetMaxOpenConns(1)
	return db
}

// Connect is for database/sql.
func (k *Kept) Connect(ctx context.Context) (driver.Conn, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.used {
		return nil, sqlite3.BUSY
	}
	if k.conn == nil {
		c, err := k.Connector.Connect(ctx)
		if err != nil {
			return nil, err
		}
		k.conn = c.(conn)
	}
	k.used = true
	return &keptConn{k.conn, k}, nil
}

// Remove ends the database. It is sqlite3.BUSY while a pool is connected. (Close would be called by the
// pool's.)
func (k *Kept) Remove() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.used {
		return sqlite3.BUSY
	}
	if k.conn == nil {
		return nil
	}
	c := k.conn
	k.conn = nil
	return c.Close()
}

// conn is what a connection can do.
type conn interface {
	base.Conn
	driver.ExecerContext
	driver.NamedValueChecker
}

type keptConn struct {
	conn
	kept *Kept
}

// Close undoes what is not committed. Database/sql has closed the statements.
func (c *keptConn) Close() (err error) {
	c.kept.mu.Lock()
	defer c.kept.mu.Unlock()
	if raw := c.Raw(); !raw.GetAutocommit() {
		err = raw.Exec(`ROLLBACK`)
	}
	c.kept.used = false
	return err
}
