package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// frame is what stands around the main part of every page.
func frame(at Place, page Page) app.UI {
	words := at.Words()
	return app.Div().Body(
		app.A().Class("skip").Href("#main").Text(words.Get("nav.skip")),
		app.Main().Class("wrap").ID("main").TabIndex(-1).Body(page.New(at)),
	)
}
