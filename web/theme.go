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
	now, shape := b.now, "theme"
	if now == "" {
		now = themes[0]
	}
	if now != themes[0] {
		shape = now
	}
	next := nextTheme(now)
	return button{
		Scope: "theme", Icon: shape, Name: words.Get("theme."+now) + " " + words.Get("theme.to-"+next),
		On: func(ctx app.Context) {
			b.now = next
			if app.Window().Get("retrylabTheme").Truthy() {
				app.Window().Call("retrylabTheme", next)
			}
		},
	}.ui()
}
