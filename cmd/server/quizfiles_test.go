//go:build !js

package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"retrylab/quiz"
)

// quizRun runs one command line of quiz.
func quizRun(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(append([]string{"quiz"}, args...), stdio{strings.NewReader(in), &o, &e})
	return code, o.String(), e.String()
}

func TestANewQuizPassesItsCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "second-week.yaml")
	if code, out, errs := quizRun(t, "", "new", filepath.Join(dir, "second-week")); code != 0 || !strings.Contains(out, file) {
		t.Fatal(code, out, errs)
	}
	if code, out, errs := quizRun(t, "", "check", file); code != 0 {
		t.Error(code, out, errs)
	}
	if schema, err := os.ReadFile(filepath.Join(dir, "schema.json")); err != nil || string(schema) != quiz.Schema {
		t.Error("no schema", err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := quizRun(t, "", "new", file); code != 2 || !strings.Contains(errs, "stays as it is") {
		t.Error(code, errs)
	}
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Error("the file was written over")
	}
	if code, _, errs := quizRun(t, "", "new", filepath.Join(dir, "Second Week.yaml")); code != 2 || !strings.Contains(errs, "no name for a quiz") {
		t.Error(code, errs)
	}
}

func TestAQuizGoesOutAndComesBack(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "there.yaml")
	quizRun(t, "", "new", file)
	for _, format := range []string{"gift", "moodle"} {
		out := filepath.Join(dir, "out."+format)
		if code, _, errs := quizRun(t, "", "export", "-format", format, "-variants", "3", "-o", out, file); code != 0 {
			t.Fatal(code, errs)
		}
		back := filepath.Join(dir, format+"-back.yaml")
		code, _, errs := quizRun(t, "", "import", "-format", format, "-o", back, out)
		if code != 0 || !strings.Contains(errs, "quiz check "+back) {
			t.Fatal(code, errs)
		}
		if code, out, _ := quizRun(t, "", "check", back); code > 1 || strings.Contains(out, "key") {
			t.Error(code, out)
		}
		if code, _, errs := quizRun(t, "", "import", "-format", format, "-o", back, out); code != 2 || !strings.Contains(errs, "there already") {
			t.Error(code, errs)
		}
	}
	if code, out, errs := quizRun(t, "", "export", "-format", "html", "-o", "-", file); code != 0 || !strings.Contains(out, "Answers") || !strings.Contains(errs, "not carried over: there-first-wait: its hints") {
		t.Error(code, out, errs)
	}
	if code, _, errs := quizRun(t, "", "export", "-format", "qti21", "-o", filepath.Join(dir, "q.zip"), file, file); code != 1 || !strings.Contains(errs, "two of the files") {
		t.Error(code, errs)
	}
	for _, args := range [][]string{
		{"export", "-format", "pdf", "-o", "-", file}, {"export", "-format", "gift", file}, {"export", "-format", "gift", "-o", "-"},
		{"export", "-format", "gift", "-o", "-", "-variants", "0", file}, {"export", "-format", "gift", "-o", "-", file + "x"},
		{"import", "-format", "qti21", file}, {"import", "-format", "moodle", file}, {"results"}, {"nonsense"}, {},
	} {
		if code, _, errs := quizRun(t, "", args...); code != 2 || errs == "" {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
}

func TestAQuizWithProblemsIsNotExported(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ question, want string }{
		"one-option": {"kind: choice, ask: x, options: [{text: absent, right: true}]", "one-option.yaml:4:3: "},
		"no-why":     {"kind: choice, ask: x, options: [{text: a, right: true}, {text: b}]", "a wrong option without a why"},
		"unread":     {"kind: choice, aks: x", "did you mean ask?"},
	} {
		file := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(file, []byte("quiz: "+name+"\ntitle: {ja: x}\nquestions:\n- {id: a, "+c.question+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out")
		code, _, errs := quizRun(t, "", "export", "-format", "gift", "-o", out, file)
		if _, err := os.Stat(out); code != 1 || !strings.Contains(errs, c.want) || err == nil {
			t.Errorf("%s: %d %s %v", name, code, errs, err)
		}
	}
	other := "quiz: other\ntitle: {ja: x}\nquestions:\n- {id: a, kind: choice, ask: x, options: [{text: a, right: true}, {text: b, why: c}]}\n"
	if code, out, errs := quizRun(t, other, "export", "-format", "gift", "-o", "-", "-language", "ja", "-"); code != 0 || !strings.Contains(out, "=a") {
		t.Errorf("a quiz in one language: %d %s", code, errs)
	}
}

func TestAWrongCommandLineIsToldFirst(t *testing.T) {
	dir := t.TempDir()
	gift, moodle := filepath.Join(dir, "t.gift"), filepath.Join(dir, "t.xml")
	for file, text := range map[string]string{gift: "::a:: x {T}\n", moodle: "<?xml version=\"1.0\"?>\n<quiz></quiz>\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"import " + gift, "server quiz import: -format is missing, must be gift or moodle"},
		{"import -format qti21 " + gift, `server quiz import: -format is "qti21", must be gift or moodle`},
		{"import -format gift", "server quiz import: 0 files, expected one"},
		{"import -format gift " + moodle, moodle + " looks like Moodle XML, not like GIFT: expected -format moodle"},
		{"import -format moodle " + gift, gift + " looks like GIFT, not like Moodle XML: expected -format gift"},
		{"import -format gift -o " + dir + "/My_Import.yaml " + gift, "My_Import.yaml is no name for a quiz: expected small letters"},
		{"import -format gift -o " + dir + "/my-import.txt " + gift, "my-import.txt is no name for a quiz"},
		{"new My_Quiz", "My_Quiz.yaml is no name for a quiz: expected small letters"},
		{"new", "server quiz new: 0 names, expected one"},
		{"export -format xml -o - x.yaml", `server quiz export: -format is "xml", must be gift, moodle, qti21 or html`},
		{"export -format gift -o - -variants 2000 x.yaml", "server quiz export: -variants is 2000, must be 1 to 1000"},
		{"export -format gift -o - -variants many x.yaml", `server quiz export: invalid value "many" for flag -variants`},
		{"export -format gift x.yaml", "server quiz export: -o is missing"},
		{"export -format gift -o -", "server quiz export: no file is named"},
		{"check -seeds 0 x.yaml", "server quiz check: -seeds is 0, must be 1 or more"},
		{"check -speed 0 x.yaml", "server quiz check: flag provided but not defined: -speed"},
		{"check", "server quiz check: no file is named"},
		{"results", "server quiz results: no file is named"},
		{"preview", "server quiz preview: 0 files, expected one"},
		{"chekc", `server quiz: there is no command "chekc", must be check, new,`},
		{"", "server quiz: a word is missing behind quiz"},
	} {
		code, out, errs := quizRun(t, "", strings.Fields(c.line)...)
		if code != 2 || out != "" || !strings.HasPrefix(errs, c.want) || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s: %d %s%s", c.line, code, out, errs)
		}
	}
	if code, _, errs := quizRun(t, "", "export", "-h"); code != 0 || !strings.HasPrefix(errs, "usage: server quiz export -format") || !strings.Contains(errs, "-variants") {
		t.Error(code, errs)
	}
}

func TestResultsAreALineForEachStudentAndQuestion(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, p any) string {
		file := filepath.Join(dir, name)
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	give := func(question, hash string, score float64, answer string, at int64) quiz.GivenAnswer {
		return quiz.GivenAnswer{Quiz: "cap", QuizHash: "f", Question: question, QuestionHash: hash, Seed: 7, Answer: answer, Score: score, At: at}
	}
	first := []quiz.GivenAnswer{give("a", "old", 1, "5", 1000), give("a", "new", 0.5, "=1+1", 3000), give("a", "new", 1, "-3", 2000), give("b", "x", 0, "@SUM(A1)", 4000)}
	aiko := save("aiko.json", quiz.NewProgress("Aiko", 5000, first))
	later := save("later.json", quiz.NewProgress("Aiko", 9000, append(first, give("b", "x", 1, "a,\"b\"\nc", 8000))))
	nameless := save("boris.json", quiz.NewProgress("", 5000, []quiz.GivenAnswer{give("a", "new", 0, "+7 ms", 0)}))
	evil := save("evil.json", quiz.NewProgress("=HYPERLINK(\"x\")", 5000, []quiz.GivenAnswer{give("a", "new", 0, "＝1", 0)}))
	code, out, errs := quizRun(t, "", "results", aiko, later, nameless, evil)
	if code != 0 || errs != "" {
		t.Fatal(code, errs)
	}
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		resultColumns,
		{"'=HYPERLINK(\"x\")", "cap", "a", "1", "0", "0", "0", "'＝1", "", "7", "1970-01-01T00:00:00Z", "new", "0"},
		{"Aiko", "cap", "a", "2", "1", "1", "0.5", "'=1+1", "", "7", "1970-01-01T00:00:03Z", "new", "1"},
		{"Aiko", "cap", "b", "2", "0", "1", "1", "a,\"b\"\nc", "", "7", "1970-01-01T00:00:08Z", "x", "0"},
		{"boris", "cap", "a", "1", "0", "0", "0", "'+7 ms", "", "7", "1970-01-01T00:00:00Z", "new", "0"},
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got\n%s", out)
	}
	bad := filepath.Join(dir, "bad.json")
	for text, want := range map[string]string{
		"hello": "no progress file", `{"format":"other"}`: "expected \"retrylab-progress\"", `{"format":"retrylab-progress","version":2}`: "version",
		`{"format":"retrylab-progress","version":1,"answers":[{"quiz":"a","question":"b","score":2}]}`: "score",
		`{"format":"retrylab-progress","version":1,"answers":[{"score":1}]}`:                           "names no quiz",
		`{"format":"retrylab-progress","version":1,"answers":[]} {}`:                                   "follows",
		`{"format":"retrylab-progress","version":1,"student":"` + strings.Repeat("x", 5000) + `"}`:     "name",
	} {
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, errs := quizRun(t, "", "results", bad, nameless)
		if code != 2 || !strings.Contains(errs, want) || !strings.Contains(out, "boris") {
			t.Errorf("%s: %d %s", text, code, errs)
		}
	}
}

func TestAProgressFileIsReadAsEditorsSaveItAndFaultsAreToldInItsWords(t *testing.T) {
	const head = `{"format":"retrylab-progress","version":1,`
	good := head + `"student":"Aiko","answers":[{"quiz":"a","question":"b","score":1}]}`
	if code, out, errs := quizRun(t, "\ufeff"+good, "results", "-"); code != 0 || errs != "" || !strings.Contains(out, "Aiko,a,b") {
		t.Error(code, out, errs)
	}
	for text, want := range map[string]string{
		head + "\n\"student\":7}":                      "-:2:11: this is no progress file: student is a number, expected a text",
		head + `"answers":[{"seed":"x"}]}`:             "seed is a text, expected a whole number",
		head + `"answers":[{"seed":1.5}]}`:             "seed is the number 1.5, expected a whole number",
		head + `"answers":[{"score":true}]}`:           "score is true or false, expected a number",
		head + `"answers":{}}`:                         "answers is an object, expected a list",
		head + `"answers":["x"]}`:                      "answers is a text, expected an object",
		`{"format":"retrylab-progress","version":"1"}`: "version is a text, expected a whole number",
		"[]":        "-:1:1: this is no progress file: the file is a list, expected an object, as",
		"":          "-:1:1: this is no progress file: it ends too early",
		head:        "it ends too early",
		"{\n hello": "-:2:2: this is no progress file: invalid character 'h'",
	} {
		code, _, errs := quizRun(t, text, "results", "-")
		if code != 2 || !strings.Contains(errs, want) || strings.Contains(errs, "Go ") || strings.Contains(errs, "json:") {
			t.Errorf("%s: %d %s, want %s", text, code, errs, want)
		}
	}
}

func TestResultsSayWhatChosenOptionsSay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "said.yaml")
	if err := os.WriteFile(file, []byte(`quiz: said
title: {en: x}
questions:
- {id: one, kind: choice, ask: x, options: [{text: "=`+"`a`"+` *first*", right: true}, {text: second, why: y}]}
- {id: state, kind: choice, ask: x, key: {value: dead}, options: [{value: done, why: y}], words: {dead: {en: "It is dead"}}}
- {id: rows, kind: match, ask: x, pairs: [{text: r1, with: w1}, {text: r2, with: w2}]}
- {id: count, kind: number, ask: x, unit: ms, key: {value: 7}}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	q, err := quiz.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	solver := quiz.NewSolver()
	defer solver.Close()
	key := func(id string, seed int64) string {
		question, _ := q.Question(id)
		m, err := solver.Mark(t.Context(), question.Variant(seed), "x", "en")
		if err != nil {
			t.Fatal(err)
		}
		solution, err := solver.Solve(t.Context(), question.Variant(seed))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, o := range solution.Options {
			if o.Right && question.Kind != quiz.Match {
				ids = append(ids, o.ID)
			}
		}
		for _, row := range solution.Rows {
			ids = append(ids, row.ID+"="+row.Match)
		}
		return cmp.Or(m.KeyID, strings.Join(ids, " "))
	}
	give := func(id, hash, answer string, seed int64) quiz.GivenAnswer {
		if question, ok := q.Question(id); ok && hash == "" {
			hash = question.Hash
		}
		return quiz.GivenAnswer{Quiz: "said", Question: id, QuestionHash: hash, Seed: seed, Answer: answer}
	}
	answers := []quiz.GivenAnswer{
		give("one", "", key("one", 3), 3), give("state", "", key("state", -4), -4), give("rows", "", key("rows", 5), 5), give("count", "", "7 ms", 1),
		give("gone", "h", "o1", 1),
	}
	saved := func(answers []quiz.GivenAnswer) string {
		text, err := json.Marshal(quiz.NewProgress("Aiko", 1, answers))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	column := func(in string, args ...string) map[string]string {
		t.Helper()
		code, out, errs := quizRun(t, in, append(append([]string{"results"}, args...), "-")...)
		lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if code != 0 || err != nil {
			t.Fatal(code, errs, err)
		}
		last := map[string]string{}
		for _, line := range lines[1:] {
			last[line[2]] = line[7]
		}
		return last
	}
	got := column(saved(answers), "-quizzes", dir)
	rows := strings.Split(got["rows"], "; ")
	slices.Sort(rows)
	if got["one"] != "'=a first" || got["state"] != "It is dead" || strings.Join(rows, "|") != "r1: w1|r2: w2" || got["count"] != "7 ms" || got["gone"] != "o1" {
		t.Errorf("%q", got)
	}
	if plain := column(saved(answers)); plain["one"] != answers[0].Answer {
		t.Errorf("without the folder: %q", plain)
	}
	changed := []quiz.GivenAnswer{give("one", "another", key("one", 3), 3), give("state", "", "o1 o2", 1)}
	if got := column(saved(changed), "-quizzes", dir); got["one"] != changed[0].Answer || got["state"] != "o1 o2" {
		t.Errorf("of a changed question, and of ids that are none: %q", got)
	}
	for _, folder := range []string{t.TempDir(), filepath.Join(dir, "none")} {
		if code, _, errs := quizRun(t, saved(answers), "results", "-quizzes", folder, "-"); code != 2 || !strings.Contains(errs, "there is no quiz") {
			t.Error(code, errs)
		}
	}
}

func TestCellsThatASpreadsheetWouldRunAreDefused(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "plain": "plain", "-3": "-3", "+1.5e3": "+1.5e3", "=1": "'=1", "-2+3": "'-2+3", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
		"@x": "'@x", "\t=1": "'\t=1", "|x": "'|x", "＝x": "'＝x", "-Inf": "'-Inf", "あ": "あ",
	} {
		if got := defused(cell); got != want {
			t.Errorf("%q: got %q, want %q", cell, got, want)
		}
	}
}
