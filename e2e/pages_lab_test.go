package e2e

import (
	"strings"
	"testing"
)

// runChecks runs the whole lab and waits for its end, which a busy computer may put off.
func (b *tab) runChecks() {
	b.t.Helper()
	b.role("button", "Run the checks").click()
	b.eventually("It took")
}

func TestTheLabPassesTheReferenceAndShowsEachStep(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("lab/?subject=reference")
	b.eventually("checks, not run")
	b.runChecks()
	if n := b.role("heading", "Checks").count(); n != 1 {
		t.Errorf("%d headings", n)
	}
	summary := eval[string](b, `[...document.querySelectorAll(".verdict")].map((v) => v.innerText).join("\n")`)
	if !strings.Contains(summary, "checks pass.") || strings.Contains(b.visible(), "failed at") {
		t.Errorf("the reference: %s", summary)
	}
	check := b.role("DisclosureTriangle", "The same id keeps its deadline passed")
	check.click()
	b.sees("result created")
	b.sees("policy: base_ms 100, cap_ms 1000")
	b.axe("the lab with an open check")
	b.shot("lab-wide")
	b.theme("dark")
	b.width(390)
	b.axe("the lab with an open check, dark and narrow")
	b.shot("lab-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d pixels wide", wide)
	}
}

func TestTheLabFindsAMutantByTheCheckThatNamesIt(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("lab/?subject=no_cap")
	b.eventually("checks, not run")
	b.runChecks()
	b.sees("find it.")
	b.sees("the check that names it")
	b.role("radio", "Failed").click()
	b.seesNot("A boolean attempt is rejected")
	b.role("link", "The cap ends the doubling").click()
	b.sees("wanted")
	b.sees("1599") // what the rules say
	b.sees("1600") // what this queue said
	b.axe("the lab on a mutant")
}

func TestALinkToACheckOpensItInSightWithItsScenario(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	// The last of two hundred, which come onto the page bit by bit.
	const slug = "a-requeued-job-keeps-its-place-in-the-order"
	b.goTo("lab/?subject=reference#" + slug)
	b.eventually("Link to this check")
	b.wait(`document.getElementById("`+slug+`").querySelector("details").open`, "the check is open")
	b.sees("requeue: {id: old, max_attempts: 2, deadline: 1000}")
	b.wait(`(() => { const r = document.getElementById("`+slug+`").getBoundingClientRect(); return r.top >= 0 && r.top < innerHeight; })()`, "the check is in sight")
}

func TestARunOfTheLabCanBeStopped(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("lab/?subject=reference")
	b.eventually("checks, not run")
	// The lab may take a second only: a person who is as quick as the page presses Stop when it appears.
	eval[bool](b, `(() => {
		const stop = () => [...document.querySelectorAll("button")].find((x) => x.innerText.trim() === "Stop");
		const watch = new MutationObserver(() => { if (stop()) { watch.disconnect(); stop().click(); } });
		watch.observe(document.body, { subtree: true, childList: true, characterData: true });
		return true;
	})()`)
	b.role("button", "Run the checks").click()
	b.sees("The engine was ended in the middle of the run")
	b.role("button", "Run part 4").click()
	b.eventually("It took")
}

func TestThePanelJudgesOddValuesAsTheyAreTyped(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("lab/")
	names := [4]string{"attempt", "base_ms", "cap_ms", "jitter"}
	good := [4]string{"3", "100", "250", "0.5"}
	for _, c := range []struct {
		values [4]string
		says   string
		faults [4]string // "" where nothing is wrong
	}{
		{good, "125 ms", [4]string{}},
		{[4]string{"2.0", "100", "1e3", "1"}, "200 ms", [4]string{}},
		{[4]string{"1", "325", "1000", "0.48"}, "156 ms", [4]string{}},
		{[4]string{"9007199254740991", "1", "9007199254740991", "1"}, "9007199254740991 ms", [4]string{}},
		{[4]string{"3", "100", "250", "-0.0"}, "0 ms", [4]string{}},
		{[4]string{"true", "100", "250", "Infinity"}, "attempt, jitter", [4]string{"a boolean", "", "", "infinite"}},
		{[4]string{"NaN", "1e400", `"3"`, "2.5"}, "attempt, base_ms, cap_ms, jitter", [4]string{"NaN", "too large", "text", "too large"}},
		{[4]string{"2.5", "-1", "0", "-0.1"}, "attempt, base_ms, cap_ms, jitter", [4]string{"not a whole number", "too small", "too small", "too small"}},
		{[4]string{"null", "[1]", "{}", ""}, "attempt, base_ms, cap_ms, jitter", [4]string{"null", "a list", "an object", "nothing is given"}},
		{[4]string{"9007199254740992", "9007199254740991.4", "abc", "1.0000000000000000001"}, "attempt, base_ms, cap_ms, jitter", [4]string{"too large", "not a whole number", "text", "too large"}},
		{good, "125 ms", [4]string{}},
	} {
		for i, name := range names {
			b.role("textbox", name).fill(c.values[i])
		}
		b.wait(`document.querySelector("#args [role=status]").innerText.includes(`+quote(c.says)+`)`, strings.Join(c.values[:], ", ")+" gives "+c.says)
		for i, name := range names {
			field := b.role("textbox", name)
			said := on[string](field, `function() { return this.getAttribute("aria-invalid") === "true" ? document.getElementById(this.getAttribute("aria-describedby")).innerText.trim() : "" }`)
			if !strings.HasPrefix(said, c.faults[i]) || (said == "") != (c.faults[i] == "") {
				t.Errorf("%v: %s says %q, not %q", c.values, name, said, c.faults[i])
			}
		}
	}
}
