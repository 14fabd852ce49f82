package quiz

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retrylab/lab/source"
)

const odd = `# a "comment
a: |
  "block" text, {x} y
    # 'tis #7

  more
b: >-   # a folded one
 "x" y
c: plain text
  "goes" on, {x} y
  and *on*
d: "in quotes \" over
  two lines"
'e''s': 'it''s "x"' # comment
"f": {a: "x", 'b': [y, "z"], "c": {d: e}, f: don't, g: x"y"z}
g: [a
    "b" c, 'd']
h:
- - "x"
  - 'y'
- ? key
  : "value"
- |
  "x" y
- http://x.y/#z
- a#b
- "a #b" # c
- 5 #ms
- true #yes
-
  "x"
i: don't "stop" now
`

func TestNothingIsBrokenInYAMLThatParses(t *testing.T) {
	texts := map[string]string{"odd": odd, "odd with CRLF": strings.ReplaceAll(odd, "\n", "\r\n")}
	for _, pattern := range []string{"bank/*.yaml", "begin/*.yaml", "testdata/broken/*.yaml", "../lab/*/*.yaml", "../lab/*/*/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(data)
		}
	}
	if len(texts) < 20 {
		t.Fatal("few texts:", len(texts))
	}
	for name, text := range texts {
		if _, err := source.Documents(name, []byte(text), 1<<22); err != nil {
			if strings.HasPrefix(name, "odd") {
				t.Error(err)
			}
			continue
		}
		found := look(text)
		for _, s := range append(found.broken, found.comments...) {
			line, column := placeIn(text, s.offset)
			t.Errorf("%s:%d:%d: %s", name, line, column, s.message)
		}
	}
}

// TestALookIsShortWhateverTheText would not end in time if a look went over a line for each of its words.
func TestALookIsShortWhateverTheText(t *testing.T) {
	for _, part := range []string{">: ", `"a" `, "[", "[]x", "{a: 1} b ", "'", "a #b\n", "*a: ", "- ", "a:b\n", "|\n", "\n", "a\n ", "# ", "あ#", ": "} {
		for _, text := range []string{strings.Repeat(part, MaxFile/len(part)), strings.Repeat("[", 50_000) + strings.Repeat("]x", 50_000)} {
			if found := look(text); len(found.broken) > 1 || len(found.comments) > maxComments {
				t.Errorf("%q: %d and %d", part, len(found.broken), len(found.comments))
			}
			_, _ = Parse("q.yaml", []byte(text))
		}
	}
	for cut := range len(odd) {
		_, _ = Parse("q.yaml", []byte(odd[:cut]))
		_, _ = Parse("q.yaml", []byte(odd[cut:]))
	}
}
