package student

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"retrylab/lab/scenario"
)

// A life is one process: the code as it was loaded anew, a connection, and a Queue on it.
type life struct {
	*subject
	number int
	db     *connection // nil for a life that only knows retry_delay
	ended  bool        // the process has died
	gone   bool        // the program has forgotten it

	now   int64 // what its clock says
	ticks bool  // a send has ended: from the next reading on, the clock goes on as real ones do
	send  func(job any) sending
	fault error // of the code, noticed inside a send
}

// start makes a life with a queue.
func (s *subject) start() (*life, error) {
	db, err := s.database.connect()
	if err != nil {
		return nil, err
	}
	l := &life{subject: s, db: db}
	if err := l.load(); err != nil {
		return nil, err
	}
	return l, nil
}

// load loads the code anew, and makes a queue when the life has a database.
func (l *life) load() error {
	l.host.last++
	l.number = l.host.last
	l.host.lives[l.number] = l
	if _, err := l.host.ask(l.program, call{Do: "live", Life: l.number, Fresh: l.subject.died, Queue: l.db != nil}); err != nil {
		l.end()
		return err
	}
	return nil
}

// end ends the life: its database refuses every further statement, and what it had not committed is
// gone.
func (l *life) end() {
	if l == nil || l.gone {
		return
	}
	l.die()
	l.gone = true
	delete(l.host.lives, l.number)
	l.host.gone = append(l.host.gone, l.number)
}

// die is the death of the process while its code may still run.
func (l *life) die() {
	if l.ended {
		return
	}
	l.ended, l.subject.died = true, true
	if l.db != nil {
		l.db.close()
	}
}

// call calls a function of the code.
func (l *life) call(name string, args []any, named map[string]any) (any, error) {
	return l.host.ask(l.program, call{Do: "call", Life: l.number, Name: name, Args: args, Named: named})
}

func (l *life) do(ctx context.Context, c scenario.Call) (scenario.Result, error) {
	l.now = c.Now
	got, err := l.act(ctx, c)
	if fault := l.fault; fault != nil {
		l.fault = nil
		return nil, l.language.named(fault)
	}
	if r, ok := raised(err, leaseLost); ok {
		return result("lease_lost", l.host.note(r)), nil
	}
	return got, l.language.named(err)
}

// note keeps what the code raised for whoever looks at the step.
func (h *Host) note(r *Raised) scenario.Field {
	h.noted = r
	return scenario.Field{Name: "raised", Value: r.Error()}
}

func (l *life) act(ctx context.Context, c scenario.Call) (scenario.Result, error) {
	now := number(c.Now)
	switch a := c.Action.(type) {
	case scenario.Enqueue:
		return l.enqueue(now, a, c.Expect)
	case scenario.Run:
		return l.run(ctx, c, a)
	case scenario.Claim:
		return l.claim(now, a.Worker)
	case scenario.Complete:
		held, ok := l.claims[a.Worker]
		if !ok {
			return result("lease_lost"), nil
		}
		_, err := l.call("complete", []any{held.id, held.token, now}, nil)
		return result("done"), err
	case scenario.Fail:
		held, ok := l.claims[a.Worker]
		if !ok {
			return result("lease_lost"), nil
		}
		failed := tagged{"failure": newFailure(string(a.Send), a.Error, a.RetryAfterMS)}
		got, err := l.call("fail", []any{held.id, held.token, failed, now}, l.backoff())
		if err != nil {
			return nil, err
		}
		return l.outcome("fail", got)
	case scenario.Extend:
		held, ok := l.claims[a.Worker]
		if !ok {
			return result("lease_lost"), nil
		}
		if _, err := l.call("extend", []any{held.id, held.token, now, number(l.policy.LeaseMS)}, nil); err != nil {
			return nil, err
		}
		row, err := l.job(held.id)
		return result("extended", scenario.Field{Name: "lease_until", Value: row.Get("lease_until")}), err
	case scenario.Requeue:
		_, err := l.call("requeue", []any{value(a.ID), value(a.MaxAttempts), value(a.Deadline), now}, nil)
		if r, ok := raised(err, rejected); ok {
			return result("rejected", l.host.note(r)), nil
		}
		return result("requeued"), err
	case scenario.Job:
		return l.job(a.ID)
	case scenario.Stats:
		got, err := l.call("stats", []any{now}, nil)
		if err != nil {
			return nil, err
		}
		return fields("stats", got, figures)
	}
	return nil, fmt.Errorf("student: the step %T is not asked of a student", c.Action)
}

func (l *life) backoff() map[string]any {
	return map[string]any{"base_ms": number(l.policy.BaseMS), "cap_ms": number(l.policy.CapMS), "jitter": jitter(l.policy.Jitter)}
}

func (l *life) enqueue(now any, a scenario.Enqueue, expect []scenario.Expectation) (scenario.Result, error) {
	payload := value(a.Payload)
	args := []any{value(a.ID), payload, value(a.MaxAttempts), value(a.Deadline), now}
	if a.AvailableAt.Given() {
		args = append(args, value(a.AvailableAt))
	}
	got, err := l.call("enqueue", args, nil)
	if r, ok := raised(err, rejected); ok {
		return result("rejected", l.host.note(r)), nil
	}
	if r, ok := raised(err, conflict); ok {
		return result("conflict", l.host.note(r)), nil
	}
	if err != nil {
		return nil, err
	}
	word, ok := got.(string)
	if !ok || word != "created" && word != "existing" {
		return nil, wrong("enqueue", "", got, `"created" or "existing"`)
	}
	id, ok := a.ID.Text()
	if !ok {
		return result(word), nil
	}
	if text, ok := payload.(string); ok && word == "created" {
		l.payloads[id] = text
	}
	// enqueue itself returns one word (SPEC.md section 10): the rest stands in the job.
	if !slices.ContainsFunc(expect, func(e scenario.Expectation) bool { return e.Field == "state" || e.Field == "reason" }) {
		return result(word), nil
	}
	row, err := l.job(id)
	if r, ok := err.(*Raised); ok {
		r.Message += " (in job, which the lab asks for the state)"
	}
	if err != nil {
		return nil, err
	}
	return result(word, scenario.Field{Name: "state", Value: row.Get("state")}, scenario.Field{Name: "reason", Value: row.Get("dead_reason")}), nil
}

func (l *life) claim(now any, worker string) (scenario.Result, error) {
	got, err := l.call("claim", []any{now, number(l.policy.LeaseMS)}, nil)
	if err != nil {
		return nil, err
	}
	if got == nil {
		return result("none"), nil
	}
	row, err := fields("claim", got, claimed)
	if err != nil {
		return nil, err
	}
	id, _ := row.Get("id").(string)
	token, err := tokenOf(got)
	if err != nil {
		return nil, err
	}
	if want, ok := l.payloads[id]; ok && row.Get("payload") != want {
		return nil, fmt.Errorf("claim returned the payload %s, wanted %s", scenario.Show(row.Get("payload")), scenario.Show(want))
	}
	l.sends[id]++
	l.claims[worker] = claim{id, token}
	return result("claimed", scenario.Field{Name: "id", Value: id}, scenario.Field{Name: "attempts", Value: row.Get("attempts")}), nil
}

// errCrash ends a run whose process died inside its send, whatever the code made of it afterwards.
var errCrash = errors.New("the process died inside the send")

func (l *life) run(ctx context.Context, c scenario.Call, a scenario.Run) (scenario.Result, error) {
	var sent any // the id of the job that was sent
	crashed := false
	l.send = func(job any) sending {
		row, err := fields("send", job, sentJob)
		if err != nil {
			l.fault = err
		}
		id := row.Text("id")
		sent = row.Get("id")
		l.sends[id]++
		if want, ok := l.payloads[id]; ok && err == nil && row.Get("payload") != want {
			l.fault = fmt.Errorf("send was called with the payload %s, wanted %s", scenario.Show(row.Get("payload")), scenario.Show(want))
		}
		if want := l.sends[id]; err == nil && row.Get("attempt") != want {
			l.fault = fmt.Errorf("send was called with attempt %s, wanted %d", scenario.Show(row.Get("attempt")), want)
		}
		if c.Sent != nil {
			c.Sent(ctx, during{l.subject})
		}
		l.now, l.ticks = c.After, true
		if a.Send == scenario.Crash {
			crashed = true
			l.die()
			return sending{Crash: true}
		}
		if a.Send == scenario.OK {
			return sending{}
		}
		f := newFailure(string(a.Send), a.Error, a.RetryAfterMS)
		f.Wrapped = a.Wrapped
		return sending{Failure: &f}
	}
	named := l.backoff()
	named["lease_ms"] = number(l.policy.LeaseMS)
	got, err := l.call("run_once", []any{tagged{"clock": 1}, tagged{"send": 1}}, named)
	l.send, l.ticks = nil, false
	id := scenario.Field{Name: "id", Value: sent}
	if crashed {
		fault := l.fault
		if err := l.restart(); err != nil {
			return nil, err
		}
		l.main.now = c.After
		return result("crashed", id), fault
	}
	if r, ok := raised(err, sentError, clockBack, leaseLost); ok {
		word := map[is]string{sentError: "unknown", clockBack: "clock_backwards", leaseLost: "lease_lost"}[r.Is]
		return result(word, id, l.host.note(r)), nil
	}
	if err != nil {
		return nil, err
	}
	if got == nil {
		return result("none"), nil
	}
	return l.outcome("run_once", got)
}

// outcome is what run_once or fail returned.
func (l *life) outcome(function string, got any) (scenario.Result, error) {
	row, err := fields(function, got, outcomes)
	if err != nil {
		return nil, err
	}
	switch word := row.Text("result"); word {
	case "done", "retry", "dead":
		return row, nil
	default:
		return nil, fmt.Errorf(`%s returned the result %s, wanted "done", "retry" or "dead"`, l.language.name(function), scenario.Show(row.Get("result")))
	}
}

// job is a row as the code shows it.
func (l *life) job(id string) (scenario.Result, error) {
	got, err := l.call("job", []any{id}, nil)
	if err != nil {
		return nil, err
	}
	if got == nil {
		return result("absent"), nil
	}
	return fields("job", got, row)
}
