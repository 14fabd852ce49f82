//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"strings"

	"retrylab/lab/scenario"
	"retrylab/lab/source"
	"retrylab/quiz"
	"retrylab/web/text"
)

var quizCommand = command{
	name: "quiz",
	args: `check [-languages en,ja] [-seeds N] FILE...
  server quiz new NAME.yaml
  server quiz preview [-dir SITE] [-addr HOST:PORT] FILE
  server quiz export -format gift|moodle|qti21|html -o OUT [-language en] [-variants N] [-seed N] FILE...
  server quiz import -format gift|moodle [-o NAME.yaml] [-language en] FILE
  server quiz results [-quizzes FOLDER] [-language en] FILE...`,
	about: "find what is wrong with quiz files; begin one; see one in a browser, as it is saved; carry them to and from other programs; students' results as CSV (- is standard input)",
}

func init() { quizCommand.run = runQuiz }

// runQuiz runs one of the words behind quiz.
func runQuiz(args []string, std stdio) error {
	words := map[string]func([]string, stdio) error{
		"check": quizCheck, "new": quizNew, "export": quizExport, "import": quizImport, "results": quizResults, "preview": quizPreview,
	}
	if len(args) > 0 && words[args[0]] != nil {
		return words[args[0]](args[1:], std)
	}
	if len(args) > 0 && (args[0] == "-h" || args[0] == "--help" || args[0] == "help") {
		quizCommand.flags(std).Usage()
		return nil
	}
	what := "a word is missing behind quiz"
	if len(args) > 0 {
		what = fmt.Sprintf("there is no command %q", args[0])
	}
	fmt.Fprintf(std.err, "server quiz: %s, must be check, new, preview, export, import or results\nhelp: server quiz -h\n", what)
	return exit(2)
}

// quizFlags are the flags of one of the words behind quiz, with a usage of that word alone: that of all of them
// would hide what is wrong with a command line.
func quizFlags(word string, std stdio) *flag.FlagSet {
	f := quizCommand.flags(std)
	f.Init("quiz "+word, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintln(std.err, quizUsage(word))
		f.PrintDefaults()
	}
	return f
}

// quizUsage is the usage of one of the words behind quiz.
func quizUsage(word string) string {
	for _, line := range strings.Split(quizCommand.args, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "server quiz ")
		if strings.HasPrefix(line, word+" ") {
			return "usage: server quiz " + line
		}
	}
	return ""
}

// parseQuiz parses the flags of a word; one that cannot be read is told in one line, with the usage of that word.
func parseQuiz(f *flag.FlagSet, word string, args []string, std stdio) error {
	usage := f.Usage
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	err := f.Parse(args)
	f.SetOutput(std.err)
	f.Usage = usage
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.Usage()
		return err
	case err != nil:
		return wrongQuiz(word, std, "%v", err)
	}
	return nil
}

// wrongQuiz says in one line what is wrong with a command line and what would be right.
func wrongQuiz(word string, std stdio, format string, args ...any) error {
	fmt.Fprintf(std.err, "server quiz %s: %s\n%s\n", word, fmt.Sprintf(format, args...), quizUsage(word))
	return exit(2)
}

// quizCheck prints FILE:LINE:COLUMN: what is wrong, for each problem. It ends with 0 when there is none, 1
// when there are problems, and 2 when a file cannot be read.
func quizCheck(args []string, std stdio) error {
	f := quizFlags("check", std)
	languages := f.String("languages", strings.Join(text.Languages(), ","), "the languages that every text should have besides those of the title")
	seeds := f.Int64("seeds", 1000, "how many variants of a question are tried at most")
	if err := parseQuiz(f, "check", args, std); err != nil {
		return err
	}
	switch {
	case f.NArg() == 0:
		return wrongQuiz("check", std, "no file is named, expected at least one (- is standard input)")
	case *seeds < 1:
		return wrongQuiz("check", std, "-seeds is %d, must be 1 or more", *seeds)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	solver := quiz.NewSolver()
	defer solver.Close()
	options := quiz.CheckOptions{Seeds: *seeds}
	if *languages != "" {
		options.Languages = strings.Split(*languages, ",")
	}
	code := exit(0)
	names := map[string]string{}
	for _, file := range f.Args() {
		data, err := readInput(file, std.in)
		if err != nil {
			fmt.Fprintln(std.err, err)
			code = 2
			continue
		}
		problems, err := checkQuiz(ctx, solver, file, data, options, names)
		for _, p := range problems {
			fmt.Fprintln(std.out, p)
			code = max(code, 1)
		}
		if err != nil {
			fmt.Fprintf(std.err, "%s: %v\n", file, err)
			code = 2
		}
	}
	if code == 0 {
		return nil
	}
	return code
}

// quizTitles are the titles of a folder's quizzes in every language, by file. It refuses quizzes that no
// page could open; folder is what they are called in messages.
func quizTitles(quizzes fs.FS, folder string, std stdio) (map[string]map[string]string, error) {
	names, err := fs.Glob(quizzes, "*.yaml")
	if err != nil {
		return nil, err
	}
	titles := map[string]map[string]string{}
	faulty := 0
	for _, name := range names {
		data, err := fs.ReadFile(quizzes, name)
		if err != nil {
			return nil, err
		}
		q, err := quiz.Parse(path.Join(folder, name), data)
		if err != nil {
			fmt.Fprintln(std.err, err)
			faulty++
			continue
		}
		titles[name] = map[string]string{}
		for _, language := range q.Languages {
			titles[name][language] = q.Title.In(language, nil)
		}
	}
	if faulty > 0 {
		return nil, fmt.Errorf("%d of the quizzes cannot be read", faulty)
	}
	return titles, nil
}

// checkQuiz finds the problems of one file: those that keep it from being read, else those that make
// it a bad quiz.
// names are the quizzes of the files before it: a quiz's answers are kept by its name.
func checkQuiz(ctx context.Context, solver *quiz.Solver, file string, data []byte, options quiz.CheckOptions, names map[string]string) ([]*source.Problem, error) {
	q, err := quiz.Parse(file, data)
	if err != nil {
		return scenario.Problems(err), nil
	}
	problems, err := solver.Check(ctx, q, options)
	if other, twice := names[q.Name]; twice {
		problems = append([]*source.Problem{{File: file, Line: 1, Column: 1, Message: "the quiz " + q.Name + " stands in " + other + " too, expected a name of its own"}}, problems...)
	}
	names[q.Name] = file
	return problems, err
}
