package quiz_test

import (
	"fmt"
	"strings"
	"testing"

	"retrylab/quiz"
)

func parse(t *testing.T, text string) *quiz.Quiz {
	t.Helper()
	q, err := quiz.Parse("q.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// variants is a quiz whose questions have from 1 to some hundred combinations.
const variants = `quiz: seeds
title: {en: Seeds}
questions:
- {id: one, kind: choice, ask: x, options: [{text: a, right: true}, {text: b, why: c}, {text: d, why: e}]}
- {id: two, kind: number, given: {a: [1, 2]}, ask: "{a}", unit: ms, key: {delay: {attempt: 1, base_ms: 1, cap_ms: "{a}", jitter: 1}}}
- {id: many, kind: number, given: {attempt: {from: 1, to: 7}, base_ms: {from: 10, to: 30, step: 10}, cap_ms: [5, 6], jitter: [0.25, 1, 0]}, ask: x, unit: ms, key: delay}
- id: tables
  kind: number
  given: [{attempt: [1, 2, 3], base_ms: 5, cap_ms: 100, jitter: 1}, {attempt: 9, base_ms: [6, 7], cap_ms: [1, 2], jitter: [0, 1]}]
  ask: x
  unit: ms
  key: delay
`

func TestEveryRunOfSeedsShowsEachCombinationOnce(t *testing.T) {
	for _, question := range parse(t, variants).Questions {
		n := question.Combinations()
		for _, start := range []int64{0, 1, 999_983, -5, 1<<62 + 7} {
			seen := map[string]bool{}
			for seed := start; seed < start+n; seed++ {
				seen[question.Values(seed).String()] = true
			}
			if int64(len(seen)) != n {
				t.Errorf("%s: %d seeds from %d on show %d of the combinations", question.ID, n, start, len(seen))
			}
		}
		for seed := range int64(100) {
			if n > 1 && question.Values(seed).String() == question.Values(seed+1).String() {
				t.Errorf("%s: seeds %d and %d show the same", question.ID, seed, seed+1)
			}
		}
	}
}

// TestSeedsAreTheSameEverywhere pins the variants: a seed that somebody has noted down, or that a
// device has kept, shows the same in every version and on every platform.
func TestSeedsAreTheSameEverywhere(t *testing.T) {
	q := parse(t, variants)
	var got strings.Builder
	s := newSolver(t)
	for _, question := range q.Questions {
		for _, seed := range []int64{0, 1, 2, 1_000_003} {
			solution, err := s.Solve(t.Context(), question.Variant(seed))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s %d: %s", question.ID, seed, solution.Values)
			for _, o := range solution.Options {
				got.WriteString(" " + solution.OptionText(o, "en"))
			}
			got.WriteByte('\n')
		}
	}
	golden(t, "testdata/seeds.txt", got.String())
}

func TestShufflePutsEachOptionEverywhere(t *testing.T) {
	question := parse(t, variants).Questions[0]
	s := newSolver(t)
	orders := map[string]int{}
	for seed := range int64(600) {
		solution, err := s.Solve(t.Context(), question.Variant(seed))
		if err != nil {
			t.Fatal(err)
		}
		order := ""
		for _, o := range solution.Options {
			order += solution.OptionText(o, "en")
		}
		orders[order]++
	}
	for order, n := range orders {
		if n < 60 || n > 140 {
			t.Errorf("the order %s comes %d times in 600", order, n)
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders of 6", len(orders))
	}
}
