package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/retry"
)

// A story is one job whose every send fails: when its attempts were made, and the wait that no longer
// fits before the deadline.
type story struct {
	Base, Cap, Deadline int64
	Jitter              float64
	Attempts            []int64 // when each attempt was made, ms
	Waits               []int64 // after each attempt but the last
	LastWait            int64   // after the last attempt; it would end at or after the deadline
}

// storyOf plays the job by the rules of SPEC.md sections 2 and 4, with sends that take no time.
func storyOf(base, limit, deadline int64, jitter float64) (story, error) {
	s := story{Base: base, Cap: limit, Deadline: deadline, Jitter: jitter}
	now := int64(0)
	for attempt := int64(1); ; attempt++ {
		s.Attempts = append(s.Attempts, now)
		wait, err := retry.Delay(attempt, base, limit, jitter)
		if err != nil {
			return s, err
		}
		// A wait of nothing would go on for ever; a picture has room for a few attempts.
		if wait >= deadline-now || wait == 0 || attempt == 50 {
			s.LastWait = wait
			return s, nil
		}
		s.Waits = append(s.Waits, wait)
		now += wait
	}
}

// heroFigure draws a story: attempts are dots, waits are arcs, limits are vermilion.
func heroFigure(at Place) app.UI {
	words := at.Words()
	s, err := storyOf(100, 1000, 3000, 1)
	if err != nil {
		return nil
	}
	last := len(s.Attempts) - 1
	end := s.Attempts[last] + s.LastWait
	const left, right, ground, roof = 12.0, 877.3, 190.0, 60.0
	scale := (right - left) / float64(end)
	x := func(ms int64) float64 { return left + float64(ms)*scale }
	height := func(wait int64) float64 { return (ground - roof) * float64(wait) / float64(s.Cap) }

	var p plot
	p.open("plot", "0 28 960 204", "hero-t", words.Get("hero.alt", "attempts", len(s.Attempts), "base", s.Base, "cap", s.Cap, "deadline", s.Deadline))
	p.path("ln-cap", "M0 "+coord(roof)+"H896")
	p.text("t-cap", 902, roof+5, words.Get("hero.cap"))
	p.path("ax", "M0 "+coord(ground)+"H960")
	waits := ""
	for i, w := range s.Waits {
		waits += arc(x(s.Attempts[i]), x(s.Attempts[i+1]), ground, height(w))
	}
	p.add(`<path class="ln draws" pathLength="1" d="`, waits, `"></path>`)
	p.path("ln ln-dash", arc(x(s.Attempts[last]), x(end), ground, height(s.LastWait)))
	p.path("ln-cap", "M"+coord(x(s.Deadline))+" 86V"+coord(ground+12))
	p.text("t-cap mid", x(s.Deadline), ground+32, words.Get("hero.deadline", "ms", s.Deadline))
	for i, t := range s.Attempts {
		if i == last {
			p.glyph(stateDeadline, x(t), ground, 15)
		} else {
			p.dot("fl", x(t), ground, 4.5)
		}
		p.text("mid t-ink", x(t), ground+32, whole(i+1))
	}
	for i, w := range s.Waits {
		class, y := "mid wide-only", ground-height(w)-9
		if height(w) > 100 { // there is room beneath the arc
			class, y = "mid", ground-height(w)+42
		}
		p.text(class, (x(s.Attempts[i])+x(s.Attempts[i+1]))/2, y, whole(w))
	}

	return app.Figure().Class("fig hero-fig").Body(
		app.Div().Class("fig-head").Body(
			app.B().Text(words.Get("hero.title")),
			app.Span().Text(words.Get("hero.policy", "base", s.Base, "cap", s.Cap, "jitter", 1)),
		),
		app.Div().Class("dots hero-pad").Body(p.ui()),
		app.FigCaption().Text(words.Get("hero.caption", "attempts", len(s.Attempts))),
	)
}
