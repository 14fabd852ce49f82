const MAX = 2 ** 53 - 1;

function whole(name, value, lo, hi) {
  if (!Number.isInteger(value) || value < lo || value > hi) throw new RangeError(`${name}: a whole number ${lo} to ${hi}`);
  return value;
}

function retryDelay(attempt, baseMs, capMs, jitter) {
  whole("attempt", attempt, 1, MAX);
  whole("baseMs", baseMs, 1, MAX);
  whole("capMs", capMs, 1, MAX);
  if (typeof jitter !== "number" || !(jitter >= 0 && jitter <= 1)) throw new RangeError("jitter: a number 0 to 1");
  const window = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 60));
  return Math.floor(window * jitter);
}

class Queue {
  constructor(db) {
    this.db = db;
    db.execute(`
      CREATE TABLE IF NOT EXISTS job (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        payload TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'pending',
        attempts INTEGER NOT NULL DEFAULT 0,
        claims INTEGER NOT NULL DEFAULT 0,
        maxAttempts INTEGER NOT NULL,
        availableAt INTEGER NOT NULL,
        deadline INTEGER NOT NULL,
        leaseUntil INTEGER,
        lastError TEXT,
        deadReason TEXT,
        createdAt INTEGER NOT NULL
      ) STRICT`);
  }

  enqueue(jobId, payload, maxAttempts, deadline, now, availableAt = null) {
    if (typeof jobId !== "string" || [...jobId].length < 1 || [...jobId].length > 200 || jobId.includes("\0")) {
      throw new RangeError("jobId: a text of 1 to 200 characters");
    }
    if (typeof payload !== "string" || bytes(payload) > 65536) throw new RangeError("payload: a text of at most 65,536 bytes");
    whole("maxAttempts", maxAttempts, 1, 10000);
    whole("deadline", deadline, 0, MAX);
    const due = availableAt === null ? now : whole("availableAt", availableAt, 0, MAX);
    let rows = this.db.execute("SELECT payload FROM job WHERE id = ?", [jobId]);
    if (rows.length === 0) {
      if (deadline <= now || due >= deadline) throw new RangeError("deadline: no time is left");
      rows = this.db.execute(
        `INSERT INTO job (id, payload, maxAttempts, availableAt, deadline, createdAt)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING seq`,
        [jobId, payload, maxAttempts, Math.max(now, due), deadline, now]);
      if (rows.length > 0) return "created";
      rows = this.db.execute("SELECT payload FROM job WHERE id = ?", [jobId]);
    }
    if (rows[0].payload !== payload) throw new Conflict(jobId);
    return "existing";
  }

  claim(now, leaseMs) {
    this.db.execute(
      `UPDATE job SET state = 'dead', leaseUntil = NULL,
         deadReason = CASE WHEN attempts >= maxAttempts THEN 'exhausted' ELSE 'deadline' END
       WHERE (state = 'pending' OR state = 'leased' AND leaseUntil <= ?1)
         AND (attempts >= maxAttempts OR deadline <= ?1)`, [now]);
    const rows = this.db.execute(
      `UPDATE job SET state = 'leased', attempts = attempts + 1, claims = claims + 1, leaseUntil = ?2
       WHERE seq = (SELECT seq FROM job
                    WHERE (state = 'pending' AND availableAt <= ?1 OR state = 'leased' AND leaseUntil <= ?1)
                      AND attempts < maxAttempts AND deadline > ?1
                    ORDER BY availableAt, seq LIMIT 1)
       RETURNING id, payload, attempts, claims AS token`, [now, Math.min(MAX, now + leaseMs)]);
    return rows[0] ?? null;
  }

  mine(jobId, token) {
    const rows = this.db.execute("SELECT * FROM job WHERE id = ? AND state = 'leased' AND claims = ?", [jobId, token]);
    if (rows.length === 0) throw new LeaseLost(jobId);
    return rows[0];
  }

  change(jobId, token, change, values) {
    const rows = this.db.execute(
      `UPDATE job SET ${change} WHERE id = ? AND state = 'leased' AND claims = ? RETURNING seq`, [...values, jobId, token]);
    if (rows.length === 0) throw new LeaseLost(jobId);
  }

  complete(jobId, token, now) {
    this.change(jobId, token, "state = 'done', leaseUntil = NULL", []);
  }

  extend(jobId, token, now, leaseMs) {
    this.change(jobId, token, "leaseUntil = ?", [Math.min(MAX, now + leaseMs)]);
  }

  fail(jobId, token, error, now, { baseMs, capMs, jitter }) {
    const job = this.mine(jobId, token);
    const mark = markOf(error);
    let wait = retryDelay(Math.max(1, job.attempts), baseMs, capMs, jitter);
    if (mark instanceof Retryable && mark.retryAfterMs !== null) wait = Math.max(wait, mark.retryAfterMs);
    let reason = null;
    if (mark instanceof Permanent) reason = "permanent";
    else if (job.attempts >= job.maxAttempts) reason = "exhausted";
    else if (wait >= job.deadline - now) reason = "deadline";
    if (reason !== null) {
      this.change(jobId, token, "state = 'dead', deadReason = ?, leaseUntil = NULL, lastError = ?", [reason, error.message]);
      return { result: "dead", id: jobId, reason };
    }
    const availableAt = now + wait;
    this.change(jobId, token, "state = 'pending', availableAt = ?, leaseUntil = NULL, lastError = ?", [availableAt, error.message]);
    return { result: "retry", id: jobId, availableAt };
  }

  runOnce(clock, send, { leaseMs, baseMs, capMs, jitter }) {
    const began = clock();
    const job = this.claim(began, leaseMs);
    if (job === null) return null;
    let failure = null;
    try {
      send({ id: job.id, payload: job.payload, attempt: job.attempts });
    } catch (error) {
      if (markOf(error) === null) throw error;
      failure = error;
    }
    const now = clock();
    if (now < began) throw new ClockWentBack(`${began}, then ${now}`);
    if (failure !== null) return this.fail(job.id, job.token, failure, now, { baseMs, capMs, jitter });
    this.complete(job.id, job.token, now);
    return { result: "done", id: job.id };
  }

  job(jobId) {
    const rows = this.db.execute(
      `SELECT id, payload, state, attempts, maxAttempts, availableAt, deadline, leaseUntil, lastError, deadReason
       FROM job WHERE id = ?`, [jobId]);
    return rows[0] ?? null;
  }

  stats(now) {
    return this.db.execute(
      `SELECT count(*) FILTER (WHERE state = 'pending') AS pending,
         count(*) FILTER (WHERE state = 'pending' AND availableAt <= ?1) AS due,
         count(*) FILTER (WHERE state = 'leased') AS leased,
         count(*) FILTER (WHERE state = 'leased' AND leaseUntil <= ?1) AS expired,
         count(*) FILTER (WHERE state = 'done') AS done,
         count(*) FILTER (WHERE state = 'dead') AS dead,
         count(*) FILTER (WHERE deadReason = 'exhausted') AS deadExhausted,
         count(*) FILTER (WHERE deadReason = 'deadline') AS deadDeadline,
         count(*) FILTER (WHERE deadReason = 'permanent') AS deadPermanent,
         coalesce(sum(attempts - 1) FILTER (WHERE attempts > 1), 0) AS retries,
         ?1 - min(availableAt) FILTER (WHERE state = 'pending' AND availableAt <= ?1) AS oldestDueMs,
         max(0, ?1 - min(createdAt) FILTER (WHERE state IN ('pending', 'leased'))) AS oldestOpenMs
       FROM job`, [now])[0];
  }

  requeue(jobId, maxAttempts, deadline, now) {
    whole("maxAttempts", maxAttempts, 1, 10000);
    whole("deadline", deadline, 0, MAX);
    const rows = deadline <= now ? [] : this.db.execute(
      `UPDATE job SET state = 'pending', availableAt = ?1, maxAttempts = ?2, deadline = ?3, deadReason = NULL
       WHERE id = ?4 AND state = 'dead' AND attempts < ?2 RETURNING seq`, [now, maxAttempts, deadline, jobId]);
    if (rows.length === 0) throw new RangeError("only a dead job comes back, with a larger budget and time left");
  }
}

function markOf(error) {
  while (error && !(error instanceof Retryable) && !(error instanceof Permanent)) error = error.cause ?? null;
  return error ?? null;
}

// bytes counts those of a text in UTF-8.
function bytes(text) {
  let n = 0;
  for (const c of text) n += c < "\u0080" ? 1 : c < "\u0800" ? 2 : c.length === 1 ? 3 : 4;
  return n;
}
