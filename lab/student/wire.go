package student

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"retrylab/lab/retry"
)

// A call is what a program is asked to do.
//
//	load  {source}                    compile the student's program
//	live  {life, fresh, queue}        load it anew, as a process of its own with that number, and make
//	                                  Queue(db) in it when a queue is wanted
//	call  {life, name, args, named}   call a function, or a method when the life has a queue
//
// Each also names the lives that are gone and can be forgotten.
//
// Names are Python's; a program in JavaScript turns them into its own. A value travels as null, true,
// false or a text as it is, and otherwise as a map with one key: i a whole number and f a float, both
// as text (nan, inf and -inf too), l a list, m a map, u undefined, o the name of any other type. Three arguments
// are functions or objects of the program's host: {"clock": 1}, {"send": 1} and {"failure": {...}}, an
// error as a send raises it.
type call struct {
	Do     string         `json:"do"`
	Source string         `json:"source,omitempty"`
	Life   int            `json:"life,omitempty"`
	Fresh  bool           `json:"fresh,omitempty"` // nothing of an earlier life may be left
	Queue  bool           `json:"queue,omitempty"`
	Gone   []int          `json:"gone,omitempty"`
	Name   string         `json:"name,omitempty"`
	Args   []any          `json:"args,omitempty"`
	Named  map[string]any `json:"named,omitempty"`
}

// An answer is what came of a call.
type answer struct {
	OK      any     `json:"ok"`
	Raised  *Raised `json:"raised"`
	Printed string  `json:"printed"`
	Ended   string  `json:"ended"` // what brought the interpreter to its end; no further call is answered
}

type tagged map[string]any

func number(n int64) any { return tagged{"i": strconv.FormatInt(n, 10)} }

func float(f float64) any {
	switch {
	case math.IsNaN(f):
		return tagged{"f": "nan"}
	case math.IsInf(f, 1):
		return tagged{"f": "inf"}
	case math.IsInf(f, -1):
		return tagged{"f": "-inf"}
	}
	return tagged{"f": strconv.FormatFloat(f, 'g', -1, 64)}
}

// jitter is a number that is whole when it can be, as a person would write it.
func jitter(j float64) any {
	if j == 1 || j == 0 {
		return number(int64(j))
	}
	return float(j)
}

// value is a scenario's value as it travels. One that was not given is null.
func value(v retry.Value) any {
	switch v.Type() {
	case retry.TypeBoolean:
		b, _ := v.Bool()
		return b
	case retry.TypeText:
		s, _ := v.Text()
		return s
	case retry.TypeNaN:
		return tagged{"f": "nan"}
	case retry.TypeInfinity:
		f, _ := v.Number()
		if f < 0 {
			return tagged{"f": "-inf"}
		}
		return tagged{"f": "inf"}
	case retry.TypeNumber:
		if v.MinusZero() {
			return tagged{"f": "-0"}
		}
		f, _ := v.Number()
		_, fault := v.Whole(0, retry.Max)
		if fault == retry.FaultFraction || math.IsInf(f, 0) {
			return float(f)
		}
		return tagged{"i": strconv.FormatFloat(f, 'f', -1, 64)}
	case retry.TypeList:
		return tagged{"l": []any{}}
	case retry.TypeMap:
		return tagged{"m": tagged{}}
	}
	return nil
}

// whole takes a whole number out of what a function returned; field is "" for the returned value itself.
func whole(function, field string, got any) (int64, error) {
	if m, ok := got.(map[string]any); ok {
		if text, ok := m["i"].(string); ok {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= -retry.Max && n <= retry.Max {
				return n, nil
			}
		}
	}
	return 0, wrong(function, field, got, "a whole number")
}

// A WrongType is a returned value of a type that SPEC.md section 10 does not allow there.
type WrongType struct {
	Function, Field string // Field is "" for the value itself
	Got, Want       string
}

func (e *WrongType) Error() string {
	did := e.Function + " returned"
	if e.Function == "send" { // the one function that the code calls
		did = "send was called with"
	}
	if e.Want == wantedName {
		return fmt.Sprintf("%s the key %s, wanted %s", did, e.Got, e.Field)
	}
	if e.Field == "" {
		return fmt.Sprintf("%s %s, wanted %s", did, e.Got, e.Want)
	}
	return fmt.Sprintf("%s %s as %s, wanted %s", did, e.Got, e.Field, e.Want)
}

// What a WrongType may want: words that depend on the language, or a name's own spelling.
const (
	wantedMap  = "a map"
	wantedName = "another name"
)

func wrong(function, field string, got any, want string) error {
	return &WrongType{function, field, Spell(got), want}
}

// Spell shows a value that came from a program, in words.
func Spell(got any) string {
	switch v := got.(type) {
	case nil:
		return "nothing (None or null)"
	case bool:
		return fmt.Sprintf("%t, a boolean", v)
	case string:
		return "the text " + strconv.Quote(shorten(v))
	case json.Number:
		return v.String()
	case map[string]any:
		for key, inner := range v {
			switch text, _ := inner.(string); key {
			case "i":
				return shorten(text)
			case "f":
				return shorten(text) + ", a float"
			case "l":
				return "a list"
			case "m":
				return "a map"
			case "o":
				return "a value of type " + shorten(text)
			case "u":
				return "undefined"
			}
		}
	}
	return "a value of no known type"
}

// shorten keeps a text of the student's from filling the page.
func shorten(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
