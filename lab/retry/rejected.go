package retry

import (
	"strconv"
	"strings"
)

// A Fault is what is wrong with one argument. It is a code: a page turns it into its own language.
type Fault string

// Faults.
const (
	FaultMissing  Fault = "missing"
	FaultNull     Fault = "null"
	FaultBoolean  Fault = "boolean"
	FaultNaN      Fault = "nan"
	FaultInfinite Fault = "infinite"
	FaultFraction Fault = "fraction" // a whole number was wanted
	FaultText     Fault = "text"     // a number was wanted
	FaultList     Fault = "list"
	FaultMap      Fault = "map"
	FaultTooSmall Fault = "too_small"
	FaultTooLarge Fault = "too_large"

	// Of arguments that are texts.
	FaultNotText Fault = "not_text"
	FaultEmpty   Fault = "empty"
	FaultTooLong Fault = "too_long"
	FaultNotUTF8 Fault = "not_utf8"
	FaultNUL     Fault = "nul"

	// Of arguments that are right by themselves but not here and now.
	FaultLate   Fault = "late"    // no time is left before the deadline
	FaultNoRoom Fault = "no_room" // not above the attempts already consumed
	FaultState  Fault = "state"   // the job is not in the state that the operation needs
)

// What a fault says in English, for errors.
var faultText = map[Fault]string{
	FaultMissing: "is missing", FaultNull: "is null", FaultBoolean: "is a boolean", FaultNaN: "is not a number (NaN)",
	FaultInfinite: "is infinite", FaultFraction: "is not whole", FaultText: "is text", FaultList: "is a list",
	FaultMap: "is an object", FaultTooSmall: "is too small", FaultTooLarge: "is too large", FaultNotText: "is not text",
	FaultEmpty: "is empty", FaultTooLong: "is too long", FaultNotUTF8: "is not valid UTF-8", FaultNUL: "has a NUL byte",
	FaultLate: "leaves no time", FaultNoRoom: "leaves no attempt", FaultState: "is not dead",
}

// A BadArg is one rejected argument.
type BadArg struct {
	Name  string // as in SPEC.md: attempt, base_ms, ...
	Fault Fault
	Want  Want
}

// A Want is what would have been right. Whole numbers and numbers lie in Lo..Hi; texts have Lo..Hi
// code points or bytes.
type Want struct {
	Kind   string // whole, number, text, or "" where the fault says all
	Lo, Hi int64
}

// WantWhole is a whole number lo..hi.
func WantWhole(lo, hi int64) Want { return Want{"whole", lo, hi} }

// WantJitter is a number 0..1 inclusive.
func WantJitter() Want { return Want{"number", 0, 1} }

// String is the wanted value in English, such as "a whole number from 1 to 10000".
func (w Want) String() string {
	lo, hi := strconv.FormatInt(w.Lo, 10), strconv.FormatInt(w.Hi, 10)
	switch w.Kind {
	case "whole":
		return "a whole number from " + lo + " to " + hi
	case "number":
		return "a number from " + lo + " to " + hi
	case "text":
		return "text of length " + lo + " to " + hi
	}
	return ""
}

func (b BadArg) String() string {
	s := b.Name + " " + faultText[b.Fault]
	if w := b.Want.String(); w != "" {
		s += ", wanted " + w
	}
	return s
}

// A RejectedError names every bad argument of a call, in the order of the arguments. Nothing was
// done: no value was computed and no row was written.
type RejectedError struct {
	Bad []BadArg // at least one
}

func (e *RejectedError) Error() string {
	var s strings.Builder
	s.WriteString("rejected: ")
	for i, b := range e.Bad {
		if i > 0 {
			s.WriteString("; ")
		}
		s.WriteString(b.String())
	}
	return s.String()
}

// Names are the names of the bad arguments, in order.
func (e *RejectedError) Names() []string {
	names := make([]string, len(e.Bad))
	for i, b := range e.Bad {
		names[i] = b.Name
	}
	return names
}

// Rejected makes the error of the bad arguments, or nil when there are none.
func Rejected(bad []BadArg) error {
	if len(bad) == 0 {
		return nil
	}
	return &RejectedError{bad}
}
