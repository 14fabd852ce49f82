package web

import (
	"regexp"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Start routes every page in every language and runs the program of the pages; in a browser it does
// not return. static/app.js gives it the site's root and the folder of this version's files.
func Start() {
	base, assets := app.Getenv("RETRYLAB_BASE"), app.Getenv("RETRYLAB_ASSETS")
	for _, lang := range Languages() {
		route := func(p Page) {
			at := Place{Lang: lang, Path: p.Path, Base: base, Assets: assets}
			path := Prefix(lang) + p.Path
			for _, name := range []string{path, strings.TrimSuffix(path, "/"), path + "index.html"} {
				app.Route(name, func() app.Composer { return p.Root(at) })
			}
		}
		for _, p := range Pages() {
			route(p)
		}
	}
	// The regular expressions come after the plain routes, the longest prefix first.
	languages := Languages()
	for i := len(languages) - 1; i >= 0; i-- {
		at := Place{Lang: languages[i], Path: Missing().Path, Base: base, Assets: assets}
		app.RouteWithRegexp("^"+regexp.QuoteMeta(Prefix(at.Lang))+"(/.*)?$", func() app.Composer { return Missing().Root(at) })
	}
	app.RunWhenOnBrowser()
}
