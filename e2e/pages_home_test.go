package e2e

import (
	"strings"
	"testing"
)

func TestTheHomePageLeadsToWhatThereIsAndPromisesNothingElse(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("")
	if n := strings.Count(b.visible(), "In preparation"); n != 12 {
		t.Errorf("%d lessons are marked as in preparation, not 12", n)
	}
	if n := b.role("link", "How long to wait").count(); n != 0 {
		t.Error("a lesson that is not written is a link")
	}
	for link, heading := range map[string]string{
		"The comprehensive lab": "The comprehensive lab", "The live queue": "The live queue", "Take the quiz": "Quiz",
	} {
		b.goTo("")
		b.role("link", link).click()
		b.role("heading", heading).text()
	}
}

func TestTheThemeIsRemembered(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.theme("light")
	b.goTo("")
	light := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	b.role("button", "Theme: follows the system. Change to light").click()
	b.role("button", "Theme: light. Change to dark").click()
	b.role("button", "Theme: dark. Change to following the system").text()
	b.wait(`getComputedStyle(document.body).backgroundColor !== `+quote(light), "dark is not as light as light")
	dark := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	b.goTo("lab/")
	b.role("button", "Theme: dark. Change to following the system").text()
	b.wait(`getComputedStyle(document.body).backgroundColor === `+quote(dark), "the next page is dark too")
	b.role("button", "Theme: dark. Change to following the system").click()
	b.wait(`getComputedStyle(document.body).backgroundColor === `+quote(light), "the page follows the system again")
}
