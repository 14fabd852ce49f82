package student

import (
	"fmt"
	"math"

	"retrylab/lab/check"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

// Own are the lab's checks of one language beside the scenarios, which no file of scenarios can say: a
// float of Python is never whole (SPEC.md section 2), also when its value is, and always a number.
func Own(language Language) []check.Check {
	if language != Python {
		return nil
	}
	var checks []check.Check
	add := func(part int, argument string, steps ...scenario.Step) {
		name := "a float as " + argument + " is rejected"
		if part == 4 {
			name = "a requeue rejects a float as " + argument
		}
		checks = append(checks, check.Check{
			Scenario: &scenario.Scenario{Name: name, Policy: scenario.DefaultPolicy, Steps: steps}, Slug: check.SlugOf(name), Part: part,
		})
	}
	for i, argument := range []string{"attempt", "base_ms", "cap_ms"} {
		var steps []scenario.Step
		for _, whole := range []int64{1, 2, 250} {
			values := [3]retry.Value{retry.Int(2), retry.Int(100), retry.Int(1000)}
			texts := [3]string{"2", "100", "1000"}
			values[i], texts[i] = retry.FloatType(float64(whole)), fmt.Sprintf("%d.0", whole)
			steps = append(steps, scenario.Step{
				Action: scenario.Delay{Attempt: values[0], BaseMS: values[1], CapMS: values[2], Jitter: retry.FloatType(0.5)},
				Text:   fmt.Sprintf("delay {attempt: %s, base_ms: %s, cap_ms: %s, jitter: 0.5}", texts[0], texts[1], texts[2]),
				Expect: expect("rejected"),
			})
		}
		add(1, argument, steps...)
	}
	name := "a float as jitter is accepted at both ends"
	ends := check.Check{Scenario: &scenario.Scenario{Name: name, Policy: scenario.DefaultPolicy}, Slug: check.SlugOf(name), Part: 1}
	for _, end := range []struct {
		jitter float64
		text   string
		value  int64
	}{{0, "0.0", 0}, {math.Copysign(0, -1), "-0.0", 0}, {1, "1.0", 200}} {
		ends.Scenario.Steps = append(ends.Scenario.Steps, scenario.Step{
			Action: scenario.Delay{Attempt: retry.Int(2), BaseMS: retry.Int(100), CapMS: retry.Int(1000), Jitter: retry.FloatType(end.jitter)},
			Text:   fmt.Sprintf("delay {attempt: 2, base_ms: 100, cap_ms: 1000, jitter: %s}", end.text),
			Expect: append(expect("ok"), scenario.Expectation{Field: "value", Want: scenario.Wanted{Value: retry.Int(end.value), Text: fmt.Sprint(end.value)}}),
		})
	}
	checks = append(checks, ends)
	for i, argument := range []string{"max_attempts", "deadline", "available_at"} {
		values := [3]retry.Value{retry.Int(3), retry.Int(5000), retry.Int(10)}
		texts := [3]string{"3", "5000", "10"}
		values[i], texts[i] = retry.FloatType([]float64{3, 5000, 10}[i]), texts[i]+".0"
		add(2, argument, scenario.Step{
			Action: scenario.Enqueue{ID: retry.Text("a"), Payload: retry.Text(""), MaxAttempts: values[0], Deadline: values[1], AvailableAt: values[2]},
			Text:   fmt.Sprintf("enqueue {id: a, max_attempts: %s, deadline: %s, available_at: %s}", texts[0], texts[1], texts[2]),
			Expect: expect("rejected"),
		}, scenario.Step{Action: scenario.Job{ID: "a"}, Text: "job a", Expect: expect("absent")})
	}
	for i, argument := range []string{"max_attempts", "deadline"} {
		values := [2]retry.Value{retry.Int(3), retry.Int(5000)}
		texts := [2]string{"3", "5000"}
		values[i], texts[i] = retry.FloatType([]float64{3, 5000}[i]), texts[i]+".0"
		add(4, argument, scenario.Step{
			Action: scenario.Enqueue{ID: retry.Text("a"), Payload: retry.Text(""), MaxAttempts: retry.Int(1), Deadline: retry.Int(1000)},
			Text:   "enqueue {id: a, max_attempts: 1, deadline: 1000}",
			Expect: expect("created"),
		}, scenario.Step{
			Action: scenario.Run{Send: scenario.Permanent, Error: "permanent"}, Text: "run {send: permanent}", Expect: expect("dead"),
		}, scenario.Step{
			Action: scenario.Requeue{ID: retry.Text("a"), MaxAttempts: values[0], Deadline: values[1]},
			Text:   fmt.Sprintf("requeue {id: a, max_attempts: %s, deadline: %s}", texts[0], texts[1]),
			Expect: expect("rejected"),
		}, scenario.Step{Action: scenario.Job{ID: "a"}, Text: "job a", Expect: []scenario.Expectation{
			{Field: "state", Want: scenario.Wanted{Value: retry.Text("dead"), Text: "dead"}},
		}})
	}
	return checks
}

// expect wants a result of one word.
func expect(word string) []scenario.Expectation {
	return []scenario.Expectation{{Field: "result", Want: scenario.Wanted{Value: retry.Text(word), Text: word}}}
}
