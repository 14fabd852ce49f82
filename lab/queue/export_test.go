package queue

// Waiting is how many operations wait to be gathered.
func (q *Queue) Waiting() int {
	q.gather.mu.Lock()
	defer q.gather.mu.Unlock()
	return len(q.gather.waiting)
}
