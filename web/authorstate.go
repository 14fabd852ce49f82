package web

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"retrylab/lab/ask"
)

// maxAuthored is how many bytes of UTF-8 a quiz may have on the author page: what the code editor holds, and what the
// engine keeps under one key. The commands read larger ones.
const maxAuthored = 64 << 10

// maxAuthorLink is how many bytes of a quiz go into a link, or come out of one. Four thirds of it are still an
// address that mail programs and chats pass on.
const maxAuthorLink = 12 << 10

// authorShare is a quiz in a link.
var authorShare = textLink{key: "q=", most: maxAuthorLink}

// authorable says whether a text can be edited here.
func authorable(text string) bool {
	return len(text) <= maxAuthored && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// A draft is a text that is kept on the device while it is written.
type draft struct {
	ID   string `json:"id"`
	Name string `json:"name"`           // of the file, without .yaml
	From string `json:"from,omitempty"` // the site's quiz that it began as
	At   string `json:"at"`             // when it was kept last, in local time
}

// maxDrafts is how many drafts are kept; the oldest goes when another one comes.
const maxDrafts = 10

// draftsKey is where the list of drafts is kept, and draftKey where one of them is.
const draftsKey = "author.drafts"

func draftKey(id string) string { return "author.draft/" + id }

// readDrafts is the kept list of drafts, the latest first.
func readDrafts(kept string) []draft {
	var list []draft
	if json.Unmarshal([]byte(kept), &list) != nil {
		return nil
	}
	list = slices.DeleteFunc(list, func(d draft) bool { return d.ID == "" })
	return list[:min(len(list), maxDrafts)]
}

// putDraft puts a draft at the top of a list, and says which had to go for it.
func putDraft(list []draft, d draft) (with []draft, gone []draft) {
	with = append([]draft{d}, slices.DeleteFunc(slices.Clone(list), func(old draft) bool { return old.ID == d.ID })...)
	if len(with) > maxDrafts {
		with, gone = with[:maxDrafts], with[maxDrafts:]
	}
	return with, gone
}

// dropDraft takes a draft out of a list.
func dropDraft(list []draft, id string) []draft {
	return slices.DeleteFunc(slices.Clone(list), func(d draft) bool { return d.ID == id })
}

// An authorState is the author page without its looks.
type authorState struct {
	Text   string
	Loaded bool   // there is a text
	Name   string // of the file, without .yaml
	From   string // the site's quiz that the text began as
	Draft  string // the id of the draft that the text is kept as; "" before the person has changed it
	Before *authorText
	Said   string // what has put the text here: a key of the catalogue

	Checked  ask.Checked // the last answer
	Of       string      // the text that it is about
	Readable string      // the last text that could be read
	Err      *ask.Error  // of the check

	Question string // the chosen one, by id
	Seed     int64  // 1 or more
	Lang     string // of the preview
}

// An authorText is what stood in the editor before another text came.
type authorText struct{ Text, Name, From, Draft string }

// replace puts another text into the editor. What was there can be taken back.
func (s *authorState) replace(text, name, from, said string) {
	if s.Loaded && s.Text != text {
		s.Before = &authorText{s.Text, s.Name, s.From, s.Draft}
	}
	s.Text, s.Name, s.From, s.Draft, s.Said, s.Loaded = text, name, from, "", said, true
}

// undo brings the text from before a replacement back; a second undo takes that back.
func (s *authorState) undo() {
	if b := s.Before; b != nil {
		s.Before = &authorText{s.Text, s.Name, s.From, s.Draft}
		s.Text, s.Name, s.From, s.Draft, s.Said = b.Text, b.Name, b.From, b.Draft, "author.said.undone"
	}
}

// check takes an answer of the check over. It reports whether another text can be read now.
func (s *authorState) check(text string, c ask.Checked) (fresh bool) {
	if !c.Readable { // what is shown goes on with the last text that could be read
		c.Questions, c.Languages, c.Name = s.Checked.Questions, s.Checked.Languages, s.Checked.Name
	}
	s.Checked, s.Of, s.Err = c, text, nil
	if !c.Readable {
		return false
	}
	fresh = s.Readable != text
	s.Readable = text
	if !slices.ContainsFunc(c.Questions, func(q ask.CheckedQuestion) bool { return q.ID == s.Question }) {
		s.Question = ""
		if len(c.Questions) > 0 {
			s.Question = c.Questions[0].ID
		}
	}
	if !slices.Contains(c.Languages, s.Lang) {
		s.Lang = ""
		if len(c.Languages) > 0 {
			s.Lang = c.Languages[0]
		}
	}
	return fresh
}

// chosen is the chosen question of the last text that could be read, and its place from 0.
func (s *authorState) chosen() (q ask.CheckedQuestion, at int, ok bool) {
	for i, q := range s.Checked.Questions {
		if q.ID == s.Question {
			return q, i, true
		}
	}
	return q, 0, false
}

// lines are the problems as the editor marks them.
func (s *authorState) lines() []codeMark {
	var marks []codeMark
	for _, p := range s.Checked.Problems {
		marks = append(marks, codeMark{p.Line, p.Message})
	}
	return marks
}

// unfinished are the places of questions, from 1, whose variants were too much to try here.
func (s *authorState) unfinished() []int {
	var places []int
	for i, q := range s.Checked.Questions {
		if s.Checked.Readable && s.Checked.Done && q.Tried < q.Of {
			places = append(places, i+1)
		}
	}
	return places
}

// fileName is the name of a file without its folder and end, as far as it can name a quiz's file.
func fileName(path string) string {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml")
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	name = strings.Trim(name[:min(len(name), 60)], "-")
	if name == "" {
		return "quiz"
	}
	return name
}
