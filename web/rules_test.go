package web

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/memory"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/web/text"
)

var space = regexp.MustCompile(`\s+`)

// onThePage is the text of the rules in English, without any white space: go-app puts some between
// neighbours that the built site has not.
func onThePage() string {
	page := app.HTMLString((&rulesPage{At: Place{Lang: "en", Path: "/rules/", Base: "/"}}).Render())
	return tight(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "")))
}

func tight(s string) string { return space.ReplaceAllString(s, "") }

// The functions of SPEC.md section 10, and what the lab gives, each in both languages.
func TestEverySignatureStandsOnThePageOfTheRules(t *testing.T) {
	page := onThePage()
	for _, signature := range []string{
		"def retry_delay(attempt, base_ms, cap_ms, jitter)",
		"def enqueue(self, job_id, payload, max_attempts, deadline, now, available_at=None)",
		"def run_once(self, clock, send, *, lease_ms, base_ms, cap_ms, jitter)",
		"def job(self, job_id)",
		"def stats(self, now)",
		"def claim(self, now, lease_ms)",
		"def complete(self, job_id, token, now)",
		"def fail(self, job_id, token, error, now, *, base_ms, cap_ms, jitter)",
		"def extend(self, job_id, token, now, lease_ms)",
		"def requeue(self, job_id, max_attempts, deadline, now)",
		"Queue(db)", "db.execute(sql, params=())", "Retryable(message, retry_after_ms=None)", "Permanent(message)", "Conflict", "LeaseLost", "ClockWentBack",

		"retryDelay(attempt, baseMs, capMs, jitter)",
		"enqueue(jobId, payload, maxAttempts, deadline, now, availableAt = null)",
		"runOnce(clock, send, { leaseMs, baseMs, capMs, jitter })",
		"job(jobId)",
		"complete(jobId, token, now)",
		"claim(now, leaseMs)",
		"fail(jobId, token, error, now, { baseMs, capMs, jitter })",
		"extend(jobId, token, now, leaseMs)",
		"requeue(jobId, maxAttempts, deadline, now)",
		"new Queue(db)", "db.execute(sql, params = [])", "new Retryable(message, retryAfterMs = null)", "new Permanent(message)",
	} {
		if !strings.Contains(page, tight(signature)) {
			t.Errorf("the page lacks %s", signature)
		}
	}
	for _, o := range operations {
		for _, language := range programLanguages {
			if signature(language, o.name) == "" {
				t.Errorf("%s has no signature in %s", o.name, language)
			}
		}
	}
}

// The steps of SPEC.md section 9 are those that the format of scenarios knows: each is parsed here.
func TestEveryStepOfAScenarioStandsOnThePageOfTheRules(t *testing.T) {
	page := onThePage()
	examples := map[string]string{
		"enqueue": "{id: a, max_attempts: 3, deadline: 10}", "run": "{}", "claim": "A", "complete": "A", "fail": "{worker: A, send: permanent}", "extend": "A",
		"requeue": "{id: a, max_attempts: 3, deadline: 10}", "purge": "{before: 5}", "restart": "true", "job": "a", "stats": "true",
		"delay": "{attempt: 1, base_ms: 1, cap_ms: 1, jitter: 1}",
	}
	if len(rulesSteps) != len(examples) {
		t.Errorf("the page has %d steps, the format %d", len(rulesSteps), len(examples))
	}
	for _, s := range rulesSteps {
		if !strings.Contains(page, tight(s.name+": "+s.arguments)) {
			t.Errorf("the page does not show the step %s", s.name)
		}
		if _, err := scenario.Parse("step.yaml", []byte("name: a\nsteps:\n- {"+s.name+": "+examples[s.name]+"}\n")); err != nil {
			t.Errorf("the format does not know the step %s: %v", s.name, err)
		}
		if !strings.HasPrefix(s.arguments, "{") || s.name == "delay" {
			continue
		}
		for _, field := range strings.FieldsFunc(s.arguments, func(r rune) bool { return strings.ContainsRune("{}, ", r) }) {
			// A field that is not known is another fault than a value that does not fit.
			_, err := scenario.Parse("step.yaml", []byte("name: a\nsteps:\n- {"+s.name+": {"+field+": null, nothing_of_this_name: 1}}\n"))
			if err == nil || strings.Contains(err.Error(), `"`+field+`"`) && strings.Contains(err.Error(), "unknown") {
				t.Errorf("%s has no field %s: %v", s.name, field, err)
			}
		}
	}
	for _, field := range append(slices.Clone(jobFields), statsFigures...) {
		if !strings.Contains(page, field) || !strings.Contains(page, camel(field)) {
			t.Errorf("the page lacks %s or %s", field, camel(field))
		}
	}
}

func TestTheExamplesOfTheRulesAreWhatTheEngineGives(t *testing.T) {
	page := onThePage()
	for _, want := range []struct {
		example    delayExample
		window, ms int64
	}{
		{delayExamples[0], 400, 200}, {delayExamples[1], 250, 125}, {delayExamples[2], 325, 156},
	} {
		e := want.example
		ms, err := retry.Delay(e.attempt, e.base, e.cap, e.jitter)
		if err != nil || ms != want.ms || retry.Window(e.attempt, e.base, e.cap) != want.window {
			t.Errorf("%+v gives %d, %v; wanted %d", e, ms, err, want.ms)
		}
		for _, s := range []string{
			"Attempt " + whole(e.attempt) + ", base " + whole(e.base) + ", cap " + whole(e.cap) + ", jitter " + short(e.jitter),
			"floor(" + whole(want.window) + " · " + short(e.jitter) + ")" + whole(ms) + " ms",
		} {
			if !strings.Contains(page, tight(s)) {
				t.Errorf("the page lacks %q", s)
			}
		}
	}
	scenarios, err := scenario.Parse("example.yaml", []byte(rulesScenario))
	if err != nil || len(scenarios) != 1 {
		t.Fatalf("%d scenarios, %v", len(scenarios), err)
	}
	reference := scenario.NewReference(memory.Home{}, func() (scenario.Rules, error) { return scenario.ReferenceRules(), nil })
	trace, err := scenario.Play(t.Context(), scenarios[0], reference)
	if err != nil || !trace.Pass {
		t.Errorf("the example does not pass: step %s: %s, %v", trace.Where, trace.Why, err)
	}
	p, d := rulesPolicy, scenario.DefaultPolicy
	if p.base != d.BaseMS || p.cap != d.CapMS || p.lease != d.LeaseMS || p.jitter != d.Jitter {
		t.Errorf("the page says that %+v holds by default, the format %+v", p, d)
	}
}

func TestNoWordOfTheRulesIsMissingOrLeftOver(t *testing.T) {
	page := onThePage()
	if at := strings.Index(page, "⟦"); at >= 0 {
		t.Errorf("the page shows a key without a text: %.60s", page[at:])
	}
	attributes := app.HTMLString((&rulesPage{At: Place{Lang: "en", Path: "/rules/", Base: "/"}}).Render())
	for _, key := range text.For("en").Keys() {
		if !strings.HasPrefix(key, "rules.") {
			continue
		}
		// Around its places, which the page has filled.
		for _, piece := range regexp.MustCompile(`\{[a-z]+\}`).Split(text.For("en").Get(key), -1) {
			piece = strings.ReplaceAll(piece, "`", "")
			if !strings.Contains(page, tight(piece)) && !strings.Contains(attributes, `aria-label="`+piece+`"`) {
				t.Errorf("%s is not on the page: %q", key, piece)
			}
		}
	}
}
