package queue

import "database/sql"

// Waiting is how many operations wait to be gathered.
func (q *Queue) Waiting() int {
	q.gather.mu.Lock()
	defer q.gather.mu.Unlock()
	return len(q.gather.waiting)
}

// WithoutCalls makes queues that are opened from now on run their statements as with any driver.
func WithoutCalls() { takesCalls = func(*sql.DB) bool { return false } }
