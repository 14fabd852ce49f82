package web

import "retrylab/lab/ask"

// A liveState is the live queue's page without its looks: what the engine last said, what is under
// way, and what a person is told about it.
type liveState struct {
	Live    *ask.Live    // the queue as the engine last showed it; nil before its first answer
	Sending *ask.Sending // a send is held
	Busy    bool         // a step is under way
	Err     *ask.Error   // what the last request failed with
	Killed  bool         // the engine was ended on purpose, and has not come back yet
	Died    bool         // the engine ended by itself, and has not come back yet
	Back    bool         // it has come back since; said until the next step
	Held    *ask.Sending // the send during which the engine ended
	Last    string       // the step whose result is shown: enqueue, run, ...
	Target  string       // the job it was about
}

// start notes that a step is under way.
func (s *liveState) start(do, id string) {
	s.Busy, s.Err, s.Back, s.Held = true, nil, false, nil
	s.Last, s.Target = do, id
	if s.Live != nil {
		s.Live.Result = nil
	}
}

// hold notes that the engine is in the middle of a send and waits for its answer.
func (s *liveState) hold(sending ask.Sending) { s.Sending = &sending }

// show takes over the queue as the engine shows it now.
func (s *liveState) show(live ask.Live) {
	s.Live, s.Busy, s.Err = &live, false, nil
	s.Sending = live.Sending
	s.Killed, s.Died = false, false
}

// fail notes that a request failed. An engine that was killed on purpose is no error.
func (s *liveState) fail(err ask.Error) {
	s.Busy = false
	if err.Code == ask.EngineDied {
		s.Held, s.Sending = s.Sending, nil
		if !s.Killed {
			s.Died = true
		}
		return
	}
	s.Err = &err
}

// kill notes that the engine is being ended on purpose.
func (s *liveState) kill() {
	s.Held, s.Sending = s.Sending, nil
	s.Killed, s.Busy, s.Err, s.Back = true, false, nil, false
}

// ready notes that an engine answers; it reports whether one had ended before.
func (s *liveState) ready() (again bool) {
	again = s.Killed || s.Died
	s.Killed, s.Died, s.Busy = false, false, false
	s.Back = s.Back || again
	return again
}

// bad is what is wrong with the named field of the last step, and false when nothing is.
func (s *liveState) bad(do, name string) (ask.BadArg, bool) {
	if s.Last != do || s.Live == nil || s.Live.Result == nil {
		return ask.BadArg{}, false
	}
	for _, b := range s.Live.Result.Bad {
		if b.Name == name {
			return b, true
		}
	}
	return ask.BadArg{}, false
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
