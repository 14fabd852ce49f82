//go:build !js

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"retrylab/lab/check"
	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

var scenarioCommand = command{
	name: "scenario", args: "[-subject NAME] FILE...",
	about: "run scenario files (- is standard input) on the reference, or on a mutant",
}

func init() { scenarioCommand.run = runScenarios }

// runScenarios prints a line for each scenario. It ends with 0 when all hold, 1 when one differs, and
// 2 when a file cannot be read or parsed.
func runScenarios(args []string, std stdio) error {
	f := scenarioCommand.flags(std)
	subject := f.String("subject", "reference", "what the scenarios run on: reference, or a mutant's name")
	if err := parse(f, args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		f.Usage()
		return exit(2)
	}
	maker, ok := mutant.Subject(*subject, memory.Home{})
	if !ok {
		fmt.Fprintf(std.err, "server scenario: there is no subject %q; \"server lab -json\" names them all\n", *subject)
		return exit(2)
	}
	maker, end := scenario.Reusing(maker)
	defer end()
	code := exit(0)
	for _, file := range f.Args() {
		code = max(code, runFile(file, maker, std))
	}
	if code == 0 {
		return nil
	}
	return code
}

func runFile(file string, maker scenario.Maker, std stdio) exit {
	data, err := readInput(file, std.in)
	if err != nil {
		fmt.Fprintln(std.err, err)
		return 2
	}
	scenarios, err := scenario.Parse(file, data)
	if err != nil {
		fmt.Fprintln(std.err, err)
		return 2
	}
	hold, problems := playAll(context.Background(), scenarios, maker, std.out)
	for _, problem := range problems {
		fmt.Fprintln(std.err, problem)
	}
	switch {
	case len(problems) > 0:
		return 2
	case !hold:
		return 1
	}
	return 0
}

// readInput reads a file, or standard input for -. It reads a little more than is parsed, so that the
// parser can say that a file is too large.
func readInput(file string, in io.Reader) ([]byte, error) {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		in = opened
	}
	data, err := io.ReadAll(io.LimitReader(in, scenario.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

var labCommand = command{name: "lab", args: "[-json]", about: "run the lab's checks on the reference and on every mutant"}

func init() { labCommand.run = runLab }

// labReport is what lab -json prints.
type labReport struct {
	Reference struct {
		Checks int      `json:"checks"`
		Failed []string `json:"failed"`
	} `json:"reference"`
	Mutants []mutantReport `json:"mutants"`
}

type mutantReport struct {
	Name    string   `json:"name"`
	NamedBy string   `json:"named_by"`
	Failed  []string `json:"failed"`
}

// runLab ends with 1 when the reference fails a check, or a mutant passes the one that names it.
func runLab(args []string, std stdio) error {
	f := labCommand.flags(std)
	asJSON := f.Bool("json", false, "print JSON")
	if err := parse(f, args); err != nil {
		return err
	}
	var report labReport
	maker, _ := mutant.Subject("reference", memory.Home{})
	failed, err := failedChecks(maker)
	if err != nil {
		return err
	}
	report.Reference.Checks, report.Reference.Failed = len(check.All()), failed
	bad := len(failed) > 0
	for _, m := range mutant.All() {
		failed, err := failedChecks(m.Maker(memory.Home{}))
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		named := false
		for _, name := range failed {
			named = named || name == m.NamedBy
		}
		bad = bad || !named
		report.Mutants = append(report.Mutants, mutantReport{m.Name, m.NamedBy, failed})
	}
	if *asJSON {
		encoder := json.NewEncoder(std.out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(std.out, "reference: %d of %d checks fail\n", len(report.Reference.Failed), report.Reference.Checks)
		for _, m := range report.Mutants {
			fmt.Fprintf(std.out, "%s: %d checks fail, named by %q\n", m.Name, len(m.Failed), m.NamedBy)
		}
	}
	if bad {
		return exit(1)
	}
	return nil
}

// failedChecks are the names of the checks that a subject fails; never nil.
func failedChecks(maker scenario.Maker) ([]string, error) {
	failed := []string{}
	maker, end := scenario.Reusing(maker)
	defer end()
	for _, c := range check.All() {
		trace, err := scenario.Play(context.Background(), c.Scenario, maker)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		if !trace.Pass {
			failed = append(failed, c.Name())
		}
	}
	return failed, nil
}
