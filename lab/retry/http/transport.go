// Package retryhttp makes retries for HTTP clients: SPEC.md section 6 over retrylab/lab/retry.
//
// [Transport] is an http.RoundTripper that tries again as a [retry.Policy] says. [Judge] alone turns one
// answer into a marked error, for those who have a loop of their own, such as a queue's send.
package retryhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"retrylab/lab/retry"
)

// IdempotencyKey is the name of the header field by which a receiver knows that two requests are the
// same one, tried twice.
const IdempotencyKey = "Idempotency-Key"

// ErrNoKey is returned, and nothing is sent, for a request that is to be tried again under a key and has
// none.
var ErrNoKey = errors.New("retryhttp: the receiver honours keys, but the request has no " + IdempotencyKey + " and Transport.NewKey is nil")

// A Transport sends requests and tries again, as its policy says, what [Judge] finds retryable.
//
// GET, HEAD, OPTIONS, TRACE, PUT and DELETE may have the same effect twice without harm (RFC 9110,
// section 9.2.2). Any other method, POST and PATCH above all, is sent once only, unless HonoursKey says
// that the receiver tells a repetition by its Idempotency-Key; every attempt then carries the same key. A
// request with a body is tried again only if it has GetBody, which http.NewRequest sets for the usual
// readers.
//
// The answer that ended the loop is returned with its body, whatever its status, as by any RoundTripper;
// the error is a [*retry.GaveUpError] when there is none, because no attempt was answered, no attempt was
// made, or the request's context ended. Answers before the last are read and closed, so that their
// connections can be used again: if it turns out only during the wait that no attempt follows, the last
// answer is still there, up to 64 KiB of its body. A request that is sent once has its error unchanged.
//
// A Transport is safe for many goroutines. Its fields may not be changed while it is in use.
type Transport struct {
	// Base sends one request. nil is http.DefaultTransport.
	Base http.RoundTripper
	// Policy is the loop. Its Clock counts from the Unix epoch: dates in Retry-After are read by it. Its
	// AttemptMS includes reading the answer's body. Its Fallback is not used.
	Policy *retry.Policy
	// Override has the classes of answers that differ from [Default].
	Override Table
	// HonoursKey declares that the receiver of a request gives a repetition under the same key its first
	// result and no second effect. nil declares nothing.
	HonoursKey func(*http.Request) bool
	// NewKey makes the key of a request that has none, where HonoursKey needs one. It must never return
	// the same key twice. A key that outlives the process, such as a job's id, is better: set the header
	// field.
	NewKey func() string
}

// RoundTrip sends the request until it has an answer to keep.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.Policy.Check(); err != nil {
		closeBody(req)
		return nil, err
	}
	s := sending{Transport: t, req: req, policy: *t.Policy}
	if err := s.prepare(); err != nil {
		closeBody(req)
		return nil, err
	}
	err := retry.Do(req.Context(), &s.policy, s.send)
	if s.sends == 0 {
		closeBody(req)
	}
	var gaveUp *retry.GaveUpError
	ended := errors.As(err, &gaveUp) && gaveUp.Reason == retry.ReasonEnded
	switch {
	case s.resp != nil && !ended:
		return s.resp, nil
	case s.resp != nil:
		s.resp.Body.Close()
	case s.once && s.err != nil && !ended:
		return nil, s.err
	}
	return nil, err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// sending is one RoundTrip.
type sending struct {
	*Transport
	req    *http.Request
	policy retry.Policy
	once   bool
	key    string // for a request that has none
	sends  int
	resp   *http.Response // of the last attempt
	err    error          // of the last attempt, as it came
}

// prepare finds out whether the request may be repeated, and fits the policy to HTTP.
func (s *sending) prepare() error {
	switch s.req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
	default:
		if s.once = s.HonoursKey == nil || !s.HonoursKey(s.req); s.once {
			break
		}
		if s.req.Header.Get(IdempotencyKey) == "" {
			if s.NewKey != nil {
				s.key = s.NewKey()
			}
			if s.key == "" {
				return ErrNoKey
			}
		}
	}
	if s.req.Body != nil && s.req.Body != http.NoBody && s.req.GetBody == nil {
		s.once = true
	}
	if s.once {
		s.policy.MaxAttempts = 1
	}
	s.policy.Fallback = nil
	s.policy.AttemptMS = 0 // the limit must outlive the attempt until the body is read: see attempt
	told := s.policy.OnAttempt
	s.policy.OnAttempt = func(a retry.Attempt) {
		if a.Again && s.resp != nil {
			hold(s.resp)
		}
		if told != nil {
			told(a)
		}
	}
	return nil
}

// send is one attempt.
func (s *sending) send(ctx context.Context) error {
	if s.resp != nil {
		s.resp.Body.Close()
	}
	s.resp = nil
	body := s.req.Body
	if s.sends > 0 && s.req.GetBody != nil {
		if body, s.err = s.req.GetBody(); s.err != nil {
			return fmt.Errorf("retryhttp: the body cannot be sent again: %w", s.err)
		}
	}
	s.sends++
	s.resp, s.err = s.attempt(ctx, body)
	now := int64(0)
	if s.policy.Clock != nil {
		now = s.policy.Clock.Now()
	}
	return Judge(s.resp, s.err, now, s.Override)
}

func (s *sending) attempt(ctx context.Context, body io.ReadCloser) (*http.Response, error) {
	cancel := func() {}
	if limit := s.Policy.AttemptMS; limit > 0 {
		ctx, cancel = s.policy.Clock.WithTimeout(ctx, limit)
	}
	req := s.req.Clone(ctx)
	req.Body = body
	if s.key != "" {
		req.Header.Set(IdempotencyKey, s.key)
	}
	base := s.Base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		cancel()
		return nil, err
	}
	if s.Policy.AttemptMS > 0 {
		resp.Body = cancelling(resp.Body, cancel)
	}
	return resp, nil
}

// cancelling is body, whose Close also ends the attempt's time limit. Of a switched protocol it can still
// be written to.
func cancelling(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	c := &cancelBody{body, cancel}
	if w, ok := body.(io.Writer); ok {
		return struct {
			*cancelBody
			io.Writer
		}{c, w}
	}
	return c
}

type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// held is how much of an answer's body is kept during a wait.
const held = 64 << 10

// hold reads the answer's body into memory and closes it, so that its connection is free while the loop
// waits. What is read later beyond the limit, or beyond an error, gives that error.
func hold(resp *http.Response) {
	var buf bytes.Buffer
	_, err := io.CopyN(&buf, resp.Body, held+1)
	resp.Body.Close()
	rest := io.Reader(failing{err})
	if err == nil {
		buf.Truncate(held)
		rest = failing{errors.New("retryhttp: the rest of this answer was not kept during the wait")}
	}
	resp.Body = io.NopCloser(io.MultiReader(&buf, rest))
}

// failing is a reader that has nothing but its error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
