package web

import (
	"testing"

	"retrylab/lab/ask"
)

func TestAKilledEngineIsNoErrorAndSaysSoWhenItIsBack(t *testing.T) {
	var s liveState
	s.show(ask.Live{Now: 7})
	s.start("run", "cake-1")
	s.hold(ask.Sending{ID: "cake-1", Attempt: 1})
	s.kill()
	s.fail(ask.Error{Code: ask.EngineDied})
	if s.Err != nil || s.Died || !s.Killed || s.Busy || s.Sending != nil {
		t.Fatalf("after the kill: %+v", s)
	}
	if !s.ready() || !s.Back {
		t.Fatalf("the new engine is not announced: %+v", s)
	}
	s.show(ask.Live{Now: 7})
	if !s.Back {
		t.Error("the announcement went with the first view")
	}
	s.start("run", "")
	if s.Back || s.Held != nil {
		t.Error("the announcement outlives the next step")
	}
}

func TestAnEngineThatDiesByItselfIsSaidAndTheHeldSendRemembered(t *testing.T) {
	var s liveState
	s.show(ask.Live{})
	s.start("run", "cake-1")
	s.hold(ask.Sending{ID: "cake-1", Attempt: 2})
	s.fail(ask.Error{Code: ask.EngineDied})
	if !s.Died || s.Killed || s.Held == nil || s.Held.ID != "cake-1" {
		t.Fatalf("after the death: %+v", s)
	}
}

func TestAnErrorKeepsTheQueueThatIsShown(t *testing.T) {
	var s liveState
	s.show(ask.Live{Now: 7})
	s.start("purge", "")
	s.fail(ask.Error{Code: ask.StorageFull})
	if s.Live == nil || s.Live.Now != 7 || s.Err == nil || s.Busy {
		t.Fatalf("after the error: %+v", s)
	}
	s.start("run", "")
	if s.Err != nil {
		t.Error("the error outlives the next step")
	}
}

func TestBadFieldsBelongToTheFormThatWasSent(t *testing.T) {
	var s liveState
	s.start("enqueue", "cake-1")
	s.show(ask.Live{Result: &ask.Result{Result: "rejected", Bad: []ask.BadArg{{Name: "deadline", Fault: "late"}}}})
	if b, ok := s.bad("enqueue", "deadline"); !ok || b.Fault != "late" {
		t.Errorf("got %v %v", b, ok)
	}
	if _, ok := s.bad("requeue", "deadline"); ok {
		t.Error("another form's field is marked")
	}
	if _, ok := s.bad("enqueue", "max_attempts"); ok {
		t.Error("a good field is marked")
	}
}
