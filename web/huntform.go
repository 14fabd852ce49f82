package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"retrylab/lab/ask"
	"retrylab/lab/retry"
)

// A huntForm is a scenario as the form of the bug hunt holds it: every value as it was typed.
type huntForm struct {
	Name   string
	Policy map[string]string
	Steps  []huntStep
}

// A huntStep is one step of the form.
type huntStep struct {
	Key    int // the step's own, whatever its place
	At     string
	Do     string
	Fields map[string]string
	During []huntStep // of a run
	Expect []ask.Field
}

// A huntField is one value of an action.
type huntField struct {
	Name    string
	Start   string   // in a new step; "" leaves the value away
	Choices []string // where only these may stand; the first one is what "" means
	Rare    bool     // shown only when it is wanted, or given
}

// huntPolicy are the fields of a policy.
var huntPolicy = []string{"base_ms", "cap_ms", "jitter", "lease_ms"}

// huntActions are what a step can do, with the values of each (SPEC.md section 9).
var huntActions = []struct {
	Name   string
	Fields []huntField
}{
	{"enqueue", []huntField{{Name: "id", Start: "a"}, {Name: "max_attempts", Start: "3"}, {Name: "deadline", Start: "10000"}, {Name: "available_at", Rare: true}, {Name: "payload", Rare: true}}},
	{"run", []huntField{{Name: "send", Start: "ok", Choices: allSends}, {Name: "takes"}, {Name: "retry_after_ms", Rare: true}, {Name: "error", Rare: true}, {Name: "wrapped", Choices: []string{"false", "true"}, Rare: true}}},
	{"claim", []huntField{{Name: "worker", Start: "A"}}},
	{"complete", []huntField{{Name: "worker", Start: "A"}}},
	{"fail", []huntField{{Name: "worker", Start: "A"}, {Name: "send", Start: "retryable", Choices: []string{"retryable", "permanent"}}, {Name: "retry_after_ms", Rare: true}, {Name: "error", Rare: true}}},
	{"extend", []huntField{{Name: "worker", Start: "A"}}},
	{"requeue", []huntField{{Name: "id", Start: "a"}, {Name: "max_attempts", Start: "3"}, {Name: "deadline", Start: "10000"}}},
	{"purge", []huntField{{Name: "before", Start: "10000"}}},
	{"restart", nil},
	{"job", []huntField{{Name: "id", Start: "a"}}},
	{"stats", nil},
	{"delay", []huntField{{Name: "attempt", Start: "1"}, {Name: "base_ms", Start: "100"}, {Name: "cap_ms", Start: "1000"}, {Name: "jitter", Start: "1"}}},
}

// huntFieldsOf are the values of an action. Inside of a send no process can die.
func huntFieldsOf(action string, inside bool) []huntField {
	for _, a := range huntActions {
		if a.Name == action {
			fields := slices.Clone(a.Fields)
			for i, f := range fields {
				if inside && f.Name == "send" && action == "run" {
					fields[i].Choices = slices.DeleteFunc(slices.Clone(f.Choices), func(s string) bool { return s == "crash" })
				}
			}
			return fields
		}
	}
	return nil
}

// newHuntStep is a step that does something sensible.
func newHuntStep(key int, do string) huntStep {
	s := huntStep{Key: key, Do: do, Fields: map[string]string{}}
	for _, f := range huntFieldsOf(do, false) {
		s.Fields[f.Name] = f.Start
	}
	return s
}

func (s huntStep) clone() huntStep {
	fields := make(map[string]string, len(s.Fields))
	for name, value := range s.Fields {
		fields[name] = value
	}
	s.Fields, s.Expect, s.During = fields, slices.Clone(s.Expect), cloneSteps(s.During)
	return s
}

func cloneSteps(steps []huntStep) []huntStep {
	out := make([]huntStep, len(steps))
	for i, s := range steps {
		out[i] = s.clone()
	}
	return out
}

func (f huntForm) clone() huntForm {
	policy := make(map[string]string, len(f.Policy))
	for name, value := range f.Policy {
		policy[name] = value
	}
	return huntForm{f.Name, policy, cloneSteps(f.Steps)}
}

// source is the form as a scenario's text.
func (f huntForm) source() string {
	var out strings.Builder
	out.WriteString("name: " + yamlText(f.Name) + "\n")
	var policy []ask.Field
	for _, name := range huntPolicy {
		if v := strings.TrimSpace(f.Policy[name]); v != "" {
			policy = append(policy, ask.Field{Name: name, Value: yamlValue(v)})
		}
	}
	if len(policy) > 0 {
		out.WriteString("policy: " + flowMap(policy) + "\n")
	}
	if len(f.Steps) == 0 {
		out.WriteString("steps: []\n")
		return out.String()
	}
	out.WriteString("steps:\n")
	writeSteps(&out, "", f.Steps)
	return out.String()
}

// bare is the form's text without its expectations: what the rules give depends on nothing else.
func (f huntForm) bare() string {
	f = f.clone()
	for i := range f.Steps {
		f.Steps[i].Expect = nil
		for j := range f.Steps[i].During {
			f.Steps[i].During[j].Expect = nil
		}
	}
	return f.source()
}

func writeSteps(out *strings.Builder, indent string, steps []huntStep) {
	for _, s := range steps {
		lead := indent + "- "
		line := func(text string) {
			out.WriteString(lead + text + "\n")
			lead = indent + "  "
		}
		if at := strings.TrimSpace(s.At); at != "" {
			line("at: " + yamlValue(at))
		}
		values := s.values()
		switch {
		case s.Do == "restart" || s.Do == "stats":
			line(s.Do + ": true")
		case s.Do == "claim" || s.Do == "complete" || s.Do == "extend" || s.Do == "job":
			value := `""`
			if len(values) > 0 {
				value = values[0].Value
			}
			line(s.Do + ": " + value)
		case s.Do == "run" && len(s.During) > 0:
			line("run:")
			for _, v := range values {
				out.WriteString(indent + "    " + v.Name + ": " + v.Value + "\n")
			}
			out.WriteString(indent + "    during:\n")
			writeSteps(out, indent+"    ", s.During)
		default:
			line(s.Do + ": " + flowMap(values))
		}
		if len(s.Expect) > 0 {
			var wants []ask.Field
			for _, e := range s.Expect {
				want := "null"
				if v := strings.TrimSpace(e.Value); v != "" {
					want = yamlValue(v)
				}
				wants = append(wants, ask.Field{Name: e.Name, Value: want})
			}
			line("expect: " + flowMap(wants))
		}
	}
}

// values are the given values of a step, as they stand in a file.
func (s huntStep) values() []ask.Field {
	var values []ask.Field
	for _, f := range huntFieldsOf(s.Do, false) {
		if v := strings.TrimSpace(s.Fields[f.Name]); v != "" {
			values = append(values, ask.Field{Name: f.Name, Value: yamlValue(v)})
		}
	}
	return values
}

func flowMap(fields []ask.Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Name + ": " + f.Value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// yamlText is a text as it stands in a file.
func yamlText(s string) string {
	if plainYAML(s) && retry.ParsePlain(s).Type() == retry.TypeText {
		return s
	}
	return quoted(s)
}

// yamlValue is what was typed as it stands in a file: a number, a word, a list or quoted text as they
// are, and in quotes what YAML would read as something else than a text.
func yamlValue(s string) string {
	if plainYAML(s) || json.Valid([]byte(s)) || flowYAML(s) {
		return s
	}
	return quoted(s)
}

// quoted is a text in JSON's quotes, which YAML reads too.
func quoted(s string) string { return compactJSON(s) }

// compactJSON is a value as JSON. Signs of HTML stay as they are: six characters for each < would be
// more than is kept.
func compactJSON(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return `""`
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// plainYAML says whether a value may stand anywhere without quotes: words of letters, digits and a few
// signs, with single spaces between.
func plainYAML(s string) bool {
	if strings.Contains(s, "  ") || strings.TrimSpace(s) != s {
		return false
	}
	signs := true
	for i, c := range s {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c), c == '_':
			signs = false
		case c == '-' && i == 0 && len(s) > 1 && s[1] != ' ', c == '.', c == '+', c == '-' && i > 0, i > 0 && (c == ' ' || c == '/'):
		default:
			return false
		}
	}
	return !signs
}

// flowYAML says whether a value is a list or a map of plain values, with every bracket closed.
func flowYAML(s string) bool {
	if s == "" || s[0] != '[' && s[0] != '{' {
		return false
	}
	var open []rune
	for i, c := range s {
		switch {
		case c == '[' || c == '{':
			open = append(open, c)
		case c == ']' || c == '}':
			if len(open) == 0 || (c == ']') != (open[len(open)-1] == '[') {
				return false
			}
			open = open[:len(open)-1]
			if len(open) == 0 && i < len(s)-1 {
				return false
			}
		case unicode.IsLetter(c), unicode.IsDigit(c), strings.ContainsRune("_.+-, :", c):
		default:
			return false
		}
	}
	return len(open) == 0
}
