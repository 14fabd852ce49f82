package quiz

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Reasons why an answer was not understood. They are codes of the catalogue: quiz.unclear.CODE. What
// is not understood is not marked.
const (
	UnclearEmpty     = "empty"
	UnclearNumber    = "not_a_number"
	UnclearThousands = "thousands" // 1,000 may be one thousand, or one
	UnclearUnit      = "unit"      // a unit that is not the question's
	UnclearOption    = "not_an_option"
	UnclearRows      = "rows" // a row or an item is left out
)

const maxAnswer = 200 // bytes of a typed answer

// ReadNumber understands a number as a person types it, in a unit of which the question's names are
// given: with spaces around it, with full-width digits, with a decimal comma or point, with spaces,
// apostrophes or the other mark between thousands, with a sign, an exponent, a unit. It never guesses:
// what may be two numbers, such as 1,000, is unclear.
func ReadNumber(typed string, units []string) (value *big.Rat, unclear string) {
	if len(typed) > maxAnswer {
		return nil, UnclearNumber
	}
	s := strings.TrimSpace(strings.Map(plain, typed))
	if s == "" {
		return nil, UnclearEmpty
	}
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign = strings.TrimPrefix(s[:1], "+")
		s = strings.TrimSpace(s[1:])
	}
	body := s[:len(s)-len(strings.TrimLeft(s, "0123456789.,'_ "))]
	rest := s[len(body):]
	exponent := exponentOf(rest)
	rest = strings.TrimSpace(rest[len(exponent):])
	body = strings.TrimSpace(body)
	digits, unclear := decimal(body)
	if unclear != "" {
		return nil, unclear
	}
	value, ok := exact(sign + digits + exponent)
	if !ok {
		return nil, UnclearNumber
	}
	if rest == "" {
		return value, ""
	}
	if digits == "" || strings.ContainsAny(rest, "0123456789+*/^()=<>~") {
		return nil, UnclearNumber
	}
	factor, ok := unitFactor(rest, units)
	if !ok {
		return nil, UnclearUnit
	}
	return value.Mul(value, factor), ""
}

// plain is a character as its ASCII cousin, where a keyboard or a language makes another one.
func plain(c rune) rune {
	switch {
	case '！' <= c && c <= '～': // full-width forms of ! to ~
		return c - '！' + '!'
	case unicode.IsSpace(c): // the ideographic and the no-break ones too
		return ' '
	}
	switch c {
	case '−', '‐', '‑', '–', '—':
		return '-'
	case '’', '‘', 'ʼ', '´', '`':
		return '\''
	}
	return c
}

// decimal takes the marks between thousands out of a number, and makes its decimal mark a point.
func decimal(s string) (digits, unclear string) {
	// Spaces, apostrophes and _ only stand between thousands.
	grouped := strings.ContainsAny(s, " '_")
	commas, points := strings.Count(s, ","), strings.Count(s, ".")
	whole, fraction := s, ""
	switch at := strings.LastIndexAny(s, ",."); {
	case at < 0:
	case commas > 0 && points > 0, commas+points == 1:
		mark := s[at : at+1]
		whole, fraction = s[:at], s[at+1:]
		if strings.Contains(whole, mark) {
			return "", UnclearNumber
		}
		if !grouped && commas+points == 1 && len(fraction) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' {
			return "", UnclearThousands
		}
	}
	for _, mark := range []string{" ", "'", "_", ",", "."} {
		if !strings.Contains(whole, mark) {
			continue
		}
		groups := strings.Split(whole, mark)
		for i, group := range groups {
			if i > 0 && len(group) != 3 || i == 0 && (group == "" || len(group) > 3) {
				return "", UnclearNumber
			}
		}
		whole = strings.Join(groups, "")
		break // with another mark besides, what is left is no number
	}
	if !allDigits(whole) || !allDigits(fraction) || whole+fraction == "" {
		return "", UnclearNumber
	}
	if fraction == "" {
		return whole, ""
	}
	return whole + "." + fraction, ""
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// exponentOf is the exponent that a text begins with: e3, E-2. Not em, which begins a unit.
func exponentOf(s string) string {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return ""
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(s[1:], "-"), "+")
	end := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	if end == 0 {
		return ""
	}
	return s[:len(s)-len(digits)+end]
}

const maxExponent = 30

// exact is a decimal number without any loss. An exponent far from 0 is refused: it would make a number
// of as many digits.
func exact(s string) (*big.Rat, bool) {
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if has {
		n, err := strconv.Atoi(exponent)
		if err != nil || n < -maxExponent || n > maxExponent {
			return nil, false
		}
	}
	if strings.Trim(mantissa, "0123456789.+-") != "" || len(s) > maxAnswer {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// unitNames are the units that times are typed in, by their length in ms.
var unitNames = []struct {
	perMS *big.Rat
	names []string
}{
	{big.NewRat(1, 1), []string{"ms", "msec", "msecs", "millisecond", "milliseconds", "ミリ秒", "мс", "мсек", "миллисекунда", "миллисекунды", "миллисекунд"}},
	{big.NewRat(1000, 1), []string{"s", "sec", "secs", "second", "seconds", "秒", "с", "сек", "секунда", "секунды", "секунд"}},
	{big.NewRat(60_000, 1), []string{"min", "mins", "minute", "minutes", "分", "мин", "минута", "минуты", "минут"}},
}

// unitFactor is what one of the typed unit is in the question's unit.
func unitFactor(typed string, units []string) (*big.Rat, bool) {
	typed = strings.ToLower(strings.TrimSpace(strings.TrimSuffix(typed, ".")))
	single := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "s") }
	for _, unit := range units {
		if typed == strings.ToLower(unit) || len(typed) > 2 && single(typed) == single(unit) {
			return big.NewRat(1, 1), true
		}
	}
	length := func(name string) *big.Rat {
		for _, u := range unitNames {
			if slices.Contains(u.names, name) {
				return u.perMS
			}
		}
		return nil
	}
	from := length(typed)
	for _, unit := range units {
		if to := length(strings.ToLower(unit)); from != nil && to != nil {
			return new(big.Rat).Quo(from, to), true
		}
	}
	return nil, false
}
