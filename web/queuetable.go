package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// dashboard is the figures of SPEC.md section 4, dead by reason.
func dashboard(words text.Words, s ask.Stats) app.UI {
	count := func(state jobState, key string, n int64) app.UI {
		return app.Div().Body(app.Dt().Body(app.Span().Class("state is-"+string(state)).Body(icon(string(state)), app.Text(words.Get(key)))), app.Dd().Text(whole(n)))
	}
	reason := func(state jobState, n int64) app.UI {
		return app.Span().Class("state is-"+string(state)).Body(icon(string(state)), app.Text(words.Get("dash."+string(state), "n", n)))
	}
	age := func(key string, ms *int64) app.UI {
		value := []app.UI{app.Span().Class("none").Text(words.Get("none"))}
		if ms != nil {
			value = []app.UI{app.Text(whole(*ms) + " "), app.Small().Text(words.Get("unit"))}
		}
		return app.Div().Body(app.Dt().Text(words.Get(key)), app.Dd().Body(value...))
	}
	return app.Dl().Class("dash").Aria("label", words.Get("dash.label")).Body(
		count(statePending, "dash.pending", s.Pending), count(stateDue, "dash.due", s.Due), count(stateLeased, "dash.leased", s.Leased),
		count(stateExpired, "dash.expired", s.Expired), count(stateDone, "dash.done", s.Done),
		app.Div().Body(app.Dt().Text(words.Get("dash.dead")), app.Dd().Text(whole(s.Dead)), app.Dd().Class("by").Body(
			reason(stateExhausted, s.DeadExhausted), reason(stateDeadline, s.DeadDeadline), reason(statePermanent, s.DeadPermanent),
		)),
		app.Div().Body(app.Dt().Text(words.Get("dash.retries")), app.Dd().Text(whole(s.Retries))),
		age("dash.oldest_due", s.OldestDueMS), age("dash.oldest_open", s.OldestOpenMS),
	)
}

// jobs is the table of the queue's rows.
func (p *queuePage) jobs(words text.Words, live ask.Live) app.UI {
	head := app.H2().ID("jobs").Text(words.Get("queue.table"))
	if len(live.Jobs) == 0 {
		return app.Section().Class("gap-s").Aria("labelledby", "jobs").Body(head, p.emptyTable(words))
	}
	var rows []app.UI
	for _, job := range live.Jobs {
		rows = append(rows, p.row(words, live, job))
	}
	var heads []app.UI
	for _, h := range []string{"id", "state", "attempts", "available_at", "lease_until", "deadline", "last_error", "payload"} {
		th := app.Th().Scope("col").Text(words.Get("queue.col." + h))
		switch h {
		case "attempts", "available_at", "lease_until", "deadline":
			th.Class("n")
		}
		heads = append(heads, th)
	}
	body := []app.UI{head, app.Div().Class("scroll").TabIndex(0).Role("region").Aria("label", words.Get("queue.table.scroll")).Body(
		app.Table().Class("tbl").Body(
			app.Caption().Class("vh").Text(words.Get("queue.table.caption", "ms", live.Now)),
			app.THead().Body(app.Tr().Body(heads...)),
			app.TBody().Body(rows...),
		),
	)}
	if int64(len(live.Jobs)) < live.Total {
		body = append(body, app.P().Class("small").Text(words.Get("queue.table.newest", "shown", len(live.Jobs), "total", live.Total)))
	}
	return app.Section().Class("gap-s").Aria("labelledby", "jobs").Body(body...)
}

// emptyTable stands where the rows will be.
func (p *queuePage) emptyTable(words text.Words) app.UI {
	return app.Div().Class("empty").Body(app.P().Text(words.Get("queue.empty")))
}

func (p *queuePage) row(words text.Words, live ask.Live, job ask.Job) app.UI {
	none := func() app.UI { return app.Span().Class("none").Text(words.Get("none")) }
	lease, failure := none(), none()
	if job.LeaseUntil != nil {
		lease = app.Text(whole(*job.LeaseUntil))
	}
	if job.LastError != nil {
		failure = verbatim(*job.LastError)
	}
	state := []app.UI{statePill(words, stateAt(job, live.Now), false)}
	if job.State == "dead" {
		id := job.ID
		state = append(state, app.Text(" "), button{
			Scope: "revive-" + id, Label: words.Get("queue.requeue.start"), Name: words.Get("queue.requeue.start-job", "id", id), Class: "btn-plain btn-row",
			On: func(ctx app.Context) {
				p.form["requeue-id"] = id
				ctx.Defer(func(app.Context) { focus("requeue-deadline") })
			},
		}.ui())
	}
	tr := app.Tr()
	if p.state.Target == job.ID {
		tr.Class("is-sel")
	}
	return tr.Body(
		app.Th().Scope("row").Class("long").Body(verbatim(job.ID)),
		app.Td().Body(state...),
		app.Td().Class("n").Text(words.Get("queue.of", "n", job.Attempts, "max", job.MaxAttempts)),
		app.Td().Class("n").Text(whole(job.AvailableAt)),
		app.Td().Class("n").Body(lease),
		app.Td().Class("n").Text(whole(job.Deadline)),
		app.Td().Class("long").Body(failure),
		app.Td().Class("long").Body(verbatim(job.Payload)),
	)
}

// liveLog is the last steps, the newest first.
func liveLog(words text.Words, live ask.Live) app.UI {
	const most = 40
	var lines []app.UI
	for i := len(live.Log) - 1; i >= 0 && len(lines) < most; i-- {
		e := live.Log[i]
		lines = append(lines, app.Li().Body(
			app.Span().Text(whole(e.At)),
			verbatim(e.ID).Class("b"),
			app.Span().Body(app.Text(words.Get("log.step", "step", stepName(words, e.Do))+" "), remark(resultTone(e.Result), resultName(words, e.Result), false)),
			app.Code().Class("log-text").Text(e.Text),
		))
	}
	body := []app.UI{app.H2().ID("log").Text(words.Get("log.title"))}
	if len(lines) == 0 {
		body = append(body, app.P().Class("small").Text(words.Get("log.empty")))
	} else {
		body = append(body, app.Ol().Class("log").Body(lines...))
	}
	return app.Section().Class("gap-s").Aria("labelledby", "log").Body(body...)
}

// stepName and resultName are words for what the engine names; a name without a word is shown itself.
func stepName(words text.Words, do string) string {
	if key := "step." + do; words.Has(key) {
		return words.Get(key)
	}
	return do
}

func resultName(words text.Words, result string) string {
	if key := "result." + result; words.Has(key) {
		return words.Get(key)
	}
	return result
}
