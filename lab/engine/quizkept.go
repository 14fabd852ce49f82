package engine

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"

	"retrylab/quiz"
)

// firstSeeds is how many seeds a quiz may begin with, so that neighbours see different variants.
const firstSeeds = 1_000_000

// quizSeeds are the seeds that a quiz's questions show, by id; "" is the quiz's own. Those that are
// missing are drawn and kept, so that a reload shows the same variants.
func quizSeeds(ctx context.Context, db *sql.DB, q *quiz.Quiz) (map[string]int64, error) {
	seeds := map[string]int64{}
	rows, err := db.QueryContext(ctx, `SELECT question, seed FROM quiz_seed WHERE quiz = ?`, q.Name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var question string
		var seed int64
		if err := rows.Scan(&question, &seed); err != nil {
			return nil, err
		}
		seeds[question] = seed
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	missing := map[string]int64{}
	draw := func(question string, seed int64) {
		if _, ok := seeds[question]; !ok {
			seeds[question], missing[question] = seed, seed
		}
	}
	draw("", 1+rand.Int64N(firstSeeds))
	for _, question := range q.Questions {
		draw(question.ID, seeds[""])
	}
	return seeds, keepSeeds(ctx, db, q, missing)
}

// keepSeeds keeps the seeds of some questions.
func keepSeeds(ctx context.Context, db *sql.DB, q *quiz.Quiz, seeds map[string]int64) error {
	if len(seeds) == 0 {
		return nil
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		for question, seed := range seeds {
			if _, err := tx.ExecContext(ctx, `INSERT INTO quiz_seed (quiz, question, seed) VALUES (?, ?, ?)
ON CONFLICT (quiz, question) DO UPDATE SET seed = excluded.seed`, q.Name, question, seed); err != nil {
				return err
			}
		}
		return nil
	})
}

// keepAnswer keeps an answer that was understood.
func keepAnswer(ctx context.Context, db *sql.DB, q *quiz.Quiz, v quiz.Variant, m quiz.Marked) error {
	_, err := db.ExecContext(ctx, `INSERT INTO quiz_answer (quiz, quiz_hash, question, question_hash, seed, answer, score, mistake)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, q.Name, q.Hash, v.ID, v.Hash, v.Seed, m.Answer, m.Score, m.Mistake)
	return err
}

// lastAnswer is the latest answer to a variant of a question whose content is still the same; ok is
// false when there is none.
func lastAnswer(ctx context.Context, db *sql.DB, q *quiz.Quiz, v quiz.Variant) (answer string, ok bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT answer FROM quiz_answer
WHERE quiz = ? AND question = ? AND question_hash = ? AND seed = ? ORDER BY n DESC LIMIT 1`, q.Name, v.ID, v.Hash, v.Seed).Scan(&answer)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return answer, err == nil, err
}
