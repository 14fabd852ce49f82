# What the lab gives you:
#   db.execute(sql, params=())
#       one SQL statement on real SQLite; its rows, as dicts
#   Retryable(message, retry_after_ms=None), Permanent(message)
#       what send may raise
#   Conflict, LeaseLost, ClockWentBack
#       what your code raises
# Times are whole milliseconds, 0 to 2**53 - 1.
# What you print() is shown below a check.


def retry_delay(attempt, base_ms, cap_ms, jitter):
    """Part 1. The wait after failure number `attempt`, whole ms.

    The window doubles with each attempt, from base_ms on, and
    never passes cap_ms. The delay is the window times the jitter
    (0 to 1), rounded down. Any other argument raises ValueError
    or TypeError: booleans, nan, inf, fractions, texts, None, and
    what is out of range.
    """
    raise NotImplementedError


class Queue:
    """A queue that outlives its process.

    All it knows stands in the database: when the process dies,
    the lab makes a new Queue(db) on the same database.
    """

    def __init__(self, db):
        self.db = db
        # CREATE TABLE IF NOT EXISTS ...

    # Part 2: the queue

    def enqueue(self, job_id, payload, max_attempts, deadline,
                now, available_at=None):
        """Accepts a job.

        Returns "created", or "existing" for the same id and
        payload: then nothing changes. Raises Conflict for the
        same id with another payload; ValueError or TypeError for
        a wrong value, and for a new job without any time left.
        """
        raise NotImplementedError

    def run_once(self, clock, send, *,
                 lease_ms, base_ms, cap_ms, jitter):
        """Claims the job that is due, sends it, notes the end.

        clock() is the time now: read it before the claim and
        again after the send. send gets a dict, id, payload and
        attempt, and may raise. Returns None when nothing is due,
        else a dict with result ("done", "retry" or "dead"), id,
        and available_at (retry) or reason (dead). Raises
        ClockWentBack and LeaseLost. An unknown error of send
        goes through as it is.
        """
        raise NotImplementedError

    def job(self, job_id):
        """None, or a dict: id, payload, state, attempts,
        max_attempts, available_at, deadline, lease_until,
        last_error, dead_reason."""
        raise NotImplementedError

    def stats(self, now):
        """A dict: pending, due, leased, expired, done, dead,
        dead_exhausted, dead_deadline, dead_permanent, retries,
        oldest_due_ms, oldest_open_ms."""
        raise NotImplementedError

    # Part 3: leases

    def claim(self, now, lease_ms):
        """None, or a dict: id, payload, attempts, token.
        The attempt is consumed."""
        raise NotImplementedError

    def complete(self, job_id, token, now):
        """The job is done. Raises LeaseLost when the token is
        not the current one."""
        raise NotImplementedError

    def fail(self, job_id, token, error, now, *,
             base_ms, cap_ms, jitter):
        """Returns what run_once does after a failure.
        Raises LeaseLost."""
        raise NotImplementedError

    def extend(self, job_id, token, now, lease_ms):
        """The lease ends lease_ms from now. Raises LeaseLost."""
        raise NotImplementedError

    # Part 4: requeue

    def requeue(self, job_id, max_attempts, deadline, now):
        """Brings a dead job back, with a larger budget and time
        left; else raises ValueError or TypeError."""
        raise NotImplementedError
