package e2e

import (
	"testing"
)

// endsWorkers lets a test end the page's workers as a task manager does: the page itself does nothing
// and gets no event.
const endsWorkers = `{
	const all = [];
	self.Worker = class extends Worker {
		constructor(...args) { super(...args); all.push(this); }
	};
	self.endWorkers = () => all.splice(0).map((w) => w.terminate()).length;
}`

func TestAnEngineEndedFromOutsideComesBackWithTheAttemptConsumed(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.beforeLoad(endsWorkers)
	b.goTo("queue/")
	b.sees("No jobs yet")
	b.enqueue("cake-1", "2 sponge cakes", "3", "90000")
	b.sees("The order is accepted and stored.")
	b.role("checkbox", "Stop in the middle of the send").click()
	b.role("button", "Run once").click()
	b.role("heading", "cake-1 is being sent").text()
	if n := eval[int](b, `endWorkers()`); n != 1 {
		t.Fatalf("%d workers were ended, want 1", n)
	}
	b.sees("The engine is back.")
	b.rowIs("cake-1", "cake-1 | leased | 1 of 3 | 0 | 30000 | 90000")
	b.enqueue("cake-2", "a pie", "3", "90000")
	b.rowIs("cake-2", "cake-2 | due | 0 of 3")
}
