package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// openQueue opens the live queue of a fresh visitor.
func openQueue(t *testing.T) *tab {
	t.Helper()
	b := open(t, theSite(t))
	b.goTo("queue/")
	b.eventually("No jobs yet")
	return b
}

// eventually waits for what the engine has to start for, or to run long for. Each test has a browser of
// its own that compiles the engine anew, and other tests may be busy beside it.
func (b *tab) eventually(text string) {
	b.t.Helper()
	ask := `new Promise((found) => {
		const end = performance.now() + 2000;
		const look = () => {
			const there = document.body.innerText.includes(` + quote(text) + `);
			if (there || performance.now() > end) found(there);
			else setTimeout(look, 50);
		};
		look();
	})`
	var last error
	for deadline := time.Now().Add(4 * patience); time.Now().Before(deadline); {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](ask, chromedp.EvalAwaitPromise))
		cancel()
		if there {
			return
		}
		last = err
	}
	b.t.Fatalf("waited in vain until the page shows %q (error: %v): %.900s", text, last, b.visible())
}

// row is a job's row in the table, its cells with | between.
func (b *tab) row(id string) string {
	b.t.Helper()
	return eval[string](b, `[...document.querySelectorAll("tbody tr")].filter((r) => r.querySelector("th")?.innerText.trim() === `+quote(id)+`)
		.map((r) => [...r.cells].map((c) => c.innerText.trim().replace(/\s+/g, " ")).join(" | ")).join("\n")`)
}

// rowIs waits until a job's row begins with the cells.
func (b *tab) rowIs(id, cells string) {
	b.t.Helper()
	b.role("heading", "Jobs").until(func() bool { return strings.HasPrefix(b.row(id), cells) }, "has the row "+cells, func() string { return b.row(id) })
}

// enqueue sends the enqueue form.
func (b *tab) enqueue(id, payload, maxAttempts, deadline string) {
	b.t.Helper()
	b.role("textbox", "Job id").fill(id)
	b.role("textbox", "Payload").fill(payload)
	b.role("textbox", "max_attempts").fill(maxAttempts)
	b.role("textbox", "deadline").fill(deadline)
	b.role("button", "Enqueue").click()
}

func TestTheSameIdAgainKeepsItsDeadlineAndAttemptsAlsoOverAReload(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.enqueue("cake-1", "2 sponge cakes", "3", "3000")
	b.sees("The order is accepted and stored.")
	b.rowIs("cake-1", "cake-1 | due | 0 of 3 | 0 | none | 3000 | none | 2 sponge cakes")

	b.role("radio", "fails, may be tried again (retryable)").click()
	b.role("button", "Run once").click()
	b.sees("The failure is recorded, and the job waits for its next attempt.")
	b.rowIs("cake-1", "cake-1 | pending | 1 of 3 | 90 | none | 3000 | retryable")

	b.enqueue("cake-1", "2 sponge cakes", "9", "9000")
	b.sees("This id was accepted before, with the same payload.")
	b.rowIs("cake-1", "cake-1 | pending | 1 of 3 | 90 | none | 3000 | retryable")

	b.enqueue("cake-1", "3 sponge cakes", "3", "3000")
	b.sees("This id was accepted before with another payload.")
	b.rowIs("cake-1", "cake-1 | pending | 1 of 3 | 90 | none | 3000 | retryable | 2 sponge cakes")

	b.axe("the live queue with a job")
	b.shot("queue-wide")
	b.theme("dark")
	b.width(390)
	b.axe("the live queue with a job, dark and narrow")
	b.shot("queue-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}

	b.reload()
	b.eventually("cake-1")
	b.rowIs("cake-1", "cake-1 | pending | 1 of 3 | 90 | none | 3000 | retryable")
	b.sees("40 ms") // the clock too
}

func TestAKilledEngineHasConsumedTheAttempt(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.enqueue("cake-1", "2 sponge cakes", "3", "90000")
	b.sees("The order is accepted and stored.")
	b.role("checkbox", "Stop in the middle of the send").click()
	b.role("button", "Run once").click()
	held := b.role("heading", "cake-1 is being sent")
	held.until(held.focused, "has the keyboard", held.text)
	b.sees("attempt 1, leased until 30000")
	b.axe("a held send")

	b.role("button", "Kill the engine").click()
	b.eventually("The engine is back.")
	b.sees("was in the middle of attempt 1: that attempt is consumed")
	b.rowIs("cake-1", "cake-1 | leased | 1 of 3 | 0 | 30000 | 90000")

	b.role("button", "Next: 30000").click()
	b.rowIs("cake-1", "cake-1 | leased, expired | 1 of 3 | 0 | 30000 | 90000")
	b.role("checkbox", "Stop in the middle of the send").click()
	b.role("radio", "succeeds (ok)").click()
	b.role("button", "Run once").click()
	b.rowIs("cake-1", "cake-1 | done | 2 of 3")
}

func TestAHeldSendIsAnswered(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.enqueue("cake-1", "2 sponge cakes", "3", "90000")
	b.sees("The order is accepted and stored.")
	b.role("checkbox", "Stop in the middle of the send").click()
	b.role("button", "Run once").click()
	b.role("heading", "cake-1 is being sent").text()
	b.role("textbox", "takes, ms").fill("2.5")
	b.role("radio", "is refused for good (permanent)").click()
	b.role("button", "Answer the send").click()
	b.sees("not a whole number") // and the send is still held
	b.role("textbox", "takes, ms").fill("70")
	b.role("textbox", "Error text").fill("400 quantity below 1")
	b.role("button", "Answer the send").click()
	b.rowIs("cake-1", "cake-1 | dead: permanent Requeue | 1 of 3 | 0 | none | 90000 | 400 quantity below 1")
	b.sees("70 ms")
}

func TestAHeldSendCanBeAnsweredAfterAVisitToAnotherPage(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.enqueue("cake-1", "2 sponge cakes", "3", "90000")
	b.sees("The order is accepted and stored.")
	b.role("checkbox", "Stop in the middle of the send").click()
	b.role("button", "Run once").click()
	b.role("heading", "cake-1 is being sent").text()
	b.role("link", "Course").click()
	b.role("heading", "The course").text()
	b.role("link", "Live queue").click()
	b.role("heading", "cake-1 is being sent").text()
	b.role("button", "Answer the send").click()
	b.rowIs("cake-1", "cake-1 | done | 1 of 3")
}

func TestBadInputIsNamedAndLosesNothing(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.role("textbox", "available_at").fill("2.5")
	b.enqueue("cake-1", "2 sponge cakes", "true", "Infinity")
	b.sees("Nothing was stored.")
	for name, want := range map[string]string{"max_attempts": "a boolean", "deadline": "infinite", "available_at": "not a whole number"} {
		field := b.role("textbox", name)
		if !on[bool](field, `function() { return this.getAttribute("aria-invalid") === "true" }`) {
			t.Errorf("%s is not marked", name)
		}
		said := on[string](field, `function() { return document.getElementById(this.getAttribute("aria-describedby")).innerText }`)
		if !strings.Contains(said, want) {
			t.Errorf("%s: it says %q, not %q", name, said, want)
		}
	}
	if v := b.role("textbox", "deadline").value(); v != "Infinity" {
		t.Errorf("the deadline that was typed is %q now", v)
	}
	b.axe("the enqueue form with faults")
	b.sees("No jobs yet")
}

func TestAWorkerThatWasTooLateHasLostItsLease(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.enqueue("cake-1", "2 sponge cakes", "3", "90000")
	b.sees("The order is accepted and stored.")
	worker := b.role("textbox", "Worker")
	worker.fill("mika")
	b.role("button", "Claim").click()
	b.sees("The job is leased to this worker, and an attempt is consumed.")
	b.rowIs("cake-1", "cake-1 | leased | 1 of 3 | 0 | 30000")
	b.role("button", "Next: 30000").click()
	b.rowIs("cake-1", "cake-1 | leased, expired")
	worker.fill("ren")
	b.role("button", "Claim").click()
	b.rowIs("cake-1", "cake-1 | leased | 2 of 3 | 0 | 60000")
	worker.fill("mika")
	b.role("button", "Complete").click()
	b.sees("Another worker has claimed the job since")
	worker.fill("ren")
	b.role("button", "Complete").click()
	b.rowIs("cake-1", "cake-1 | done | 2 of 3")
}

func TestADeadJobIsRequeuedAndStartingOverCanBeTakenBack(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	b.enqueue("cake-1", "2 sponge cakes", "1", "3000")
	b.sees("The order is accepted and stored.")
	b.role("radio", "fails, may be tried again (retryable)").click()
	b.role("button", "Run once").click()
	b.rowIs("cake-1", "cake-1 | dead: exhausted Requeue | 1 of 1")
	b.role("button", "Requeue cake-1").click()
	deadline := b.role("textbox", "deadline").at(1)
	deadline.until(deadline.focused, "has the keyboard", deadline.value)
	if id := b.role("textbox", "Job id").at(1).value(); id != "cake-1" {
		t.Errorf("the form is filled with %q", id)
	}
	deadline.fill("5000")
	b.role("textbox", "max_attempts").at(1).fill("1")
	b.role("button", "Requeue").click()
	b.sees("not above the attempts already consumed")
	b.role("textbox", "max_attempts").at(1).fill("4")
	b.role("button", "Requeue").click()
	b.rowIs("cake-1", "cake-1 | due | 1 of 4 | 40 | none | 5000")

	b.role("button", "Start over").click()
	b.sees("No jobs yet")
	b.role("button", "Bring it back").click()
	b.rowIs("cake-1", "cake-1 | due | 1 of 4 | 40 | none | 5000")
}

func TestThePolicyDecidesTheWait(t *testing.T) {
	need(t)
	t.Parallel()
	b := openQueue(t)
	for name, value := range map[string]string{"base_ms": "7", "cap_ms": "1000", "jitter": "1", "lease_ms": "250"} {
		b.role("textbox", name).fill(value)
	}
	b.role("button", "Use this policy").click()
	b.sees("The policy holds from the next step on.")
	b.enqueue("cake-1", "2 sponge cakes", "3", "3000")
	b.sees("The order is accepted and stored.")
	b.role("radio", "fails, may be tried again (retryable)").click()
	b.role("button", "Run once").click()
	b.rowIs("cake-1", "cake-1 | pending | 1 of 3 | 47 |")
	b.sees("base 7, cap 1000, jitter 1, lease 250 ms")
	b.role("textbox", "jitter").fill("1.0000000000000000001")
	b.role("button", "Use this policy").click()
	b.sees("too large; wanted a number, 0 to 1")
}

func TestTheLiveQueueSpeaksThePseudoLanguage(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("xa/queue/")
	b.eventually("⟦Éńɋúéúé⟧")
	eval[bool](b, `document.querySelector("#enqueue-id").form.requestSubmit(), true`)
	b.wait(`document.querySelector("tbody tr")`, "the job is in the table")
	for _, s := range eval[[]string](b, missedWords) {
		t.Errorf("the live queue shows %q, which is not from the catalogue", s)
	}
}
