package scenario

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// Rules are what a [Reference] follows. The lab's mutants change one of them.
type Rules struct {
	Parts  *queue.Parts
	Whole  queue.WholeCheck                         // retry.Value.Whole
	Jitter func(retry.Value) (float64, retry.Fault) // retry.Value.Jitter
	Bad    func(bad []retry.BadArg) []retry.BadArg  // which bad arguments are named: all
	Reopen string                                   // SQL that a process runs when it starts again: none
	Locked bool                                     // holds the write lock during a send: no
}

// ReferenceRules are the rules of the reference: SPEC.md, unchanged.
func ReferenceRules() Rules {
	return Rules{
		Parts:  queue.ReferenceParts(),
		Whole:  retry.Value.Whole,
		Jitter: retry.Value.Jitter,
		Bad:    func(bad []retry.BadArg) []retry.BadArg { return bad },
	}
}

// NewReference is the [Maker] of the reference, or of a mutant with other rules, on databases of a
// home. Each call of rules makes the rules of one subject.
func NewReference(home Home, rules func() (Rules, error)) Maker {
	return func(ctx context.Context, policy Policy) (Subject, error) {
		r, err := rules()
		if err != nil {
			return nil, err
		}
		database, err := home.Fresh(ctx)
		if err != nil {
			return nil, err
		}
		s := &Reference{rules: r, policy: policy, database: database, claims: map[string]queue.Claim{}}
		return s, nil
	}
}

// A Reference is the queue of package queue as a subject.
type Reference struct {
	rules    Rules
	policy   Policy
	database Database
	main     *process
	others   *process               // what goes on during a send; nil until somebody asks
	claims   map[string]queue.Claim // each worker's latest claim; it outlives a restart
	rejected *retry.RejectedError   // why the latest step was rejected
}

// A process is a queue with its connection.
type process struct {
	*Reference
	db    *sql.DB
	queue *queue.Queue
}

func (s *Reference) start(ctx context.Context) (*process, error) {
	db, err := s.database.Connect(ctx)
	if err != nil {
		return nil, err
	}
	q, err := queue.Open(ctx, db, queue.Options{Parts: s.rules.Parts, NoTransactions: !s.database.Transactions()})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &process{s, db, q}, nil
}

// stop ends a process. What it had not committed is gone.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.queue.Close(), p.db.Close())
}

// Close ends the subject's processes and removes its database.
func (s *Reference) Close() error {
	err := errors.Join(s.main.stop(), s.others.stop())
	s.main, s.others = nil, nil
	return errors.Join(err, s.database.Remove())
}

// restart is the death of every process, and the same database opened again.
func (s *Reference) restart(ctx context.Context) error {
	err := errors.Join(s.main.stop(), s.others.stop())
	s.main, s.others = nil, nil
	if err != nil {
		return err
	}
	if s.main, err = s.start(ctx); err != nil || s.rules.Reopen == "" {
		return err
	}
	_, err = s.main.db.ExecContext(ctx, s.rules.Reopen)
	return err
}

// other is the process of those who work during a send.
func (s *Reference) other(ctx context.Context) (*process, error) {
	if !s.database.Several() {
		return s.main, nil
	}
	if s.others == nil {
		var err error
		if s.others, err = s.start(ctx); err != nil {
			return nil, err
		}
	}
	return s.others, nil
}

// others does the steps of those who work during a send. Their process starts with the first of them.
type others struct{ *Reference }

func (s others) Do(ctx context.Context, call Call) (Result, error) {
	other, err := s.other(ctx)
	if err != nil {
		return nil, err
	}
	return other.Do(ctx, call)
}

// Queue is the main process's queue, for a caller who looks at it directly.
func (s *Reference) Queue() *queue.Queue { return s.main.queue }

// Do does one step in the main process, which starts with the first step that needs the database.
func (s *Reference) Do(ctx context.Context, call Call) (Result, error) {
	if _, ok := call.Action.(Delay); ok {
		return (&process{Reference: s}).Do(ctx, call)
	}
	if s.main == nil {
		var err error
		if s.main, err = s.start(ctx); err != nil {
			return nil, err
		}
	}
	return s.main.Do(ctx, call)
}

// Do does one step in this process.
func (p *process) Do(ctx context.Context, call Call) (Result, error) {
	result, err := p.do(ctx, call)
	var rejected *retry.RejectedError
	defer func() { p.rejected = rejected }()
	switch {
	case errors.As(err, &rejected):
		return is("rejected", Field{"names", rejected.Names()}), nil
	case errors.Is(err, queue.ErrLeaseLost):
		return is("lease_lost"), nil
	}
	return result, err
}

func (p *process) do(ctx context.Context, call Call) (Result, error) {
	switch a := call.Action.(type) {
	case Enqueue:
		return p.enqueue(ctx, call.Now, a)
	case Run:
		return p.run(ctx, call, a)
	case Claim:
		claim, ok, err := p.queue.Claim(ctx, call.Now, p.policy.LeaseMS)
		if err != nil || !ok {
			return is("none"), err
		}
		p.claims[a.Worker] = claim
		return is("claimed", Field{"id", claim.ID}, Field{"attempts", claim.Attempts}), nil
	case Complete:
		if _, ok := p.claims[a.Worker]; !ok {
			return is("lease_lost"), nil
		}
		return is("done"), p.queue.Complete(ctx, call.Now, p.claims[a.Worker].Token)
	case Fail:
		claim, ok := p.claims[a.Worker]
		if !ok {
			return is("lease_lost"), nil
		}
		failure := p.rules.Parts.Classify(a.Send.mark(errors.New(a.Error), a.RetryAfterMS))
		outcome, err := p.queue.Fail(ctx, call.Now, claim, failure, p.policy.backoff())
		return failed(outcome), err
	case Extend:
		until, err := p.queue.Extend(ctx, call.Now, p.claims[a.Worker].Token, p.policy.LeaseMS)
		return is("extended", Field{"lease_until", until}), err
	case Requeue:
		return p.requeue(ctx, call.Now, a)
	case Purge:
		n, err := p.queue.Purge(ctx, a.Before)
		return is("purged", Field{"count", n}), err
	case Restart:
		return is("ok"), p.restart(ctx)
	case Job:
		job, found, err := p.queue.Job(ctx, a.ID)
		if err != nil || !found {
			return is("absent"), err
		}
		return row(job), nil
	case Stats:
		stats, err := p.queue.Stats(ctx, call.Now)
		return figures(stats), err
	case Delay:
		return p.delay(a)
	}
	return nil, fmt.Errorf("scenario: no step %T", call.Action)
}

func (p *process) enqueue(ctx context.Context, now int64, a Enqueue) (Result, error) {
	job, bad := queue.CheckNewJob(p.rules.Whole, a.ID, a.Payload, a.MaxAttempts, a.Deadline, a.AvailableAt)
	if err := retry.Rejected(p.rules.Bad(bad)); err != nil {
		return nil, err
	}
	accepted, err := p.queue.Enqueue(ctx, now, job)
	return is(string(accepted.Verdict), Field{"state", string(accepted.State)}, Field{"reason", orNull(string(accepted.Reason))}), err
}

func (p *process) requeue(ctx context.Context, now int64, a Requeue) (Result, error) {
	id, ok := a.ID.Text()
	var bad []retry.BadArg
	if !ok {
		bad = append(bad, retry.BadArg{Name: "id", Fault: retry.FaultNotText})
	}
	maxAttempts, fault := p.rules.Whole(a.MaxAttempts, 1, queue.MaxMaxAttempts)
	if fault != "" {
		bad = append(bad, retry.BadArg{Name: "max_attempts", Fault: fault, Want: retry.WantWhole(1, queue.MaxMaxAttempts)})
	}
	deadline, fault := p.rules.Whole(a.Deadline, 0, retry.Max)
	if fault != "" {
		bad = append(bad, retry.BadArg{Name: "deadline", Fault: fault, Want: retry.WantWhole(0, retry.Max)})
	}
	if err := retry.Rejected(p.rules.Bad(bad)); err != nil {
		return nil, err
	}
	return is("requeued"), p.queue.Requeue(ctx, now, id, maxAttempts, deadline)
}

func (p *process) delay(a Delay) (Result, error) {
	attempt, base, cap, jitter, bad := retry.CheckDelay(p.rules.Whole, p.rules.Jitter, a.Attempt, a.BaseMS, a.CapMS, a.Jitter)
	if err := retry.Rejected(p.rules.Bad(bad)); err != nil {
		return nil, err
	}
	value, err := p.rules.Parts.Delay(attempt, base, cap, jitter)
	return is("ok", Field{"value", value}), err
}

// crash is what ends a process inside its send.
type crash struct{}

// run is one run once of the queue, with a send that ends as the step says.
func (p *process) run(ctx context.Context, call Call, a Run) (result Result, err error) {
	var id any
	var sent error
	clock := []int64{call.Now, call.After}
	read := func() int64 {
		now := clock[0]
		clock = clock[1:]
		return now
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(crash); !ok {
				panic(r)
			}
			result, err = is("crashed", Field{"id", id}), p.restart(ctx)
		}
	}()
	policy := queue.RunPolicy{LeaseMS: p.policy.LeaseMS, Backoff: p.policy.backoff()}
	run, err := p.queue.RunOnce(ctx, read, policy, func(ctx context.Context, claim queue.Claim) error {
		id = claim.ID
		if p.rules.Locked {
			if _, err := p.db.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
				return err
			}
		}
		if call.Sent != nil {
			call.Sent(ctx, others{p.Reference})
		}
		if call.Held != nil {
			a, clock[0] = call.Held(ctx, claim)
		}
		if a.Send == Crash {
			panic(crash{})
		}
		sent = a.Send.mark(errors.New(a.Error), a.RetryAfterMS)
		if sent != nil && a.Wrapped {
			sent = fmt.Errorf("send: %w", sent)
		}
		return sent
	})
	if p.rules.Locked && run.Claimed {
		if _, commitErr := p.db.ExecContext(ctx, "COMMIT"); commitErr != nil {
			err = errors.Join(err, commitErr)
		}
	}
	switch {
	case err == nil && !run.Claimed:
		return is("none"), nil
	case err == nil && run.Done:
		return is("done", Field{"id", id}), nil
	case err == nil:
		return append(failed(run.Outcome), Field{"id", id}), nil
	case err == sent && a.Send == Unknown:
		return is("unknown", Field{"id", id}), nil
	case errors.Is(err, queue.ErrClockBackwards):
		return is("clock_backwards", Field{"id", id}), nil
	case errors.Is(err, queue.ErrLeaseLost):
		return is("lease_lost", Field{"id", id}), nil
	}
	return nil, err
}

// mark is the error of a send with this end, with the adapter's word on it.
func (s Send) mark(err error, retryAfterMS int64) error {
	switch s {
	case Retryable:
		return retry.RetryableAfter(err, retryAfterMS)
	case Permanent:
		return retry.Permanent(err)
	case Unknown:
		return err
	}
	return nil
}

func (p Policy) backoff() queue.Backoff {
	return queue.Backoff{BaseMS: p.BaseMS, CapMS: p.CapMS, Jitter: p.Jitter}
}

func failed(o queue.Outcome) Result {
	if o.State == queue.Dead {
		return is("dead", Field{"reason", string(o.Reason)})
	}
	return is("retry", Field{"available_at", o.AvailableAt})
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func deref[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// row is a job as a result.
func row(j queue.Job) Result {
	return Result{
		{"id", j.ID}, {"payload", j.Payload}, {"state", string(j.State)}, {"attempts", j.Attempts},
		{"max_attempts", j.MaxAttempts}, {"available_at", j.AvailableAt}, {"deadline", j.Deadline},
		{"lease_until", deref(j.LeaseUntil)}, {"last_error", deref(j.LastError)}, {"dead_reason", orNull(string(j.DeadReason))},
	}
}

// figures are the stats as a result.
func figures(s queue.Stats) Result {
	return Result{
		{"pending", s.Pending}, {"due", s.Due}, {"leased", s.Leased}, {"expired", s.Expired}, {"done", s.Done},
		{"dead", s.Dead}, {"dead_exhausted", s.DeadExhausted}, {"dead_deadline", s.DeadDeadline},
		{"dead_permanent", s.DeadPermanent}, {"retries", s.Retries}, {"oldest_due_ms", deref(s.OldestDueMS)},
		{"oldest_open_ms", deref(s.OldestOpenMS)},
	}
}
