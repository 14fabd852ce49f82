// Package starter has what a student's program begins as, in each language.
package starter

import _ "embed"

//go:embed queue.py
var python string

//go:embed queue.js
var javaScript string

// Program is what a program in a language begins as, "" for one that is not offered.
func Program(language string) string {
	return map[string]string{"python": python, "javascript": javaScript}[language]
}
