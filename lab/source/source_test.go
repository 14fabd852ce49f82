package source_test

import (
	"errors"
	"strings"
	"testing"

	"retrylab/lab/retry"
	"retrylab/lab/source"
)

func TestPositions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: [1, 2", "f:1:9: while parsing a flow sequence: did not find expected ',' or ']'"},
		{"a: {b: 1]\nc: 2", "f:1:9: while parsing a flow mapping: did not find expected ',' or '}'"},
		{"\n\na:\n  - b\n c: d", "f:5:2: while parsing a block mapping: did not find expected key"},
		{"x: 1\ny: @", "f:2:4: while scanning for the next token: found character that cannot start any token"},
		{"あ: 1\nいう: @", "f:2:5: while scanning for the next token: found character that cannot start any token"},
		{"a: b: c", "f:1:5: mapping values are not allowed in this context"},
		{"a: 1\nb: \x00", "f:2:4: control characters are not allowed"},
		{"a: 1\nb: \xff", "f:2:4: invalid leading UTF-8 octet"},
		{"a: 1\nb: 2\na: 3", `f:3:1: the key "a" stands here twice`},
		{"a: &x 1", "f:1:4: anchors and aliases (& and *) are not read here: write the value out"},
		{"a: *x y", "f:1:4: unknown anchor 'x' referenced"},
		{"b: [1,\n  あ, *x*]", "f:2:6: unknown anchor 'x*' referenced"},
		{"*x", "f:1:1: unknown anchor 'x' referenced"},
		{"a: !!int 1", "f:1:4: the tag !!int is not read here"},
		{"? [1]\n: 2", "f:1:3: a key is a list, expected a name"},
		{strings.Repeat("[", 200_000), "f:1:10001: while increasing flow level: exceeded max depth of 10000"},
		{strings.Repeat("[", 50) + strings.Repeat("]", 50), "f:1:42: more than 40 levels deep"},
		{strings.Repeat("a", 300_000), "f:1:1: the file has 300000 bytes, at most 262144 are read"},
	} {
		_, err := source.Documents("f", []byte(c.text), 1<<18)
		var problem *source.Problem
		if !errors.As(err, &problem) || err.Error() != c.want {
			t.Errorf("%.20q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestScalarsKeepTheirTextAndKind(t *testing.T) {
	docs, err := source.Documents("f", []byte("# note\n---\n- 1e400\n- 017\n- \"3\"\n- 'true'\n- yes\n- !!str 5\n- ~\n-\n- true\n- .inf\n- 0x10\n- \"\\u3042\"\n- >\n  5\n---\n---\nb\n"), 1<<18)
	if err != nil || len(docs) != 2 {
		t.Fatal(len(docs), err)
	}
	text, boolean, number, null := retry.TypeText, retry.TypeBoolean, retry.TypeNumber, retry.TypeNull
	for i, want := range []retry.Type{number, number, text, text, text, text, null, null, boolean, retry.TypeInfinity, number, text, text} {
		if got := docs[0].Items[i].Value().Type(); got != want {
			t.Errorf("item %d: got kind %d, want %d", i, got, want)
		}
	}
	if n, fault := docs[0].Items[1].Value().Whole(0, retry.Max); n != 17 || fault != "" {
		t.Error("017 is", n, fault)
	}
	if s, _ := docs[0].Items[11].Value().Text(); s != "あ" {
		t.Error("escape is", s)
	}
}
