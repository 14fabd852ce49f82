package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// fetchText reads a text file of the site. on gets the text, or false when it could not be had. It is
// asked for as it is now: an instructor may have changed it since the last visit.
func fetchText(ctx app.Context, address string, on func(ctx app.Context, text string, ok bool)) {
	var answered, read, failed app.Func
	finish := func(text string, ok bool) {
		ctx.Dispatch(func(ctx app.Context) {
			answered.Release()
			read.Release()
			failed.Release()
			on(ctx, text, ok)
		})
	}
	failed = app.FuncOf(func(this app.Value, args []app.Value) any {
		finish("", false)
		return nil
	})
	read = app.FuncOf(func(this app.Value, args []app.Value) any {
		finish(args[0].String(), true)
		return nil
	})
	answered = app.FuncOf(func(this app.Value, args []app.Value) any {
		if !args[0].Get("ok").Bool() {
			finish("", false)
			return nil
		}
		args[0].Call("text").Call("then", read, failed)
		return nil
	})
	app.Window().Call("fetch", address, map[string]any{"cache": "no-cache"}).Call("then", answered, failed)
}
