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

// short prints a number with as many decimals as it has.
func short(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// seconds prints a time in ms as seconds with two digits that matter.
func seconds(ms float64) string {
	if ms < 10000 {
		return strconv.FormatFloat(ms/1000, 'f', 2, 64)
	}
	return strconv.FormatFloat(ms/1000, 'f', 0, 64)
}

// megabytes prints a size with one decimal.
func megabytes(bytes int) string { return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) }
