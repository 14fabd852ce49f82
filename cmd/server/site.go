//go:build !js

package main

import (
	"fmt"
	"io/fs"
	"os"

	"retrylab/static"
	"retrylab/web/site"
)

var siteCommand = command{name: "site", args: "[flags]", about: "build the site: a folder of static files"}

func init() { siteCommand.run = buildSite }

func buildSite(args []string, std stdio) error {
	f := siteCommand.flags(std)
	out := f.String("out", "dist", "the folder to build")
	base := f.String("base", "", "the path that the site will have, such as /course/; empty: it works under any path")
	programs := f.String("programs", "build", "the folder with app.wasm, engine.wasm and wasm_exec.js")
	quizzes := f.String("quizzes", "quiz/bank", "the folder with the quizzes")
	if err := parse(f, args); err != nil {
		return err
	}
	o := site.Options{Static: static.Files, Programs: os.DirFS(*programs), Base: *base}
	if info, err := os.Stat(*quizzes); err == nil && info.IsDir() {
		o.Quizzes = os.DirFS(*quizzes)
	} else if f.Lookup("quizzes").Value.String() != f.Lookup("quizzes").DefValue {
		return fmt.Errorf("%s: no such folder: %w", *quizzes, fs.ErrNotExist)
	}
	if o.Quizzes != nil {
		if err := checkQuizzes(o.Quizzes, *quizzes, std); err != nil {
			return err
		}
	}
	files, err := site.Build(o)
	if err != nil {
		return err
	}
	if err := files.Write(*out); err != nil {
		return err
	}
	size := 0
	for _, data := range files {
		size += len(data)
	}
	fmt.Fprintf(std.out, "%s: %d files, %.1f MB\n", *out, len(files), float64(size)/1e6)
	return nil
}
