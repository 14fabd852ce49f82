package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// quizPage shows the quizzes of the site, and one of them when the address names it: /quiz/?name=NAME
// is the file quiz/NAME.yaml. The files are read when the page is opened, so an instructor changes a
// published quiz with a text editor.
type quizPage struct {
	app.Compo
	At Place

	engine engineState
	files  []string            // names without .yaml; nil until the index is read
	titles map[string]string   // by name, as the index has them
	source map[string]string   // the files' texts
	opened map[string]ask.Quiz // for the list
	broken map[string]ask.Error
	name   string // the open quiz; "" is the list
	sitting
	lost     string          // the file that could not be read
	absent   map[string]bool // names of the list whose file could not be read
	badIndex int             // the line where the index is no JSON

	student string // whose answers are saved, as typed
	saving  bool
	saved   *ask.Progress // what was saved last
	saveErr *ask.Error
}

func (p *quizPage) OnInit() {
	p.source, p.opened, p.broken, p.titles = map[string]string{}, map[string]ask.Quiz{}, map[string]ask.Error{}, map[string]string{}
	p.sitting = sitting{at: p.At, engine: &p.engine, state: newQuizState(), onAnswer: p.answer, onFresh: p.fresh, onVisit: p.visit}
}

func (p *quizPage) OnMount(ctx app.Context) {
	p.engine.open(ctx, p.At, func(ctx app.Context, n ask.Notice) {})
	p.index()
}

func (p *quizPage) OnDismount() { p.engine.close() }

func (p *quizPage) OnNav(ctx app.Context) {
	name := ctx.Page().URL().Query().Get("name")
	if name != p.name {
		p.name, p.state, p.lost = name, newQuizState(), ""
		if p.files != nil {
			p.start()
		}
	}
}

// quizAddress is the address of the page that shows a quiz.
func quizAddress(at Place, name string) string {
	return at.Href("/quiz/?name=" + url.QueryEscape(name))
}

// index reads which quizzes there are.
func (p *quizPage) index() {
	p.lost, p.badIndex, p.absent = "", 0, map[string]bool{}
	fetchText(p.engine.ctx, p.At.File("quiz/index.json"), func(ctx app.Context, list string, ok bool) {
		var index struct {
			Files  []string                     `json:"files"`
			Titles map[string]map[string]string `json:"titles"` // by file and language; a hand-made list may have none
		}
		if !ok {
			p.lost = "quiz/index.json"
			return
		}
		if err := json.Unmarshal([]byte(list), &index); err != nil {
			p.badIndex = faultLine(list, err)
			return
		}
		p.files = []string{}
		for _, file := range index.Files {
			name := strings.TrimSuffix(file, ".yaml")
			p.files = append(p.files, name)
			p.titles[name] = cmp.Or(index.Titles[file][p.At.Lang], index.Titles[file][text.Languages()[0]], name)
		}
		p.start()
	})
}

// start opens the quiz of the address; the list opens every quiz for its title and score.
func (p *quizPage) start() {
	if p.name == "" && len(p.files) == 1 {
		p.name = p.files[0]
	}
	if p.name != "" {
		p.open(p.name)
		return
	}
	for _, name := range p.files {
		p.open(name)
	}
}

// open reads a quiz's file and has the engine open it.
func (p *quizPage) open(name string) {
	lost := func() {
		p.absent[name] = true
		if name == p.name {
			p.lost = "quiz/" + name + ".yaml"
		}
	}
	if !PlainName(name) {
		lost()
		return
	}
	p.lost = ""
	delete(p.absent, name)
	fetchText(p.engine.ctx, p.At.File("quiz/"+name+".yaml"), func(ctx app.Context, text string, ok bool) {
		if !ok {
			lost() // in the list, the others stay
			return
		}
		p.source[name] = text
		brief := name != p.name // for the list
		p.engine.read(ask.QuizOpen, ask.OpenQuiz{Source: text, File: name + ".yaml", Lang: p.At.Lang, Brief: brief}, func(ctx app.Context, r ask.Reply) {
			if r.Err != nil {
				p.broken[name] = *r.Err
				if name == p.name {
					p.state.Err = r.Err
				}
				return
			}
			quiz, ok := decode[ask.Quiz](r.Body)
			if !ok {
				return
			}
			delete(p.broken, name)
			p.opened[name] = quiz
			if name == p.name && !brief {
				p.state.load(quiz)
			}
		})
	})
}

// faultLine is the line of a text, from 1, where reading it as JSON has failed.
func faultLine(text string, err error) int {
	at := int64(len(text))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	return 1 + strings.Count(text[:min(max(at-1, 0), int64(len(text)))], "\n")
}

// PlainName says whether a name, without .yaml, can be that of a quiz's file: nothing that leads elsewhere, or
// that an address would write in another way.
func PlainName(name string) bool {
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.' && name[0] != '.':
		default:
			return false
		}
	}
	return name != ""
}

// answer has a question marked.
func (p *quizPage) answer(qu ask.Question) {
	if !p.state.canCheck(qu) {
		return
	}
	p.state.Busy[qu.ID] = true
	p.engine.ask(ask.QuizAnswer, ask.AnswerQuiz{
		Source: p.source[p.name], File: p.name + ".yaml", Lang: p.At.Lang,
		Question: qu.ID, Seed: qu.Seed, Answer: strings.TrimSpace(p.state.Drafts[qu.ID]),
	}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			delete(p.state.Busy, qu.ID)
			p.state.Errs[qu.ID] = *r.Err
			return
		}
		if marked, ok := decode[ask.Question](r.Body); ok {
			p.state.put(marked)
		}
	})
}

// fresh draws a new variant of a question, or of all when id is "".
func (p *quizPage) fresh(id string) {
	if id != "" {
		p.state.Busy[id] = true
	}
	p.engine.ask(ask.QuizFresh, ask.FreshQuiz{Source: p.source[p.name], File: p.name + ".yaml", Lang: p.At.Lang, Question: id}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			delete(p.state.Busy, id)
			p.state.Errs[id] = *r.Err
			return
		}
		quiz, ok := decode[ask.Quiz](r.Body)
		if !ok {
			return
		}
		if id == "" {
			p.state.load(quiz)
			p.engine.ctx.Defer(func(app.Context) { focus(headingID(0)) })
			return
		}
		for i, qu := range quiz.Questions {
			if qu.ID == id {
				p.state.put(qu)
				setField("answer-"+id, "")
				p.engine.ctx.Defer(func(app.Context) {
					for _, row := range qu.Rows { // a list keeps what was chosen in it
						setField("match-"+id+"-"+row.ID, "")
					}
					focus(headingID(i))
				})
			}
		}
	})
}

// visit brings question i onto the page and moves the keyboard to it.
func (p *quizPage) visit(i int) {
	p.state.show(i)
	p.engine.ctx.Defer(func(app.Context) { focus(headingID(i)) })
}

func headingID(i int) string { return "question-" + whole(i+1) }

func (p *quizPage) Render() app.UI {
	words := p.At.Words()
	body := []app.UI{}
	title := words.Get("quiz.title")
	above := []choice{{"/", words.Get("nav.course")}}
	if p.name != "" && p.state.Loaded {
		title = p.state.Quiz.Title
		if len(p.files) > 1 {
			above = append(above, choice{"/quiz/", words.Get("quiz.title")})
		}
	}
	body = append(body, crumbs(p.At, above, title))
	body = append(body, p.engine.banners(words, p.start)...)
	switch {
	case p.lost != "":
		body = append(body, p.hello(words, title), banner{
			Tone: "error", Title: words.Get("quiz.lost"), Text: words.Get("quiz.lost.text", "file", p.lost),
			Acts: []app.UI{button{Scope: "again", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) { p.index() }}.ui()},
		}.ui())
	case p.badIndex > 0:
		body = append(body, p.hello(words, title), banner{
			Tone: "error", Title: words.Get("quiz.index"), Text: words.Get("quiz.index.text", "line", p.badIndex),
			Acts: []app.UI{button{Scope: "again", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) { p.index() }}.ui()},
		}.ui())
	case p.state.Err != nil && p.engine.failed == nil:
		body = append(body, p.hello(words, title), errorBanner(words, *p.state.Err, button{
			Scope: "again", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) { p.open(p.name) },
		}.ui()))
	case p.state.Loaded && p.name != "":
		body = append(body, p.questions(words)...)
	case p.files != nil && p.name == "":
		body = append(body, p.hello(words, title), p.list(words), p.saveAnswers(words), p.write(words))
		body = append(body, p.engine.starting(words)...)
	default:
		body = append(body, p.hello(words, title))
		body = append(body, p.engine.starting(words)...)
	}
	return app.Div().Body(body...)
}

// hello is the page's top before a quiz is open.
func (p *quizPage) hello(words text.Words, title string) app.UI {
	return app.Div().Class("gap quiz-hello").Body(app.H1().Text(title), app.P().Class("lead").Text(words.Get("quiz.lead")))
}

// write leads instructors to where quizzes are written.
func (p *quizPage) write(words text.Words) app.UI {
	return app.Section().Class("gap sub").Aria("labelledby", "write").Body(
		app.H2().Class("h-s").ID("write").Text(words.Get("quiz.write")),
		app.P().Text(words.Get("quiz.write.text")),
		app.P().Body(link(p.At, "/author/", words.Get("author.title"))),
	)
}

// list is every quiz with how far a person has come in it.
func (p *quizPage) list(words text.Words) app.UI {
	if len(p.files) == 0 {
		return app.Div().Class("empty").Body(app.P().Text(words.Get("quiz.none")))
	}
	var items []app.UI
	for _, name := range p.files {
		title, far := p.titles[name], words.Get("quiz.loading")
		if quiz, ok := p.opened[name]; ok {
			var s quizState
			s.Quiz = quiz
			done, right := s.score()
			title, far = quiz.Title, words.N("quiz.far", int64(len(quiz.Questions)), "done", done, "right", right)
		}
		if _, ok := p.broken[name]; ok {
			far = words.Get("quiz.broken")
		}
		switch {
		case !PlainName(name):
			far = words.Get("quiz.badname")
		case p.absent[name]:
			far = words.Get("quiz.absent")
		}
		items = append(items, app.Li().Body(app.A().Class("row row-between").Href(quizAddress(p.At, name)).Body(app.Span().DataSet("authored", "file").Text(title+" "), app.Span().Class("small").Text(far))))
	}
	return app.Ul().Class("list-plain").Body(items...)
}
