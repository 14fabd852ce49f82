package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// saveAnswers is where a student saves all answers to a file, for a teacher.
func (p *quizPage) saveAnswers(words text.Words) app.UI {
	body := []app.UI{
		app.H2().Class("h-s").ID("save").Text(words.Get("quiz.save.title")),
		app.P().Text(words.Get("quiz.save.text")),
		app.Form().Class("row").OnSubmit(func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			p.save()
		}, app.EventScope("save")).Body(
			field{ID: "save-name", Label: words.Get("quiz.save.name"), Value: p.student, On: func(ctx app.Context, value string) { p.student = value }}.ui(),
			button{Scope: "save", Label: words.Get("quiz.save"), Submit: true, Busy: p.saving}.ui(),
		),
	}
	var said []app.UI
	if p.saved != nil {
		told := words.Get("quiz.save.none")
		if p.saved.Answers > 0 {
			told = words.N("quiz.saved", int64(p.saved.Answers))
		}
		said = append(said, app.P().Text(told))
	}
	if p.saveErr != nil {
		said = append(said, errorBanner(words, *p.saveErr))
	}
	body = append(body, app.Div().Role("status").Body(said...))
	return app.Section().Class("gap sub").Aria("labelledby", "save").Body(body...)
}

func (p *quizPage) save() {
	if p.saving {
		return
	}
	p.saving, p.saved, p.saveErr = true, nil, nil
	p.engine.ask(ask.QuizProgress, ask.SaveProgress{Student: p.student}, func(ctx app.Context, r ask.Reply) {
		p.saving = false
		if r.Err != nil {
			p.saveErr = r.Err
			return
		}
		if saved, ok := decode[ask.Progress](r.Body); ok {
			p.saved = &saved
			if saved.Answers > 0 {
				offerFile("answers.json", "application/json", saved.Text)
			}
		}
	})
}

// offerFile lets the browser save a text as a file. Nothing leaves the browser.
func offerFile(name, kind, text string) {
	if app.IsServer {
		return
	}
	w := app.Window()
	blob := w.Get("Blob").New([]any{text}, map[string]any{"type": kind})
	address := w.Get("URL").Call("createObjectURL", blob)
	link := w.Get("document").Call("createElement", "a")
	link.Set("href", address)
	link.Set("download", name)
	link.Call("click")
	w.Get("URL").Call("revokeObjectURL", address)
}
