package web

import (
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// maxDrawn is how many jobs the time line shows, the newest; the table has them all.
const maxDrawn = 12

// An axis is the span of time that the time line shows, ms.
type axis struct{ From, To int64 }

// axisOf fits the jobs' times: from the first acceptance to the last time that is still ahead of an
// open job. A time so far ahead that everything else would shrink to a point lies beyond the axis, and
// so does the end of a lease, which is often far beyond its job's deadline.
func axisOf(jobs []ask.Job, now int64) axis {
	a := axis{now, now}
	for _, j := range jobs {
		a.From = min(a.From, j.CreatedAt)
	}
	far := 100 * max(now-a.From, 100)
	fit := func(t int64) {
		if t-now <= far {
			a.To = max(a.To, t)
		}
	}
	for _, j := range jobs {
		switch j.State {
		case "done":
			if j.DoneAt != nil {
				fit(*j.DoneAt)
			}
		case "dead":
			if j.DiedAt != nil {
				fit(*j.DiedAt)
			}
		default:
			fit(j.AvailableAt)
			fit(j.Deadline)
		}
	}
	a.To = max(a.To, a.From+10)
	return a
}

// ticks are the round times of an axis, ten at most.
func (a axis) ticks() []int64 {
	step := int64(1)
	for i := 0; (a.To-a.From)/step >= 10; i++ {
		if i%3 == 1 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
	}
	var at []int64
	for t := (a.From + step - 1) / step * step; t <= a.To; t += step {
		at = append(at, t)
	}
	return at
}

// liveFigure draws the jobs on the virtual clock: what is due, who waits and until when.
func liveFigure(words text.Words, live ask.Live) app.UI {
	jobs := live.Jobs
	if len(jobs) == 0 {
		return nil
	}
	if len(jobs) > maxDrawn {
		jobs = jobs[len(jobs)-maxDrawn:]
	}
	a := axisOf(jobs, live.Now)
	const left, right, top, step = 130.0, 965.0, 74.0, 44.0
	bottom := top + step*float64(len(jobs)) - 18
	x := func(t int64) float64 {
		return left + (right-left)*float64(min(max(t, a.From), a.To)-a.From)/float64(a.To-a.From)
	}
	beyond := func(t int64) bool { return t > a.To }

	var p plot
	p.open("plot", "0 0 1000 "+coord(bottom+26), "live-t", words.Get("figure.alt", "jobs", len(jobs), "ms", live.Now))
	now := x(live.Now)
	p.add(`<g class="is-idle">`)
	p.rect("fl-w", now, 36, right+14-now, bottom-36)
	p.add(`</g>`)
	for _, t := range a.ticks() {
		p.path("gr", "M"+coord(x(t))+" 36V"+coord(bottom))
		p.text("mid", x(t), bottom+18, whole(t))
	}
	p.text("", 0, bottom+18, words.Get("unit"))
	for i, j := range jobs {
		y := top + step*float64(i)
		p.add(`<g translate="no">`)
		p.text("t-ink", 0, y, shorten(j.ID, 14))
		p.add(`</g>`)
		budget(&p, j, y+6)
		state := stateAt(j, live.Now)
		open := j.State == "pending" || j.State == "leased"
		end := j.Deadline
		if j.DoneAt != nil {
			end = *j.DoneAt
		}
		if j.DiedAt != nil {
			end = *j.DiedAt
		}
		p.path("ax", "M"+coord(x(j.CreatedAt))+" "+coord(y)+"H"+coord(x(end))+"M"+coord(x(j.CreatedAt))+" "+coord(y-5)+"v10")
		if open || state == stateDeadline {
			if beyond(j.Deadline) {
				p.path("ln-cap", "M"+coord(right+2)+" "+coord(y)+"h12m-5 -4 5 4-5 4")
			} else {
				p.path("ln-cap", "M"+coord(x(j.Deadline))+" "+coord(y-15)+"v22")
			}
		}
		switch state {
		case statePending:
			p.path("ln ln-thin ln-dash", arc(now, x(j.AvailableAt), y, min(30, 10+(x(j.AvailableAt)-now)/12)))
			p.glyph(state, x(j.AvailableAt), y, 15)
		case stateDue:
			p.glyph(state, x(j.AvailableAt), y, 15)
		case stateLeased:
			p.add(`<g class="is-leased">`)
			p.rect("box-c", now, y-6, max(x(*j.LeaseUntil), now+4)-now, 12)
			p.add(`</g>`)
			if beyond(*j.LeaseUntil) {
				p.add(`<g class="is-leased">`)
				p.text("t-c end", right-6, y-12, words.Get("figure.lease", "ms", *j.LeaseUntil))
				p.add(`</g>`)
			}
		case stateExpired:
			p.add(`<g class="is-leased">`)
			p.add(`<rect class="box-c" stroke-dasharray="3 3" x="`, coord(x(*j.LeaseUntil)), `" y="`, coord(y-6), `" width="`, coord(max(now-x(*j.LeaseUntil), 4)), `" height="12"></rect></g>`)
		default:
			p.glyph(state, x(end), y, 15)
			p.add(`<g class="is-`, string(state), `">`)
			if x(end) > right-150 {
				p.text("t-c halo end", x(end)-14, y+4.5, words.Get("state."+string(state)))
			} else {
				p.text("t-c halo", x(end)+14, y+4.5, words.Get("state."+string(state)))
			}
			p.add(`</g>`)
		}
	}
	p.path("ln", "M"+coord(now)+" 30V"+coord(bottom))
	label := words.Get("figure.now", "ms", live.Now)
	width := 22 + 7.4*float64(utf8.RuneCountInString(label))
	at := min(max(now, width/2), 1000-width/2)
	p.rect("fl", at-width/2, 8, width, 24)
	p.text("mid t-now", at, 25, label)

	return app.Figure().Class("fig fig-live").Body(
		app.Div().Class("fig-head").Body(app.B().Text(words.Get("figure.title")), app.Span().Text(policyNow(words, live.Policy))),
		app.Div().Class("scroll").TabIndex(0).Role("region").Aria("label", words.Get("figure.title")).Body(app.Div().Class("tl").Body(p.ui())),
		app.FigCaption().Body(legend(words)),
	)
}

// budget draws a job's attempts as boxes, filled when consumed; many are left to the table.
func budget(p *plot, j ask.Job, y float64) {
	if j.MaxAttempts > 10 {
		return
	}
	for n := int64(0); n < max(j.MaxAttempts, j.Attempts); n++ {
		class := "sq"
		if n < j.Attempts {
			class = "sq sq-full"
		}
		p.rect(class, 1+10*float64(n), y, 7, 7)
	}
}

// legend explains the marks of the time line.
func legend(words text.Words) app.UI {
	item := func(drawing, key string) app.UI {
		return app.Li().Body(app.Raw(`<svg class="is-leased" viewBox="0 0 28 14" aria-hidden="true">`+drawing+`</svg>`), app.Text(words.Get(key)))
	}
	return app.Ul().Class("legend").Aria("label", words.Get("figure.legend")).Body(
		item(`<rect class="sq sq-full" x="4" y="4" width="7" height="7"></rect><rect class="sq" x="15" y="4" width="7" height="7"></rect>`, "figure.attempts"),
		item(`<rect class="box-c" x="0" y="2" width="28" height="10"></rect>`, "figure.lease-rest"),
		item(`<path class="ln ln-thin ln-dash" d="M1 13A13 12 0 0 1 27 13"></path>`, "figure.wait"),
		item(`<path class="ln-cap" d="M14 0V14"></path>`, "figure.deadline"),
	)
}

// shorten cuts a text that is too long to draw.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == most {
			return s[:i] + "…"
		}
	}
	return s
}

func policyNow(words text.Words, p ask.Policy) string {
	return words.Get("queue.policy.now", "base", p.BaseMS, "cap", p.CapMS, "jitter", short(p.Jitter), "lease", p.LeaseMS)
}
