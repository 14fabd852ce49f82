package engine

import (
	"context"
	"database/sql"
	"fmt"

	"retrylab/lab/ask"
	"retrylab/lab/queue"
	"retrylab/lab/scenario"
)

// A held is a run that waits in the middle of its send. The run goes on in a goroutine of its own,
// and only while the engine waits for its next event: so there is one at work at a time.
type held struct {
	step    *step
	sending ask.Sending
	events  chan heldEvent
	answers chan heldAnswer
}

// A heldEvent is that a send has begun, or that the run is over.
type heldEvent struct {
	claim  *queue.Claim
	result scenario.Result
	err    error
}

type heldAnswer struct {
	run   scenario.Run
	after int64
}

// hold runs until a send begins, and answers that it is held. With nothing to send the step is over.
func (l *live) hold(ctx context.Context, s *step) (any, error) {
	h := &held{step: s, events: make(chan heldEvent), answers: make(chan heldAnswer)}
	// The request's context ends before the run does.
	running := context.WithoutCancel(ctx)
	go func() {
		var event heldEvent
		defer func() {
			if r := recover(); r != nil {
				event.err = fmt.Errorf("engine: a fault in a held run: %v", r)
			}
			h.events <- event
		}()
		event.result, event.err = l.reference.Do(running, scenario.Call{
			Now: s.now, Action: s.action, After: s.now,
			Held: func(_ context.Context, claim queue.Claim) (scenario.Run, int64) {
				h.events <- heldEvent{claim: &claim}
				answer := <-h.answers
				return answer.run, answer.after
			},
		})
	}()
	event := <-h.events
	if event.claim == nil {
		return l.finish(ctx, s, event.result, event.err)
	}
	h.sending = ask.Sending{
		ID: event.claim.ID, Payload: cut(event.claim.Payload, ask.MaxLiveText),
		Attempt: event.claim.Attempts, LeaseUntil: event.claim.LeaseUntil,
	}
	s.sent = true
	l.held = h
	err := inTx(ctx, l.engine.db, func(tx *sql.Tx) error {
		return l.note(ctx, tx, entry{at: s.now, do: s.do, id: h.sending.ID, result: "sending", text: s.text})
	})
	if err != nil {
		l.endHeld()
		return nil, err
	}
	s.call.More(h.sending)
	return nil, Later
}

// endHeld ends a held send as the death of its process, without an answer to anybody.
func (l *live) endHeld() {
	h := l.held
	if h == nil {
		return
	}
	l.held = nil
	h.answers <- heldAnswer{run: scenario.Run{Send: scenario.Crash}, after: h.step.now}
	<-h.events
}

// liveAnswer ends the held send. The step that began it is answered first, then this request.
func liveAnswer(ctx context.Context, e *Engine, call *Call) (any, error) {
	l := e.live
	if l.held == nil {
		return nil, &ask.Error{Code: ask.NothingHeld}
	}
	var asked ask.Answer
	if err := call.Decode(&asked); err != nil {
		return nil, err
	}
	var in typed
	run, after, err := in.run(asked.Send, asked.Takes, asked.Error, asked.RetryAfter, l.held.step.now)
	if err != nil {
		return nil, err
	}
	if in.bad != nil {
		return nil, &ask.Error{Code: ask.Rejected, Detail: in.bad[0].Text, Bad: in.bad}
	}
	h := l.held
	l.held = nil
	h.step.after = after
	h.step.text = flow(h.step.do, sendFields(asked))
	h.answers <- heldAnswer{run, after}
	event := <-h.events
	h.step.call.Done(l.finish(ctx, h.step, event.result, event.err))
	return nil, nil
}
