package site

import "strings"

// policy is the content security policy of every page, as a meta element, since a static host lets
// nobody set headers. A frame that is made from a string inherits it.
var policy = []struct {
	directive string
	sources   []string
}{
	// What is not named below is not allowed.
	{"default-src", []string{"'none'"}},
	// Our own scripts; WebAssembly; a worker's script that a page has put together itself.
	{"script-src", []string{"'self'", "'wasm-unsafe-eval'", "blob:"}},
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

// Policy is the content security policy in one line.
func Policy() string {
	var parts []string
	for _, p := range policy {
		parts = append(parts, p.directive+" "+strings.Join(p.sources, " "))
	}
	return strings.Join(parts, "; ")
}
