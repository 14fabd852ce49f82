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
  CONSTRAINT state_is_known CHECK (state IN ('pending', 'leased', 'done', 'dead')),
  CONSTRAINT max_attempts_in_range CHECK (max_attempts BETWEEN 1 AND 10000),
  CONSTRAINT attempts_within_budget CHECK (attempts BETWEEN 0 AND max_attempts),
  CONSTRAINT pending_has_an_attempt_left CHECK (state <> 'pending' OR attempts < max_attempts),
  CONSTRAINT leased_consumed_an_attempt CHECK (state <> 'leased' OR attempts >= 1),
  CONSTRAINT exhausted_means_exhausted CHECK (dead_reason IS NOT 'exhausted' OR attempts = max_attempts),
  CONSTRAINT times_in_range CHECK (
    available_at BETWEEN 0 AND 9007199254740991 AND deadline BETWEEN 0 AND 9007199254740991
    AND created_at BETWEEN 0 AND 9007199254740991 AND ifnull(lease_until, 0) BETWEEN 0 AND 9007199254740991
    AND ifnull(done_at, 0) BETWEEN 0 AND 9007199254740991 AND ifnull(died_at, 0) BETWEEN 0 AND 9007199254740991),
  CONSTRAINT due_before_deadline CHECK (available_at < deadline),
  CONSTRAINT lease_has_an_end CHECK ((state = 'leased') = (lease_until IS NOT NULL)),
  CONSTRAINT lease_has_a_token CHECK ((state = 'leased') = (token IS NOT NULL) AND (token IS NULL OR token = claims)),
  CONSTRAINT dead_has_a_reason CHECK ((state = 'dead') = (dead_reason IS NOT NULL) AND (dead_reason IS NULL OR dead_reason IN ('exhausted', 'deadline', 'permanent'))),
  CONSTRAINT dead_has_a_time CHECK ((state = 'dead') = (died_at IS NOT NULL)),
  CONSTRAINT done_has_a_time CHECK ((state = 'done') = (done_at IS NOT NULL))
) STRICT;

-- A partial index for each state, so that done rows cost a claim nothing.
CREATE INDEX IF NOT EXISTS job_pending ON job (available_at, seq) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS job_pending_deadline ON job (deadline) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS job_pending_age ON job (created_at) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS job_leased ON job (available_at, seq) WHERE state = 'leased';
CREATE INDEX IF NOT EXISTS job_done ON job (done_at) WHERE state = 'done';
CREATE INDEX IF NOT EXISTS job_dead ON job (dead_reason) WHERE state = 'dead';
CREATE INDEX IF NOT EXISTS job_retried ON job (attempts) WHERE attempts > 1;
