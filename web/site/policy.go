package site

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"retrylab/static"
)

// policy is the content security policy of every page, as a meta element, since a static host lets
// nobody set headers. A frame that is made from a string inherits it.
var policy = []struct {
	directive string
	sources   []string
}{
	// What is not named below is not allowed.
	{"default-src", []string{"'none'"}},
	// Our own scripts; WebAssembly; a worker's script that a page has put together itself.
	// The one script that stands in a document is that of the frame in which a student's program runs.
	{"script-src", []string{"'self'", "'wasm-unsafe-eval'", "blob:", hashOf("frame-inside.js")}},
	{"style-src", []string{"'self'"}},
	{"img-src", []string{"'self'", "data:", "blob:"}},
	{"font-src", []string{"'self'"}},
	// The programs, quizzes and scenarios of the site; what a page reads from a file somebody chose.
	{"connect-src", []string{"'self'", "blob:", "data:"}},
	{"worker-src", []string{"'self'", "blob:"}},
	{"manifest-src", []string{"'self'"}},
	// Forms are answered in the page.
	{"form-action", []string{"'none'"}},
	{"base-uri", []string{"'none'"}},
}

// hashOf allows one script of static/ to stand in a document.
func hashOf(name string) string {
	script, err := static.Files.ReadFile(name)
	if err != nil {
		panic(err) // an embedded file: every test of the site finds out
	}
	sum := sha256.Sum256(script)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Policy is the content security policy in one line.
func Policy() string {
	var parts []string
	for _, p := range policy {
		parts = append(parts, p.directive+" "+strings.Join(p.sources, " "))
	}
	return strings.Join(parts, "; ")
}
