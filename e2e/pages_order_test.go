package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"retrylab/web/site"
)

const arranged = `quiz: arranged
title: {en: Arranged}
questions:
- id: one-run
  kind: order
  ask: {en: "What does one run do?"}
  items:
  - text: {en: "It reads the clock"}
    why: {en: "Everything that follows needs the time."}
  - text: {en: "It claims a job"}
    why: {en: "Only a claimed job may be sent."}
  - text: {en: "It sends"}
    why: {en: "The attempt is counted before."}
- id: failures
  kind: match
  ask: {en: "Which kind of failure is it?"}
  pairs:
  - {text: {en: "503"}, with: {en: retryable}, why: {en: "It may be well again soon."}}
  - {text: {en: "404"}, with: {en: permanent}, why: {en: "It will not be there later either."}}
  - {text: {en: "A timeout"}, with: {en: unknown}, why: {en: "It may have happened all the same."}}
  extra: [{en: "none of these"}]
`

// arrangedQuiz opens a quiz with an order and a match.
func arrangedQuiz(t *testing.T) *tab {
	files := changed(buildIfWanted(t), func(name string, data []byte) []byte {
		if name == "quiz/index.json" {
			return []byte(`{"files": ["arranged.yaml"]}`)
		}
		return data
	})
	files["quiz/arranged.yaml"] = []byte(arranged)
	b := open(t, serve(t, site.Files(files), "/"))
	b.goTo("quiz/?name=arranged")
	b.eventually("Question 1, put in order")
	return b
}

// items are the items of the order, from first to last.
func (b *tab) items() []string {
	b.t.Helper()
	list := eval[string](b, `[...document.querySelectorAll(".order-item > div > span:first-child")].map((e) => e.innerText).join("|")`)
	return strings.Split(list, "|")
}

var rightOrder = []string{"It reads the clock", "It claims a job", "It sends"}

func TestItemsArePutInOrderWithTheKeyboardAndTheMouse(t *testing.T) {
	need(t)
	t.Parallel()
	b := arrangedQuiz(t)
	first := b.items()
	if slices.Equal(first, rightOrder) {
		t.Fatal("the items stand in their right order to begin with")
	}
	b.role("button", "Check").click()
	b.sees("stands elsewhere")
	if text := b.visible(); strings.Contains(text, "Right.\n") {
		t.Error("a wrong order is right")
	}
	b.axe("an order that is wrong")
	b.shot("order-wrong")

	// A button moves its item by one place, and keeps the keyboard, also at the end of the list.
	last := b.items()[2]
	up := b.role("button", "Move up: "+last+", now at place 3")
	on[bool](up, `function() { this.focus(); return true }`)
	b.enter()
	moved := b.role("button", "Move up: "+last+", now at place 2")
	moved.until(moved.focused, "has the keyboard", b.visible)
	b.enter()
	down := b.role("button", "Move down: "+last+", now at place 1")
	down.until(down.focused, "has the keyboard at the top of the list", b.visible)
	if got := b.items(); got[0] != last {
		t.Errorf("%s is not first in %v", last, got)
	}
	b.key(kb.Tab)

	// Into their right order with the mouse.
	for at, want := range rightOrder {
		for {
			items := b.items()
			now := slices.Index(items, want)
			if now <= at {
				break
			}
			b.role("button", "Move up: "+want+", now at place "+string(rune('1'+now))).click()
			b.wait(`[...document.querySelectorAll(".order-item > div > span:first-child")][`+string(rune('0'+now-1))+`].innerText === `+quote(want), want+" has moved")
		}
	}
	b.role("button", "Check again").click()
	b.sees("Right.")
	b.seesNot("stands elsewhere")
	b.sees("1 of 2 answered, 1 right.")
	b.theme("dark")
	b.width(390)
	b.axe("an order on a phone, dark")
	b.shot("order-dark-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
	b.reload()
	b.eventually("1 of 2 answered, 1 right.")
	if got := b.items(); !slices.Equal(got, rightOrder) {
		t.Errorf("after the reload the order is %v", got)
	}
}

func TestRowsAreMatchedWithTheirOptions(t *testing.T) {
	need(t)
	t.Parallel()
	b := arrangedQuiz(t)
	b.role("button", "Check").click()
	b.role("button", "Next question").click()
	b.sees("Question 2, what belongs together")
	heading := b.role("heading", "Which kind of failure is it?")
	heading.until(heading.focused, "has the keyboard", b.visible)
	check := b.role("button", "Check")

	// Nothing is marked before each row has something.
	b.role("combobox", "503").choose("retryable")
	check.click()
	b.sees("choose something in each row")
	b.role("combobox", "404").choose("none of these")
	b.role("combobox", "A timeout").choose("unknown")
	check.click()
	b.sees("Partly right.")
	b.sees("belongs to another")
	b.sees("It will not be there later either.")
	if text := b.visible(); strings.Contains(text, "It may be well again soon.") {
		t.Error("a row that is right is told what is wrong with it")
	}
	b.axe("a match that is partly right")
	b.shot("match-part")
	b.role("button", "Show the answer").at(b.role("button", "Show the answer").count() - 1).click()
	b.sees("These belong together:")
	b.sees("404: permanent")
	b.role("combobox", "404").choose("permanent")
	b.seesNot("belongs to another") // what was said was about another choice
	b.role("button", "Check again").at(b.role("button", "Check again").count() - 1).click()
	b.sees("2 of 2 answered, 1 right.")
	b.theme("dark")
	b.width(390)
	b.axe("a match on a phone, dark")
	b.shot("match-dark-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
	b.reload()
	b.eventually("2 of 2 answered, 1 right.")
	for row, want := range map[string]string{"503": "retryable", "404": "permanent", "A timeout": "unknown"} {
		list := b.role("combobox", row)
		if got := on[string](list, `function() { return this.selectedOptions[0].text }`); got != want {
			t.Errorf("after the reload %s is matched with %s", row, got)
		}
	}

	// A new variant begins with nothing chosen.
	b.role("button", "New variant").at(1).click()
	list := b.role("combobox", "503")
	list.until(func() bool { return on[string](list, `function() { return this.value }`) == "" }, "is empty again", b.visible)
}
