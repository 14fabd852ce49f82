package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// home is the first page: what the course is, what of it can be used now, and what is in preparation.
type home struct {
	app.Compo
	At Place
}

func (h *home) Render() app.UI {
	words := h.At.Words()
	return app.Div().Body(
		app.H1().Class("home-h").Text(words.Get("home.title")),
		app.Div().Class("ways intro").Body(
			app.P().Class("lead").Text(words.Get("home.lead")),
			app.Div().Class("gap-s").Body(
				app.Div().Class("row row-stack").Body(
					app.A().Class("btn btn-main").Href(h.At.Href("/queue/")).Body(app.Text(words.Get("home.start")), icon("next")),
					app.A().Class("btn btn-plain").Href(h.At.Href("/quiz/")).Text(words.Get("home.quiz")),
				),
				app.P().Class("small").Text(words.Get("home.now")),
			),
		),
		heroFigure(h.At),
		h.course(),
		h.question(),
	)
}

// course is the map of the thirteen pages. A lesson that is not written yet is no link and says so.
func (h *home) course() app.UI {
	words := h.At.Words()
	var cells []app.UI
	for n := 1; n <= len(minis); n++ {
		key := "course." + whole(n)
		cells = append(cells, app.Li().Body(
			mini(n),
			app.Div().Body(
				app.H3().Body(app.Span().Class("no").Text(whole(n)), app.Span().Text(words.Get(key+".title"))),
				app.P().Text(words.Get(key+".text")),
			),
			app.Span().Class("prog").Body(icon("idle"), app.Text(words.Get("home.later"))),
		))
	}
	open := func(no, path, key string) app.UI {
		title := []app.UI{}
		if no != "" {
			title = append(title, app.Span().Class("no").Attr("translate", "no").Text(no))
		}
		title = append(title, link(h.At, path, words.Get(key+".title")))
		return app.Div().Body(app.H3().Body(title...), app.P().Text(words.Get(key+".text")))
	}
	cells = append(cells, app.Li().Class("map-last").Body(
		open("13", "/lab/", "course.13"), open("13b", "/hunt/", "course.13b"), open("", "/quiz/", "home.to-quiz"), open("", "/queue/", "home.to-queue"),
	))
	return app.Section().Class("sec").Aria("labelledby", "course").Body(
		app.Div().Class("sec-head").Body(
			app.H2().ID("course").Text(words.Get("home.course")),
			app.P().Class("small").Text(words.Get("home.story")),
		),
		app.Ol().Class("map").Body(cells...),
	)
}

// question shows instructors how a question is written.
func (h *home) question() app.UI {
	words := h.At.Words()
	example := [][2]string{
		{"- id", ": third-attempt"},
		{"  kind", ": number"},
		{"  given", ": {attempt: [1, 2, 3], base_ms: [50, 100],"},
		{"", "          cap_ms: [150, 250], jitter: [0, 0.5, 1]}"},
		{"  ask", ": {en: \"How many ms does the job wait?\"}"},
		{"  key", ": delay"},
		{"  mistakes", ": [no_cap, zero_based]"},
	}
	var lines []app.UI
	for _, l := range example {
		lines = append(lines, app.Li().Body(app.Span().Class("d").Text(l[0]), app.Text(l[1])))
	}
	return app.Section().Class("sec ways").Aria("labelledby", "teach").Body(
		app.Div().Class("gap").Body(
			app.H2().ID("teach").Text(words.Get("home.teach")),
			app.P().Class("lead").Text(words.Get("home.teach.text")),
		),
		app.Div().Class("code").TabIndex(0).Role("region").Aria("label", words.Get("home.teach.example")).Body(app.Ol().Body(lines...)),
	)
}
