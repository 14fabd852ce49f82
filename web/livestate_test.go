package web

import (
	"testing"

	"retrylab/lab/ask"
)

func TestAKilledEngineIsNoErrorAndSaysSoWhenItIsBack(t *testing.T) {
	var s liveState
	s.show(ask.Live{Now: 7}, "", "")
	s.start("run")
	s.hold(ask.Sending{ID: "cake-1", Attempt: 1})
	s.kill()
	s.fail(ask.Error{Code: ask.EngineDied})
	if s.Err != nil || s.Died || !s.Killed || s.Sending != nil || s.Held == nil {
		t.Fatalf("after the kill: %+v", s)
	}
	if !s.ready() || !s.Back {
		t.Fatalf("the new engine is not announced: %+v", s)
	}
	s.show(ask.Live{Now: 7}, "", "")
	if !s.Back {
		t.Error("the announcement went with the first view")
	}
	s.start("run")
	if s.Back || s.Held != nil {
		t.Error("the announcement outlives the next step")
	}
}

func TestAnEngineThatDiesByItselfIsSaidAndTheHeldSendRemembered(t *testing.T) {
	var s liveState
	s.show(ask.Live{}, "", "")
	s.start("run")
	s.hold(ask.Sending{ID: "cake-1", Attempt: 2})
	s.fail(ask.Error{Code: ask.EngineDied})
	if !s.Died || s.Killed || s.Held == nil || s.Held.ID != "cake-1" {
		t.Fatalf("after the death: %+v", s)
	}
}

func TestAnErrorKeepsTheQueueThatIsShown(t *testing.T) {
	var s liveState
	s.show(ask.Live{Now: 7}, "", "")
	s.start("purge")
	s.fail(ask.Error{Code: ask.StorageFull})
	if s.Live == nil || s.Live.Now != 7 || s.Err == nil {
		t.Fatalf("after the error: %+v", s)
	}
	s.start("run")
	if s.Err != nil {
		t.Error("the error outlives the next step")
	}
}

func TestBadFieldsBelongToTheFormThatWasSent(t *testing.T) {
	var s liveState
	s.show(ask.Live{Result: &ask.Result{Result: "rejected", Bad: []ask.BadArg{{Name: "deadline", Fault: "late"}}}}, "enqueue", "cake-1")
	if b, ok := s.bad("deadline", "enqueue"); !ok || b.Fault != "late" {
		t.Errorf("got %v %v", b, ok)
	}
	if _, ok := s.bad("deadline", "requeue"); ok {
		t.Error("another form's field is marked")
	}
	if _, ok := s.bad("max_attempts", "enqueue"); ok {
		t.Error("a good field is marked")
	}
}

func TestAnEngineThatComesBackUnaskedIsSaidToo(t *testing.T) {
	var s liveState
	if s.ready() || s.Back {
		t.Error("the first engine is said to be back")
	}
	s.show(ask.Live{Sending: &ask.Sending{ID: "cake-1"}}, "", "")
	if !s.ready() || !s.Back || s.Sending != nil || s.Held == nil {
		t.Errorf("after the second: %+v", s)
	}
}

func TestABadAnswerKeepsTheSendHeld(t *testing.T) {
	var s liveState
	s.show(ask.Live{}, "", "")
	s.start("run")
	s.hold(ask.Sending{ID: "cake-1"})
	s.refuse(ask.Error{Code: ask.Rejected, Bad: []ask.BadArg{{Name: "takes", Fault: "fraction"}}})
	if _, ok := s.bad("takes"); !ok || s.Sending == nil || s.Err != nil {
		t.Errorf("after the bad answer: %+v", s)
	}
	s.show(ask.Live{}, "", "")
	if _, ok := s.bad("takes"); ok {
		t.Error("the fault outlives the answer")
	}
}

func TestStepsThatOverlapAreCountedByKind(t *testing.T) {
	var s liveState
	s.start("run")
	s.start("run")
	s.start("enqueue")
	s.end("run")
	if s.Open["run"] != 1 || s.Open["enqueue"] != 1 {
		t.Errorf("open: %v", s.Open)
	}
	s.end("run")
	s.end("enqueue")
	if len(s.Open) != 0 {
		t.Errorf("still open: %v", s.Open)
	}
}
