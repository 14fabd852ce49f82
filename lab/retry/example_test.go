package retry_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"retrylab/lab/retry"
	"retrylab/lab/retry/clock"
)

func Example() {
	policy := &retry.Policy{
		MaxAttempts: 5,
		Backoff:     retry.Schedule{BaseMS: 100, CapMS: 1000}, // full jitter
		Jitter:      rand.Float64,
		Clock:       clock.System{},
	}
	calls := 0
	err := retry.Do(context.Background(), policy, func(ctx context.Context) error {
		if calls++; calls < 3 {
			return retry.Retryable(errors.New("the receiver is busy"))
		}
		return nil
	})
	fmt.Println(calls, err)
	// Output: 3 <nil>
}

func ExampleDelay() {
	for attempt := range int64(5) {
		ms, _ := retry.Delay(attempt+1, 100, 1000, 0.5)
		fmt.Print(ms, " ")
	}
	// Output: 50 100 200 400 500
}

func ExampleDelay_rejected() {
	_, err := retry.Delay(0, 100, 1000, 1.5)
	var rejected *retry.RejectedError
	fmt.Println(errors.As(err, &rejected), rejected.Names())
	// Output: true [attempt jitter]
}

func ExampleCheckedDelay() {
	_, err := retry.CheckedDelay(retry.ParseText("true"), retry.ParseText("100"), retry.ParseText("1e3"), retry.ParseText("0.5"))
	fmt.Println(err)
	ms, _ := retry.CheckedDelay(retry.ParseText("2.0"), retry.ParseText("100"), retry.ParseText("1e3"), retry.ParseText("0.5"))
	fmt.Println(ms)
	// Output:
	// rejected: attempt is a boolean, wanted a whole number from 1 to 9007199254740991
	// 100
}

func ExampleDelayKind() {
	for _, kind := range []retry.DelayKind{retry.Full, retry.Fixed, retry.Exponential, retry.Equal} {
		ms, _ := kind.Delay(3, 0, 100, 1000, 0.5)
		fmt.Println(kind, ms)
	}
	// Output:
	// full 200
	// fixed 100
	// exponential 400
	// equal 300
}

func ExampleDo_givingUp() {
	var virtual clock.Virtual // waits without waiting
	policy := &retry.Policy{
		MaxAttempts: 10,
		Backoff:     retry.Schedule{Kind: retry.Exponential, BaseMS: 100, CapMS: 10_000},
		Clock:       &virtual,
		TotalMS:     1000,
		OnAttempt: func(a retry.Attempt) {
			fmt.Println("attempt", a.Number, "again", a.Again, "wait", a.WaitMS)
		},
	}
	err := retry.Do(context.Background(), policy, func(context.Context) error {
		return retry.Retryable(errors.New("busy"))
	})
	var gaveUp *retry.GaveUpError
	if errors.As(err, &gaveUp) {
		fmt.Println(gaveUp.Reason, gaveUp.Attempts, "at", virtual.Now())
	}
	fmt.Println(err)
	// Output:
	// attempt 1 again true wait 100
	// attempt 2 again true wait 200
	// attempt 3 again true wait 400
	// attempt 4 again false wait 0
	// deadline 4 at 700
	// gave up after 4 attempts (deadline): busy
}

func ExampleDo_unknown() {
	policy := &retry.Policy{MaxAttempts: 10, Backoff: retry.Schedule{Kind: retry.Fixed, BaseMS: 100}, Clock: clock.System{}}
	bug := errors.New("index out of range")
	err := retry.Do(context.Background(), policy, func(context.Context) error { return bug })
	fmt.Println(err == bug)
	// Output: true
}

func ExampleDoValueOr() {
	policy := &retry.Policy{MaxAttempts: 1}
	price, err := retry.DoValueOr(context.Background(), policy,
		func(context.Context) (int, error) { return 0, retry.Retryable(errors.New("busy")) },
		func(_ context.Context, gaveUp error) (int, error) { return 42, nil })
	fmt.Println(price, err)
	// Output: 42 <nil>
}

func ExampleJudge() {
	err := fmt.Errorf("send order 7: %w", retry.RetryableAfter(errors.New("429"), 2000))
	class, after := retry.Judge(err)
	fmt.Println(class, after)
	// Output: retryable 2000
}

func ExampleRetryAfter() {
	const now = 784_111_769_000 // Sun, 06 Nov 1994 08:49:29 GMT
	for _, value := range []string{" 3 ", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:28 1994", "-5", "1.5"} {
		fmt.Println(retry.RetryAfter(value, now))
	}
	// Output:
	// 3000 true
	// 8000 true
	// 0 true
	// 0 false
	// 0 false
}

func ExampleBudget() {
	budget, _ := retry.NewBudget(0.2, 3, 1000)
	for range 1000 {
		budget.First()
	}
	retries := 0
	for budget.Retry() {
		retries++
	}
	fmt.Println(retries)
	// Output: 203
}

func ExampleBreaker() {
	breaker, _ := retry.NewBreaker(2, 5000, nil)
	for now := range int64(3) {
		pass, ok := breaker.Ask(now)
		if !ok {
			fmt.Println("at", now, "paused")
			continue
		}
		breaker.Report(pass, now, retry.Failure)
	}
	fmt.Println(breaker.State(5000), breaker.State(5001))
	// Output:
	// at 2 paused
	// open half-open
}

func ExampleLayers() {
	fmt.Println(retry.Layers(3, 3, 5))
	// Output: 45
}

func ExampleReadResilience4j() {
	// As a YAML or JSON reader gives it.
	file := map[string]any{"resilience4j": map[string]any{"retry": map[string]any{"instances": map[string]any{
		"orders": map[string]any{
			"max-attempts": 4, "wait-duration": "500ms",
			"enable-exponential-backoff": true, "exponential-backoff-multiplier": 2,
			"result-predicate": "shop.IsEmpty",
		},
	}}}}
	instances, _, err := retry.ReadResilience4j(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range instances {
		fmt.Println(i.Name, i.MaxAttempts, i.Backoff)
		for _, n := range i.NotCarried {
			fmt.Println("not carried over:", n.Path, n.Why)
		}
	}
	// Output:
	// orders 4 {500 2 0 0}
	// not carried over: resilience4j.retry.instances.orders.result-predicate java_class
}
