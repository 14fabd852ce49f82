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
	f := quizCommand.flags(std)
	if err := parse(f, args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		f.Usage()
		return exit(2)
	}
	file := f.Arg(0)
	if filepath.Ext(file) == "" {
		file += ".yaml"
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	written := begin.Example(name)
	if _, err := quiz.Parse(file, []byte(written)); err != nil {
		fmt.Fprintf(std.err, "%s is no name for a quiz: expected small letters, digits and -, such as second-week.yaml\n", filepath.Base(file))
		return exit(2)
	}
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

// writeNew writes a file that is not there yet.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
