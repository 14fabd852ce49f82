-- The queue's table. Times are whole ms, counts and times 0..9007199254740991 (SPEC.md section 3).
-- The table itself refuses impossible rows; each CHECK has a name.

CREATE TABLE IF NOT EXISTS job (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of acceptance; never used twice, also not after a purge
  id           TEXT    NOT NULL UNIQUE,
  payload      TEXT    NOT NULL,
  state        TEXT    NOT NULL DEFAULT 'pending',
  attempts     INTEGER NOT NULL DEFAULT 0, -- claims that count against the budget
  max_attempts INTEGER NOT NULL,
  available_at INTEGER NOT NULL,
  deadline     INTEGER NOT NULL,
  claims       INTEGER NOT NULL DEFAULT 0, -- all claims ever: the source of fencing tokens
  token        INTEGER,                    -- with seq, the fencing token of the current lease
  lease_until  INTEGER,
  last_error   TEXT,
  dead_reason  TEXT,
  created_at   INTEGER NOT NULL,
  done_at      INTEGER,
  died_at      INTEGER,

  CONSTRAINT id_is_short CHECK (length(id) BETWEEN 1 AND 200 AND instr(id, char(0)) = 0),
  CONSTRAINT payload_is_small CHECK (length(CAST(payload AS BLOB)) <= 65536),
  CONSTRAINT state_is_known CHECK (state = 'pending' OR state = 'leased' OR state = 'done' OR state = 'dead'),
  CONSTRAINT max_attempts_in_range CHECK (max_attempts BETWEEN 1 AND 10000),
  CONSTRAINT attempts_within_budget CHECK (attempts BETWEEN 0 AND max_attempts),
  CONSTRAINT pending_has_an_attempt_left CHECK (state <> 'pending' OR attempts < max_attempts),
  CONSTRAINT leased_consumed_an_attempt CHECK (state <> 'leased' OR attempts >= 1),
  CONSTRAINT ended_by_a_worker_consumed_an_attempt CHECK ((state <> 'done' AND dead_reason IS NOT 'permanent') OR attempts >= 1),
  CONSTRAINT claims_count_all_attempts CHECK (claims BETWEEN attempts AND 9007199254740991),
  CONSTRAINT permanent_has_an_error CHECK (dead_reason IS NOT 'permanent' OR last_error IS NOT NULL),
  CONSTRAINT exhausted_means_exhausted CHECK (dead_reason IS NOT 'exhausted' OR attempts = max_attempts),
  CONSTRAINT available_at_in_range CHECK (available_at BETWEEN 0 AND 9007199254740991),
  CONSTRAINT deadline_in_range CHECK (deadline BETWEEN 0 AND 9007199254740991),
  CONSTRAINT created_at_in_range CHECK (created_at BETWEEN 0 AND 9007199254740991),
  CONSTRAINT lease_until_in_range CHECK (lease_until BETWEEN 0 AND 9007199254740991),
  CONSTRAINT done_at_in_range CHECK (done_at BETWEEN 0 AND 9007199254740991),
  CONSTRAINT died_at_in_range CHECK (died_at BETWEEN 0 AND 9007199254740991),
  CONSTRAINT due_before_deadline CHECK (available_at < deadline),
  CONSTRAINT lease_has_an_end CHECK ((state = 'leased') = (lease_until IS NOT NULL)),
  CONSTRAINT lease_has_a_token CHECK ((state = 'leased') = (token IS NOT NULL) AND (token IS NULL OR token = claims)),
  CONSTRAINT dead_has_a_reason CHECK ((state = 'dead') = (dead_reason IS NOT NULL) AND (dead_reason IS NULL OR dead_reason = 'exhausted' OR dead_reason = 'deadline' OR dead_reason = 'permanent')),
  CONSTRAINT dead_has_a_time CHECK ((state = 'dead') = (died_at IS NOT NULL)),
  CONSTRAINT done_has_a_time CHECK ((state = 'done') = (done_at IS NOT NULL))
) STRICT;

-- Partial indexes, so that done rows cost a claim nothing: what is open, in the order of a claim; what
-- runs out of time; and the leases that cannot be followed by another. A claim changes a row of the first
-- one only.
CREATE INDEX IF NOT EXISTS job_open ON job (state, available_at, seq, lease_until, created_at, attempts) WHERE state = 'pending' OR state = 'leased';
CREATE INDEX IF NOT EXISTS job_deadline ON job (deadline) WHERE done_at IS NULL AND died_at IS NULL;
CREATE INDEX IF NOT EXISTS job_last ON job (state, lease_until) WHERE state = 'leased' AND attempts >= max_attempts;
CREATE INDEX IF NOT EXISTS job_done ON job (done_at) WHERE state = 'done';
CREATE INDEX IF NOT EXISTS job_dead ON job (dead_reason, attempts) WHERE state = 'dead';

-- The figures that would need a walk over all jobs ever done. The triggers come first and find no row;
-- then one statement counts what is there, so that no job is missed or counted twice meanwhile.
CREATE TABLE IF NOT EXISTS job_count (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  done    INTEGER NOT NULL CHECK (done >= 0),
  retries INTEGER NOT NULL CHECK (retries >= 0) -- of the done jobs
) STRICT;
CREATE TRIGGER IF NOT EXISTS job_count_insert AFTER INSERT ON job WHEN new.done_at IS NOT NULL BEGIN
  UPDATE job_count SET done = done + 1, retries = retries + max(new.attempts, 1) - 1; END;
CREATE TRIGGER IF NOT EXISTS job_count_done AFTER UPDATE OF done_at ON job WHEN (new.done_at IS NULL) <> (old.done_at IS NULL) BEGIN
  UPDATE job_count SET done = done + iif(old.done_at IS NULL, 1, -1), retries = retries + iif(old.done_at IS NULL, max(new.attempts, 1) - 1, 1 - max(old.attempts, 1)); END;
CREATE TRIGGER IF NOT EXISTS job_count_delete AFTER DELETE ON job WHEN old.done_at IS NOT NULL BEGIN
  UPDATE job_count SET done = done - 1, retries = retries - max(old.attempts, 1) + 1; END;
INSERT OR IGNORE INTO job_count (one, done, retries)
SELECT 1, count(*), ifnull(sum(max(attempts, 1) - 1), 0) FROM job WHERE state = 'done';
