package quiz

import (
	"math/big"

	"retrylab/lab/source"
)

// Bounds of a file. They are far above what a class can use and keep a hostile file harmless.
const (
	MaxFile         = 256 << 10 // bytes
	maxQuestions    = 100
	maxSteps        = 100 // of a scenario, those during a send included
	maxMistakes     = 20
	maxOptions      = 20
	maxHints        = 10
	maxGiven        = 20 // names
	maxText         = 4000
	maxCombinations = 1_000_000_000
	maxVariants     = 10_000 // that a question can ask for
)

// A Quiz is a file of questions.
type Quiz struct {
	Name      string
	Title     Text
	Languages []string // those of the title, in its order; the first is the file's own
	Questions []*Question
	File      string
	Hash      string // of the file's content
}

// Question is the question of an id.
func (q *Quiz) Question(id string) (*Question, bool) {
	for _, question := range q.Questions {
		if question.ID == id {
			return question, true
		}
	}
	return nil, false
}

// A Kind is how a question is answered.
type Kind string

// Kinds. Those to come (order, match) bring keys of their own.
const (
	Number  Kind = "number"
	Choice  Kind = "choice"  // one option
	Choices Kind = "choices" // all right options; part of them gives part of the mark
)

// A Question before its variant is drawn.
type Question struct {
	ID        string
	Kind      Kind
	Ask       Text
	Unit      Text // of a number
	Hints     []Text
	Given     []Table // none: the question has one variant
	Key       *Key    // nil: the options tell
	Mistakes  []Mistake
	Options   []Authored
	Words     []Word
	Tolerance Tolerance
	Variants  int64  // so many the author wants at least
	Hash      string // of the question's content, not of how it is laid out

	quiz     *Quiz
	scenario *source.Node // a map with name and steps; nil for none
	node     source.Node
	unitAt   bool
}

// A Key says which of the engine's figures is the right answer. One of Delay, Job, Stats and Step is
// set.
type Key struct {
	Delay  *[4]source.Node // attempt, base_ms, cap_ms, jitter, before values are put in
	Job    *source.Node    // a job's id
	Stats  bool
	Step   string   // a step's number, such as 2 or 2.1
	Fields []string // of Job, Stats and Step
	node   source.Node
}

// A Mistake is a mutant whose answer is a wrong one.
type Mistake struct {
	Name string // in package mutant
	node source.Node
}

// An Authored option is one that the file brings.
type Authored struct {
	Text  Text         // "" when it has a value
	Value *source.Node // of a wrong option beside a key: the wrong value
	Right bool
	Why   Text
	node  source.Node
}

// A Word says how a value of a key is shown.
type Word struct {
	Value string
	Text  Text
}

// A Tolerance is how far from the key a number may be.
type Tolerance struct {
	Within *big.Rat // nil is 0
	Edge   bool     // an answer exactly Within away is right
}

// holds says whether a number is right for a key.
func (t Tolerance) holds(x, key *big.Rat) bool {
	away := new(big.Rat).Sub(x, key)
	away.Abs(away)
	if t.Within == nil {
		return away.Sign() == 0
	}
	c := away.Cmp(t.Within)
	return c < 0 || c == 0 && t.Edge || away.Sign() == 0
}
