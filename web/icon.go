package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// icon is a small drawing beside a word: a symbol of static/sprite.svg, which every page holds. It
// says nothing that the word does not. A job's state has the icon of its name.
func icon(name string) app.UI {
	return app.Raw(`<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><use href="#i-` + name + `"></use></svg>`)
}

// Paths of the mark: three waits, each twice the last; the third meets the cap.
const (
	markWaits      = `M3 26A2 5 0 0 1 7 26A4 10.5 0 0 1 15 26C15 17.5 16.2 12 18.4 8.5M25.6 8.5C27.8 12 29 17.5 29 26`
	markCap        = `M3 8.5H29`
	markSmallWaits = `M1.5 14A1.7 4.5 0 0 1 4.9 14C4.9 9 5.8 5.4 7.4 3M12 3C13.6 5.4 14.5 9 14.5 14`
	markSmallCap   = `M1.5 3H14.5`
)

// logo is the mark; small is its drawing for 16 pixels.
func logo(small bool) app.UI {
	box, waits, limit := "0 0 32 32", markWaits, markCap
	if small {
		box, waits, limit = "0 0 16 16", markSmallWaits, markSmallCap
	}
	return app.Raw(`<svg viewBox="` + box + `" aria-hidden="true"><path class="ln" d="` + waits + `"></path><path class="ln-cap" d="` + limit + `" stroke-linecap="round"></path></svg>`)
}
