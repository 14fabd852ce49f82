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
	maxOptions      = 20 // items and pairs too
	maxLayers       = 10
	maxHints        = 10
	maxGiven        = 20 // names
	maxTables       = 1000
	maxText         = 4000
	maxValue        = 200 // characters of a given value: a text may show it many times
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

	warnings []*source.Problem // what Check tells besides: texts that a comment has cut
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

// Kinds.
const (
	Number  Kind = "number"
	Choice  Kind = "choice"  // one option
	Choices Kind = "choices" // all right options; part of them gives part of the mark
	Order   Kind = "order"   // items, to be put in their order
	Match   Kind = "match"   // rows, each to be matched with an option
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
	Items     []Authored // of an order, in their right order
	Pairs     []Pair     // of a match
	Extra     []Text     // of a match: options that fit no row
	Words     []Word
	Tolerance Tolerance
	Variants  int64  // so many the author wants at least
	Hash      string // of the question's content, not of how it is laid out

	quiz     *Quiz
	scenario *source.Node // a map with name and steps; nil for none
	node     source.Node
	unitAt   bool
}

// A Key says which of the engine's figures is the right answer. One of Delay, Calls, Job, Stats, Step and
// Value is set.
type Key struct {
	Delay  *[4]source.Node // attempt, base_ms, cap_ms, jitter, before values are put in
	Calls  []source.Node   // the tries of each layer
	Value  *source.Node    // the author's own word, for what no engine can say
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

// A Pair is a row of a match with the option that fits it.
type Pair struct {
	Text, With Text
	Why        Text // said when another option was chosen
	node       source.Node
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
