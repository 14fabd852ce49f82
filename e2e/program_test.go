package e2e

import (
	"strings"
	"testing"

	"retrylab/lab/student"
)

// openLab opens the lab with a program in a language in its editor, put there as a paste.
func openLab(t *testing.T, h *host, language, source string) *tab {
	t.Helper()
	b := open(t, h)
	b.goTo("lab/?subject=" + language)
	b.eventually("checks, not run")
	b.codeMirror()
	b.write(language, source)
	return b
}

// programField is the editor's field.
func (b *tab) programField(language string) element {
	return b.role("textbox", "Your program in "+map[string]string{"python": "Python", "javascript": "JavaScript"}[language])
}

// write replaces the program by another one.
func (b *tab) write(language, source string) {
	b.t.Helper()
	field := b.programField(language)
	field.click()
	b.ctrl("a")
	b.paste(source)
	field.codeIs(source)
}

// run runs the checks and waits for the end.
func (b *tab) runProgram() {
	b.t.Helper()
	b.role("button", "Run the checks").click()
	b.wait(`!document.querySelector(".verdict")`, "the run has begun")
	b.wait(`/It took|could not be run|ended early/.test(document.querySelector(".verdict")?.innerText)`, "the run has ended")
}

func (b *tab) verdict() string {
	return eval[string](b, `document.querySelector(".verdict").innerText`)
}

func TestAStudentsProgramPassesTheLabAndItsPartsStayFinishedAndAFaultInItSaysWhere(t *testing.T) {
	need(t)
	t.Parallel()
	for _, language := range []string{"python", "javascript"} {
		t.Run(language, func(t *testing.T) {
			source := modelSolution(t, student.Language(language))
			b := openLab(t, theSite(t), language, source)
			b.runProgram()
			if got := b.verdict(); !strings.Contains(got, "checks pass.") {
				t.Fatal(got)
			}
			b.role("DisclosureTriangle", "The same id keeps its deadline passed").click()
			b.sees("result created") // its steps are played for whoever looks
			b.axe("a program that passes")
			b.shot("program-" + language)

			// What does not parse says where. It is kept like every other text, and the parts stay finished.
			broken, line := "def f(:\n    pass\n", "line 1"
			if language == "javascript" {
				broken, line = "const a = 1;\nfunction f( {\n", "line 2"
			}
			b.write(language, broken)
			b.runProgram()
			if got := b.verdict(); !strings.Contains(got, "could not be run: "+line) || !strings.Contains(got, "SyntaxError") {
				t.Error(got)
			}
			b.sees("saved on this device at")
			b.reload()
			b.eventually("checks, not run")
			b.codeMirror()
			b.programField(language).codeIs(broken)
			for _, part := range []string{"1 The delay", "2 The queue", "3 Leases", "4 Requeue"} {
				b.wait(`[...document.querySelectorAll(".part b")].some((b) => b.textContent.replace(/\s+/g, " ").trim() === `+quote(part+" finished")+`)`, part+" is finished")
			}
		})
	}
}

func TestAProgramRunsOfflineAfterOneVisit(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	b := openLab(t, h, "python", modelSolution(t, student.Python))
	b.role("button", "Run part 1").click()
	b.wait(`/checks pass/.test(document.querySelector(".verdict")?.innerText)`, "part 1 has passed")
	b.wait(`navigator.serviceWorker.controller !== null`, "the service worker is there")
	b.wait(`(async () => { for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) if (r.url.includes("pyodide.asm.wasm")) return true; return false; })()`, "Python is kept")
	b.offline()
	h.stop()
	b.reload()
	b.eventually("checks, not run")
	b.codeMirror()
	b.role("button", "Run part 1").click()
	b.wait(`/checks pass/.test(document.querySelector(".verdict")?.innerText)`, "part 1 has passed offline")
}

func TestAFailureIsShownAtItsLineWithHints(t *testing.T) {
	need(t)
	t.Parallel()
	source := strings.Replace(modelSolution(t, student.Python), `wait >= job["deadline"] - now`, `wait > job["deadline"] - now`, 1)
	b := openLab(t, theSite(t), "python", source)
	b.runProgram()
	got := b.verdict()
	if !strings.Contains(got, "fail") {
		t.Fatal(got)
	}
	// How it ended stands beside the button too, and leads to the first of the failures.
	ended, _, _ := strings.Cut(got, "\n")
	b.role("link", ended).click()
	b.wait(`document.querySelector(location.hash + " details.is-fail").open`, "the first failed check is open")
	b.wait(`(() => { const r = document.querySelector(location.hash).getBoundingClientRect(); return r.top >= 0 && r.top < innerHeight; })()`, "it is in sight")
	b.role("DisclosureTriangle", "A wait that ends on the deadline is too long failed at step 4").click()
	b.role("radio", "Failed").click()
	b.role("DisclosureTriangle", "A wait that ends on the deadline is too long failed at step 4").click()
	b.sees("wanted")
	b.sees("deadline")
	b.role("button", "A hint").click()
	b.role("button", "Hint 2 of 2").click()
	b.sees("The idea:")
	b.axe("a failed check with hints")

	// An error is marked where it happened.
	b.role("radio", "All").click()
	b.write("python", "def retry_delay(attempt, base_ms, cap_ms, jitter):\n    return base_ms / 0\n")
	b.role("button", "Run part 1").click()
	b.wait(`document.querySelector("code-editor").shadowRoot.querySelector(".cm-fault-message")?.textContent.includes("ZeroDivisionError: division by zero")`, "the line is marked")
	b.role("DisclosureTriangle", "The first wait is the base failed at step 1").click()
	b.sees("line 2: ZeroDivisionError: division by zero")
	b.role("button", "Go to line 2").click()
	b.wait(`(() => { const editor = document.querySelector("code-editor").shadowRoot;
		return editor.activeElement?.matches(".cm-content") && editor.querySelector(".cm-activeLine")?.textContent.includes("base_ms / 0"); })()`, "the cursor is in line 2")
	b.width(390)
	b.theme("dark")
	b.axe("a failed program, dark and narrow")
	b.shot("program-fails-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
}

func TestAResetCanBeUndone(t *testing.T) {
	need(t)
	t.Parallel()
	b := openLab(t, theSite(t), "javascript", "// mine\n")
	b.role("button", "Start again").click()
	b.wait(`document.querySelector("code-editor").value.includes("not written yet")`, "the starter is back")
	b.role("button", "Undo the last “Start again”").click()
	b.programField("javascript").codeIs("// mine\n")
}

func TestThePanelAsksTheProgramToo(t *testing.T) {
	need(t)
	t.Parallel()
	b := openLab(t, theSite(t), "javascript", "function retryDelay(attempt) { if (attempt === true) throw new TypeError('no booleans'); return attempt * 2; }\n")
	b.runProgram()
	b.role("textbox", "attempt").fill("21")
	b.sees("Your code\n42 ms")
	b.role("textbox", "attempt").fill("true")
	b.sees("TypeError: no booleans (line 1)")
}

// longTasks watches for tasks of the page's thread that keep it from answering a person.
func (b *tab) watchTasks() {
	eval[bool](b, `(() => {
		window.longTasks = [];
		new PerformanceObserver((list) => { for (const e of list.getEntries()) longTasks.push(Math.round(e.duration)); }).observe({ type: "longtask" });
		return true;
	})()`)
}

// A hostile program ends as failed checks that say why, and the page works on. The two languages run beside each other,
// but beside no other tests: what uses up its memory within five seconds would be out of time first.
func TestHostileProgramsEndAsFailedChecks(t *testing.T) {
	need(t)
	const endless = "did not come to an end within 5 s"
	for language, cases := range map[string][]struct{ name, body, says string }{
		"python": {
			{"an endless loop", "while True:\n        try:\n            while True: pass\n        except BaseException: pass", endless},
			{"runaway memory", "a = [0]\n    while True: a = a + a", "MemoryError"},
			{"deep recursion", "return retry_delay(attempt, base_ms, cap_ms, jitter)", "RecursionError"},
			{"a catastrophic pattern", "import re\n    re.match(r'(a+)+$', 'a' * 60 + 'b')", endless},
			{"a flood of prints", "for i in range(200000): print('flood', i)\n    return 1", "flood 0"},
			{"the end of the process", "import sys; sys.exit(3)", "SystemExit"},
			{"a huge error", "raise RuntimeError('x' * 10000000)", "RuntimeError: xxx"},
			{"a huge text", "return 'x' * 10000000", "a value of type str of 10000000 characters"},
			{"other classes and modules", "import math, collections\n    math.floor = lambda x: 7\n    Retryable.__init__ = None\n    collections.OrderedDict.pop = None\n    return 1", "wanted"},
			{"other built-in names", "import builtins, json; json.dumps = None; builtins.len = lambda x: 0; builtins.isinstance = None; return 1", "wanted"},
		},
		"javascript": {
			{"an endless loop", "for (;;) { try { for (;;); } catch {} }", endless},
			{"runaway memory", "let a = [0]; for (;;) a = a.concat(a);", "out of memory"},
			{"memory in pieces", "const a = []; for (;;) a.push('x'.repeat(1 << 20) + a.length);", "out of memory"},
			{"memory that is kept", "const a = (globalThis.hoard ??= []); for (;;) a.push(new Uint8Array(1 << 10));", "out of memory"},
			{"deep recursion", "return retryDelay(attempt, baseMs, capMs, jitter);", "stack"},
			{"a catastrophic pattern", "/(a+)+$/.test('a'.repeat(60) + 'b');", endless},
			{"a flood of prints", "for (let i = 0; i < 200000; i++) console.log('flood', i); return 1;", "flood 0"},
			{"a huge error", "throw new Error('x'.repeat(10000000));", "Error: xxx"},
			{"a promise", "return Promise.resolve(1);", "a value of type Promise"},
			{"other prototypes", "Array.prototype.map = null; Object.prototype.toJSON = () => 1; return 1;", "wanted"},
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			b := openLab(t, theSite(t), language, modelSolution(t, student.Language(language)))
			partOne := func() string {
				b.role("button", "Run part 1").click()
				b.wait(`!document.querySelector(".verdict")`, "the run has begun")
				b.wait(`/It took|ended early|could not be run/.test(document.querySelector(".verdict")?.innerText)`, "the run has ended")
				return b.verdict()
			}
			partOne() // the interpreter is up
			b.watchTasks()
			failed := map[string]string{}
			for _, c := range cases {
				// Only the first step of the first check meets it: others would take as long again.
				source := "def retry_delay(attempt, base_ms, cap_ms, jitter):\n    if (attempt, base_ms, cap_ms, jitter) != (1, 100, 1000, 1): return 0\n    " + c.body + "\n"
				if language == "javascript" {
					source = "function retryDelay(attempt, baseMs, capMs, jitter) {\n  if (`${[attempt, baseMs, capMs, jitter]}` !== '1,100,1000,1') return 0;\n  " + c.body + "\n}\n"
				}
				b.write(language, source)
				verdict := partOne()
				failed[c.name], _, _ = strings.Cut(verdict, ".")
				said := eval[string](b, `(() => { const d = document.querySelector("#the-first-wait-is-the-base details"); d.open = true; return d.innerText; })()`)
				b.wait(`document.querySelector("#the-first-wait-is-the-base .check-body").innerText.includes(`+quote(c.says)+`)`, c.name+" says "+c.says+"; "+verdict+said)
			}
			// One check that does not end costs no other one.
			if got, want := failed["an endless loop"], failed["deep recursion"]; got != want || !strings.Contains(got, "checks fail") {
				t.Errorf("with an endless loop in one check %s, with an error there %s", got, want)
			}
			b.write(language, modelSolution(t, student.Language(language)))
			if got := partOne(); !strings.Contains(got, "checks pass") {
				t.Errorf("a right program afterwards: %s", got)
			}
			t.Log("tasks of the page's thread over 50 ms, ms:", eval[[]int](b, `longTasks`))
		})
	}
}
