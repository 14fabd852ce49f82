//go:build !js

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"retrylab/quiz"
	"retrylab/quiz/prose"
	"retrylab/web/text"
)

// quizResults reads the progress files of students and writes a line of CSV for each student and
// question. It ends with 0, or 2 when a file cannot be read; the lines of the others are written all the
// same.
func quizResults(args []string, std stdio) error {
	f := quizFlags("results", std)
	folder := f.String("quizzes", "", "the folder of the quizzes: then the last answer is what the chosen options say, not their ids")
	language := f.String("language", text.Languages()[0], "the language of what they say")
	if err := parseQuiz(f, "results", args, std); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return wrongQuiz("results", std, "no file is named, expected at least one that a student has saved (- is standard input)")
	}
	code := exit(0)
	say := func(a quiz.GivenAnswer) string { return a.Answer }
	if *folder != "" {
		quizzes, err := quizzesOf(*folder, std)
		if err != nil {
			return err
		}
		solver := quiz.NewSolver()
		defer solver.Close()
		say = func(a quiz.GivenAnswer) string { return answerText(solver, quizzes[a.Quiz], a, *language) }
	}
	all := results{}
	for _, file := range f.Args() {
		data, err := readInput(file, std.in)
		if err == nil {
			var p quiz.Progress
			if p, err = readProgress(file, data); err == nil {
				all.add(cmp.Or(strings.TrimSpace(p.Student), strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))), p.Answers)
				continue
			}
		}
		fmt.Fprintln(std.err, err)
		code = 2
	}
	if err := all.write(std, say); err != nil {
		return err
	}
	if code == 0 {
		return nil
	}
	return code
}

// quizzesOf are the quizzes of a folder by their names.
func quizzesOf(folder string, std stdio) (map[string]*quiz.Quiz, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("-quizzes: there is no quiz (*.yaml) in %s", folder)
	}
	quizzes := map[string]*quiz.Quiz{}
	for _, file := range files {
		data, failed := os.ReadFile(file)
		if failed == nil {
			var q *quiz.Quiz
			if q, failed = quiz.Parse(file, data); failed == nil {
				quizzes[q.Name] = q
				continue
			}
		}
		err = errors.Join(err, failed)
	}
	if err != nil {
		fmt.Fprintln(std.err, err)
		return nil, exit(2)
	}
	return quizzes, nil
}

// answerText is what the chosen options say. An answer to a question that has changed since stays as it is: its ids may
// be those of other options now.
func answerText(solver *quiz.Solver, q *quiz.Quiz, a quiz.GivenAnswer, language string) string {
	if q == nil {
		return a.Answer
	}
	question, ok := q.Question(a.Question)
	if !ok || question.Hash != a.QuestionHash || question.Kind == quiz.Number {
		return a.Answer
	}
	solution, err := solver.Solve(context.Background(), question.Variant(a.Seed))
	if err != nil {
		return a.Answer
	}
	said := map[string]string{}
	for _, o := range solution.Options {
		said[o.ID] = prose.Plain(solution.OptionText(o, language))
	}
	for _, row := range solution.Rows {
		for _, o := range solution.Options {
			said[row.ID+"="+o.ID] = prose.Plain(solution.RowText(row, language)) + ": " + said[o.ID]
		}
	}
	var out []string
	for _, id := range strings.Fields(a.Answer) {
		text, ok := said[id]
		if !ok {
			return a.Answer
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// readProgress reads a progress file and says what is wrong with it in the words of the file. An editor may have
// put a byte order mark before it.
func readProgress(file string, data []byte) (quiz.Progress, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	p, err := quiz.ReadProgress(data)
	place := func(offset int64) string {
		before := data[:min(max(offset, 0), int64(len(data)))]
		return fmt.Sprintf("%s:%d:%d", file, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1)
	}
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &kind):
		what := "the file"
		if kind.Field != "" {
			what = kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		}
		word, rest, _ := strings.Cut(kind.Value, " ")
		is := cmp.Or(map[string]string{"string": "a text", "bool": "true or false", "array": "a list", "object": "an object"}[kind.Value], "a number")
		if word == "number" && rest != "" {
			is = "the number " + rest
		}
		expected := cmp.Or(map[reflect.Kind]string{
			reflect.String: "a text", reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Float64: "a number", reflect.Slice: "a list",
		}[kind.Type.Kind()], "an object")
		if what == "the file" {
			expected = "an object, as the list of quizzes saves it"
		}
		return p, fmt.Errorf("%s: this is no progress file: %s is %s, expected %s", place(kind.Offset-1), what, is, expected)
	case errors.As(err, &syntax):
		return p, fmt.Errorf("%s: this is no progress file: %v", place(syntax.Offset-1), syntax)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return p, fmt.Errorf("%s: this is no progress file: it ends too early", place(int64(len(data))))
	}
	return p, fmt.Errorf("%s: %w", file, err)
}

// results are the answers of each student to each question. Files of one student are joined: an answer
// that stands in two of them counts once.
type results map[[3]string][]quiz.GivenAnswer

func (r results) add(student string, answers []quiz.GivenAnswer) {
	seen := map[quiz.GivenAnswer]bool{}
	for key, given := range r {
		if key[0] == student {
			for _, a := range given {
				seen[a] = true
			}
		}
	}
	for _, a := range answers {
		if key := [3]string{student, a.Quiz, a.Question}; !seen[a] {
			seen[a] = true
			r[key] = append(r[key], a)
		}
	}
}

var resultColumns = []string{
	"student", "quiz", "question", "attempts", "first_score", "best_score", "last_score", "last_answer", "last_mistake", "last_seed", "last_at",
	"question_hash", "attempts_at_other_versions",
}

// write writes the lines; say is what an answer reads like.
func (r results) write(std stdio, say func(quiz.GivenAnswer) string) error {
	out := csv.NewWriter(std.out)
	if err := out.Write(resultColumns); err != nil {
		return err
	}
	var keys [][3]string
	for key := range r {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		given := r[key]
		slices.SortStableFunc(given, func(a, b quiz.GivenAnswer) int { return cmp.Compare(a.At, b.At) })
		last := given[len(given)-1]
		// The scores are those of the question as it is now; what came before it was changed is only counted.
		var now []quiz.GivenAnswer
		for _, a := range given {
			if a.QuestionHash == last.QuestionHash {
				now = append(now, a)
			}
		}
		best := 0.0
		for _, a := range now {
			best = max(best, a.Score)
		}
		score := func(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }
		line := []string{
			key[0], key[1], key[2], strconv.Itoa(len(now)), score(now[0].Score), score(best), score(last.Score), say(last), last.Mistake,
			strconv.FormatInt(last.Seed, 10), time.UnixMilli(last.At).UTC().Format(time.RFC3339), last.QuestionHash, strconv.Itoa(len(given) - len(now)),
		}
		for i, cell := range line {
			line[i] = defused(cell)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// defused is a cell that no spreadsheet runs as a formula: one that begins like a formula gets an
// apostrophe before it, unless it is a plain number.
func defused(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r\n|＝＋－＠", []rune(cell)[0]) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil && strings.Trim(cell, "+-.0123456789eE") == "" {
		return cell
	}
	return "'" + cell
}
