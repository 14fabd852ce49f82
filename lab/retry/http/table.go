package retryhttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"retrylab/lab/retry"
)

// A Table gives answers their class, by status code. A code that is not in it is unknown.
type Table map[int]retry.Class

// Default is the table of SPEC.md section 6, as a copy of its own:
//
//   - retryable: 408, 409 (the same key is in progress), 425, 429, 500, 502, 503, 504
//   - permanent: 400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 501, 505
func Default() Table {
	t := Table{}
	for _, code := range []int{408, 409, 425, 429, 500, 502, 503, 504} {
		t[code] = retry.ClassRetryable
	}
	for _, code := range []int{400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 501, 505} {
		t[code] = retry.ClassPermanent
	}
	return t
}

var byDefault = Default()

// A StatusError is an answer outside 2xx.
type StatusError struct{ Code int }

func (e *StatusError) Error() string {
	s := "answer " + strconv.Itoa(e.Code)
	if text := http.StatusText(e.Code); text != "" {
		s += " " + text
	}
	return s
}

// Judge turns the outcome of one send into what [retry.Do] and a queue's send go by. An answer of 2xx is
// nil. Any other is a [*StatusError] with the mark that override has for its code, or else [Default];
// without either it is unknown. A retryable answer carries its Retry-After, in either form, read at
// nowMS (ms since the Unix epoch).
//
// Of errors, time-outs and refused or reset connections are retryable; that the peer closed a connection
// before its answer was complete counts as a reset. Every other error is returned unchanged, unknown.
// Judge neither reads nor closes the answer's body.
func Judge(resp *http.Response, err error, nowMS int64, override Table) error {
	if err != nil {
		if transient(err) {
			return retry.Retryable(err)
		}
		return err
	}
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return nil
	}
	class, ok := override[resp.StatusCode]
	if !ok {
		class = byDefault[resp.StatusCode]
	}
	err = &StatusError{resp.StatusCode}
	switch class {
	case retry.ClassPermanent:
		return retry.Permanent(err)
	case retry.ClassRetryable:
		after, _ := retry.RetryAfter(resp.Header.Get("Retry-After"), nowMS)
		return retry.RetryableAfter(err, after)
	}
	return err
}

// transient is true for time-outs and for connections that were refused or reset.
func transient(err error) bool {
	for _, one := range []error{
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
		io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
