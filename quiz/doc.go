// Package quiz reads quizzes, draws their variants, lets the engine find the key, and marks answers.
//
// A quiz is a YAML file that an instructor writes (COURSE.md, "Quizzes"):
//
//	quiz: cap-and-deadline                # its name: small letters, digits, -
//	title: {en: Cap and deadline}         # a text for each language; the first language is the file's own
//	questions:
//	- id: third-wait
//	  kind: number                        # number, choice, choices, order, match
//	  given:                              # what differs between variants: lists, or from, to, step
//	    attempt: {from: 1, to: 5}
//	    base_ms: [50, 100]
//	    cap_ms: [150, 1000]
//	    jitter: [0, 0.5, 1]
//	  ask: {en: "How long does the job wait after failure {attempt}?"}
//	  unit: ms                            # of a number
//	  tolerance: {within: 2, edge: right} # of a number; edge: is an answer exactly 2 away right or wrong?
//	  key: delay                          # from the engine: the delay of the given values
//	  mistakes: [no_cap, zero_based]      # wrong answers: what these mutants give
//	  hints: [{en: "..."}]
//	  variants: 20                        # check: so many different ones at least
//	- id: at-the-deadline
//	  kind: choice
//	  given: {left_ms: [49, 50, 51]}
//	  scenario:                           # steps, or a map with policy and steps
//	  - {at: 0, enqueue: {id: cake-1, max_attempts: 2, deadline: {left_ms}}}
//	  - {run: {send: retryable}}
//	  ask: {en: "What is the job's state now?"}
//	  key: {job: cake-1, field: state}    # or {stats: due}, or {step: 2, field: result}; field may be a list
//	  mistakes: [deadline_inclusive_at_fail]
//	  words: {dead: {en: "It is dead"}}   # how a value is said; else the value itself is shown
//	- id: what-counts
//	  kind: choice                        # exactly one is right; choices: any number of them
//	  ask: {en: "When is an attempt consumed?"}
//	  options:
//	  - {text: {en: "When the job is claimed"}, right: true}
//	  - {text: {en: "When the request succeeds"}, why: {en: "..."}}
//	- id: a-run
//	  kind: order
//	  ask: {en: "What comes first?"}
//	  items:                              # in their right order; a text, or a text with a why
//	  - {text: {en: "The claim"}, why: {en: "Said when it has to move."}}
//	  - {en: "The send"}
//	- id: which-class
//	  kind: match
//	  ask: {en: "Which kind of failure is it?"}
//	  pairs:                              # equal answers are one option
//	  - {text: "503", with: {en: "retryable"}, why: {en: "Said when another is chosen."}}
//	  - {text: "404", with: {en: "permanent"}}
//	  extra: [{en: "unknown"}]            # options that fit no row
//
// given may also be a list of such maps with the same names: a variant comes from one of them. That
// keeps together values that belong together, such as a cap and its boundary.
//
// {name} in a text or in a scenario stands for a given value; {{name}} stands for {name} itself. In a
// scenario the value keeps its type: the file's values are put in place of parsed ones, and no YAML is
// pasted together. A text is a map of languages, or one text for all of them. A reader's language that is
// missing is looked for without its region (pt for pt-BR), then in the file's own language, the first of
// the title, then the text's first. Texts are Markdown as package prose reads it.
//
// Next to a key, options may stand for wrong answers that no mutant gives: {value: 7, why: ...}. Besides the
// keys above there are {calls: [3, 3]}, how many calls layers of retries can make, and {value: V}, the
// author's own word for what no engine can say; mutants have no answers to these two.
//
// # Marks
//
// A number and a choice give 1 or 0. The others give a part: choices the right options less the wrong ones,
// of all right ones; an order the pairs of items that stand the right way round less the others, of all
// pairs; a match the right rows, of all rows. None is below 0.
//
// # Variants
//
// A question has as many combinations as its lists have. Seed s shows combination
//
//	(offset + s * stride) mod combinations
//
// with a stride next to combinations * 0.618 that has no divisor in common with it, and an offset
// from the question's name. So any run of as many seeds as there are combinations shows each of them
// once, and the next seed always looks different. The order of options comes from splitmix64 (Steele,
// Lea, Flood, 2014) and the seed. Neither depends on a Go version or a platform: the same seed gives
// the same variant everywhere.
//
// # Keys
//
// A key is what the reference does, and a wrong option is what a mutant does, so a key cannot be wrong
// and a distractor cannot be accidentally right. Where a mutant's answer is the key or another option
// in some variant, that option is dropped there.
//
// Nothing here trusts a file: sizes, counts and combinations are bounded, aliases are refused, and
// texts are never markup.
package quiz
