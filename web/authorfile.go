package web

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Files and links of the author page. Nothing leaves the browser.

// listen hears files that are dropped on the page, and a preview's word that its file was saved. The code editor would
// put a dropped file into the text, so the page hears of it first.
func (p *authorPage) listen(ctx app.Context) {
	if app.IsServer {
		return
	}
	on := func(target app.Value, event string, do func(e app.Value)) {
		heard := app.FuncOf(func(this app.Value, args []app.Value) any {
			do(args[0])
			return nil
		})
		target.Call("addEventListener", event, heard, true)
		p.stops = append(p.stops, func() {
			target.Call("removeEventListener", event, heard, true)
			heard.Release()
		})
	}
	dropping := func(on bool) {
		if p.dropping != on {
			p.dropping = on
			ctx.Dispatch(func(app.Context) {})
		}
	}
	files := func(e app.Value) bool {
		return e.Get("dataTransfer").Truthy() && e.Get("dataTransfer").Get("types").Call("includes", "Files").Bool()
	}
	page := app.Window().Get("document")
	on(page, "dragover", func(e app.Value) {
		if files(e) {
			e.Call("preventDefault")
			e.Call("stopPropagation")
			dropping(true)
		}
	})
	on(page, "dragleave", func(e app.Value) {
		if !e.Get("relatedTarget").Truthy() {
			dropping(false)
		}
	})
	on(page, "drop", func(e app.Value) {
		if !files(e) {
			return
		}
		e.Call("preventDefault")
		e.Call("stopPropagation")
		dropping(false)
		p.openFile(ctx, e.Get("dataTransfer").Get("files").Get("0"))
	})
	on(page, "visibilitychange", func(app.Value) {
		if page.Get("visibilityState").String() == "hidden" { // the tab may be closed next
			p.keepLeaving() // at once: there may be no later
		}
	})
	on(app.Window(), "quizsaved", func(e app.Value) {
		if from := p.state.From; from != "" {
			e.Call("preventDefault") // the page need not be loaded anew
			ctx.Dispatch(func(app.Context) { p.openQuiz(from, "author.said.saved") })
		}
	})
}

// openFile reads a file of the device into the editor.
func (p *authorPage) openFile(ctx app.Context, file app.Value) {
	if !file.Truthy() {
		return
	}
	name := file.Get("name").String()
	done := func(text string, ok bool) {
		ctx.Dispatch(func(app.Context) {
			p.lost, p.tooLarge, p.notUTF8 = "", "", ""
			switch {
			case !ok:
				p.lost = name
			case !authorable(text):
				p.tooLarge = name
			case strings.ContainsRune(text, utf8.RuneError):
				p.notUTF8 = name // the browser has put the sign in the place of what it could not read
			default:
				p.replace(text, fileName(name), "", "author.said.file")
			}
		})
	}
	if file.Get("size").Float() > maxAuthored {
		ctx.Dispatch(func(app.Context) { p.tooLarge = name })
		return
	}
	var read, failed app.Func
	release := func() { read.Release(); failed.Release() }
	read = app.FuncOf(func(this app.Value, args []app.Value) any {
		release()
		done(args[0].String(), true)
		return nil
	})
	failed = app.FuncOf(func(this app.Value, args []app.Value) any {
		release()
		done("", false)
		return nil
	})
	file.Call("text").Call("then", read, failed)
}

// download lets the browser save the text as a file.
func (p *authorPage) download() {
	offerFile(p.state.Name+".yaml", "application/yaml", p.state.Text)
}

// link makes the address that holds the quiz.
func (p *authorPage) link() {
	fragment := authorShare.fragment(p.state.Text)
	p.share, p.tooLong, p.copied = "", fragment == "", false
	if fragment == "" {
		return
	}
	at := app.Window().URL()
	p.share = (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path}).String() + "#" + fragment
	p.engine.ctx.Defer(func(app.Context) {
		setField(authorLink, p.share)
		if el := app.Window().GetElementByID(authorLink); el.Truthy() {
			el.Call("focus")
			el.Call("select")
		}
	})
}

// copyLink puts the link on the clipboard; where that is refused, the link stays selected.
func (p *authorPage) copyLink() {
	el, clipboard := app.Window().GetElementByID(authorLink), app.Window().Get("navigator").Get("clipboard")
	if el.Truthy() {
		el.Call("select")
	}
	if !clipboard.Truthy() {
		return
	}
	ctx := p.engine.ctx
	var copied, failed app.Func
	release := func() { copied.Release(); failed.Release() }
	copied = app.FuncOf(func(this app.Value, args []app.Value) any {
		release()
		ctx.Dispatch(func(app.Context) { p.copied = true })
		return nil
	})
	failed = app.FuncOf(func(this app.Value, args []app.Value) any {
		release()
		return nil
	})
	clipboard.Call("writeText", p.share).Call("then", copied, failed)
}
