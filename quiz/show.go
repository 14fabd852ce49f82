package quiz

import (
	"strconv"
	"strings"

	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// story is what a scenario came to, in the scenario's own words.
func story(t scenario.Trace, lastIsQuestion bool) string {
	steps := t.Steps
	if lastIsQuestion {
		steps = steps[:len(steps)-1]
	}
	var lines []string
	for _, step := range steps {
		action, _, _ := strings.Cut(step.Step.Text, " ")
		line := "at " + strconv.FormatInt(step.Now, 10) + " " + action
		var got []string
		for _, f := range step.Got {
			switch {
			case f.Name == "result":
				got = append([]string{answerOf(f.Value).Text}, got...)
			case f.Value != nil && f.Name != "id" && f.Name != "payload" && f.Name != "names":
				got = append(got, f.Name+" "+answerOf(f.Value).Text)
			}
		}
		if len(got) > 0 {
			line += ": " + strings.Join(got, ", ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// Source is the scenario as the variant shows it: without what its steps are expected to give. It is
// "" for a question without one.
func (v Variant) Source() string {
	if v.scenario == nil {
		return ""
	}
	filled := v.Values.fill(*v.scenario)
	var out strings.Builder
	for _, e := range filled.Entries {
		if e.Key != "steps" || e.Value.Kind != source.List {
			out.WriteString(e.Key + ": " + e.Value.Flow() + "\n")
			continue
		}
		out.WriteString("steps:\n")
		for _, step := range e.Value.Items {
			out.WriteString("- " + silent(step).Flow() + "\n")
		}
	}
	return out.String()
}

// silent is a step, or a part of one, without expect.
func silent(n source.Node) source.Node {
	switch n.Kind {
	case source.List:
		items := make([]source.Node, len(n.Items))
		for i, item := range n.Items {
			items[i] = silent(item)
		}
		n.Items = items
	case source.Map:
		var entries []source.Entry
		for _, e := range n.Entries {
			if e.Key != "expect" {
				e.Value = silent(e.Value)
				entries = append(entries, e)
			}
		}
		n.Entries = entries
	}
	return n
}

// Shown are the given values that neither the question's text nor its scenario shows.
func (v Variant) Shown() Values {
	seen := map[string]bool{}
	for _, name := range v.Ask.names() {
		seen[name] = true
	}
	if v.scenario != nil {
		places(*v.scenario, func(name string, _ source.Node) { seen[name] = true })
	}
	var shown Values
	if key := v.Question.Key; key != nil && key.Delay != nil {
		for i, n := range key.Delay {
			if name, ok := place(n); !ok || !seen[name] {
				shown = append(shown, Value{delayArgs[i], v.Values.fill(n)})
				seen[name] = true
			}
		}
	}
	for _, value := range v.Values {
		if !seen[value.Name] && used(v.Question, value.Name) {
			shown = append(shown, value)
		}
	}
	return shown
}

// used says whether a value decides the key in a way that a reader must know.
func used(q *Question, name string) bool {
	found := false
	if q.Key == nil {
		return false
	}
	if q.Key.Job != nil {
		places(*q.Key.Job, func(n string, _ source.Node) { found = found || n == name })
	}
	return found
}
