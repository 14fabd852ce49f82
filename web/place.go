package web

import (
	"strings"

	"retrylab/web/text"
)

// A Place is where a page stands: its language and path, and what its links need. Every page's
// component has one as an exported field and hands it on to its parts.
type Place struct {
	Lang   string // a code of text.Languages, or text.Pseudo
	Path   string // the page's path without base and language: "/", "/lab/"
	Base   string // the site's root as this page sees it, ends in "/": "/", "/course/", "../"
	Assets string // the folder of this version's files, ends in "/"
}

// Words are the texts of the page's language.
func (at Place) Words() text.Words { return text.For(at.Lang) }

// Href is the address of a page in this page's language. The path starts with "/" and may end in a
// query and a fragment: "/quiz/?name=cap#third".
func (at Place) Href(path string) string { return at.HrefIn(at.Lang, path) }

// HrefIn is the address of a page in another language.
func (at Place) HrefIn(lang, path string) string {
	return at.Base + strings.TrimPrefix(Prefix(lang)+path, "/")
}

// Asset is the address of a file of static/ or of a built program, in this version.
func (at Place) Asset(name string) string { return at.Assets + name }

// File is the address of a file with a stable name, such as a quiz: "quiz/index.json".
func (at Place) File(name string) string { return at.Base + name }

// Prefix is what the paths of a language begin with: "" for English, else "/" and its code.
func Prefix(lang string) string {
	if lang == text.Languages()[0] {
		return ""
	}
	return "/" + lang
}
