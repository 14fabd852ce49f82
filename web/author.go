package web

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/quiz/begin"
	"retrylab/web/text"
)

// authorPage is where a quiz is written: the check runs while a person types, and every variant is shown with
// its key and what is said to each answer. /author/?quiz=NAME opens a quiz of the site, and #q= one that came with
// the address. Nothing leaves the browser.
type authorPage struct {
	app.Compo
	At Place

	engine engineState
	state  authorState
	sit    sitting // the chosen question, tried as a student
	stops  []func()

	filler   bool   // the example is there because nothing else was, and nobody has touched it
	opened   string // the address that was followed
	linked   bool   // the address still holds the text
	badLink  bool   // the address had a quiz that cannot be read
	lost     string // a file that could not be read
	tooLarge string // a file that is too large for this page
	notUTF8  string // a file whose letters are written in another way
	edits    int    // counts changes, so that only the last one is checked and kept
	checking bool   // a check is under way
	outcome  string // of the last check that came to its end, in words

	preview    *ask.Variant // of the chosen question
	previewOf  ask.VariantsOf
	previewErr *ask.Error
	showing    bool // a preview is on its way
	list       authorList

	drafts   []draft
	restored bool // the kept drafts were looked at
	dropped  *keptDraft
	keepErr  *ask.Error
	saved    string // the text that is kept
	files    []choice
	start    string // what to start from
	share    string // the link
	tooLong  bool   // too long for a link
	copied   bool
	dropping bool // a file is held over the page
}

// Ids of the page's parts.
const (
	authorSource = "quiz-source"
	authorSeed   = "author-seed"
	authorLink   = "author-link"
)

// Starts that are no quiz of the site.
const (
	startExample = "example"
	startEmpty   = "empty"
)

// After a change: when it is checked, and when it is kept.
const (
	authorCheckAfter = 300 * time.Millisecond
	authorKeepAfter  = 600 * time.Millisecond
)

// elsewhereAfter is how long the page waits for the drafts when another tab has the engine.
const elsewhereAfter = 3 * time.Second

func (p *authorPage) OnInit() {
	p.start = startExample
	p.state.Seed, p.state.Lang = 1, p.At.Lang
	p.sit = sitting{at: p.At, engine: &p.engine, state: newQuizState(), onAnswer: p.try, onFresh: func(string) { p.seed(p.state.Seed + 1) }, onVisit: func(int) {}}
	p.list.Count = 10
}

func (p *authorPage) OnMount(ctx app.Context) {
	p.engine.open(ctx, p.At, func(ctx app.Context, n ask.Notice) {
		switch n.State {
		case ask.Ready:
			p.restore()
			p.changed(0)
		case ask.Elsewhere: // the drafts may be long in coming; after a reload it is a moment
			p.engine.ctx.After(elsewhereAfter, func(app.Context) {
				if p.engine.notice != nil && p.engine.notice.State == ask.Elsewhere && !p.asked() {
					p.example()
				}
			})
		}
	})
	p.listen(ctx)
	p.index()
	p.restore()
}

func (p *authorPage) OnDismount() {
	for _, stop := range p.stops {
		stop()
	}
	p.stops = nil
	p.keepLeaving()
	p.engine.close()
}

func (p *authorPage) OnNav(ctx app.Context) {
	at := ctx.Page().URL()
	address := at.RawQuery + "#" + at.Fragment
	if address == p.opened {
		return
	}
	p.opened, p.lost, p.tooLarge = address, "", ""
	source, ok := authorShare.text(at.Fragment)
	p.badLink = !ok
	if source != "" {
		p.linked = true
		p.replace(source, "quiz", "", "author.said.link")
		return
	}
	if name := at.Query().Get("quiz"); name != "" {
		p.openQuiz(name, "author.said.quiz")
	}
}

// address is where the text of the page comes from, without a quiz in it.
func (p *authorPage) address() string {
	if p.state.From == "" {
		return p.At.Href("/author/")
	}
	return authorAddress(p.At, p.state.From)
}

// authorAddress is the address where a quiz of the site is opened for writing.
func authorAddress(at Place, name string) string {
	return at.Href("/author/?quiz=" + url.QueryEscape(name))
}

// index reads which quizzes of the site one may start from. Without them there are still two.
func (p *authorPage) index() {
	if app.IsServer {
		return
	}
	fetchText(p.engine.ctx, p.At.File("quiz/index.json"), func(ctx app.Context, list string, ok bool) {
		var index struct {
			Files  []string                     `json:"files"`
			Titles map[string]map[string]string `json:"titles"`
		}
		if !ok || json.Unmarshal([]byte(list), &index) != nil {
			return
		}
		p.files = nil
		for _, file := range index.Files {
			name := strings.TrimSuffix(file, ".yaml")
			if title := index.Titles[file][text.Languages()[0]]; PlainName(name) && title != "" {
				p.files = append(p.files, choice{name, title})
			}
		}
	})
}

// openQuiz opens a quiz of the site.
func (p *authorPage) openQuiz(name, said string) {
	if !PlainName(name) {
		p.lost = name
		p.example()
		return
	}
	fetchText(p.engine.ctx, p.At.File("quiz/"+name+".yaml"), func(ctx app.Context, text string, ok bool) {
		switch {
		case !ok:
			p.lost = "quiz/" + name + ".yaml"
			p.example()
		case !authorable(text):
			p.tooLarge = name + ".yaml"
			p.example()
		default:
			p.lost, p.tooLarge = "", ""
			p.replace(text, name, name, said)
		}
	})
}

// example puts the example there when the page has no text yet.
func (p *authorPage) example() {
	if !p.state.Loaded {
		p.replace(begin.Example("my-quiz"), "my-quiz", "", "author.said.example")
		p.filler = true
	}
}

// replace puts another text into the editor.
func (p *authorPage) replace(text, name, from, said string) {
	p.keep() // what was written a moment ago
	if p.filler {
		p.state.Loaded, p.filler = false, false // nobody wants that back
	}
	p.state.replace(text, name, from, said)
	p.share, p.tooLong, p.keepErr = "", false, nil
	p.saved = text // as it came it need not be kept
	p.changed(0)
}

// undo takes the last replacement back.
func (p *authorPage) undo() {
	p.keep()
	p.state.undo()
	p.saved = p.state.Text // all that was written is kept
	p.share, p.tooLong = "", false
	p.changed(0)
}

// typed takes over what the person has written.
func (p *authorPage) typed(value string) {
	if value == p.state.Text {
		return
	}
	p.state.Text, p.state.Said, p.share, p.tooLong, p.filler = value, "", "", false, false
	if p.linked {
		// A reload must not put the link's quiz over what a person has made of it.
		p.linked = false
		p.opened = ""
		app.Window().Get("history").Call("replaceState", nil, "", p.address())
	}
	p.changed(authorCheckAfter)
}

// changed has the text checked and kept, once no other change has come for a while.
func (p *authorPage) changed(after time.Duration) {
	if !p.state.Loaded || app.IsServer {
		return
	}
	p.edits++
	edit := p.edits
	p.engine.ctx.After(after, func(app.Context) {
		if edit == p.edits {
			p.check()
		}
	})
	p.engine.ctx.After(authorKeepAfter, func(app.Context) {
		if edit == p.edits {
			p.keep()
		}
	})
}

// check has the engine check the text, a part at a time, so that it can answer others between.
func (p *authorPage) check() {
	if p.checking {
		return // the answer that comes begins anew
	}
	p.checking = true
	text := p.state.Text
	p.engine.read(ask.QuizCheck, ask.CheckQuiz{Source: text, File: p.state.Name + ".yaml", Languages: siteLanguages()}, func(ctx app.Context, r ask.Reply) {
		p.checking = false
		if r.Err != nil {
			p.state.Err = r.Err
			return
		}
		checked, ok := decode[ask.Checked](r.Body)
		if !ok {
			return
		}
		if p.state.check(text, checked) {
			p.show()
		}
		switch {
		case text != p.state.Text:
			p.changed(authorCheckAfter)
		case !checked.Done:
			p.check()
		default:
			p.outcome = p.found(p.At.Words())
			if checked.Readable {
				p.list.refresh(p)
			}
		}
	})
}

// siteLanguages are the languages that a text should have.
func siteLanguages() []string { return text.Languages() }

// show gets the chosen variant of the last text that could be read.
func (p *authorPage) show() {
	want := ask.VariantsOf{Source: p.state.Readable, File: p.state.Name + ".yaml", Lang: p.state.Lang, Question: p.state.Question, Seed: p.state.Seed, Count: 1}
	if want.Question == "" || p.showing {
		return // the answer that comes asks again
	}
	p.showing = true
	p.engine.read(ask.QuizVariants, want, func(ctx app.Context, r ask.Reply) {
		p.showing = false
		if want.Source != p.state.Readable || want.Question != p.state.Question || want.Seed != p.state.Seed || want.Lang != p.state.Lang {
			p.show()
			return
		}
		p.previewErr = r.Err
		got, ok := decode[ask.Variants](r.Body)
		if r.Err != nil || !ok || len(got.Variants) == 0 {
			return
		}
		one := got.Variants[0]
		same := p.preview != nil && compactJSON(p.preview.Shown) == compactJSON(one.Shown) && p.previewOf.Question == want.Question
		p.preview, p.previewOf = &one, want
		if !same {
			p.sit.state.load(ask.Quiz{})
			if one.Shown != nil {
				p.sit.state.load(ask.Quiz{Questions: []ask.Question{*one.Shown}})
				p.clear(*one.Shown)
			}
		}
	})
}

// clear empties the fields of a question that is shown anew: they keep what was in them.
func (p *authorPage) clear(qu ask.Question) {
	p.engine.ctx.Defer(func(app.Context) {
		setField("answer-"+qu.ID, "")
		for _, row := range qu.Rows {
			setField("match-"+qu.ID+"-"+row.ID, "")
		}
	})
}

// seed shows another variant.
func (p *authorPage) seed(n int64) {
	p.state.Seed = max(1, n)
	p.engine.ctx.Defer(func(app.Context) { setField(authorSeed, whole(p.state.Seed)) })
	p.show()
}

// choose shows another question.
func (p *authorPage) choose(id string) {
	p.state.Question = id
	p.list.clear()
	p.show()
}

// try has an answer marked, which is kept nowhere.
func (p *authorPage) try(qu ask.Question) {
	if !p.sit.state.canCheck(qu) {
		return
	}
	p.sit.state.Busy[qu.ID] = true
	of := p.previewOf
	p.engine.read(ask.QuizTry, ask.AnswerQuiz{
		Source: of.Source, File: of.File, Lang: of.Lang, Question: qu.ID, Seed: qu.Seed, Answer: strings.TrimSpace(p.sit.state.Drafts[qu.ID]),
	}, func(ctx app.Context, r ask.Reply) {
		delete(p.sit.state.Busy, qu.ID)
		if of != p.previewOf {
			return // another variant is shown by now
		}
		if r.Err != nil {
			p.sit.state.Errs[qu.ID] = *r.Err
			return
		}
		if marked, ok := decode[ask.Question](r.Body); ok {
			p.sit.state.put(marked)
		}
	})
}

// goTo puts the cursor where a problem is.
func (p *authorPage) goTo(line, column int) {
	if el := app.Window().GetElementByID(authorSource); el.Truthy() {
		el.Call("goTo", line, column)
	}
}
