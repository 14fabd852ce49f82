package file_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"retrylab/lab/file"
	"retrylab/lab/scenario"
)

func TestTheConnectionIsDurableAndChecked(t *testing.T) {
	for _, name := range []string{"lab.db", "with space.db", "q?m#h%41&.db", "ünï.db", "a:b.db"} {
		path := filepath.Join(t.TempDir(), name)
		db, err := file.Open(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000", "journal_size_limit": "8388608", "page_size": "2048", "wal_autocheckpoint": "2000"} {
			var got string
			if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %q, want %q: %v", pragma, got, want, err)
			}
		}
		if _, err := db.Exec(`CREATE TABLE a(x) STRICT`); err == nil {
			t.Error("a column without a type in a STRICT table is accepted")
		}
		if _, err := db.Exec(`CREATE TABLE a(x)`); err != nil {
			t.Error(err)
		}
		if n := db.Stats().MaxOpenConnections; n != 1 {
			t.Errorf("%d connections, want 1", n)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: the file has another name: %v", name, err)
		}
		if err := file.Remove(path); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
		if err := file.Remove(path); err != nil {
			t.Errorf("removing what is not there: %v", err)
		}
	}
}

func TestAFileThatCannotBeOpenedSaysWhy(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database ", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"", "no file name"},
		{":memory:", "no file name"},
		{dir, "a folder"},
		{filepath.Join(dir, "missing", "lab.db"), "there is no folder"},
		{text, "no SQLite database"},
	} {
		db, err := file.Open(c.path)
		if err == nil {
			db.Close()
			t.Errorf("%q was opened", c.path)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q in it", c.path, err, c.want)
		}
	}
}

func TestWritersTakeTurns(t *testing.T) {
	db, err := file.Open(filepath.Join(t.TempDir(), "lab.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE a(x)`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for i := range 8 {
		go func() {
			done <- func() error {
				for range 10 {
					tx, err := db.Begin()
					if err != nil {
						return err
					}
					var n int
					if err := tx.QueryRow(`SELECT count(*) FROM a`).Scan(&n); err != nil { // reads first, then writes
						return errors.Join(err, tx.Rollback())
					}
					if _, err := tx.Exec(`INSERT INTO a VALUES (?)`, i); err != nil {
						return errors.Join(err, tx.Rollback())
					}
					if err := tx.Commit(); err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM a`).Scan(&n); err != nil || n != 80 {
		t.Errorf("%d rows, want 80: %v", n, err)
	}
}

func TestAnotherProcessIsSeenAsBusyAtOnce(t *testing.T) {
	d, err := file.Home{Dir: t.TempDir()}.Fresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, two := connect(t, d), connect(t, d)
	if _, err := one.Exec(`CREATE TABLE a(x)`); err != nil {
		t.Fatal(err)
	}
	tx, err := one.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.Exec(`INSERT INTO a VALUES (1)`); !errors.Is(err, sqlite3.BUSY) {
		t.Errorf("a second writer gets %v, want sqlite3.BUSY", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	one.Close()
	two.Close()
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
}

func TestTheLogGrowsOnlyWhileSomebodyReadsAnOldState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.db")
	if n, err := file.LogBytes(path); n != 0 || err != nil {
		t.Errorf("without a file: %d, %v", n, err)
	}
	db, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := db.Exec(`CREATE TABLE a(x BLOB)`); err != nil {
		t.Fatal(err)
	}
	write := func(times int) (log int64) {
		for range times {
			if _, err := db.Exec(`INSERT INTO a VALUES (zeroblob(500000))`); err != nil {
				t.Fatal(err)
			}
		}
		log, err := file.LogBytes(path)
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	if log := write(40); log == 0 || log > file.LogLimit { // 20 MB
		t.Errorf("nobody reads, and the log has %d bytes", log)
	}
	reader, err := other.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if err := reader.QueryRow(`SELECT count(*) FROM a`).Scan(&n); err != nil || n != 40 {
		t.Fatal(n, err)
	}
	if log := write(40); log < 2*file.LogLimit {
		t.Errorf("the test's reader holds nothing up: the log has %d bytes", log)
	}
	if err := reader.QueryRow(`SELECT count(*) FROM a`).Scan(&n); err != nil || n != 40 {
		t.Errorf("the reader sees %d rows, %v", n, err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if log := write(3); log > file.LogLimit {
		t.Errorf("the reader is gone, and the log has %d bytes", log)
	}
}

func connect(t *testing.T, d scenario.Database) *sql.DB {
	t.Helper()
	db, err := d.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
