package web

import (
	"html"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// A plot is an SVG under construction. Figures are drawn from computed values only.
type plot struct{ b strings.Builder }

// open begins a figure that a screen reader takes as one picture with a title.
func (p *plot) open(class, box, id, title string) {
	p.b.WriteString(`<svg class="` + class + `" viewBox="` + box + `" role="img" aria-labelledby="` + id + `"><title id="` + id + `">` + html.EscapeString(title) + `</title>`)
}

// add appends markup of our own, with no text from outside in it.
func (p *plot) add(markup ...string) {
	for _, m := range markup {
		p.b.WriteString(m)
	}
}

func (p *plot) path(class, d string) { p.add(`<path class="`, class, `" d="`, d, `"></path>`) }

func (p *plot) dot(class string, x, y, r float64) {
	p.add(`<circle class="`, class, `" cx="`, coord(x), `" cy="`, coord(y), `" r="`, coord(r), `"></circle>`)
}

func (p *plot) rect(class string, x, y, w, h float64) {
	p.add(`<rect class="`, class, `" x="`, coord(x), `" y="`, coord(y), `" width="`, coord(w), `" height="`, coord(h), `"></rect>`)
}

func (p *plot) text(class string, x, y float64, s string) {
	p.add(`<text class="`, class, `" x="`, coord(x), `" y="`, coord(y), `">`, html.EscapeString(s), `</text>`)
}

// glyph draws a state's shape at a point.
func (p *plot) glyph(s jobState, x, y, size float64) {
	p.add(`<g class="is-`, string(s), `">`)
	p.dot("fl-sheet", x, y, size*.6)
	p.add(`<svg class="glyph" x="`, coord(x-size/2), `" y="`, coord(y-size/2), `" width="`, coord(size), `" height="`, coord(size), `" viewBox="0 0 16 16"><use href="#i-`, string(s), `"></use></svg></g>`)
}

func (p *plot) ui() app.UI { return app.Raw(p.b.String() + `</svg>`) }

// arc is half an ellipse from x to x2 above y, as a piece of a path.
func arc(x, x2, y, height float64) string {
	return "M" + coord(x) + " " + coord(y) + "A" + coord((x2-x)/2) + " " + coord(height) + " 0 0 1 " + coord(x2) + " " + coord(y)
}
