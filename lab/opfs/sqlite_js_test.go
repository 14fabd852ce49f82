package opfs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/fault"
)

var modes = []string{"wal", "delete", "truncate", "persist"}

// connect opens a database with the pragmas of a journal mode.
func connect(t *testing.T, vfsName, database, mode string) *sqlite3.Conn {
	t.Helper()
	c, err := dial(vfsName, database, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func dial(vfsName, database, mode string) (*sqlite3.Conn, error) {
	dsn := DSN(vfsName, database)
	if mode != "wal" {
		dsn = "file:" + database + "?vfs=" + vfsName + "&_pragma=journal_mode(" + mode + ")&_pragma=synchronous(full)"
	}
	c, err := sqlite3.Open(dsn)
	if err != nil {
		return nil, err
	}
	if got, err := text(c, `PRAGMA journal_mode`); err != nil || got != mode {
		return nil, errors.Join(fmt.Errorf("the journal mode is %q, want %q", got, mode), err, c.Close())
	}
	return c, nil
}

func text(c *sqlite3.Conn, query string) (string, error) {
	s, _, err := c.Prepare(query)
	if err != nil {
		return "", err
	}
	defer s.Close()
	out := ""
	for s.Step() {
		if out != "" {
			out += " "
		}
		out += s.ColumnText(0)
	}
	return out, s.Err()
}

func must(t *testing.T, c *sqlite3.Conn, query string) string {
	t.Helper()
	got, err := text(c, query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return got
}

func register(t *testing.T, name string, v vfs.VFS) {
	vfs.Register(name, v)
	t.Cleanup(func() { vfs.Unregister(name) })
}

func TestTabEachJournalModeKeepsItsData(t *testing.T) {
	fs := room(t)
	register(t, "opfs", fs)
	for _, mode := range modes {
		name := mode + ".db"
		if err := fs.Remove(name); err != nil {
			t.Fatal(err)
		}
		c := connect(t, "opfs", name, mode)
		must(t, c, `CREATE TABLE a(x INTEGER PRIMARY KEY, y TEXT)`)
		must(t, c, `BEGIN; `)
		must(t, c, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000) INSERT INTO a SELECT i, hex(randomblob(50)) FROM n`)
		must(t, c, `COMMIT`)
		must(t, c, `BEGIN`)
		must(t, c, `DELETE FROM a`)
		must(t, c, `ROLLBACK`)
		if err := c.Close(); err != nil {
			t.Fatalf("%s: close: %v", mode, err)
		}
		c = connect(t, "opfs", name, mode)
		if got := must(t, c, `SELECT count(*) || ' ' || max(x) FROM a`); got != "3000 3000" {
			t.Errorf("%s: %s", mode, got)
		}
		must(t, c, `DELETE FROM a WHERE x > 10`)
		must(t, c, `VACUUM`)
		if got := must(t, c, `PRAGMA integrity_check`); got != "ok" {
			t.Errorf("%s: %s", mode, got)
		}
		c.Close()
		for _, tail := range []string{"-wal", "-journal"} {
			there, _ := fs.Access(name+tail, vfs.ACCESS_EXISTS)
			if want := tail == "-journal" && (mode == "persist" || mode == "truncate"); there && !want {
				t.Errorf("%s: %s is left after closing", mode, tail)
			}
		}
		if err := fs.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

func TestTabASecondConnectionIsBusy(t *testing.T) {
	register(t, "opfs", room(t))
	connect(t, "opfs", "one.db", "wal")
	if _, err := dial("opfs", "one.db", "wal"); !errors.Is(err, sqlite3.BUSY) {
		t.Errorf("the second connection gives %v, want sqlite3.BUSY", err)
	}
}

func TestTabADatabaseOutsideIsRefused(t *testing.T) {
	register(t, "opfs", room(t))
	for _, name := range []string{"../one.db", "/one.db", "a/b", "..", "%2e%2e", "a%20b", "ä"} {
		if c, err := sqlite3.Open("file:" + name + "?vfs=opfs"); err == nil {
			c.Close()
			t.Errorf("%s was opened", name)
		}
	}
}

func TestTabTemporaryFilesWork(t *testing.T) {
	register(t, "opfs", room(t))
	c := connect(t, "opfs", "temp.db", "delete")
	must(t, c, `PRAGMA temp_store=file`)
	must(t, c, `PRAGMA cache_size=10`)
	must(t, c, `CREATE TEMP TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20000) SELECT i, hex(randomblob(30)) AS h FROM n`)
	if got := must(t, c, `SELECT count(*) FROM (SELECT h FROM big ORDER BY h)`); got != "20000" {
		t.Error(got)
	}
}

// The workload: transfers between accounts, whose sum never changes, each with a line in a log.
// Half of a transfer is visible as a wrong sum, a lost one as a missing line.

const setUp = `
CREATE TABLE IF NOT EXISTS account(id INTEGER PRIMARY KEY, money INTEGER NOT NULL, pad BLOB) STRICT;
CREATE TABLE IF NOT EXISTS log(n INTEGER PRIMARY KEY) STRICT;
INSERT INTO account SELECT value, 100, randomblob(900) FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value+1 FROM n WHERE value < 40) SELECT value FROM n)
 WHERE NOT EXISTS (SELECT 1 FROM account);`

func transfer(c *sqlite3.Conn, n int) error {
	err := c.Exec(fmt.Sprintf(`BEGIN IMMEDIATE;
UPDATE account SET money = money - %d, pad = randomblob(900) WHERE id = 1 + %d %% 40;
UPDATE account SET pad = randomblob(900) WHERE id %% 3 = %d %% 3;
UPDATE account SET money = money + %d WHERE id = 1 + %d %% 40;
INSERT INTO log VALUES (%d);
COMMIT;`, n, n, n, n, n*7+1, n))
	if err != nil && !c.GetAutocommit() {
		err = errors.Join(err, c.Exec(`ROLLBACK`))
	}
	return err
}

// sound checks the invariants, and returns how many transfers are in the log.
func sound(c *sqlite3.Conn) (int, error) {
	if got, err := text(c, `PRAGMA integrity_check`); got != "ok" || err != nil {
		return 0, fmt.Errorf("integrity_check: %s %v", got, err)
	}
	if got, err := text(c, `SELECT count(*) || ' ' || sum(money) FROM account`); got != "40 4000" || err != nil {
		return 0, fmt.Errorf("accounts and money: %s %v", got, err)
	}
	got, err := text(c, `SELECT count(*) FROM log`)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(got)
	if err != nil {
		return 0, err
	}
	if got, err := text(c, `SELECT ifnull(max(n), 0) FROM log`); got != strconv.Itoa(n) || err != nil {
		return 0, fmt.Errorf("%d lines, the last is %s %v", n, got, err)
	}
	return n, nil
}

func TestTabAFailedOperationLosesNothingAcknowledged(t *testing.T) {
	fs := room(t)
	register(t, "opfs", fs)
	codes := map[string]error{fault.Write: sqlite3.IOERR_WRITE, fault.Sync: sqlite3.IOERR_FSYNC, fault.Truncate: sqlite3.IOERR_TRUNCATE, fault.Delete: sqlite3.IOERR_DELETE, fault.Open: sqlite3.CANTOPEN}
	for _, mode := range []string{"wal", "delete"} {
		for at := 1; at <= 40; at++ {
			fs.Remove("f.db")
			armed, from := false, 0
			register(t, "faulty", fault.Wrap(fs, func(op fault.Op, _ func()) error {
				if !armed {
					from = op.No
				}
				if armed && op.No == from+at {
					return codes[op.Kind]
				}
				return nil
			}))
			c := connect(t, "faulty", "f.db", mode)
			if err := c.Exec(setUp); err != nil {
				t.Fatal(err)
			}
			armed = true
			acknowledged := 0
			failed := false
			for n := 1; n <= 6; n++ {
				err := transfer(c, n)
				if err != nil {
					failed = true
					break
				}
				acknowledged = n
			}
			armed = false
			c.Close()
			c, err := dial("opfs", "f.db", mode)
			if err != nil {
				t.Fatalf("%s, failing at %d: %v", mode, at, err)
			}
			n, err := sound(c)
			if err != nil || n < acknowledged || n > acknowledged+1 || !failed && n != 6 {
				t.Errorf("%s, failing at %d: %d acknowledged, %d there, %v", mode, at, acknowledged, n, err)
			}
			c.Close()
		}
	}
}

// TestLife works until it is killed: at the operation AT when that is set.
func TestLife(t *testing.T) {
	mode := os.Getenv("MODE")
	if mode == "" {
		t.Skip("driven by TestInABrowser")
	}
	fs := crime(t)
	at, _ := strconv.Atoi(os.Getenv("AT"))
	register(t, "dying", fault.Wrap(fs, func(op fault.Op, part func()) error {
		if at > 0 && op.No == at {
			if os.Getenv("TORN") == "true" {
				part()
			}
			fmt.Println("KILL")
			select {}
		}
		return nil
	}))
	c := connect(t, "dying", mode+".db", mode)
	must(t, c, `PRAGMA cache_size=8`) // pages of an open transaction reach the file
	must(t, c, `PRAGMA wal_autocheckpoint=20`)
	if err := c.Exec(setUp); err != nil {
		t.Fatal(err)
	}
	n, err := sound(c)
	if err != nil {
		t.Fatal(err)
	}
	for {
		n++
		if err := transfer(c, n); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("ACK %d\n", n)
	}
}

func TestAfterlife(t *testing.T) {
	mode := os.Getenv("MODE")
	if mode == "" {
		t.Skip("driven by TestInABrowser")
	}
	acknowledged, err := strconv.Atoi(os.Getenv("ACKNOWLEDGED"))
	if err != nil {
		t.Fatal(err)
	}
	fs := crime(t)
	register(t, "opfs", fs)
	c := connect(t, "opfs", mode+".db", mode)
	if err := c.Exec(setUp); err != nil {
		t.Fatal(err)
	}
	n, err := sound(c)
	if err != nil {
		t.Fatal(err)
	}
	// A worker that is ended from outside goes on for up to two seconds, unheard.
	if n < acknowledged || n > acknowledged+1 && os.Getenv("UNHEARD") == "" {
		t.Errorf("%d transfers are there, %d were acknowledged", n, acknowledged)
	}
	// Each life starts anew.
	c.Close()
	if err := fs.Remove(mode + ".db"); err != nil {
		t.Error(err)
	}
}

// crime is the directory that the lives of one mode share.
func crime(t *testing.T) *FS {
	t.Helper()
	fs, err := Open("lives")
	if err != nil {
		t.Fatal(err)
	}
	fs.Patience = 10 * time.Second
	fs.Gather = os.Getenv("GATHER") == "true"
	return fs
}

func TestOwner(t *testing.T) {
	_, err := Hold("the test's lock", 50*time.Millisecond, func() { fmt.Println("ELSEWHERE") })
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("OWNER")
	select {}
}

// TestFullDisk runs under a quota of a few megabytes.
func TestFullDisk(t *testing.T) {
	fs := room(t)
	register(t, "opfs", fs)
	for _, mode := range []string{"wal", "delete"} {
		fs.Remove("full.db")
		c := connect(t, "opfs", "full.db", mode)
		must(t, c, `CREATE TABLE a(x BLOB)`)
		rows := 0
		var err error
		for range 200 {
			if err = c.Exec(`INSERT INTO a VALUES (randomblob(50000))`); err != nil {
				break
			}
			rows++
		}
		if !errors.Is(err, sqlite3.FULL) || rows == 0 {
			t.Errorf("%s: after %d rows: %v, want sqlite3.FULL", mode, rows, err)
		}
		if got := must(t, c, `SELECT count(*) FROM a`); got != strconv.Itoa(rows) {
			t.Errorf("%s: %s rows, %d were acknowledged", mode, got, rows)
		}
		if got := must(t, c, `PRAGMA integrity_check`); got != "ok" {
			t.Errorf("%s: %s", mode, got)
		}
		c.Close()
		if err := fs.Remove("full.db"); err != nil {
			t.Error(err)
		}
	}
}
