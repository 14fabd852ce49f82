package queue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"retrylab/lab/file"
	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// A service accepts a job, and a worker sends it until it is done or dead. The clock here is virtual:
// a real one is time.Now().UnixMilli.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := file.Open(filepath.Join(dir, "jobs.db")) // each commit is flushed to the device
	if err != nil {
		panic(err)
	}
	defer db.Close()
	q, err := queue.Open(ctx, db, queue.Options{Gather: true}) // many goroutines share a flush
	if err != nil {
		panic(err)
	}
	defer q.Close()

	now := int64(0)
	job := queue.NewJob{ID: "invoice 17", Payload: "12.50 EUR", MaxAttempts: 3, Deadline: 60_000}
	for range 2 { // the caller did not hear the answer and asks again
		accepted, err := q.Enqueue(ctx, now, job)
		if err != nil {
			panic(err)
		}
		fmt.Println(accepted.Verdict)
	}

	policy := queue.RunPolicy{
		LeaseMS:     30_000, // longer than any send
		SendLimitMS: 20_000, // and here is why
		// A worker draws the jitter anew for each run: rand.Float64().
		Backoff: queue.Backoff{BaseMS: 100, CapMS: 10_000, Jitter: 0.5},
	}
	tries := 0
	for {
		run, err := q.RunOnce(ctx, func() int64 { return now }, policy, func(ctx context.Context, c queue.Claim) error {
			// Talk to the other service here, until ctx ends, with c.ID as the idempotency key.
			if tries++; tries == 1 {
				return retry.Retryable(errors.New("503 Service Unavailable"))
			}
			return nil
		})
		if err != nil {
			panic(err) // an unknown error, a lost lease, a clock that went backwards
		}
		switch {
		case !run.Claimed:
			fmt.Println("nothing is due at", now)
			now += 10
		case run.Done:
			fmt.Println("done at", now, "with attempt", run.Claim.Attempts)
			return
		case run.Outcome.State == queue.Dead:
			fmt.Println("dead:", run.Outcome.Reason)
			return
		default:
			fmt.Println("again at", run.Outcome.AvailableAt)
			now += 40
		}
	}
	// Output:
	// created
	// existing
	// again at 50
	// nothing is due at 40
	// done at 50 with attempt 2
}

// A worker that asks for work, does it its own way and reports.
func ExampleQueue_Claim() {
	q, closeAll := exampleQueue()
	defer closeAll()
	ctx := context.Background()
	if _, err := q.Enqueue(ctx, 0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: 100_000}); err != nil {
		panic(err)
	}
	claim, ok, err := q.Claim(ctx, 0, 1000)
	if err != nil || !ok {
		panic(err)
	}
	// The lease runs out, and another worker takes the job over.
	other, _, err := q.Claim(ctx, 1000, 1000)
	if err != nil {
		panic(err)
	}
	fmt.Println("attempt", claim.Attempts, "then", other.Attempts)
	fmt.Println(q.Complete(ctx, 1001, claim.Token))
	fmt.Println(q.Complete(ctx, 1002, other.Token))
	// Output:
	// attempt 1 then 2
	// queue: the lease is lost
	// <nil>
}

// A rejected argument is told with what would have been right; nothing is written.
func ExampleQueue_Enqueue_rejected() {
	q, closeAll := exampleQueue()
	defer closeAll()
	_, err := q.Enqueue(context.Background(), 1000, queue.NewJob{ID: "", MaxAttempts: 0, Deadline: 500})
	fmt.Println(err)
	_, err = q.Enqueue(context.Background(), 1000, queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: 500})
	var rejected *retry.RejectedError
	fmt.Println(errors.As(err, &rejected), rejected.Names(), rejected.Bad[0].Fault)
	// Output:
	// rejected: id is empty, wanted text of length 1 to 200; max_attempts is too small, wanted a whole number from 1 to 10000
	// true [deadline] late
}

func exampleQueue() (*queue.Queue, func()) {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	db, q, err := openFile(filepath.Join(dir, "jobs.db"))
	if err != nil {
		panic(err)
	}
	return q, func() {
		q.Close()
		db.Close()
		os.RemoveAll(dir)
	}
}
