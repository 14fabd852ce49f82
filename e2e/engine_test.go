package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	lab "retrylab/lab/ask"
	"retrylab/web/site"
)

// onDevice opens a tab in a browser with a profile of its own: the tabs of the shared browser are
// private windows, whose files are slow and live in memory.
func onDevice(t *testing.T, h *host) *tab {
	t.Helper()
	browser, end := startBrowser(t)
	t.Cleanup(end)
	return openIn(t, h, browser)
}

// An engine is the engine's worker as a page starts it, asked by the test itself.
type engine struct {
	b    *tab
	name string
}

// engine starts a worker and does not wait for it.
func (b *tab) engine(name string) engine {
	b.t.Helper()
	eval[bool](b, `(() => {
		const e = { replies: [], waiting: [], notices: [], next: 1 };
		(window.engines ??= {})[`+quote(name)+`] = e;
		const assets = new URL(".", document.querySelector("script[src*='/app.js']").src);
		e.worker = new Worker(new URL("engine.js", assets));
		e.worker.onmessage = ({ data }) => {
			if (typeof data !== "string") return; // the compiled program
			const m = JSON.parse(data);
			if (m.ended) e.notices.push({ state: "ended", detail: m.ended });
			else if (m.id === 0 && m.body) e.notices.push(m.body);
			else if (m.id !== undefined) e.replies.push(m);
		};
		e.post = (kind, body) => {
			const id = e.next++;
			e.worker.postMessage(JSON.stringify({ id, kind, body }));
			return id;
		};
		return true;
	})()`)
	return engine{b, name}
}

func (e engine) js() string { return "engines[" + quote(e.name) + "]" }

// notice waits for a notice with that state and returns it.
func (e engine) notice(state string) lab.Notice {
	e.b.t.Helper()
	e.b.wait(e.js()+`.notices.some((n) => n.state === `+quote(state)+`)`, e.name+" says "+state)
	return eval[lab.Notice](e.b, e.js()+`.notices.find((n) => n.state === `+quote(state)+`)`)
}

// post sends a request and returns its id.
func (e engine) post(kind lab.Kind, body any) int64 {
	e.b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		e.b.t.Fatal(err)
	}
	return eval[int64](e.b, e.js()+`.post(`+quote(string(kind))+`, `+string(text)+`)`)
}

// replies waits for the last reply to a request and returns all of them.
func (e engine) replies(id int64) []lab.Reply {
	e.b.t.Helper()
	of := e.js() + `.replies.filter((m) => m.id === ` + quoteNumber(float64(id)) + `)`
	// A run of the lab may take long on a busy machine; each check's answer is a sign of life.
	for n := 0; !eval[bool](e.b, of+`.some((m) => !m.more)`); {
		e.b.wait(of+`.some((m) => !m.more) || `+of+`.length > `+quoteNumber(float64(n)), e.name+" answers")
		n = eval[int](e.b, of+`.length`)
	}
	var all []lab.Reply
	if err := json.Unmarshal([]byte(eval[string](e.b, `JSON.stringify(`+of+`)`)), &all); err != nil {
		e.b.t.Fatal(err)
	}
	return all
}

// got asks, and reads the last reply's body.
func got[T any](e engine, kind lab.Kind, body any) (v T) {
	e.b.t.Helper()
	all := e.replies(e.post(kind, body))
	last := all[len(all)-1]
	if last.Err != nil {
		e.b.t.Fatalf("%s: %v", kind, last.Err)
	}
	if last.Body != nil {
		if err := json.Unmarshal(last.Body, &v); err != nil {
			e.b.t.Fatal(err)
		}
	}
	return v
}

// refused asks for what must fail, and returns the code.
func (e engine) refused(kind lab.Kind, body any) string {
	e.b.t.Helper()
	all := e.replies(e.post(kind, body))
	if last := all[len(all)-1]; last.Err != nil {
		return last.Err.Code
	}
	e.b.t.Fatalf("%s was not refused", kind)
	return ""
}

func (e engine) kill() { eval[bool](e.b, e.js()+`.worker.terminate(), true`) }

func cake(id string) lab.Step {
	return lab.Step{Do: "enqueue", ID: id, Payload: "2 sponge cakes", MaxAttempts: "3", Deadline: "3000"}
}

func TestTheLiveQueueSurvivesAReloadAndAKilledEngine(t *testing.T) {
	need(t)
	t.Parallel()
	b := onDevice(t, theSite(t))
	b.load("")
	e := b.engine("first")
	if n := e.notice(lab.Ready); n.Home != lab.OPFS || n.SQLite == "" {
		t.Fatalf("the engine is ready with %+v", n)
	}
	if live := got[lab.Live](e, lab.LiveStep, cake("cake-1")); live.Result.Result != "created" {
		t.Fatalf("%+v", live.Result)
	}
	got[lab.Live](e, lab.LiveStep, lab.Step{Do: "run", At: "10", Send: "retryable", Takes: "40"})
	before := got[lab.Live](e, lab.LiveView, nil)

	// A reload ends the engine as it ends every worker.
	b.load("")
	e = b.engine("second")
	after := got[lab.Live](e, lab.LiveView, nil)
	before.Result = nil
	if x, y := asText(t, before), asText(t, after); x != y {
		t.Errorf("before the reload\n%s\nafter it\n%s", x, y)
	}

	// A killed engine has consumed the attempt of the send it was in.
	id := e.post(lab.LiveStep, lab.Step{Do: "run", At: "200", Send: "ok", Hold: true})
	b.wait(e.js()+`.replies.some((m) => m.id === `+quoteNumber(float64(id))+` && m.more)`, "the send is held")
	if code := e.refused(lab.LiveStep, cake("cake-2")); code != lab.Busy {
		t.Errorf("a step during a held send gives %s", code)
	}
	if live := got[lab.Live](e, lab.LiveView, nil); live.Sending == nil || live.Sending.Attempt != 2 {
		t.Errorf("a view during a held send: %+v", live.Sending)
	}
	e.kill()
	e = b.engine("third")
	live := got[lab.Live](e, lab.LiveView, nil)
	if len(live.Jobs) != 1 || live.Jobs[0].Attempts != 2 || live.Jobs[0].State != "leased" || live.Sending != nil || live.Now != 200 {
		t.Errorf("after the kill: %s", asText(t, live))
	}
	if last := live.Log[len(live.Log)-1]; last.Result != "crashed" {
		t.Errorf("the log ends with %+v", last)
	}
}

func TestASecondTabWaitsForTheFirst(t *testing.T) {
	need(t)
	t.Parallel()
	b := onDevice(t, theSite(t))
	b.load("")
	first := b.engine("first")
	first.notice(lab.Ready)
	got[lab.Live](first, lab.LiveStep, cake("cake-1"))

	c := b.beside()
	c.load("")
	second := c.engine("second")
	second.notice(lab.Elsewhere)
	id := second.post(lab.LiveView, nil)
	b.load("") // the first tab lets go
	if n := second.notice(lab.Ready); n.Home != lab.OPFS {
		t.Errorf("%+v", n)
	}
	all := second.replies(id)
	if !strings.Contains(string(all[0].Body), "cake-1") {
		t.Errorf("the second tab sees %s", all[0].Body)
	}
}

func TestTheEngineRefusesWhatIsNoRequest(t *testing.T) {
	need(t)
	t.Parallel()
	b := onDevice(t, theSite(t))
	b.load("")
	e := b.engine("one")
	for _, c := range []struct {
		kind lab.Kind
		body any
		want string
	}{
		{"no.such", nil, lab.BadRequest},
		{lab.LiveStep, nil, lab.BadRequest},
		{lab.LiveStep, "text", lab.BadRequest},
		{lab.LiveStep, lab.Step{Do: "no such"}, lab.BadRequest},
		{lab.LiveStep, lab.Step{Do: "run", Send: "no such"}, lab.BadRequest},
		{lab.LiveAnswer, lab.Answer{Send: "ok"}, lab.NothingHeld},
		{lab.LiveUndo, nil, lab.NothingToUndo},
		{lab.LabRun, lab.RunLab{Subject: "no such"}, lab.NoSuchSubject},
		{lab.ScenarioRun, lab.RunScenario{Source: "name: x\nsteps: 3\n"}, lab.BadFile},
		{lab.KeepPut, lab.Kept{Key: "k", Value: strings.Repeat("x", 70_000)}, lab.TooLarge},
		{lab.KeepPut, lab.Kept{Key: "k", Value: strings.Repeat("x", 1_100_000)}, lab.TooLarge},
	} {
		if code := e.refused(c.kind, c.body); code != c.want {
			t.Errorf("%s gives %s, want %s", c.kind, code, c.want)
		}
	}
	eval[bool](b, `engines.one.worker.postMessage("{"), engines.one.worker.postMessage({ not: "text" }), engines.one.worker.postMessage(null), true`)
	if kept := got[lab.Kept](e, lab.KeepGet, lab.Key{Key: "k"}); kept.Value != "" {
		t.Errorf("kept: %d bytes", len(kept.Value))
	}
}

func TestTheLabRunsInTheTab(t *testing.T) {
	need(t)
	t.Parallel()
	b := onDevice(t, theSite(t))
	b.load("")
	e := b.engine("one")
	for _, home := range []string{lab.Memory, lab.OPFS} {
		all := e.replies(e.post(lab.LabRun, lab.RunLab{Subject: "reference", Home: home}))
		var sum lab.LabSummary
		if err := json.Unmarshal(all[len(all)-1].Body, &sum); err != nil {
			t.Fatalf("%v in %s", err, all[len(all)-1].Body)
		}
		if sum.Failed != 0 || sum.Passed != len(all)-1 || sum.Passed == 0 || sum.Home != home {
			t.Errorf("%s: %+v, %d results", home, sum, len(all)-1)
		}
		t.Logf("%s: %d checks in %.0f ms", home, sum.Passed, sum.MS)
	}
}

func TestWithoutAPrivateFileSystemTheEngineRunsInMemory(t *testing.T) {
	need(t)
	t.Parallel()
	for why, before := range map[string]string{
		lab.NoOPFS:  `Object.defineProperty(navigator, "storage", { value: undefined });`,
		lab.Refused: `navigator.storage.getDirectory = () => Promise.reject(new DOMException("not here", "SecurityError"));`,
		lab.Broken:  `FileSystemFileHandle.prototype.createSyncAccessHandle = () => Promise.reject(new DOMException("broken", "UnknownError"));`,
	} {
		files := changed(buildSite(t, ""), func(name string, data []byte) []byte {
			if strings.HasSuffix(name, "/engine.js") {
				return append([]byte(before+"\n"), data...)
			}
			return data
		})
		b := onDevice(t, serve(t, files, "/"))
		b.load("")
		e := b.engine("one")
		if n := e.notice(lab.Ready); n.Home != lab.Memory || n.Why != why || n.Detail == "" {
			t.Errorf("%s: %+v", why, n)
		}
		if live := got[lab.Live](e, lab.LiveStep, cake("cake-1")); live.Total != 1 {
			t.Errorf("%s: %+v", why, live)
		}
		if live := got[lab.Live](e, lab.LiveStep, lab.Step{Do: "restart"}); live.Total != 1 {
			t.Errorf("%s: after a restart %+v", why, live)
		}
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAnEngineThatCannotStartSaysSoAndCanBeTriedAgain(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	h.stop()
	all := site.Handler(asFS(buildSite(t, "")), "/")
	var mended atomic.Bool
	var starts atomic.Int64
	h.startWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/engine.js") || mended.Load() {
			all.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Sec-Fetch-Dest") == "worker" { // not the service worker, which wants to keep it
			starts.Add(1)
		}
		http.Error(w, "not now", http.StatusInternalServerError)
	}))
	b := onDevice(t, h)
	b.expect("500 (Internal Server Error)")
	b.goTo("queue/")
	b.eventually("The engine could not be started.")
	if n := starts.Load(); n != 3 {
		t.Errorf("the engine was started %d times, want 3", n)
	}
	mended.Store(true)
	b.role("button", wordsOf("en").Get("error.again")).click()
	b.eventually("No jobs yet")
	b.seesNot("The engine could not be started.")
}
