package queue

import (
	"context"
	"database/sql"

	"retrylab/lab/retry"
)

// A Verdict on an enqueue.
type Verdict string

// Verdicts.
const (
	Created  Verdict = "created"  // a new row: pending, attempts 0
	Existing Verdict = "existing" // the id is there with the same payload; the row stays as it is
	Conflict Verdict = "conflict" // the id is there with another payload; the row stays as it is
)

// An Acceptance tells what became of an enqueue. State and Reason are those of the row.
type Acceptance struct {
	Verdict Verdict
	State   State
	Reason  Reason // "" unless dead
}

// Enqueue accepts a job once. The acceptance is durable before Enqueue returns.
//
// An id that exists is recognised, whatever its job's state and also after its deadline: Existing
// with the same payload, Conflict with another. The row stays as it is: deadline, attempts,
// max_attempts, due time, lease, state. A new id whose deadline is at or before now, or at or before
// its due time, is rejected, and so is a value out of range: a [*retry.RejectedError], and no row is
// written (SPEC.md section 4).
func (q *Queue) Enqueue(ctx context.Context, now int64, job NewJob) (Acceptance, error) {
	bad := job.bad()
	bad = appendWhole(bad, "now", now, 0, retry.Max)
	if err := retry.Rejected(bad); err != nil {
		return Acceptance{}, err
	}
	args := []arg{
		{"id", job.ID}, {"payload", job.Payload}, {"max_attempts", job.MaxAttempts}, {"deadline", job.Deadline},
		{"available_at", job.AvailableAt}, {"now", now},
	}
	var accepted Acceptance
	err := q.write(ctx, func(r run) (err error) {
		accepted, err = r.enqueue(args)
		return err
	})
	if err != nil {
		return Acceptance{}, err
	}
	if accepted.Verdict == "" {
		// Neither made nor there: no time is left for it. Or a purge has removed it between the two
		// statements; then it is new.
		if err := retry.Rejected(job.late(now)); err != nil {
			return Acceptance{}, err
		}
		return q.Enqueue(ctx, now, job)
	}
	return accepted, nil
}

func (r run) enqueue(args []arg) (Acceptance, error) {
	created, err := r.exec("insert", args)
	if err != nil {
		return Acceptance{}, err
	}
	if created > 0 {
		return Acceptance{Verdict: Created, State: Pending}, nil
	}
	var state string
	var reason sql.NullString
	var same bool
	found, err := r.row("existing", args, &state, &reason, &same)
	if err != nil || !found {
		return Acceptance{}, err
	}
	verdict := Conflict
	if same {
		verdict = Existing
	}
	return Acceptance{verdict, State(state), Reason(reason.String)}, nil
}

// late says why a new job has no time left, if so.
func (n NewJob) late(now int64) []retry.BadArg {
	switch {
	case n.Deadline <= now:
		return []retry.BadArg{{Name: "deadline", Fault: retry.FaultLate, Want: wantAfter(now)}}
	case n.AvailableAt >= n.Deadline:
		return []retry.BadArg{{Name: "available_at", Fault: retry.FaultLate, Want: retry.WantWhole(0, n.Deadline-1)}}
	}
	return nil
}

// wantAfter is a time after now, where there is one.
func wantAfter(now int64) retry.Want {
	if now == retry.Max {
		return retry.Want{}
	}
	return retry.WantWhole(now+1, retry.Max)
}

// Requeue gives a dead job a larger budget: pending again, due now. It keeps attempts, last_error,
// created_at and the job's place in the order. Only a dead job can be requeued, only with
// maxAttempts above the attempts already consumed, and only with a deadline after now; else it is a
// [*retry.RejectedError] and the row is untouched.
func (q *Queue) Requeue(ctx context.Context, now int64, id string, maxAttempts, deadline int64) error {
	bad := appendWhole(nil, "max_attempts", maxAttempts, 1, MaxMaxAttempts)
	bad = appendWhole(bad, "deadline", deadline, 0, retry.Max)
	bad = appendWhole(bad, "now", now, 0, retry.Max)
	if err := retry.Rejected(bad); err != nil {
		return err
	}
	var done int64
	err := q.write(ctx, func(r run) (err error) {
		done, err = r.exec("requeue", []arg{{"now", now}, {"id", id}, {"max_attempts", maxAttempts}, {"deadline", deadline}})
		return err
	})
	if done > 0 || err != nil {
		return err
	}
	// Why not? What the row says now may differ from what it said then; the answer is only for people.
	job, found, err := q.Job(ctx, id)
	if err != nil {
		return err
	}
	if !found || job.State != Dead {
		bad = append(bad, retry.BadArg{Name: "id", Fault: retry.FaultState})
	} else if maxAttempts <= job.Attempts {
		want := retry.WantWhole(job.Attempts+1, MaxMaxAttempts)
		if job.Attempts == MaxMaxAttempts {
			want = retry.Want{} // there is no larger budget
		}
		bad = append(bad, retry.BadArg{Name: "max_attempts", Fault: retry.FaultNoRoom, Want: want})
	}
	if deadline <= now {
		bad = append(bad, retry.BadArg{Name: "deadline", Fault: retry.FaultLate, Want: wantAfter(now)})
	}
	if len(bad) == 0 {
		bad = append(bad, retry.BadArg{Name: "id", Fault: retry.FaultState})
	}
	return retry.Rejected(bad)
}
