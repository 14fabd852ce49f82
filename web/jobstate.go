package web

import "retrylab/lab/ask"

// A jobState is what a job looks like at a given time: one colour, one shape and one word each
// (see the component page). It is also the name of its icon, of its class (is-NAME) and of its word
// (state.NAME).
type jobState string

const (
	statePending   jobState = "pending"   // waits for its due time
	stateDue       jobState = "due"       // pending, and may be claimed now
	stateLeased    jobState = "leased"    // a worker holds it
	stateExpired   jobState = "expired"   // leased, but the lease is over: may be claimed now
	stateDone      jobState = "done"      // accepted
	stateExhausted jobState = "exhausted" // dead: no attempt left
	stateDeadline  jobState = "deadline"  // dead: no time left
	statePermanent jobState = "permanent" // dead: refused for good
)

// jobStates lists them all in the order of a job's life.
var jobStates = []jobState{statePending, stateDue, stateLeased, stateExpired, stateDone, stateExhausted, stateDeadline, statePermanent}

// stateAt is the state of a job at now. Equality falls as SPEC.md section 5 says: a job whose
// available_at is now is due, a lease whose end is now has expired.
func stateAt(job ask.Job, now int64) jobState {
	switch job.State {
	case "pending":
		if job.AvailableAt <= now {
			return stateDue
		}
		return statePending
	case "leased":
		if job.LeaseUntil != nil && *job.LeaseUntil <= now {
			return stateExpired
		}
		return stateLeased
	case "dead":
		if job.DeadReason != nil {
			switch *job.DeadReason {
			case "exhausted":
				return stateExhausted
			case "deadline":
				return stateDeadline
			}
		}
		return statePermanent
	}
	return stateDone
}

// nextEvent is the next time at which something changes by itself: a job becomes due, a lease ends
// or a deadline comes. It reports false when nothing is ahead.
func nextEvent(jobs []ask.Job, now int64) (at int64, ok bool) {
	consider := func(t int64) {
		if t > now && (!ok || t < at) {
			at, ok = t, true
		}
	}
	for _, job := range jobs {
		switch job.State {
		case "pending":
			consider(job.AvailableAt)
			consider(job.Deadline)
		case "leased":
			if job.LeaseUntil != nil {
				consider(*job.LeaseUntil)
			}
			consider(job.Deadline)
		}
	}
	return at, ok
}

// A rowField is one field of a job's row as the lab shows it. Changed says that the step changed it.
type rowField struct {
	Name, Value string
	Changed     bool
}

// rowFields is the row after a step, field by field, compared with the row before it. Fields that
// are null in both are left out; so is what never changes by itself and is shown by the step.
func rowFields(before, after *ask.Job) []rowField {
	if after == nil {
		return nil
	}
	if before == nil {
		before = &ask.Job{AvailableAt: -1, Deadline: -1, MaxAttempts: -1, Attempts: -1, Payload: after.Payload}
	}
	fields := []rowField{
		{"state", after.State, after.State != before.State},
		{"attempts", whole(after.Attempts) + "/" + whole(after.MaxAttempts), after.Attempts != before.Attempts || after.MaxAttempts != before.MaxAttempts},
		{"available_at", whole(after.AvailableAt), after.AvailableAt != before.AvailableAt},
		{"deadline", whole(after.Deadline), after.Deadline != before.Deadline},
	}
	if after.Payload != before.Payload {
		fields = append(fields, rowField{"payload", after.Payload, true})
	}
	numbers := []struct {
		name          string
		before, after *int64
	}{{"lease_until", before.LeaseUntil, after.LeaseUntil}}
	for _, n := range numbers {
		if n.before != nil || n.after != nil {
			b, a := orNull(n.before), orNull(n.after)
			fields = append(fields, rowField{n.name, a, a != b})
		}
	}
	texts := []struct {
		name          string
		before, after *string
	}{{"last_error", before.LastError, after.LastError}, {"dead_reason", before.DeadReason, after.DeadReason}}
	for _, t := range texts {
		if t.before != nil || t.after != nil {
			b, a := textOrNull(t.before), textOrNull(t.after)
			fields = append(fields, rowField{t.name, a, a != b})
		}
	}
	return fields
}

func orNull(n *int64) string {
	if n == nil {
		return "null"
	}
	return whole(*n)
}

func textOrNull(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}
