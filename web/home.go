package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

type home struct {
	app.Compo
	At Place
}

func (h *home) Render() app.UI {
	words := h.At.Words()
	return app.Div().Body(
		app.H1().Class("home-h").Text(words.Get("home.title")),
		app.P().Class("lead").Text(words.Get("home.lead")),
	)
}
