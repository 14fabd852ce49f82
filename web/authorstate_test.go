package web

import (
	"strings"
	"testing"

	"retrylab/lab/ask"
)

func TestAQuizComesBackOutOfItsLink(t *testing.T) {
	for _, text := range []string{"quiz: a\n", "title: {ja: 上限}\n# \"'&#?\n", strings.Repeat("x", maxAuthorLink)} {
		fragment := authorShare.fragment(text)
		if got, ok := authorShare.text(fragment); !ok || got != text {
			t.Errorf("%.40q came back as %.40q, %v", text, got, ok)
		}
	}
	if authorShare.fragment(strings.Repeat("x", maxAuthorLink+1)) != "" {
		t.Error("a quiz that is too long has a link")
	}
	if text, ok := authorShare.text("author"); text != "" || !ok {
		t.Error("a fragment of the page is taken for a quiz")
	}
	for name, bad := range map[string]string{
		"no base64": "q=a%20b", "nothing": "q=", "too long": "q=" + strings.Repeat("A", 4*maxAuthorLink), "no UTF-8": "q=_w", "a zero": "q=AA",
	} {
		if text, ok := authorShare.text(bad); ok || text != "" {
			t.Errorf("%s: %q, %v", name, text, ok)
		}
	}
}

func TestDraftsAreKeptTheLatestFirstAndNotForEver(t *testing.T) {
	var list []draft
	for i := range maxDrafts + 3 {
		var gone []draft
		list, gone = putDraft(list, draft{ID: whole(i), Name: "q"})
		if want := max(0, i-maxDrafts+1); i >= maxDrafts && (len(gone) != 1 || gone[0].ID != whole(want-1)) {
			t.Errorf("after %d: %v", i, gone)
		}
	}
	list, gone := putDraft(list, draft{ID: "5", Name: "changed"})
	if len(list) != maxDrafts || len(gone) != 0 || list[0].Name != "changed" || list[1].ID != whole(maxDrafts+2) {
		t.Error(list, gone)
	}
	if list = dropDraft(list, "5"); len(list) != maxDrafts-1 || list[0].ID == "5" {
		t.Error(list)
	}
	if got := readDrafts(compactJSON(list)); len(got) != len(list) || got[0] != list[0] {
		t.Error(got)
	}
	for _, bad := range []string{"", "{", "null", `[{"name":"x"}]`} {
		if got := readDrafts(bad); len(got) != 0 {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func TestAnotherTextCanBeTakenBack(t *testing.T) {
	var s authorState
	s.replace("first", "a", "", "author.said.example")
	if s.Before != nil {
		t.Error("there was nothing before the first text")
	}
	s.Draft = "1"
	s.replace("second", "b", "c", "author.said.file")
	if s.Draft != "" {
		t.Error("another text would be kept over the draft of the first")
	}
	s.undo()
	if s.Text != "first" || s.Name != "a" || s.Draft != "1" {
		t.Errorf("%+v", s)
	}
	s.undo()
	if s.Text != "second" || s.Name != "b" || s.From != "c" || s.Draft != "" {
		t.Errorf("%+v", s)
	}
}

func TestTheChosenQuestionStaysWhileTheTextCannotBeRead(t *testing.T) {
	var s authorState
	s.replace("1", "a", "", "")
	two := ask.Checked{Readable: true, Languages: []string{"en", "ja"}, Questions: []ask.CheckedQuestion{{ID: "x"}, {ID: "y"}}}
	if !s.check("1", two) || s.Question != "x" || s.Lang != "en" {
		t.Errorf("%+v", s)
	}
	s.Question, s.Lang = "y", "ja"
	if s.check("2", ask.Checked{Problems: []ask.Problem{{Line: 3, Column: 2, Message: "m"}}, Found: 1, Done: true}) {
		t.Error("a text that cannot be read is taken for one that can")
	}
	if _, _, ok := s.chosen(); !ok || s.Question != "y" || s.Readable != "1" || s.lines()[0].Line != 3 {
		t.Errorf("%+v", s)
	}
	if !s.check("3", two) || s.Question != "y" || s.Lang != "ja" {
		t.Errorf("%+v", s)
	}
	if _, at, ok := s.chosen(); !ok || at != 1 {
		t.Error(at, ok)
	}
	two.Questions, two.Languages = two.Questions[:1], two.Languages[:1]
	if !s.check("4", two) || s.Question != "x" || s.Lang != "en" {
		t.Errorf("%+v", s)
	}
	if s.check("4", two) {
		t.Error("the same text is not another one")
	}
	two.Done, two.Questions[0].Tried, two.Questions[0].Of = true, 3, 9
	if s.check("4", two); len(s.unfinished()) != 1 || s.unfinished()[0] != 1 {
		t.Error(s.unfinished())
	}
}

func TestAFileNameNamesAQuiz(t *testing.T) {
	for path, want := range map[string]string{
		"second-week.yaml": "second-week", `C:\My Quiz.YML`: "my-quiz", "../../etc/passwd": "passwd", "上限.yaml": "quiz", "": "quiz", "<img>.yaml": "img", strings.Repeat("a", 90): strings.Repeat("a", 60),
	} {
		if got := fileName(path); got != want {
			t.Errorf("%q is called %q, want %q", path, got, want)
		}
	}
}
