package mutant

import (
	"math"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

// uncapped is the window without the cap, up to Max.
func uncapped(attempt, base int64) int64 { return retry.Window(attempt, base, retry.Max) }

var all = []Mutant{
	// Delay.
	{"no_cap", Delay, "the cap ends the doubling", delay(func(a, b, _ int64, j float64) int64 {
		return retry.Jittered(uncapped(a, b), j)
	})},
	{"zero_based", Delay, "the first wait is the base", delay(func(a, b, c int64, j float64) int64 {
		return retry.Jittered(retry.Window(min(a, retry.Max-1)+1, b, c), j)
	})},
	{"linear", Delay, "each wait is twice the one before", delay(func(a, b, c int64, j float64) int64 {
		if a > c/b {
			return retry.Jittered(c, j)
		}
		return retry.Jittered(min(c, a*b), j)
	})},
	{"jitter_before_cap", Delay, "the cap comes before the jitter", delay(func(a, b, c int64, j float64) int64 {
		return min(c, retry.Jittered(uncapped(a, b), j))
	})},
	{"rounded", Delay, "the delay is floored, not rounded", delay(func(a, b, c int64, j float64) int64 {
		return int64(math.Round(float64(retry.Window(a, b, c)) * j))
	})},
	{"equal_jitter", Delay, "a jitter of 0 means no wait", delay(func(a, b, c int64, j float64) int64 {
		return retry.Jittered(retry.Window(a, b, c), (1+j)/2)
	})},
	{"int32_overflow", Delay, "many attempts do not overflow", delay(func(a, b, c int64, j float64) int64 {
		window := int32(0)
		if a <= 32 {
			window = int32(b) << (a - 1)
		}
		return int64(math.Floor(float64(min(c, int64(window))) * j))
	})},

	// The checking boundary.
	{"accepts_bool", Boundary, "a boolean attempt is rejected", lenient(retry.FaultBoolean, func(v retry.Value, _, _ int64) int64 {
		if b, _ := v.Bool(); b {
			return 1
		}
		return 0
	}, func(v retry.Value) float64 {
		if b, _ := v.Bool(); b {
			return 1
		}
		return 0
	})},
	{"accepts_infinity", Boundary, "an infinite cap_ms is rejected", lenient(retry.FaultInfinite, func(v retry.Value, lo, hi int64) int64 {
		if f, _ := v.Number(); f < 0 {
			return lo
		}
		return hi
	}, func(v retry.Value) float64 {
		f, _ := v.Number()
		return f
	})},
	{"accepts_nan", Boundary, "a NaN jitter is rejected", lenient(retry.FaultNaN,
		func(_ retry.Value, lo, _ int64) int64 { return lo }, func(retry.Value) float64 { return 0 })},
	{"accepts_fraction", Boundary, "a fractional attempt is rejected", lenient(retry.FaultFraction, func(v retry.Value, lo, hi int64) int64 {
		f, _ := v.Number()
		return int64(min(max(math.Floor(f), float64(lo)), float64(hi)))
	}, nil)},
	{"accepts_string", Boundary, "a text attempt is rejected", lenient(retry.FaultText, func(v retry.Value, lo, hi int64) int64 {
		s, _ := v.Text()
		n, _ := retry.ParsePlain(s).Whole(lo, hi)
		return n
	}, func(v retry.Value) float64 {
		s, _ := v.Text()
		j, _ := retry.ParsePlain(s).Jitter()
		return j
	})},
	{"accepts_null", Boundary, "a null attempt is rejected", lenient(retry.FaultNull,
		func(_ retry.Value, lo, _ int64) int64 { return lo }, func(retry.Value) float64 { return 0 })},
	{"clamps_range", Boundary, "jitter out of range is rejected, not clamped", both(
		lenient(retry.FaultTooSmall, func(_ retry.Value, lo, _ int64) int64 { return lo }, func(retry.Value) float64 { return 0 }),
		func(r *scenario.Rules) error {
			whole, jitter := r.Whole, r.Jitter
			r.Whole = func(v retry.Value, lo, hi int64) (int64, retry.Fault) {
				if n, f := whole(v, lo, hi); f != retry.FaultTooLarge {
					return n, f
				}
				return hi, ""
			}
			r.Jitter = func(v retry.Value) (float64, retry.Fault) {
				if j, f := jitter(v); f != retry.FaultTooLarge {
					return j, f
				}
				return 1, ""
			}
			return nil
		})},
	{"first_bad_argument_only", Boundary, "every bad argument is named, in order", step(func(r *scenario.Rules) {
		r.Bad = func(bad []retry.BadArg) []retry.BadArg { return bad[:min(1, len(bad))] }
	})},

	// Enqueue.
	{"reenqueue_resets_attempts", Enqueue, "the same id keeps its attempts",
		both(onAgain("attempts = 0"), without("leased_consumed_an_attempt", "ended_by_a_worker_consumed_an_attempt", "exhausted_means_exhausted"))},
	{"reenqueue_raises_max_attempts", Enqueue, "the same id keeps its max_attempts",
		both(onAgain("max_attempts = max(max_attempts, :max_attempts)"), without("exhausted_means_exhausted"))},
	{"reenqueue_moves_deadline", Enqueue, "the same id keeps its deadline",
		both(onAgain("deadline = :deadline"), without("due_before_deadline"))},
	{"reenqueue_moves_due_time", Enqueue, "the same id keeps its due time",
		both(onAgain("available_at = max(:now, :available_at)"), without("due_before_deadline"))},
	{"reenqueue_replaces_payload", Enqueue, "the same id keeps its payload", onAgain("payload = :payload")},
	{"reenqueue_revives_dead", Enqueue, "the same id does not revive a dead job", both(
		onAgain("state = CASE state WHEN 'dead' THEN 'pending' ELSE state END, attempts = CASE state WHEN 'dead' THEN 0 ELSE attempts END, dead_reason = NULL, died_at = NULL"),
	)},
	{"reenqueue_breaks_lease", Enqueue, "the same id keeps its lease", both(
		onAgain("state = CASE state WHEN 'leased' THEN 'pending' ELSE state END, lease_until = NULL, token = NULL"),
		without("pending_has_an_attempt_left"))},
	{"reenqueue_refused_after_deadline", Enqueue, "the same id is recognised after its deadline",
		edit("existing", "WHERE id = :id", "WHERE id = :id AND :deadline > :now")},
	{"deadline_inclusive_at_enqueue", Enqueue, "a deadline that has come is refused",
		both(edit("insert", "max(:now, :available_at) < :deadline", "max(:now, :available_at) <= :deadline"), without("due_before_deadline"))},

	// Budget.
	{"counts_at_failure", Budget, "a crash consumes the attempt", both(
		edit("consumed", "attempts + 1", "attempts"),
		edit("fail", "last_error = :error", "last_error = :error, attempts = attempts + 1"),
		edit("verdict", "{exhausted}", "attempts + 1 >= max_attempts"),
		edit("complete", "done_at = :now", "done_at = :now, attempts = attempts + 1"),
		edit("claimed", "payload, attempts,", "payload, attempts + 1,"),
		without("leased_consumed_an_attempt", "pending_has_an_attempt_left"))},
	{"refunds_crash", Budget, "taking over an expired lease consumes an attempt",
		edit("consumed", "attempts + 1", "attempts + (state = 'pending')")},
	{"one_attempt_too_many", Budget, "the last failure is final", both(
		edit("exhausted", "attempts >= max_attempts", "attempts > max_attempts"),
		without("attempts_within_budget", "pending_has_an_attempt_left", "exhausted_means_exhausted"))},
	{"one_attempt_too_few", Budget, "the last attempt is really made", both(
		edit("exhausted", "attempts >= max_attempts", "attempts + 1 >= max_attempts"),
		without("exhausted_means_exhausted"))},
	{"deadline_inclusive_at_fail", Budget, "a wait that ends on the deadline is too long",
		both(edit("too_long", ">=", ">"), without("due_before_deadline"))},
	{"deadline_inclusive_at_claim", Budget, "a job is not sent at its deadline", edit("late", "<=", "<")},
	{"deadline_slides", Budget, "the deadline does not move with a failure", both(
		edit("left", "deadline - :now", "deadline - created_at"),
		edit("fail", "last_error = :error", "last_error = :error, deadline = min(9007199254740991, :now + deadline - created_at)"),
		without("due_before_deadline"))},
	{"deadline_unchecked_at_claim", Budget, "a job is not sent after its deadline", edit("late", "deadline <= :now", "FALSE")},
	{"wait_shortened_to_fit", Budget, "a wait is never shortened to fit", edit("wait", ":wait", "max(0, min(:wait, {left} - 1))")},
	{"budget_in_memory", Budget, "the budget survives a restart", both(
		step(func(r *scenario.Rules) { r.Reopen = "UPDATE job SET attempts = 0 WHERE state IN ('pending', 'leased')" }),
		without("leased_consumed_an_attempt", "ended_by_a_worker_consumed_an_attempt"))},
	{"requeue_resets_attempts", Budget, "a requeue keeps the attempts",
		edit("requeue", "dead_reason = NULL", "attempts = 0, dead_reason = NULL")},
	{"deadline_before_exhausted", Budget, "exhausted comes before deadline", both(
		edit("verdict", "WHEN {exhausted} THEN 'exhausted' WHEN {too_long} THEN 'deadline'", "WHEN {too_long} THEN 'deadline' WHEN {exhausted} THEN 'exhausted'"))},
	{"exhausted_before_permanent", Budget, "permanent comes before exhausted",
		edit("verdict", "WHEN :permanent THEN 'permanent' WHEN {exhausted} THEN 'exhausted'", "WHEN {exhausted} THEN 'exhausted' WHEN :permanent THEN 'permanent'")},
	{"head_blocks_queue", Budget, "a buried job does not block the queue",
		edit("lease", "WHERE seq = (", "WHERE NOT EXISTS ({doomed}) AND seq = (")},

	// Leases.
	{"due_exclusive", Leases, "a job is due at its due time", edit("due", "<=", "<")},
	{"lease_end_exclusive", Leases, "a lease has ended at its end", edit("expired", "<=", "<")},
	{"unfenced_complete", Leases, "a stale worker cannot complete",
		edit("complete", "{held}", "seq = :seq AND state IN ('leased', 'pending')")},
	{"unfenced_fail", Leases, "a stale worker cannot fail a job", edit("fail", "{held}", "seq = :seq AND state = 'leased'")},
	{"unfenced_extend", Leases, "a stale worker cannot extend", edit("extend", "{held}", "seq = :seq AND state = 'leased'")},
	{"lost_lease_is_success", Leases, "a lost lease is told", step(func(r *scenario.Rules) {
		r.Parts.Lost = func() error { return nil }
	})},
	{"late_result_refused", Leases, "a late result counts", both(
		edit("complete", "{held}", "{held} AND lease_until > :now"), edit("fail", "{held}", "{held} AND lease_until > :now"))},
	{"lock_held_during_send", Leases, "others work during a send", step(func(r *scenario.Rules) { r.Locked = true })},

	// Failures.
	{"permanent_retried", Failures, "a permanent error is final", as(retry.ClassPermanent, retry.ClassRetryable)},
	{"wrapped_permanent_missed", Failures, "a wrapped permanent error is permanent", classify(func(err error, f queue.Failure) queue.Failure {
		if _, bare := err.(*retry.Mark); !bare && f.Class == retry.ClassPermanent {
			f.Class = retry.ClassRetryable
		}
		return f
	})},
	{"unknown_is_retryable", Failures, "an unknown error is not a retry", as(retry.ClassUnknown, retry.ClassRetryable)},
	{"unknown_is_permanent", Failures, "an unknown error is not a death", as(retry.ClassUnknown, retry.ClassPermanent)},
	{"unknown_is_success", Failures, "an unknown error is not a success", as(retry.ClassUnknown, queue.Succeeded)},
	{"step_back_ignored", Failures, "a clock that steps back is an error", step(func(r *scenario.Rules) {
		r.Parts.Finished = func(_, after int64, _ bool) (int64, error) { return after, nil }
	})},
	{"waits_from_start", Failures, "the wait counts from the end of the send", step(func(r *scenario.Rules) {
		finished := r.Parts.Finished
		r.Parts.Finished = func(before, after int64, failed bool) (int64, error) {
			now, err := finished(before, after, failed)
			if failed && err == nil {
				now = before
			}
			return now, err
		}
	})},
	{"retry_after_ignored", Failures, "Retry-After lengthens the wait", wait(func(delay, _, _ int64) int64 { return delay })},
	{"retry_after_capped", Failures, "Retry-After may exceed the cap", wait(func(delay, asked, cap int64) int64 { return max(delay, min(asked, cap)) })},
	{"retry_after_shortens", Failures, "Retry-After never shortens the wait", wait(func(_, asked, _ int64) int64 { return asked })},
	{"retry_after_added", Failures, "Retry-After is not added to the delay", wait(func(delay, asked, _ int64) int64 { return min(retry.Max, delay+asked) })},
	{"error_lost_at_death", Failures, "a dead job keeps its last error", both(
		edit("fail", "last_error = :error", "last_error = CASE WHEN {verdict} IS NULL THEN :error END"),
		without("permanent_has_an_error"))},

	// Watching.
	{"parked_counts_as_stall", Watching, "a parked job is not a stall",
		edit("stats", "(SELECT max(0, :now - min(available_at)) FROM job WHERE state = 'pending' AND {due})",
			"(SELECT max(0, :now - min(created_at)) FROM job WHERE state = 'pending')")},
	{"leased_counts_as_pending", Watching, "leased jobs are counted apart",
		edit("stats", "count(*) FROM job WHERE state = 'pending' AND available_at >= 0", "count(*) FROM job WHERE state IN ('pending', 'leased')")},
	{"dead_hidden", Watching, "dead jobs are counted", both(
		edit("stats", "'exhausted'", "'hidden'"), edit("stats", "dead_reason = 'deadline'", "dead_reason = 'hidden'"), edit("stats", "'permanent'", "'hidden'"))},
}
