-- The lab's own tables beside the queue's, version 1. A later version of the site adds a file 2.sql.

-- The live queue's clock and policy: one row.
CREATE TABLE live (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  now      INTEGER NOT NULL,
  base_ms  INTEGER NOT NULL,
  cap_ms   INTEGER NOT NULL,
  jitter   REAL    NOT NULL,
  lease_ms INTEGER NOT NULL
) STRICT;

-- Each worker's latest claim.
CREATE TABLE live_worker (
  name         TEXT PRIMARY KEY,
  token        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  payload      TEXT    NOT NULL,
  attempts     INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  available_at INTEGER NOT NULL,
  deadline     INTEGER NOT NULL,
  lease_until  INTEGER NOT NULL
) STRICT;

-- The last steps. The result of a send that is held is 'sending'.
CREATE TABLE live_log (
  n      INTEGER PRIMARY KEY AUTOINCREMENT,
  at     INTEGER NOT NULL,
  do     TEXT NOT NULL,
  id     TEXT NOT NULL,
  result TEXT NOT NULL,
  text   TEXT NOT NULL
) STRICT;

-- What pages want kept.
CREATE TABLE kept (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
