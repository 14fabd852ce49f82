package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

func budget(t *testing.T, ratio float64, floor, capacity int64) queue.RunPolicy {
	t.Helper()
	b, err := retry.NewBudget(ratio, floor, capacity)
	if err != nil {
		t.Fatal(err)
	}
	p := policy
	p.Budget = b
	return p
}

func TestARefusedRetryIsPutOffAndConsumesNoAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(w *world)
		now     int64
		want    string
	}{
		"after a failure": {func(w *world) { w.fail(10, w.claim(0), retryable) }, 60, "pending 1/5 due 110"},
		"after two": {func(w *world) {
			w.fail(10, w.claim(0), retryable)
			w.fail(70, w.claim(60), retryable)
		}, 170, "pending 2/5 due 270"},
		"whose worker died":     {func(w *world) { w.claim(0) }, lease, "pending 1/5 due 1050"},
		"that just fits":        {func(w *world) { w.fail(10, w.claim(0), retryable) }, 9949, "pending 1/5 due 9999"},
		"that does not fit":     {func(w *world) { w.fail(10, w.claim(0), retryable) }, 9950, "dead 1/5 deadline"},
		"died and does not fit": {func(w *world) { w.claim(0) }, 9999, "dead 1/5 deadline"},
	} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 5, Deadline: 10_000})
		c.prepare(w)
		lastError := w.job("a").LastError
		run, err := w.q.RunOnce(t.Context(), clock(c.now), budget(t, 0, 0, 100), func(context.Context, queue.Claim) error {
			t.Errorf("%s: sent", name)
			return nil
		})
		if err != nil || run != (queue.Run{Refused: true}) {
			t.Errorf("%s: %+v, %v", name, run, err)
		}
		j := w.job("a")
		got := fmt.Sprintf("%s %d/%d", j.State, j.Attempts, j.MaxAttempts)
		if j.State == queue.Pending {
			got += fmt.Sprint(" due ", j.AvailableAt)
		} else {
			got += " " + string(j.DeadReason)
		}
		if got != c.want || (lastError == nil) != (j.LastError == nil) || j.LeaseUntil != nil || (j.DiedAt == nil) != (j.State == queue.Pending) {
			t.Errorf("%s: %s, want %s: %+v", name, got, c.want, j)
		}
	}
}

// A worker does not wait for tokens: new jobs behind a refused retry are sent, and fill the bucket.
func TestNewJobsPassARefusedRetry(t *testing.T) {
	for jitter, want := range map[float64]string{
		0.5: "new 0 true, new 1 false, new 2 false, retry false,  false, ",
		0:   "new 0 true, new 1 true, new 2 false, retry false,  false, ", // with no wait the retry is due again at once
	} {
		w := newWorld(t, nil)
		p := budget(t, 0.5, 0, 100)
		p.Jitter = jitter
		w.enqueue(0, queue.NewJob{ID: "retry", MaxAttempts: 5, Deadline: late})
		if _, err := w.q.Fail(t.Context(), 0, w.claim(0), retryable, queue.Backoff{BaseMS: 1, CapMS: 1}); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			w.enqueue(1, queue.NewJob{ID: fmt.Sprint("new ", i), MaxAttempts: 5, Deadline: late})
		}
		var got strings.Builder
		now := int64(1)
		for range 5 {
			run, err := w.q.RunOnce(t.Context(), clock(now), p, sendOK)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s %v, ", run.Claim.ID, run.Refused)
			now += 100
		}
		if got.String() != want {
			t.Errorf("jitter %v: %s, want %s", jitter, got.String(), want)
		}
	}
}

// awslabs/aws-sdk-rust#1234: the budget is really asked, from end to end.
func TestABudgetBoundsTheSendsOfAReceiverThatIsDown(t *testing.T) {
	chance := rand.New(rand.NewPCG(12, 34))
	for _, c := range []struct {
		ratio       float64
		floor, jobs int64
	}{{0, 10, 1}, {0, 0, 5}, {0.25, 3, 40}, {1, 0, 10}} {
		w := newWorld(t, nil)
		p := budget(t, c.ratio, c.floor, 1000)
		for i := range c.jobs {
			w.enqueue(0, queue.NewJob{ID: fmt.Sprint(i), MaxAttempts: 1000, Deadline: late})
		}
		sends := int64(0)
		for now := int64(0); now < late; now += chance.Int64N(300) {
			_, err := w.q.RunOnce(t.Context(), clock(now), p, func(context.Context, queue.Claim) error {
				sends++
				return retryableErr
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		want := c.jobs + c.floor + int64(c.ratio*float64(c.jobs))
		if sends != want {
			t.Errorf("%+v: %d sends, want %d", c, sends, want)
		}
	}
}

func TestABudgetedRunThatWasTooSlowLooksAgain(t *testing.T) {
	w := newWorld(t, nil)
	_, other := w.process()
	for _, id := range []string{"a", "b"} {
		w.enqueue(0, queue.NewJob{ID: id, MaxAttempts: 5, Deadline: late})
	}
	once := true
	w.between("lease_it", func() {
		if once { // somebody else takes the job that was looked at
			once = false
			if c, ok, err := other.Claim(t.Context(), 0, lease); err != nil || !ok || c.ID != "a" {
				t.Errorf("%+v, %v, %v", c, ok, err)
			}
		}
	})
	p := budget(t, 1, 0, 10)
	run, err := w.q.RunOnce(t.Context(), clock(0), p, sendOK)
	if err != nil || run.Claim.ID != "b" || run.Claim.Attempts != 1 || !run.Done {
		t.Errorf("%+v, %v", run, err)
	}
	if n := p.Budget.Millionths(); n != 1_000_000 {
		t.Errorf("%d millionths for one first try", n)
	}
	w.is("a", "leased 1/5")
}

func TestABudgetedRunBuriesToo(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "late", MaxAttempts: 5, Deadline: 10})
	w.enqueue(0, queue.NewJob{ID: "last", MaxAttempts: 1, Deadline: late})
	w.claim(0)
	w.claim(0)
	w.enqueue(0, queue.NewJob{ID: "unsent", MaxAttempts: 5, Deadline: 10})
	run, err := w.q.RunOnce(t.Context(), clock(lease), budget(t, 0, 5, 5), sendOK)
	if err != nil || run != (queue.Run{}) {
		t.Errorf("%+v, %v", run, err)
	}
	w.is("late", "dead 1/5 deadline")
	w.is("last", "dead 1/1 exhausted")
	w.is("unsent", "dead 0/5 deadline")
	for _, now := range []int64{-1, retry.Max + 1} {
		if _, err := w.q.RunOnce(t.Context(), clock(now), budget(t, 0, 5, 5), sendOK); rejected(err) != "now" {
			t.Errorf("at %d: %v", now, err)
		}
	}
	w.db.Close()
	if _, err := w.q.RunOnce(t.Context(), clock(lease), budget(t, 0, 5, 5), sendOK); err == nil || errors.Is(err, queue.ErrLeaseLost) {
		t.Errorf("closed: %v", err)
	}
}
