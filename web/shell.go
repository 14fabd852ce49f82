package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/web/text"
)

// frame is what stands around the main part of every page: the head bar and the foot.
func frame(at Place, page Page) app.UI {
	words := at.Words()
	return app.Div().Class("page").Body(
		app.A().Class("skip").Href("#main").Text(words.Get("nav.skip")),
		headBar(at, &themeButton{At: at}),
		app.Main().Class("wrap").ID("main").TabIndex(-1).Body(page.New(at)),
		foot(at),
	)
}

// sections are the entries of the main navigation: a path and the key of its word.
var sections = []choice{{"/", "nav.course"}, {"/quiz/", "nav.quiz"}, {"/lab/", "nav.lab"}, {"/hunt/", "nav.hunt"}, {"/queue/", "nav.queue"}}

// headBar is the bar at the top, with the given tool at its end.
func headBar(at Place, tool app.UI) app.UI {
	words := at.Words()
	var entries []app.UI
	for _, s := range sections {
		a := app.A().Href(at.Href(s.Value)).Text(words.Get(s.Label))
		if s.Value == at.Path {
			a.Aria("current", "page")
		}
		entries = append(entries, a)
	}
	return app.Header().Class("head").Body(app.Div().Class("wrap head-in").Body(
		app.A().Class("brand").Href(at.Href("/")).Body(logo(false), app.Span().Text(words.Get("site.name"))),
		app.Nav().Class("nav").Aria("label", words.Get("nav.main")).Body(entries...),
		app.Div().Class("tools").Body(languageSwitch(at), tool),
	))
}

// languageSwitch leads to the same page in each language. With one language there is nothing to
// switch. Each language is named by its own catalogue.
func languageSwitch(at Place) app.UI {
	langs := text.Languages()
	if at.Lang == text.Pseudo {
		langs = append(langs, at.Lang)
	}
	if len(langs) < 2 {
		return nil
	}
	var links []app.UI
	for _, lang := range langs {
		own := text.For(lang)
		a := app.A().Href(at.HrefIn(lang, at.Path)).Attr("hreflang", text.Tag(lang)).Lang(text.Tag(lang)).Body(
			app.Span().Class("long").Text(own.Get("lang.name")),
			app.Span().Class("short").Text(own.Get("lang.short")),
		)
		if lang == at.Lang {
			a.Aria("current", "true")
		}
		links = append(links, a)
	}
	return app.Div().Class("langs").Role("group").Aria("label", at.Words().Get("nav.language")).Body(links...)
}

func foot(at Place) app.UI {
	words := at.Words()
	return app.Footer().Class("foot").Body(app.Div().Class("wrap foot-in").Body(
		app.P().Text(words.Get("foot.text")),
		app.Ul().Body(
			app.Li().Body(link(at, "/", words.Get("nav.course"))),
			app.Li().Body(link(at, "/components/", words.Get("components.title"))),
			// A tab of its own: the file is no page, and has no way back.
			app.Li().Body(app.A().Href(at.Asset("notices.txt")).Target("_blank").Attr("rel", "license noopener").Text(words.Get("foot.licences"))),
		),
	))
}
