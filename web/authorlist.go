package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/quiz/prose"
	"retrylab/web/text"
)

// An authorList is the list of a question's variants below the page.
type authorList struct {
	Count    int  // so many are wanted; more than there are means all
	Open     bool // it is shown, and drawn anew when the text changes
	Loading  bool
	Of       ask.VariantsOf // what Variants are of
	Variants []ask.Variant
	Err      *ask.Error
	rev      int // counts changes of what is drawn
}

func (l *authorList) clear() {
	l.Open, l.Variants, l.Err = false, nil, nil
	l.rev++
}

// refresh gets the list anew when it is open and of another text.
func (l *authorList) refresh(p *authorPage) {
	if l.Open && (l.Of.Source != p.state.Readable || l.Of.Lang != p.state.Lang) {
		l.load(p)
	}
}

// load gets the variants from seed 1 on, in as many requests as it takes.
func (l *authorList) load(p *authorPage) {
	q, _, ok := p.state.chosen()
	if !ok || l.Loading {
		return
	}
	l.Open, l.Loading, l.Err = true, true, nil
	count := int(min(int64(l.Count), q.Combinations, ask.MaxVariants))
	of := ask.VariantsOf{Source: p.state.Readable, File: p.state.Name + ".yaml", Lang: p.state.Lang, Question: q.ID}
	var all []ask.Variant
	var more func()
	more = func() {
		want := of
		want.Seed, want.Count = int64(len(all)+1), count-len(all)
		p.engine.read(ask.QuizVariants, want, func(ctx app.Context, r ask.Reply) {
			got, ok := decode[ask.Variants](r.Body)
			switch {
			case r.Err != nil || !ok || len(got.Variants) == 0:
				l.Loading, l.Err = false, r.Err
				l.rev++
				return
			case p.state.Question != of.Question || !l.Open:
				l.Loading = false
				return
			}
			if all = append(all, got.Variants...); len(all) < count {
				more()
				return
			}
			l.Loading, l.Of, l.Variants = false, of, all
			l.rev++
			l.refresh(p)
		})
	}
	more()
}

// ui is the section with what is to be listed, and the list.
func (l *authorList) ui(p *authorPage, words text.Words) app.UI {
	q, _, ok := p.state.chosen()
	if !ok {
		return nil
	}
	var options []app.UI
	add := func(n int64, label string) {
		options = append(options, option(whole(n), label, int64(l.Count) == n || n == q.Combinations && int64(l.Count) > n))
	}
	for _, n := range []int64{10, 50, ask.MaxVariants} {
		if n < q.Combinations {
			add(n, words.N("author.list.first", n))
		}
	}
	if q.Combinations <= ask.MaxVariants {
		add(q.Combinations, words.N("author.list.all", q.Combinations))
	}
	head := app.Div().Class("code-head").Body(
		app.H2().Class("h-s").ID("author-list-h").Text(words.Get("author.list")),
		app.Form().Class("author-list").OnSubmit(func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			l.load(p)
		}, app.EventScope("author-list")).Body(
			app.Label().Class("vh").For("author-count").Text(words.Get("author.list.count")),
			app.Select().Class("input").ID("author-count").Body(options...).OnChange(func(ctx app.Context, e app.Event) {
				l.Count = int(number64(ctx.JSSrc().Get("value").String()))
				if l.Open {
					l.load(p)
				}
			}),
			button{Scope: "author-list", Label: words.Get("author.list.show"), Submit: true, Busy: l.Loading}.ui(),
		),
	)
	body := []app.UI{head, app.P().Class("small").Text(words.N("author.list.text", q.Combinations))}
	if l.Err != nil {
		body = append(body, errorBanner(words, *l.Err))
	}
	if l.Open && len(l.Variants) > 0 {
		body = append(body, &authorTable{At: p.At, Rev: l.rev, list: l})
	}
	return app.Section().Class("gap sub").Aria("labelledby", "author-list-h").Body(body...)
}

// An authorTable is the list itself. It is a component of its own, so that two hundred rows are not drawn again
// with each key that is pressed in the editor.
type authorTable struct {
	app.Compo
	At   Place
	Rev  int // of the list
	list *authorList
}

func (t *authorTable) Render() app.UI {
	words := t.At.Words()
	var rows []app.UI
	for _, v := range t.list.Variants {
		var given []string
		for _, f := range v.Given {
			given = append(given, f.Name+" "+f.Value)
		}
		right, wrong := answersOf(words, v)
		if v.Problem != nil {
			right = []app.UI{remark(toneBad, words.Get("author.rejected"), false), app.Text(" "), verbatim(v.Problem.Message)}
		}
		rows = append(rows, app.Tr().Body(
			app.Th().Scope("row").Class("n").Text(whole(v.Seed)),
			app.Td().Class("wrapped").Attr("translate", "no").Text(strings.Join(given, ", ")),
			app.Td().Class("wrapped").Body(right...),
			app.Td().Class("wrapped").Body(wrong...),
		))
	}
	heads := []app.UI{app.Th().Scope("col").Class("n").Text(words.Get("author.seed"))}
	for _, key := range []string{"author.list.given", "author.list.right", "author.list.wrong"} {
		heads = append(heads, app.Th().Scope("col").Text(words.Get(key)))
	}
	return app.Div().Class("scroll").TabIndex(0).Role("region").Aria("label", words.Get("author.list.table")).Body(
		app.Table().Class("tbl").Body(app.THead().Body(app.Tr().Body(heads...)), app.TBody().Body(rows...)))
}

// answersOf are a variant's right and wrong answers in short.
func answersOf(words text.Words, v ask.Variant) (right, wrong []app.UI) {
	for _, a := range v.Answers {
		said := prose.Plain(a.Text)
		if a.Row != "" {
			said = prose.Plain(a.Row) + ": " + said
		}
		line := []app.UI{app.Span().DataSet("authored", "file").Text(said)}
		if a.Mistake != "" {
			line = append(line, app.Text(" "), app.Code().Text(a.Mistake))
		}
		if a.Right {
			right = append(right, app.Div().Body(line...))
		} else {
			wrong = append(wrong, app.Div().Body(line...))
		}
	}
	return right, wrong
}
