import math

MAX = 2**53 - 1


def _whole(name, value, lo, hi):
    if type(value) is not int or not lo <= value <= hi:
        raise ValueError(f"{name}: a whole number {lo} to {hi}")
    return value


def retry_delay(attempt, base_ms, cap_ms, jitter):
    _whole("attempt", attempt, 1, MAX)
    _whole("base_ms", base_ms, 1, MAX)
    _whole("cap_ms", cap_ms, 1, MAX)
    if type(jitter) not in (int, float) or not 0 <= jitter <= 1:
        raise ValueError("jitter: a number 0 to 1")
    window = min(cap_ms, base_ms << min(attempt - 1, 53))
    return math.floor(window * float(jitter))


class Queue:
    def __init__(self, db):
        self.db = db
        db.execute("""
            CREATE TABLE IF NOT EXISTS job (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                payload TEXT NOT NULL,
                state TEXT NOT NULL DEFAULT 'pending',
                attempts INTEGER NOT NULL DEFAULT 0,
                claims INTEGER NOT NULL DEFAULT 0,
                max_attempts INTEGER NOT NULL,
                available_at INTEGER NOT NULL,
                deadline INTEGER NOT NULL,
                lease_until INTEGER,
                last_error TEXT,
                dead_reason TEXT,
                created_at INTEGER NOT NULL
            ) STRICT""")

    def enqueue(self, job_id, payload, max_attempts, deadline, now, available_at=None):
        if type(job_id) is not str or not 1 <= len(job_id) <= 200 or "\0" in job_id:
            raise ValueError("job_id: a text of 1 to 200 characters")
        if type(payload) is not str or len(payload.encode("utf-8")) > 65536:
            raise ValueError("payload: a text of at most 65,536 bytes")
        _whole("max_attempts", max_attempts, 1, 10000)
        _whole("deadline", deadline, 0, MAX)
        due = now if available_at is None else _whole("available_at", available_at, 0, MAX)
        rows = self.db.execute("SELECT payload FROM job WHERE id = ?", (job_id,))
        if not rows:
            if deadline <= now or due >= deadline:
                raise ValueError("deadline: no time is left")
            rows = self.db.execute(
                """INSERT INTO job (id, payload, max_attempts, available_at, deadline, created_at)
                   VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING seq""",
                (job_id, payload, max_attempts, max(now, due), deadline, now))
            if rows:
                return "created"
            rows = self.db.execute("SELECT payload FROM job WHERE id = ?", (job_id,))
        if rows[0]["payload"] != payload:
            raise Conflict(job_id)
        return "existing"

    def claim(self, now, lease_ms):
        self.db.execute(
            """UPDATE job SET state = 'dead', lease_until = NULL,
                 dead_reason = CASE WHEN attempts >= max_attempts THEN 'exhausted' ELSE 'deadline' END
               WHERE (state = 'pending' OR state = 'leased' AND lease_until <= ?1)
                 AND (attempts >= max_attempts OR deadline <= ?1)""", (now,))
        rows = self.db.execute(
            """UPDATE job SET state = 'leased', attempts = attempts + 1, claims = claims + 1, lease_until = ?2
               WHERE seq = (SELECT seq FROM job
                            WHERE (state = 'pending' AND available_at <= ?1 OR state = 'leased' AND lease_until <= ?1)
                              AND attempts < max_attempts AND deadline > ?1
                            ORDER BY available_at, seq LIMIT 1)
               RETURNING id, payload, attempts, claims AS token""", (now, min(MAX, now + lease_ms)))
        return rows[0] if rows else None

    def _mine(self, job_id, token):
        rows = self.db.execute(
            "SELECT * FROM job WHERE id = ? AND state = 'leased' AND claims = ?", (job_id, token))
        if not rows:
            raise LeaseLost(job_id)
        return rows[0]

    def _change(self, job_id, token, change, values):
        if not self.db.execute(
                f"UPDATE job SET {change} WHERE id = ? AND state = 'leased' AND claims = ? RETURNING seq",
                (*values, job_id, token)):
            raise LeaseLost(job_id)

    def complete(self, job_id, token, now):
        self._change(job_id, token, "state = 'done', lease_until = NULL", ())

    def extend(self, job_id, token, now, lease_ms):
        self._change(job_id, token, "lease_until = ?", (min(MAX, now + lease_ms),))

    def fail(self, job_id, token, error, now, *, base_ms, cap_ms, jitter):
        job = self._mine(job_id, token)
        mark = self._mark(error)
        wait = retry_delay(max(1, job["attempts"]), base_ms, cap_ms, jitter)
        if mark.__class__ is Retryable and mark.retry_after_ms is not None:
            wait = max(wait, mark.retry_after_ms)
        reason = None
        if isinstance(mark, Permanent):
            reason = "permanent"
        elif job["attempts"] >= job["max_attempts"]:
            reason = "exhausted"
        elif wait >= job["deadline"] - now:
            reason = "deadline"
        if reason is not None:
            self._change(job_id, token, "state = 'dead', dead_reason = ?, lease_until = NULL, last_error = ?", (reason, str(error)))
            return {"result": "dead", "id": job_id, "reason": reason}
        due = now + wait
        self._change(job_id, token, "state = 'pending', available_at = ?, lease_until = NULL, last_error = ?", (due, str(error)))
        return {"result": "retry", "id": job_id, "available_at": due}

    @staticmethod
    def _mark(error):
        while error is not None and not isinstance(error, (Retryable, Permanent)):
            error = error.__cause__
        return error

    def run_once(self, clock, send, *, lease_ms, base_ms, cap_ms, jitter):
        began = clock()
        job = self.claim(began, lease_ms)
        if job is None:
            return None
        failure = None
        try:
            send({"id": job["id"], "payload": job["payload"], "attempt": job["attempts"]})
        except Exception as error:
            if self._mark(error) is None:
                raise
            failure = error
        now = clock()
        if now < began:
            raise ClockWentBack(f"{began}, then {now}")
        if failure is not None:
            return self.fail(job["id"], job["token"], failure, now, base_ms=base_ms, cap_ms=cap_ms, jitter=jitter)
        self.complete(job["id"], job["token"], now)
        return {"result": "done", "id": job["id"]}

    def job(self, job_id):
        rows = self.db.execute(
            """SELECT id, payload, state, attempts, max_attempts, available_at, deadline, lease_until,
                 last_error, dead_reason FROM job WHERE id = ?""", (job_id,))
        return rows[0] if rows else None

    def stats(self, now):
        return self.db.execute(
            """SELECT count(*) FILTER (WHERE state = 'pending') AS pending,
                 count(*) FILTER (WHERE state = 'pending' AND available_at <= ?1) AS due,
                 count(*) FILTER (WHERE state = 'leased') AS leased,
                 count(*) FILTER (WHERE state = 'leased' AND lease_until <= ?1) AS expired,
                 count(*) FILTER (WHERE state = 'done') AS done,
                 count(*) FILTER (WHERE state = 'dead') AS dead,
                 count(*) FILTER (WHERE dead_reason = 'exhausted') AS dead_exhausted,
                 count(*) FILTER (WHERE dead_reason = 'deadline') AS dead_deadline,
                 count(*) FILTER (WHERE dead_reason = 'permanent') AS dead_permanent,
                 coalesce(sum(attempts - 1) FILTER (WHERE attempts > 1), 0) AS retries,
                 ?1 - min(available_at) FILTER (WHERE state = 'pending' AND available_at <= ?1) AS oldest_due_ms,
                 max(0, ?1 - min(created_at) FILTER (WHERE state IN ('pending', 'leased'))) AS oldest_open_ms
               FROM job""", (now,))[0]

    def requeue(self, job_id, max_attempts, deadline, now):
        _whole("max_attempts", max_attempts, 1, 10000)
        _whole("deadline", deadline, 0, MAX)
        rows = [] if deadline <= now else self.db.execute(
            """UPDATE job SET state = 'pending', available_at = ?1, max_attempts = ?2, deadline = ?3, dead_reason = NULL
               WHERE id = ?4 AND state = 'dead' AND attempts < ?2 RETURNING seq""",
            (now, max_attempts, deadline, job_id))
        if not rows:
            raise ValueError("only a dead job comes back, with a larger budget and time left")
