package retry

import (
	"math"
	"strconv"
	"strings"
)

// Max is the largest count and the largest time in ms: 2^53 - 1, the largest whole number that Go,
// JavaScript and JSON all hold exactly (SPEC.md, opening paragraph).
const Max = 1<<53 - 1

// A Value is a value as it came from outside (JavaScript, JSON, YAML, a form), before anybody has
// judged it. Nothing is coerced on the way in: a boolean stays a boolean, and a number that was
// written as text keeps its exact decimal value, however long. [Value.Whole] and [Value.Jitter] are
// the one checking boundary between such values and typed Go.
//
// The zero Value is a value that was not given.
type Value struct {
	kind   Type
	neg    bool
	float  bool   // a floating point type of a language that tells them apart: never whole
	minus  bool   // a zero that was written with a minus
	digits string // of a finite number: value = 0.digits * 10^point, no zeros at either end; "" is 0
	point  int64
	text   string
}

// A Type is what a Value is.
type Type uint8

// Types of values.
const (
	TypeMissing Type = iota // not given
	TypeNull
	TypeBoolean
	TypeNumber // finite
	TypeNaN
	TypeInfinity // either sign
	TypeText
	TypeList
	TypeMap
)

// Type tells what the value is.
func (v Value) Type() Type { return v.kind }

// Given is false for a value that was not given and for null: for arguments where null means "not
// given".
func (v Value) Given() bool { return v.kind != TypeMissing && v.kind != TypeNull }

// Text returns the text of a TypeText value, and false for every other kind.
func (v Value) Text() (string, bool) { return v.text, v.kind == TypeText }

// Null is the null of JSON and YAML, None of Python.
func Null() Value { return Value{kind: TypeNull} }

// Boolean is true or false.
func Boolean(b bool) Value { return Value{kind: TypeBoolean, neg: !b} }

// Text is a string, also when it looks like a number.
func Text(s string) Value { return Value{kind: TypeText, text: s} }

// List is an array; what it holds does not matter here.
func List() Value { return Value{kind: TypeList} }

// Map is an object; what it holds does not matter here.
func Map() Value { return Value{kind: TypeMap} }

// Int is a whole number of a typed language.
func Int(n int64) Value {
	v, _ := decimal(strconv.FormatInt(n, 10))
	return v
}

// Float is a number of JavaScript, or of a JSON reader that has already rounded it: 2.0 is whole.
func Float(f float64) Value {
	switch {
	case math.IsNaN(f):
		return Value{kind: TypeNaN}
	case math.IsInf(f, 0):
		return Value{kind: TypeInfinity, neg: f < 0}
	}
	// The shortest text that reads back as f is a whole number exactly when f is one.
	v, _ := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	return v
}

// FloatType is a number of a language that tells floats from whole numbers, such as Python's float:
// 2.0 is not whole (SPEC.md section 2).
func FloatType(f float64) Value {
	v := Float(f)
	v.float = true
	return v
}

// ParsePlain reads an unquoted scalar by the core schema of YAML 1.2. What is no null, boolean or
// number is text. Numbers keep their exact decimal value.
func ParsePlain(s string) Value {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return Null()
	case "true", "True", "TRUE":
		return Boolean(true)
	case "false", "False", "FALSE":
		return Boolean(false)
	case ".nan", ".NaN", ".NAN":
		return Value{kind: TypeNaN}
	}
	switch unsigned := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-"); {
	case len(s)-len(unsigned) > 1:
	case unsigned == ".inf", unsigned == ".Inf", unsigned == ".INF":
		return Value{kind: TypeInfinity, neg: s[0] == '-'}
	}
	if v, ok := based(s); ok {
		return v
	}
	if v, ok := decimal(s); ok {
		return v
	}
	return Text(s)
}

// ParseText reads what a person typed into a field as an argument: a YAML scalar, with JavaScript's
// and Python's words besides: Infinity, NaN, inf, nan, undefined, None. Quotes make text, [ a list,
// { an object, and nothing at all is a value not given. White space around it does not count.
func ParseText(s string) Value {
	s = strings.TrimSpace(s)
	if s == "" || s == "undefined" {
		return Value{}
	}
	switch s[0] {
	case '"', '\'', '`':
		if len(s) > 1 && s[len(s)-1] == s[0] {
			s = s[1 : len(s)-1]
		}
		return Text(s)
	case '[', '(':
		return List()
	case '{':
		return Map()
	}
	switch s {
	case "None":
		return Null()
	case "NaN", "nan", "+NaN", "-NaN":
		return Value{kind: TypeNaN}
	case "Infinity", "+Infinity", "inf", "+inf", "∞":
		return Value{kind: TypeInfinity}
	case "-Infinity", "-inf", "-∞":
		return Value{kind: TypeInfinity, neg: true}
	}
	return ParsePlain(s)
}

// exponentLimit is where exponents stop counting: anything so large is out of every range and
// anything so small is next to nothing, and sums with lengths of texts still fit in an int64.
const exponentLimit = 1 << 40

// decimal reads [-+]? (digits [. digits?] | . digits) ([eE] [-+]? digits)? exactly.
func decimal(s string) (Value, bool) {
	v := Value{kind: TypeNumber}
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		v.neg = rest[0] == '-'
		rest = rest[1:]
	}
	whole := leadingDigits(rest)
	rest = rest[len(whole):]
	fraction := ""
	if rest != "" && rest[0] == '.' {
		fraction = leadingDigits(rest[1:])
		rest = rest[1+len(fraction):]
	}
	if whole == "" && fraction == "" {
		return Value{}, false
	}
	exponent := int64(0)
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		sign := int64(1)
		if rest != "" && (rest[0] == '-' || rest[0] == '+') {
			if rest[0] == '-' {
				sign = -1
			}
			rest = rest[1:]
		}
		digits := leadingDigits(rest)
		if digits == "" {
			return Value{}, false
		}
		rest = rest[len(digits):]
		for _, d := range digits {
			exponent = min(exponent*10+int64(d-'0'), exponentLimit)
		}
		exponent *= sign
	}
	if rest != "" {
		return Value{}, false
	}
	all := whole + fraction
	v.digits = strings.TrimLeft(all, "0")
	v.point = int64(len(whole)) + exponent - int64(len(all)-len(v.digits))
	v.digits = strings.TrimRight(v.digits, "0")
	if v.digits == "" {
		v.point, v.neg, v.minus = 0, false, v.neg // -0 is 0
	}
	return v, true
}

// based reads the 0o and 0x numbers of YAML's core schema, which have no sign.
func based(s string) (Value, bool) {
	if len(s) < 3 || s[0] != '0' || (s[1] != 'x' && s[1] != 'o') {
		return Value{}, false
	}
	base := 16
	if s[1] == 'o' {
		base = 8
	}
	digits := s[2:]
	for i := range len(digits) {
		if !isDigitOf(digits[i], base) {
			return Value{}, false
		}
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return Value{kind: TypeNumber, digits: "1", point: exponentLimit}, true // beyond every range
	}
	v, _ := decimal(strconv.FormatUint(n, 10))
	return v, true
}

func isDigitOf(c byte, base int) bool {
	switch {
	case '0' <= c && c <= '9':
		return int(c-'0') < base
	case 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		return base == 16
	}
	return false
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i]
}

// fault is what keeps a value of any kind but a finite number from being a number.
func (v Value) fault() Fault {
	switch v.kind {
	case TypeMissing:
		return FaultMissing
	case TypeNull:
		return FaultNull
	case TypeBoolean:
		return FaultBoolean
	case TypeNaN:
		return FaultNaN
	case TypeInfinity:
		return FaultInfinite
	case TypeText:
		return FaultText
	case TypeList:
		return FaultList
	case TypeMap:
		return FaultMap
	}
	return ""
}

// Whole is the value as a whole number lo..hi, where 0 <= lo and hi <= Max. The Fault is "" when it
// is one. A number is judged by its exact value: 2.0 and 1e3 are whole, 9007199254740991.4 is not.
func (v Value) Whole(lo, hi int64) (int64, Fault) {
	if f := v.fault(); f != "" {
		return 0, f
	}
	if v.float || int64(len(v.digits)) > max(v.point, 0) {
		return 0, FaultFraction
	}
	if v.neg {
		return 0, FaultTooSmall
	}
	const places = 16 // of Max
	if v.point > places {
		return 0, FaultTooLarge
	}
	n := int64(0)
	for i := range v.point {
		n *= 10
		if i < int64(len(v.digits)) {
			n += int64(v.digits[i] - '0')
		}
	}
	switch {
	case n < lo:
		return 0, FaultTooSmall
	case n > hi:
		return 0, FaultTooLarge
	}
	return n, ""
}

// Jitter is the value as a number 0..1 inclusive. The Fault is "" when it is one. The exact value is
// judged before it is rounded to a float64: 1.0000000000000000001 is too large. -0.0 is 0.
func (v Value) Jitter() (float64, Fault) {
	if f := v.fault(); f != "" {
		return 0, f
	}
	switch {
	case v.neg:
		return 0, FaultTooSmall
	case v.point > 1, v.point == 1 && v.digits != "1":
		return 0, FaultTooLarge
	}
	return v.rounded(), ""
}

// rounded is the nearest float64 of a finite number.
func (v Value) rounded() float64 {
	if v.digits == "" {
		return 0
	}
	f, _ := strconv.ParseFloat("0."+v.digits+"e"+strconv.FormatInt(v.point, 10), 64)
	if v.neg {
		return -f
	}
	return f
}

// Number is the value as the nearest float64, the infinities and NaN included, and whether it is a
// number at all. It judges no range: it is for showing a value, and for mutants that judge wrongly.
func (v Value) Number() (float64, bool) {
	switch v.kind {
	case TypeNumber:
		return v.rounded(), true
	case TypeNaN:
		return math.NaN(), true
	case TypeInfinity:
		if v.neg {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	return 0, false
}

// MinusZero says whether the value is a zero with a minus. It counts as 0 everywhere; a program of a
// language with floating point numbers can tell it apart, and must not.
func (v Value) MinusZero() bool { return v.minus }

// Bool is the value of a boolean, and whether it is one.
func (v Value) Bool() (value, ok bool) { return !v.neg, v.kind == TypeBoolean }
