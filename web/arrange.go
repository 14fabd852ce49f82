package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/quiz/prose"
	"retrylab/web/text"
)

// Questions whose answer is arranged: items put in order, rows matched with options.

// order is the items as they are arranged now. Each has a button up and one down, so that a keyboard, a
// finger and a screen reader do the same.
func (p *sitting) order(words text.Words, i int, qu ask.Question) app.UI {
	s := &p.state
	ids := strings.Fields(s.Drafts[qu.ID])
	var items []app.UI
	for at, id := range ids {
		title := textOf(qu.Options, id)
		body := []app.UI{app.Span().Body(authored(title))}
		body = append(body, p.wrong(words, qu, id, s.Drafts[qu.ID] == answerOf(qu))...)
		move := func(by int, key, icon string, off bool) app.UI {
			scope := key + "-" + qu.ID + "-" + id
			b := app.Button().ID(scope).Type("button").Class("btn btn-icon order-"+icon).Aria("label", words.Get("quiz.order."+key, "item", prose.Plain(title), "n", at+1)).
				OnClick(func(ctx app.Context, e app.Event) {
					s.Drafts[qu.ID] = moved(s.Drafts[qu.ID], id, by)
					p.engine.ctx.Defer(func(app.Context) { focusOne(scope, p.otherWay(qu, id, key)) })
				}, app.EventScope(scope, qu.Seed))
			if off {
				b = b.Disabled(true)
			}
			return b.Body(arrow(key))
		}
		items = append(items, app.Li().Class("row row-between order-item").Body(
			app.Div().Body(body...),
			app.Span().Class("row").Body(move(-1, "up", "up", at == 0), move(1, "down", "down", at == len(ids)-1)),
		))
	}
	return app.Ol().Class("list-plain").Aria("labelledby", headingID(i)).Body(items...)
}

// otherWay is the button that stays usable when an item has come to an end of the list.
func (p *sitting) otherWay(qu ask.Question, id, key string) string {
	if key == "up" {
		return "down-" + qu.ID + "-" + id
	}
	return "up-" + qu.ID + "-" + id
}

// arrow points where an item goes.
func arrow(way string) app.UI {
	path := "M8 13V3M4 7l4-4 4 4"
	if way == "down" {
		path = "M8 3v10M4 9l4 4 4-4"
	}
	return app.Raw(`<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="` + path + `" fill="none" stroke="currentColor" stroke-width="1.5"></path></svg>`)
}

// focusOne moves the keyboard to the first of some elements that can take it.
func focusOne(ids ...string) {
	for _, id := range ids {
		if el := app.Window().GetElementByID(id); el.Truthy() && !el.Get("disabled").Bool() {
			focus(id)
			return
		}
	}
}

// match is one row for each thing to match, with a list to choose from.
func (p *sitting) match(words text.Words, i int, qu ask.Question) app.UI {
	s := &p.state
	var rows []app.UI
	for _, row := range qu.Rows {
		id := "match-" + qu.ID + "-" + row.ID
		chosen := matched(s.Drafts[qu.ID], row.ID)
		options := []app.UI{option("", words.Get("quiz.match.choose"), chosen == "")}
		for _, o := range qu.Options {
			options = append(options, app.Option().Value(o.ID).Selected(chosen == o.ID).DataSet("authored", "file").Text(prose.Plain(o.Text)))
		}
		list := app.Select().Class("input").ID(id).Body(options...).OnChange(func(ctx app.Context, e app.Event) {
			s.Drafts[qu.ID] = match(s.Drafts[qu.ID], row.ID, ctx.JSSrc().Get("value").String())
		}, app.EventScope(id, qu.Seed))
		body := []app.UI{app.Label().For(id).Body(authored(row.Text)), list}
		body = append(body, p.wrong(words, qu, row.ID, matched(answerOf(qu), row.ID) == chosen)...)
		rows = append(rows, app.Li().Class("field match-row").Body(body...))
	}
	return app.Ul().Class("list-plain gap").Aria("labelledby", headingID(i)).Body(rows...)
}

// answerOf is the answer that was marked, or "".
func answerOf(qu ask.Question) string {
	if !answered(qu) {
		return ""
	}
	return qu.Marked.Answer
}

// wrong is what is said to an item or a row that is not right, as long as it is as it was marked.
func (p *sitting) wrong(words text.Words, qu ask.Question, id string, same bool) []app.UI {
	if !answered(qu) || !same {
		return nil
	}
	why, wrong := qu.Marked.Wrong[id]
	if !wrong {
		return nil
	}
	body := []app.UI{app.P().Body(remark(markTones["wrong"], words.Get("quiz.wrong."+qu.Kind), false))}
	if why != "" {
		body = append(body, authoredBlocks(why))
	}
	return body
}

// key is the right answer in words.
func (p *sitting) key(words text.Words, qu ask.Question) app.UI {
	var items []app.UI
	switch qu.Kind {
	case "order":
		for _, id := range strings.Fields(qu.Marked.KeyID) {
			items = append(items, app.Li().Body(authored(textOf(qu.Options, id))))
		}
		return app.Div().Body(app.P().Text(words.Get("quiz.key.order")), app.Ol().Body(items...))
	case "match":
		for _, row := range qu.Rows {
			items = append(items, app.Li().Body(authored(row.Text), app.Text(": "), app.Strong().Body(authored(textOf(qu.Options, matched(qu.Marked.KeyID, row.ID))))))
		}
		return app.Div().Body(app.P().Text(words.Get("quiz.key.match")), app.Ul().Body(items...))
	}
	return app.P().Body(app.Text(words.Get("quiz.key")+" "), app.Strong().Body(authored(qu.Marked.Key)))
}
