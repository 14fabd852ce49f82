package text

// PluralForms lists the plural forms that a language has, as CLDR names them for whole numbers.
func PluralForms(lang string) []string {
	switch lang {
	case "ja":
		return []string{"other"}
	case "ru":
		return []string{"one", "few", "many"}
	}
	return []string{"one", "other"}
}

// plural is the form of a whole number of 0 or more.
func plural(lang string, n int64) string {
	switch lang {
	case "ja":
		return "other"
	case "ru":
		ten, hundred := n%10, n%100
		switch {
		case ten == 1 && hundred != 11:
			return "one"
		case ten >= 2 && ten <= 4 && (hundred < 12 || hundred > 14):
			return "few"
		}
		return "many"
	}
	if n == 1 {
		return "one"
	}
	return "other"
}
