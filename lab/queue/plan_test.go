package queue_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"retrylab/lab/queue"
)

// large is the size of a large table: 10^6 in "make soak".
var large = rounds(100_000, 1_000_000)

// The columns of a row of the large tables, from i and its state s. Leases end at 2000 to 2999 and
// everything is due at 1000 to 1999.
const bulk = `
INSERT INTO job (id, payload, state, attempts, max_attempts, available_at, deadline, claims, token, lease_until, dead_reason, last_error, created_at, done_at, died_at)
SELECT 'job ' || i, 'x', s, CASE s WHEN 'pending' THEN i % 3 ELSE 1 + i % 3 END, 5, 1000 + i % 1000, 1000000000, 5,
  CASE s WHEN 'leased' THEN 5 END, CASE s WHEN 'leased' THEN 2000 + i % 1000 END, CASE s WHEN 'dead' THEN 'permanent' END, 'no oven', 1000,
  CASE s WHEN 'done' THEN 1500 END, CASE s WHEN 'dead' THEN 1500 END
FROM `

// fill puts rows into the table that come from SQL with the columns i and s.
func (w *world) fill(rows string) {
	w.Helper()
	w.bare(func() { w.exec(bulk + "(" + rows + ")") })
}

// bare does something with the table while its triggers are gone, and lets the queue make them anew as
// it does in a file where it died while it made the schema.
func (w *world) bare(do func()) {
	w.Helper()
	for _, name := range []string{"insert", "done", "delete"} {
		w.exec("DROP TRIGGER job_count_" + name)
	}
	w.exec("DELETE FROM job_count")
	w.exec("DELETE FROM job_schema")
	do()
	q, err := queue.Open(w.Context(), w.db, queue.Options{})
	if err != nil {
		w.Fatalf("%v", err)
	}
	w.q.Close()
	w.q = q
	w.Cleanup(func() { q.Close() })
}

// mixed is n rows of which 99 % are done; the others are pending, leased, leased by workers that died,
// and dead.
func mixed(n int64) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT i, CASE WHEN i %% 100 <> 0 THEN 'done' WHEN i / 100 %% 4 < 2 THEN 'pending' WHEN i / 100 %% 4 = 2 THEN 'leased' ELSE 'dead' END AS s FROM n`, n-1)
}

// steps is what a statement costs, in instructions of SQLite's machine.
func (w *world) steps(name string, values map[string]int64) (steps int) {
	w.Helper()
	text, args, err := queue.ReferenceParts().Compile(name)
	if err != nil {
		w.Fatalf("%v", err)
	}
	c, err := w.db.Conn(w.Context())
	if err != nil {
		w.Fatalf("%v", err)
	}
	defer c.Close()
	err = c.Raw(func(c any) error {
		s, _, err := c.(driver.Conn).Raw().Prepare(text)
		if err != nil {
			return err
		}
		defer s.Close()
		for i, arg := range args {
			if err := s.BindInt64(i+1, values[arg]); err != nil {
				return err
			}
		}
		if err := s.Exec(); err != nil {
			return err
		}
		steps = s.Status(sqlite3.STMTSTATUS_VM_STEP, true)
		return nil
	})
	if err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	return steps
}

// plan is SQLite's plan for a statement, and what is wrong with it.
func plan(t *testing.T, db *sql.DB, name string) (lines, bad []string) {
	t.Helper()
	text, args, err := queue.ReferenceParts().Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query("EXPLAIN QUERY PLAN "+text, make([]any, len(args))...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int64
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
		// A search goes into an index with a value; a scan of a table or an index is one of all rows, and so
		// is a search for all rows of a state.
		if regexp.MustCompile(`^SCAN job|^SEARCH job .*(\(state=\?\)|[^)])$`).MatchString(line) || strings.Contains(line, "TEMP B-TREE") {
			bad = append(bad, line)
		}
	}
	return lines, bad
}

var planned = []string{"insert", "existing", "bury", "lease", "peek", "lease_it", "postpone", "complete", "fail", "extend", "requeue", "stats", "purge", "job", "jobs"}

func TestPlans(t *testing.T) {
	w := newWorld(t, nil)
	w.fill(mixed(10_000))
	for _, analyze := range []string{"", "ANALYZE"} { // SQLite's own statistics may change a plan
		w.exec(analyze)
		for _, name := range planned {
			lines, bad := plan(t, w.db, name)
			if len(bad) > 0 || len(lines) == 0 {
				t.Errorf("%s %s: %v\n  %s", analyze, name, bad, strings.Join(lines, "\n  "))
			}
		}
	}
	// Without its index each of these is a scan or a sort: the test sees one.
	for index, name := range map[string]string{"job_open": "lease", "job_deadline": "bury", "job_last": "bury", "job_done": "purge", "job_dead": "stats"} {
		w := newWorld(t, nil)
		w.exec("DROP INDEX " + index)
		if _, bad := plan(t, w.db, name); len(bad) == 0 {
			t.Errorf("%s without %s is not seen", name, index)
		}
	}
}

func TestAClaimCostsTheSameInALargeTable(t *testing.T) {
	cost := func(n int64) (claim int) {
		w := newWorld(t, nil)
		w.fill(mixed(n))
		for i := range int64(5) {
			values := map[string]int64{"now": 2500 + i, "lease_ms": 1000}
			claim += w.steps("lease", values) + w.steps("bury", values)
		}
		return claim / 5
	}
	small, big := cost(1000), cost(large)
	t.Logf("a claim takes %d instructions in 1000 rows and %d in %d", small, big, large)
	if float64(big) > 1.5*float64(small) {
		t.Errorf("a claim takes %d instructions in 1000 rows and %d in %d", small, big, large)
	}
}

func TestDoneJobsCostStatsNothing(t *testing.T) {
	cost := func(done int64) int {
		w := newWorld(t, nil)
		w.fill(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT i, CASE WHEN i >= 100 THEN 'done' WHEN i %% 3 = 0 THEN 'pending' WHEN i %% 3 = 1 THEN 'leased' ELSE 'dead' END AS s FROM n`, 99+done))
		s := w.stats(2500)
		// 0..99: 34 pending, 33 leased, 33 dead; attempts of the leased and dead are 2 and 3, of the done 1 to 3.
		if s.Pending != 34 || s.Leased != 33 || s.DeadPermanent != 33 || s.Done != done {
			t.Errorf("%+v", s)
		}
		return w.steps("stats", map[string]int64{"now": 2500})
	}
	if small, big := cost(1), cost(large); small != big {
		t.Errorf("stats take %d instructions with 1 done job and %d with %d", small, big, large)
	}
}

func TestCountedFiguresAreTheTables(t *testing.T) {
	check := func(w *world, when string) {
		t.Helper()
		var done, retries int64
		if err := w.db.QueryRow(`SELECT ifnull(sum(state = 'done'), 0), ifnull(sum(max(attempts, 1) - 1), 0) FROM job`).Scan(&done, &retries); err != nil {
			t.Fatal(err)
		}
		if s := w.stats(5000); s.Done != done || s.Retries != retries {
			t.Errorf("%s: done %d and retries %d, counted in the table %d and %d", when, s.Done, s.Retries, done, retries)
		}
	}
	w := newWorld(t, nil)
	w.exec(bulk + "(" + mixed(3000) + ")")
	check(w, "rows put in")
	w.bare(func() { w.exec(`DELETE FROM job WHERE seq % 7 = 0`) })
	check(w, "counted anew")
	w.exec(`UPDATE job SET attempts = attempts % max_attempts + (state IN ('dead', 'leased')) WHERE state <> 'done'`)
	check(w, "attempts changed")
	w.exec(`UPDATE job SET state = 'done', token = NULL, lease_until = NULL, done_at = 3000 WHERE state = 'leased'`)
	check(w, "completed")
	w.exec(`UPDATE job SET state = 'pending', done_at = NULL WHERE state = 'done' AND attempts < max_attempts AND seq % 2`)
	check(w, "revived")
	w.exec(`DELETE FROM job WHERE state = 'dead' OR seq % 5 = 0`)
	check(w, "deleted")
	if _, err := w.q.Purge(t.Context(), 9000); err != nil {
		t.Fatal(err)
	}
	check(w, "purged")
	if s := w.stats(5000); s.Done != 0 {
		t.Errorf("%d done after the purge", s.Done)
	}
}
