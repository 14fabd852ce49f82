//go:build js

// Command cycle is our side of the benchmark of the queue in a tab (cycle_test.go): it runs in a
// dedicated worker and does cycles of enqueue, claim and complete when it is asked to. The databases
// are opened as the engine opens them (cmd/wasm/engine).
package main

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"syscall/js"
	"time"

	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/memory"
	"retrylab/lab/opfs"
	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

// An order asks for cycles in a home.
type order struct {
	home   string
	cycles int
}

func main() {
	orders := make(chan order)
	js.Global().Call("listen", js.FuncOf(func(_ js.Value, args []js.Value) any {
		o := order{args[0].String(), args[1].Int()}
		go func() { orders <- o }() // a callback must not wait
		return nil
	}))
	ctx := context.Background()
	queues := map[string]*bench{}
	for o := range orders {
		b := queues[o.home]
		if b == nil {
			var err error
			if b, err = open(ctx, o.home); err != nil {
				js.Global().Call("answer", -1, fmt.Sprint(err))
				continue
			}
			queues[o.home] = b
		}
		began := time.Now()
		for range o.cycles {
			if err := b.cycle(ctx); err != nil {
				js.Global().Call("answer", -1, fmt.Sprint(err))
				break
			}
		}
		js.Global().Call("answer", float64(time.Since(began).Nanoseconds())/1e6, b.settings)
	}
}

type bench struct {
	queue    *queue.Queue
	settings string
	done     int64
}

func open(ctx context.Context, home string) (*bench, error) {
	var db *sql.DB
	switch home {
	case "memory":
		kept, err := memory.Keep("_pragma=locking_mode(exclusive)&_pragma=page_size(1024)&_pragma=foreign_keys(on)&_txlock=immediate")
		if err != nil {
			return nil, err
		}
		db = kept.Open()
	case "opfs":
		fs, err := opfs.Open("cycle")
		if err != nil {
			return nil, err
		}
		fs.Gather = true
		vfs.Register("opfs", fs)
		if db, err = sqlite.Open(opfs.DSN("opfs", "cycle.db")); err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(1)
	default:
		return nil, fmt.Errorf("no home %q", home)
	}
	q, err := queue.Open(ctx, db, queue.Options{})
	if err != nil {
		return nil, err
	}
	b := &bench{queue: q}
	for _, name := range []string{"page_size", "journal_mode", "synchronous", "locking_mode", "foreign_keys"} {
		var value string
		if err := db.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value); err != nil {
			return nil, err
		}
		b.settings += name + "=" + value + " "
	}
	var version string
	err = db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version)
	b.settings += version
	return b, err
}

func (b *bench) cycle(ctx context.Context) error {
	b.done++
	now := 1000 * b.done
	job := queue.NewJob{ID: "job " + strconv.FormatInt(b.done, 10), Payload: "two boxes for 12 Main Street", MaxAttempts: 3, Deadline: now + 3_600_000}
	if _, err := b.queue.Enqueue(ctx, now, job); err != nil {
		return err
	}
	claim, ok, err := b.queue.Claim(ctx, now, 60_000)
	if err != nil {
		return err
	}
	if !ok || claim.ID != job.ID {
		return fmt.Errorf("claimed %q, not %q", claim.ID, job.ID)
	}
	return b.queue.Complete(ctx, now, claim.Token)
}
