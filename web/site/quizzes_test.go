package site

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"retrylab/quiz/bank"
)

func TestQuizzesComeInTheOrderOfTheirIndex(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	folder := fstest.MapFS{"a.yaml": file(""), "b.yaml": file(""), "c.yaml": file(""), "schema.json": file("{}")}
	for index, want := range map[string]string{
		"":                               "a.yaml b.yaml c.yaml",
		`{"files": ["c.yaml"]}`:          "c.yaml a.yaml b.yaml",
		`{"files": ["b.yaml","a.yaml"]}`: "b.yaml a.yaml c.yaml",
	} {
		delete(folder, "index.json")
		if index != "" {
			folder["index.json"] = file(index)
		}
		if got, err := quizFiles(folder); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %v", index, got, err)
		}
	}
	for _, index := range []string{`{"files": ["d.yaml"]}`, `{`} {
		folder["index.json"] = file(index)
		if got, err := quizFiles(folder); err == nil {
			t.Errorf("%s: %v", index, got)
		}
	}
}

func TestAQuizWhoseNameNoAddressCanHoldIsRefused(t *testing.T) {
	for _, name := range []string{"Bad Name.yaml", "prüfung.yaml", "a&b.yaml", ".yaml"} {
		if got, err := quizFiles(fstest.MapFS{name: &fstest.MapFile{}}); err == nil || !strings.Contains(err.Error(), "small letters, digits and -") {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestTheCoursesIndexListsEveryQuiz(t *testing.T) {
	got, err := quizFiles(bank.Files)
	if err != nil || len(got) < 13 || got[0] != "what-a-retry-costs.yaml" {
		t.Fatal(got, err)
	}
	var index []string
	data, _ := bank.Files.ReadFile("index.json")
	for _, name := range got {
		if strings.Contains(string(data), `"`+name+`"`) {
			index = append(index, name)
		}
	}
	if !slices.Equal(got, index) {
		t.Errorf("the index lacks some of %v", got)
	}
}
