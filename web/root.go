package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/web/text"
)

// Root is the component of a whole page: the frame of every page around the page's own part.
func (p Page) Root(at Place) app.Composer { return &root{At: at, page: p} }

type root struct {
	app.Compo
	At   Place
	page Page
}

// CompoID makes go-app build a page anew for each address. Without it two pages of one type would
// share one component, and the second would show what the first had stored.
func (r *root) CompoID() string { return r.At.Lang + r.At.Path }

func (r *root) Render() app.UI { return frame(r.At, r.page) }

// shown is the page in the tab; empty until the first one is there.
var shown string

func (r *root) OnNav(ctx app.Context) {
	if shown != "" && shown != r.CompoID() {
		app.Window().Call("retrylabArrived") // static/app.js
	}
	shown = r.CompoID()
	ctx.Page().SetTitle("%s", r.page.FullTitle(r.At))
	ctx.Page().SetLang(text.Tag(r.At.Lang))
}

// FullTitle is the title of the page's window.
func (p Page) FullTitle(at Place) string {
	words := at.Words()
	if p.Path == "/" {
		return words.Get("site.name") + ": " + words.Get(p.Title)
	}
	return words.Get(p.Title) + " · " + words.Get("site.name")
}
