package text_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"retrylab/lab/check"
	"retrylab/lab/mutant"
	"retrylab/lab/student"
	"retrylab/web/text"
)

// wanted are the keys that the lab's checks, mutants, groups and parts must have.
func wanted() map[string]bool {
	keys := map[string]bool{}
	for _, c := range check.All() {
		keys["check."+c.Slug+".title"] = true
		keys["check."+c.Slug+".shows"] = true
	}
	for _, language := range []student.Language{student.Python, student.JavaScript} {
		for _, c := range student.Own(language) {
			keys["check."+c.Slug+".title"] = true
			keys["check."+c.Slug+".shows"] = true
		}
	}
	for _, m := range mutant.All() {
		keys["mutant."+m.Name+".title"] = true
		keys["mutant."+m.Name+".why"] = true
		keys["lab.group."+string(m.Group)] = true
	}
	for part := 1; part <= check.Parts; part++ {
		keys["lab.part."+strconv.Itoa(part)] = true
		keys["lab.part."+strconv.Itoa(part)+".shows"] = true
	}
	return keys
}

// hint is the end of a key of a check's hints.
var hint = regexp.MustCompile(`\.hint\.[0-9]$`)

// kinds of wrong values that have hints of their own.
var kinds = strings.Fields("boolean infinite nan fraction text null range float")

// ofTheLab says whether a key is for one check, mutant, group or part.
func ofTheLab(key string) bool {
	for _, prefix := range []string{"check.", "mutant.", "lab.group."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	part, ok := strings.CutPrefix(key, "lab.part.")
	return ok && part[0] >= '0' && part[0] <= '9'
}

func TestEveryCheckAndMutantHasItsWordsAndNoWordsAreLeftOver(t *testing.T) {
	keys := wanted()
	for _, lang := range text.Languages() {
		words := text.For(lang)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !words.Has(key) {
				t.Errorf("%s lacks %s", lang, key)
			}
		}
		for _, key := range words.Keys() {
			of := hint.ReplaceAllString(key, "")
			if kind, ok := strings.CutPrefix(of, "check.kind."); ok && slices.Contains(kinds, kind) {
				continue // hints that the rejections of one kind of value share
			}
			if ofTheLab(key) && !keys[key] && !(of != key && keys[of+".title"]) {
				t.Errorf("%s: %s is for something that the lab does not have", lang, key)
			}
		}
	}
}

// A list of checks and mutants shows their titles alone, in places where code cannot be marked up.
func TestTitlesOfChecksAndMutantsAreUniqueAndPlain(t *testing.T) {
	for _, lang := range text.Languages() {
		words := text.For(lang)
		seen := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(wanted())) {
			if !strings.HasSuffix(key, ".title") || !words.Has(key) {
				continue
			}
			title := words.Get(key)
			if other, ok := seen[title]; ok {
				t.Errorf("%s: %s and %s are both called %q", lang, other, key, title)
			}
			seen[title] = key
			if strings.ContainsAny(title, "`{}") || strings.HasSuffix(title, ".") {
				t.Errorf("%s: the title %s has code, a place or a full stop in it: %q", lang, key, title)
			}
		}
	}
}
