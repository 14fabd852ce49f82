//go:build !js

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"retrylab/quiz"
	"retrylab/quiz/begin"
)

// quizNew writes a quiz to begin with, which passes its check, and beside it the schema for editors. What
// is there already is left as it is.
func quizNew(args []string, std stdio) error {
	f := quizFlags("new", std)
	if err := parseQuiz(f, "new", args, std); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return wrongQuiz("new", std, "%d names, expected one, such as second-week.yaml", f.NArg())
	}
	file := f.Arg(0)
	if filepath.Ext(file) == "" {
		file += ".yaml"
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !quizName(file) {
		fmt.Fprintln(std.err, badQuizName(file))
		return exit(2)
	}
	written := begin.Example(name)
	schema := filepath.Join(filepath.Dir(file), "schema.json")
	for _, one := range []struct{ file, text string }{{file, written}, {schema, quiz.Schema}} {
		err := writeNew(one.file, one.text)
		if errors.Is(err, fs.ErrExist) && one.file == schema {
			continue
		}
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is there already, and stays as it is", one.file)
		}
		if err != nil {
			fmt.Fprintln(std.err, err)
			return exit(2)
		}
		fmt.Fprintln(std.out, one.file)
	}
	return nil
}

// quizName says whether a file's name can be a quiz's: the site serves no other.
func quizName(file string) bool {
	name := filepath.Base(file)
	_, err := quiz.Parse(file, []byte(begin.Example(strings.TrimSuffix(name, filepath.Ext(name)))))
	return err == nil && filepath.Ext(name) == ".yaml"
}

func badQuizName(file string) string {
	return fmt.Sprintf("%s is no name for a quiz: expected small letters, digits and -, then .yaml, such as second-week.yaml", filepath.Base(file))
}

// writeNew writes a file that is not there yet.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
