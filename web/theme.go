package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// themes are the page's faces, in the order in which the button goes through them. "system" follows
// the device.
var themes = []string{"system", "light", "dark"}

// nextTheme is the theme that the button changes to.
func nextTheme(now string) string {
	for i, t := range themes {
		if t == now {
			return themes[(i+1)%len(themes)]
		}
	}
	return themes[1]
}

// themeButton changes the page's theme. static/theme.js remembers it, and sets it before the page is
// painted.
type themeButton struct {
	app.Compo
	At  Place
	now string
}

func (b *themeButton) OnMount(ctx app.Context) {
	if get := app.Window().Get("retrylabTheme"); get.Truthy() {
		b.now = app.Window().Call("retrylabTheme").String()
	}
}

func (b *themeButton) Render() app.UI {
	words := b.At.Words()
	now, shape := b.theme(), "theme"
	if now != themes[0] {
		shape = now
	}
	return button{
		Scope: "theme", Icon: shape, Name: words.Get("theme."+now) + " " + words.Get("theme.to-"+nextTheme(now)), On: b.change,
	}.ui()
}

func (b *themeButton) theme() string {
	if b.now == "" {
		return themes[0]
	}
	return b.now
}

func (b *themeButton) change(ctx app.Context) {
	b.now = nextTheme(b.theme())
	if app.Window().Get("retrylabTheme").Truthy() {
		app.Window().Call("retrylabTheme", b.now)
	}
}
