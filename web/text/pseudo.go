package text

import "strings"

var accented = func() map[rune]rune {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const odd = "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśţúṽŵẋýžÁƁĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŢÚṼŴẊÝŽ"
	m := map[rune]rune{}
	to := []rune(odd)
	for i, r := range plain {
		m[r] = to[i]
	}
	return m
}()

// pseudoText changes every letter outside of {places} and `code`, and marks both ends.
func pseudoText(s string) string {
	var b strings.Builder
	b.WriteRune('⟦')
	place, code := false, false
	for _, r := range s {
		switch {
		case r == '`':
			code = !code
		case r == '{' && !code:
			place = true
		case r == '}':
			place = false
		}
		if to, ok := accented[r]; ok && !place && !code {
			r = to
		}
		b.WriteRune(r)
	}
	b.WriteRune('⟧')
	return b.String()
}
