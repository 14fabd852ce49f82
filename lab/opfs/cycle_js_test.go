package opfs

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/sqlite"
)

// TestCycle prints how long a job takes from its acceptance to done, on each home. It fails only when
// a step does: what is fast enough is for the benchmark's reader.
func TestCycle(t *testing.T) {
	if os.Getenv("CYCLES") == "" {
		t.Skip("driven by BenchmarkInABrowser")
	}
	fs := room(t)
	register(t, "opfs", fs)
	for _, home := range []struct {
		name, dsn string
		gather    bool
	}{
		{"memory", "file:cycle?vfs=memdb", false},
		{"opfs", DSN("opfs", "cycle.db"), true},
		{"opfs-ungathered", DSN("opfs", "cycle.db"), false},
	} {
		fs.Gather = home.gather
		fs.Remove("cycle.db")
		db, err := sqlite.Open(home.dsn)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		q, err := queue.Open(context.Background(), db, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, cycles := range []int{3000, 1000, 1000} { // the first are slow: the tab compiles
			start := time.Now()
			for range cycles {
				n++
				cycle(t, q, n)
			}
			fmt.Printf("CYCLE %s %d\n", home.name, time.Since(start).Nanoseconds()/int64(cycles))
		}
		q.Close()
		db.Close()
	}
}

func cycle(t *testing.T, q *queue.Queue, n int) {
	ctx := context.Background()
	if _, err := q.Enqueue(ctx, 0, queue.NewJob{ID: fmt.Sprint(n), Payload: "{}", MaxAttempts: 3, Deadline: retry.Max}); err != nil {
		t.Fatal(err)
	}
	c, ok, err := q.Claim(ctx, 1, 1000)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := q.Complete(ctx, 2, c.Token); err != nil {
		t.Fatal(err)
	}
}
