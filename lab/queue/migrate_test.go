package queue_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

// schemaOf is everything that the database declares, and the version.
func schemaOf(w *world, db *sql.DB) string {
	w.Helper()
	rows, err := db.Query(`SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY type, name`)
	if err != nil {
		w.Fatalf("%v", err)
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			w.Fatalf("%v", err)
		}
		out.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return out.String()
}

// open opens the queue anew, as the next program would.
func (w *world) open(options queue.Options) error {
	q, err := queue.Open(w.Context(), w.db, options)
	if err == nil {
		w.q.Close()
		w.q = q
		w.Cleanup(func() { q.Close() })
	}
	return err
}

// older makes the world's database one that the first version of the schema was written into.
func (w *world) older() {
	w.Helper()
	schema, err := os.ReadFile("testdata/schema-1.sql")
	if err != nil {
		w.Fatalf("%v", err)
	}
	w.exec(`DROP TABLE job; DROP TABLE job_count; DROP TABLE job_schema`)
	w.exec(string(schema))
	w.exec(`CREATE TABLE job_schema (version INTEGER NOT NULL PRIMARY KEY) STRICT; INSERT INTO job_schema VALUES (1)`)
	w.exec(bulk + "(" + mixed(2000) + ")")
}

func TestAFileOfTheFirstVersionIsMigrated(t *testing.T) {
	for _, options := range []queue.Options{{}, {NoTransactions: true}} {
		fresh := newWorld(t, nil)
		want := schemaOf(fresh, fresh.db)
		w := newWorld(t, nil)
		w.older()
		before := w.row("job 0") + w.row("job 1") + w.row("job 200") + w.row("job 300")
		if err := w.open(options); err != nil {
			t.Fatal(err)
		}
		if after := w.row("job 0") + w.row("job 1") + w.row("job 200") + w.row("job 300"); after != before {
			t.Errorf("%+v: the rows are\n%s, were\n%s", options, after, before)
		}
		// The table itself keeps the CHECKs that it was made with.
		if got := cutTable(schemaOf(w, w.db)); got != cutTable(want) {
			t.Errorf("%+v: the schema is\n%s, want\n%s", options, got, cutTable(want))
		}
		if s := w.stats(1500); s.Done != 1980 || s.Pending != 10 || s.Leased != 5 || s.Dead != 5 || show(s) != w.count(1500) {
			t.Errorf("%+v: %s, want\n%s", options, show(s), w.count(1500))
		}
		w.enqueue(2000, queue.NewJob{ID: "new", MaxAttempts: 1, Deadline: late})
		for range 10 {
			w.complete(2100, w.claim(2000))
		}
		version := int64(0)
		if err := w.db.QueryRow(`SELECT max(version) FROM job_schema`).Scan(&version); err != nil || version != queue.SchemaVersion {
			t.Errorf("version %d, %v", version, err)
		}
	}
}

// cutTable leaves the table of jobs out of a schema.
func cutTable(schema string) string {
	var out strings.Builder
	for line := range strings.Lines(schema) {
		if !strings.HasPrefix(line, "table job job ") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// A process may die between any two statements where there are no transactions, and the next one goes on.
func TestAHalfMadeSchemaIsFinished(t *testing.T) {
	fresh := newWorld(t, nil)
	want := schemaOf(fresh, fresh.db)
	statements := queue.ReferenceParts().Schema()
	for made := range len(statements) + 1 {
		w := newWorld(t, nil)
		w.exec(`DROP TABLE job; DROP TABLE job_count; DELETE FROM job_schema`)
		for _, statement := range statements[:made] {
			w.exec(statement)
		}
		if made > 0 { // another worker was quicker
			w.exec(`INSERT INTO job (id, payload, max_attempts, available_at, deadline, created_at) VALUES ('a', '', 3, 0, 1000, 0)`)
			w.exec(`UPDATE job SET state = 'done', attempts = 2, claims = 2, done_at = 5`)
		}
		if err := w.open(queue.Options{NoTransactions: true}); err != nil {
			t.Fatalf("after %d statements: %v", made, err)
		}
		if got := schemaOf(w, w.db); got != want {
			t.Errorf("after %d statements the schema is\n%s, want\n%s", made, got, want)
		}
		if s := w.stats(10); made > 0 && (s.Done != 1 || s.Retries != 1) {
			t.Errorf("after %d statements: %+v", made, s)
		}
	}
}

func TestANewerFileIsRefusedAndLeftAsItIs(t *testing.T) {
	for _, options := range []queue.Options{{}, {NoTransactions: true}} {
		w := newWorld(t, nil)
		w.exec(`INSERT INTO job_schema VALUES (?)`, queue.SchemaVersion+1)
		w.exec(`DROP INDEX job_open`)
		before := schemaOf(w, w.db)
		err := w.open(options)
		if !errors.Is(err, queue.ErrNewerSchema) || !strings.Contains(err.Error(), fmt.Sprintf("version %d, known are 1 to %d", queue.SchemaVersion+1, queue.SchemaVersion)) {
			t.Errorf("%+v: %v", options, err)
		}
		if after := schemaOf(w, w.db); after != before {
			t.Errorf("the schema is\n%s, was\n%s", after, before)
		}
	}
}

func TestAnotherTableOfThatNameIsLeftAlone(t *testing.T) {
	for _, options := range []queue.Options{{}, {NoTransactions: true}} {
		w := newWorld(t, nil)
		w.exec(`DROP TABLE job; DROP TABLE job_count; DROP TABLE job_schema; CREATE TABLE job (id INTEGER PRIMARY KEY, title TEXT)`)
		before := schemaOf(w, w.db)
		if err := w.open(options); !errors.Is(err, queue.ErrOtherTable) {
			t.Errorf("%+v: %v", options, err)
		}
		if after := schemaOf(w, w.db); after != before {
			t.Errorf("the schema is\n%s, was\n%s", after, before)
		}
	}
}

func TestAQueueLivesBesideOtherTables(t *testing.T) {
	w := newWorld(t, nil)
	w.exec(`CREATE TABLE orders (id TEXT PRIMARY KEY) STRICT; INSERT INTO orders VALUES ('a')`)
	if err := w.open(queue.Options{}); err != nil {
		t.Fatal(err)
	}
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: 1})
}

func TestProcessesThatOpenANewFileAtOnceMakeItOnce(t *testing.T) {
	for _, options := range []queue.Options{{}, {NoTransactions: true}} {
		w := newWorld(t, nil)
		w.exec(`DROP TABLE job; DROP TABLE job_count; DROP TABLE job_schema`)
		var all sync.WaitGroup
		for range 4 {
			db, err := sqlite.Open("file:" + w.name + "?vfs=memdb&_pragma=busy_timeout(10000)")
			if err != nil {
				t.Fatal(err)
			}
			db.SetMaxOpenConns(1)
			all.Go(func() {
				defer db.Close()
				q, err := queue.Open(t.Context(), db, options)
				if err != nil {
					t.Errorf("%+v: %v", options, err)
					return
				}
				q.Close()
			})
		}
		all.Wait()
		if err := w.open(queue.Options{}); err != nil {
			t.Error(err)
		}
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: 1})
		w.complete(0, w.claim(0))
		if s := w.stats(0); s.Done != 1 {
			t.Errorf("%+v", s)
		}
	}
}
