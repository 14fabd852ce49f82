//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"retrylab/lab/source"
	"retrylab/quiz"
	"retrylab/quiz/export"
	"retrylab/web/text"
)

// formats are what quizzes are exported to and imported from.
var formats = []string{"gift", "moodle", "qti21", "html"}

// quizExport writes quizzes in another program's format, and tells what could not be carried over. It ends
// with 0, 1 when a quiz has problems, and 2 when a file cannot be read or written.
func quizExport(args []string, std stdio) error {
	f := quizFlags("export", std)
	format := f.String("format", "", "gift, moodle (Moodle XML), qti21 (a zip file) or html (a sheet to print, and its key)")
	out := f.String("o", "", "the file to write; - is standard output")
	language := f.String("language", text.Languages()[0], "the language of the texts")
	variants := f.Int64("variants", 1, "how many variants of each question, 1 to 1000")
	seed := f.Int64("seed", 1, "the seed of the first variant")
	if err := parseQuiz(f, "export", args, std); err != nil {
		return err
	}
	switch {
	case *format == "":
		return wrongQuiz("export", std, "-format is missing, must be gift, moodle, qti21 or html")
	case !slices.Contains(formats, *format):
		return wrongQuiz("export", std, "-format is %q, must be gift, moodle, qti21 or html", *format)
	case *out == "":
		return wrongQuiz("export", std, "-o is missing, must be the file to write (- is standard output)")
	case *variants < 1 || *variants > 1000:
		return wrongQuiz("export", std, "-variants is %d, must be 1 to 1000", *variants)
	case f.NArg() == 0:
		return wrongQuiz("export", std, "no file is named, expected at least one quiz (- is standard input)")
	}
	words := text.For(*language)
	options := export.Options{Language: *language, Variants: *variants, Seed: *seed, Say: words.Get, Explain: func(mistake string) string {
		return words.Get("mutant." + mistake + ".why")
	}}
	sets, err := drawAll(f.Args(), options, std)
	if err != nil {
		return err
	}
	var data []byte
	var written string
	var notes []export.Note
	switch *format {
	case "gift":
		written, notes = export.GIFT(sets...)
	case "moodle":
		written, notes = export.Moodle(sets...)
	case "html":
		written, notes = export.Sheet(options, sets...)
	case "qti21":
		if data, notes, err = export.QTI(*language, sets...); err != nil {
			return err
		}
	}
	if data == nil {
		data = []byte(written)
	}
	tellNotes(notes, std)
	return writeOut(*out, data, std)
}

// drawAll draws the variants of some files. A quiz with problems is not drawn: the other program would take
// a choice of one option for a short answer, say, and nobody would be told. The texts are those of one language, so
// that no other is missed.
func drawAll(files []string, options export.Options, std stdio) ([]export.Set, error) {
	solver := quiz.NewSolver()
	defer solver.Close()
	var sets []export.Set
	names := map[string]bool{}
	faulty := false
	for _, file := range files {
		data, err := readInput(file, std.in)
		if err != nil {
			fmt.Fprintln(std.err, err)
			return nil, exit(2)
		}
		q, err := quiz.Parse(file, data)
		if err == nil && names[q.Name] {
			err = fmt.Errorf("%s: the quiz %s stands in two of the files", file, q.Name)
		}
		var set export.Set
		if err == nil {
			names[q.Name] = true
			var problems []*source.Problem
			problems, err = solver.Check(context.Background(), q, quiz.CheckOptions{})
			for _, p := range problems {
				fmt.Fprintln(std.err, p)
			}
			faulty = faulty || len(problems) > 0
		}
		if err == nil && !faulty {
			set, err = export.Draw(context.Background(), solver, q, options)
		}
		if err != nil {
			fmt.Fprintln(std.err, err)
			return nil, exit(1)
		}
		sets = append(sets, set)
	}
	if faulty {
		fmt.Fprintln(std.err, "nothing is written: the quiz has problems")
		return nil, exit(1)
	}
	return sets, nil
}

// tellNotes prints notes, those that say the same in one line.
func tellNotes(notes []export.Note, std stdio) {
	type kind struct {
		what string
		toDo bool
	}
	var kinds []kind
	where := map[kind][]string{}
	for _, note := range notes {
		k := kind{note.What, note.ToDo}
		if where[k] == nil {
			kinds = append(kinds, k)
		}
		where[k] = append(where[k], note.Where)
	}
	for _, k := range kinds {
		places, more := where[k], ""
		if len(places) > 3 {
			places, more = places[:3], fmt.Sprintf(" and %d more", len(places)-3)
		}
		said := "not carried over"
		if k.toDo {
			said = "to do"
		}
		fmt.Fprintf(std.err, "%s: %s%s: %s\n", said, strings.Join(places, ", "), more, k.what)
	}
}

// writeOut writes a file, or standard output for -.
func writeOut(file string, data []byte, std stdio) error {
	if file == "-" {
		_, err := std.out.Write(data)
		return err
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		fmt.Fprintln(std.err, err)
		return exit(2)
	}
	return nil
}

var formatNames = map[string]string{"gift": "GIFT", "moodle": "Moodle XML"}

// looksLike is the format that a file seems to have, or "" where it may be either or neither. Markup may begin a
// question of GIFT, but there braces follow it; no XML document begins with other letters than <.
func looksLike(data []byte) string {
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case bytes.HasPrefix(text, []byte("<?xml")), bytes.HasPrefix(text, []byte("<quiz")), bytes.HasPrefix(text, []byte("<!--")) && bytes.Contains(text, []byte("<question type=")):
		return "moodle"
	case len(text) > 0 && text[0] != '<' && bytes.ContainsRune(text, '{') && bytes.ContainsRune(text, '}'):
		return "gift"
	}
	return ""
}

// quizImport makes a quiz of another program's file, and tells what could not be carried over. It ends
// with 0, and with 2 when the file cannot be read or the quiz not written.
func quizImport(args []string, std stdio) error {
	f := quizFlags("import", std)
	format := f.String("format", "", "gift or moodle (Moodle XML)")
	out := f.String("o", "-", "the quiz file to write, NAME.yaml; - is standard output")
	language := f.String("language", text.Languages()[0], "the language of the texts")
	if err := parseQuiz(f, "import", args, std); err != nil {
		return err
	}
	read := map[string]func(string, []byte, string, string) (string, []export.Note, error){"gift": export.ReadGIFT, "moodle": export.ReadMoodle}[*format]
	switch {
	case *format == "":
		return wrongQuiz("import", std, "-format is missing, must be gift or moodle")
	case read == nil:
		return wrongQuiz("import", std, "-format is %q, must be gift or moodle", *format)
	case f.NArg() != 1:
		return wrongQuiz("import", std, "%d files, expected one", f.NArg())
	}
	if *out != "-" && !quizName(*out) {
		fmt.Fprintln(std.err, badQuizName(*out))
		return exit(2)
	}
	file := f.Arg(0)
	data, err := readInput(file, std.in)
	if err != nil {
		fmt.Fprintln(std.err, err)
		return exit(2)
	}
	if other := looksLike(data); other != "" && other != *format {
		fmt.Fprintf(std.err, "%s looks like %s, not like %s: expected -format %s\n", file, formatNames[other], formatNames[*format], other)
		return exit(2)
	}
	from := *out
	if from == "-" {
		from = file
	}
	name := strings.TrimSuffix(filepath.Base(from), filepath.Ext(from))
	written, notes, err := read(file, data, name, *language)
	tellNotes(notes, std)
	if err != nil {
		fmt.Fprintln(std.err, err)
		return exit(2)
	}
	if *out != "-" {
		if _, err := os.Stat(*out); !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(std.err, "%s is there already: give another name with -o\n", *out)
			return exit(2)
		}
		fmt.Fprintf(std.err, "now: server quiz check %s\n", *out)
	}
	return writeOut(*out, []byte(written), std)
}
