// Package file opens a database in a file, for programs that run natively.
package file

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/sqlite"
)

// BusyTimeout is how long [Open]'s connection waits for another process's lock.
const BusyTimeout = 10 * time.Second

// LogLimit is what the write-ahead log shrinks to, in bytes, when nobody reads an old state any more. A
// reader that stays, in another program, keeps the log from being started anew, and it grows by what is
// written meanwhile: see [LogBytes].
const LogLimit = 8 << 20

// Open opens the database at path, and makes it when there is none: with a write-ahead log, each
// commit flushed to the device before it is reported (synchronous=full), foreign keys enforced, and
// write transactions that take their lock when they begin.
//
// The pool has one connection. SQLite has one writer at a time, and several connections of one
// process only starve each other; goroutines wait for their turn in the pool instead, which is fair.
//
// The error says what is wrong with the file, and wraps SQLite's.
func Open(path string) (*sql.DB, error) { return open(path, BusyTimeout) }

func open(path string, busy time.Duration) (*sql.DB, error) {
	if path == "" || path == ":memory:" {
		return nil, fmt.Errorf("file: %q is no file name", path)
	}
	register()
	db, err := sqlite.Open(dsn(path, busy))
	if err != nil {
		return nil, fmt.Errorf("file: %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if err := check(db); err != nil {
		return nil, fmt.Errorf("file: %s: %s%w", path, hint(path, err), errors.Join(err, db.Close()))
	}
	return db, nil
}

// vfsName is the name of the VFS that [Open] uses: the operating system's, with [GatherLog].
const vfsName = "retrylab-file"

var register = sync.OnceFunc(func() { vfs.Register(vfsName, GatherLog(vfs.Find("os"))) })

func dsn(path string, busy time.Duration) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	return "file:" + u.EscapedPath() +
		"?vfs=" + vfsName +
		fmt.Sprintf("&_pragma=busy_timeout(%d)", busy.Milliseconds()) + // first: the next one may wait
		"&_pragma=page_size(2048)" + // of a new file: a commit writes whole pages, and rows are small
		"&_pragma=journal_mode(wal)" +
		"&_pragma=synchronous(full)" +
		"&_pragma=foreign_keys(on)" +
		fmt.Sprintf("&_pragma=journal_size_limit(%d)", LogLimit) +
		"&_pragma=wal_autocheckpoint(2000)" + // pages, 4 MB
		"&_txlock=immediate"
}

// check connects, so that what is wrong with the file is said now and not at the first use.
func check(db *sql.DB) error {
	var mode string
	ctx := context.Background()
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system allows no write-ahead log, the journal mode stays %q", mode)
	}
	var objects int64
	return db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&objects)
}

// hint says what to do, where SQLite's words do not.
func hint(path string, err error) string {
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return "this is a folder, a file is needed: "
	}
	if dir := filepath.Dir(path); missing(dir) {
		return fmt.Sprintf("there is no folder %s: ", dir)
	}
	switch {
	case errors.Is(err, sqlite3.NOTADB):
		return "this file is no SQLite database: "
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, os.ErrPermission):
		return "the file, or its folder, may not be written: "
	case errors.Is(err, sqlite3.BUSY):
		return "another process has kept the file locked: "
	}
	return ""
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// LogBytes is the size of the database's write-ahead log; 0 when it has none. One that is much larger
// than LogLimit says that some program keeps a read transaction open.
func LogBytes(path string) (int64, error) {
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Remove deletes a closed database with its log. One that is not there is no error.
func Remove(path string) error {
	var errs []error
	for _, tail := range []string{"-shm", "-wal", "-journal", ""} {
		if err := os.Remove(path + tail); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
