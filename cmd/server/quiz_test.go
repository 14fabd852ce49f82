//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQuizCheckTellsWhatAndWhereAndEndsAccordingly(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good := write("good.yaml", "quiz: good\ntitle: {en: Good}\nquestions:\n- {id: a, kind: number, ask: x, unit: ms, key: delay, given: {attempt: 1, base_ms: [5, 6], cap_ms: 9, jitter: 1}, mistakes: [zero_based]}\n")
	unread := write("unread.yaml", "quiz: unread\ntitle: {en: x}\nquestions:\n- {id: a, kind: number, aks: x}\n")
	poor := write("poor.yaml", "quiz: poor\ntitle: {en: x}\nquestions:\n- {id: a, kind: choice, ask: x, options: [{text: a, right: true}, {text: b}]}\n")
	large := write("large.yaml", strings.Repeat("# padding\n", 30_000))
	for _, c := range []struct {
		args []string
		in   string
		code int
		out  []string
		errs string
	}{
		{[]string{good}, "", 0, nil, ""},
		{[]string{good, good}, "", 1, []string{good + ":1:1: the quiz good stands in " + good + " too"}, ""},
		{[]string{good, unread}, "", 1, []string{unread + ":4:3: a question has no ask", unread + ":4:25: unknown key aks in a question, did you mean ask?", unread + ":4:3: a question of kind number has no key"}, ""},
		{[]string{poor}, "", 1, []string{poor + ":4:67: a wrong option without a why"}, ""},
		{[]string{"-languages", "en,ja", good}, "", 1, []string{good + ":2:8: the text has no ja: readers of it get en"}, ""},
		{[]string{large}, "", 1, []string{large + ":1:1: the file has 300000 bytes, at most 262144 are read"}, ""},
		{[]string{filepath.Join(dir, "none.yaml"), poor}, "", 2, []string{poor + ":4:67: "}, "none.yaml"},
		{[]string{"-"}, "quiz: [", 1, []string{"-:1:8: "}, ""},
		{nil, "", 2, nil, "usage: server quiz check"},
		{[]string{"-seeds", "0", good}, "", 2, nil, "usage: server quiz check"},
	} {
		var out, errs bytes.Buffer
		code := run(append([]string{"quiz", "check"}, c.args...), stdio{strings.NewReader(c.in), &out, &errs})
		if code != c.code || !strings.Contains(errs.String(), c.errs) || len(c.out) == 0 && out.Len() > 0 {
			t.Errorf("%v: exit %d, want %d\n%s%s", c.args, code, c.code, out.String(), errs.String())
		}
		for _, line := range c.out {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%v: no line %q in\n%s", c.args, line, out.String())
			}
		}
	}
}

func TestASiteIsNotBuiltWithAQuizThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.yaml"), []byte("quiz: bad\ntitel: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run([]string{"site", "-quizzes", dir, "-out", filepath.Join(dir, "site")}, stdio{nil, &out, &errs})
	if code != 1 || !strings.Contains(errs.String(), "bad.yaml:2:1: unknown key titel in a quiz, did you mean title?") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "site")); err == nil {
		t.Error("the site is there")
	}
}
