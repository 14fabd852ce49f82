package e2e

import (
	"strings"
	"testing"
)

// openQuestion is the id of the question on the page that has no answer yet.
const openQuestion = `[...document.querySelectorAll(".q")].find((q) => q.querySelector(".q-no:not(.is-right):not(.is-wrong):not(.is-warn)"))?.id ?? ""`

func TestAQuizIsAnsweredToItsEnd(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("quiz/")
	b.eventually("0 of 10 answered")
	b.role("link", "Cap and deadline 0 of 10 answered, 0 right.").click()
	b.eventually("Question 1, a number")
	b.role("button", "Open hint 1 of 3").click()
	b.role("button", "Open hint 2 of 3").click()
	b.role("button", "Open the last hint").click()
	b.axe("a question with its hints")

	// A first answer that cannot be right, then the one that the page tells.
	for n := range 10 {
		b.wait(openQuestion+` !== ""`, "a question is open")
		id := eval[string](b, openQuestion)
		q := `document.getElementById(` + quote(id) + `)`
		number := eval[bool](b, q+`.querySelector("input[type=text]") !== null`)
		if number {
			b.role("textbox", "Your answer").at(eval[int](b, `[...document.querySelectorAll(".q input[type=text]")].indexOf(`+q+`.querySelector("input[type=text]"))`)).fill("7777777")
		} else {
			eval[bool](b, q+`.querySelector("input").click(), true`)
		}
		eval[bool](b, q+`.querySelector("form").requestSubmit(), true`)
		b.wait(q+`.querySelector(".verdict")`, "the answer is marked")
		if !eval[bool](b, q+`.querySelector(".verdict").classList.contains("is-right")`) {
			eval[bool](b, `[...`+q+`.querySelectorAll("button")].find((b) => b.innerText === "Show the answer").click(), true`)
			if number {
				b.wait(q+`.querySelector(".verdict").innerText.includes("The answer is")`, "the answer is told")
				key := eval[string](b, q+`.querySelector(".verdict").innerText.match(/The answer is (\S+)/)[1].replace(/\.$/, "")`)
				b.role("textbox", "Your answer").at(eval[int](b, `[...document.querySelectorAll(".q input[type=text]")].indexOf(`+q+`.querySelector("input[type=text]"))`)).fill(key)
			} else {
				b.wait(q+`.querySelector(".opt.is-right")`, "the answer is told")
				eval[bool](b, q+`.querySelector(".opt.is-right input").click(), true`)
			}
			eval[bool](b, q+`.querySelector("form").requestSubmit(), true`)
			b.wait(q+`.querySelector(".verdict").classList.contains("is-right")`, "the answer that was told is right")
		}
		if n < 9 {
			b.role("button", "Next question").click()
		}
	}
	b.sees("Done: 10 of 10 right.")
	b.axe("a finished quiz")
	b.shot("quiz-wide")
	b.theme("dark")
	b.width(390)
	b.axe("a finished quiz, dark and narrow")
	b.shot("quiz-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
	b.reload()
	b.eventually("Done: 10 of 10 right.")
	b.sees("10 of 10 answered, 10 right.")

	b.role("button", "New variants of all questions").click()
	b.sees("0 of 10 answered, 0 right.")
	first := b.role("button", "Question 1")
	first.until(func() bool { return first.count() == 1 }, "is open again", b.visible)
}

func TestAnAnswerThatIsNoNumberIsNotMarked(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("quiz/?name=cap-and-deadline")
	b.eventually("Question 1, a number")
	b.role("textbox", "Your answer").fill("fifty")
	b.role("button", "Check").click()
	b.sees("not a number")
	b.sees("0 of 10 answered, 0 right.")
	if v := b.role("textbox", "Your answer").value(); v != "fifty" {
		t.Errorf("the answer that was typed is %q now", v)
	}
	b.axe("an answer that was not understood")
}

func TestAMissingQuizIsSaidAndTheOthersStay(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.expect("404")
	b.goTo("quiz/?name=nothing-like-it")
	b.sees("A quiz could not be read.")
	b.role("link", "Quiz").click()
	b.eventually("0 of 10 answered")
	b.role("link", "Cap and deadline 0 of 10 answered, 0 right.").click()
	b.eventually("Question 1, a number")
}

func TestOneFaultOfTheListLeavesTheOtherQuizzes(t *testing.T) {
	need(t)
	t.Parallel()
	list := `{"files": ["cap-and-deadline.yaml", "mispelt.yaml", "Bad Name.yaml"]}`
	h := theSite(t)
	b := open(t, h)
	b.expect("404")
	publish := func() {
		h.stop()
		h.start(changed(buildSite(t, ""), func(name string, data []byte) []byte {
			if name == "quiz/index.json" {
				return []byte(list)
			}
			return data
		}))
	}
	publish()
	b.goTo("quiz/")
	b.eventually("0 of 10 answered")
	b.sees("mispelt\nthis file is not there")
	b.sees("Bad Name\nthis name cannot be opened")
	list = "{\"files\": [\n\"cap-and-deadline.yaml\",\n]}"
	publish()
	b.reload()
	b.sees("The list of quizzes cannot be read.")
	b.sees("at line 3")
	b.axe("a list of quizzes with a fault")
	list = `{"files": ["cap-and-deadline.yaml"]}`
	publish()
	b.role("button", "Try again").click()
	b.eventually("Question 1, a number")
}

func TestAQuizFileIsShownAsTextNeverAsHTML(t *testing.T) {
	need(t)
	t.Parallel()
	files := changed(buildIfWanted(t), func(name string, data []byte) []byte {
		if name != "quiz/cap-and-deadline.yaml" {
			return data
		}
		return []byte(strings.Replace(string(data), "The warehouse is slow today.", "<img src=x onerror=document.title=1><b>Slow</b> today.", 1))
	})
	b := open(t, serve(t, files, "/"))
	b.goTo("quiz/?name=cap-and-deadline")
	b.eventually("<img src=x onerror=document.title=1><b>Slow</b> today.")
}
