package source

import (
	"encoding/json"
	"testing"
)

func TestAQuotedTextReadsBackAndStaysReadable(t *testing.T) {
	for text, want := range map[string]string{
		"two boxes": `two boxes`, "7": `"7"`, "true": `"true"`, "": `""`, " a": `" a"`,
		"nope & <b>": `"nope & <b>"`, `\u003c`: `"\\u003c"`, `say "hi"`: `"say \"hi\""`, "a\nb\x00": `"a\nb\u0000"`, "\u2028": `"\u2028"`,
	} {
		got := Quote(text)
		if got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
		documents, err := Documents("a.yaml", []byte("text: "+got+"\n"), 1000)
		if err != nil || len(documents) != 1 {
			t.Errorf("%s cannot be read: %v", got, err)
			continue
		}
		if n, _ := documents[0].Get("text"); n.Text != text {
			t.Errorf("%s reads back as %q, want %q", got, n.Text, text)
		}
		var back string
		if got[0] == '"' && (json.Unmarshal([]byte(got), &back) != nil || back != text) {
			t.Errorf("%s is no JSON of %q", got, text)
		}
	}
}
