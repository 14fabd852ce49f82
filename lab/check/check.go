// Package check has the lab's own checks: scenarios in four parts (SPEC.md section 10), as files.
// They fail every mutant and pass the reference.
package check

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"retrylab/lab/scenario"
)

//go:embed parts/*.yaml
var files embed.FS

var partFiles = [...]string{"parts/1-delay.yaml", "parts/2-queue.yaml", "parts/3-leases.yaml", "parts/4-requeue.yaml"}

// Parts is the number of parts: the delay, the queue, leases, requeue.
const Parts = len(partFiles)

// A Check is a scenario of the lab.
type Check struct {
	Scenario *scenario.Scenario
	Slug     string // its key in the catalogue and in links: the name in lower case, with - for the rest
	Part     int    // 1..Parts
	Source   string // the scenario as its file has it; "" of one that no file can say
}

// Name is the check's name: a sentence in English that says what holds.
func (c Check) Name() string { return c.Scenario.Name }

// All are the checks, part by part, in the order of their files.
func All() []Check { return all() }

var all = sync.OnceValue(func() []Check {
	var checks []Check
	for i, file := range partFiles {
		data, err := files.ReadFile(file)
		if err != nil {
			panic(err) // an embedded file: TestChecksParse reads them all
		}
		scenarios, err := scenario.Parse(file, data)
		if err != nil {
			panic(fmt.Sprintf("check: %v", err))
		}
		sources := strings.Split(string(data), "---\n")
		for j, s := range scenarios {
			checks = append(checks, Check{s, slug(s.Name), i + 1, sources[j]})
		}
	}
	return checks
})

// Find is the check of a slug.
func Find(slug string) (Check, bool) {
	for _, c := range All() {
		if c.Slug == slug {
			return c, true
		}
	}
	return Check{}, false
}

// SlugOf is the slug of a check's name.
func SlugOf(name string) string { return slug(name) }

func slug(name string) string {
	var out strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c):
			out.WriteRune(c)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
	}
	return strings.TrimSuffix(out.String(), "-")
}
