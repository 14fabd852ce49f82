package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"retrylab/web/site"
)

// The code editors of the component page, as a person finds them.
const (
	pythonField = "Your queue in Python"
	scriptField = "Your queue in JavaScript"
)

// ctrl presses keys together with Ctrl.
func (b *tab) ctrl(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// enter presses Enter as the browser has it from a keyboard: a page that handles it gets no line break besides.
func (b *tab) enter() {
	b.t.Helper()
	for _, p := range []input.DispatchKeyEventParams{
		{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, Text: "\r"},
		{Type: input.DispatchKeyEventTypeKeyUp, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13},
	} {
		if err := call(b, input.DispatchKeyEvent, p); err != nil {
			b.t.Fatal(err)
		}
	}
}

// codeText is the program in an editor, as a page reads it.
func (e element) codeText() string {
	e.b.t.Helper()
	return on[string](e, `function() { return (this.closest("code-editor") ?? this.getRootNode().host)?.value ?? "" }`)
}

// codeIs waits for a program in an editor.
func (e element) codeIs(want string) {
	e.b.t.Helper()
	e.until(func() bool { return e.codeText() == want }, "holds "+want, e.codeText)
}

// typing says whether the keys go into the editor.
func (e element) typing() bool {
	e.b.t.Helper()
	return on[bool](e, `function() { return this.getRootNode().activeElement === this }`)
}

func (e element) description() string {
	e.b.t.Helper()
	nodes, err := e.nodes()
	if err != nil || len(nodes) == 0 || nodes[0].Description == nil {
		return ""
	}
	return string(nodes[0].Description.Value)
}

// codeMirror waits until the plain fields have become editors.
func (b *tab) codeMirror() {
	b.t.Helper()
	b.wait(`[...document.querySelectorAll("code-editor")].every((e) => e.shadowRoot?.querySelector("[role=textbox]"))`, "CodeMirror is there")
}

// components opens the page that shows the editors.
func components(t *testing.T, h *host) *tab {
	b := open(t, h)
	b.goTo("components/")
	return b
}

func TestAProgramIsTypedIntoTheCodeEditor(t *testing.T) {
	need(t)
	t.Parallel()
	b := components(t, theSite(t))
	b.codeMirror()
	python := b.role("textbox", pythonField)
	starter := python.codeText()
	python.click()
	b.ctrl("a")
	b.key("def f(n):")
	b.enter()
	b.key("return \"a\"")
	want := "def f(n):\n    return \"a\""
	python.codeIs(want) // the second line is indented

	// Each key draws the page anew. The cursor stays: what is typed in the middle comes in its order.
	b.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.key("# abc")
	b.enter()
	want = "# abc\n" + want
	python.codeIs(want)

	// The words of the language are bold, texts have a colour.
	style := func(word, property string) string {
		return on[string](python, `function(word, property) {
			const span = [...this.querySelectorAll(".cm-line span")].find((s) => s.textContent === word);
			return span ? getComputedStyle(span)[property] : "not marked";
		}`, word, property)
	}
	if got := style("def", "fontWeight"); got != "700" {
		t.Errorf("def is %s", got)
	}
	ink := on[string](python, `function() { return getComputedStyle(this).color }`)
	if got := style(`"a"`, "color"); got == ink || got == "not marked" {
		t.Errorf("a text is %s, and ink %s", got, ink)
	}

	// The page's own change is one step of undo.
	b.role("button", "Starter code").click()
	python.codeIs(starter)
	python.click()
	b.ctrl("z")
	python.codeIs(want)
	b.ctrl("y")
	python.codeIs(starter)
}

// A page may set the text while somebody types: the cursor stays where it was, and an equal text is no change.
func TestAPageSetsTheTextOfTheCodeEditor(t *testing.T) {
	need(t)
	t.Parallel()
	b := components(t, theSite(t))
	b.codeMirror()
	python := b.role("textbox", pythonField)
	starter := python.codeText()
	python.click()
	b.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.key("a")
	eval[bool](b, `(document.querySelector("#demo-python").value += "# end\n", true)`)
	b.key("b")
	python.codeIs("ab" + starter + "# end\n")
	eval[bool](b, `(() => { const e = document.querySelector("#demo-python"); e.value = e.value; e.value = e.value.replaceAll("\n", "\r\n"); return true; })()`)
	b.ctrl("z")
	python.codeIs("a" + starter + "# end\n")
	b.ctrl("z")
	python.codeIs("a" + starter)
	b.ctrl("z")
	python.codeIs(starter)
}

func TestTheCodeEditorAsksForARun(t *testing.T) {
	need(t)
	t.Parallel()
	b := components(t, theSite(t))
	b.codeMirror()
	script := b.role("textbox", scriptField)
	before := script.codeText()
	script.click()
	b.ctrl("\r")
	b.sees("Run asked for 1 time")
	b.ctrl("s")
	b.sees("Run asked for 2 times")
	if got := script.codeText(); got != before {
		t.Errorf("the keys have changed the program to %s", got)
	}
}

func TestTabLeavesTheCodeEditorUnlessItIsToIndent(t *testing.T) {
	need(t)
	t.Parallel()
	b := components(t, theSite(t))
	b.codeMirror()
	python := b.role("textbox", pythonField)
	before := python.codeText()
	python.click()
	b.key("\t")
	if script := b.role("textbox", scriptField); python.typing() || !script.typing() {
		t.Error("Tab does not lead from one editor to the next")
	}
	b.role("checkbox", "Tab indents (Escape, then Tab leaves the editor)").click()
	b.wait(`document.querySelector("#demo-python").getAttribute("tab-indents") === "true"`, "Tab indents")
	python.click()
	b.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.key("\t")
	python.codeIs("    " + before)
	b.key(kb.Escape + "\t")
	if python.typing() {
		t.Error("after Escape, Tab stays in the editor")
	}
	python.codeIs("    " + before)
}

func TestTheCodeEditorTellsWhatIsWrongInALine(t *testing.T) {
	need(t)
	t.Parallel()
	b := components(t, theSite(t))
	b.codeMirror()
	message := wordsOf("en").Get("components.code.msg")
	python := b.role("textbox", pythonField)
	if got := python.description(); !strings.Contains(got, "Line 4: "+message) || !strings.Contains(got, "Line 7: ") {
		t.Errorf("a screen reader is told %q", got)
	}
	if got := b.role("textbox", scriptField).description(); got != "" {
		t.Errorf("without marks a screen reader is told %q", got)
	}
	if shown := on[string](python, `function() { return this.querySelector(".cm-fault").textContent + "|" + this.querySelector(".cm-fault-message").innerText }`); shown != `    if now + wait > job["deadline"]:|`+message {
		t.Errorf("the first mark stands at %s", shown)
	}
	// The mark stays with its line.
	python.click()
	b.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.enter()
	b.enter()
	marked := on[[]string](python, `function() { return [...this.querySelectorAll(".cm-fault")].map((l) => l.textContent.trim().split(" ")[0]) }`)
	if strings.Join(marked, " ") != "if for" {
		t.Errorf("after two new lines the marks are at %q", marked)
	}

	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			b.theme(scheme)
			b.width(width)
			b.axe("the code editors, " + scheme)
			if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("in a window of %d the page is %d pixels wide", width, wide)
			}
		}
	}
}

func TestTheCodeEditorRefusesATextThatIsTooLong(t *testing.T) {
	need(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		wait func(b *tab)
		host func(t *testing.T) *host
	}{
		{"CodeMirror", (*tab).codeMirror, theSite},
		{"the plain field", func(b *tab) { b.expect("editor.js") }, withoutCodeMirror},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := components(t, c.host(t))
			c.wait(b)
			python := b.role("textbox", pythonField)
			before := python.codeText()
			// é has two bytes: this is shorter than 64 Ki letters, and longer than 64 KiB.
			paste := strings.Repeat("é", 40_000)
			on[chromedp.Void](python, `function() { this.focus() }`)
			b.paste(paste)
			b.sees(wordsOf("en").Get("codeeditor.toolong"))
			python.codeIs(before)
			b.paste("#" + strings.Repeat("x", 30_000))
			b.seesNot(wordsOf("en").Get("codeeditor.toolong"))
			if got := len(python.codeText()); got != len(before)+30_001 {
				t.Errorf("the program has %d bytes", got)
			}
		})
	}
}

// withoutCodeMirror is a site that has lost editor.js.
func withoutCodeMirror(t *testing.T) *host {
	h := theSite(t)
	all := site.Handler(asFS(buildSite(t, "")), "/")
	h.stop()
	h.startWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/editor.js") {
			http.Error(w, "lost", http.StatusNotFound)
			return
		}
		all.ServeHTTP(w, r)
	}))
	return h
}

func TestWithoutCodeMirrorAPlainFieldDoes(t *testing.T) {
	need(t)
	t.Parallel()
	b := components(t, withoutCodeMirror(t))
	b.expect("editor.js")
	python := b.role("textbox", pythonField)
	if tag := on[string](python, `function() { return this.tagName }`); tag != "TEXTAREA" {
		t.Fatalf("the editor is a %s", tag)
	}
	starter := python.codeText()
	python.fill("x = 1")
	python.codeIs("x = 1")
	b.ctrl("\r")
	b.sees("Run asked for 1 time")
	b.key("\t")
	if python.typing() {
		t.Error("Tab does not leave the field")
	}
	b.role("button", "Starter code").click()
	python.codeIs(starter)
	message := "Line 4: " + wordsOf("en").Get("components.code.msg")
	if got := python.description(); !strings.Contains(got, message) {
		t.Errorf("a screen reader is told %q", got)
	}
	if shown := eval[string](b, `document.querySelector("#demo-python").shadowRoot.querySelector("[role=status]").innerText`); !strings.Contains(shown, message) {
		t.Errorf("below the field stands %q", shown)
	}
	b.axe("the plain fields")
	b.width(390)
	b.axe("the plain fields, narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
}

// TestNothingIsLostWhenTheCodeEditorArrives types into the plain field while editor.js is on its way.
func TestNothingIsLostWhenTheCodeEditorArrives(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	all := site.Handler(asFS(buildSite(t, "")), "/")
	release := make(chan struct{})
	h.stop()
	h.startWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/editor.js") {
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
		}
		all.ServeHTTP(w, r)
	}))
	b := components(t, h)
	python := b.role("textbox", pythonField)
	python.fill("first = 1\nsecond = 2\n")
	on[chromedp.Void](python, `function() { this.setSelectionRange(10, 16) }`)
	close(release)
	b.codeMirror()
	if !python.typing() {
		t.Error("the editor has lost the keyboard")
	}
	python.codeIs("first = 1\nsecond = 2\n")
	b.key("third")
	python.codeIs("first = 1\nthird = 2\n")
}

// TestNothingIsLostWhenThePagesProgramArrives types into CodeMirror before the page's program has drawn the page
// anew.
func TestNothingIsLostWhenThePagesProgramArrives(t *testing.T) {
	need(t)
	t.Parallel()
	h := theSite(t)
	release := make(chan struct{})
	h.stop()
	h.startWith(held(buildSite(t, ""), release))
	b := open(t, h)
	b.load("components/")
	b.codeMirror()
	python := b.role("textbox", pythonField)
	python.click()
	b.ctrl("a")
	b.key("early = 1")
	python.codeIs("early = 1")
	close(release)
	b.ready()
	b.codeMirror()
	python.codeIs("early = 1")
	if !python.typing() {
		t.Error("the editor has lost the keyboard")
	}
	b.role("button", "Starter code").click()
	python.until(func() bool { return strings.HasPrefix(python.codeText(), "def run_once") }, "holds the starter code", python.codeText)
}
