package web

import (
	"slices"

	"retrylab/lab/ask"
	"retrylab/lab/retry"
)

// A liveState is the live queue's page without its looks: what the engine last said, what is under
// way, and what a person is told about it.
type liveState struct {
	Live    *ask.Live      // the queue as the engine last showed it; nil before its first answer
	Sending *ask.Sending   // a send is held
	Open    map[string]int // how many steps of each kind are under way
	Err     *ask.Error     // what the last request failed with
	Killed  bool           // the engine was ended on purpose, and has not come back yet
	Died    bool           // the engine ended by itself, and has not come back yet
	Back    bool           // it has come back since; said until the next step
	Held    *ask.Sending   // the send during which the engine ended
	Answer  []ask.BadArg   // what was wrong with the answer to the held send
	Last    string         // the step whose result is shown: enqueue, run, ...
	Target  string         // the job it was about
}

// start notes that a step is under way. Several may be: the engine does them one after the other.
func (s *liveState) start(do string) {
	s.Err, s.Back, s.Held = nil, false, nil
	if s.Open == nil {
		s.Open = map[string]int{}
	}
	s.Open[do]++
}

// end notes that a step is over, whatever it came to.
func (s *liveState) end(do string) {
	if s.Open[do]--; s.Open[do] <= 0 {
		delete(s.Open, do)
	}
}

// hold notes that the engine is in the middle of a send and waits for its answer.
func (s *liveState) hold(sending ask.Sending) { s.Sending = &sending }

// show takes over the queue as the engine shows it after a step about a job; do is "" when it was only
// asked for.
func (s *liveState) show(live ask.Live, do, id string) {
	s.Back = s.Back || s.Killed || s.Died
	s.Live, s.Sending = &live, live.Sending
	s.Err, s.Answer, s.Killed, s.Died = nil, nil, false, false
	s.Last, s.Target = do, id
}

// fail notes that a request failed. An engine that was killed on purpose is no error.
func (s *liveState) fail(err ask.Error) {
	if err.Code == ask.EngineDied {
		s.drop()
		if !s.Killed {
			s.Died = true
		}
		return
	}
	s.Err = &err
}

// drop remembers the send during which the engine ended.
func (s *liveState) drop() {
	if s.Sending != nil {
		s.Held, s.Sending = s.Sending, nil
	}
}

// kill notes that the engine is being ended on purpose.
func (s *liveState) kill() {
	s.drop()
	s.Killed, s.Err, s.Back = true, nil, false
}

// ready notes that an engine answers; it reports whether one had been there before, so that what is
// shown must be asked for again.
func (s *liveState) ready() (again bool) {
	again = s.Live != nil
	if again { // it may have ended with nobody told
		s.drop()
	}
	s.Killed, s.Died = false, false
	s.Back = s.Back || again
	return again
}

// refuse notes what was wrong with the answer to the held send, which goes on being held.
func (s *liveState) refuse(err ask.Error) {
	if err.Code == ask.Rejected {
		s.Answer, s.Err = err.Bad, nil
		return
	}
	s.fail(err)
}

// bad is what is wrong with the named field of a form, and false when nothing is. steps are those that
// the form sends; the form without any answers the held send.
func (s *liveState) bad(name string, steps ...string) (ask.BadArg, bool) {
	said := s.Answer
	if len(steps) > 0 {
		said = nil
		if s.Live != nil && s.Live.Result != nil && slices.Contains(steps, s.Last) {
			said = s.Live.Result.Bad
		}
	}
	for _, b := range said {
		if b.Name == name {
			return b, true
		}
	}
	return ask.BadArg{}, false
}

// wants are what the live queue's fields should hold, where a range says it.
var wants = map[string]retry.Want{
	"id": {Kind: "text", Lo: 1, Hi: 200}, "worker": {Kind: "text", Lo: 1, Hi: 200},
	"max_attempts": retry.WantWhole(1, 10000), "deadline": retry.WantWhole(0, retry.Max), "available_at": retry.WantWhole(0, retry.Max),
	"at": retry.WantWhole(0, retry.Max), "before": retry.WantWhole(0, retry.Max), "retry_after_ms": retry.WantWhole(0, retry.Max),
	"base_ms": retry.WantWhole(1, retry.Max), "cap_ms": retry.WantWhole(1, retry.Max), "lease_ms": retry.WantWhole(1, retry.Max),
	"jitter": retry.WantJitter(),
}

// wanted is what would have been right in a field with that fault; nothing where the fault says all.
func wanted(name string, fault retry.Fault) retry.Want {
	switch fault {
	case retry.FaultLate, retry.FaultNoRoom, retry.FaultState:
		return retry.Want{}
	}
	return wants[name]
}

// A tone is how a result is shown: its class and its icon.
type tone struct{ Class, Icon string }

var (
	toneGood = tone{"is-done", "done"}
	toneBad  = tone{"is-wrong", "permanent"}
	toneWarn = tone{"is-warn", "warn"}
	toneInfo = tone{"is-info", "info"}
)

// resultTone is the tone of a step's result word (SPEC.md section 9).
func resultTone(result string) tone {
	switch result {
	case "created", "done", "extended", "requeued", "purged", "ok", "claimed":
		return toneGood
	case "rejected", "conflict", "dead", "lease_lost", "clock_backwards", "unknown", "crashed":
		return toneBad
	case "retry", "existing":
		return toneWarn
	}
	return toneInfo
}
