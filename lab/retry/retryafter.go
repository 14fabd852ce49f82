package retry

import "time"

// RetryAfter reads the value of a Retry-After header field (RFC 9110, section 10.2.3) as the wait in ms
// that it asks for at nowMS, ms since the Unix epoch. It is either a number of seconds or a date in one
// of the three forms of section 5.6.7, of which the last two are obsolete but still to be read:
//
//	Sun, 06 Nov 1994 08:49:37 GMT
//	Sunday, 06-Nov-94 08:49:37 GMT
//	Sun Nov  6 08:49:37 1994
//
// A date that is past asks for 0 ms. White space around the value does not count. Seconds that are too
// many to count give [Max], a wait that ends after every deadline. Anything else, a sign, a fraction and
// nothing at all included, is to be ignored: ok is false (SPEC.md section 6).
//
// The two digits of a year in the second form mean the latest such year that is not more than 50 years
// ahead, as the RFC says. The day of the week must be one; whether it is the right one is not asked.
// The 60th second of a minute, a leap second, is the first of the next.
func RetryAfter(value string, nowMS int64) (ms int64, ok bool) {
	for value != "" && (value[0] == ' ' || value[0] == '\t') {
		value = value[1:]
	}
	for value != "" && (value[len(value)-1] == ' ' || value[len(value)-1] == '\t') {
		value = value[:len(value)-1]
	}
	if digits := leadingDigits(value); digits != "" && digits == value {
		seconds := int64(0)
		for _, d := range digits {
			if seconds = seconds*10 + int64(d-'0'); seconds > Max/1000 {
				return Max, true
			}
		}
		return seconds * 1000, true
	}
	d := dateReader{rest: value, ok: true}
	at := d.read(nowMS)
	if !d.ok || d.rest != "" {
		return 0, false
	}
	nowMS = min(max(nowMS, 0), Max)
	return max(0, at-nowMS), true
}

// The names of days and months are ASCII, English, and of three letters; the second form spells its
// days out. Upper and lower case count as the same, as in net/http.
var (
	dayNames   = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	dayRests   = [...]string{"day", "day", "sday", "nesday", "rsday", "day", "urday"}
	monthNames = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
)

// A dateReader reads a date from the left. After something unexpected ok is false and the rest is
// meaningless.
type dateReader struct {
	rest string
	ok   bool
}

// read reads a date of any form, ms since the Unix epoch.
func (d *dateReader) read(nowMS int64) int64 {
	var year, month, day, clock int
	weekday := d.name(dayNames[:])
	switch {
	case d.take(", "):
		day = d.digits(2)
		d.need(" ")
		month = d.name(monthNames[:])
		d.need(" ")
		year = d.digits(4)
		d.need(" ")
		clock = d.clock()
		d.need(" GMT")
	case d.take(" "):
		month = d.name(monthNames[:])
		d.need(" ")
		if d.take(" ") {
			day = d.digits(1)
		} else {
			day = d.digits(2)
		}
		d.need(" ")
		clock = d.clock()
		d.need(" ")
		year = d.digits(4)
	default:
		if !d.fold(dayRests[weekday]) {
			d.ok = false
		}
		d.need(", ")
		day = d.digits(2)
		d.need("-")
		month = d.name(monthNames[:])
		d.need("-")
		year = d.digits(2)
		d.need(" ")
		clock = d.clock()
		d.need(" GMT")
		year = fullYear(year, month, day, clock, nowMS)
	}
	if date(year, month, day, 0).Day() != day {
		d.ok = false // such as 30 February
	}
	return date(year, month, day, clock).UnixMilli()
}

// date is a date whose month counts from 0, and whose clock is in seconds since midnight.
func date(year, month, day, clock int) time.Time {
	return time.Date(year, time.Month(month+1), day, 0, 0, clock, 0, time.UTC)
}

// fullYear is the latest year with the two given last digits that does not put the date more than 50
// years after nowMS.
func fullYear(two, month, day, clock int, nowMS int64) int {
	limit := time.UnixMilli(min(max(nowMS, 0), Max)).UTC().AddDate(50, 0, 0)
	year := limit.Year() - limit.Year()%100 + two
	for date(year, month, day, clock).After(limit) {
		year -= 100
	}
	return year
}

// take reads a given text if it comes next.
func (d *dateReader) take(s string) bool {
	if len(d.rest) < len(s) || d.rest[:len(s)] != s {
		return false
	}
	d.rest = d.rest[len(s):]
	return true
}

// fold is take for the letters of a name, whatever their case.
func (d *dateReader) fold(s string) bool {
	if len(d.rest) < len(s) || !sameFold(d.rest[:len(s)], s) {
		return false
	}
	d.rest = d.rest[len(s):]
	return true
}

func (d *dateReader) need(s string) {
	if !d.take(s) {
		d.ok = false
	}
}

// name reads one of the names and returns its index.
func (d *dateReader) name(names []string) int {
	for i, n := range names {
		if d.fold(n) {
			return i
		}
	}
	d.ok = false
	return 0
}

// digits reads a number of exactly n digits.
func (d *dateReader) digits(n int) int {
	digits := leadingDigits(d.rest[:min(n, len(d.rest))])
	if len(digits) != n {
		d.ok = false
		return 0
	}
	d.rest = d.rest[n:]
	v := 0
	for _, c := range digits {
		v = v*10 + int(c-'0')
	}
	return v
}

// clock reads hh:mm:ss as seconds since midnight.
func (d *dateReader) clock() int {
	hour := d.digits(2)
	d.need(":")
	minute := d.digits(2)
	d.need(":")
	second := d.digits(2)
	if hour > 23 || minute > 59 || second > 60 {
		d.ok = false
	}
	return hour*60*60 + minute*60 + second
}

// sameFold compares ASCII texts of one length, whatever the case of their letters.
func sameFold(a, b string) bool {
	for i := range len(a) {
		x, y := a[i], b[i]
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}
