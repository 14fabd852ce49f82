//go:build !js

// Command server is the course's one program: it builds the site, serves it, and runs the parts of
// the lab from a shell.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// A command is one word of the command line, in a file of its own.
type command struct {
	name  string
	args  string // as shown in the usage
	about string
	run   func(args []string, std stdio) error
}

// stdio is what a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// commands lists every command; a new one is a file and a line here.
func commands() []command {
	return []command{
		serveCommand,
		siteCommand,
		scenarioCommand,
		labCommand,
		quizCommand,
	}
}

// exit is an error that ends the program with a code of its own; the message has been written.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() { os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr})) }

// run runs one command line and returns the exit code: 0 when it went well, 2 when the command line is
// wrong, else what the command says, 1 by default.
func run(args []string, std stdio) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(std.out)
		return 0
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		err := c.run(args[1:], std)
		var code exit
		switch {
		case err == nil, errors.Is(err, flag.ErrHelp):
			return 0
		case errors.As(err, &code):
			return int(code)
		}
		fmt.Fprintf(std.err, "server %s: %v\n", c.name, err)
		return 1
	}
	fmt.Fprintf(std.err, "server: there is no command %q\n\n", args[0])
	usage(std.err)
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: server COMMAND ...")
	fmt.Fprintln(w)
	for _, c := range commands() {
		fmt.Fprintf(w, "  server %s %s\n        %s\n", c.name, c.args, c.about)
	}
}

// flags makes a command's flags; parse errors go to the command's error output.
func (c command) flags(std stdio) *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(std.err)
	f.Usage = func() {
		fmt.Fprintf(std.err, "usage: server %s %s\n%s\n", c.name, c.args, c.about)
		f.PrintDefaults()
	}
	return f
}

// parse parses a command's flags; a wrong command line has been explained when it returns exit(2).
func parse(f *flag.FlagSet, args []string) error {
	err := f.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return exit(2)
}
