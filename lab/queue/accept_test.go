package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

func TestEnqueueRejectsWhatIsOutOfRangeAndWritesNothing(t *testing.T) {
	good := queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: 2000}
	with := func(change func(*queue.NewJob)) queue.NewJob {
		job := good
		change(&job)
		return job
	}
	w := newWorld(t, nil)
	for _, c := range []struct {
		now  int64
		job  queue.NewJob
		want string // the error
	}{
		{1000, with(func(j *queue.NewJob) { j.ID = "" }), "rejected: id is empty, wanted text of length 1 to 200"},
		{1000, with(func(j *queue.NewJob) { j.ID = strings.Repeat("é", 201) }), "rejected: id is too long, wanted text of length 1 to 200"},
		{1000, with(func(j *queue.NewJob) { j.ID = "a\x00b" }), "rejected: id has a NUL byte, wanted text of length 1 to 200"},
		{1000, with(func(j *queue.NewJob) { j.ID = "\xff" }), "rejected: id is not valid UTF-8, wanted text of length 1 to 200"},
		{1000, with(func(j *queue.NewJob) { j.Payload = strings.Repeat("x", 65_537) }), "rejected: payload is too long, wanted text of length 0 to 65536"},
		{1000, with(func(j *queue.NewJob) { j.Payload = strings.Repeat("é", 32_769) }), "rejected: payload is too long, wanted text of length 0 to 65536"},
		{1000, with(func(j *queue.NewJob) { j.Payload = "\xc3" }), "rejected: payload is not valid UTF-8, wanted text of length 0 to 65536"},
		{1000, with(func(j *queue.NewJob) { j.MaxAttempts = 0 }), "rejected: max_attempts is too small, wanted a whole number from 1 to 10000"},
		{1000, with(func(j *queue.NewJob) { j.MaxAttempts = -1 }), "rejected: max_attempts is too small, wanted a whole number from 1 to 10000"},
		{1000, with(func(j *queue.NewJob) { j.MaxAttempts = 10_001 }), "rejected: max_attempts is too large, wanted a whole number from 1 to 10000"},
		{1000, with(func(j *queue.NewJob) { j.Deadline = -1 }), "rejected: deadline is too small, wanted a whole number from 0 to 9007199254740991"},
		{1000, with(func(j *queue.NewJob) { j.Deadline = retry.Max + 1 }), "rejected: deadline is too large, wanted a whole number from 0 to 9007199254740991"},
		{1000, with(func(j *queue.NewJob) { j.AvailableAt = -1 }), "rejected: available_at is too small, wanted a whole number from 0 to 9007199254740991"},
		{1000, with(func(j *queue.NewJob) { j.AvailableAt = retry.Max + 1 }), "rejected: available_at is too large, wanted a whole number from 0 to 9007199254740991"},
		{-1, good, "rejected: now is too small, wanted a whole number from 0 to 9007199254740991"},
		{retry.Max + 1, good, "rejected: now is too large, wanted a whole number from 0 to 9007199254740991"},
		{1000, with(func(j *queue.NewJob) { j.Deadline = 0 }), "rejected: deadline leaves no time, wanted a whole number from 1001 to 9007199254740991"},
		{2000, good, "rejected: deadline leaves no time, wanted a whole number from 2001 to 9007199254740991"},
		{2001, good, "rejected: deadline leaves no time, wanted a whole number from 2002 to 9007199254740991"},
		{retry.Max, with(func(j *queue.NewJob) { j.Deadline = retry.Max }), "rejected: deadline leaves no time"},
		{1000, with(func(j *queue.NewJob) { j.AvailableAt = 2000 }), "rejected: available_at leaves no time, wanted a whole number from 0 to 1999"},
		{1000, with(func(j *queue.NewJob) { j.AvailableAt = 3000 }), "rejected: available_at leaves no time, wanted a whole number from 0 to 1999"},
		{-1, queue.NewJob{Payload: "\xff", MaxAttempts: 0, Deadline: -1, AvailableAt: -1},
			"rejected: id is empty, wanted text of length 1 to 200; payload is not valid UTF-8, wanted text of length 0 to 65536; max_attempts is too small, wanted a whole number from 1 to 10000; deadline is too small, wanted a whole number from 0 to 9007199254740991; available_at is too small, wanted a whole number from 0 to 9007199254740991; now is too small, wanted a whole number from 0 to 9007199254740991"},
	} {
		got, err := w.q.Enqueue(t.Context(), c.now, c.job)
		if r := (*retry.RejectedError)(nil); !errors.As(err, &r) || err.Error() != c.want || got != (queue.Acceptance{}) {
			t.Errorf("at %d, %.60v: %v\n%v, want\n%s", c.now, c.job, got, err, c.want)
		}
	}
	if jobs, err := w.q.Jobs(t.Context(), 10); len(jobs) != 0 || err != nil {
		t.Errorf("written: %v, %v", jobs, err)
	}
}

func TestEnqueueAcceptsTheEdgesOfEachRange(t *testing.T) {
	w := newWorld(t, nil)
	for i, job := range []queue.NewJob{
		{ID: "x", MaxAttempts: 1, Deadline: 1001},
		{ID: strings.Repeat("é", 200), MaxAttempts: 10_000, Deadline: retry.Max},
		{ID: "payload", Payload: strings.Repeat("é", 32_768), MaxAttempts: 1, Deadline: 1001},
		{ID: "due before the deadline", MaxAttempts: 1, Deadline: retry.Max, AvailableAt: retry.Max - 1},
		{ID: "due in the past", MaxAttempts: 1, Deadline: 1001, AvailableAt: 5},
		{ID: " a 'quoted' \"id\"; -- \n", Payload: "with\x00NUL", MaxAttempts: 1, Deadline: 1001},
	} {
		w.enqueue(1000, job)
		got := w.job(job.ID)
		if got.Payload != job.Payload || got.MaxAttempts != job.MaxAttempts || got.Deadline != job.Deadline ||
			got.AvailableAt != max(1000, job.AvailableAt) || got.CreatedAt != 1000 || got.Attempts != 0 || got.State != queue.Pending {
			t.Errorf("%d: %+v", i, got)
		}
		if got.LeaseUntil != nil || got.LastError != nil || got.DeadReason != "" || got.DoneAt != nil || got.DiedAt != nil {
			t.Errorf("%d: a new job has %+v", i, got)
		}
	}
	w.enqueue(0, queue.NewJob{ID: "at time 0", MaxAttempts: 1, Deadline: 1})
}

// An id is recognised whatever became of its job, and also when a new job with these times would be
// refused.
func TestAnIDIsRecognisedInEveryState(t *testing.T) {
	for state, prepare := range map[queue.State]func(w *world){
		queue.Pending: func(*world) {},
		queue.Leased:  func(w *world) { w.claim(0) },
		queue.Done:    func(w *world) { w.complete(1, w.claim(0)) },
		queue.Dead:    func(w *world) { w.fail(1, w.claim(0), permanent) },
	} {
		w := newWorld(t, nil)
		w.enqueue(0, queue.NewJob{ID: "a", Payload: "x", MaxAttempts: 3, Deadline: 100})
		prepare(w)
		before := w.row("a")
		want := queue.Acceptance{State: state}
		if state == queue.Dead {
			want.Reason = queue.Permanent
		}
		for _, now := range []int64{0, 50, 99, 100, 5000} {
			for _, job := range []queue.NewJob{
				{ID: "a", Payload: "x", MaxAttempts: 3, Deadline: 100},
				{ID: "a", Payload: "y", MaxAttempts: 9, Deadline: 0, AvailableAt: 7000},
			} {
				want.Verdict = queue.Existing
				if job.Payload == "y" {
					want.Verdict = queue.Conflict
				}
				if got, err := w.q.Enqueue(t.Context(), now, job); err != nil || got != want {
					t.Errorf("%s at %d: %+v, %v, want %+v", state, now, got, err, want)
				}
				if after := w.row("a"); after != before {
					t.Fatalf("%s at %d: the row is\n%s, was\n%s", state, now, after, before)
				}
			}
		}
	}
}

func TestAPurgedIDIsNewAndItsTokensAreNot(t *testing.T) {
	w := newWorld(t, nil)
	tokens := map[string]bool{}
	var old []queue.Claim
	for round := range int64(5) {
		w.enqueue(round, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
		c := w.claim(round)
		if tokens[c.Token.String()] {
			t.Errorf("the token %s comes a second time", c.Token)
		}
		tokens[c.Token.String()] = true
		for _, o := range old {
			if err := w.q.Complete(t.Context(), round, o.Token); !errors.Is(err, queue.ErrLeaseLost) {
				t.Errorf("a token of the purged job gives %v", err)
			}
		}
		old = append(old, c)
		w.complete(round, c)
		if n, err := w.q.Purge(t.Context(), round); n != 0 || err != nil {
			t.Errorf("a job done at %d is purged before %d: %d, %v", round, round, n, err)
		}
		if n, err := w.q.Purge(t.Context(), round+1); n != 1 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		if _, found, err := w.q.Job(t.Context(), "a"); found || err != nil {
			t.Errorf("found after the purge: %v, %v", found, err)
		}
	}
}

// A purge may come between the two statements of an enqueue: the id was there at the first and is gone
// at the second.
func TestAnEnqueueGoesOnWhenAPurgeComesBetween(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	w.complete(1, w.claim(0))
	purges := 0
	w.between("existing", func() {
		if purges++; purges == 1 {
			w.exec(`DELETE FROM job WHERE id = 'a'`)
		}
	})
	got, err := w.q.Enqueue(t.Context(), 2, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	if err != nil || got.Verdict != queue.Created || purges != 1 {
		t.Errorf("%+v, %v, %d purges", got, err, purges)
	}
}

func TestRequeueSaysWhatIsWrong(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "dead", MaxAttempts: 1, Deadline: 500})
	w.fail(10, w.claim(0), retryable)
	w.enqueue(0, queue.NewJob{ID: "pending", MaxAttempts: 1, Deadline: 500})
	w.enqueue(0, queue.NewJob{ID: "worn out", MaxAttempts: 10_000, Deadline: 500})
	w.exec(`UPDATE job SET state = 'dead', dead_reason = 'exhausted', attempts = 10000, claims = 10000, died_at = 5 WHERE id = 'worn out'`)
	for _, c := range []struct {
		now, max, deadline int64
		id, want           string
	}{
		{1000, 2, 2000, "none", "rejected: id is not dead"},
		{1000, 2, 2000, "pending", "rejected: id is not dead"},
		{1000, 2, 1000, "pending", "rejected: id is not dead; deadline leaves no time, wanted a whole number from 1001 to 9007199254740991"},
		{1000, 1, 2000, "dead", "rejected: max_attempts leaves no attempt, wanted a whole number from 2 to 10000"},
		{1000, 10_000, 2000, "worn out", "rejected: max_attempts leaves no attempt"},
		{1000, 2, 1000, "dead", "rejected: deadline leaves no time, wanted a whole number from 1001 to 9007199254740991"},
		{1000, 0, 2000, "dead", "rejected: max_attempts is too small, wanted a whole number from 1 to 10000"},
		{1000, 10_001, 2000, "dead", "rejected: max_attempts is too large, wanted a whole number from 1 to 10000"},
		{-1, 2, retry.Max + 1, "dead", "rejected: deadline is too large, wanted a whole number from 0 to 9007199254740991; now is too small, wanted a whole number from 0 to 9007199254740991"},
	} {
		before := w.row("dead") + w.row("pending") + w.row("worn out")
		err := w.q.Requeue(t.Context(), c.now, c.id, c.max, c.deadline)
		if r := (*retry.RejectedError)(nil); !errors.As(err, &r) || err.Error() != c.want {
			t.Errorf("%+v: %v", c, err)
		}
		if after := w.row("dead") + w.row("pending") + w.row("worn out"); after != before {
			t.Errorf("%+v changed something", c)
		}
	}
	if err := w.q.Requeue(t.Context(), 1000, "dead", 2, 1001); err != nil {
		t.Errorf("requeue: %v", err)
	}
	j := w.job("dead")
	if got := fmt.Sprint(j.State, j.Attempts, j.MaxAttempts, j.AvailableAt, j.Deadline, *j.LastError, j.CreatedAt, j.DiedAt == nil, j.DeadReason == ""); got != "pending1 2 1000 1001no oven0 true true" {
		t.Error(got)
	}
}

// The job may be requeued by somebody else between the refused statement and the question why.
func TestARequeueThatLostARaceIsRejected(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 1, Deadline: 500})
	w.between("job", func() {
		w.exec(`UPDATE job SET state = 'dead', dead_reason = 'deadline', died_at = 5`)
	})
	if err := w.q.Requeue(t.Context(), 10, "a", 2, 600); rejected(err) != "id" {
		t.Errorf("%v", err)
	}
}

func TestCheckNewJobNamesEveryBadValueInOrder(t *testing.T) {
	text, n := retry.Text, retry.Int
	for _, c := range []struct {
		id, payload, maxAttempts, deadline, availableAt retry.Value
		want                                            string // name fault, ...
	}{
		{text("a"), text(""), n(1), n(5), retry.Value{}, ""},
		{text("a"), text("x"), retry.Float(2), retry.Float(5), retry.Null(), ""},
		{retry.Value{}, retry.Value{}, retry.Value{}, retry.Value{}, retry.Value{}, "id missing, payload missing, max_attempts missing, deadline missing, "},
		{retry.Null(), retry.Null(), retry.Null(), retry.Null(), retry.Null(), "id null, payload null, max_attempts null, deadline null, "},
		{n(1), retry.Boolean(true), retry.Boolean(true), retry.Boolean(false), retry.Boolean(true), "id not_text, payload not_text, max_attempts boolean, deadline boolean, available_at boolean, "},
		{text(""), n(1), text("3"), text("x"), text(""), "id empty, payload not_text, max_attempts text, deadline text, available_at text, "},
		{n(1), text("\xff"), n(0), n(-1), n(-1), "id not_text, payload not_utf8, max_attempts too_small, deadline too_small, available_at too_small, "},
		{text("a\x00"), text("\xff"), retry.Float(2.5), retry.ParseText("NaN"), retry.ParseText("Infinity"), "id nul, payload not_utf8, max_attempts fraction, deadline nan, available_at infinite, "},
		{text("a"), text(""), retry.List(), retry.Map(), n(retry.Max), "max_attempts list, deadline map, "},
	} {
		job, bad := queue.CheckNewJob(retry.Value.Whole, c.id, c.payload, c.maxAttempts, c.deadline, c.availableAt)
		got := ""
		for _, b := range bad {
			got += fmt.Sprintf("%s %s, ", b.Name, b.Fault)
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
		if len(bad) == 0 && (job.ID != "a" || job.MaxAttempts < 1 || job.Deadline != 5 || job.AvailableAt != 0) {
			t.Errorf("%+v", job)
		}
	}
}
