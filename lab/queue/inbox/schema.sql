-- One row for each idempotency key. Times are whole ms, 0..9007199254740991.

CREATE TABLE IF NOT EXISTS inbox (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, also not after a row was removed
  key         TEXT    NOT NULL UNIQUE,
  body        TEXT    NOT NULL,           -- its SHA-256, in hex
  taken       INTEGER NOT NULL DEFAULT 1, -- how often its work was begun: with seq, the ticket
  lease_until INTEGER,                    -- while the work is in progress
  reply       TEXT,
  created_at  INTEGER NOT NULL,
  done_at     INTEGER,

  CONSTRAINT key_is_short CHECK (length(key) BETWEEN 1 AND 200 AND instr(key, char(0)) = 0),
  CONSTRAINT body_is_a_digest CHECK (length(body) = 64),
  CONSTRAINT reply_is_small CHECK (length(CAST(reply AS BLOB)) <= 65536),
  CONSTRAINT in_progress_or_done CHECK ((done_at IS NULL) = (lease_until IS NOT NULL) AND (done_at IS NULL) = (reply IS NULL)),
  CONSTRAINT lease_until_in_range CHECK (lease_until BETWEEN 0 AND 9007199254740991),
  CONSTRAINT created_at_in_range CHECK (created_at BETWEEN 0 AND 9007199254740991),
  CONSTRAINT done_at_in_range CHECK (done_at BETWEEN 0 AND 9007199254740991)
) STRICT;

CREATE INDEX IF NOT EXISTS inbox_done ON inbox (done_at) WHERE done_at IS NOT NULL;
