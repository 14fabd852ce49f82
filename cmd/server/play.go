package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// playAll plays scenarios on a subject and writes a line for each: "ok NAME", or "not ok NAME: step
// NUMBER: " and the first difference. It says whether all hold. The errors join what could not be
// played: a fault of the file ([*source.Problem]), or a subject that could not be made. It stops when
// ctx ends.
func playAll(ctx context.Context, scenarios []*scenario.Scenario, maker scenario.Maker, out io.Writer) (hold bool, errs []error) {
	hold = true
	for _, s := range scenarios {
		trace, err := scenario.Play(ctx, s, maker)
		var problem *source.Problem
		name := oneLine(s.Name)
		switch {
		case errors.As(err, &problem):
			errs = append(errs, problem)
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %s: %w", s.File, name, err))
		case trace.Pass:
			fmt.Fprintln(out, "ok", name)
		default:
			fmt.Fprintf(out, "not ok %s: step %s: %s\n", name, trace.Where, oneLine(trace.Why))
			hold = false
		}
		if ctx.Err() != nil {
			break
		}
	}
	return hold, errs
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
