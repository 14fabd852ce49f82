package queue

import (
	"context"
	"database/sql"

	"retrylab/lab/retry"
)

// Stats are the queue's figures at one moment (SPEC.md section 4). No figure is ever negative; a
// figure that is nil has nothing to measure.
type Stats struct {
	Pending       int64
	Due           int64 // pending with available_at <= now
	Leased        int64
	Expired       int64 // leased with lease_until <= now
	Done          int64
	Dead          int64
	DeadExhausted int64
	DeadDeadline  int64
	DeadPermanent int64
	Retries       int64  // sum of attempts - 1 over jobs with attempts > 1
	OldestDueMS   *int64 // now - the earliest due time of the due pending jobs
	OldestOpenMS  *int64 // now - the earliest created_at of pending and leased jobs
}

// Stats reads every figure in one statement; it changes nothing. A parked or retrying job that is
// not due yet is no stall: it counts in Pending, not in Due and OldestDueMS.
func (q *Queue) Stats(ctx context.Context, now int64) (s Stats, err error) {
	if err := rejectOutside("now", now, 0, retry.Max); err != nil {
		return Stats{}, err
	}
	err = q.read(ctx).rows("stats", []arg{{"now", now}}, func(rows *sql.Rows) error {
		return rows.Scan(&s.Pending, &s.Due, &s.Leased, &s.Expired, &s.Done, &s.DeadExhausted, &s.DeadDeadline, &s.DeadPermanent,
			&s.Retries, &s.OldestDueMS, &s.OldestOpenMS)
	})
	s.Dead = s.DeadExhausted + s.DeadDeadline + s.DeadPermanent
	return s, err
}

// Purge removes the jobs that were done before a time, and says how many. Their ids are then
// forgotten: an id that comes again is a new job.
func (q *Queue) Purge(ctx context.Context, before int64) (removed int64, err error) {
	if err := rejectOutside("before", before, 0, retry.Max); err != nil {
		return 0, err
	}
	// The rows are counted one by one: the number of changes would have the triggers' in some homes.
	err = q.write(ctx, func(r run) error {
		removed = 0
		return r.rows("purge", []arg{{"before", before}}, func(*sql.Rows) error {
			removed++
			return nil
		})
	})
	return removed, err
}

// Job returns a job's row; found is false when there is none with this id.
func (q *Queue) Job(ctx context.Context, id string) (job Job, found bool, err error) {
	err = q.read(ctx).rows("job", []arg{{"id", id}}, func(rows *sql.Rows) error {
		found = true
		return job.scan(rows)
	})
	return job, found && err == nil, err
}

// Jobs returns the newest jobs, at most limit of them (0..Max), in the order in which they were accepted.
func (q *Queue) Jobs(ctx context.Context, limit int64) (jobs []Job, err error) {
	if err := rejectOutside("limit", limit, 0, retry.Max); err != nil {
		return nil, err
	}
	err = q.read(ctx).rows("jobs", []arg{{"limit", limit}}, func(rows *sql.Rows) error {
		var job Job
		err := job.scan(rows)
		jobs = append(jobs, job)
		return err
	})
	for i, j := 0, len(jobs)-1; i < j; i, j = i+1, j-1 {
		jobs[i], jobs[j] = jobs[j], jobs[i]
	}
	return jobs, err
}

func (j *Job) scan(rows *sql.Rows) error {
	var reason sql.NullString
	err := rows.Scan(&j.ID, &j.Payload, &j.State, &j.Attempts, &j.MaxAttempts, &j.AvailableAt, &j.Deadline,
		&j.LeaseUntil, &j.LastError, &reason, &j.CreatedAt, &j.DoneAt, &j.DiedAt)
	j.DeadReason = Reason(reason.String)
	return err
}
