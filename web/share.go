package web

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// A textLink is how a text travels in the fragment of an address, which no server sees: as base64 behind a key.
type textLink struct {
	key  string // "q="
	most int    // bytes of the text
}

// fragment is a text as the end of an address, or "" when it is too long for one.
func (l textLink) fragment(text string) string {
	if len(text) > l.most {
		return ""
	}
	return l.key + base64.RawURLEncoding.EncodeToString([]byte(text))
}

// text is the text at the end of an address, "" for none. ok is false for an address that has one which
// cannot be read.
func (l textLink) text(fragment string) (text string, ok bool) {
	packed, found := strings.CutPrefix(fragment, l.key)
	if !found {
		return "", true
	}
	if len(packed) > base64.RawURLEncoding.EncodedLen(l.most) {
		return "", false
	}
	data, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil || len(data) == 0 || !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
		return "", false
	}
	return string(data), true
}
