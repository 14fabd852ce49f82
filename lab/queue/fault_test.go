package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/fault"
	"retrylab/lab/file"
	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/sqlite"
)

// A life is a long scenario that is done operation by operation, until one fails.
type life struct {
	q      *queue.Queue
	claims []queue.Claim
	// table is what the table was after the latest operation, and half what it was between the two
	// statements of a claim.
	table, half string
}

// ops are the life's operations.
func ops() (list []func(l *life) error) {
	ctx := context.Background()
	add := func(f func(l *life) error) { list = append(list, f) }
	enqueue := func(now int64, id string, size int, max, deadline int64) {
		add(func(l *life) error {
			_, err := l.q.Enqueue(ctx, now, queue.NewJob{ID: id, Payload: strings.Repeat("x", size), MaxAttempts: max, Deadline: deadline})
			return err
		})
	}
	claim := func(now int64) {
		add(func(l *life) error {
			c, ok, err := l.q.Claim(ctx, now, lease)
			if err == nil && ok {
				l.claims = append(l.claims, c)
			}
			return err
		})
	}
	latest := func(f func(l *life, c queue.Claim) error) {
		add(func(l *life) error { return f(l, l.claims[len(l.claims)-1]) })
	}
	for round := range int64(3) {
		t := round * 10_000
		for i := range int64(3) {
			enqueue(t, fmt.Sprintf("job %d.%d", round, i), int(i*3000), 2, t+50_000)
		}
		enqueue(t, fmt.Sprintf("job %d.0", round), 0, 2, 1)   // again
		enqueue(t, fmt.Sprint("short ", round), 10, 3, t+500) // dies unsent
		claim(t)
		latest(func(l *life, c queue.Claim) error { return l.q.Complete(ctx, t+1, c.Token) })
		claim(t + 2)
		latest(func(l *life, c queue.Claim) error {
			_, err := l.q.Fail(ctx, t+3, c, retryable, backoff)
			return err
		})
		claim(t + 600) // buries the short one
		latest(func(l *life, c queue.Claim) error {
			_, err := l.q.Extend(ctx, t+700, c.Token, lease)
			return err
		})
		latest(func(l *life, c queue.Claim) error {
			_, err := l.q.Fail(ctx, t+710, c, permanent, backoff)
			return err
		})
		claim(t + 800)  // its worker dies
		claim(t + 3000) // and it is taken over
		latest(func(l *life, c queue.Claim) error {
			if err := l.q.Complete(ctx, t+3001, l.claims[len(l.claims)-2].Token); !errors.Is(err, queue.ErrLeaseLost) {
				return err
			}
			return nil
		})
		claim(t + 6000) // the budget is used up: buried
		add(func(l *life) error {
			return l.q.Requeue(ctx, t+6001, fmt.Sprint("short ", round), 4, t+60_000)
		})
		if round > 0 {
			add(func(l *life) error { _, err := l.q.Purge(ctx, t-10_000); return err })
		}
	}
	return list
}

// live does the operations from the first one on, and says how many were reported as done.
func (l *life) live(list []func(*life) error) (done int, err error) {
	for _, op := range list {
		if err := op(l); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// tableOf is the table's whole content.
func tableOf(db *sql.DB) (string, error) {
	rows, err := db.Query(`SELECT ` + lineColumns + `, length(payload) FROM job ORDER BY seq`)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var l line
		var size int64
		if err := rows.Scan(append(l.columns(), &size)...); err != nil {
			return "", err
		}
		fmt.Fprintln(&out, l, size)
	}
	return out.String(), rows.Err()
}

// A stage is where a life is played: how a database is opened there.
type stage struct {
	vfs string
	dsn string // with %s for the VFS
}

func (s stage) open() (*sql.DB, *queue.Queue, error) {
	db, err := sqlite.Open(fmt.Sprintf(s.dsn, s.vfs))
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	q, err := queue.Open(context.Background(), db, queue.Options{})
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, q, nil
}

// tables are what the table is after each operation of an undisturbed life, the empty table first, and
// what it is in the middle of each: a claim may have leased and not yet buried.
func tables(t tb, s func() stage) (after, middle []string) {
	list := ops()
	// play does the first operations, and the one after them without burying.
	play := func(first int, bury bool) string {
		s := s()
		db, q, err := s.open()
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer db.Close()
		defer q.Close()
		l := &life{q: q}
		if done, err := l.live(list[:first]); err != nil {
			t.Fatalf("operation %d: %v", done, err)
		}
		if !bury {
			parts := queue.ReferenceParts()
			if err := parts.Edit("bury", "LIMIT 1000", "LIMIT 0"); err != nil {
				t.Fatalf("%v", err)
			}
			if l.q, err = queue.Open(context.Background(), db, queue.Options{Parts: parts}); err != nil {
				t.Fatalf("%v", err)
			}
			defer l.q.Close()
			if err := list[first](l); err != nil {
				t.Fatalf("operation %d: %v", first, err)
			}
		}
		table, err := tableOf(db)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return table
	}
	buries := 0
	for i := range list {
		after, middle = append(after, play(i, true)), append(middle, play(i, false))
	}
	after = append(after, play(len(list), true))
	for i := range list {
		if middle[i] != after[i] && middle[i] != after[i+1] {
			buries++
		}
	}
	if buries < 3 {
		t.Fatalf("only %d operations have a middle", buries)
	}
	return after, middle
}

// found checks what is found after a fault: a sound database, and the table as it was after the
// operations that were reported as done, or also after the one that was under way.
func found(s stage, after, middle []string, done int) error {
	db, err := sqlite.Open(fmt.Sprintf(s.dsn, s.vfs))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if done < 2 { // later the schema is there
		q, err := queue.Open(context.Background(), db, queue.Options{})
		if err != nil {
			return fmt.Errorf("opening it again: %w", err)
		}
		defer q.Close()
	}
	var sound string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
		return fmt.Errorf("integrity_check: %s %v", sound, err)
	}
	table, err := tableOf(db)
	if err != nil {
		return err
	}
	if table != after[done] && (done == len(middle) || table != middle[done] && table != after[done+1]) {
		return fmt.Errorf("the table after operation %d is\n%s, want\n%s", done, table, after[done])
	}
	var wrong int64
	if err := db.QueryRow(`SELECT done <> (SELECT count(*) FROM job WHERE state = 'done') OR retries <> (SELECT ifnull(sum(max(attempts, 1) - 1), 0) FROM job WHERE state = 'done') FROM job_count WHERE (SELECT count(*) FROM job) > 0`).Scan(&wrong); err != nil && err != sql.ErrNoRows || wrong != 0 {
		return fmt.Errorf("the counted figures are wrong: %v", err)
	}
	return nil
}

var vfsNames atomic.Int64

// register gives a VFS a name for as long as the test runs.
func register(t tb, v vfs.VFS) string {
	name := "fault-" + strconv.FormatInt(vfsNames.Add(1), 10)
	vfs.Register(name, v)
	t.Cleanup(func() { vfs.Unregister(name) })
	return name
}

// Small caches and logs make SQLite write early and often.
const diskDSN = "file:queue.db?vfs=%%s&_pragma=locking_mode(exclusive)&_pragma=journal_mode(%s)&_pragma=synchronous(%s)&_pragma=cache_size(6)&_pragma=wal_autocheckpoint(12)"

// disturb plays the life on a disk once for each of its operations on files, and lets that one fail:
// either it alone, or it and all that follow.
func disturb(t tb, dsn string, stride int, around func(vfs.VFS) vfs.VFS) (operations int) {
	after, middle := tables(t, func() stage { return stage{register(t, &fault.Disk{}), dsn} })
	list := ops()
	codes := map[string]error{fault.Open: sqlite3.CANTOPEN, fault.Write: sqlite3.FULL, fault.Truncate: sqlite3.IOERR_TRUNCATE, fault.Sync: sqlite3.IOERR_FSYNC, fault.Delete: sqlite3.IOERR_DELETE}
	for _, dies := range []bool{false, true} {
		for k := 1; ; k += stride {
			var disk fault.Disk
			hit := false
			chance := rand.New(rand.NewPCG(uint64(k), 7))
			s := stage{register(t, around(fault.Wrap(&disk, func(op fault.Op, part func()) error {
				switch {
				case op.No == k:
					hit = true
					if dies && chance.IntN(2) == 0 {
						part() // a torn write
					}
					return codes[op.Kind]
				case op.No > k && dies:
					return codes[op.Kind]
				}
				return nil
			}))), dsn}
			done := 0
			db, q, err := s.open()
			if err == nil {
				done, err = (&life{q: q}).live(list)
				q.Close()
				db.Close()
			}
			if !hit {
				if err != nil || done != len(list) {
					t.Fatalf("undisturbed: %d operations, %v", done, err)
				}
				break
			}
			operations++
			if err == nil && done < len(list) {
				t.Fatalf("operation %d on files: no error after %d operations", k, done)
			}
			// The process died, or the power failed with it and none, or some, of the rest was written.
			powers := map[string]func(int) int{"the process": fault.Everything}
			if dies {
				powers["the power, nothing kept"] = fault.Nothing
				powers["the power, some kept"] = func(n int) int { return chance.IntN(n+2) - 1 }
			}
			for what, kept := range powers {
				if err := found(stage{register(t, disk.After(kept)), dsn}, after, middle, done); err != nil {
					t.Errorf("operation %d on files, %s: %v", k, what, err)
					if dies {
						return operations
					}
				}
			}
		}
	}
	return operations
}

func TestAFailedOrLastWriteLosesNothing(t *testing.T) {
	as := func(v vfs.VFS) vfs.VFS { return v }
	// Files meet the same operations without calls: there some others of them are disturbed, and fewer.
	steps := []int64{7, 3, 19}
	if plain {
		steps = []int64{23, 11, 61}
	}
	n := disturb(t, fmt.Sprintf(diskDSN, "wal", "full"), int(rounds(steps[0], 1)), as)
	t.Logf("with a write-ahead log: %d operations on files", n)
	n = disturb(t, fmt.Sprintf(diskDSN, "wal", "full"), int(rounds(steps[1], 1)), file.GatherLog)
	t.Logf("with a log that is written in one piece: %d operations on files", n)
	n = disturb(t, fmt.Sprintf(diskDSN, "delete", "full"), int(rounds(steps[2], 1)), as)
	t.Logf("with a rollback journal: %d operations on files", n)
	// A commit that is not flushed is lost with the power: the test sees that.
	if why := fails(t, func(t tb) { disturb(t, fmt.Sprintf(diskDSN, "wal", "normal"), 7, as) }); why == "" {
		t.Error("with synchronous=normal nothing is noticed")
	}
}

// The same on files of the operating system, with shared memory, as lab/file opens them.
func TestAFailedOrLastWriteLosesNothingOnFiles(t *testing.T) {
	dsn := func(dir string) string {
		return "file:" + filepath.Join(dir, "queue.db") + "?vfs=%s&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=cache_size(6)&_pragma=wal_autocheckpoint(12)"
	}
	after, middle := tables(t, func() stage { return stage{register(t, &fault.Disk{}), fmt.Sprintf(diskDSN, "wal", "full")} })
	list := ops()
	hits := 0
	for _, dies := range []bool{false, true} {
		for k := 1; ; k += int(rounds(61, 1)) {
			dir := t.TempDir()
			hit := false
			s := stage{register(t, file.GatherLog(fault.Wrap(vfs.Find("os"), func(op fault.Op, part func()) error {
				if op.No == k {
					hit = true
					if dies && k%2 == 0 {
						part()
					}
				}
				if op.No == k || op.No > k && dies {
					return sqlite3.IOERR_WRITE
				}
				return nil
			}))), dsn(dir)}
			done := 0
			db, q, err := s.open()
			if err == nil {
				done, err = (&life{q: q}).live(list)
				q.Close()
				db.Close()
			}
			if !hit {
				if err != nil || done != len(list) {
					t.Fatalf("undisturbed: %d operations, %v", done, err)
				}
				break
			}
			hits++
			if err := found(stage{"os", dsn(dir)}, after, middle, done); err != nil {
				t.Errorf("operation %d on files, dies %v: %v", k, dies, err)
			}
		}
	}
	t.Logf("%d operations on files", hits)
}

// After a failed write the same process goes on: what failed has not happened, and works when it is
// asked for again.
func TestAProcessGoesOnAfterAFailedWrite(t *testing.T) {
	dsn := fmt.Sprintf(diskDSN, "wal", "full")
	for k := 1; ; k += int(rounds(5, 1)) {
		var disk fault.Disk
		hit, armed, no := false, false, 0
		s := stage{register(t, file.GatherLog(fault.Wrap(&disk, func(op fault.Op, _ func()) error {
			if !armed {
				return nil
			}
			if no++; no == k {
				hit = true
				return sqlite3.FULL
			}
			return nil
		}))), dsn}
		db, q, err := s.open()
		if err != nil {
			t.Fatal(err)
		}
		armed = true
		failed := 0
		for i := range int64(12) {
			id := fmt.Sprint("job ", i)
			for {
				got, err := q.Enqueue(t.Context(), 0, queue.NewJob{ID: id, Payload: strings.Repeat("x", 900), MaxAttempts: 3, Deadline: retry.Max})
				if err == nil {
					if got.Verdict != queue.Created {
						t.Errorf("write %d: %s is %s when it is asked for again", k, id, got.Verdict)
					}
					break
				}
				if failed++; failed > 1 {
					t.Fatalf("write %d: %v", k, err)
				}
			}
			for {
				c, ok, err := q.Claim(t.Context(), 0, lease)
				if err == nil {
					if !ok || c.ID != id || c.Attempts != 1 {
						t.Errorf("write %d: claim %+v %v, want %s for the first time", k, c, ok, id)
					}
					for q.Complete(t.Context(), 0, c.Token) != nil {
						if failed++; failed > 1 {
							t.Fatalf("write %d: complete", k)
						}
					}
					break
				}
				if failed++; failed > 1 {
					t.Fatalf("write %d: %v", k, err)
				}
			}
		}
		armed = false
		if stats, err := q.Stats(t.Context(), 0); err != nil || stats.Done != 12 || stats.Retries != 0 {
			t.Errorf("write %d: %+v, %v", k, stats, err)
		}
		q.Close()
		db.Close()
		if !hit {
			break
		}
	}
}
