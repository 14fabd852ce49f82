package web

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/quiz/begin"
)

// Drafts of the author page, which stay on the device.

// A keptDraft is a draft with its text.
type keptDraft struct {
	draft
	text string
}

// A leftDraft is what was written in the moment before a tab was closed, when the engine does not get to keep it. It
// waits in the browser's local storage, which needs no engine.
type leftDraft struct {
	Draft draft
	Text  string
}

const leftKey = "author-left"

// restore reads the list of drafts, and puts the latest into a page whose address asks for no other text.
func (p *authorPage) restore() {
	if p.restored || app.IsServer {
		return
	}
	p.restored = true
	var left leftDraft
	store := p.engine.ctx.LocalStorage()
	was := store.Get(leftKey, &left) == nil && left.Draft.ID != "" && left.Text != "" && authorable(left.Text)
	if was {
		p.engine.ask(ask.KeepPut, ask.Kept{Key: draftKey(left.Draft.ID), Value: left.Text}, func(ctx app.Context, r ask.Reply) {
			if p.keepErr = r.Err; r.Err == nil {
				store.Del(leftKey)
			}
		})
	}
	p.engine.read(ask.KeepGet, ask.Key{Key: draftsKey}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.restored = false
			if !p.asked() {
				p.example()
			}
			return
		}
		kept, _ := decode[ask.Kept](r.Body)
		p.drafts = readDrafts(kept.Value)
		if was {
			p.drafts, _ = putDraft(p.drafts, left.Draft)
			p.engine.ask(ask.KeepPut, ask.Kept{Key: draftsKey, Value: compactJSON(p.drafts)}, func(app.Context, ask.Reply) {})
		}
		switch {
		case p.state.Loaded && !p.filler || p.asked():
		case len(p.drafts) > 0:
			p.openDraft(p.drafts[0], "author.said.draft")
		default:
			p.example()
		}
	})
}

// asked says whether the address asks for a text.
func (p *authorPage) asked() bool {
	return p.linked || app.Window().URL().Query().Get("quiz") != "" && p.lost == "" && p.tooLarge == ""
}

// openDraft puts a draft into the editor.
func (p *authorPage) openDraft(d draft, said string) {
	p.engine.read(ask.KeepGet, ask.Key{Key: draftKey(d.ID)}, func(ctx app.Context, r ask.Reply) {
		kept, ok := decode[ask.Kept](r.Body)
		if r.Err != nil || !ok || kept.Value == "" || !authorable(kept.Value) {
			p.keepErr = r.Err
			p.example()
			return
		}
		if said == "author.said.draft" && p.state.Loaded && !p.filler {
			return // the person has begun to write meanwhile
		}
		p.replace(kept.Value, d.Name, d.From, said)
		p.state.Draft = d.ID
	})
}

// keep keeps what the person has written: the text, then the list with it on top.
func (p *authorPage) keep() {
	s := &p.state
	if !s.Loaded || s.Text == p.saved || s.Text == "" {
		return
	}
	if s.Draft == "" {
		s.Draft = strconv.FormatInt(time.Now().UnixMilli(), 36)
	}
	text, d := s.Text, p.draft()
	p.engine.ask(ask.KeepPut, ask.Kept{Key: draftKey(d.ID), Value: text}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.keepErr = r.Err
			return
		}
		if p.state.Draft == d.ID {
			p.saved = text
		}
		p.engine.ctx.LocalStorage().Del(leftKey)
		p.update(func(list []draft) []draft {
			with, gone := putDraft(list, d)
			for _, old := range gone {
				p.engine.ask(ask.KeepPut, ask.Kept{Key: draftKey(old.ID)}, func(app.Context, ask.Reply) {})
			}
			return with
		})
	})
}

// keepLeaving keeps what was written a moment ago when the person leaves: nobody will be here for an answer.
func (p *authorPage) keepLeaving() {
	s := &p.state
	if !s.Loaded || s.Text == p.saved || s.Text == "" {
		return
	}
	p.keep()
	p.engine.ctx.LocalStorage().Set(leftKey, leftDraft{p.draft(), s.Text}) // where that is full, the engine may still be in time
	with, _ := putDraft(p.drafts, p.draft())
	p.engine.ask(ask.KeepPut, ask.Kept{Key: draftsKey, Value: compactJSON(with)}, func(app.Context, ask.Reply) {})
}

// draft is the text in the editor as it stands in the list.
func (p *authorPage) draft() draft {
	return draft{ID: p.state.Draft, Name: p.state.Name, From: p.state.From, At: time.Now().Format("2006-01-02 15:04")}
}

// update changes the list of drafts as it is kept now: another tab may have changed it.
func (p *authorPage) update(change func([]draft) []draft) {
	p.engine.read(ask.KeepGet, ask.Key{Key: draftsKey}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.keepErr = r.Err
			return
		}
		kept, _ := decode[ask.Kept](r.Body)
		list := change(readDrafts(kept.Value))
		p.engine.ask(ask.KeepPut, ask.Kept{Key: draftsKey, Value: compactJSON(list)}, func(ctx app.Context, r ask.Reply) {
			if p.keepErr = r.Err; r.Err == nil {
				p.drafts = list
			}
		})
	})
}

// drop removes a draft. It can be taken back as long as the page is open.
func (p *authorPage) drop(d draft) {
	p.engine.read(ask.KeepGet, ask.Key{Key: draftKey(d.ID)}, func(ctx app.Context, r ask.Reply) {
		kept, ok := decode[ask.Kept](r.Body)
		if r.Err != nil || !ok {
			p.keepErr = r.Err
			return
		}
		p.dropped = &keptDraft{d, kept.Value}
		if p.state.Draft == d.ID {
			p.state.Draft, p.saved = "", p.state.Text
		}
		p.engine.ask(ask.KeepPut, ask.Kept{Key: draftKey(d.ID)}, func(app.Context, ask.Reply) {})
		p.update(func(list []draft) []draft { return dropDraft(list, d.ID) })
		p.engine.ctx.Defer(func(app.Context) { focus("author-undrop") })
	})
}

// undrop brings the draft back that was removed last.
func (p *authorPage) undrop() {
	back := p.dropped
	p.dropped = nil
	p.engine.ask(ask.KeepPut, ask.Kept{Key: draftKey(back.ID), Value: back.text}, func(ctx app.Context, r ask.Reply) {
		if r.Err != nil {
			p.dropped, p.keepErr = back, r.Err
			return
		}
		p.update(func(list []draft) []draft {
			with, _ := putDraft(list, back.draft)
			return with
		})
	})
}

// begin starts from the example, from the least, or from a quiz of the site.
func (p *authorPage) begin() {
	switch p.start {
	case startExample:
		p.replace(begin.Example("my-quiz"), "my-quiz", "", "author.said.example")
	case startEmpty:
		p.replace(begin.Empty("my-quiz"), "my-quiz", "", "author.said.empty")
	default:
		p.openQuiz(p.start, "author.said.quiz")
	}
}
