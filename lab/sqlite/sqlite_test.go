package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

// A way runs a prepared statement to its end: in a call, or as database/sql has it.
type way func(ctx context.Context, s *sql.Stmt, args, to []any) (found bool, changed int64, err error)

func inACall(ctx context.Context, s *sql.Stmt, args, to []any) (bool, int64, error) {
	call := &queue.Call{Args: args, To: to, Found: true}
	result, err := s.ExecContext(ctx, call)
	if err != nil {
		return call.Found, 0, err
	}
	n, err := result.RowsAffected()
	return call.Found, n, err
}

func plainly(ctx context.Context, s *sql.Stmt, args, to []any) (found bool, changed int64, err error) {
	if len(to) == 0 {
		result, err := s.ExecContext(ctx, args...)
		if err != nil {
			return false, 0, err
		}
		changed, err = result.RowsAffected()
		return false, changed, err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return false, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		found = true
		if err := rows.Scan(to...); err != nil {
			return true, 0, err
		}
	}
	return found, 0, errors.Join(rows.Err(), rows.Close())
}

// newDB is a database of one connection that waits for no lock, with a second one beside it.
func newDB(t *testing.T, open func(string) (*sql.DB, error)) (db, other *sql.DB) {
	t.Helper()
	name := "/" + strings.ReplaceAll(t.Name(), "/", "-")
	memdb.Create(name[1:], nil)
	t.Cleanup(func() { memdb.Delete(name[1:]) })
	connect := func(open func(string) (*sql.DB, error)) *sql.DB {
		db, err := open("file:" + strings.ReplaceAll(name, "#", "%23") + "?vfs=memdb&_pragma=busy_timeout(0)&_pragma=foreign_keys(on)")
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { db.Close() })
		return db
	}
	db, other = connect(open), connect(plain)
	if _, err := db.Exec(`
		CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT, parent INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED,
			CONSTRAINT not_thirteen CHECK (n <> 13)) STRICT;
		INSERT INTO t (n, s) VALUES (1, 'one'), (2, NULL)`); err != nil {
		t.Fatal(err)
	}
	return db, other
}

func plain(dsn string) (*sql.DB, error) { return sql.Open("sqlite3", dsn) }

func prepare(t *testing.T, db *sql.DB, query string) *sql.Stmt {
	t.Helper()
	s, err := db.Prepare(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// endsAfter is a context that has ended when it is asked for the n-th time. Nobody is woken by it.
type endsAfter struct {
	context.Context
	n int
}

func (c *endsAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestACallDoesWhatDatabaseSQLDoes runs statements both ways: rows, values, changes and errors are the
// same, and afterwards the statement can be run again and the table is the same.
func TestACallDoesWhatDatabaseSQLDoes(t *testing.T) {
	const long = `WITH RECURSIVE c (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM c LIMIT 1000000) SELECT count(*) FROM c`
	type makes func() []any
	to := func(kinds ...any) makes {
		return func() (to []any) {
			for _, k := range kinds {
				to = append(to, reflect.New(reflect.TypeOf(k)).Interface())
			}
			return to
		}
	}
	whole, text, yes, null := int64(0), "", false, sql.NullString{}
	for _, c := range []struct {
		name  string
		query string
		args  []any
		to    makes
		ctx   func() context.Context
		lock  bool  // another connection holds the lock
		is    error // nil: there is no error
		fails bool  // with an error whose words may differ
	}{
		{name: "the largest numbers", query: `SELECT ?1, ?2, ?3`, args: []any{int64(math.MaxInt64), int64(math.MinInt64), 7}, to: to(whole, whole, whole)},
		{name: "texts", query: `SELECT ?1, ?2, ?3`, args: []any{"", "a\x00b\xff", "2024-05-06T07:08:09.1Z"}, to: to(text, text, text)},
		{name: "a long text", query: `SELECT ?1`, args: []any{strings.Repeat("x", 70000)}, to: to(text)},
		{name: "truth", query: `SELECT 1 = 1, 1 = 2`, to: to(yes, yes)},
		{name: "NULL and text where NULL may be", query: `SELECT s, (SELECT s FROM t WHERE n = ?1) FROM t WHERE n = ?2`, args: []any{1, 2}, to: to(null, null)},
		{name: "a number where NULL may be", query: `SELECT 7, 7.5, x'4142'`, to: to(null, null, null)},
		{name: "an argument too few", query: `SELECT ?1, ?2`, args: []any{1}, to: to(null, null)},
		{name: "no row", query: `SELECT n FROM t WHERE n = ?1`, args: []any{99}, to: to(whole)},
		{name: "the last of several rows", query: `SELECT n FROM t ORDER BY n`, to: to(whole)},
		{name: "changes", query: `UPDATE t SET s = ?1`, args: []any{"x"}},
		{name: "no change", query: `UPDATE t SET s = ?1 WHERE n = ?2`, args: []any{"x", 99}},
		{name: "no change by a conflict", query: `INSERT INTO t (n) VALUES (?1) ON CONFLICT DO NOTHING`, args: []any{1}},
		{name: "a change that answers", query: `UPDATE t SET s = ?1 WHERE n = 1 RETURNING n, s`, args: []any{"x"}, to: to(whole, text)},
		{name: "a parameter used twice", query: `SELECT ?1, ?1`, args: []any{"x"}, to: to(text, text)},

		{name: "a broken CHECK", query: `INSERT INTO t (n) VALUES (?1)`, args: []any{13}, is: sqlite3.CONSTRAINT_CHECK},
		{name: "a row that is there", query: `INSERT INTO t (n) VALUES (?1)`, args: []any{1}, is: sqlite3.CONSTRAINT_PRIMARYKEY},
		{name: "a commit that fails", query: `INSERT INTO t (n, parent) VALUES (?1, 99)`, args: []any{5}, is: sqlite3.CONSTRAINT_FOREIGNKEY},
		{name: "a commit that fails after a row", query: `INSERT INTO t (n, parent) VALUES (?1, 99) RETURNING n`, args: []any{5}, to: to(whole), is: sqlite3.CONSTRAINT_FOREIGNKEY},
		{name: "a lock", query: `UPDATE t SET s = ?1`, args: []any{"x"}, lock: true, is: sqlite3.BUSY},
		{name: "a lock, and a row is wanted", query: `UPDATE t SET s = ?1 RETURNING n`, args: []any{"x"}, to: to(whole), lock: true, is: sqlite3.BUSY},
		{name: "an ended context", query: `UPDATE t SET s = ?1`, args: []any{"x"}, ctx: func() context.Context {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx
		}, is: context.Canceled},
		{name: "a context that ends before the statement", query: `UPDATE t SET s = ?1`, args: []any{"x"},
			ctx: func() context.Context { return &endsAfter{context.Background(), 0} }, is: sqlite3.INTERRUPT},
		{name: "a context that ends meanwhile", query: long, args: []any{1}, to: to(whole),
			ctx: func() context.Context { return &endsAfter{context.Background(), 20} }, is: sqlite3.INTERRUPT},

		{name: "NULL where a number is wanted", query: `SELECT NULL`, to: to(whole), fails: true},
		{name: "NULL where text is wanted", query: `SELECT NULL`, to: to(text), fails: true},
		{name: "NULL where truth is wanted", query: `SELECT NULL`, to: to(yes), fails: true},
		{name: "text where a number is wanted", query: `SELECT 'x'`, to: to(whole), fails: true},
		{name: "a broken number where a whole one is wanted", query: `SELECT 1.5`, to: to(whole), fails: true},
		{name: "2 where truth is wanted", query: `SELECT 2`, to: to(yes), fails: true},
		{name: "an argument beyond the last", query: `SELECT 1`, args: []any{1}, to: to(whole), fails: true},
		{name: "too few arguments where they are counted", query: `SELECT ?, ?`, args: []any{1}, to: to(null, null), fails: true},
		{name: "too many arguments", query: `UPDATE t SET s = ?1`, args: []any{"x", "y"}, fails: true},
		{name: "too few columns", query: `SELECT 1`, to: to(whole, whole), fails: true},
		{name: "too many columns", query: `SELECT 1, 2`, to: to(whole), fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var outcomes []string
			for _, home := range []struct {
				name string
				open func(string) (*sql.DB, error)
				way  way
			}{{"a call", sqlite.Open, inACall}, {"database/sql on this driver", sqlite.Open, plainly}, {"database/sql", plain, plainly}} {
				t.Run(home.name, func(t *testing.T) {
					db, other := newDB(t, home.open)
					s := prepare(t, db, c.query)
					ctx := context.Background()
					if c.ctx != nil {
						ctx = c.ctx()
					}
					var lock *sql.Tx
					if c.lock {
						var err error
						if lock, err = other.Begin(); err != nil { // immediate
							t.Fatal(err)
						}
					}
					var into []any
					if c.to != nil {
						into = c.to()
					}
					found, changed, err := home.way(ctx, s, c.args, into)
					if c.lock {
						lock.Rollback()
					}
					if !errors.Is(err, c.is) && !c.fails || (err != nil) != (c.is != nil || c.fails) {
						t.Errorf("the error is %v, want %v", err, c.is)
					}
					var out strings.Builder
					switch {
					case c.fails: // in words of its own
					case err != nil:
						fmt.Fprint(&out, err)
					case len(into) > 0:
						fmt.Fprint(&out, found)
						for _, v := range into {
							fmt.Fprintf(&out, " %q", fmt.Sprint(reflect.ValueOf(v).Elem()))
						}
					default:
						fmt.Fprint(&out, changed)
					}
					var table string
					if err := db.QueryRow(`SELECT group_concat(n || ifnull(s, '-'), ' ') FROM t`).Scan(&table); err != nil {
						t.Error(err)
					}
					outcomes = append(outcomes, out.String()+" | "+table)
					// Once more, undisturbed: what holds a lock or a row would show.
					if c.is != nil && !c.fails && c.query != long {
						_, _, again := home.way(context.Background(), s, c.args, into)
						if wrong := errors.Is(c.is, sqlite3.CONSTRAINT); wrong != (again != nil) {
							t.Errorf("the second time: %v", again)
						}
						if _, err := other.Exec(`INSERT INTO t (n) VALUES (100)`); err != nil {
							t.Errorf("afterwards another cannot write: %v", err)
						}
					}
				})
			}
			for _, o := range outcomes[1:] {
				if o != outcomes[0] {
					t.Errorf("the outcomes differ: %q", outcomes)
					break
				}
			}
		})
	}
}

func TestACallBelongsToItsTransaction(t *testing.T) {
	db, _ := newDB(t, sqlite.Open)
	s := prepare(t, db, `UPDATE t SET s = ?1 WHERE n = 1 RETURNING s`)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if found, _, err := inACall(t.Context(), tx.Stmt(s), []any{"changed"}, []any{&got}); !found || err != nil || got != "changed" {
		t.Errorf("%v %v %q", found, err, got)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(`SELECT s FROM t WHERE n = 1`).Scan(&got); err != nil || got != "one" {
		t.Errorf("after the rollback it is %q, %v", got, err)
	}
	if _, _, err := inACall(t.Context(), tx.Stmt(s), []any{"x"}, nil); !errors.Is(err, sql.ErrTxDone) {
		t.Errorf("in an ended transaction: %v", err)
	}
}

func TestTheEndOfACallsContextIsNotItsTransactions(t *testing.T) {
	db, _ := newDB(t, sqlite.Open)
	s := prepare(t, db, `UPDATE t SET s = ?1 WHERE n = 1`)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := inACall(&endsAfter{context.Background(), 0}, tx.Stmt(s), []any{"x"}, nil); !errors.Is(err, sqlite3.INTERRUPT) {
		t.Error(err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
}

// TestACallKeepsNoArguments: an argument that is not given is NULL, also after a run with one.
func TestACallKeepsNoArguments(t *testing.T) {
	db, _ := newDB(t, sqlite.Open)
	s := prepare(t, db, `SELECT ?1`)
	for _, args := range [][]any{{"x"}, nil} {
		var got sql.NullString
		if found, _, err := inACall(t.Context(), s, args, []any{&got}); !found || err != nil || got.Valid != (args != nil) {
			t.Errorf("%q: %v %v %v", args, found, err, got)
		}
	}
}

func TestACallOnAClosedDatabaseIsAnError(t *testing.T) {
	for _, open := range []func(string) (*sql.DB, error){sqlite.Open, plain} {
		t.Run("", func(t *testing.T) {
			db, _ := newDB(t, open)
			s := prepare(t, db, `UPDATE t SET s = 'x'`)
			db.Close()
			way := plainly
			if _, ok := db.Driver().(queue.Caller); ok {
				way = inACall
			}
			if _, _, err := way(t.Context(), s, nil, nil); err == nil || err.Error() != "sql: database is closed" {
				t.Error(err)
			}
		})
	}
}

func TestABadDataSourceNameIsAnError(t *testing.T) {
	if _, err := sqlite.Open("file:x?_txlock=never"); err == nil {
		t.Error("opened")
	}
	db, err := sqlite.Open("file:/nowhere/at/all.db?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(); !errors.Is(err, sqlite3.CANTOPEN) {
		t.Error(err)
	}
}
