package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for what must come. It only ends tests that fail.
const patience = 60 * time.Second

// A tab is a page in a browser, with everything that went wrong in it.
type tab struct {
	t    *testing.T
	host *host
	ctx  context.Context
	stop func()

	mu       sync.Mutex
	faults   []string
	expected []string
}

// open opens an empty tab in the shared browser. Its storage is its own, since each test's host has a
// port of its own. It is no private window: there Chromium keeps OPFS in memory, and writes to it wait
// for its compiler.
func open(t *testing.T, h *host) *tab {
	t.Helper()
	need(t)
	return openIn(t, h, sharedBrowser(t))
}

// openIn opens an empty tab in a browser or, without options, beside another tab.
func openIn(t *testing.T, h *host, browser context.Context, o ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser, o...)
	b := &tab{t: t, host: h, ctx: ctx, stop: stop}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	b.do(chromedp.EmulateViewport(1280, 900))
	for _, err := range []error{
		call(b, network.Enable, network.EnableParams{}),
		call(b, cdplog.Enable, cdp.Empty{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		b.checkFaults()
		if t.Failed() {
			b.shot("failed-" + strings.ReplaceAll(t.Name(), "/", "-"))
		}
		b.stop()
	})
	return b
}

// beside opens a second tab that shares the storage of this one.
func (b *tab) beside() *tab {
	b.t.Helper()
	id := chromedp.FromContext(b.ctx).BrowserContextID
	if id == "" {
		return openIn(b.t, b.host, b.ctx)
	}
	return openIn(b.t, b.host, b.ctx, chromedp.WithExistingBrowserContext(id))
}

// hear writes down what goes wrong.
func (b *tab) hear(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, a := range e.Args {
			if a.Value != nil {
				words = append(words, strings.Trim(string(a.Value), `"`))
			} else {
				words = append(words, a.Description)
			}
		}
		said := strings.Join(words, " ")
		// Go writes its panics with console.log.
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert || strings.HasPrefix(said, "panic:") || strings.HasPrefix(said, "fatal error:") {
			fault = "console: " + said
		}
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Source == cdplog.EntrySourceSecurity {
			fault = "log: " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "ws" || u.Scheme == "wss") && u.Host != b.host.addr {
			fault = "request to another host: " + e.Request.URL
		}
	}
	if fault != "" {
		b.mu.Lock()
		b.faults = append(b.faults, fault)
		b.mu.Unlock()
	}
}

// expect says that faults which contain the text are part of the test.
func (b *tab) expect(text string) {
	b.mu.Lock()
	b.expected = append(b.expected, text)
	b.mu.Unlock()
}

// checkFaults fails the test for every fault so far that it did not expect.
func (b *tab) checkFaults() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, f := range b.faults {
		for _, e := range b.expected {
			if strings.Contains(f, e) {
				continue next
			}
		}
		b.t.Error(f)
	}
	b.faults = nil
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// goTo opens a path of the site and waits until its program runs.
func (b *tab) goTo(path string) {
	b.t.Helper()
	b.load(path)
	b.ready()
}

// load opens a path of the site without waiting for its program.
func (b *tab) load(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.host.url(path)))
}

// beforeLoad runs a script in each document that is loaded from now on, before those of the page.
func (b *tab) beforeLoad(script string) {
	b.t.Helper()
	if _, err := ask(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) reload() {
	b.t.Helper()
	b.do(chromedp.Reload())
	b.ready()
}

// ready waits until the page's program runs.
func (b *tab) ready() {
	b.t.Helper()
	b.wait(`document.documentElement.dataset.program === "ready"`, "the page's program runs")
}

// offline waits until the site is kept for offline use and this tab is served from there.
func (b *tab) offline() {
	b.t.Helper()
	b.wait(`navigator.serviceWorker.ready.then(r => r.active?.state === "activated" && navigator.serviceWorker.controller)`, "the service worker is in charge")
}

// wait waits until a JavaScript expression is true; a promise is awaited. The page itself asks again
// and again, so it also works across navigations: the longer it has waited, the more rarely, since to look at a
// page costs it time.
func (b *tab) wait(expression, what string) {
	b.t.Helper()
	began := time.Now()
	var last error
	for time.Since(began) < patience {
		js := fmt.Sprintf(`(async () => {
			const began = performance.now() - %d;
			const end = performance.now() + 2000;
			for (;;) {
				if (await (%s)) return true;
				const now = performance.now();
				if (now > end) return false;
				await new Promise((r) => setTimeout(r, Math.min(Math.max(20, (now - began) / 4), 250)));
			}
		})()`, time.Since(began).Milliseconds(), expression)
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](js, chromedp.EvalAwaitPromise))
		cancel()
		if ok {
			return
		}
		last = err
	}
	b.t.Fatalf("waited in vain until %s\n  %s\n  last error: %v\n  page: %.600s", what, expression, last, b.visible())
}

// eval evaluates JavaScript in the page; a promise is awaited.
func eval[T any](b *tab, js string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v in %.300s", err, js)
	}
	return v
}

// visible is the text that a person sees.
func (b *tab) visible() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return s
}

// sees waits until the page shows a text.
func (b *tab) sees(text string) {
	b.t.Helper()
	b.wait(`document.body.innerText.includes(`+quote(text)+`)`, "the page shows "+text)
}

// sees not waits until the page does not show a text.
func (b *tab) seesNot(text string) {
	b.t.Helper()
	b.wait(`!document.body.innerText.includes(`+quote(text)+`)`, "the page does not show "+text)
}

// quote makes a JavaScript string.
func quote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// shot stores a picture of the whole page in the folder E2E_SHOTS, when there is one.
func (b *tab) shot(name string) {
	dir := os.Getenv("E2E_SHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Logf("no screenshot %s: %v", name, err)
	}
}

// quoteNumber writes a number as JavaScript.
func quoteNumber(f float64) string { return fmt.Sprint(f) }
