package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

type missing struct {
	app.Compo
	At Place
}

func (m *missing) Render() app.UI {
	words := m.At.Words()
	return app.Div().Body(
		app.H1().Text(words.Get("missing.title")),
		app.P().Class("lead").Text(words.Get("missing.text")),
		app.P().Body(app.A().Class("btn").Href(m.At.Href("/")).Text(words.Get("missing.home"))),
	)
}
