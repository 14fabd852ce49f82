package scenario_test

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrylab/lab/scenario"
)

// model is the queue once more, as a list in memory, written from SPEC.md sections 3 to 5 and knowing
// nothing of the queue's SQL.
type model struct {
	jobs    []*modelJob // in the order of acceptance
	workers map[string]modelClaim
	claims  int
	policy  scenario.Policy
}

type modelJob struct {
	id, payload, state, lastError, reason string
	hasError                              bool
	attempts, max, due, deadline, created int64
	leaseUntil, doneAt                    int64
	claim                                 int // of the current lease
}

type modelClaim struct {
	job      *modelJob
	claim    int
	attempts int64
}

func (m *model) find(id string) *modelJob {
	for _, j := range m.jobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

// delay is SPEC.md section 2 in floating point, exact for the small numbers used here.
func (m *model) delay(attempt int64) int64 {
	window := math.Min(float64(m.policy.CapMS), float64(m.policy.BaseMS)*math.Pow(2, float64(attempt-1)))
	return int64(math.Floor(window * m.policy.Jitter))
}

func (m *model) enqueue(now int64, id, payload string, max, deadline, due int64) string {
	if j := m.find(id); j != nil {
		word := "existing"
		if j.payload != payload {
			word = "conflict"
		}
		return fmt.Sprintf("result: %s, state: %s, reason: %s", word, j.state, null(j.reason))
	}
	if due < now {
		due = now
	}
	if deadline <= now || due >= deadline {
		return "result: rejected"
	}
	m.jobs = append(m.jobs, &modelJob{id: id, payload: payload, state: "pending", max: max, due: due, deadline: deadline, created: now})
	return "result: created, state: pending"
}

func (m *model) lease(now int64) (modelClaim, bool) {
	var best *modelJob
	for _, j := range m.jobs {
		open := j.state == "pending" || j.state == "leased" && j.leaseUntil <= now
		switch {
		case !open:
		case j.attempts >= j.max:
			j.state, j.reason = "dead", "exhausted"
		case j.deadline <= now:
			j.state, j.reason = "dead", "deadline"
		case j.state == "pending" && j.due > now:
		case best == nil || j.due < best.due:
			best = j
		}
	}
	if best == nil {
		return modelClaim{}, false
	}
	m.claims++
	best.state, best.claim, best.leaseUntil = "leased", m.claims, now+m.policy.LeaseMS
	best.attempts++
	return modelClaim{best, m.claims, best.attempts}, true
}

func (m *model) holds(c modelClaim) bool {
	return c.job != nil && c.job.state == "leased" && c.job.claim == c.claim
}

func (m *model) complete(now int64, c modelClaim) string {
	if !m.holds(c) {
		return "result: lease_lost"
	}
	c.job.state, c.job.doneAt = "done", now
	return "result: done"
}

func (m *model) fail(now int64, c modelClaim, send, message string, after int64) string {
	if !m.holds(c) {
		return "result: lease_lost"
	}
	j := c.job
	j.lastError, j.hasError = message, true
	wait := m.delay(j.attempts)
	if after > wait {
		wait = after
	}
	switch {
	case send == "permanent":
		j.state, j.reason = "dead", "permanent"
	case j.attempts >= j.max:
		j.state, j.reason = "dead", "exhausted"
	case wait >= j.deadline-now:
		j.state, j.reason = "dead", "deadline"
	default:
		j.state, j.due = "pending", now+wait
		return fmt.Sprintf("result: retry, available_at: %d", j.due)
	}
	return "result: dead, reason: " + j.reason
}

func (m *model) requeue(now int64, id string, max, deadline int64) string {
	j := m.find(id)
	if j == nil || j.state != "dead" || max <= j.attempts || deadline <= now {
		return "result: rejected"
	}
	j.state, j.reason, j.due, j.max, j.deadline = "pending", "", now, max, deadline
	return "result: requeued"
}

func (m *model) purge(before int64) string {
	var kept []*modelJob
	for _, j := range m.jobs {
		if j.state != "done" || j.doneAt >= before {
			kept = append(kept, j)
		}
	}
	gone := len(m.jobs) - len(kept)
	m.jobs = kept
	return fmt.Sprintf("result: purged, count: %d", gone)
}

func (m *model) row(id string) string {
	j := m.find(id)
	if j == nil {
		return "result: absent"
	}
	lease, lastError := "null", "null"
	if j.state == "leased" {
		lease = fmt.Sprint(j.leaseUntil)
	}
	if j.hasError {
		lastError = j.lastError
	}
	return fmt.Sprintf("payload: %q, state: %s, attempts: %d, max_attempts: %d, available_at: %d, deadline: %d, lease_until: %s, last_error: %s, dead_reason: %s",
		j.payload, j.state, j.attempts, j.max, j.due, j.deadline, lease, quoted(lastError), null(j.reason))
}

func (m *model) stats(now int64) string {
	n := map[string]int64{}
	oldestDue, oldestOpen := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, j := range m.jobs {
		n[j.state]++
		n[j.reason]++
		if j.attempts > 1 {
			n["retries"] += j.attempts - 1
		}
		if j.state == "pending" && j.due <= now {
			n["due"]++
			oldestDue = min(oldestDue, j.due)
		}
		if j.state == "leased" && j.leaseUntil <= now {
			n["expired"]++
		}
		if j.state == "pending" || j.state == "leased" {
			oldestOpen = min(oldestOpen, j.created)
		}
	}
	age := func(since int64) string {
		if since == math.MaxInt64 {
			return "null"
		}
		return fmt.Sprint(max(0, now-since))
	}
	return fmt.Sprintf("pending: %d, due: %d, leased: %d, expired: %d, done: %d, dead: %d, dead_exhausted: %d, dead_deadline: %d, dead_permanent: %d, retries: %d, oldest_due_ms: %s, oldest_open_ms: %s",
		n["pending"], n["due"], n["leased"], n["expired"], n["done"], n["dead"], n["exhausted"], n["deadline"], n["permanent"], n["retries"], age(oldestDue), age(oldestOpen))
}

func null(s string) string {
	if s == "" {
		return "null"
	}
	return s
}

func quoted(s string) string {
	if s == "null" {
		return s
	}
	return fmt.Sprintf("%q", s)
}

// writer draws steps, does them on the model, and writes them as a scenario file.
type writer struct {
	*rapid.T
	*model
	out strings.Builder
	now int64
}

func (w *writer) step(indent string, inside bool) {
	at := ""
	if rapid.Bool().Draw(w.T, "moves") {
		w.now = max(0, w.now+rapid.OneOf(rapid.Int64Range(-30, 60), rapid.Int64Range(0, 400), rapid.SampledFrom([]int64{0, w.policy.LeaseMS})).Draw(w.T, "by"))
		at = fmt.Sprintf("at: %d, ", w.now)
	}
	id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(w.T, "id")
	worker := rapid.SampledFrom([]string{"A", "B"}).Draw(w.T, "worker")
	// Half of the times lie next to a wait or a lease, where equality decides.
	wait := w.delay(rapid.Int64Range(1, 3).Draw(w.T, "of attempt"))
	near := func(name string) int64 {
		by := rapid.OneOf(rapid.Int64Range(-20, 300), rapid.SampledFrom([]int64{0, 1, wait - 1, wait, wait + 1, 200, w.policy.LeaseMS})).Draw(w.T, name)
		return max(0, w.now+by)
	}
	kinds := []string{"enqueue", "enqueue", "run", "run", "run", "claim", "claim", "complete", "fail", "extend", "requeue", "purge", "job", "stats", "restart"}
	if inside {
		kinds = kinds[:len(kinds)-1]
	}
	kind := rapid.SampledFrom(kinds).Draw(w.T, "kind")
	var text, want string
	switch kind {
	case "enqueue":
		payload := rapid.SampledFrom([]string{"", "two boxes"}).Draw(w.T, "payload")
		attempts, deadline := rapid.Int64Range(1, 4).Draw(w.T, "max"), near("deadline")
		due, dueText := int64(0), ""
		if rapid.Bool().Draw(w.T, "has due") {
			due = near("due")
			dueText = fmt.Sprintf(", available_at: %d", due)
		}
		text = fmt.Sprintf("{id: %s, payload: %q, max_attempts: %d, deadline: %d%s}", id, payload, attempts, deadline, dueText)
		want = w.enqueue(w.now, id, payload, attempts, deadline, due)
	case "run":
		w.run(indent, at, inside)
		return
	case "claim":
		text = worker
		if c, ok := w.lease(w.now); ok {
			w.workers[worker] = c
			want = fmt.Sprintf("result: claimed, id: %s, attempts: %d", c.job.id, c.attempts)
		} else {
			want = "result: none, id: null"
		}
	case "complete":
		text, want = worker, w.complete(w.now, w.workers[worker])
	case "fail":
		send := rapid.SampledFrom([]string{"retryable", "permanent"}).Draw(w.T, "send")
		after := rapid.SampledFrom([]int64{0, 5, 200}).Draw(w.T, "after")
		text = fmt.Sprintf("{worker: %s, send: %s, error: no oven, retry_after_ms: %d}", worker, send, after)
		want = w.fail(w.now, w.workers[worker], send, "no oven", after)
	case "extend":
		text, want = worker, "result: lease_lost"
		if c := w.workers[worker]; w.holds(c) {
			c.job.leaseUntil = w.now + w.policy.LeaseMS
			want = fmt.Sprintf("result: extended, lease_until: %d", c.job.leaseUntil)
		}
	case "requeue":
		attempts, deadline := rapid.Int64Range(1, 6).Draw(w.T, "max"), near("deadline")
		if j := w.find(id); j != nil && rapid.Bool().Draw(w.T, "close") {
			attempts = max(1, j.attempts+rapid.Int64Range(0, 1).Draw(w.T, "more"))
		}
		text = fmt.Sprintf("{id: %s, max_attempts: %d, deadline: %d}", id, attempts, deadline)
		want = w.requeue(w.now, id, attempts, deadline)
	case "purge":
		before := near("before")
		text, want = fmt.Sprintf("{before: %d}", before), w.purge(before)
	case "job":
		text, want = id, w.row(id)
	case "stats":
		text, want = "true", w.stats(w.now)
	case "restart":
		text, want = "true", "result: ok"
	}
	fmt.Fprintf(&w.out, "%s- {%s%s: %s, expect: {%s}}\n", indent, at, kind, text, want)
}

func (w *writer) run(indent, at string, inside bool) {
	sends := []string{"ok", "ok", "retryable", "retryable", "permanent", "unknown", "crash"}
	if inside {
		sends = sends[:len(sends)-1]
	}
	send := rapid.SampledFrom(sends).Draw(w.T, "send")
	takes := max(-w.now, rapid.SampledFrom([]int64{0, 0, 1, 40, 150, -1, -7}).Draw(w.T, "takes"))
	after := rapid.SampledFrom([]int64{0, 0, 5, 200}).Draw(w.T, "after")
	wrapped := rapid.Bool().Draw(w.T, "wrapped")
	message := "no oven"
	start := w.now
	claim, claimed := w.lease(start)
	fmt.Fprintf(&w.out, "%s- %srun: {send: %s, takes: %d, error: %s, retry_after_ms: %d, wrapped: %v", indent, strings.Replace(at, ", ", "\n"+indent+"  ", 1), send, takes, message, after, wrapped)
	if claimed && !inside && rapid.Bool().Draw(w.T, "during") {
		fmt.Fprintf(&w.out, ", during: [\n")
		before := w.out.Len()
		for range rapid.IntRange(1, 4).Draw(w.T, "inner steps") {
			w.step(indent+"    ", true)
		}
		// Flow style: the list's items are separated by commas.
		inner := w.out.String()[before:]
		head := w.out.String()[:before]
		w.out.Reset()
		w.out.WriteString(head + flow(inner) + "  " + indent + "]")
	}
	w.out.WriteString("}\n")
	end := start + takes
	var want string
	switch {
	case !claimed:
		want = "result: none, id: null"
	case send == "crash":
		want = "result: crashed"
	case send == "unknown":
		want = "result: unknown"
	case end < start:
		want = "result: clock_backwards"
	case send == "ok":
		want = w.complete(end, claim)
	default:
		if wrapped {
			message = "send: " + message
		}
		want = w.fail(end, claim, send, message, after)
	}
	w.now = start
	if claimed {
		want += ", id: " + claim.job.id
		w.now = max(start, end)
	}
	fmt.Fprintf(&w.out, "%s  expect: {%s}\n", indent, want)
}

// flow turns a block list of one-step maps into the items of a flow list.
func flow(block string) string {
	var out strings.Builder
	var item []string
	flush := func() {
		if len(item) == 1 {
			out.WriteString("      " + item[0] + ",\n")
		} else if len(item) > 1 {
			out.WriteString("      {" + strings.Join(item, ", ") + "},\n")
		}
		item = nil
	}
	for line := range strings.Lines(block) {
		trimmed := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(trimmed, "- "); ok {
			flush()
			trimmed = rest
		}
		item = append(item, trimmed)
	}
	flush()
	return out.String()
}

func TestRandomScenariosHoldOnTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := scenario.Policy{
			BaseMS: rapid.Int64Range(1, 100).Draw(t, "base"), CapMS: rapid.Int64Range(1, 300).Draw(t, "cap"),
			Jitter: rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "jitter"), LeaseMS: rapid.Int64Range(1, 200).Draw(t, "lease"),
		}
		w := &writer{T: t, model: &model{policy: policy, workers: map[string]modelClaim{}}}
		fmt.Fprintf(&w.out, "name: drawn\npolicy: {base_ms: %d, cap_ms: %d, jitter: %v, lease_ms: %d}\nsteps:\n", policy.BaseMS, policy.CapMS, policy.Jitter, policy.LeaseMS)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.step("", false)
		}
		ids := []string{"a", "b", "c", "d"}
		sort.Strings(ids)
		for _, id := range ids {
			fmt.Fprintf(&w.out, "- {job: %s, expect: {%s}}\n", id, w.row(id))
		}
		fmt.Fprintf(&w.out, "- {stats: true, expect: {%s}}\n", w.stats(w.now))
		scenarios, err := scenario.Parse("drawn.yaml", []byte(w.out.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, w.out.String())
		}
		for name, home := range homes {
			trace, err := scenario.Play(t.Context(), scenarios[0], reference(home))
			if err != nil || !trace.Pass {
				t.Fatalf("%s: step %s: %s %v\n%s", name, trace.Where, trace.Why, err, w.out.String())
			}
		}
	})
}
