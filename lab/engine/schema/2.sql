-- Quizzes.

-- The variant that each question shows; the question '' is the quiz's own seed.
CREATE TABLE quiz_seed (
  quiz     TEXT    NOT NULL,
  question TEXT    NOT NULL,
  seed     INTEGER NOT NULL,
  PRIMARY KEY (quiz, question)
) STRICT;

-- Every answer that was understood, with its mark as it was then. The hashes tell which content of the
-- file, and of the question, was answered: a changed quiz keeps the old answers, and they are not
-- taken for answers to the new one.
CREATE TABLE quiz_answer (
  n             INTEGER PRIMARY KEY AUTOINCREMENT,
  quiz          TEXT    NOT NULL,
  quiz_hash     TEXT    NOT NULL,
  question      TEXT    NOT NULL,
  question_hash TEXT    NOT NULL,
  seed          INTEGER NOT NULL,
  answer        TEXT    NOT NULL,
  score         REAL    NOT NULL CHECK (score BETWEEN 0 AND 1),
  mistake       TEXT    NOT NULL, -- the mutant whose answer it was, or ''
  at            INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)) -- ms since 1970
) STRICT;

CREATE INDEX quiz_answer_variant ON quiz_answer (quiz, question, question_hash, seed);
