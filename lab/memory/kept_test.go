package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"retrylab/lab/memory"
	"retrylab/lab/queue"
)

func TestAKeptDatabaseOutlivesItsConnections(t *testing.T) {
	kept, err := memory.Keep("_pragma=page_size(1024)&_pragma=foreign_keys(on)")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	job := queue.NewJob{ID: "a", Payload: "p", MaxAttempts: 2, Deadline: 9000}
	for _, want := range []queue.Verdict{queue.Created, queue.Existing, queue.Existing} {
		db := kept.Open()
		q, err := queue.Open(ctx, db, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := q.Enqueue(ctx, 0, job); err != nil || got.Verdict != want {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		for pragma, want := range map[string]int{"page_size": 1024, "foreign_keys": 1} {
			var got int
			if err := db.QueryRow(`PRAGMA ` + pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %d, %v", pragma, got, err)
			}
		}
		// The process dies in the middle of a transaction.
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ExecContext(ctx, `BEGIN; UPDATE job SET payload = 'not committed'`); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}

	first, second := kept.Open(), kept.Open()
	if err := first.Ping(); err != nil {
		t.Fatal(err)
	}
	if err := second.Ping(); !errors.Is(err, sqlite3.BUSY) {
		t.Errorf("a second connection: %v", err)
	}
	if err := kept.Remove(); !errors.Is(err, sqlite3.BUSY) {
		t.Errorf("removed under a connection: %v", err)
	}
	if err := errors.Join(first.Close(), second.Ping(), second.Close(), kept.Remove(), kept.Remove()); err != nil {
		t.Error(err)
	}
	last := kept.Open()
	defer last.Close()
	var tables int
	if err := last.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("after its removal it has %d tables, %v", tables, err)
	}
}

func TestKeptSettingsThatCannotBeReadAreAnError(t *testing.T) {
	if _, err := memory.Keep("_txlock=never"); err == nil {
		t.Error("no error")
	}
}
