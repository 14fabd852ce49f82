package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	protocol "retrylab/lab/ask"
	"retrylab/lab/student"
)

// A student's code tries each way out that it could know. What it finds comes back as the text of an error.

const pythonEscapes = `
def tried():
    import gc
    found = []
    def attempt(name, way):
        try:
            got = way()
        except BaseException as e:
            return
        found.append("%s: %r" % (name, got))
    def js_fetch():
        import js
        return js.fetch("/leak")
    def run_js():
        from pyodide.code import run_js
        return run_js("self.constructor.name")
    def http_get():
        from pyodide.http import open_url
        return open_url("LEAK").read()
    def urllib_get():
        import urllib.request
        return urllib.request.urlopen("LEAK", timeout=2).read()
    def socket_connect():
        import socket
        s = socket.create_connection(("127.0.0.1", PORT), 2)
        s.settimeout(2)
        s.sendall(b"GET /leak/socket HTTP/1.0\\r\\n\\r\\n")
        return s.recv(1)
    def host_module():
        import pyodide_js
        return pyodide_js
    def evaluate():
        for o in gc.get_objects():
            if type(o).__name__ == "JsProxy":
                return o.constructor.constructor("return self")()
        raise RuntimeError("no object of JavaScript's")
    def process():
        import subprocess
        return subprocess.run(["ls"])
    for f in (js_fetch, run_js, http_get, urllib_get, socket_connect, host_module, evaluate, process):
        attempt(f.__name__, f)
    return found


def retry_delay(attempt, base_ms, cap_ms, jitter):
    raise RuntimeError("found: " + "; ".join(tried()))
`

const scriptEscapes = `
function tried() {
  const found = [];
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "importScripts", "postMessage", "indexedDB", "caches", "self",
    "window", "document", "navigator", "localStorage", "BroadcastChannel", "Worker", "setTimeout", "std", "os", "require", "process", "Go", "student", "WebAssembly"]) {
    if (typeof globalThis[name] !== "undefined") found.push(name);
  }
  return found;
}
function retryDelay() { throw new Error("found: " + tried().join("; ")); }
`

// leaks serves the site and writes down whoever asks for /leak.
func leaks(t *testing.T) (*host, func() []string) {
	h := serve(t, buildSite(t, ""), "/")
	var mu sync.Mutex
	var asked []string
	inner := h.server.Handler
	h.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "leak") {
			mu.Lock()
			asked = append(asked, r.URL.String())
			mu.Unlock()
		}
		inner.ServeHTTP(w, r)
	})
	return h, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return asked
	}
}

func TestAStudentsCodeFindsNoWayOut(t *testing.T) {
	need(t)
	t.Parallel()
	h, leaked := leaks(t)
	port := h.addr[strings.LastIndex(h.addr, ":")+1:]
	for language, source := range map[student.Language]string{student.Python: pythonEscapes, student.JavaScript: scriptEscapes} {
		t.Run(string(language), func(t *testing.T) {
			b := bench{open(t, h)}
			b.expect("content security policy")
			b.expect("Content Security Policy")
			b.goTo("lab/?subject=reference")
			b.frame(language)
			source := strings.NewReplacer("LEAK", h.url("leak"), "PORT", port).Replace(source)
			run := b.run(protocol.RunStudent{Source: source, Checks: []string{"the-first-wait-is-the-base"}})
			if got := run.Checks[0].Raised; got == nil || got.Message != "found: " {
				t.Errorf("%+v", got)
			}
			eval[bool](b.tab, `(endStudent(), true)`)
		})
	}
	if got := leaked(); len(got) > 0 {
		t.Errorf("the server was asked for %v", got)
	}
}

// brokenOut is what code could try that has broken out of its interpreter, in the worker of the frame.
const brokenOut = `
"use strict";
self.onmessage = async () => {
  const found = [];
  const tries = {
    fetch: () => fetch("LEAK/fetch"),
    sameFetch: () => fetch("/leak/same"),
    xhr: () => new Promise((yes, no) => { const x = new XMLHttpRequest(); x.open("GET", "LEAK/xhr"); x.onload = yes; x.onerror = no; x.send(); }),
    script: async () => importScripts("LEAK/script"),
    module: () => import("LEAK/module"),
    worker: () => new Promise((yes, no) => { const w = new Worker("LEAK/worker"); w.onmessage = yes; w.onerror = no; setTimeout(no, 1000); }),
    socket: () => new Promise((yes, no) => { const s = new WebSocket("LEAK/socket".replace("http", "ws")); s.onopen = yes; s.onerror = no; }),
    events: () => new Promise((yes, no) => { const s = new EventSource("LEAK/events"); s.onopen = yes; s.onerror = no; }),
    evaluate: async () => (0, eval)("1"),
    database: () => new Promise((yes, no) => { const r = indexedDB.open("lab"); r.onsuccess = yes; r.onerror = no; }),
    files: () => navigator.storage.getDirectory(),
    caches: () => caches.keys(),
    locks: () => navigator.locks.query(),
    cookies: async () => cookieStore.getAll(),
  };
  for (const [name, way] of Object.entries(tries)) {
    try { await way(); found.push(name); } catch { /* as it should be */ }
  }
  try { new BroadcastChannel("lab").postMessage("from a student"); } catch { /* as it should be */ }
  self.postMessage(JSON.stringify({ id: 0, found }));
  // Then it says more than any honest program.
  for (let i = 0; i < 100000; i++) self.postMessage(JSON.stringify({ id: 0, flood: i }));
  for (;;);
};
`

func TestCodeThatHasBrokenOutOfItsInterpreterReachesNothing(t *testing.T) {
	need(t)
	t.Parallel()
	h, leaked := leaks(t)
	inner := h.server.Handler
	h.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/student-worker.js") {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, strings.ReplaceAll(brokenOut, "LEAK", strings.TrimSuffix(h.url("leak"), "/")))
			return
		}
		inner.ServeHTTP(w, r)
	})
	b := open(t, h)
	b.expect("ontent ") // the browser tells of each refusal: content security policy, cross origin
	b.expect("Failed to load")
	b.expect("EventSource")
	b.expect("WebSocket")
	b.goTo("lab/?subject=reference")
	b.wait(`typeof StudentFrame === "function"`, "the page has frames")
	eval[bool](b, `(() => {
		localStorage.setItem("mine", "1");
		self.heard = [];
		new BroadcastChannel("lab").onmessage = (e) => heard.push(e.data);
		const assets = new URL(".", document.querySelector('script[src*="app.js"]').src);
		const frame = new StudentFrame(assets.href, new URL("../../", assets).href, "javascript", document.baseURI);
		self.said = [];
		frame.onmessage = ({ data }) => { const m = JSON.parse(data); said.push(m); if (m.ended) frame.terminate(); };
		frame.onerror = (e) => said.push({ ended: e.message });
		return true;
	})()`)
	b.wait(`said.some((m) => m.ended)`, "the frame has been ended")
	if got := eval[[]string](b, `said.find((m) => m.found)?.found ?? ["it never tried"]`); len(got) > 0 {
		t.Errorf("it reached %v", got)
	}
	if n, why := eval[int](b, `said.length`), eval[string](b, `said.find((m) => m.ended).ended`); n > 1100 || why != "the program sent too many messages" {
		t.Errorf("%d messages came, then: %s", n, why)
	}
	if got := eval[[]string](b, `heard`); len(got) > 0 {
		t.Errorf("the page heard %v", got)
	}
	if got := leaked(); len(got) > 0 {
		t.Errorf("the server was asked for %v", got)
	}
	if !eval[bool](b, `localStorage.getItem("mine") === "1" && document.querySelectorAll("iframe").length === 0`) {
		t.Error("the page is not as it was")
	}
}
