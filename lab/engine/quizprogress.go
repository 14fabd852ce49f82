package engine

import (
	"context"
	"encoding/json"
	"time"

	"retrylab/lab/ask"
	"retrylab/quiz"
)

func init() { Handle(ask.QuizProgress, quizProgress) }

// quizProgress is every answer that is kept, as a file that "server quiz results" reads.
func quizProgress(ctx context.Context, e *Engine, call *Call) (any, error) {
	var save ask.SaveProgress
	if err := call.Decode(&save); err != nil {
		return nil, err
	}
	rows, err := e.DB().QueryContext(ctx, `SELECT quiz, quiz_hash, question, question_hash, seed, answer, score, mistake, at FROM quiz_answer ORDER BY n`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var answers []quiz.GivenAnswer
	for rows.Next() {
		var a quiz.GivenAnswer
		if err := rows.Scan(&a.Quiz, &a.QuizHash, &a.Question, &a.QuestionHash, &a.Seed, &a.Answer, &a.Score, &a.Mistake, &a.At); err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(quiz.NewProgress(save.Student, time.Now().UnixMilli(), answers))
	return ask.Progress{Text: string(data) + "\n", Answers: len(answers)}, err
}
