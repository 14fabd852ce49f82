package e2e

import (
	"strings"
	"testing"
)

// huntText is the scenario as the page's text field has it.
func huntText(b *tab) element { return b.role("textbox", "The scenario as text") }

// huntTextIs waits until the text of the scenario contains a text.
func huntTextIs(b *tab, text string) {
	b.t.Helper()
	huntText(b).until(func() bool { return strings.Contains(huntText(b).value(), text) }, "contains "+text, huntText(b).value)
}

// openHunt opens a hunt and waits until its form is there.
func openHunt(b *tab, address string) {
	b.t.Helper()
	b.goTo(address)
	b.role("textbox", "max_attempts").object()
}

func TestAHuntIsWonByTheFormAndStaysWon(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("hunt/")
	b.sees("0 of 16 found")
	b.axe("the list of hunts")
	b.shot("hunt-list")
	b.theme("dark")
	b.width(390)
	b.shot("hunt-list-dark-narrow")
	b.width(1280)
	b.theme("light")
	b.role("link", "Queue 2: the mochi stall not found yet").click()
	b.role("heading", "Queue 2: the mochi stall").until(b.role("heading", "Queue 2: the mochi stall").focused, "has the keyboard", b.visible)
	huntTextIs(b, "- run: {send: ok}")

	b.role("button", "Try queue 2").click()
	b.sees("This scenario expects nothing, so it cannot fail.")
	b.role("combobox", "send").choose("permanent")
	huntTextIs(b, "- run: {send: permanent}")
	b.role("button", "Play on the reference").click()
	b.sees("The rules agree.")
	if found := eval[bool](b, `document.documentElement.outerHTML.includes("permanent_retried")`); found {
		t.Error("the page gives the misunderstanding away")
	}

	// What the rules give is expected with one click; changed by hand, it is the rules that disagree.
	b.role("button", "Expect this, step 2").click()
	huntTextIs(b, "expect: {result: dead, reason: permanent, id: a}")
	b.role("textbox", "Step 2, expectation 1: value").fill("retry")
	b.role("button", "Try queue 2").click()
	b.sees("The rules say otherwise at step 2.")
	b.shot("hunt-reference-fails")
	b.role("textbox", "Step 2, expectation 1: value").fill("dead")
	huntTextIs(b, "expect: {result: dead,")
	b.role("button", "Try queue 2").click()
	b.wait(`[...document.querySelectorAll("[role=status]")].some((e) => e.innerText.includes("step 2 fails on queue 2"))`, "the win is read out")
	b.sees("A permanent error is tried again")
	huntTextIs(b, "expect: {result: dead,")
	b.axe("a hunt that is won")
	b.shot("hunt-won")
	b.theme("dark")
	b.width(390)
	b.axe("a hunt that is won, dark and narrow")
	b.shot("hunt-won-dark-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the hunt is %d pixels wide", wide)
	}
	b.width(1280)
	b.theme("light")

	b.role("button", "Remove, step 2").click()
	b.sees("You have changed the scenario since it was played.")
	huntText(b).until(func() bool { return !strings.Contains(huntText(b).value(), "run:") }, "has lost step 2", huntText(b).value)
	b.role("button", "Open the scenario that found it").click()
	huntTextIs(b, "expect: {result: dead, reason: permanent, id: a}")
	b.sees("Kept on this device.")
	b.goTo("hunt/")
	b.sees("1 of 16 found")
	b.role("link", "Queue 2: the mochi stall found").click()
	b.sees("A permanent error is tried again")
	huntTextIs(b, "send: permanent")
}

func TestTheTextOfAHuntAndItsFormStayInStep(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openHunt(b, "hunt/?queue=6")
	text := huntText(b)

	const broken = "name: mine\nsteps:\n- {enqeue: {id: a}}\n"
	text.fill(broken)
	b.sees("scenario.yaml:3:4")
	b.sees("The form waits until it can")
	b.axe("a text that cannot be read")
	b.shot("hunt-broken")
	b.role("button", "Try queue 6").click()
	b.sees("The scenario cannot be read.")
	if got := text.value(); got != broken {
		t.Errorf("the text became %q", got)
	}

	const again = "name: again\nsteps:\n- {enqueue: {id: a, max_attempts: 3, deadline: 1000}}\n" +
		"- {at: 10, enqueue: {id: a, max_attempts: 3, deadline: 9000}, expect: {result: existing}}\n- {job: a, expect: {deadline: 1000}}\n"
	text.fill(again)
	b.role("textbox", "Step 3, expectation 1: value").object()
	b.seesNot("The form waits until it can")
	b.seesNot("The scenario cannot be read.")
	if at := b.role("textbox", "At, ms").at(1).value(); at != "10" {
		t.Errorf("step 2 is at %q", at)
	}
	b.role("button", "More: available_at, payload, step 2").click()
	b.role("textbox", "available_at").until(b.role("textbox", "available_at").focused, "has the keyboard", b.visible)
	b.role("textbox", "payload").fill("two, three")
	huntTextIs(b, `deadline: 9000, payload: "two, three"}`)
	b.role("textbox", "payload").fill("")
	huntTextIs(b, "deadline: 9000}")
	b.role("textbox", "Name").fill("a: b")
	huntTextIs(b, `name: "a: b"`)
	b.role("combobox", "The next step").choose("run")
	b.role("button", "Add the step").click()
	huntTextIs(b, "- run: {send: ok}")
	b.role("button", "Step during the send, step 4").click()
	huntTextIs(b, "    during:\n    - claim: A\n")
	b.role("combobox", "Do").at(4).until(b.role("combobox", "Do").at(4).focused, "has the keyboard", b.visible)
	b.shot("hunt-during")
	b.role("button", "Undo").click()
	b.role("button", "Undo").click()
	text.until(func() bool { return !strings.Contains(text.value(), "run:") }, "is as it was before the step", text.value)

	b.role("button", "Make a link").click()
	link := b.role("textbox", "A link that holds this scenario").value()
	b.sees("Kept on this device.")
	b.reload()
	huntTextIs(b, `name: "a: b"`)

	_, fragment, _ := strings.Cut(link, "#")
	b.goTo("components/")
	b.goTo("hunt/?queue=6#" + fragment)
	huntTextIs(b, `name: "a: b"`)
	b.goTo("hunt/?queue=7#" + fragment)
	b.sees("This scenario came with the link.")
	huntTextIs(b, `name: "a: b"`)
	b.role("button", "Undo").click()
	huntTextIs(b, "name: my scenario")
	// Whoever is quicker than the engine tries what is kept, too.
	b.beforeLoad(`{
		const { postMessage } = Worker.prototype;
		Worker.prototype.postMessage = function (message, ...rest) {
			if (typeof message !== "string" || !message.includes('"keep.get"')) return postMessage.call(this, message, ...rest);
			setTimeout(() => postMessage.call(this, message, ...rest), 1000);
		};
	}`)
	b.goTo("hunt/?queue=6")
	b.role("button", "Try queue 6").click()
	b.sees("The same id moves the deadline")
}

func TestEveryWordOfAHuntComesFromTheCatalogue(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openHunt(b, "xa/hunt/?queue=2")
	for _, label := range []string{"hunt.play.both", "hunt.form.take-all", "hunt.share"} {
		b.role("button", wordsOf("xa").Get(label, "n", 2)).click()
	}
	b.role("button", wordsOf("xa").Get("hunt.play.both", "n", 2)).click()
	b.sees(wordsOf("xa").Get("hunt.verdict.missed"))
	for _, s := range eval[[]string](b, missedWords) {
		t.Errorf("the page shows %q, which is not from the catalogue", s)
	}
}

func TestHintsOpenOneByOneAndAHuntCanBeGivenUp(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	openHunt(b, "hunt/?queue=12")
	b.role("button", "Open hint 1 of 3").click()
	b.sees("What can end a send besides an answer?")
	b.seesNot("How many attempts are consumed")
	b.role("button", "Open hint 2 of 3").click()
	b.role("button", "Open the last hint").click()
	b.sees("How many attempts are consumed")
	b.sees("Kept on this device.")
	b.reload()
	b.sees("How many attempts are consumed")

	on[bool](b.role("DisclosureTriangle", "Too hard?"), `function() { this.focus(); return true; }`)
	b.key("\r")
	b.role("button", "Give up and show it").click()
	b.sees("A crash gives the attempt back")
	b.sees("given up")
	b.axe("a hunt that is given up")
	b.shot("hunt-given-up")
	b.role("button", "Hunt again").click()
	b.seesNot("A crash gives the attempt back")
	b.sees("Kept on this device.")
	b.reload()
	b.role("button", "Try queue 12").object()
	b.seesNot("A crash gives the attempt back")

	b.role("DisclosureTriangle", "Policy: backoff and lease").object()
	if n := b.role("textbox", "lease_ms").count(); n != 0 {
		t.Error("the policy is unfolded although it says nothing")
	}
	huntText(b).fill("name: two crashes\npolicy: {lease_ms: 1000}\nsteps:\n- {enqueue: {id: a, max_attempts: 3, deadline: 100000}}\n" +
		"- {run: {send: crash}}\n- {at: 1000, run: {send: crash}}\n- {job: a, expect: {attempts: 2}}\n")
	if lease := b.role("textbox", "lease_ms").value(); lease != "1000" {
		t.Errorf("the lease in the form is %q", lease)
	}
	b.role("button", "Try queue 12").click()
	b.sees("step 4 fails on queue 12")
	b.sees("You found it, after giving up once.")

	b.goTo("hunt/?queue=99")
	b.sees("There is no such queue.")
	b.goTo("hunt/?queue=1#s=%25%25")
	b.sees("The scenario in this link cannot be read.")
}
