package queue_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"retrylab/lab/queue"
)

func TestTheTableRefusesImpossibleRows(t *testing.T) {
	// One row of each state: attempts 1 of 3, and "last", whose attempts are used up.
	prepare := func(w *world) {
		for _, id := range []string{"done", "dead", "leased", "pending", "new"} {
			w.enqueue(1000, queue.NewJob{ID: id, MaxAttempts: 3, Deadline: 9000, AvailableAt: map[string]int64{"new": 2000}[id]})
		}
		w.complete(1100, w.claim(1000))
		w.fail(1100, w.claim(1000), permanent)
		w.claim(1000)
		w.fail(1100, w.claim(1000), retryable)
	}
	seen := map[string]bool{}
	for _, c := range []struct{ check, id, set string }{
		{"id_is_short", "new", "id = ''"},
		{"id_is_short", "new", "id = 'a' || char(0) || 'b'"},
		{"id_is_short", "new", "id = replace(hex(zeroblob(201)), '00', 'x')"},
		{"payload_is_small", "new", "payload = replace(hex(zeroblob(65537)), '00', 'x')"},
		{"payload_is_small", "new", "payload = replace(hex(zeroblob(32769)), '00', 'é')"},
		{"state_is_known", "new", "state = 'paused'"},
		{"state_is_known", "new", "state = 'Pending'"},
		{"max_attempts_in_range", "new", "max_attempts = 10001"},
		{"max_attempts_in_range", "dead", "max_attempts = 0, attempts = 0, dead_reason = 'deadline'"},
		{"attempts_within_budget", "leased", "attempts = 4, claims = 4, token = 4"},
		{"attempts_within_budget", "new", "attempts = -1"},
		{"pending_has_an_attempt_left", "pending", "attempts = 3, claims = 3"},
		{"leased_consumed_an_attempt", "leased", "attempts = 0"},
		{"ended_by_a_worker_consumed_an_attempt", "done", "attempts = 0"},
		{"ended_by_a_worker_consumed_an_attempt", "dead", "attempts = 0"},
		{"claims_count_all_attempts", "pending", "claims = 0"},
		{"claims_count_all_attempts", "pending", "claims = 9007199254740992"},
		{"permanent_has_an_error", "dead", "last_error = NULL"},
		{"exhausted_means_exhausted", "dead", "dead_reason = 'exhausted'"},
		{"available_at_in_range", "new", "available_at = -1"},
		{"deadline_in_range", "new", "deadline = 9007199254740992"},
		{"created_at_in_range", "new", "created_at = -1"},
		{"created_at_in_range", "new", "created_at = 9007199254740992"},
		{"lease_until_in_range", "leased", "lease_until = -1"},
		{"lease_until_in_range", "leased", "lease_until = 9007199254740992"},
		{"done_at_in_range", "done", "done_at = -1"},
		{"died_at_in_range", "dead", "died_at = 9007199254740992"},
		{"due_before_deadline", "new", "available_at = deadline"},
		{"due_before_deadline", "new", "deadline = 0"},
		{"lease_has_an_end", "leased", "lease_until = NULL"},
		{"lease_has_an_end", "pending", "lease_until = 5000"},
		{"lease_has_an_end", "done", "lease_until = 5000"},
		{"lease_has_a_token", "leased", "token = NULL"},
		{"lease_has_a_token", "leased", "token = 7"},
		{"lease_has_a_token", "pending", "token = claims"},
		{"dead_has_a_reason", "dead", "dead_reason = NULL"},
		{"dead_has_a_reason", "dead", "dead_reason = 'tired'"},
		{"dead_has_a_reason", "pending", "dead_reason = 'deadline'"},
		{"dead_has_a_time", "dead", "died_at = NULL"},
		{"dead_has_a_time", "pending", "died_at = 5000"},
		{"done_has_a_time", "done", "done_at = NULL"},
		{"done_has_a_time", "pending", "done_at = 5000"},
	} {
		seen[c.check] = true
		update := "UPDATE job SET " + c.set + " WHERE id = '" + c.id + "'"
		w := newWorld(t, nil)
		prepare(w)
		before := w.row(c.id)
		_, err := w.db.Exec(update)
		if err == nil || !strings.HasSuffix(err.Error(), "CHECK constraint failed: "+c.check) {
			t.Errorf("%s: %v, want the CHECK %s", update, err, c.check)
		}
		if after := w.row(c.id); after != before {
			t.Errorf("%s changed the row", update)
		}
		w = newWorld(t, without(c.check)) // it is this CHECK that refuses it
		prepare(w)
		if _, err := w.db.Exec(update); err != nil {
			t.Errorf("%s without %s: %v", update, c.check, err)
		}
	}
	schema, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`CONSTRAINT (\w+) CHECK`).FindAllStringSubmatch(string(schema), -1) {
		if !seen[m[1]] {
			t.Errorf("no row was tried on the CHECK %s", m[1])
		}
	}
}

func TestTheTableRefusesOtherTypes(t *testing.T) {
	w := newWorld(t, nil)
	w.enqueue(0, queue.NewJob{ID: "a", MaxAttempts: 3, Deadline: late})
	for column, value := range map[string]string{
		"seq": "NULL", "id": "NULL", "payload": "NULL", "state": "NULL", "attempts": "NULL", "max_attempts": "'three'", "available_at": "NULL",
		"deadline": "1.5", "claims": "NULL", "token": "'x'", "lease_until": "0.5", "last_error": "x'00'", "dead_reason": "x'00'",
		"created_at": "1e300", "done_at": "'now'", "died_at": "x'31'",
	} {
		if _, err := w.db.Exec("UPDATE job SET " + column + " = " + value); err == nil {
			t.Errorf("%s = %s is taken", column, value)
		}
	}
	if _, err := w.db.Exec(`INSERT INTO job (id, payload, max_attempts, available_at, deadline, created_at) VALUES ('a', '', 1, 0, 1, 0)`); err == nil {
		t.Error("a second row with the same id is taken")
	}
}
