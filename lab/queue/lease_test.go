package queue_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

func TestAClaimTakesTheEarliestDueThenTheFirstAccepted(t *testing.T) {
	w := newWorld(t, nil)
	for _, j := range []queue.NewJob{{ID: "late", AvailableAt: 300}, {ID: "first", AvailableAt: 100}, {ID: "second", AvailableAt: 100}, {ID: "parked", AvailableAt: 5000}} {
		j.MaxAttempts, j.Deadline = 3, late
		w.enqueue(0, j)
	}
	w.nothing(99)
	expired := w.claim(100) // its worker dies; it keeps its place by due time
	if expired.ID != "first" {
		t.Fatalf("%+v", expired)
	}
	order := ""
	for {
		c, ok := w.tryClaim(100 + lease)
		if !ok {
			break
		}
		order += fmt.Sprintf("%s %d, ", c.ID, c.Attempts)
	}
	if order != "first 2, second 1, late 1, " {
		t.Error(order)
	}
}

func TestAClaimHandsOverTheWholeJob(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(50, queue.NewJob{ID: "a", Payload: "two boxes", MaxAttempts: 3, Deadline: 9000, AvailableAt: 70})
	w.fail(100, w.claim(70), retryable)
	c := w.claim(200)
	token := c.Token
	c.Token = queue.Token{}
	if want := (queue.Claim{ID: "a", Payload: "two boxes", Attempts: 2, MaxAttempts: 3, AvailableAt: 150, Deadline: 9000, LeaseUntil: 200 + lease}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	j := w.job("a")
	if j.State != queue.Leased || j.AvailableAt != 150 || *j.LastError != "no oven" || *j.LeaseUntil != 200+lease {
		t.Errorf("a claim keeps the due time and the error: %+v", j)
	}
	w.complete(300, queue.Claim{Token: token})
	if j := w.job("a"); *j.DoneAt != 300 || j.LeaseUntil != nil || *j.LastError != "no oven" || j.AvailableAt != 150 {
		t.Errorf("%+v", j)
	}
}

func TestAClaimBuriesAThousandAtMost(t *testing.T) {
	w := newWorld(t, nil)
	w.exec(bulk + `(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2499) SELECT i, CASE i % 2 WHEN 0 THEN 'pending' ELSE 'leased' END AS s FROM n)`)
	w.exec(`UPDATE job SET deadline = 2000 WHERE state = 'pending'`)
	w.exec(`UPDATE job SET attempts = 5 WHERE state = 'leased'`)
	for _, want := range []int64{1000, 2000, 2500, 2500} {
		w.nothing(5000)
		if s := w.stats(5000); s.Dead != want {
			t.Errorf("%d dead, want %d", s.Dead, want)
		}
	}
	if s := w.stats(5000); s.DeadDeadline != 1250 || s.DeadExhausted != 1250 {
		t.Errorf("%+v", s)
	}
}

// A job that is late and has used its attempts is exhausted, in whatever way it is found.
func TestExhaustedComesBeforeDeadline(t *testing.T) {
	w := newWorld(t, nil)
	for _, id := range []string{"a", "b"} {
		w.enqueue(0, queue.NewJob{ID: id, MaxAttempts: 1, Deadline: 500})
	}
	c := w.claim(0)
	w.claim(0)
	w.nothing(lease)
	w.is("b", "dead 1/1 exhausted")
	w.is("a", "dead 1/1 exhausted")
	if _, err := w.q.Fail(t.Context(), lease, c, retryable, backoff); !errors.Is(err, queue.ErrLeaseLost) {
		t.Errorf("a buried job's worker gets %v", err)
	}
}

func TestEachOperationNeedsTheCurrentToken(t *testing.T) {
	type op struct {
		name string
		do   func(w *world, token queue.Token) error
	}
	ops := []op{
		{"complete", func(w *world, token queue.Token) error { return w.q.Complete(w.Context(), 10, token) }},
		{"extend", func(w *world, token queue.Token) error {
			_, err := w.q.Extend(w.Context(), 10, token, lease)
			return err
		}},
		{"fail", func(w *world, token queue.Token) error {
			_, err := w.q.Fail(w.Context(), 10, queue.Claim{Token: token, Attempts: 1}, retryable, backoff)
			return err
		}},
		{"fail for good", func(w *world, token queue.Token) error {
			_, err := w.q.Fail(w.Context(), 10, queue.Claim{Token: token, Attempts: 1}, permanent, backoff)
			return err
		}},
	}
	// What may have happened to the job before the late word comes.
	pasts := map[string]func(w *world, c queue.Claim){
		"completed":  func(w *world, c queue.Claim) { w.complete(5, c) },
		"failed":     func(w *world, c queue.Claim) { w.fail(5, c, retryable) },
		"dead":       func(w *world, c queue.Claim) { w.fail(5, c, permanent) },
		"taken over": func(w *world, c queue.Claim) { w.claim(lease) },
		"requeued": func(w *world, c queue.Claim) {
			w.fail(5, c, permanent)
			if err := w.q.Requeue(w.Context(), 6, "a", 9, late); err != nil {
				w.Fatalf("%v", err)
			}
			w.claim(6)
		},
	}
	for past, happens := range pasts {
		for _, op := range ops {
			w := newWorld(t, nil)
			w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
			c := w.claim(0)
			happens(w, c)
			before := w.row("a")
			for name, token := range map[string]queue.Token{"its own": c.Token, "nobody's": {}} {
				if err := op.do(w, token); !errors.Is(err, queue.ErrLeaseLost) {
					t.Errorf("%s after %s with %s token: %v, want ErrLeaseLost", op.name, past, name, err)
				}
			}
			if after := w.row("a"); after != before {
				t.Errorf("%s after %s: the row is\n%s, was\n%s", op.name, past, after, before)
			}
		}
	}
	for _, op := range ops { // the current token counts, also after the lease's end and the deadline
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: 5})
		c, _, err := w.q.Claim(t.Context(), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := op.do(w, c.Token); err != nil {
			t.Errorf("%s, late: %v", op.name, err)
		}
	}
}

func TestATokenIsReadAsItWasWritten(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	c := w.claim(0)
	token, ok := queue.ParseToken(c.Token.String())
	if !ok || token != c.Token || c.Token.String() != "1.1" {
		t.Errorf("%v, %v", token, ok)
	}
	w.complete(1, queue.Claim{Token: token})
	for _, s := range []string{"", "1", "1.", ".1", "1.1.1", "01.1", "+1.1", " 1.1", "1.1 ", "-1.1", "1.-1", "0.0", "0.1", "1.0", "a.b", "1,1", "9223372036854775808.1"} {
		if token, ok := queue.ParseToken(s); ok || token != (queue.Token{}) {
			t.Errorf("%q is read as %v", s, token)
		}
	}
}

func TestAFailureIsJudgedInTheOrderOfTheRules(t *testing.T) {
	for _, c := range []struct {
		name          string
		max, deadline int64
		attempt       int64 // the one that fails, at 100
		failure       queue.Failure
		backoff       queue.Backoff
		want          string
	}{
		{"another try", 3, 1000, 1, retryable, backoff, "pending due 150"},
		{"the wait grows", 3, 1000, 2, retryable, backoff, "pending due 200"},
		{"no wait", 3, 1000, 1, retryable, queue.Backoff{BaseMS: 1, CapMS: 1}, "pending due 100"},
		{"the last attempt", 1, 1000, 1, retryable, backoff, "dead exhausted"},
		{"permanent", 3, 1000, 1, permanent, backoff, "dead permanent"},
		{"permanent at the last attempt", 1, 1000, 1, permanent, backoff, "dead permanent"},
		{"permanent after the deadline", 3, 50, 1, permanent, backoff, "dead permanent"},
		{"the last attempt after the deadline", 1, 50, 1, retryable, backoff, "dead exhausted"},
		{"a wait that just fits", 3, 151, 1, retryable, backoff, "pending due 150"},
		{"a wait that ends at the deadline", 3, 150, 1, retryable, backoff, "dead deadline"},
		{"a wait that is too long", 3, 149, 1, retryable, backoff, "dead deadline"},
		{"no wait at the deadline", 3, 100, 1, retryable, queue.Backoff{BaseMS: 1, CapMS: 1}, "dead deadline"},
		{"no wait just before the deadline", 3, 101, 1, retryable, queue.Backoff{BaseMS: 1, CapMS: 1}, "pending due 100"},
		{"Retry-After is longer", 3, 1e6, 1, queue.Failure{Class: retry.ClassRetryable, RetryAfterMS: 5000}, backoff, "pending due 5100"},
		{"Retry-After is shorter", 3, 1e6, 1, queue.Failure{Class: retry.ClassRetryable, RetryAfterMS: 49}, backoff, "pending due 150"},
		{"Retry-After is negative", 3, 1e6, 1, queue.Failure{Class: retry.ClassRetryable, RetryAfterMS: -5}, backoff, "pending due 150"},
		{"Retry-After does not fit", 3, 5100, 1, queue.Failure{Class: retry.ClassRetryable, RetryAfterMS: 5000}, backoff, "dead deadline"},
		{"Retry-After cannot be counted", 3, retry.Max, 1, queue.Failure{Class: retry.ClassRetryable, RetryAfterMS: math.MaxInt64}, backoff, "dead deadline"},
		{"the longest wait there is", 3, retry.Max, 1, queue.Failure{Class: retry.ClassRetryable, RetryAfterMS: retry.Max - 101}, backoff, fmt.Sprint("pending due ", retry.Max-1)},
		{"a delay of all time", 3, retry.Max, 1, retryable, queue.Backoff{BaseMS: retry.Max, CapMS: retry.Max, Jitter: 1}, "dead deadline"},
	} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: c.max, Deadline: c.deadline})
		claim := w.claim(0)
		for claim.Attempts < c.attempt {
			w.fail(0, claim, queue.Failure{Class: retry.ClassRetryable, Message: "before"})
			claim = w.claim(50)
		}
		c.failure.Message = "no oven"
		got, err := w.q.Fail(t.Context(), 100, claim, c.failure, c.backoff)
		text := string(got.State)
		if got.State == queue.Dead {
			text += " " + string(got.Reason)
		} else {
			text += fmt.Sprint(" due ", got.AvailableAt)
		}
		if err != nil || text != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, text, err, c.want)
		}
		j := w.job("a")
		if j.State != got.State || j.DeadReason != got.Reason || j.LeaseUntil != nil || *j.LastError != "no oven" || j.Attempts != c.attempt {
			t.Errorf("%s: %+v", c.name, j)
		}
		if j.State == queue.Pending && j.AvailableAt != got.AvailableAt || j.State == queue.Dead && (*j.DiedAt != 100 || got.AvailableAt != 0) {
			t.Errorf("%s: %+v, %+v", c.name, got, j)
		}
	}
}

func TestLeaseOperationsRejectBadArguments(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	c := w.claim(0)
	before := w.row("a")
	fail := func(now int64, f queue.Failure, b queue.Backoff) error {
		_, err := w.q.Fail(t.Context(), now, c, f, b)
		return err
	}
	for name, got := range map[string]struct {
		err  error
		want string
	}{
		"complete before time":  {w.q.Complete(t.Context(), -1, c.Token), "now"},
		"complete after time":   {w.q.Complete(t.Context(), retry.Max+1, c.Token), "now"},
		"claim":                 {third(w.q.Claim(t.Context(), -1, 0)), "now lease_ms"},
		"extend":                {second(w.q.Extend(t.Context(), -1, c.Token, retry.Max+1)), "now lease_ms"},
		"fail before time":      {fail(-1, retryable, backoff), "now"},
		"fail of an unknown":    {fail(1, queue.Failure{Message: "?"}, backoff), "class"},
		"fail of no such class": {fail(retry.Max+1, queue.Failure{Class: 77}, backoff), "now class"},
		"fail with no backoff":  {fail(1, retryable, queue.Backoff{}), "base_ms cap_ms"},
		"fail with a jitter":    {fail(1, retryable, queue.Backoff{BaseMS: 1, CapMS: 1, Jitter: math.NaN()}), "jitter"},
		"stats":                 {second(w.q.Stats(t.Context(), -1)), "now"},
		"purge":                 {second(w.q.Purge(t.Context(), -1)), "before"},
		"purge of all time":     {second(w.q.Purge(t.Context(), retry.Max+1)), "before"},
		"jobs":                  {second(w.q.Jobs(t.Context(), -1)), "limit"},
	} {
		if rejected(got.err) != got.want {
			t.Errorf("%s: %v, want %s rejected", name, got.err, got.want)
		}
	}
	if after := w.row("a"); after != before {
		t.Errorf("the row is\n%s, was\n%s", after, before)
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

func TestExtendMovesTheEndOfTheLease(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	c := w.claim(0)
	for _, e := range []struct{ now, lease, want int64 }{{500, 1000, 1500}, {1500, 10, 1510}, {5000, 1000, 6000}, {6000, retry.Max, retry.Max}, {100, 1, 101}} {
		if until, err := w.q.Extend(t.Context(), e.now, c.Token, e.lease); err != nil || until != e.want {
			t.Errorf("at %d by %d: %d, %v, want %d", e.now, e.lease, until, err, e.want)
		}
		if j := w.job("a"); *j.LeaseUntil != e.want || j.Attempts != 1 || j.State != queue.Leased {
			t.Errorf("%+v", j)
		}
	}
	w.nothing(100)
	if c := w.claim(101); c.Attempts != 2 {
		t.Errorf("%+v", c)
	}
}

func TestAnErrorOfAnyBytesIsKeptAsText(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"", ""},
		{"a\x00b \xff\xfe c", "a\x00b \uFFFD c"},
		{strings.Repeat("x", 70_000), strings.Repeat("x", 65_536)},
		{strings.Repeat("é", 32_768) + "x", strings.Repeat("é", 32_768)},
		{"x" + strings.Repeat("é", 32_768), "x" + strings.Repeat("é", 32_767)},
		{strings.Repeat("\xffa", 32_768), strings.Repeat("\uFFFDa", 16_384)},
	} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		w.fail(0, w.claim(0), queue.Failure{Class: retry.ClassRetryable, Message: c.message})
		got := *w.job("a").LastError
		if got != c.want || !utf8.ValidString(got) {
			t.Errorf("%.20q of %d bytes is kept as %.20q, %d bytes, want %d", c.message, len(c.message), got, len(got), len(c.want))
		}
	}
}
