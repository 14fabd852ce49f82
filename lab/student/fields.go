package student

import (
	"strings"

	"retrylab/lab/scenario"
)

// A field is one of a map that the code returns, with the type that it must have. Each may be missing
// or null: then a check that wants a value there finds out.
type field struct {
	name string
	text bool // else a whole number
}

// The maps of SPEC.md section 10.
var (
	outcomes = []field{{"result", true}, {"id", true}, {"available_at", false}, {"reason", true}}
	claimed  = []field{{"id", true}, {"payload", true}, {"attempts", false}}
	sentJob  = []field{{"id", true}, {"payload", true}, {"attempt", false}}
	row      = []field{{"id", true}, {"payload", true}, {"state", true}, {"attempts", false}, {"max_attempts", false}, {"available_at", false},
		{"deadline", false}, {"lease_until", false}, {"last_error", true}, {"dead_reason", true}}
	figures = []field{{"pending", false}, {"due", false}, {"leased", false}, {"expired", false}, {"done", false}, {"dead", false},
		{"dead_exhausted", false}, {"dead_deadline", false}, {"dead_permanent", false}, {"retries", false}, {"oldest_due_ms", false}, {"oldest_open_ms", false}}
)

// fields takes the fields out of a map that the code returned.
func fields(function string, got any, want []field) (scenario.Result, error) {
	m, ok := entries(got)
	if !ok {
		return nil, wrong(function, "", got, wantedMap)
	}
	all := make(scenario.Result, 0, len(want))
	for _, f := range want {
		v := m[f.name]
		if v == nil {
			if other, ok := otherHabit(m, f.name); ok {
				return nil, &WrongType{function, f.name, other, wantedName}
			}
			all = append(all, scenario.Field{Name: f.name})
			continue
		}
		if f.text {
			s, ok := v.(string)
			if !ok {
				return nil, wrong(function, f.name, v, "a text")
			}
			all = append(all, scenario.Field{Name: f.name, Value: s})
			continue
		}
		n, err := whole(function, f.name, v)
		if err != nil {
			return nil, err
		}
		all = append(all, scenario.Field{Name: f.name, Value: n})
	}
	return all, nil
}

// otherHabit finds the key of a field as the other language writes it: max_attempts in JavaScript, where
// keys with an underscore travel with two, and maxAttempts in Python.
func otherHabit(m map[string]any, name string) (key string, ok bool) {
	if camel := JavaScript.name(name); camel != name {
		if _, ok := m[camel]; ok {
			return camel, true
		}
		if _, ok := m[strings.ReplaceAll(name, "_", "__")]; ok {
			return name, true
		}
	}
	return "", false
}

func entries(got any) (map[string]any, bool) {
	outer, ok := got.(map[string]any)
	if !ok {
		return nil, false
	}
	m, ok := outer["m"].(map[string]any)
	return m, ok
}

// tokenOf is a claim's token as the code made it: any value but null. It goes back to the code as it came.
func tokenOf(got any) (any, error) {
	m, _ := entries(got)
	token := m["token"]
	if odd, ok := token.(map[string]any); token == nil || ok && (odd["u"] != nil || odd["o"] != nil) {
		return nil, wrong("claim", "token", token, "a number, a text or another plain value")
	}
	return token, nil
}
