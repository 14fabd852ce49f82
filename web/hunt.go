package web

import (
	"net/url"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

// huntPage is the bug hunt: a list of queues with one misunderstanding each, and a bench for the one
// that the address names: /hunt/?queue=3. A scenario may come with the address, behind #s=.
type huntPage struct {
	app.Compo
	At Place

	engine   engineState
	state    huntState
	wanted   int               // the queue of the address
	linked   string            // the scenario of the address, until it is opened
	badLink  bool              // the address had one that cannot be read
	adding   string            // what the next step does
	open     map[string]bool   // folds of the traces
	more     map[int]bool      // steps that show their rare values, by key
	edits    int               // counts changes, so that only the last one is read
	drafts   map[string]string // drafts that are not kept yet, by their keys
	keeping  bool              // one is on its way
	shared   string
	tooLong  bool
	policy   bool // the policy is unfolded
	moved    bool // a person came here from another part of this page
	keepFail *ask.Error
	opening  bool   // what is kept of the hunt is on its way
	waits    func() // what a person asked for meanwhile
}

// readAfter is how long a change waits for another before the engine reads it.
const readAfter = 300 * time.Millisecond

func (p *huntPage) OnInit() {
	p.adding, p.open, p.more, p.drafts = "job", map[string]bool{}, map[int]bool{}, map[string]string{}
}

func (p *huntPage) OnMount(ctx app.Context) {
	p.engine.open(ctx, p.At, func(ctx app.Context, n ask.Notice) {
		if n.State == ask.Ready && !p.state.Loaded {
			p.list()
		}
	})
	p.list()
}

func (p *huntPage) OnDismount() { p.engine.close() }

func (p *huntPage) OnNav(ctx app.Context) {
	at := ctx.Page().URL()
	p.wanted, _ = strconv.Atoi(at.Query().Get("queue"))
	linked, ok := huntShare.text(at.Fragment)
	p.linked, p.badLink = linked, !ok
	if p.state.Loaded {
		p.moved = p.moved || p.wanted != p.state.No
		p.follow()
	}
}

// huntAddress is the address of a hunt, or of the list for 0.
func huntAddress(at Place, no int) string {
	if no == 0 {
		return at.Href("/hunt/")
	}
	return at.Href("/hunt/?queue=" + whole(no))
}

func (p *huntPage) list() {
	p.engine.read(ask.HuntList, nil, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.state.Err = r.Err
			return
		}
		if list, ok := decode[ask.Hunts](r.Body); ok {
			p.state.List, p.state.Loaded, p.state.Err = list, true, nil
			p.follow()
		}
	})
}

// follow opens the hunt of the address, with the draft that is kept for it or the scenario that came
// with the address.
func (p *huntPage) follow() {
	words := p.At.Words()
	if p.wanted == p.state.No && p.linked == "" {
		return
	}
	h, ok := p.state.find(p.wanted)
	if !ok {
		p.state.open(0, "")
		p.focusHeading()
		return
	}
	if p.state.No != h.No {
		p.state.open(h.No, words.Get("hunt.form.name.start"))
		p.open, p.policy, p.shared, p.tooLong = map[string]bool{}, false, "", false
		p.focusHeading()
	}
	linked := p.linked
	if linked != "" {
		p.linked = ""
		// A reload must not put the link's scenario over what a person has made of it.
		app.Window().Get("history").Call("replaceState", nil, "", huntAddress(p.At, h.No))
	}
	p.sync()
	p.opening, p.waits = true, nil
	p.engine.read(ask.KeepGet, ask.Key{Key: huntDraftKey(h.Name)}, func(ctx app.Context, r ask.Reply) {
		if p.state.No != h.No {
			return
		}
		kept, _ := decode[ask.Kept](r.Body)
		if draft, ok := p.drafts[kept.Key]; ok {
			kept.Value = draft
		}
		restored := r.Err == nil && p.state.restore(kept.Value, h.Hints)
		if !restored && linked == "" && h.Source != "" {
			p.state.typed(h.Source)
		}
		if linked != "" {
			p.read(func() {
				p.state.save()
				p.state.typed(linked)
				p.state.Linked = true
				p.read(nil)
				p.opened()
			})
			return
		}
		p.read(nil)
		p.opened()
	})
}

// opened goes on with what a person asked for before the scenario was there.
func (p *huntPage) opened() {
	waits := p.waits
	p.opening, p.waits = false, nil
	if waits != nil {
		waits()
	}
}

// focusHeading moves the keyboard to the heading, when a person has come from another part of the page.
func (p *huntPage) focusHeading() {
	if p.moved {
		p.engine.ctx.Defer(func(app.Context) { focus("hunt-h") })
	}
	p.moved = false
}

// read has the engine read the text; then follows.
func (p *huntPage) read(then func()) {
	source := p.state.Text
	p.engine.read(ask.HuntRead, ask.ReadHunt{Source: source}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil && r.Err.Code != ask.BadFile && r.Err.Code != ask.TooLarge {
			p.state.Err = r.Err
			if p.waits != nil { // a link's scenario will not come
				p.waits, p.state.Busy = nil, ""
			}
			p.opening = false
			return
		}
		if form, ok := decode[ask.HuntForm](r.Body); ok || r.Err != nil {
			behind := p.state.Ahead
			p.state.read(source, &form, r.Err)
			p.policy = p.policy || behind && !p.state.Ahead && len(form.Policy) > 0
		}
		if then != nil {
			then()
		}
		p.sync()
	})
}

// changed follows every change of the scenario: soon the engine reads it, and it is kept.
func (p *huntPage) changed() {
	p.edits++
	p.shared, p.tooLong, p.state.Linked, p.state.Err = "", false, false, nil
	p.keep()
	edit := p.edits
	p.engine.ctx.After(readAfter, func(app.Context) {
		if edit == p.edits {
			p.read(nil)
		}
	})
	p.sync()
}

// keep keeps the draft of the open hunt. One at a time is on its way; what changes meanwhile follows.
func (p *huntPage) keep() {
	if h, ok := p.state.find(p.state.No); ok {
		p.drafts[huntDraftKey(h.Name)] = p.state.draft()
		p.flush()
	}
}

// flush sends a draft that is not kept yet.
func (p *huntPage) flush() {
	for key, value := range p.drafts {
		if p.keeping {
			return
		}
		p.keeping = true
		p.engine.ask(ask.KeepPut, ask.Kept{Key: key, Value: value}, func(ctx app.Context, r ask.Reply) {
			p.keeping, p.keepFail = false, r.Err
			if r.Err != nil {
				return
			}
			if p.drafts[key] == value {
				delete(p.drafts, key)
			}
			p.flush()
		})
	}
}

// kept says where the scenario is kept.
func (p *huntPage) kept() string {
	switch n := p.engine.notice; {
	case len(p.drafts) > 0:
		return "hunt.text.unkept"
	case n != nil && n.Home == ask.Memory:
		return "hunt.text.kept.memory"
	}
	return "hunt.text.kept"
}

// sync makes the fields of the page show what the state has. go-app compares what it drew before, not
// what a field shows.
func (p *huntPage) sync() {
	p.engine.ctx.Defer(func(app.Context) {
		for id, value := range p.state.inputs() {
			if el := app.Window().GetElementByID(id); el.Truthy() && el.Get("value").String() != value {
				el.Set("value", value)
			}
		}
	})
}

// edit does something to the scenario by the form.
func (p *huntPage) edit(do func()) {
	if p.state.locked() {
		return
	}
	do()
	p.changed()
}

// play plays the scenario on the reference, and on the hunted queue too unless only is set.
func (p *huntPage) play(only bool) {
	s := &p.state
	if s.Busy != "" || s.No == 0 {
		return
	}
	s.Busy = "hunt"
	if only {
		s.Busy = "reference"
	}
	if p.opening { // the scenario in sight is not the one that is kept
		p.waits = func() {
			s.Busy = ""
			p.play(only)
		}
		return
	}
	no, source := s.No, s.Text
	p.engine.ask(ask.HuntPlay, ask.PlayHunt{No: no, Source: source, ReferenceOnly: only}, func(ctx app.Context, r ask.Reply) {
		if s.No != no {
			return
		}
		if r.Err != nil {
			s.Busy, s.Played, s.Err = "", nil, r.Err
			if source == s.Text && (r.Err.Code == ask.BadFile || r.Err.Code == ask.TooLarge) {
				s.Fault = r.Err
			}
			return
		}
		if played, ok := decode[ask.HuntPlayed](r.Body); ok {
			s.show(played, source)
			p.open = map[string]bool{"reference": !played.Reference.Pass || played.Hunted == nil, "hunted": played.Hunted != nil}
		}
		p.sync()
	})
}

func (p *huntPage) giveUp() {
	no := p.state.No
	p.engine.ask(ask.HuntGiveUp, ask.HuntNo{No: no}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.state.Err = r.Err
			return
		}
		if h, ok := decode[ask.Hunt](r.Body); ok {
			p.state.put(h)
			if p.state.No == no {
				p.state.Again, p.state.Played = false, nil
				p.sync()
				p.engine.ctx.Defer(func(app.Context) { focus("hunt-told") })
			}
		}
	})
}

// load puts another scenario in the place of the one on the bench, which undo brings back.
func (p *huntPage) load(source string) {
	p.state.save()
	p.state.typed(source)
	p.changed()
	p.read(nil)
}

// share makes the link that holds the scenario.
func (p *huntPage) share() {
	fragment := huntShare.fragment(p.state.Text)
	p.shared, p.tooLong = "", fragment == ""
	if fragment == "" {
		return
	}
	at := *app.Window().URL()
	at.RawQuery, at.Fragment, at.RawFragment = url.Values{"queue": {whole(p.state.No)}}.Encode(), "", ""
	p.shared = at.String() + "#" + fragment
	p.engine.ctx.Defer(func(app.Context) {
		setField("hunt-link", p.shared)
		focus("hunt-link")
	})
}

func (p *huntPage) Render() app.UI {
	words := p.At.Words()
	s := &p.state
	above := []choice{{"/", words.Get("nav.course")}, {"/lab/", words.Get("lab.crumb")}}
	h, hunting := s.find(s.No)
	var body []app.UI
	if hunting {
		body = append(body, crumbs(p.At, append(above, choice{"/hunt/", words.Get("hunt.crumb")}), words.Get("hunt.queue", "n", h.No)))
	} else {
		body = append(body, crumbs(p.At, above, words.Get("hunt.crumb")))
	}
	if hunting {
		body = append(body, p.bench(words, h)...)
	} else {
		body = append(body, p.hunts(words)...)
	}
	return app.Div().Class("gap").Body(body...)
}

// banners are what a person should know before anything else.
func (p *huntPage) banners(words text.Words) []app.UI {
	body := p.engine.banners(words, p.list)
	if p.state.Err != nil && !p.state.Loaded && p.engine.failed == nil {
		body = append(body, errorBanner(words, *p.state.Err, button{
			Scope: "again", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) {
				p.state.Err = nil
				p.list()
			},
		}.ui()))
	}
	if p.badLink {
		body = append(body, banner{Tone: "warn", Title: words.Get("hunt.link.bad"), Text: words.Get("hunt.link.bad.text")}.ui())
	}
	if p.keepFail != nil {
		body = append(body, errorBanner(words, *p.keepFail, button{
			Scope: "keep-again", Label: words.Get("error.again"), Icon: "reload", On: func(app.Context) {
				p.flush()
			},
		}.ui()))
	}
	return body
}

// huntTones are how far a person has come with a hunt.
var huntTones = map[string]tone{"won": {"is-pass", "done"}, "gave-up": {"is-warn", "warn"}, "open": {"is-idle", "idle"}}

func huntOutcome(h ask.Hunt) string {
	switch {
	case h.Won:
		return "won"
	case h.GaveUp:
		return "gave-up"
	}
	return "open"
}

// huntTitle is a hunt's neutral name.
func huntTitle(words text.Words, h ask.Hunt) string {
	return words.Get("hunt.title-of", "n", h.No, "stall", words.Get("hunt.stall."+h.Name))
}

// hunts is the list of all hunts, level by level.
func (p *huntPage) hunts(words text.Words) []app.UI {
	s := &p.state
	var tags []app.UI
	if won, all := s.count(); all > 0 {
		t := toneGood
		if won == 0 {
			t = huntTones["open"]
		}
		tags = append(tags, remark(t, words.Get("hunt.count", "won", won, "all", all), true))
	}
	body := []app.UI{app.Div().Class("sec-head lab-top").Body(
		app.H1().ID("hunt-h").TabIndex(-1).Text(words.Get("hunt.title")), app.P().Class("row").Body(tags...),
	)}
	body = append(body, p.banners(words)...)
	if p.wanted != 0 && s.Loaded {
		body = append(body, banner{Tone: "warn", Title: words.Get("hunt.unknown"), Text: words.Get("hunt.unknown.text", "all", len(s.List.Hunts))}.ui())
	}
	body = append(body, app.Div().Class("ways").Body(
		app.P().Class("lead").Text(words.Get("hunt.lead")),
		app.Div().Class("prose hunt-how").Body(app.Ol().Body(
			app.Li().Text(words.Get("hunt.how.1")), app.Li().Text(words.Get("hunt.how.2")), app.Li().Text(words.Get("hunt.how.3")),
		)),
	))
	body = append(body, p.engine.starting(words)...)
	if !s.Loaded && s.Err == nil && p.engine.failed == nil {
		body = append(body, app.P().Class("small").Text(words.Get("hunt.later")))
	}
	var levels []app.UI
	for level := 1; level <= 3; level++ {
		var items []app.UI
		for _, h := range s.List.Hunts {
			if h.Level != level {
				continue
			}
			outcome := huntOutcome(h)
			items = append(items, app.Li().Class("check "+huntTones[outcome].Class).Body(
				app.A().Class("check-row hunt-row").Href(huntAddress(p.At, h.No)).Body(
					icon(huntTones[outcome].Icon),
					app.Span().Class("check-name").Text(huntTitle(words, h)),
					app.Span().Class("check-end").Text(words.Get("hunt.outcome."+outcome)),
				),
			))
		}
		if len(items) > 0 {
			id := "level-" + whole(level)
			levels = append(levels, app.Section().Aria("labelledby", id).Class("gap-s").Body(
				app.H2().Class("h-s").ID(id).Text(words.Get("hunt.level."+whole(level))), app.Ul().Class("checks").Body(items...),
			))
		}
	}
	return append(body, app.Div().Class("cols hunt-levels").Body(levels...))
}
