package web

import (
	"testing"

	"retrylab/lab/ask"
)

func ptr[T any](v T) *T { return &v }

func TestStateAtFallsOnTheSideTheRulesSay(t *testing.T) {
	for _, c := range []struct {
		name string
		job  ask.Job
		now  int64
		want jobState
	}{
		{"before its due time", ask.Job{State: "pending", AvailableAt: 100}, 99, statePending},
		{"at its due time", ask.Job{State: "pending", AvailableAt: 100}, 100, stateDue},
		{"before its lease ends", ask.Job{State: "leased", LeaseUntil: ptr[int64](100)}, 99, stateLeased},
		{"when its lease ends", ask.Job{State: "leased", LeaseUntil: ptr[int64](100)}, 100, stateExpired},
		{"done", ask.Job{State: "done"}, 5, stateDone},
		{"no attempt left", ask.Job{State: "dead", DeadReason: ptr("exhausted")}, 5, stateExhausted},
		{"no time left", ask.Job{State: "dead", DeadReason: ptr("deadline")}, 5, stateDeadline},
		{"refused", ask.Job{State: "dead", DeadReason: ptr("permanent")}, 5, statePermanent},
	} {
		if got := stateAt(c.job, c.now); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestNextEventIsTheEarliestTimeAhead(t *testing.T) {
	jobs := []ask.Job{
		{State: "pending", AvailableAt: 50, Deadline: 900},
		{State: "pending", AvailableAt: 300, Deadline: 900},
		{State: "leased", AvailableAt: 10, Deadline: 700, LeaseUntil: ptr[int64](200)},
		{State: "done", AvailableAt: 60, Deadline: 61},
		{State: "dead", AvailableAt: 60, Deadline: 61},
	}
	for _, c := range []struct {
		now, want int64
		ok        bool
	}{
		{0, 50, true}, {50, 200, true}, {200, 300, true}, {300, 700, true}, {700, 900, true}, {900, 0, false},
	} {
		if got, ok := nextEvent(jobs, c.now); got != c.want || ok != c.ok {
			t.Errorf("after %d: got %d %v, want %d %v", c.now, got, ok, c.want, c.ok)
		}
	}
}

func TestRowFieldsMarkWhatTheStepChanged(t *testing.T) {
	before := &ask.Job{State: "pending", MaxAttempts: 5, Deadline: 90}
	after := &ask.Job{State: "dead", Attempts: 1, MaxAttempts: 5, Deadline: 90, LastError: ptr("503"), DeadReason: ptr("deadline")}
	want := []rowField{
		{"state", "dead", true}, {"attempts", "1/5", true}, {"available_at", "0", false},
		{"deadline", "90", false}, {"last_error", "503", true}, {"dead_reason", "deadline", true},
	}
	got := rowFields(before, after)
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("field %d: got %v, want %v", i, got[i], want[i])
		}
	}
	for _, f := range rowFields(nil, after) {
		if !f.Changed {
			t.Errorf("%s of a new row is not marked as changed", f.Name)
		}
	}
	if rowFields(before, nil) != nil {
		t.Error("a row that is gone has fields")
	}
}
