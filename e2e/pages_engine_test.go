package e2e

import (
	"strings"
	"testing"
)

func TestASecondTabSaysKindlyThatTheLabIsOpenElsewhere(t *testing.T) {
	need(t)
	t.Parallel()
	b := onDevice(t, theSite(t))
	b.goTo("queue/")
	b.eventually("No jobs yet")
	b.enqueue("cake-1", "2 sponge cakes", "3", "3000")
	b.sees("The order is accepted and stored.")

	c := b.beside()
	c.goTo("queue/")
	c.eventually("The lab is open in another tab.")
	c.axe("a tab that waits for another")
	b.goTo("components/") // a page without an engine
	c.eventually("kept on this device, 1 job")
	c.rowIs("cake-1", "cake-1 | due | 0 of 3")
	c.seesNot("The lab is open in another tab.")
}

func TestABrowserWithoutStorageIsToldThatNothingIsKept(t *testing.T) {
	need(t)
	t.Parallel()
	files := changed(buildIfWanted(t), func(name string, data []byte) []byte {
		if strings.HasSuffix(name, "/engine.js") {
			return append([]byte(`Object.defineProperty(navigator, "storage", { value: undefined });`+"\n"), data...)
		}
		return data
	})
	b := open(t, serve(t, files, "/"))
	b.goTo("queue/")
	b.eventually("Nothing is kept here.")
	b.eventually("in memory, 0 jobs")
	b.enqueue("cake-1", "2 sponge cakes", "3", "3000")
	b.rowIs("cake-1", "cake-1 | due | 0 of 3")
	b.axe("the live queue in memory")
	b.role("button", "Kill the engine").click()
	b.eventually("It lived in memory, so the queue is empty now.")
	b.eventually("No jobs yet")
}

func TestAPageWhoseEngineCannotStartSaysSoAndTriesAgain(t *testing.T) {
	need(t)
	t.Parallel()
	missing := changed(buildIfWanted(t), func(name string, data []byte) []byte {
		if strings.HasSuffix(name, "/engine.wasm.gz") {
			return nil
		}
		return data
	})
	h := serve(t, missing, "/")
	b := open(t, h)
	b.expect("404")
	b.goTo("lab/")
	b.eventually("The engine could not be started.")
	b.axe("a page without an engine")
	h.stop()
	h.start(buildIfWanted(t))
	b.role("button", "Try again").click()
	b.eventually("checks, not run")
}
