package quiz_test

import (
	"strings"
	"testing"

	"retrylab/quiz"
)

func TestFaultsOfYAMLSayWhatToDo(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"- id: a\n  ask: {en: {attempt} failures}\n", `a text that begins with { wants quotes`},
		{"- id: a\n  ask: {en: x}\n\t  kind: number\n", "there is a tab before the text"},
		{"- id: a\n  ask: What: is it?\n", "a text with a colon in it wants quotes"},
		{"- id: a\n  ask: @home\n", "a text that begins with @ wants quotes"},
		{"- id: a\n  ask: {en: `code`}\n", "a text that begins with ` wants quotes"},
		{"- id: a\n   kind: number\n  ask: x\n", "look at the indentation"},
		{"- id: a\n  ask: x\n kind: number\n", "look at the indentation"},
		{"- id: a\n  ask: \"x\n", ""},
		{"- id: a\n  ask: [x\n", ""},
	} {
		_, err := quiz.Parse("q.yaml", []byte(head+c.question))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.question, err, c.want)
		}
	}
}

// TestFaultsOfYAMLAreToldWhereTheyBegin has texts as the writer of a Markdown text or a table types them.
func TestFaultsOfYAMLAreToldWhereTheyBegin(t *testing.T) {
	wants := func(sign string) string {
		return "8:11: a text that begins with " + sign + ` wants quotes: "` + sign + `..."`
	}
	const comment = "what follows # is a comment: put quotes around the text, or a space behind the #"
	for _, c := range []struct{ option, want string }{
		{"- text: *retry* it", wants("*")},
		{"- text: **never** do it", wants("*")},
		{"- text: * it", wants("*")},
		{"- {text: *retry* it, why: x}", "8:12: a text that begins with * wants quotes"},
		{"- text: `code` of it", "8:11: while scanning for the next token: found character that cannot start any token; a text that begins with ` wants quotes"},
		{"- text: @home", "8:11: while scanning for the next token: found character that cannot start any token; a text that begins with @ wants quotes"},
		{"- text: %5", "8:11: while scanning for the next token: found character that cannot start any token; a text that begins with % wants quotes"},
		{"- text: &both of it", "8:11: anchors and aliases (& and *) are not read here: write the value out; a text that begins with & wants quotes"},
		{"- text: & more", wants("&")},
		{"- text: !important it", "8:11: the tag !important is not read here; a text that begins with ! wants quotes"},
		{"- text: > is more", wants(">")},
		{"- text: | or", wants("|")},
		{"- text: - is less", "8:11: block sequence entries are not allowed in this context; a text that begins with - wants quotes"},
		{"- text: \"retry\" it", `8:11: a text that begins with " wants quotes around all of it: '"...'`},
		{"- text: 'retry' it", `8:11: a text that begins with ' wants quotes around all of it: "'..."`},
		{"- {text: \"retry\" it}", `8:12: a text that begins with " wants quotes around all of it`},
		{"- text: \"What is \"it\"?\"", `8:11: a text with " in it wants the other quotes around it: '...'`},
		{"- {text: 'it's late', why: x}", `8:12: a text that begins with ' wants quotes around all of it`},
		{"- text: 'it's late'", `8:11: a text with ' in it wants the other quotes around it: "..."`},
		{"- text: {attempt} now?", wants("{")},
		{"- text: [x] now?", wants("[")},
		{"- text: {en: {attempt} now?}", "8:16: a text that begins with { wants quotes"},

		{"- text: \"retry it", "8:11: this quote is not closed in its line"},
		{"- text: 'tis it\n    why: x", "8:11: this quote is never closed"},
		{"- {text: \"retry it}", "8:12: this quote is not closed in its line"},
		{"- {text: a why: b}\n  - {text: \"a\" why: b}", "8:17: while parsing a flow mapping"},
		{"- {text: \"a\" why: b}", "8:16: a comma is missing before this"},
		{"- [{text: a} {text: b}]", "8:16: a comma is missing before this"},

		{"- kind:choice\n    why: x", "8:5: a space is missing after the colon, expected kind: choice"},
		{"- text: a\n    kind:choice\n    why: x", "9:5: a space is missing after the colon, expected kind: choice"},
		{"- text: a\n    kind:choice\n\n    why: x", "9:5: a space is missing after the colon, expected kind: choice"},
		{"- {text: \"b\", why:c d: e}", `8:17: unknown key "why:c d" in an option: a space is missing after the colon, expected why: c d`},
		{"- {text: a:b c: d}", "8:17: "},
		{"- {text:a, why: x}", `8:6: unknown key "text:a" in an option: a space is missing after the colon, expected text: a`},
		{"- text: Use #5 now", "8:15: " + comment},
		{"- {text: Use #5 now, why: x}", "8:16: " + comment},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			file := head + "- id: あ\n  kind: choice\n  ask: x\n  options:\n  " + c.option + "\n  - {text: \"あ\", why: \"c\"}\n"
			_, err := quiz.Parse("q.yaml", []byte(strings.ReplaceAll(file, "\n", end)))
			if err == nil || !strings.Contains("\n"+err.Error(), "\nq.yaml:"+c.want) {
				t.Errorf("%q: %v, want %q", c.option, err, c.want)
			}
		}
	}
}

func TestATextThatACommentCutsIsTold(t *testing.T) {
	const told = "what follows # is a comment: put quotes around the text, or a space behind the #"
	question := func(text string) string {
		return "- id: a\n  kind: choice\n  ask: x\n  options:\n  - {text: b, why: c}\n  - right: true\n    text: " + text
	}
	holdsCheck(t, []checkCase{
		{"a number of an issue", question("Use #5 now"), []string{"10:15: " + told}},
		{"a word", question("See #now"), []string{"10:15: " + told}},
		{"in a line that goes on", question("Use\n      more #5"), []string{"11:12: " + told}},
		{"a comment", question("Use # like this"), nil},
		{"signs", question("Use #####"), nil},
		{"behind a number", question("5 #five"), nil},
		{"in quotes", question(`"Use #5 now"`), nil},
		{"behind quotes", question(`"Use" #5 now`), nil},
		{"in a word", question("Use#5 now"), nil},
		{"in a block", question("|\n      Use #5 now\n"), nil},
	})
}
