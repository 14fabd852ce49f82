package student

import (
	"encoding/json"
	"strings"
)

// parameters reads a JSON list of parameters. The usual ones, of whole numbers, plain texts, booleans and
// nulls, are read here: in the tab that takes a tenth of the time, and there are thousands a run.
func parameters(text string) (list []any, err error) {
	if list, ok := plainParameters(text); ok {
		return list, nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&list)
	return list, err
}

// plainParameters reads a list without floats, escapes, and lists or maps in it, and says whether it was one.
func plainParameters(text string) (list []any, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	rest := text[1 : len(text)-1]
	for {
		rest = strings.TrimLeft(rest, " ")
		var value any
		switch {
		case rest == "":
			return nil, false
		case rest[0] == '"':
			end := strings.IndexAny(rest[1:], `"\`)
			if end < 0 || rest[1+end] == '\\' {
				return nil, false
			}
			value, rest = rest[1:1+end], rest[2+end:]
		default:
			end := strings.IndexByte(rest, ',')
			if end < 0 {
				end = len(rest)
			}
			switch word := strings.TrimRight(rest[:end], " "); word {
			case "null":
			case "true", "false":
				value = word == "true"
			default:
				if !isWhole(word) {
					return nil, false
				}
				value = json.Number(word)
			}
			rest = rest[end:]
		}
		list = append(list, value)
		rest = strings.TrimLeft(rest, " ")
		switch {
		case rest == "":
			return list, true
		case rest[0] != ',':
			return nil, false
		}
		rest = rest[1:]
	}
}

// isWhole says whether a text is a number of JSON without a fraction and an exponent.
func isWhole(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "" || len(s) > 1 && s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
