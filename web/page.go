// Package web is the pages: go-app components, one file a page. A page knows no SQLite; what it
// asks of the engine goes through lab/ask.
package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/web/text"
)

// A Page is one address of the site. It exists in every language.
type Page struct {
	Path  string                   // "/" or "/name/"
	Title string                   // key of the catalogue
	New   func(Place) app.Composer // the component of the page's main part
}

// Pages lists the pages of the site. A new page is a file with its component and a line here.
func Pages() []Page {
	return []Page{
		{"/", "home.title", func(at Place) app.Composer { return &home{At: at} }},
		{"/quiz/", "quiz.title", func(at Place) app.Composer { return &quizPage{At: at} }},
		{"/author/", "author.title", func(at Place) app.Composer { return &authorPage{At: at} }},
		{"/lab/", "lab.title", func(at Place) app.Composer { return &labPage{At: at} }},
		{"/rules/", "rules.title", func(at Place) app.Composer { return &rulesPage{At: at} }},
		{"/hunt/", "hunt.title", func(at Place) app.Composer { return &huntPage{At: at} }},
		{"/queue/", "queue.title", func(at Place) app.Composer { return &queuePage{At: at} }},
		{"/components/", "components.title", func(at Place) app.Composer { return &componentsPage{At: at} }},
	}
}

// Missing is what stands at every other address.
func Missing() Page {
	return Page{"/404/", "missing.title", func(at Place) app.Composer { return &missing{At: at} }}
}

// Languages lists the languages in which pages are built and routed, the pseudo-language included.
func Languages() []string { return append(text.Languages(), text.Pseudo) }
