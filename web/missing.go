package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// missing is the page at an address that has none.
type missing struct {
	app.Compo
	At Place
}

func (m *missing) Render() app.UI {
	return app.Div().Body(app.H1().Text(m.At.Words().Get("missing.title")), missingBox(m.At))
}

// missingBox says that trying again will not help, and leads back.
func missingBox(at Place) app.UI {
	words := at.Words()
	var p plot
	p.add(`<svg class="plot keep" viewBox="0 0 420 70" aria-hidden="true">`)
	p.path("ax", "M0 52H420")
	p.dot("fl", 10, 52, 4.5)
	p.path("ln", arc(10, 120, 52, 40))
	p.glyph(statePermanent, 120, 52, 16)
	return app.Div().Class("lost").Body(
		app.P().Text(words.Get("missing.text")),
		p.ui(),
		app.Div().Class("row").Body(
			app.A().Class("btn btn-main").Href(at.Href("/")).Text(words.Get("missing.home")),
			app.A().Class("btn").Href(at.Href("/queue/")).Text(words.Get("missing.queue")),
		),
	)
}
