package retry_test

import (
	"errors"
	"fmt"
	"testing"

	"retrylab/lab/retry"
)

var errPlain = errors.New("plain")

func wrap(name string, err error) error { return fmt.Errorf("%s: %w", name, err) }

func TestMarksAreFoundThroughWrapsAndJoins(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		class retry.Class
		after int64
	}{
		{"nil", nil, retry.ClassUnknown, 0},
		{"no mark", errPlain, retry.ClassUnknown, 0},
		{"no mark, wrapped", wrap("a", errPlain), retry.ClassUnknown, 0},
		{"retryable", retry.Retryable(errPlain), retry.ClassRetryable, 0},
		{"permanent", retry.Permanent(errPlain), retry.ClassPermanent, 0},
		{"retryable in two wraps", wrap("a", wrap("b", retry.Retryable(errPlain))), retry.ClassRetryable, 0},
		{"permanent in two wraps", wrap("a", wrap("b", retry.Permanent(errPlain))), retry.ClassPermanent, 0},
		{"retry after", retry.RetryableAfter(errPlain, 2000), retry.ClassRetryable, 2000},
		{"retry after, wrapped", wrap("a", retry.RetryableAfter(errPlain, 2000)), retry.ClassRetryable, 2000},
		{"retry after, negative", retry.RetryableAfter(errPlain, -5), retry.ClassRetryable, 0},
		{"retry after, beyond Max", retry.RetryableAfter(errPlain, retry.Max+1), retry.ClassRetryable, retry.Max},
		{"the outermost mark of a branch counts", retry.Retryable(retry.Permanent(errPlain)), retry.ClassRetryable, 0},
		{"the outermost mark of a branch counts, too", retry.Permanent(retry.Retryable(errPlain)), retry.ClassPermanent, 0},
		{"joined, first", errors.Join(retry.Permanent(errPlain), errPlain), retry.ClassPermanent, 0},
		{"joined, last", errors.Join(errPlain, retry.Retryable(errPlain)), retry.ClassRetryable, 0},
		{"of branches a permanent one decides", errors.Join(retry.Retryable(errPlain), retry.Permanent(errPlain)), retry.ClassPermanent, 0},
		{"of branches the longest wait counts", errors.Join(retry.RetryableAfter(errPlain, 30), retry.RetryableAfter(errPlain, 50), retry.Retryable(errPlain)), retry.ClassRetryable, 50},
		{"joined, in a wrap, in a join", errors.Join(errPlain, wrap("a", errors.Join(errPlain, retry.Permanent(errPlain)))), retry.ClassPermanent, 0},
		{"two wrapped by one Errorf", fmt.Errorf("%w and %w", errPlain, retry.RetryableAfter(errPlain, 7)), retry.ClassRetryable, 7},
		{"an error that converts itself", converting{}, retry.ClassRetryable, 9},
		{"an error that converts itself to other things", wrap("a", indifferent{retry.Permanent(errPlain)}), retry.ClassPermanent, 0},
		{"a mark without an error", wrap("a", &retry.Mark{Class: retry.ClassPermanent}), retry.ClassPermanent, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			class, after := retry.Judge(c.err)
			if class != c.class || after != c.after {
				t.Errorf("Judge(%v) = %v, %d, want %v, %d", c.err, class, after, c.class, c.after)
			}
		})
	}
}

type converting struct{}

func (converting) Error() string { return "converting" }
func (converting) As(target any) bool {
	if m, ok := target.(**retry.Mark); ok {
		*m = &retry.Mark{Class: retry.ClassRetryable, RetryAfterMS: 9}
		return true
	}
	return false
}

type indifferent struct{ error }

func (indifferent) As(any) bool     { return false }
func (i indifferent) Unwrap() error { return i.error }

func TestAMarkSaysAndIsWhatItMarks(t *testing.T) {
	for _, err := range []error{retry.Retryable(wrap("a", errPlain)), retry.Permanent(wrap("a", errPlain))} {
		if err.Error() != "a: plain" {
			t.Errorf("message %q", err)
		}
		if !errors.Is(err, errPlain) {
			t.Errorf("errors.Is does not see through %v", err)
		}
	}
	var m *retry.Mark
	if !errors.As(wrap("b", retry.RetryableAfter(errPlain, 5)), &m) || m.RetryAfterMS != 5 || m.Err != errPlain {
		t.Errorf("errors.As found %+v", m)
	}
	if got := (&retry.Mark{Class: retry.ClassPermanent}).Error(); got != "permanent" {
		t.Errorf("a mark of nothing says %q", got)
	}
}

func TestNothingMarkedIsNoError(t *testing.T) {
	if retry.Retryable(nil) != nil || retry.RetryableAfter(nil, 5) != nil || retry.Permanent(nil) != nil {
		t.Error("a mark made an error of nil")
	}
}

func TestAGaveUpErrorWrapsAllButTheMarks(t *testing.T) {
	cause := errors.New("cause")
	gaveUp := &retry.GaveUpError{Reason: retry.ReasonEnded, Attempts: 2, Last: wrap("send", retry.Permanent(errPlain)), Cause: cause}
	err := wrap("outer", gaveUp)
	if !errors.Is(err, errPlain) || !errors.Is(err, cause) {
		t.Error("the last error or the cause is not found")
	}
	if errors.Is(err, errors.New("other")) {
		t.Error("found what is not there")
	}
	var m *retry.Mark
	if errors.As(err, &m) {
		t.Errorf("the inner mark leaked: %+v", m)
	}
	if class, _ := retry.Judge(err); class != retry.ClassUnknown {
		t.Errorf("the inner mark counts: %v", class)
	}
	if class, _ := retry.Judge(errors.Join(retry.Retryable(err), errPlain)); class != retry.ClassRetryable {
		t.Errorf("a mark outside does not count: %v", class)
	}
	rejected := &retry.RejectedError{}
	gaveUp.Cause = rejected
	var found *retry.RejectedError
	if !errors.As(err, &found) || found != rejected {
		t.Error("the cause's type is not found")
	}
	found = nil
	gaveUp.Last, gaveUp.Cause = nil, nil
	if errors.As(err, &found) || errors.Is(err, errPlain) {
		t.Error("found something in nothing")
	}
}

func TestAGaveUpErrorTellsReasonAttemptsCauseAndLastError(t *testing.T) {
	for _, c := range []struct {
		err  retry.GaveUpError
		want string
	}{
		{retry.GaveUpError{Reason: retry.ReasonPaused}, "not tried (paused)"},
		{retry.GaveUpError{Reason: retry.ReasonPermanent, Attempts: 1, Last: errPlain}, "gave up after 1 attempt (permanent): plain"},
		{retry.GaveUpError{Reason: retry.ReasonEnded, Attempts: 3, Last: errPlain, Cause: errors.New("shutdown")}, "gave up after 3 attempts (ended): shutdown: plain"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestClassesHaveNames(t *testing.T) {
	for class, want := range map[retry.Class]string{retry.ClassUnknown: "unknown", retry.ClassRetryable: "retryable", retry.ClassPermanent: "permanent", 77: "unknown"} {
		if class.String() != want {
			t.Errorf("class %d is %q, want %q", class, class, want)
		}
	}
}
