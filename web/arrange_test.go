package web

import (
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/ask"
	"retrylab/web/text"
)

func shownQuiz(questions ...ask.Question) *quizPage {
	p := &quizPage{At: Place{Lang: "en", Path: "/quiz/"}}
	p.OnInit()
	p.state.load(ask.Quiz{Questions: questions})
	return p
}

func TestAnOrderCanBeArrangedWithButtons(t *testing.T) {
	qu := ask.Question{ID: "q", Kind: "order", Ask: "x", Options: []ask.Option{{ID: "a", Text: "first `one`"}, {ID: "b", Text: "second"}}}
	p := shownQuiz(qu)
	html := app.HTMLString(p.order(text.For("en"), 0, qu))
	for _, want := range []string{"Move up: first one, now at place 1", "Move down: second, now at place 2", "<code>", `aria-labelledby="question-1"`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in %s", want, html)
		}
	}
	if n := strings.Count(html, "disabled"); n != 2 {
		t.Errorf("%d buttons are disabled, want the two at the ends", n)
	}
}

func TestAMatchHasALabelledListForEachRow(t *testing.T) {
	qu := ask.Question{ID: "q", Kind: "match", Ask: "x", Rows: []ask.Option{{ID: "r1", Text: "503"}, {ID: "r2", Text: "404"}}, Options: []ask.Option{{ID: "a", Text: "*again*"}, {ID: "b", Text: "never"}},
		Marked: &ask.Marked{Answer: "r1=a r2=a", Score: 0.5, KeyID: "r1=a r2=b", Wrong: map[string]string{"r2": "it *stays* away"}}}
	p := shownQuiz(qu)
	html := app.HTMLString(p.match(text.For("en"), 0, qu))
	for _, want := range []string{`for="match-q-r1"`, `id="match-q-r2"`, ">again<", "<em>", text.For("en").Get("quiz.wrong.match")} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in %s", want, html)
		}
	}
	if n := strings.Count(html, "<select"); n != 2 {
		t.Errorf("%d lists", n)
	}
	p.state.Drafts["q"] = match(p.state.Drafts["q"], "r2", "b") // what was said belongs to the answer before
	if html := app.HTMLString(p.match(text.For("en"), 0, qu)); strings.Contains(html, "stays") {
		t.Error("a changed row is still called wrong")
	}
	if html := app.HTMLString(p.key(text.For("en"), qu)); !strings.Contains(html, "never") {
		t.Error(html)
	}
}

func TestTextsOfAFileBringNoElements(t *testing.T) {
	hostile := "<img src=x onerror=alert(1)> [a](javascript:alert(1))\n\n- <script>alert(1)</script>\n\n```\n</pre><u>\n```"
	qu := ask.Question{ID: "q", Kind: "choices", Ask: hostile, Hints: []string{hostile}, Unit: hostile, Options: []ask.Option{{ID: "a", Text: hostile}}, Source: hostile,
		Given: []ask.Field{{Name: hostile, Value: hostile}}, Marked: &ask.Marked{Answer: "a", Why: hostile, Work: hostile}}
	p := shownQuiz(qu)
	p.state.Hints["q"] = 1
	html := app.HTMLString(p.question(text.For("en"), 0, qu))
	for _, bad := range []string{"<img", "<script", "<u>", "href=\"javascript"} {
		if strings.Contains(html, bad) {
			t.Errorf("%s is in the page", bad)
		}
	}
	if !strings.Contains(html, "&lt;img") || !strings.Contains(html, "<pre") || !strings.Contains(html, "<li>") {
		t.Error(html)
	}
}
