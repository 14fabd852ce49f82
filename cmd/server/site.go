//go:build !js

package main

import (
	"fmt"
	"io/fs"
	"os"

	"retrylab/quiz/bank"
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
	quizzes := f.String("quizzes", "", "a folder with quizzes, *.yaml; empty: the course's own")
	if err := parse(f, args); err != nil {
		return err
	}
	o := site.Options{Static: static.Files, Programs: os.DirFS(*programs), Quizzes: bank.Files, Base: *base}
	if *quizzes != "" {
		if info, err := os.Stat(*quizzes); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is no folder with quizzes: %w", *quizzes, fs.ErrNotExist)
		}
		o.Quizzes = os.DirFS(*quizzes)
	}
	var err error
	if o.QuizTitles, err = quizTitles(o.Quizzes, *quizzes, std); err != nil {
		return err
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
