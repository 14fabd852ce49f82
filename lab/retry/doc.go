// Package retry decides whether, when and how often something is tried again.
//
// It has no clock and no chance of its own: both are passed in, so that a test, a simulation and a
// service run the same code. It imports no SQL and no net/http; what belongs to HTTP is in
// retrylab/lab/retry/http, ready clocks are in retrylab/lab/retry/clock.
//
//   - [Delay] is the wait after a failure: a doubling window, capped, then jittered. [CheckedDelay]
//     takes values as they come from outside. [DelayKind] has the other well-known rules beside it.
//   - [Do] is the loop around one call, in process, as a [Policy] says. [DoValue] returns a value too.
//   - [Retryable], [RetryableAfter] and [Permanent] mark an error for whoever decides; [Judge] reads
//     the marks. An error without a mark is unknown: nobody tries again, and nobody hides it.
//   - [RetryAfter] reads the header field of that name.
//   - [Budget] bounds the retries of many calls together, [Breaker] pauses all of them.
//   - [ReadResilience4j] reads policies written for Resilience4j.
//
// # Units and ranges
//
// Times are whole milliseconds. Counts and times lie in 0..[Max], which is 2^53 - 1: Go, JavaScript
// and JSON all hold these exactly. A sum that would pass Max is Max, so nothing ever overflows into
// the past. A jitter is a number 0..1 inclusive. Attempts count from 1, the first try included.
//
// # Errors
//
// Bad arguments are rejected with a [*RejectedError] that names each of them; nothing is coerced and
// nothing panics. A loop that stops without success returns a [*GaveUpError], which tells why and
// after how many attempts and wraps the last error; only an unknown error comes back as it is.
//
// SPEC.md sections 2, 6 and 7 hold the rules; comments here name the section.
package retry
