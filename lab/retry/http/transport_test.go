package retryhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
	retryhttp "retrylab/lab/retry/http"
)

// A quick clock tells the machine's time and does not wait, but notes for how long it was to.
type quick struct {
	clock.System
	waits []int64
}

func (q *quick) Wait(ctx context.Context, ms int64) error {
	q.waits = append(q.waits, ms)
	return context.Cause(ctx)
}

func policy(c retry.Clock, attempts int64) *retry.Policy {
	return &retry.Policy{MaxAttempts: attempts, Backoff: retry.Schedule{Kind: retry.Fixed, BaseMS: 100}, Clock: c}
}

// A receiver answers requests with the given statuses, one after the other, then with the last for ever,
// and keeps what it got.
type receiver struct {
	statuses []int
	header   http.Header // of each answer
	mu       sync.Mutex
	got      []request
}

type request struct{ method, key, body string }

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	status := r.statuses[min(len(r.got), len(r.statuses)-1)]
	r.got = append(r.got, request{req.Method, req.Header.Get(retryhttp.IdempotencyKey), string(body)})
	for k, v := range r.header {
		w.Header()[k] = v
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, "answer %d", len(r.got))
}

func serve(t *testing.T, h http.Handler) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	resp.Body.Close()
	return string(body)
}

func TestTheTableOfAnswers(t *testing.T) {
	retryable := []int{408, 409, 425, 429, 500, 502, 503, 504}
	permanent := []int{400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 501, 505}
	for code := 100; code < 600; code++ {
		want := retry.ClassUnknown
		if slices.Contains(retryable, code) {
			want = retry.ClassRetryable
		} else if slices.Contains(permanent, code) {
			want = retry.ClassPermanent
		}
		err := retryhttp.Judge(&http.Response{StatusCode: code}, nil, 0, nil)
		if code/100 == 2 {
			if err != nil {
				t.Errorf("%d: %v", code, err)
			}
			continue
		}
		var status *retryhttp.StatusError
		if class, _ := retry.Judge(err); class != want || !errors.As(err, &status) || status.Code != code {
			t.Errorf("%d: %v, %v, want %v", code, err, class, want)
		}
		if class := retryhttp.Default()[code]; class != want {
			t.Errorf("%d is %v by default, want %v", code, class, want)
		}
	}
	if got := (&retryhttp.StatusError{Code: 503}).Error(); got != "answer 503 Service Unavailable" {
		t.Error(got)
	}
	if got := (&retryhttp.StatusError{Code: 599}).Error(); got != "answer 599" {
		t.Error(got)
	}
}

func TestTheTableCanBeOverridden(t *testing.T) {
	override := retryhttp.Table{404: retry.ClassRetryable, 503: retry.ClassPermanent, 500: retry.ClassUnknown, 302: retry.ClassRetryable}
	for code, want := range map[int]retry.Class{404: retry.ClassRetryable, 503: retry.ClassPermanent, 500: retry.ClassUnknown, 302: retry.ClassRetryable, 502: retry.ClassRetryable} {
		if class, _ := retry.Judge(retryhttp.Judge(&http.Response{StatusCode: code}, nil, 0, override)); class != want {
			t.Errorf("%d is %v, want %v", code, class, want)
		}
	}
	retryhttp.Default()[404] = retry.ClassRetryable
	if class, _ := retry.Judge(retryhttp.Judge(&http.Response{StatusCode: 404}, nil, 0, nil)); class != retry.ClassPermanent {
		t.Error("a copy of the table changed the table")
	}
}

func TestRetryAfterIsReadOnAnyRetryableAnswer(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, code := range []int{408, 409, 425, 429, 500, 502, 503, 504} {
		for value, want := range map[string]int64{
			"7": 7000, " 3 ": 3000, "-5": 0, "-0": 0, "abc": 0, "1.5": 0, "": 0, "99999999999999999999": retry.Max,
			"Thu, 01 Jan 2026 00:00:09 GMT": 9000, "Wed, 31 Dec 2025 00:00:00 GMT": 0,
		} {
			resp := &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {value}}}
			if class, after := retry.Judge(retryhttp.Judge(resp, nil, now.UnixMilli(), nil)); class != retry.ClassRetryable || after != want {
				t.Errorf("%d with %q: %v after %d, want %d", code, value, class, after, want)
			}
		}
	}
	resp := &http.Response{StatusCode: 404, Header: http.Header{"Retry-After": {"7"}}}
	if class, after := retry.Judge(retryhttp.Judge(resp, nil, 0, nil)); class != retry.ClassPermanent || after != 0 {
		t.Errorf("404: %v after %d", class, after)
	}
}

func TestErrorsOfTheConnection(t *testing.T) {
	for _, c := range []struct {
		err  error
		want retry.Class
	}{
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, retry.ClassRetryable},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, retry.ClassRetryable},
		{&net.OpError{Op: "write", Err: syscall.EPIPE}, retry.ClassRetryable},
		{syscall.ECONNABORTED, retry.ClassRetryable},
		{fmt.Errorf("read: %w", io.EOF), retry.ClassRetryable},
		{io.ErrUnexpectedEOF, retry.ClassRetryable},
		{context.DeadlineExceeded, retry.ClassRetryable},
		{&net.DNSError{IsTimeout: true}, retry.ClassRetryable},
		{&net.DNSError{IsNotFound: true}, retry.ClassUnknown},
		{context.Canceled, retry.ClassUnknown},
		{errors.New("tls: bad certificate"), retry.ClassUnknown},
	} {
		err := retryhttp.Judge(nil, c.err, 0, nil)
		if class, _ := retry.Judge(err); class != c.want || !errors.Is(err, c.err) || c.want == retry.ClassUnknown && err != c.err {
			t.Errorf("%v: %v, want %v", c.err, class, c.want)
		}
	}
}

func TestAnAnswerAfterFailuresIsReturned(t *testing.T) {
	r := &receiver{statuses: []int{503, 429, 200}, header: http.Header{"Retry-After": {"7"}}}
	var q quick
	client := http.Client{Transport: &retryhttp.Transport{Policy: policy(&q, 5)}}
	resp, err := client.Get(serve(t, r).URL)
	if err != nil || resp.StatusCode != 200 || read(t, resp) != "answer 3" || !slices.Equal(q.waits, []int64{7000, 7000}) {
		t.Errorf("%v, %v, waits %v", resp, err, q.waits)
	}
}

func TestTheLastAnswerIsReturnedWhenTheLoopGivesUp(t *testing.T) {
	for _, c := range []struct {
		status, sends int
	}{{503, 3}, {404, 1}, {302, 1}, {418, 1}, {204, 1}} {
		r := &receiver{statuses: []int{c.status}}
		client := http.Client{Transport: &retryhttp.Transport{Policy: policy(&quick{}, 3)}}
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		resp, err := client.Get(serve(t, r).URL)
		if err != nil || resp.StatusCode != c.status || len(r.got) != c.sends {
			t.Fatalf("%d: %v after %d sends", c.status, err, len(r.got))
		}
		if want := fmt.Sprint("answer ", c.sends); c.status != 204 && read(t, resp) != want {
			t.Errorf("%d: not the last answer", c.status)
		}
	}
}

func TestTheAnswerOutlivesAWaitThatIsNotBegun(t *testing.T) {
	r := &receiver{statuses: []int{503}}
	q := &quick{}
	client := http.Client{Transport: &retryhttp.Transport{Policy: policy(noTime{q}, 3)}}
	resp, err := client.Get(serve(t, r).URL)
	if err != nil || resp.StatusCode != 503 || read(t, resp) != "answer 1" || len(r.got) != 1 {
		t.Errorf("%v, %v after %d sends", resp, err, len(r.got))
	}
}

type noTime struct{ *quick }

func (noTime) Wait(context.Context, int64) error { return retry.ErrNoTime }

func TestALargeAnswerIsNotKeptWholeDuringAWait(t *testing.T) {
	for _, size := range []int{64 << 10, 64<<10 + 1} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(503)
			io.WriteString(w, strings.Repeat("x", size))
		}))
		client := http.Client{Transport: &retryhttp.Transport{Policy: policy(noTime{&quick{}}, 3)}}
		resp, err := client.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if len(body) != 64<<10 || (err != nil) != (size > 64<<10) {
			t.Errorf("%d bytes: kept %d, %v", size, len(body), err)
		}
	}
}

func TestPOSTAndPATCHAreRepeatedOnlyUnderAKey(t *testing.T) {
	honours := func(*http.Request) bool { return true }
	keys := 0
	newKey := func() string { keys++; return fmt.Sprint("key ", keys) }
	for _, c := range []struct {
		method    string
		transport retryhttp.Transport
		key       string
		want      []string // the keys of the requests sent
	}{
		{"GET", retryhttp.Transport{}, "", []string{"", "", ""}},
		{"", retryhttp.Transport{}, "", []string{"", "", ""}},
		{"HEAD", retryhttp.Transport{}, "", []string{"", "", ""}},
		{"PUT", retryhttp.Transport{}, "", []string{"", "", ""}},
		{"DELETE", retryhttp.Transport{}, "a", []string{"a", "a", "a"}},
		{"OPTIONS", retryhttp.Transport{}, "", []string{"", "", ""}},
		{"POST", retryhttp.Transport{}, "a", []string{"a"}},
		{"PATCH", retryhttp.Transport{}, "a", []string{"a"}},
		{"SETTLE", retryhttp.Transport{}, "a", []string{"a"}},
		{"POST", retryhttp.Transport{HonoursKey: func(*http.Request) bool { return false }, NewKey: newKey}, "", []string{""}},
		{"POST", retryhttp.Transport{HonoursKey: honours}, "a", []string{"a", "a", "a"}},
		{"PATCH", retryhttp.Transport{HonoursKey: honours, NewKey: newKey}, "a", []string{"a", "a", "a"}},
		{"POST", retryhttp.Transport{HonoursKey: honours, NewKey: newKey}, "", []string{"key 1", "key 1", "key 1"}},
		{"PATCH", retryhttp.Transport{HonoursKey: honours, NewKey: newKey}, "", []string{"key 2", "key 2", "key 2"}},
	} {
		r := &receiver{statuses: []int{503}}
		c.transport.Policy = policy(&quick{}, 3)
		req, err := http.NewRequest(c.method, serve(t, r).URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.method == "" {
			req.Method = ""
		}
		if c.key != "" {
			req.Header.Set(retryhttp.IdempotencyKey, c.key)
		}
		resp, err := (&http.Client{Transport: &c.transport}).Do(req)
		if err != nil || resp.StatusCode != 503 {
			t.Fatalf("%s: %v, %v", c.method, resp, err)
		}
		resp.Body.Close()
		var got []string
		for _, g := range r.got {
			got = append(got, g.key)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s with key %q: sent with keys %q, want %q", c.method, c.key, got, c.want)
		}
		if req.Header.Get(retryhttp.IdempotencyKey) != c.key {
			t.Error("the caller's request was changed")
		}
	}
}

func TestARequestToBeRepeatedWithoutAKeyIsNotSent(t *testing.T) {
	for _, newKey := range []func() string{nil, func() string { return "" }} {
		r := &receiver{statuses: []int{200}}
		body := &closing{Reader: strings.NewReader("pay")}
		req, _ := http.NewRequest("POST", serve(t, r).URL, body)
		_, err := (&retryhttp.Transport{Policy: policy(&quick{}, 3), HonoursKey: func(*http.Request) bool { return true }, NewKey: newKey}).RoundTrip(req)
		if !errors.Is(err, retryhttp.ErrNoKey) || len(r.got) != 0 || body.closed.Load() == 0 {
			t.Errorf("%v after %d sends, body closed %d times", err, len(r.got), body.closed.Load())
		}
	}
}

type closing struct {
	io.Reader
	closed atomic.Int64
}

func (c *closing) Close() error { c.closed.Add(1); return nil }

func TestTheBodyIsSentWholeWithEveryAttempt(t *testing.T) {
	r := &receiver{statuses: []int{503, 503, 201}}
	req, _ := http.NewRequest("PUT", serve(t, r).URL, strings.NewReader("order 7"))
	resp, err := (&http.Client{Transport: &retryhttp.Transport{Policy: policy(&quick{}, 3)}}).Do(req)
	if err != nil || resp.StatusCode != 201 {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	for i, g := range r.got {
		if g.body != "order 7" {
			t.Errorf("attempt %d: body %q", i+1, g.body)
		}
	}
}

func TestABodyThatCannotBeReadAgainIsSentOnce(t *testing.T) {
	r := &receiver{statuses: []int{503}}
	req, _ := http.NewRequest("PUT", serve(t, r).URL, io.MultiReader(strings.NewReader("order 7")))
	resp, err := (&http.Client{Transport: &retryhttp.Transport{Policy: policy(&quick{}, 3)}}).Do(req)
	if err != nil || resp.StatusCode != 503 || len(r.got) != 1 || read(t, resp) != "answer 1" {
		t.Errorf("%v, %v after %d sends", resp, err, len(r.got))
	}
}

func TestABodyThatFailsToBeMadeAgainEndsTheLoop(t *testing.T) {
	r := &receiver{statuses: []int{503}}
	req, _ := http.NewRequest("PUT", serve(t, r).URL, strings.NewReader("order 7"))
	gone := fmt.Errorf("gone: %w", io.EOF) // an error that would be retryable of a connection
	req.GetBody = func() (io.ReadCloser, error) { return nil, gone }
	_, err := (&retryhttp.Transport{Policy: policy(&quick{}, 3)}).RoundTrip(req)
	var gaveUp *retry.GaveUpError
	if !errors.Is(err, gone) || errors.As(err, &gaveUp) || len(r.got) != 1 {
		t.Errorf("%v after %d sends", err, len(r.got))
	}
}

func TestEveryBodyIsClosed(t *testing.T) {
	var opened, closed atomic.Int64
	base := tracking{http.DefaultTransport, &opened, &closed}
	var sent []*closing
	for _, statuses := range [][]int{{200}, {503, 200}, {503}, {503, 503, 404}, {302}} {
		r := &receiver{statuses: statuses}
		newBody := func() (io.ReadCloser, error) {
			b := &closing{Reader: strings.NewReader("order 7")}
			sent = append(sent, b)
			return b, nil
		}
		req, _ := http.NewRequest("PUT", serve(t, r).URL, nil)
		req.Body, _ = newBody()
		req.GetBody = newBody
		resp, err := (&retryhttp.Transport{Base: base, Policy: policy(&quick{}, 3)}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if opened.Load() != 10 || closed.Load() != 10 {
		t.Errorf("%d answers, %d closed", opened.Load(), closed.Load())
	}
	for i, b := range sent {
		if b.closed.Load() == 0 {
			t.Errorf("request body %d is not closed", i)
		}
	}
}

type tracking struct {
	http.RoundTripper
	opened, closed *atomic.Int64
}

func (tr tracking) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := tr.RoundTripper.RoundTrip(req)
	if resp != nil {
		tr.opened.Add(1)
		resp.Body = &once{resp.Body, tr.closed, false}
	}
	return resp, err
}

type once struct {
	io.ReadCloser
	closed *atomic.Int64
	done   bool
}

func (o *once) Close() error {
	if !o.done {
		o.done = true
		o.closed.Add(1)
	}
	return o.ReadCloser.Close()
}

func TestOneConnectionServesAllAttempts(t *testing.T) {
	r := &receiver{statuses: []int{503, 503, 503, 200}}
	s := httptest.NewUnstartedServer(r)
	var connections atomic.Int64
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	resp, err := (&http.Client{Transport: &retryhttp.Transport{Policy: policy(&quick{}, 5)}}).Get(s.URL)
	if err != nil || read(t, resp) != "answer 4" || connections.Load() != 1 {
		t.Errorf("%v over %d connections", err, connections.Load())
	}
}

func TestARefusedConnectionIsTriedAgain(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	var q quick
	_, err := (&http.Client{Transport: &retryhttp.Transport{Policy: policy(&q, 3)}}).Get(s.URL)
	var gaveUp *retry.GaveUpError
	if !errors.As(err, &gaveUp) || gaveUp.Attempts != 3 || gaveUp.Reason != retry.ReasonExhausted || !errors.Is(err, syscall.ECONNREFUSED) || len(q.waits) != 2 {
		t.Errorf("%v, waits %v", err, q.waits)
	}
}

func TestAConnectionThatBreaksIsTriedAgain(t *testing.T) {
	for name, reset := range map[string]bool{"reset": true, "closed": false} {
		var calls atomic.Int64
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1) == 3 {
				io.WriteString(w, "at last")
				return
			}
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			if reset {
				c.(*net.TCPConn).SetLinger(0)
			}
			c.Close()
		}))
		resp, err := (&http.Client{Transport: &retryhttp.Transport{Base: &http.Transport{DisableKeepAlives: true}, Policy: policy(&quick{}, 3)}}).Get(s.URL)
		if err != nil || read(t, resp) != "at last" {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
}

func TestAnAttemptsTimeLimit(t *testing.T) {
	var calls atomic.Int64
	block := make(chan struct{})
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) < 3 {
			select {
			case <-r.Context().Done():
			case <-block:
			}
			return
		}
		io.WriteString(w, "in time")
	}))
	defer close(block)
	p := policy(&quick{}, 3)
	p.AttemptMS = 100
	resp, err := (&http.Client{Transport: &retryhttp.Transport{Policy: p}}).Get(s.URL)
	if err != nil || read(t, resp) != "in time" {
		t.Errorf("%v, %v", resp, err)
	}
}

// The body of the answer is read under the attempt's limit, which ends when the body is closed.
func TestTheAttemptsTimeLimitLastsUntilTheBodyIsClosed(t *testing.T) {
	r := &receiver{statuses: []int{200}}
	limits := &limiting{}
	p := policy(limits, 3)
	p.AttemptMS = 60_000
	resp, err := (&http.Client{Transport: &retryhttp.Transport{Policy: p}}).Get(serve(t, r).URL)
	if err != nil || limits.ctx.Err() != nil || read(t, resp) != "answer 1" {
		t.Fatalf("%v, limit %v", err, limits.ctx.Err())
	}
	if limits.ctx.Err() == nil {
		t.Error("the limit is left running")
	}
	refused := httptest.NewServer(nil)
	refused.Close()
	if _, err := (&http.Client{Transport: &retryhttp.Transport{Policy: p}}).Get(refused.URL); err == nil || limits.ctx.Err() == nil {
		t.Errorf("%v, limit %v", err, limits.ctx.Err())
	}
}

type limiting struct {
	quick
	ctx context.Context
}

func (l *limiting) WithTimeout(ctx context.Context, ms int64) (context.Context, context.CancelFunc) {
	ctx, cancel := l.quick.WithTimeout(ctx, ms)
	l.ctx = ctx
	return ctx, cancel
}

func TestASwitchedProtocolCanStillBeWrittenTo(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := buf.ReadString('\n')
		io.WriteString(c, line)
	}))
	p := policy(&quick{}, 3)
	p.AttemptMS = 60_000
	req, _ := http.NewRequest("GET", s.URL, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := (&retryhttp.Transport{Policy: p}).RoundTrip(req)
	if err != nil || resp.StatusCode != 101 {
		t.Fatal(resp, err)
	}
	w, ok := resp.Body.(io.Writer)
	if !ok {
		t.Fatal("the body cannot be written to")
	}
	io.WriteString(w, "hello\n")
	if got := read(t, resp); got != "hello\n" {
		t.Errorf("got %q", got)
	}
}

func TestACancelledRequestEndsTheLoop(t *testing.T) {
	r := &receiver{statuses: []int{503}}
	ctx, cancel := context.WithCancelCause(t.Context())
	shutdown := errors.New("shutdown")
	p := policy(&quick{}, 3)
	var opened, closed atomic.Int64
	told := 0
	p.OnAttempt = func(a retry.Attempt) {
		if told++; !a.Again || a.WaitMS != 100 {
			t.Errorf("told %+v", a)
		}
		cancel(shutdown)
	}
	req, _ := http.NewRequestWithContext(ctx, "GET", serve(t, r).URL, nil)
	_, err := (&retryhttp.Transport{Base: tracking{http.DefaultTransport, &opened, &closed}, Policy: p}).RoundTrip(req)
	var gaveUp *retry.GaveUpError
	var status *retryhttp.StatusError
	if !errors.As(err, &gaveUp) || gaveUp.Reason != retry.ReasonEnded || !errors.Is(err, shutdown) || !errors.As(err, &status) || status.Code != 503 {
		t.Errorf("got %v", err)
	}
	if opened.Load() != closed.Load() || told != 1 {
		t.Errorf("%d answers, %d closed; told %d times", opened.Load(), closed.Load(), told)
	}
	// One that is cancelled while it waits for its answer.
	ctx2, cancel2 := context.WithCancelCause(t.Context())
	block := make(chan struct{})
	defer close(block)
	slow := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel2(shutdown); <-block }))
	req, _ = http.NewRequestWithContext(ctx2, "GET", slow.URL, nil)
	if _, err = (&retryhttp.Transport{Policy: policy(&quick{}, 3)}).RoundTrip(req); !errors.As(err, &gaveUp) || gaveUp.Reason != retry.ReasonEnded || !errors.Is(err, shutdown) || gaveUp.Attempts != 1 {
		t.Errorf("got %v", err)
	}
	// And one that is cancelled before: nothing is sent, and the body is closed.
	body := &closing{Reader: strings.NewReader("x")}
	req, _ = http.NewRequestWithContext(ctx, "PUT", "http://127.0.0.1:1/", body)
	if _, err = (&retryhttp.Transport{Policy: p}).RoundTrip(req); !errors.Is(err, shutdown) || body.closed.Load() == 0 {
		t.Errorf("%v, body closed %d times", err, body.closed.Load())
	}
}

func TestTheErrorOfARequestThatIsSentOnceIsUnchanged(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	req, _ := http.NewRequest("POST", s.URL, nil)
	_, err := (&retryhttp.Transport{Policy: policy(&quick{}, 3)}).RoundTrip(req)
	var gaveUp *retry.GaveUpError
	if !errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &gaveUp) {
		t.Errorf("got %v", err)
	}
}

func TestABadPolicySendsNothing(t *testing.T) {
	for _, p := range []*retry.Policy{nil, {}} {
		body := &closing{Reader: strings.NewReader("x")}
		req, _ := http.NewRequest("PUT", "http://127.0.0.1:1/", body)
		_, err := (&retryhttp.Transport{Policy: p}).RoundTrip(req)
		var rejected *retry.RejectedError
		if !errors.As(err, &rejected) || body.closed.Load() == 0 {
			t.Errorf("%v, body closed %d times", err, body.closed.Load())
		}
	}
}

func TestAPolicyOfOneAttemptNeedsNoClock(t *testing.T) {
	r := &receiver{statuses: []int{503}}
	resp, err := (&retryhttp.Transport{Policy: &retry.Policy{MaxAttempts: 1}}).RoundTrip(&http.Request{Method: "GET", URL: mustParse(t, serve(t, r).URL), Header: http.Header{}})
	if err != nil || resp.StatusCode != 503 || len(r.got) != 1 {
		t.Errorf("%v, %v", resp, err)
	}
}

func mustParse(t *testing.T, s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestManyRequestsShareATransport(t *testing.T) {
	var calls atomic.Int64
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1)%2 == 1 {
			w.WriteHeader(503)
		}
	}))
	p := policy(still{}, 50)
	client := http.Client{Transport: &retryhttp.Transport{Policy: p}}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			resp, err := client.Post(s.URL, "text/plain", strings.NewReader("x"))
			if err == nil {
				resp.Body.Close()
			}
			resp, err = client.Get(s.URL)
			if err != nil || resp.StatusCode != 200 {
				t.Errorf("%v, %v", resp, err)
				return
			}
			resp.Body.Close()
		})
	}
	all.Wait()
}

type still struct{ clock.System }

func (still) Wait(ctx context.Context, _ int64) error { return context.Cause(ctx) }
