package retryhttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
	retryhttp "retrylab/lab/retry/http"
)

func ExampleTransport() {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Println("attempt", calls, "of", r.Header.Get("Idempotency-Key"))
	}))
	defer server.Close()

	client := &http.Client{Transport: &retryhttp.Transport{
		Policy: &retry.Policy{
			MaxAttempts: 4,
			Backoff:     retry.Schedule{Kind: retry.Exponential, BaseMS: 1, CapMS: 10},
			Clock:       clock.System{},
			AttemptMS:   5000,
		},
		HonoursKey: func(*http.Request) bool { return true },
	}}
	req, err := http.NewRequest("POST", server.URL, strings.NewReader("order 7"))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set(retryhttp.IdempotencyKey, "order-7")
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode)
	// Output:
	// attempt 1 of order-7
	// attempt 2 of order-7
	// attempt 3 of order-7
	// 200
}
