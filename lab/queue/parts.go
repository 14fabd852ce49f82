package queue

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"retrylab/lab/retry"
)

//go:embed schema.sql
var schemaText string

//go:embed statements.sql
var statementsText string

// Parts are what a queue is made of: its schema, its named statements and fragments, and the pure
// steps between them. A service never needs them: [Open] takes the reference. The lab alters one
// thing at a time to make mutants (package lab/mutant), and a reader sees here all that a queue does.
type Parts struct {
	schema string
	sql    map[string]string // statements and fragments by name
	Steps
}

// Steps are the pure steps of a run.
type Steps struct {
	// Delay is the wait after a failure, in ms. [retry.Delay] has its rules.
	Delay func(attempt, baseMS, capMS int64, jitter float64) (int64, error)
	// Wait joins the delay and what the server asked for, when it asked.
	Wait func(delayMS, retryAfterMS, capMS int64, asked bool) int64
	// Classify judges a send's error.
	Classify func(error) Failure
	// Finished is the reading that a result is stored with, from the readings before and after the
	// send, or an error.
	Finished func(before, after int64, failed bool) (int64, error)
	// Lost is what a late worker gets whose token is no longer the current one.
	Lost func() error
}

// ReferenceParts are the parts of the reference: SPEC.md sections 2 to 6.
func ReferenceParts() *Parts {
	sql := make(map[string]string, len(referenceSQL()))
	for name, text := range referenceSQL() {
		sql[name] = text
	}
	return &Parts{schema: schemaText, sql: sql, Steps: Steps{
		Delay:    retry.Delay,
		Wait:     longerWait,
		Classify: classify,
		Finished: finished,
		Lost:     func() error { return ErrLeaseLost },
	}}
}

// referenceSQL is statements.sql, cut at its headings.
var referenceSQL = sync.OnceValue(func() map[string]string {
	parts := map[string]string{}
	name := ""
	for line := range strings.Lines(statementsText) {
		heading, isHeading := strings.CutPrefix(line, "-- fragment ")
		if !isHeading {
			heading, isHeading = strings.CutPrefix(line, "-- statement ")
		}
		switch {
		case isHeading:
			name, _, _ = strings.Cut(strings.TrimSpace(heading), ":")
			parts[name] = ""
		case name != "":
			parts[name] += line
		}
	}
	for name, text := range parts {
		parts[name] = strings.TrimSpace(text)
	}
	return parts
})

// Edit changes one statement or fragment: old becomes text. It is an error unless old stands there
// exactly once, so that a change that no longer means anything is found.
func (p *Parts) Edit(name, old, text string) error {
	whole, ok := p.sql[name]
	if n := strings.Count(whole, old); !ok || n != 1 {
		return fmt.Errorf("queue: the change of %q: %q stands there %d times, not once", name, old, n)
	}
	p.sql[name] = strings.Replace(whole, old, text, 1)
	return nil
}

// DropCheck takes a named CHECK out of the table.
func (p *Parts) DropCheck(name string) error {
	before, rest, ok := strings.Cut(p.schema, "CONSTRAINT "+name+" CHECK (")
	if !ok {
		return fmt.Errorf("queue: the table has no CHECK %q", name)
	}
	depth, end := 1, 0
	for depth > 0 && end < len(rest) {
		switch rest[end] {
		case '(':
			depth++
		case ')':
			depth--
		}
		end++
	}
	if depth > 0 {
		return fmt.Errorf("queue: the CHECK %q does not end", name)
	}
	p.schema = before + "CONSTRAINT " + name + " CHECK (1" + ")" + rest[end:]
	return nil
}

// Schema is the schema's statements, in order. Each may be run again without harm.
func (p *Parts) Schema() []string {
	var statements []string
	for statement := range strings.SplitSeq(p.schema, ";\n") {
		if !empty(statement) {
			statements = append(statements, statement)
		}
	}
	return statements
}

// empty says whether nothing but comments stands there: D1 refuses that as a statement.
func empty(statement string) bool {
	for line := range strings.Lines(statement) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			return false
		}
	}
	return true
}

// A compiled statement has its fragments in place and its parameters numbered, which every driver
// understands: ?1 is args[0].
type compiled struct {
	text string
	args []string // the parameters' names
}

// Compile is a statement as it is sent to SQLite, with the names of its parameters ?1, ?2, ...
func (p *Parts) Compile(name string) (text string, args []string, err error) {
	text, err = p.expand(name, 0)
	if err != nil {
		return "", nil, err
	}
	var out strings.Builder
	for {
		at := strings.IndexByte(text, ':')
		if at < 0 {
			break
		}
		end := at + 1
		for end < len(text) && (text[end] == '_' || 'a' <= text[end] && text[end] <= 'z') {
			end++
		}
		if end == at+1 {
			return "", nil, fmt.Errorf("queue: statement %q has a : without a name", name)
		}
		number := 0
		for i, arg := range args {
			if arg == text[at+1:end] {
				number = i + 1
			}
		}
		if number == 0 {
			args = append(args, text[at+1:end])
			number = len(args)
		}
		fmt.Fprintf(&out, "%s?%d", text[:at], number)
		text = text[end:]
	}
	out.WriteString(text)
	return out.String(), args, nil
}

func (p *Parts) expand(name string, depth int) (string, error) {
	text, ok := p.sql[name]
	if !ok || depth > 9 {
		return "", fmt.Errorf("queue: no statement or fragment %q", name)
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		inner, after, found := strings.Cut(rest, "}")
		if !found {
			return "", fmt.Errorf("queue: statement %q: { without }", name)
		}
		fragment, err := p.expand(inner, depth+1)
		if err != nil {
			return "", err
		}
		out.WriteString(fragment)
		text = after
	}
}
