package web

import (
	"slices"
	"strings"
	"testing"

	"retrylab/lab/check"
	"retrylab/lab/student"
	"retrylab/web/text"
)

func TestEveryCheckHasHintsThatLeadToAnIdea(t *testing.T) {
	for _, lang := range text.Languages() {
		words := text.For(lang)
		checks := slices.Concat(check.All(), student.Own(student.Python), student.Own(student.JavaScript))
		for _, c := range checks {
			hints := checkHints(words, c.Slug)
			if len(hints) < 2 {
				t.Errorf("%s: %s has %d hints", lang, c.Slug, len(hints))
			}
			seen := map[string]bool{}
			for _, h := range hints {
				if strings.TrimSpace(h) == "" || seen[h] {
					t.Errorf("%s: %s has an empty hint, or one twice: %q", lang, c.Slug, h)
				}
				seen[h] = true
			}
		}
	}
}

func TestRejectionsOfOneKindShareTheirHints(t *testing.T) {
	words := text.For("en")
	for kind, slugs := range map[string][]string{
		"boolean":  {"a-boolean-attempt-is-rejected", "a-boolean-deadline-is-rejected", "a-requeue-rejects-a-boolean-max-attempts"},
		"infinite": {"an-infinite-cap-ms-is-rejected", "a-requeue-rejects-an-infinite-deadline"},
		"nan":      {"a-nan-jitter-is-rejected", "a-nan-available-at-is-rejected", "a-requeue-rejects-a-nan-deadline"},
		"fraction": {"a-fractional-base-ms-is-rejected", "a-requeue-rejects-a-fractional-max-attempts"},
		"text":     {"a-text-attempt-is-rejected", "a-requeue-rejects-a-text-deadline"},
		"null":     {"a-null-attempt-is-rejected", "a-requeue-rejects-a-null-deadline"},
		"float":    {"a-float-as-attempt-is-rejected", "a-float-as-available-at-is-rejected"},
		"range":    {"jitter-out-of-range-is-rejected-not-clamped", "a-requeue-rejects-deadline-out-of-range"},
	} {
		want := hintsUnder(words, "check.kind."+kind)
		for _, slug := range slugs {
			if _, ok := check.Find(slug); !ok && kind != "float" {
				t.Errorf("no check has the slug %s", slug)
			}
			if got := checkHints(words, slug); len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %q, wanted those of %s", slug, got, kind)
			}
		}
	}
}

func TestACheckOfItsOwnHasItsOwnHints(t *testing.T) {
	words := text.For("en")
	for _, slug := range []string{"an-id-that-is-not-a-text-is-rejected", "text-is-kept-as-it-was-given", "the-cap-ends-the-doubling"} {
		if got := checkHints(words, slug); len(got) == 0 || got[0] != words.Get("check."+slug+".hint.1") {
			t.Errorf("%s: %q", slug, got)
		}
	}
	for _, slug := range []string{"", "no-such-check", "a-text-that-nobody-knows"} {
		if got := checkHints(words, slug); got != nil {
			t.Errorf("%q has hints: %q", slug, got)
		}
	}
}

func TestTheButtonOfAHintCountsThem(t *testing.T) {
	words := text.For("en")
	for _, c := range []struct {
		n, of int
		want  string
	}{{1, 1, "Open the hint"}, {1, 2, "Open hint 1 of 2"}, {2, 2, "Open the last hint"}} {
		if got := hintLabel(words, c.n, c.of); got != c.want {
			t.Errorf("hint %d of %d: %q, want %q", c.n, c.of, got, c.want)
		}
	}
}
