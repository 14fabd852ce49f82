package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"retrylab/lab/ask"
	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// A step is one step of the live queue on its way.
type step struct {
	call   *Call
	do     string
	text   string
	action scenario.Action // nil moves the clock only
	now    int64
	after  int64
	worker string
	hold   bool
	sent   bool // a send has begun
}

// liveStep does one step. Bad input is answered with what is wrong with it; nothing is done then.
func liveStep(ctx context.Context, e *Engine, call *Call) (any, error) {
	l := e.live
	if err := l.busy(); err != nil {
		return nil, err
	}
	var asked ask.Step
	if err := call.Decode(&asked); err != nil {
		return nil, err
	}
	s, bad, err := l.read(asked)
	if err != nil {
		return nil, err
	}
	if bad != nil {
		return l.view(ctx, &ask.Result{Result: "rejected", Bad: bad})
	}
	if _, ok := s.action.(scenario.Enqueue); ok {
		stats, err := l.reference.Queue().Stats(ctx, s.now)
		if err != nil {
			return nil, err
		}
		if stats.Pending+stats.Leased+stats.Done+stats.Dead >= ask.MaxLiveJobs {
			if _, exists, err := l.reference.Queue().Job(ctx, asked.ID); err != nil || !exists {
				return nil, errors.Join(err, &ask.Error{Code: ask.LiveFull, Detail: fmt.Sprintf("the live queue has %d jobs", ask.MaxLiveJobs)})
			}
		}
	}
	s.call = call
	// The clock moves before the step, as a clock does: an engine that dies in the step has seen it.
	before := l.now
	l.now = s.now
	if err := l.save(ctx, e.db); err != nil {
		l.now = before
		return nil, err
	}
	switch {
	case s.action == nil:
		return l.finish(ctx, s, scenario.Result{{Name: "result", Value: "ok"}}, nil)
	case s.hold:
		return l.hold(ctx, s)
	}
	result, err := l.reference.Do(ctx, scenario.Call{
		Now: s.now, Action: s.action, After: s.after,
		Sent: func(context.Context, scenario.Doer) { s.sent = true },
	})
	return l.finish(ctx, s, result, err)
}

// finish keeps what a step did, and answers it.
func (l *live) finish(ctx context.Context, s *step, result scenario.Result, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if s.sent {
		l.now = max(l.now, s.after)
	}
	id := result.Text("id")
	if id == "" {
		id = l.jobOf(s)
	}
	err = inTx(ctx, l.engine.db, func(tx *sql.Tx) error {
		if err := l.save(ctx, tx); err != nil {
			return err
		}
		if claim, ok := l.reference.Claimed(s.worker); ok && result.Text("result") == "claimed" {
			if err := saveClaim(ctx, tx, s.worker, claim); err != nil {
				return err
			}
		}
		return l.note(ctx, tx, entry{at: s.now, do: s.do, id: id, result: result.Text("result"), text: s.text})
	})
	if err != nil {
		return nil, err
	}
	shown := &ask.Result{Result: result.Text("result")}
	if rejected := l.reference.Rejected(); rejected != nil && shown.Result == "rejected" {
		for _, b := range rejected.Bad {
			shown.Bad = append(shown.Bad, ask.BadArg{Name: b.Name, Fault: string(b.Fault), Text: b.String()})
		}
	}
	shown.Fields = fields(result)
	return l.view(ctx, shown)
}

// fields are a result's fields but its word, as texts. Names of rejected arguments stand in Bad.
func fields(result scenario.Result) (shown []ask.Field) {
	for _, f := range result {
		if f.Name == "result" || f.Name == "names" || f.Value == nil {
			continue
		}
		shown = append(shown, ask.Field{Name: f.Name, Value: fmt.Sprint(f.Value)})
	}
	return shown
}

// jobOf is the job that a step was about, when its result does not tell.
func (l *live) jobOf(s *step) string {
	var id string
	switch a := s.action.(type) {
	case scenario.Enqueue:
		id, _ = a.ID.Text()
	case scenario.Requeue:
		id, _ = a.ID.Text()
	case scenario.Complete, scenario.Fail, scenario.Extend:
		claim, _ := l.reference.Claimed(s.worker)
		id = claim.ID
	}
	return id
}

func saveClaim(ctx context.Context, tx *sql.Tx, worker string, c queue.Claim) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO live_worker (name, token, id, payload, attempts, max_attempts, available_at, deadline, lease_until)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, worker, c.Token.String(), c.ID, c.Payload, c.Attempts, c.MaxAttempts, c.AvailableAt, c.Deadline, c.LeaseUntil)
	return err
}

// An entry is a line of the log.
type entry struct {
	at           int64
	do, id       string
	result, text string
}

// note writes a line of the log; the line of a held send is finished by the one of its end.
func (l *live) note(ctx context.Context, tx *sql.Tx, e entry) error {
	if e.result != "rejected" {
		if err := forgetReset(ctx, tx); err != nil {
			return err
		}
	}
	for _, do := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM live_log WHERE result = 'sending'`, nil},
		{`INSERT INTO live_log (at, do, id, result, text) VALUES (?, ?, ?, ?, ?)`, []any{e.at, e.do, cut(e.id, maxLogText), e.result, cut(e.text, maxLogText)}},
		{`DELETE FROM live_log WHERE n <= (SELECT max(n) FROM live_log) - ?`, []any{maxLog}},
	} {
		if _, err := tx.ExecContext(ctx, do.query, do.args...); err != nil {
			return err
		}
	}
	return nil
}

// Reading a step as it was typed.

// read judges a step. The error is a fault of the page; bad are values that the person typed.
func (l *live) read(asked ask.Step) (s *step, bad []ask.BadArg, err error) {
	s = &step{do: asked.Do, now: l.now}
	var in typed
	if asked.At != "" || asked.Do == "clock" {
		s.now = in.whole("at", asked.At, 0)
	}
	var said []ask.Field // the step as scenario text
	say := func(name, value string) {
		if value != "" {
			said = append(said, ask.Field{Name: name, Value: value})
		}
	}
	text := func(name, value string) retry.Value {
		if value != "" {
			said = append(said, ask.Field{Name: name, Value: source.Quote(value)})
		}
		return retry.Text(value)
	}
	number := func(name, value string) retry.Value {
		say(name, strings.TrimSpace(value))
		return retry.ParseText(value)
	}
	worker := func() string {
		switch n := utf8.RuneCountInString(asked.Worker); {
		case n == 0:
			in.fault("worker", retry.FaultEmpty, retry.Want{Kind: "text", Lo: 1, Hi: queue.MaxIDLength})
		case n > queue.MaxIDLength:
			in.fault("worker", retry.FaultTooLong, retry.Want{Kind: "text", Lo: 1, Hi: queue.MaxIDLength})
		}
		if _, known := l.claims[asked.Worker]; !known && len(l.claims) >= ask.MaxLiveWorkers {
			in.fault("worker", retry.FaultTooMany, retry.Want{})
		}
		s.worker = asked.Worker
		return asked.Worker
	}
	switch asked.Do {
	case "clock":
		say("at", asked.At)
	case "enqueue":
		s.action = scenario.Enqueue{
			ID: text("id", asked.ID), Payload: text("payload", asked.Payload), MaxAttempts: number("max_attempts", asked.MaxAttempts),
			Deadline: number("deadline", asked.Deadline), AvailableAt: number("available_at", asked.AvailableAt),
		}
	case "requeue":
		s.action = scenario.Requeue{ID: text("id", asked.ID), MaxAttempts: number("max_attempts", asked.MaxAttempts), Deadline: number("deadline", asked.Deadline)}
	case "run":
		var run scenario.Run
		run, s.after, err = in.run(asked.Send, asked.Takes, asked.Error, asked.RetryAfter, s.now)
		if err != nil {
			return nil, nil, err
		}
		s.hold, s.action = asked.Hold, run
		if !s.hold { // else its answer tells
			said = sendFields(ask.Answer{Send: asked.Send, Takes: asked.Takes, Error: asked.Error, RetryAfter: asked.RetryAfter})
		}
	case "claim":
		s.action = scenario.Claim{Worker: worker()}
	case "complete":
		s.action = scenario.Complete{Worker: worker()}
	case "extend":
		s.action = scenario.Extend{Worker: worker()}
	case "fail":
		run, _, err := in.run(asked.Send, "", asked.Error, asked.RetryAfter, s.now)
		if err == nil && run.Send != scenario.Retryable && run.Send != scenario.Permanent {
			err = badSend(asked.Send)
		}
		if err != nil {
			return nil, nil, err
		}
		say("worker", source.Quote(asked.Worker))
		said = append(said, sendFields(ask.Answer{Send: asked.Send, Error: asked.Error, RetryAfter: asked.RetryAfter})...)
		s.action = scenario.Fail{Worker: worker(), Send: run.Send, Error: run.Error, RetryAfterMS: run.RetryAfterMS}
	case "purge":
		say("before", strings.TrimSpace(asked.Before))
		s.action = scenario.Purge{Before: in.whole("before", asked.Before, 0)}
	case "restart":
		s.action = scenario.Restart{}
	default:
		return nil, nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("there is no step %q", asked.Do)}
	}
	switch asked.Do {
	case "clock":
		s.text = "at: " + asked.At
	case "claim", "complete", "extend":
		s.text = asked.Do + ": " + source.Quote(asked.Worker)
	case "restart":
		s.text = "restart: true"
	default:
		s.text = flow(asked.Do, said)
	}
	return s, in.bad, nil
}

// flow writes a step on one line, as it would stand in a scenario.
func flow(do string, fields []ask.Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Name + ": " + f.Value
	}
	return do + ": {" + strings.Join(parts, ", ") + "}"
}

// sendFields are how a send ends, as it would stand in a scenario.
func sendFields(a ask.Answer) (said []ask.Field) {
	for _, f := range []ask.Field{
		{Name: "send", Value: a.Send}, {Name: "takes", Value: strings.TrimSpace(a.Takes)},
		{Name: "error", Value: a.Error}, {Name: "retry_after_ms", Value: strings.TrimSpace(a.RetryAfter)},
	} {
		if f.Value == "" {
			continue
		}
		if f.Name == "error" {
			f.Value = source.Quote(f.Value)
		}
		said = append(said, f)
	}
	return said
}

func badSend(send string) error {
	return &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("there is no send %q here", send)}
}

// run reads how a send ends, and the clock after it.
func (in *typed) run(send, takes, message, retryAfter string, now int64) (run scenario.Run, after int64, err error) {
	run = scenario.Run{Send: scenario.Send(send), Error: message}
	switch run.Send {
	case scenario.OK, scenario.Retryable, scenario.Permanent, scenario.Unknown, scenario.Crash:
	case "":
		run.Send = scenario.OK
	default:
		return run, 0, badSend(send)
	}
	if run.Error == "" {
		run.Error = string(run.Send)
	}
	if value := retry.ParseText(retryAfter); value.Given() {
		run.RetryAfterMS = in.whole("retry_after_ms", retryAfter, 0)
	}
	run.Takes = in.signed("takes", takes)
	after = min(retry.Max, now+run.Takes)
	if after < 0 {
		in.fault("takes", retry.FaultTooSmall, retry.WantWhole(-now, retry.Max))
	}
	return run, after, nil
}

// signed reads a whole number -Max..Max; nothing is 0.
func (in *typed) signed(name, text string) int64 {
	text = strings.TrimSpace(text)
	value, sign := retry.ParseText(text), int64(1)
	if !value.Given() {
		return 0
	}
	if digits, ok := strings.CutPrefix(text, "-"); ok && value.Type() == retry.TypeNumber {
		value, sign = retry.ParseText(digits), -1
	}
	n, fault := value.Whole(0, retry.Max)
	in.fault(name, fault, retry.WantWhole(-retry.Max, retry.Max))
	return sign * n
}
