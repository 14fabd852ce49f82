package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"unicode/utf8"

	"retrylab/lab/ask"
	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

func init() {
	Handle(ask.LiveView, func(ctx context.Context, e *Engine, _ *Call) (any, error) { return e.live.view(ctx, nil) })
	Handle(ask.LiveStep, liveStep)
	Handle(ask.LiveAnswer, liveAnswer)
	Handle(ask.LiveReset, liveReset)
	Handle(ask.LiveUndo, liveUndo)
	Handle(ask.LivePolicy, livePolicy)
}

// A live is the live queue: the reference, resumed on the lab's database, with a clock that only
// steps move. What it shows is all in the database: a reload, or the death of the engine, loses
// nothing but a send that was under way, whose attempt is consumed.
type live struct {
	engine    *Engine
	reference *scenario.Reference
	claims    map[string]queue.Claim // the reference's
	now       int64
	policy    scenario.Policy
	held      *held // a send that waits for its answer
}

// liveHome hands the lab's database to the reference, which opens it again at a restart.
type liveHome struct{ engine *Engine }

func (h liveHome) Connect(context.Context) (db *sql.DB, err error) {
	h.engine.db, err = h.engine.home.Connect(labDatabase)
	return h.engine.db, err
}

func (liveHome) Several() bool      { return false }
func (liveHome) Transactions() bool { return true }
func (liveHome) Remove() error      { return nil } // it stays

func openLive(ctx context.Context, e *Engine) (*live, error) {
	l := &live{engine: e, claims: map[string]queue.Claim{}, policy: scenario.DefaultPolicy}
	var err error
	if l.reference, err = scenario.Resume(ctx, liveHome{e}, l.policy, l.claims); err != nil {
		return nil, newer(err)
	}
	if err := migrate(ctx, e.db); err != nil {
		return nil, errors.Join(err, l.close())
	}
	if err := l.load(ctx); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *live) close() error {
	l.endHeld()
	return l.reference.Close()
}

// load reads what an earlier engine left: clock, policy, claims. A send that it had held is over.
func (l *live) load(ctx context.Context) error {
	db := l.engine.db
	err := db.QueryRowContext(ctx, `SELECT now, base_ms, cap_ms, jitter, lease_ms FROM live`).
		Scan(&l.now, &l.policy.BaseMS, &l.policy.CapMS, &l.policy.Jitter, &l.policy.LeaseMS)
	if errors.Is(err, sql.ErrNoRows) { // no step was done yet
		return nil
	}
	if err != nil {
		return err
	}
	l.reference.SetPolicy(l.policy)
	if _, err := db.ExecContext(ctx, `UPDATE live_log SET result = 'crashed' WHERE result = 'sending'`); err != nil {
		return err
	}
	return l.loadClaims(ctx)
}

func (l *live) loadClaims(ctx context.Context) error {
	clear(l.claims)
	rows, err := l.engine.db.QueryContext(ctx, `SELECT name, token, id, payload, attempts, max_attempts, available_at, deadline, lease_until FROM live_worker`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, token string
		var c queue.Claim
		if err := rows.Scan(&name, &token, &c.ID, &c.Payload, &c.Attempts, &c.MaxAttempts, &c.AvailableAt, &c.Deadline, &c.LeaseUntil); err != nil {
			return err
		}
		var ok bool
		if c.Token, ok = queue.ParseToken(token); !ok {
			return fmt.Errorf("engine: the worker %q has no token, but %q", name, token)
		}
		l.claims[name] = c
	}
	return rows.Err()
}

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// save keeps the clock and the policy.
func (l *live) save(ctx context.Context, db execer) error {
	_, err := db.ExecContext(ctx, `INSERT INTO live (one, now, base_ms, cap_ms, jitter, lease_ms) VALUES (1, ?1, ?2, ?3, ?4, ?5)
ON CONFLICT (one) DO UPDATE SET now = ?1, base_ms = ?2, cap_ms = ?3, jitter = ?4, lease_ms = ?5`,
		l.now, l.policy.BaseMS, l.policy.CapMS, l.policy.Jitter, l.policy.LeaseMS)
	return err
}

// Bounds of what a view shows and of what is kept.
const (
	maxShownJobs = 200
	maxLog       = 200
	maxLogText   = 300 // characters
)

// view is the live queue as it stands, after a step with that result.
func (l *live) view(ctx context.Context, result *ask.Result) (ask.Live, error) {
	view := ask.Live{Now: l.now, Policy: ask.Policy(l.policy), Jobs: []ask.Job{}, Result: result}
	q := l.reference.Queue()
	jobs, err := q.Jobs(ctx, maxShownJobs)
	if err != nil {
		return view, err
	}
	for _, j := range jobs {
		view.Jobs = append(view.Jobs, shownJob(j))
	}
	stats, err := q.Stats(ctx, l.now)
	if err != nil {
		return view, err
	}
	view.Stats = ask.Stats(stats)
	view.Total = stats.Pending + stats.Leased + stats.Done + stats.Dead
	if l.held != nil {
		view.Sending = &l.held.sending
	}
	if view.CanUndo, err = canUndo(ctx, l.engine.db); err != nil {
		return view, err
	}
	view.Log, err = l.log(ctx)
	return view, err
}

func shownJob(j queue.Job) ask.Job {
	shown := ask.Job{
		ID: j.ID, Payload: cut(j.Payload, ask.MaxLiveText), State: string(j.State), Attempts: j.Attempts, MaxAttempts: j.MaxAttempts,
		AvailableAt: j.AvailableAt, Deadline: j.Deadline, LeaseUntil: j.LeaseUntil, CreatedAt: j.CreatedAt, DoneAt: j.DoneAt, DiedAt: j.DiedAt,
	}
	if j.LastError != nil {
		text := cut(*j.LastError, ask.MaxLiveText)
		shown.LastError = &text
	}
	if j.DeadReason != "" {
		reason := string(j.DeadReason)
		shown.DeadReason = &reason
	}
	return shown
}

// cut shortens a text to a number of characters.
func cut(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

func (l *live) log(ctx context.Context) ([]ask.Entry, error) {
	rows, err := l.engine.db.QueryContext(ctx, `SELECT at, do, id, result, text FROM live_log ORDER BY n`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var entries []ask.Entry
	for rows.Next() {
		var e ask.Entry
		if err := rows.Scan(&e.At, &e.Do, &e.ID, &e.Result, &e.Text); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// busy is the error of what cannot be done while a send is held.
func (l *live) busy() error {
	if l.held == nil {
		return nil
	}
	return &ask.Error{Code: ask.Busy, Detail: fmt.Sprintf("the send of %s is held: answer it first", l.held.sending.ID)}
}

// What a reset removes can be taken back until the next step that does something.

func canUndo(ctx context.Context, db *sql.DB) (bool, error) {
	var n int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE name = 'undo_job'`).Scan(&n)
	return n > 0, err
}

var undone = []string{"job", "live", "live_worker", "live_log"}

func forgetReset(ctx context.Context, tx *sql.Tx) error {
	for _, table := range undone {
		if _, err := tx.ExecContext(ctx, `DROP TABLE IF EXISTS undo_`+table); err != nil {
			return err
		}
	}
	return nil
}

// liveReset empties the queue and sets its clock to 0; the policy stays. Tokens go on from where they
// were: one is never used twice.
func liveReset(ctx context.Context, e *Engine, _ *Call) (any, error) {
	l := e.live
	if err := l.busy(); err != nil {
		return nil, err
	}
	before := l.now
	err := inTx(ctx, e.db, func(tx *sql.Tx) error {
		if err := forgetReset(ctx, tx); err != nil {
			return err
		}
		for _, table := range undone {
			if _, err := tx.ExecContext(ctx, `CREATE TABLE undo_`+table+` AS SELECT * FROM `+table); err != nil {
				return err
			}
			if table == "live" {
				continue
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table); err != nil {
				return err
			}
		}
		l.now = 0
		return l.save(ctx, tx)
	})
	if err != nil {
		l.now = before
		return nil, err
	}
	clear(l.claims)
	return l.view(ctx, nil)
}

// liveUndo takes the last reset back.
func liveUndo(ctx context.Context, e *Engine, _ *Call) (any, error) {
	l := e.live
	if err := l.busy(); err != nil {
		return nil, err
	}
	if can, err := canUndo(ctx, e.db); err != nil || !can {
		return nil, errors.Join(err, &ask.Error{Code: ask.NothingToUndo})
	}
	err := inTx(ctx, e.db, func(tx *sql.Tx) error {
		for _, table := range undone {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO `+table+` SELECT * FROM undo_`+table); err != nil {
				return err
			}
		}
		return forgetReset(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	return l.view(ctx, nil)
}

// livePolicy changes the policy; every field is needed.
func livePolicy(ctx context.Context, e *Engine, call *Call) (any, error) {
	l := e.live
	if err := l.busy(); err != nil {
		return nil, err
	}
	var text ask.PolicyText
	if err := call.Decode(&text); err != nil {
		return nil, err
	}
	var in typed
	policy := scenario.Policy{
		BaseMS:  in.whole("base_ms", text.BaseMS, 1),
		CapMS:   in.whole("cap_ms", text.CapMS, 1),
		Jitter:  in.jitter("jitter", text.Jitter),
		LeaseMS: in.whole("lease_ms", text.LeaseMS, 1),
	}
	if in.bad != nil {
		return l.view(ctx, &ask.Result{Result: "rejected", Bad: in.bad})
	}
	before := l.policy
	l.policy = policy
	err := inTx(ctx, e.db, func(tx *sql.Tx) error {
		if err := l.save(ctx, tx); err != nil {
			return err
		}
		return l.note(ctx, tx, entry{at: l.now, do: "policy", result: "ok", text: policyText(text)})
	})
	if err != nil {
		l.policy = before
		return nil, err
	}
	l.reference.SetPolicy(policy)
	return l.view(ctx, &ask.Result{Result: "ok"})
}

func policyText(p ask.PolicyText) string {
	return flow("policy", []ask.Field{{Name: "base_ms", Value: p.BaseMS}, {Name: "cap_ms", Value: p.CapMS}, {Name: "jitter", Value: p.Jitter}, {Name: "lease_ms", Value: p.LeaseMS}})
}

// typed judges numbers as they were typed, and gathers what is wrong.
type typed struct{ bad []ask.BadArg }

func (in *typed) fault(name string, fault retry.Fault, want retry.Want) {
	if fault != "" {
		b := retry.BadArg{Name: name, Fault: fault, Want: want}
		in.bad = append(in.bad, ask.BadArg{Name: name, Fault: string(fault), Text: b.String()})
	}
}

func (in *typed) whole(name, text string, lo int64) int64 {
	n, fault := retry.ParseText(text).Whole(lo, retry.Max)
	in.fault(name, fault, retry.WantWhole(lo, retry.Max))
	return n
}

func (in *typed) jitter(name, text string) float64 {
	j, fault := retry.ParseText(text).Jitter()
	in.fault(name, fault, retry.WantJitter())
	return j
}
