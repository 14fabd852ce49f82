//go:build !js

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"retrylab/lab/scenario"
	"retrylab/lab/source"
	"retrylab/quiz"
)

var quizCommand = command{
	name: "quiz", args: "check [flags] FILE...",
	about: "find what is wrong with quiz files (- is standard input)",
}

func init() { quizCommand.run = runQuiz }

// runQuiz prints FILE:LINE:COLUMN: what is wrong, for each problem. It ends with 0 when there is none, 1
// when there are problems, and 2 when a file cannot be read.
func runQuiz(args []string, std stdio) error {
	f := quizCommand.flags(std)
	languages := f.String("languages", "", "the languages that every text should have, such as en,ja; empty: those of the title")
	seeds := f.Int64("seeds", 1000, "how many variants of a question are tried at most")
	if len(args) == 0 || args[0] != "check" {
		f.Usage()
		return exit(2)
	}
	if err := parse(f, args[1:]); err != nil {
		return err
	}
	if f.NArg() == 0 || *seeds < 1 {
		f.Usage()
		return exit(2)
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
	for _, file := range f.Args() {
		data, err := readQuiz(file, std.in)
		if err != nil {
			fmt.Fprintln(std.err, err)
			code = 2
			continue
		}
		problems, err := checkQuiz(ctx, solver, file, data, options)
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

// checkQuiz finds the problems of one file: those that keep it from being read, else those that make
// it a bad quiz.
func checkQuiz(ctx context.Context, solver *quiz.Solver, file string, data []byte, options quiz.CheckOptions) ([]*source.Problem, error) {
	q, err := quiz.Parse(file, data)
	if err != nil {
		return scenario.Problems(err), nil
	}
	return solver.Check(ctx, q, options)
}

// readQuiz reads a file, or standard input for -: a little more than a quiz may have, so that the
// parser can say that it is too large.
func readQuiz(file string, in io.Reader) ([]byte, error) {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		in = opened
	}
	data, err := io.ReadAll(io.LimitReader(in, quiz.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}
