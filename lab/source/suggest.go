package source

// suggest is the name among known that was probably meant, or "".
func suggest(name string, known []string) string {
	best, at := "", max(len(name)/3, 1)+1
	for _, k := range known {
		if d := distance(name, k, at); d < at {
			best, at = k, d
		}
	}
	return best
}

// DidYouMean is the name among known that was probably meant, as the end of a sentence.
func DidYouMean(name string, known []string) string {
	if s := suggest(name, known); s != "" {
		return ", did you mean " + s + "?"
	}
	return ""
}

// distance counts the letters to change, add, take out or swap with the next (optimal string
// alignment), up to a limit.
func distance(a, b string, limit int) int {
	if len(a) > 60 || len(b) > 60 || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
