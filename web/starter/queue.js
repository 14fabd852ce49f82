// What the lab gives you:
//   db.execute(sql, params = [])
//       one SQL statement on real SQLite; its rows, as objects
//   Retryable(message, retryAfterMs = null), Permanent(message)
//       what send may throw
//   Conflict, LeaseLost, ClockWentBack
//       what your code throws
// Times are whole milliseconds, 0 to 2 ** 53 - 1.
// What you console.log() is shown below a check.

/**
 * Part 1. The wait after failure number `attempt`, whole ms.
 *
 * The window doubles with each attempt, from baseMs on, and
 * never passes capMs. The delay is the window times the jitter
 * (0 to 1), rounded down. Any other argument throws a RangeError
 * or a TypeError: booleans, NaN, the infinities, fractions,
 * texts, null, and what is out of range.
 */
function retryDelay(attempt, baseMs, capMs, jitter) {
  throw new Error("not written yet");
}

/**
 * A queue that outlives its process.
 *
 * All it knows stands in the database: when the process dies,
 * the lab makes a new Queue(db) on the same database.
 */
class Queue {
  constructor(db) {
    this.db = db;
    // CREATE TABLE IF NOT EXISTS ...
  }

  // Part 2: the queue

  /**
   * Accepts a job.
   *
   * Returns "created", or "existing" for the same id and
   * payload: then nothing changes. Throws Conflict for the same
   * id with another payload; a RangeError or TypeError for a
   * wrong value, and for a new job without any time left.
   */
  enqueue(jobId, payload, maxAttempts, deadline, now,
          availableAt = null) {
    throw new Error("not written yet");
  }

  /**
   * Claims the job that is due, sends it, notes the end.
   *
   * clock() is the time now: read it before the claim and again
   * after the send. send gets {id, payload, attempt} and may
   * throw. Returns null when nothing is due, else an object with
   * result ("done", "retry" or "dead"), id, and availableAt
   * (retry) or reason (dead). Throws ClockWentBack and LeaseLost.
   * An unknown error of send goes through as it is.
   */
  runOnce(clock, send, { leaseMs, baseMs, capMs, jitter }) {
    throw new Error("not written yet");
  }

  /**
   * null, or {id, payload, state, attempts, maxAttempts,
   * availableAt, deadline, leaseUntil, lastError, deadReason}.
   */
  job(jobId) {
    throw new Error("not written yet");
  }

  /**
   * {pending, due, leased, expired, done, dead, deadExhausted,
   * deadDeadline, deadPermanent, retries, oldestDueMs,
   * oldestOpenMs}.
   */
  stats(now) {
    throw new Error("not written yet");
  }

  // Part 3: leases

  /**
   * null, or {id, payload, attempts, token}.
   * The attempt is consumed.
   */
  claim(now, leaseMs) {
    throw new Error("not written yet");
  }

  /**
   * The job is done. Throws LeaseLost when the token is not the
   * current one.
   */
  complete(jobId, token, now) {
    throw new Error("not written yet");
  }

  /** What runOnce returns after a failure. Throws LeaseLost. */
  fail(jobId, token, error, now, { baseMs, capMs, jitter }) {
    throw new Error("not written yet");
  }

  /** The lease ends leaseMs from now. Throws LeaseLost. */
  extend(jobId, token, now, leaseMs) {
    throw new Error("not written yet");
  }

  // Part 4: requeue

  /**
   * Brings a dead job back, with a larger budget and time left;
   * else throws a RangeError or TypeError.
   */
  requeue(jobId, maxAttempts, deadline, now) {
    throw new Error("not written yet");
  }
}
