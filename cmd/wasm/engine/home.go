//go:build js

package main

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
	"retrylab/lab/memory"
	"retrylab/lab/opfs"
	"retrylab/lab/sqlite"
)

// patience is how long the engine waits for the one before it to be gone, before it says that the lab
// is open elsewhere: a worker that was ended in the middle of its work takes up to two seconds.
const patience = 2500 * time.Millisecond

// start opens the lab's database and makes the engine on it. It waits as long as another tab has the
// lab open.
func start(ctx context.Context) (*engine.Engine, ask.Notice) {
	notice := ask.Notice{State: ask.Ready, Home: ask.OPFS, SQLite: sqliteVersion()}
	e, why, err := onDevice(ctx)
	if err == nil {
		return e, notice
	}
	notice.Home, notice.Why, notice.Detail = ask.Memory, why, err.Error()
	if e, err = engine.New(ctx, inMemory{}); err != nil {
		panic(err) // nothing is left to try: the page tells of an engine that does not start
	}
	return e, notice
}

func onDevice(ctx context.Context) (e *engine.Engine, why string, err error) {
	base := os.Getenv("BASE") // of the site: two courses on one host do not share a database
	fs, err := opfs.Open(opfs.DirName("retrylab", base))
	if errors.Is(err, opfs.ErrAbsent) {
		return nil, ask.NoOPFS, err
	}
	if err != nil {
		return nil, ask.Refused, err
	}
	release, err := opfs.Hold("retrylab "+base+" engine", patience, func() { postNotice(ask.Notice{State: ask.Elsewhere}) })
	if err != nil {
		return nil, ask.Refused, err
	}
	fs.Patience = 10 * time.Second
	fs.Gather = true // every database here is opened with opfs.DSN
	vfs.Register("opfs", fs)
	if e, err = engine.New(ctx, onOPFS{fs}); err != nil {
		release() // another version of the site may know what to do with it
		return nil, engine.Why(err), err
	}
	return e, "", nil
}

// onOPFS is the home on the device.
type onOPFS struct{ fs *opfs.FS }

func (onOPFS) Name() string { return ask.OPFS }

func (onOPFS) Connect(database string) (*sql.DB, error) {
	db, err := sqlite.Open(opfs.DSN("opfs", database))
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func (h onOPFS) Remove(database string) error { return h.fs.Remove(database) }

// inMemory is the home of a lab that is gone with its tab. Small pages are less to keep for a rollback.
type inMemory map[string]*memory.Kept

func (inMemory) Name() string { return ask.Memory }

func (h inMemory) Connect(database string) (*sql.DB, error) {
	kept := h[database]
	if kept == nil {
		var err error
		if kept, err = memory.Keep("_pragma=locking_mode(exclusive)&_pragma=page_size(1024)&_pragma=foreign_keys(on)&_txlock=immediate"); err != nil {
			return nil, err
		}
		h[database] = kept
	}
	return kept.Open(), nil
}

func (h inMemory) Remove(database string) error {
	kept := h[database]
	if kept == nil {
		return nil
	}
	delete(h, database)
	return kept.Remove()
}

func sqliteVersion() string {
	c, err := sqlite3.Open(":memory:")
	if err != nil {
		return ""
	}
	defer c.Close()
	s, _, err := c.Prepare(`SELECT sqlite_version()`)
	if err != nil {
		return ""
	}
	defer s.Close()
	s.Step()
	return s.ColumnText(0)
}
