// Package begin has the quizzes that an author begins with. Both pass their check.
package begin

import (
	_ "embed"
	"strings"
)

//go:embed example.yaml
var example string

//go:embed empty.yaml
var empty string

// Example is a quiz with one question of each common sort, and with comments that explain them. The name
// is small letters, digits and -.
func Example(name string) string { return named(example, name) }

// Empty is a quiz with the least that a quiz has: one question to change.
func Empty(name string) string { return named(empty, name) }

func named(text, name string) string { return strings.Replace(text, "NAME", name, 1) }
