package e2e

import (
	"bufio"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// quizSource is the editor of the author page.
func quizSource(b *tab) element { return b.role("textbox", "The quiz as YAML") }

// openAuthor opens the author page and waits until its editor is there and the quiz is checked.
func openAuthor(b *tab, address string) {
	b.t.Helper()
	b.goTo(address)
	authorReady(b)
}

// authorReady waits until the editor is there.
func authorReady(b *tab) {
	b.t.Helper()
	b.wait(`document.querySelector("code-editor")?.shadowRoot.querySelector("[role=textbox]")`, "the editor is there")
}

// sourceHas waits until the editor holds a text.
func sourceHas(b *tab, text string) {
	b.t.Helper()
	quizSource(b).until(func() bool { return strings.Contains(quizSource(b).codeText(), text) }, "holds "+text, quizSource(b).codeText)
}

// write puts a text in the place of what the editor holds, as a person who selects all and pastes.
func write(b *tab, text string) {
	b.t.Helper()
	quizSource(b).click()
	b.ctrl("a")
	b.paste(text)
	quizSource(b).until(func() bool { return quizSource(b).codeText() == text }, "holds what was written", quizSource(b).codeText)
}

// openFile chooses a file of the device.
func openFile(b *tab, name, text string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	labelled, err := ask(b, runtime.Evaluate, runtime.EvaluateParams{Expression: `[...document.querySelectorAll("label")].find((l) => l.innerText === "Open a file").control`})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := call(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, ObjectID: labelled.Result.ObjectID}); err != nil {
		b.t.Fatal(err)
	}
}

const oneQuestion = `quiz: one
title: {en: One, ja: 一}
questions:
- id: wait
  kind: number
  given: {attempt: [1, 2, 3], base_ms: [100], cap_ms: [150, 1000], jitter: [1]}
  ask: {en: "How long after failure {attempt}?", ja: "{attempt}回目の失敗のあとは。"}
  unit: {en: ms, ja: ms}
  key: delay
  mistakes: [no_cap]
`

func TestAQuizIsCheckedWhileItIsWritten(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openAuthor(b, "author/")
	b.sees("This is an example.")
	b.sees("No problems")
	b.sees("Variant ")
	b.axe("the author page")
	b.shot("author-light")
	b.theme("dark")
	b.width(390)
	b.axe("the author page, dark and narrow")
	b.shot("author-dark-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
	b.width(1280)
	b.shot("author-dark")
	b.theme("light")

	// What keeps it from being read: the line is marked, and the preview stays.
	write(b, strings.Replace(oneQuestion, "kind: number", "kind: numbr", 1))
	b.sees("1 problem")
	b.sees("unknown kind numbr, did you mean number?")
	b.role("list", "Problems").sees("5:9")
	if marks := eval[int](b, `document.querySelector("code-editor").shadowRoot.querySelectorAll(".cm-fault").length`); marks != 1 {
		t.Errorf("%d lines are marked", marks)
	}
	b.sees("This is from the last text that could be read.")
	b.role("button", "5:9, go to this line and column").click()
	quizSource(b).until(quizSource(b).typing, "has the keyboard", b.visible)
	b.paste("x")
	sourceHas(b, "  kind: xnumbr")
	b.axe("a quiz with a problem")
	b.shot("author-problem")
	b.theme("dark")
	b.width(390)
	b.shot("author-problem-dark-narrow")
	b.width(1280)
	b.theme("light")

	// What makes it a bad one: a mistake that never differs.
	write(b, strings.Replace(oneQuestion, "cap_ms: [150, 1000]", "cap_ms: [1000]", 1))
	b.sees("the mistake no_cap never differs from the key")
	b.role("list", "Problems").sees("10:14")
	write(b, oneQuestion)
	b.sees("No problems")
	b.sees("How long after failure")

	// Undo of the editor goes back.
	quizSource(b).click()
	b.ctrl("z")
	sourceHas(b, "cap_ms: [1000]")
	b.sees("the mistake no_cap never differs from the key")
}

func TestEveryVariantIsSeenAndTriedAsAStudent(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openAuthor(b, "author/")
	write(b, oneQuestion)
	b.sees("How long after failure")
	b.sees("No problems")
	main := b.role("main", "")
	b.role("button", "List the variants").click()
	b.wait(`[...document.querySelectorAll("h2")].find((h) => h.innerText === "Variants").closest("section").querySelectorAll("tbody tr").length === 6`, "all six variants are listed")
	b.axe("the list of variants")

	// From seed to seed, until no_cap has an answer of its own.
	cells := `[...[...document.querySelectorAll("h3")].find((h) => h.innerText === "Key and feedback in this variant").parentElement.querySelectorAll("tbody tr")].map((r) => r.innerText).join("|")`
	for n := 0; ; n++ {
		text := eval[string](b, cells)
		if strings.Contains(text, "ms\tno_cap") || n > 6 {
			break
		}
		before := main.text()
		b.role("button", "Next variant").click()
		main.until(func() bool { return main.text() != before }, "shows another variant", main.text)
		b.wait(`!document.querySelector(".author-which").matches("[aria-busy]")`, "it is there")
	}
	rows := strings.Split(eval[string](b, cells), "|")
	if len(rows) != 2 || !strings.Contains(rows[0], "key") || !strings.Contains(rows[0], "min(") || !strings.Contains(rows[1], "no_cap") {
		t.Fatalf("%q", rows)
	}
	key, wrong, _ := strings.Cut(rows[0], " ms")
	wrong, _, _ = strings.Cut(rows[1], " ms")
	answer := b.role("textbox", "Your answer")
	answer.fill(wrong)
	b.role("button", "Check").click()
	b.sees("Not this time.")
	b.sees("See a queue with this misunderstanding")
	answer.fill(key)
	b.role("button", "Check again").click()
	b.sees("Right.")
	b.axe("a question that was tried")
	b.shot("author-tried")
	b.theme("dark")
	b.width(390)
	b.shot("author-tried-dark-narrow")
	b.width(1280)
	b.theme("light")
	b.role("button", "New variant").click()
	b.seesNot("Right.\n")
	answer.until(func() bool { return answer.value() == "" }, "is empty again", answer.value)

	// In the other language, and with a seed of one's own.
	b.role("radio", "JA").click()
	b.sees("回目の失敗のあとは")
	b.role("textbox", "Seed").fill("4")
	b.sees("Variant ")

	// Nothing of it is among the answers of a student.
	b.goTo("quiz/")
	b.eventually("0 of 10 answered")
	b.role("button", "Save to a file").click()
	b.sees("There is no answer yet, so there is nothing to save.")
}

func TestDraftsStayOnTheDeviceAndNothingIsLost(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openAuthor(b, "author/")
	b.sees("No problems")
	write(b, oneQuestion)
	b.role("list", "Drafts on this device").sees("in the editor")
	b.reload()
	authorReady(b)
	b.sees("Your latest draft is back.")
	sourceHas(b, "quiz: one")

	// What was written a moment before the page is left is kept too.
	write(b, strings.Replace(oneQuestion, "quiz: one", "quiz: hurry", 1))
	b.role("link", "Quiz").click()
	b.sees("Save your answers")
	b.role("link", "Write a quiz").click()
	authorReady(b)
	b.sees("Your latest draft is back.")
	sourceHas(b, "quiz: hurry")
	write(b, oneQuestion)

	// A quiz of the site, another start, and back.
	b.goTo("quiz/?name=cap-and-deadline")
	b.role("link", "See how this quiz is written").click()
	authorReady(b)
	b.sees("This is a copy of a quiz of this site.")
	sourceHas(b, "quiz: cap-and-deadline")
	b.sees("No problems")
	b.role("combobox", "Start from").choose("An empty quiz")
	b.role("button", "Start").click()
	sourceHas(b, "A wrong answer")
	b.role("button", "Undo").click()
	sourceHas(b, "quiz: cap-and-deadline")
	b.role("button", "Undo").click()
	sourceHas(b, "A wrong answer")

	b.sees("What do you ask?") // from here on nothing moves
	b.sees("No problems")

	// The draft is there, can be removed, and that can be taken back.
	drafts := b.role("list", "Drafts on this device")
	drafts.sees("my-quiz.yaml")
	name := eval[string](b, `[...document.querySelectorAll("button")].find((b) => b.getAttribute("aria-label")?.startsWith("Remove the draft my-quiz")).getAttribute("aria-label")`)
	b.role("button", name).click()
	b.sees("The draft my-quiz.yaml was removed.")
	b.sees("What you write is kept here by itself.")
	b.role("button", "Bring it back").click()
	drafts.sees("my-quiz.yaml")
	b.role("button", strings.Replace(name, "Remove", "Open", 1)).click()
	sourceHas(b, "quiz: one")
}

func TestFilesAndLinksCarryAQuiz(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openAuthor(b, "author/")
	b.sees("No problems")
	openFile(b, "Second Week.yaml", oneQuestion)
	sourceHas(b, "quiz: one")
	b.role("heading", "second-week.yaml").object()
	b.sees("The file is open.")
	// Files that cannot be edited change nothing.
	openFile(b, "large.yaml", strings.Repeat("# much\n", 20_000))
	b.sees("That file cannot be edited here.")
	sourceHas(b, "quiz: one")
	openFile(b, "image.yaml", "\x89PNG\x00")
	b.sees("image.yaml")
	openFile(b, "latin1.yaml", "quiz: W\xe4hle\n")
	b.sees("That file is not in UTF-8.")
	sourceHas(b, "quiz: one")

	// A file that is dropped takes the place of the text, wherever it is dropped.
	eval[bool](b, `(() => {
		const data = new DataTransfer();
		data.items.add(new File([`+quote(strings.Replace(oneQuestion, "quiz: one", "quiz: dropped", 1))+`], "dropped.yaml", { type: "text/yaml" }));
		const over = document.querySelector("code-editor").shadowRoot.querySelector("[role=textbox]");
		for (const kind of ["dragover", "drop"]) over.dispatchEvent(new DragEvent(kind, { bubbles: true, composed: true, cancelable: true, dataTransfer: data }));
		return true;
	})()`)
	sourceHas(b, "quiz: dropped")
	if text := quizSource(b).codeText(); strings.Count(text, "questions:") != 1 {
		t.Errorf("the file was put into the text: %s", text)
	}

	// Saving gives the browser the file as it is.
	eval[bool](b, `(() => {
		URL.createObjectURL = (blob) => { globalThis.offered = blob; return "blob:none"; };
		HTMLAnchorElement.prototype.click = function() { globalThis.offeredAs = this.download; };
		return true;
	})()`)
	b.role("button", "Save as a file").click()
	b.wait(`globalThis.offeredAs === "dropped.yaml"`, "the file is offered")
	if text := eval[string](b, `globalThis.offered.text()`); text != quizSource(b).codeText() {
		t.Errorf("saved: %q", text)
	}

	b.role("button", "Share by link").click()
	link := b.role("textbox", "The link to this quiz")
	link.until(func() bool { return strings.Contains(link.value(), "#q=") }, "holds the quiz", link.value)
	b.axe("a quiz to share")
	b.shot("author-share")
	address := link.value()
	b.goTo("quiz/")
	b.goTo(strings.TrimPrefix(address, b.host.url("")))
	authorReady(b)
	b.sees("This quiz came with the link.")
	sourceHas(b, "quiz: dropped")
	b.sees("No problems")
	b.reload() // as long as nobody has changed it, it is there again
	authorReady(b)
	sourceHas(b, "quiz: dropped")
	quizSource(b).click()
	b.paste("# mine ")
	b.wait(`location.hash === ""`, "the address no longer holds the quiz")
	b.role("list", "Drafts on this device").sees("quiz.yaml")
	b.reload()
	authorReady(b)
	b.sees("Your latest draft is back.")
	sourceHas(b, "# mine ")

	// Too long, and cut off.
	write(b, oneQuestion+strings.Repeat("# padding\n", 1300))
	b.role("button", "Share by link").click()
	b.sees("This quiz is too long for a link.")
	b.goTo("author/?bad#q=%%%")
	b.sees("The link holds no quiz that can be read.")
}

// TestAHostileQuizCanDoNothing opens files that are made to run a script, to ask another host, to grow without end,
// or to bring the page down. The tab fails the test for each request to another host and each error.
func TestAHostileQuizCanDoNothing(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openAuthor(b, "author/")
	b.sees("No problems")
	head := "quiz: hostile\ntitle: x\nquestions:\n"
	html := `<img src=https://evil.example/x onerror='globalThis.caught=1'><script>globalThis.caught=1</script>[a](javascript:globalThis.caught=1) ![i](https://evil.example/i)`
	for _, c := range []struct{ name, text, sees string }{
		{"script", head + "- id: a\n  kind: choice\n  ask: {en: \"" + html + "\"}\n  hints: [{en: \"" + html + "\"}]\n  options: [{text: {en: \"" + html + "\"}, right: true}, {text: {en: b}, why: {en: \"" + html + "\"}}]\n", "<img src=https://evil.example/x"},
		{"script in a message", "quiz: \"" + html + "\"\ntitle: x\nquestions: []\n", "the quiz's name is"},
		{"script in a name", head + "- {id: a, kind: \"" + html + "\", ask: x}\n", "unknown kind"},
		{"depth", strings.Repeat("[", 60_000), "problem"},
		{"depth of maps", strings.Repeat("{a: ", 16_000), "problem"},
		{"expansion", head + "- {id: a, kind: number, unit: ms, given: {a: \"" + strings.Repeat("x", 200) + "\"}, ask: \"" + strings.Repeat("{a}", 1300) + "\", key: {value: 5}}\n", "No problems"},
		{"aliases", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchors and aliases"},
		{"many questions", head + strings.Repeat("- {}\n", 10_000), "at most 100 are read"},
		{"many variants", head + "- {id: a, kind: number, unit: ms, given: {attempt: {from: 1, to: 1000}, base_ms: {from: 1, to: 1000}, cap_ms: {from: 1, to: 1000}, jitter: 1}, ask: \"{attempt}\", key: delay, mistakes: [no_cap]}\n", "of 1000000000"},
	} {
		t.Log(c.name)
		openFile(b, "hostile.yaml", c.text)
		quizSource(b).until(func() bool { return quizSource(b).codeText() == c.text }, "holds the file", func() string { return c.name })
		b.sees(c.sees)
		b.wait(`!document.querySelector(".state.is-idle")`, "the check of "+c.name+" ends")
		if eval[bool](b, `globalThis.caught === 1 || document.querySelector("main img, main script, main a[href^=javascript]") !== null`) {
			t.Errorf("%s: the file has put something into the page", c.name)
		}
	}
	b.role("button", "List the variants").click()
	b.wait(`document.querySelectorAll("[aria-labelledby=author-list-h] tbody tr").length === 10`, "ten of a billion are listed")
	// As a link, too.
	b.goTo("quiz/")
	b.goTo("author/#q=" + base64.RawURLEncoding.EncodeToString([]byte(head+"- {id: a, kind: choice, ask: \"<img src=x onerror=globalThis.caught=1>\", options: [{text: a, right: true}, {text: b, why: c}]}\n")))
	authorReady(b)
	b.sees("<img src=x onerror=globalThis.caught=1>")
	if eval[bool](b, `globalThis.caught === 1`) {
		t.Error("a link has run a script")
	}
	// And the page still works.
	write(b, oneQuestion)
	b.sees("No problems")
	b.sees("How long after failure")
}

// TestAPreviewFollowsTheFile runs the command on a file that another program saves.
func TestAPreviewFollowsTheFile(t *testing.T) {
	need(t)
	t.Parallel()
	files := buildIfWanted(t)
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "my-week.yaml")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(oneQuestion)
	preview := exec.Command(filepath.Join("..", "build", "server"), "quiz", "preview", "-dir", dir, file)
	out, err := preview.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := preview.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		preview.Process.Signal(os.Interrupt)
		preview.Wait()
	})
	said := bufio.NewScanner(out)
	if !said.Scan() {
		t.Fatal("the preview says nothing")
	}
	_, rest, _ := strings.Cut(said.Text(), "http://")
	addr, path, _ := strings.Cut(strings.Fields(rest)[0], "/")
	go func() {
		for said.Scan() { // it must not wait for a reader
		}
	}()
	b := open(t, &host{t: t, addr: addr, base: "/"})
	b.expect("404") // of sw.js: there is no offline use of a preview
	openAuthor(b, path)
	sourceHas(b, "quiz: one")
	b.role("heading", "my-week.yaml").object()
	b.sees("No problems")

	save(strings.Replace(oneQuestion, "quiz: one", "quiz: saved", 1))
	sourceHas(b, "quiz: saved")
	b.sees("The file was saved, and is here as it is now.")
	save(strings.Replace(oneQuestion, "kind: number", "kind: numbr", 1))
	b.sees("did you mean number?")
	b.role("button", "Undo").click()
	sourceHas(b, "quiz: saved")
}
