package queue_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// The explorer walks through everything that two workers can do to one table, statement by statement,
// in every order: a worker may stop between the two statements of a claim, or of an enqueue, and the
// other goes on. States that were seen before are not entered again. After each step the table is
// compared with what the step may do.
type explorer struct {
	*world
	actors                   [2]*actor
	clear, reset, load, read *sql.Stmt
	seen                     map[string]bool
	steps                    int
	pairs                    map[string]bool // of operations of different workers, one right after the other
	limits                   limits
}

type limits struct {
	ops   int   // of each worker
	clock int64 // 0..clock
}

// An actor is a worker with a connection of its own. While it stands between two statements it has
// been started and waits at the gate.
type actor struct {
	q        *queue.Queue
	at       chan struct{} // it stands at the gate
	pass     chan struct{}
	outcome  chan outcome
	standing bool
}

type outcome struct {
	err     error
	claim   queue.Claim
	claimed bool
	got     queue.Acceptance
}

// A state is everything that what comes next depends on.
type state struct {
	rows    []line
	clock   int64
	workers [2]worker
	path    string
	last    string // the latest operation
	by      int    // whose it was
}

type worker struct {
	ops   int
	mid   string // the operation that it stands in the middle of
	since int64  // and the time that this began with
	// What the first half of a claim has leased.
	leased   bool
	token    string
	attempts int64
	held     queue.Claim
	holds    bool
}

// A line is a row of the table.
type line struct {
	seq                                        int64
	id, state                                  string
	attempts, max, available, deadline, claims int64
	token, leaseUntil                          sql.NullInt64
	lastError, reason                          sql.NullString
	created                                    int64
	doneAt, diedAt                             sql.NullInt64
}

func (l *line) columns() []any {
	return []any{&l.seq, &l.id, &l.state, &l.attempts, &l.max, &l.available, &l.deadline, &l.claims, &l.token, &l.leaseUntil, &l.lastError, &l.reason, &l.created, &l.doneAt, &l.diedAt}
}

const lineColumns = `seq, id, state, attempts, max_attempts, available_at, deadline, claims, token, lease_until, last_error, dead_reason, created_at, done_at, died_at`

// key tells states apart. It leaves out what nothing depends on any more, and which worker is which.
func (s state) key() string {
	var rows strings.Builder
	for _, l := range s.rows {
		l.created, l.lastError, l.doneAt, l.diedAt = 0, sql.NullString{}, sql.NullInt64{}, sql.NullInt64{}
		if l.state == "done" || l.state == "dead" {
			l = line{id: l.id, state: l.state}
		}
		fmt.Fprint(&rows, l)
	}
	one, two := fmt.Sprint(s.workers[0]), fmt.Sprint(s.workers[1])
	return fmt.Sprint(rows.String(), s.clock, min(one, two), max(one, two))
}

func newExplorer(t tb, put change, l limits) *explorer {
	x := &explorer{world: newWorld(t, put), seen: map[string]bool{}, pairs: map[string]bool{}, limits: l}
	stops := []string{x.text("bury"), x.text("existing")}
	for i := range x.actors {
		_, q, gate := x.gated()
		a := &actor{q: q, at: make(chan struct{}), pass: make(chan struct{}), outcome: make(chan outcome)}
		gate(func(query string) {
			if slices.Contains(stops, query) {
				a.at <- struct{}{}
				<-a.pass
			}
		})
		x.actors[i] = a
	}
	for to, query := range map[**sql.Stmt]string{
		&x.clear: `DELETE FROM job`,
		&x.reset: `UPDATE sqlite_sequence SET seq = 0 WHERE name = 'job'`,
		&x.load:  `INSERT INTO job (` + lineColumns + `, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
		&x.read:  `SELECT ` + lineColumns + ` FROM job ORDER BY seq`,
	} {
		var err error
		if *to, err = x.db.Prepare(query); err != nil {
			t.Fatalf("%v", err)
		}
	}
	t.Cleanup(func() {
		x.settle()
		for _, s := range []*sql.Stmt{x.clear, x.reset, x.load, x.read} {
			s.Close()
		}
	})
	return x
}

// start starts an operation and returns when it stands at the gate, or is over.
func (a *actor) start(do func() outcome) (o outcome, over bool) {
	go func() { a.outcome <- do() }()
	return a.wait()
}

func (a *actor) wait() (o outcome, over bool) {
	select {
	case <-a.at:
		a.standing = true
		return outcome{}, false
	case o := <-a.outcome:
		a.standing = false
		return o, true
	}
}

// resume lets it pass the gate to the end of its operation.
func (a *actor) resume() outcome {
	for {
		a.pass <- struct{}{}
		if o, over := a.wait(); over {
			return o
		}
	}
}

// settle ends what stands at the gates.
func (x *explorer) settle() {
	for _, a := range x.actors {
		if a.standing {
			a.resume()
		}
	}
}

func (x *explorer) rows() (rows []line) {
	found, err := x.read.Query()
	if err != nil {
		x.Fatalf("%v", err)
	}
	defer found.Close()
	for found.Next() {
		var l line
		if err := found.Scan(l.columns()...); err != nil {
			x.Fatalf("%v", err)
		}
		rows = append(rows, l)
	}
	return rows
}

func (x *explorer) put(rows []line) {
	do := func(s *sql.Stmt, args ...any) {
		if _, err := s.Exec(args...); err != nil {
			x.Fatalf("%v: %v", err, args)
		}
	}
	do(x.clear)
	do(x.reset)
	for _, l := range rows {
		do(x.load, l.seq, l.id, l.state, l.attempts, l.max, l.available, l.deadline, l.claims, l.token, l.leaseUntil, l.lastError, l.reason, l.created, l.doneAt, l.diedAt)
	}
}

// restore makes the world what it is in a state. A worker in the middle of an operation is brought
// there again on a table where its first statement changes nothing.
func (x *explorer) restore(s state) {
	x.settle()
	for i, w := range s.workers {
		switch {
		case w.mid == "":
			continue
		case w.mid == "enqueue":
			x.put([]line{{seq: 1, id: "b", state: "pending", max: 1, deadline: 1}})
		case w.leased: // the same row is leased once more, beside one to be buried
			var seq, claims int64
			fmt.Sscanf(w.token, "%d.%d", &seq, &claims)
			for _, l := range s.rows {
				if l.seq == seq {
					x.put([]line{{seq: seq, id: l.id, state: "pending", attempts: w.attempts - 1, max: l.max, available: 0, deadline: retry.Max, claims: claims - 1},
						{seq: 99, id: "doomed", state: "leased", attempts: 1, max: 1, deadline: retry.Max, claims: 1, token: sql.NullInt64{Int64: 1, Valid: true}, leaseUntil: sql.NullInt64{Valid: true}}})
				}
			}
		default:
			x.put(nil)
		}
		if _, over := x.actors[i].start(x.operation(i, w.mid, w.since, w)); over {
			x.Fatalf("%s: worker %d does not stand in the middle of %s", s.path, i, w.mid)
		}
	}
	x.put(s.rows)
}

var (
	exploreLease   = int64(2)
	exploreBackoff = queue.Backoff{BaseMS: 1, CapMS: 1, Jitter: 1}
)

func (x *explorer) operation(i int, name string, now int64, w worker) func() outcome {
	q, ctx := x.actors[i].q, x.Context()
	return func() (o outcome) {
		switch name {
		case "claim":
			o.claim, o.claimed, o.err = q.Claim(ctx, now, exploreLease)
		case "complete":
			o.err = q.Complete(ctx, now, w.held.Token)
		case "fail":
			_, o.err = q.Fail(ctx, now, w.held, queue.Failure{Class: retry.ClassRetryable, Message: "no oven"}, exploreBackoff)
		case "extend":
			_, o.err = q.Extend(ctx, now, w.held.Token, exploreLease)
		case "enqueue":
			o.got, o.err = q.Enqueue(ctx, now, queue.NewJob{ID: "b", MaxAttempts: 1, Deadline: x.limits.clock + 1})
		}
		return o
	}
}

// explore walks from a first state, and returns how many states there are.
func (x *explorer) explore(first state) int {
	open := []state{first}
	x.seen[first.key()] = true
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		for _, next := range x.from(s) {
			if key := next.key(); !x.seen[key] {
				x.seen[key] = true
				open = append(open, next)
			}
		}
	}
	return len(x.seen)
}

// from are the states that are one step from s.
func (x *explorer) from(s state) (next []state) {
	if s.clock < x.limits.clock {
		ticked := s
		ticked.clock++
		ticked.path += fmt.Sprintf(" clock %d;", ticked.clock)
		next = append(next, ticked)
	}
	for i, w := range s.workers {
		if w.mid != "" {
			x.restore(s)
			next = append(next, x.check(s, i, w.mid, x.actors[i].resume(), true))
			continue
		}
		if w.ops == x.limits.ops {
			continue
		}
		for _, name := range []string{"claim", "complete", "fail", "extend", "enqueue"} {
			if !w.holds && (name == "complete" || name == "fail" || name == "extend") {
				continue
			}
			x.restore(s)
			began := s
			began.workers[i].ops++
			began.workers[i].since = s.clock
			o, over := x.actors[i].start(x.operation(i, name, s.clock, w))
			next = append(next, x.check(began, i, name, o, over))
		}
	}
	return next
}

// check compares the table with what a step of worker i may have done to it.
func (x *explorer) check(s state, i int, name string, o outcome, over bool) state {
	x.steps++
	if s.last != "" && s.by != i {
		x.pairs[s.last+" "+name] = true
	}
	s.last, s.by = name, i
	w := &s.workers[i]
	before, now := s.rows, w.since
	second := w.mid != ""
	s.rows = x.rows()
	s.path += fmt.Sprintf(" %c %s", 'A'+i, name)
	if !over {
		s.path += " (first half)"
	}
	s.path += ";"
	wrong := func(format string, args ...any) {
		x.Fatalf("%s %s\nbefore %+v\nafter  %+v", s.path, fmt.Sprintf(format, args...), before, s.rows)
	}
	// What holds after every step.
	var changed []int
	for n, after := range s.rows {
		if n >= len(before) {
			if name != "enqueue" || after.state != "pending" || after.attempts != 0 {
				wrong("a row came")
			}
			continue
		}
		old := before[n]
		if old == after {
			continue
		}
		changed = append(changed, n)
		if after.attempts > after.max || after.attempts < old.attempts || after.claims < old.claims || old.state == "done" || old.state == "dead" ||
			after.id != old.id || after.max != old.max || after.deadline != old.deadline {
			wrong("row %d", n)
		}
	}
	if len(s.rows) < len(before) {
		wrong("a row is lost")
	}
	if o.err != nil && !errors.Is(o.err, queue.ErrLeaseLost) {
		wrong("%v", o.err)
	}
	gone := func(l line) bool { return l.attempts >= l.max || l.deadline <= now } // no budget is left
	open := func(l line) bool {
		return l.state == "pending" || l.state == "leased" && l.leaseUntil.Int64 <= now
	}
	switch name {
	case "claim":
		if second { // the second half buries, and hands over what the first one has leased
			for n, old := range before {
				if dies := open(old) && gone(old); dies != slices.Contains(changed, n) || dies && s.rows[n].state != "dead" {
					wrong("row %d", n)
				}
			}
			if o.claimed != w.leased {
				wrong("claimed %v", o.claimed)
			}
			if o.claimed && o.claim.Token.String() != w.token {
				wrong("claim %+v, leased %s", o.claim, w.token)
			}
			w.holds, w.held = o.claimed, o.claim
			break
		}
		best, doomed := -1, false
		for n, l := range before {
			if open(l) && !gone(l) && (l.state == "leased" || l.available <= now) && (best < 0 || l.available < before[best].available) {
				best = n
			}
			doomed = doomed || open(l) && gone(l)
		}
		if len(changed) > 1 || best >= 0 != slices.Contains(changed, best) || over == (doomed || best < 0) || over && !o.claimed {
			wrong("claimed %v, row %d is first, over %v, doomed %v", o.claimed, best, over, doomed)
		}
		w.leased = best >= 0
		if over {
			w.holds, w.held = o.claimed, o.claim
		}
		if best >= 0 {
			old, l := before[best], s.rows[best]
			if l.state != "leased" || l.attempts != old.attempts+1 || l.claims != old.claims+1 || l.token.Int64 != l.claims || l.leaseUntil.Int64 != now+exploreLease {
				wrong("the lease")
			}
			if over && (o.claim.Token.String() != fmt.Sprintf("%d.%d", l.seq, l.claims) || o.claim.Attempts != l.attempts || o.claim.ID != l.id) {
				wrong("claim %+v", o.claim)
			}
			if !over {
				w.token, w.attempts = fmt.Sprintf("%d.%d", l.seq, l.claims), l.attempts
			}
		}
	case "complete", "fail", "extend":
		live := -1
		for n, l := range before {
			if l.state == "leased" && w.held.Token.String() == fmt.Sprintf("%d.%d", l.seq, l.token.Int64) {
				live = n
			}
		}
		if live < 0 {
			if len(changed) > 0 || !errors.Is(o.err, queue.ErrLeaseLost) {
				wrong("a stale token: %v", o.err)
			}
			break
		}
		l := s.rows[live]
		want := map[string][]string{"complete": {"done"}, "fail": {"pending", "dead"}, "extend": {"leased"}}[name]
		same := name == "extend" && len(changed) == 0 && l.leaseUntil.Int64 == now+exploreLease
		if o.err != nil || !same && !slices.Equal(changed, []int{live}) || !slices.Contains(want, l.state) || l.attempts != before[live].attempts {
			wrong("%v", o.err)
		}
	case "enqueue":
		there := slices.IndexFunc(before, func(l line) bool { return l.id == "b" })
		switch {
		case len(changed) > 0:
			wrong("a row changed")
		case !over:
			if there < 0 || second {
				wrong("the id is not there")
			}
		case second:
			if there < 0 || o.got.Verdict != queue.Existing || string(o.got.State) != before[there].state || len(s.rows) > len(before) {
				wrong("%+v", o.got)
			}
		default:
			if there >= 0 || o.got.Verdict != queue.Created || len(s.rows) != len(before)+1 {
				wrong("%+v", o.got)
			}
		}
	}
	if w.mid = name; over {
		w.mid, w.since, w.leased, w.token, w.attempts = "", 0, false, "", 0
	}
	// The figures of the table sum to what was accepted.
	var count [4]int
	for _, l := range s.rows {
		n := slices.Index([]string{"pending", "leased", "done", "dead"}, l.state)
		count[n]++
	}
	if f := x.stats(s.clock); f.Pending+f.Leased+f.Done+f.Dead != int64(len(s.rows)) || f.Leased != int64(count[1]) || f.Done != int64(count[2]) {
		wrong("figures %+v", f)
	}
	return s
}

// allRaces explores what two workers can do to a job with two attempts, and to one that is accepted
// meanwhile.
func allRaces(t tb, put change, l limits) (states int, x *explorer) {
	x = newExplorer(t, put, l)
	first := state{rows: []line{{seq: 1, id: "a", state: "pending", max: 2, deadline: l.clock}}}
	states = x.explore(first)
	return states, x
}

func TestAllInterleavingsOfTwoWorkers(t *testing.T) {
	l := limits{ops: 2, clock: 3}
	if soaking {
		l = limits{ops: 3, clock: 3}
	}
	states, x := allRaces(t, nil, l)
	t.Logf("%d states, %d steps", states, x.steps)
	if len(x.pairs) != 25 {
		t.Errorf("only %d of the 25 pairs of operations met: %v", len(x.pairs), x.pairs)
	}
	for name, put := range map[string]change{
		"unfenced complete":                      edit("complete", "{held}", anyToken),
		"unfenced fail":                          edit("fail", "{held}", anyToken),
		"unfenced extend":                        edit("extend", "{held}", anyToken),
		"the budget is not checked by the lease": all(edit("candidates", "{due} AND NOT ({exhausted}) AND NOT ({late})", "{due}"), edit("candidates", "{expired} AND NOT ({exhausted}) AND NOT ({late})", "{expired}"), without("attempts_within_budget")),
		"the same token again":                   all(edit("taken", "claims = claims + 1, token = claims + 1", "token = claims"), without("lease_has_a_token", "claims_count_all_attempts")),
		"revived by enqueue":                     all(again("state = 'pending', token = NULL, lease_until = NULL, done_at = NULL, died_at = NULL, dead_reason = NULL"), without("pending_has_an_attempt_left")),
	} {
		if err := put(queue.ReferenceParts()); err != nil {
			t.Errorf("the fault %q can no longer be put in: %v", name, err)
		}
		why := fails(t, func(t tb) { allRaces(t, put, limits{ops: 2, clock: 3}) })
		if why == "" {
			t.Errorf("with the fault %q nothing is noticed", name)
		} else {
			first, _, _ := strings.Cut(why, "\n")
			t.Logf("%s: %s", name, first)
		}
	}
}
