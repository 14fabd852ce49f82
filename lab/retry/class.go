package retry

import "errors"

// A Class says what is to be done about an error (SPEC.md section 6).
type Class uint8

// Classes. The zero Class is ClassUnknown: an error that nobody has judged is never tried again.
const (
	ClassUnknown   Class = iota // goes to the caller unchanged
	ClassRetryable              // may be tried again
	ClassPermanent              // somebody must correct the order first
)

func (c Class) String() string {
	switch c {
	case ClassRetryable:
		return "retryable"
	case ClassPermanent:
		return "permanent"
	}
	return "unknown"
}

// A Mark is an error with the class that somebody who knows gave it. It says what the marked error
// says, and errors.Is and errors.As see through it. [Judge] finds a mark through any wraps.
type Mark struct {
	Class        Class
	RetryAfterMS int64 // not to be tried again earlier, 0..Max; 0 when nothing was asked for
	Err          error
}

// Error is the marked error's own message.
func (m *Mark) Error() string {
	if m.Err == nil {
		return m.Class.String()
	}
	return m.Err.Error()
}

// Unwrap is the marked error.
func (m *Mark) Unwrap() error { return m.Err }

// Retryable marks err as one that may be tried again. Retryable(nil) is nil.
func Retryable(err error) error { return RetryableAfter(err, 0) }

// RetryableAfter is [Retryable] with the receiver's word that a try before ms milliseconds from now is
// in vain: see [RetryAfter]. A negative ms is ignored, one above Max counts as Max.
func RetryableAfter(err error, ms int64) error {
	if err == nil {
		return nil
	}
	return &Mark{ClassRetryable, min(max(ms, 0), Max), err}
}

// Permanent marks err as one that is the same at every try until somebody corrects the order.
// Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &Mark{Class: ClassPermanent, Err: err}
}

// Judge returns the class that err was marked with and the Retry-After that the mark carries, in ms
// (0 for none). Marks are found as errors.As finds them, through wraps and joined errors, and the
// outermost mark of a branch counts: who wrapped last knew most. Of several branches a permanent one
// decides, since trying again cannot help that part; then a retryable one, with the longest
// Retry-After of any. An error without a mark is unknown; so is nil.
//
// A [*GaveUpError] ends the search: the marks that an inner loop went by do not leak into an outer
// one (SPEC.md section 6). Mark it anew to have it tried again.
func Judge(err error) (Class, int64) {
	for err != nil {
		switch e := err.(type) {
		case *Mark:
			return e.Class, e.RetryAfterMS
		case interface{ As(any) bool }: // a GaveUpError, which has no marks to show, among others
			var m *Mark
			if e.As(&m) && m != nil {
				return m.Class, m.RetryAfterMS
			}
		}
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			return judgeAll(e.Unwrap())
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return ClassUnknown, 0
		}
	}
	return ClassUnknown, 0
}

func judgeAll(errs []error) (Class, int64) {
	class, after := ClassUnknown, int64(0)
	for _, err := range errs {
		switch c, ms := Judge(err); c {
		case ClassPermanent:
			return ClassPermanent, 0
		case ClassRetryable:
			class, after = c, max(after, ms)
		}
	}
	return class, after
}

// hides reports whether target asks for a Mark, which must not be found through a GaveUpError.
func hides(target any) bool {
	_, ok := target.(**Mark)
	return ok
}

// isAny and asAny look into several errors, nil ones included.
func isAny(target error, errs ...error) bool {
	for _, err := range errs {
		if err != nil && errors.Is(err, target) {
			return true
		}
	}
	return false
}

func asAny(target any, errs ...error) bool {
	for _, err := range errs {
		if err != nil && errors.As(err, target) {
			return true
		}
	}
	return false
}
