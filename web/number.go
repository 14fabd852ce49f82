package web

import "strconv"

// whole prints a whole number. The pages never print a number through go-app, which gives floats
// four decimals.
func whole[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// coord prints a coordinate of a figure with one decimal at most.
func coord(x float64) string {
	s := strconv.FormatFloat(x, 'f', 1, 64)
	if n := len(s); s[n-2:] == ".0" {
		return s[:n-2]
	}
	return s
}
