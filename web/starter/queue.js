// The rules are on the page "The rules" of this site. What the lab gives you:
//   db.execute(sql, params = [])   runs one SQL statement on real SQLite and returns its rows as objects
//   new Retryable(message, retryAfterMs = null), new Permanent(message)   what send may throw
//   Conflict, LeaseLost, ClockWentBack                                    what your code throws
// Times are whole milliseconds, 0 to 2 ** 53 - 1. console.log() shows what you like below a check.

/**
 * Part 1. How long to wait after failure number `attempt`, in whole ms.
 *
 * The window doubles with each attempt, from baseMs on, and never passes capMs. The delay is the window
 * times the jitter (0 to 1), rounded down. Any other argument throws a RangeError or a TypeError:
 * booleans, NaN, the infinities, fractions, texts, null, what is out of range.
 */
function retryDelay(attempt, baseMs, capMs, jitter) {
  throw new Error("not written yet");
}

/**
 * A queue that outlives its process: everything it knows stands in the database.
 * The lab makes a new Queue(db) on the same database whenever the process dies.
 */
class Queue {
  constructor(db) {
    this.db = db;
    // CREATE TABLE IF NOT EXISTS ...
  }

  // Part 2: the queue

  /**
   * Accepts a job. "created", or "existing" for the same id and payload: then nothing changes.
   * Throws Conflict for the same id with another payload, a RangeError or TypeError for a wrong value
   * and for a new job that has no time left.
   */
  enqueue(jobId, payload, maxAttempts, deadline, now, availableAt = null) {
    throw new Error("not written yet");
  }

  /**
   * Claims the job that is due, sends it, and notes what came of it.
   * clock() is the time now: read it before the claim and again after the send. send gets
   * {id, payload, attempt} and may throw. Returns null when nothing is due, else
   * {result: "done" | "retry" | "dead", id} with availableAt (retry) or reason (dead).
   * Throws ClockWentBack and LeaseLost, and lets an unknown error of send through as it is.
   */
  runOnce(clock, send, { leaseMs, baseMs, capMs, jitter }) {
    throw new Error("not written yet");
  }

  /** null, or {id, payload, state, attempts, maxAttempts, availableAt, deadline, leaseUntil, lastError, deadReason}. */
  job(jobId) {
    throw new Error("not written yet");
  }

  /** {pending, due, leased, expired, done, dead, deadExhausted, deadDeadline, deadPermanent, retries, oldestDueMs, oldestOpenMs}. */
  stats(now) {
    throw new Error("not written yet");
  }

  // Part 3: leases

  /** null, or {id, payload, attempts, token}: the attempt is consumed. */
  claim(now, leaseMs) {
    throw new Error("not written yet");
  }

  /** The job is done. Throws LeaseLost when the token is not the current one. */
  complete(jobId, token, now) {
    throw new Error("not written yet");
  }

  /** As runOnce after a failure: retry or dead. Throws LeaseLost. */
  fail(jobId, token, error, now, { baseMs, capMs, jitter }) {
    throw new Error("not written yet");
  }

  /** The lease ends leaseMs from now. Throws LeaseLost. */
  extend(jobId, token, now, leaseMs) {
    throw new Error("not written yet");
  }

  // Part 4: requeue

  /** Brings a dead job back, with a larger budget and time left; else a RangeError or TypeError. */
  requeue(jobId, maxAttempts, deadline, now) {
    throw new Error("not written yet");
  }
}
