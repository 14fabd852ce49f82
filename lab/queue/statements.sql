-- The queue's statements, by name. {name} is a fragment, which stands at the top; :name is a
-- parameter. Each transition is one guarded statement, so that it also runs where there are no
-- interactive transactions. The lab's mutants are small changes of this text (lab/mutant).

-- fragment due
available_at <= :now

-- fragment expired
lease_until <= :now

-- fragment late
deadline <= :now

-- fragment exhausted
attempts >= max_attempts

-- fragment consumed
attempts + 1

-- fragment held
seq = :seq AND state = 'leased' AND token = :token

-- fragment wait
:wait

-- fragment left
deadline - :now

-- fragment too_long
{wait} >= {left}

-- fragment verdict
CASE WHEN :permanent THEN 'permanent' WHEN {exhausted} THEN 'exhausted' WHEN {too_long} THEN 'deadline' END

-- statement insert: a new job, unless the id exists or no time is left
INSERT INTO job (id, payload, max_attempts, available_at, deadline, created_at)
SELECT :id, :payload, :max_attempts, max(:now, :available_at), :deadline, :now
WHERE max(:now, :available_at) < :deadline
ON CONFLICT (id) DO NOTHING

-- statement existing: the id is there already; the row stays as it is
SELECT state, dead_reason, payload = :payload FROM job WHERE id = :id

-- fragment candidates: what may be leased, in the order of due time, then of acceptance
SELECT seq, available_at, claims, attempts FROM job
WHERE state = 'pending' AND {due} AND NOT ({exhausted}) AND NOT ({late})
UNION ALL
SELECT seq, available_at, claims, attempts FROM job
WHERE state = 'leased' AND available_at >= 0 AND {expired} AND NOT ({exhausted}) AND NOT ({late})
ORDER BY available_at, seq

-- fragment taken
state = 'leased',
attempts = {consumed},
lease_until = min(9007199254740991, :now + :lease_ms),
claims = claims + 1, token = claims + 1

-- fragment claimed
seq, token, id, payload, attempts, max_attempts, available_at, deadline, lease_until, EXISTS ({doomed})

-- statement lease: the first candidate
UPDATE job SET {taken}
WHERE seq = (SELECT seq FROM ({candidates} LIMIT 1))
RETURNING {claimed}

-- fragment doomed: open jobs whose budget is gone; without the + SQLite would walk over all jobs of a state
SELECT seq FROM job WHERE done_at IS NULL AND died_at IS NULL AND {late} AND (+state = 'pending' OR {expired})
UNION ALL
SELECT seq FROM job WHERE state = 'leased' AND {exhausted} AND {expired}

-- statement bury: open jobs whose budget is gone, at most 1000
UPDATE job SET
  state = 'dead',
  dead_reason = CASE WHEN {exhausted} THEN 'exhausted' ELSE 'deadline' END,
  died_at = :now, lease_until = NULL, token = NULL
WHERE seq IN ({doomed} LIMIT 1000)

-- statement peek: the first candidate; with :fresh the first that was never claimed
SELECT seq, claims, attempts FROM ({candidates}) WHERE attempts = 0 OR NOT :fresh LIMIT 1

-- fragment still: a candidate that is as it was when it was peeked at
seq = :seq AND claims = :claims AND (state = 'pending' AND {due} OR state = 'leased' AND {expired}) AND NOT ({exhausted}) AND NOT ({late})

-- statement lease_it: a candidate that was peeked at
UPDATE job SET {taken}
WHERE {still}
RETURNING {claimed}

-- statement postpone: a retry that the budget refuses; it consumes no attempt
UPDATE job SET
  state = CASE WHEN {too_long} THEN 'dead' ELSE 'pending' END,
  dead_reason = CASE WHEN {too_long} THEN 'deadline' END,
  died_at = CASE WHEN {too_long} THEN :now END,
  available_at = CASE WHEN {too_long} THEN available_at ELSE :now + {wait} END,
  lease_until = NULL, token = NULL
WHERE {still}

-- statement complete
UPDATE job SET state = 'done', done_at = :now, lease_until = NULL, token = NULL
WHERE {held}

-- statement fail: permanent, then exhausted, then deadline, else another try
UPDATE job SET
  state = CASE WHEN {verdict} IS NULL THEN 'pending' ELSE 'dead' END,
  dead_reason = {verdict},
  died_at = CASE WHEN {verdict} IS NULL THEN NULL ELSE :now END,
  available_at = CASE WHEN {verdict} IS NULL THEN :now + {wait} ELSE available_at END,
  last_error = :error,
  lease_until = NULL, token = NULL
WHERE {held}
RETURNING state, dead_reason, available_at

-- statement extend
UPDATE job SET lease_until = min(9007199254740991, :now + :lease_ms)
WHERE {held}
RETURNING lease_until

-- statement requeue: a dead job starts again with a larger budget
UPDATE job SET
  state = 'pending', available_at = :now, max_attempts = :max_attempts, deadline = :deadline,
  dead_reason = NULL, died_at = NULL
WHERE id = :id AND state = 'dead' AND :max_attempts > attempts AND :deadline > :now

-- statement stats: every figure of one moment
SELECT
  (SELECT count(*) FROM job WHERE state = 'pending' AND available_at >= 0),
  (SELECT count(*) FROM job WHERE state = 'pending' AND {due}),
  (SELECT count(*) FROM job WHERE state = 'leased' AND available_at >= 0),
  (SELECT count(*) FROM job WHERE state = 'leased' AND available_at >= 0 AND {expired}),
  (SELECT done FROM job_count WHERE one = 1),
  (SELECT count(*) FROM job WHERE state = 'dead' AND dead_reason = 'exhausted'),
  (SELECT count(*) FROM job WHERE state = 'dead' AND dead_reason = 'deadline'),
  (SELECT count(*) FROM job WHERE state = 'dead' AND dead_reason = 'permanent'),
  (SELECT retries FROM job_count WHERE one = 1)
    + (SELECT ifnull(sum(max(attempts, 1) - 1), 0) FROM job WHERE state = 'pending' AND available_at >= 0)
    + (SELECT ifnull(sum(max(attempts, 1) - 1), 0) FROM job WHERE state = 'leased' AND available_at >= 0)
    + (SELECT ifnull(sum(max(attempts, 1) - 1), 0) FROM job WHERE state = 'dead' AND dead_reason >= ''),
  (SELECT max(0, :now - min(available_at)) FROM job WHERE state = 'pending' AND {due}),
  (SELECT max(0, :now - min(created_at)) FROM (
    SELECT min(created_at) AS created_at FROM job WHERE state = 'pending' AND available_at >= 0
    UNION ALL
    SELECT min(created_at) FROM job WHERE state = 'leased' AND available_at >= 0))

-- statement purge: done jobs are forgotten, and their ids with them
DELETE FROM job WHERE state = 'done' AND done_at < :before
RETURNING seq

-- statement job
SELECT {columns} FROM job WHERE id = :id

-- statement jobs: the newest, at most a number of them
SELECT {columns} FROM job WHERE seq > 0 ORDER BY seq DESC LIMIT :limit

-- fragment columns
id, payload, state, attempts, max_attempts, available_at, deadline, lease_until, last_error, dead_reason, created_at, done_at, died_at
