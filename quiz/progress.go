package quiz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// A Progress is what a student has answered, as the page saves it to a file and "server quiz results"
// reads it:
//
//	{
//	  "format": "retrylab-progress",
//	  "version": 1,
//	  "student": "Aiko",                 // as typed; may be missing
//	  "saved_at": 1700000000000,         // ms since 1970
//	  "answers": [
//	    {
//	      "quiz": "cap-and-deadline",    // the quiz's name
//	      "quiz_hash": "9f...",          // of the file as it was then (HashOf)
//	      "question": "third-wait",
//	      "question_hash": "41...",      // of the question's content: a changed question has another
//	      "seed": 17,                    // the variant
//	      "answer": "125 ms",            // as Mark takes it
//	      "score": 1,                    // 0..1, as it was marked then
//	      "mistake": "",                 // the mutant whose answer it was
//	      "at": 1700000000000            // ms since 1970
//	    }
//	  ]
//	}
//
// Answers are in the order in which they were given; only those that were understood are kept. The file
// comes from the student's own device, so it is a report, not a proof.
type Progress struct {
	Format  string        `json:"format"`
	Version int           `json:"version"`
	Student string        `json:"student,omitempty"`
	SavedAt int64         `json:"saved_at"`
	Answers []GivenAnswer `json:"answers"`
}

// A GivenAnswer is one answer of a student.
type GivenAnswer struct {
	Quiz         string  `json:"quiz"`
	QuizHash     string  `json:"quiz_hash"`
	Question     string  `json:"question"`
	QuestionHash string  `json:"question_hash"`
	Seed         int64   `json:"seed"`
	Answer       string  `json:"answer"`
	Score        float64 `json:"score"`
	Mistake      string  `json:"mistake,omitempty"`
	At           int64   `json:"at"`
}

// ProgressFormat and ProgressVersion are what [Progress] files begin with.
const (
	ProgressFormat  = "retrylab-progress"
	ProgressVersion = 1
)

// Bounds of a progress file.
const (
	MaxProgress = 32 << 20 // bytes
	maxAnswers  = 200_000
	maxTyped    = 4000 // bytes of one text in it
)

// NewProgress is the progress of a student with these answers.
func NewProgress(student string, savedAt int64, answers []GivenAnswer) Progress {
	if answers == nil {
		answers = []GivenAnswer{}
	}
	return Progress{ProgressFormat, ProgressVersion, student, savedAt, answers}
}

// ReadProgress reads a progress file, which comes from outside: its sizes and values are checked, and
// names that it does not know are left alone, so that a later version may add some.
func ReadProgress(data []byte) (Progress, error) {
	var p Progress
	if len(data) > MaxProgress {
		return p, fmt.Errorf("the file has %d bytes, at most %d are read", len(data), MaxProgress)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("this is no progress file: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return p, fmt.Errorf("something follows the progress")
	}
	switch {
	case p.Format != ProgressFormat:
		return p, fmt.Errorf("the format is %.40q, expected %q", p.Format, ProgressFormat)
	case p.Version != ProgressVersion:
		return p, fmt.Errorf("the version is %d, expected %d", p.Version, ProgressVersion)
	case len(p.Answers) > maxAnswers:
		return p, fmt.Errorf("%d answers, at most %d are read", len(p.Answers), maxAnswers)
	case len(p.Student) > maxTyped:
		return p, fmt.Errorf("the student's name has %d bytes, at most %d are read", len(p.Student), maxTyped)
	}
	for i, a := range p.Answers {
		longest := max(len(a.Quiz), len(a.QuizHash), len(a.Question), len(a.QuestionHash), len(a.Answer), len(a.Mistake))
		switch {
		case a.Quiz == "" || a.Question == "":
			return p, fmt.Errorf("answer %d names no quiz or no question", i+1)
		case !(a.Score >= 0 && a.Score <= 1):
			return p, fmt.Errorf("the score of answer %d is %v, expected 0 to 1", i+1, a.Score)
		case longest > maxTyped:
			return p, fmt.Errorf("a text of answer %d has %d bytes, at most %d are read", i+1, longest, maxTyped)
		case a.At < 0 || a.At > 1<<53-1:
			return p, fmt.Errorf("the time of answer %d is %d, expected ms since 1970", i+1, a.At)
		}
	}
	return p, nil
}
