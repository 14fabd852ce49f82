package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"retrylab/lab/queue"
)

// toil accepts and sends with several workers until something fails, and says each thing after it was
// reported as done.
func toil(q *queue.Queue, life int64, workers int, say func(format string, args ...any)) error {
	ctx := context.Background()
	var clock atomic.Int64
	clock.Store(life * 1_000_000)
	failed := make(chan error)
	for worker := range workers {
		go func() {
			failed <- func() error {
				for i := 0; ; i++ {
					id := fmt.Sprintf("%d-%d-%d", life, worker, i)
					job := queue.NewJob{ID: id, Payload: strings.Repeat("x", i%7*300), MaxAttempts: 3, Deadline: 1e12}
					if _, err := q.Enqueue(ctx, clock.Add(1), job); err != nil {
						return err
					}
					say("accepted %s 0", id)
					var sent error
					run, err := q.RunOnce(ctx, func() int64 { return clock.Add(1) }, policy, func(_ context.Context, c queue.Claim) error {
						say("claimed %s %d", c.ID, c.Attempts)
						switch crc32.ChecksumIEEE([]byte(c.ID)) % 4 {
						case 0:
							sent = retryableErr
						case 1:
							sent = errors.New("what is this?")
						}
						return sent
					})
					switch {
					case errors.Is(err, queue.ErrLeaseLost): // it was so slow that another took over
					case err != nil && err != sent:
						return err
					case run.Done:
						say("done %s %d", run.Claim.ID, run.Claim.Attempts)
					case run.Outcome.State != "":
						say("%s %s %d", run.Outcome.State, run.Claim.ID, run.Claim.Attempts)
					}
				}
			}()
		}()
	}
	err := <-failed
	for range workers - 1 {
		err = errors.Join(err, <-failed)
	}
	return err
}

func init() {
	children["toil"] = func(q *queue.Queue, say func(format string, args ...any)) error {
		life, err := strconv.ParseInt(os.Getenv("QUEUE_TEST_LIFE"), 10, 64)
		if err != nil {
			return err
		}
		return toil(q, life, 4, say)
	}
}

// heard is what is known of a job from what was said of it.
type heard struct {
	attempts int64
	state    string // of the latest result
	at       int64  // the attempts that it came with
}

type hearsay map[string]*heard

func (known hearsay) hear(line string) error {
	var word, id string
	var attempts int64
	if n, err := fmt.Sscan(line, &word, &id, &attempts); n != 3 || err != nil {
		return fmt.Errorf("it says %q", line)
	}
	h := known[id]
	if h == nil {
		h = &heard{}
		known[id] = h
	}
	switch word {
	case "accepted":
	case "claimed":
		h.attempts = max(h.attempts, attempts)
	default:
		if attempts >= h.at {
			h.state, h.at = word, attempts
		}
	}
	return nil
}

func TestAKilledProcessLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	known := hearsay{}
	chance := rand.New(rand.NewPCG(9, 9))
	for life := range rounds(6, 200) {
		t.Setenv("QUEUE_TEST_LIFE", strconv.FormatInt(life, 10))
		t.Setenv("QUEUE_TEST_GATHER", map[bool]string{true: "yes"}[life%2 == 1])
		lines, _, process := start(t, "toil", path)
		left, killed := 1+chance.IntN(150), false
		for lines.Scan() {
			if err := known.hear(lines.Text()); err != nil {
				t.Fatalf("life %d: %v", life, err)
			}
			if left--; left == 0 {
				for range chance.IntN(2000) {
					runtime.Gosched()
				}
				if err := process.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				killed = true
			}
		}
		if process.Wait(); !killed {
			t.Fatalf("life %d ended by itself", life)
		}
		db, q, err := openFile(path)
		if err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
		known.check(t, db, q, fmt.Sprint("life ", life), 4*int(life+1))
		q.Close()
		db.Close()
	}
	t.Logf("%d jobs were accepted", len(known))
}

// check compares a database with what was said before its process ended. Each worker may have done one
// more thing, unheard.
func (known hearsay) check(t *testing.T, db *sql.DB, q *queue.Queue, when string, unheard int) {
	t.Helper()
	var sound string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
		t.Fatalf("%s: integrity_check: %s %v", when, sound, err)
	}
	jobs, err := q.Jobs(t.Context(), 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]queue.Job{}
	for _, j := range jobs {
		rows[j.ID] = j
	}
	for id, h := range known {
		j, there := rows[id]
		switch {
		case !there:
			t.Errorf("%s: %s was accepted and is not there", when, id)
		case j.Attempts < h.attempts:
			t.Errorf("%s: %s was claimed for the %d. time and has %d attempts", when, id, h.attempts, j.Attempts)
		case (h.state == "done" || h.state == "dead") && string(j.State) != h.state:
			t.Errorf("%s: %s was %s and is %s", when, id, h.state, j.State)
		case h.state == "pending" && j.Attempts == h.at && j.State == queue.Leased:
			t.Errorf("%s: %s had failed at attempt %d and is leased", when, id, h.at)
		}
	}
	if len(rows) > len(known)+unheard {
		t.Errorf("%s: %d rows, %d were accepted", when, len(rows), len(known))
	}
}

func TestFiftyWorkersOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	queues := make([]*queue.Queue, 3)
	for i := range queues { // as three processes
		var db *sql.DB
		var err error
		if db, queues[i], err = openFile(path); err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		defer queues[i].Close()
	}
	jobs := rounds(150, 20_000)
	var accepted, clock atomic.Int64
	var mu sync.Mutex
	sends := map[string]int{}
	var workers sync.WaitGroup
	for i := range 50 {
		q := queues[i%len(queues)]
		workers.Go(func() {
			for {
				n := accepted.Add(1)
				if n <= jobs {
					got, err := q.Enqueue(t.Context(), clock.Add(1), queue.NewJob{ID: fmt.Sprint(n), MaxAttempts: 2, Deadline: 1e12})
					if err != nil || got.Verdict != queue.Created {
						t.Errorf("enqueue: %v, %v", got, err)
						return
					}
				}
				run, err := q.RunOnce(t.Context(), func() int64 { return clock.Add(1) }, queue.RunPolicy{LeaseMS: 1e9, Backoff: backoff}, func(_ context.Context, c queue.Claim) error {
					mu.Lock()
					defer mu.Unlock()
					sends[c.ID]++
					return nil
				})
				if err != nil {
					t.Errorf("run: %v", err)
					return
				}
				if !run.Claimed && n > jobs {
					return
				}
			}
		})
	}
	workers.Wait()
	if int64(len(sends)) != jobs {
		t.Errorf("%d jobs were sent, want %d", len(sends), jobs)
	}
	for id, n := range sends {
		if n != 1 {
			t.Errorf("%s was sent %d times within its lease", id, n)
		}
	}
	if s, err := queues[0].Stats(t.Context(), clock.Load()); err != nil || s.Done != jobs {
		t.Errorf("%+v, %v", s, err)
	}
}
