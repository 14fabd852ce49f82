package quiz

import (
	"strings"

	"retrylab/lab/source"
)

// place is the name of the given value that a node stands for: {name} without quotes, which YAML
// reads as a map with one empty entry, or a scalar that is {name} and nothing else.
func place(n source.Node) (name string, ok bool) {
	switch n.Kind {
	case source.Map:
		if len(n.Entries) == 1 {
			e := n.Entries[0]
			if e.At.Plain && e.Value.Kind == source.Scalar && e.Value.Plain && e.Value.Text == "" && isName(e.Key) {
				return e.Key, true
			}
		}
	case source.Scalar:
		if strings.HasPrefix(n.Text, "{") {
			if parts := split(n.Text); len(parts) == 1 && parts[0].name != "" {
				return parts[0].name, true
			}
		}
	}
	return "", false
}

// fill puts the values in their places. A value keeps its own type, and the place's position, so that
// a fault is told where the author can mend it. A value inside a longer text becomes text.
func (v Values) fill(n source.Node) source.Node {
	if name, ok := place(n); ok {
		if value, ok := v.Get(name); ok {
			value.File, value.Line, value.Column = n.File, n.Line, n.Column
			return value
		}
		return n
	}
	switch n.Kind {
	case source.List:
		items := make([]source.Node, len(n.Items))
		for i, item := range n.Items {
			items[i] = v.fill(item)
		}
		n.Items = items
	case source.Map:
		entries := make([]source.Entry, len(n.Entries))
		for i, e := range n.Entries {
			entries[i] = source.Entry{Key: e.Key, At: e.At, Value: v.fill(e.Value)}
		}
		n.Entries = entries
	default:
		if strings.Contains(n.Text, "{") {
			filled := Text{parts: [][]part{split(n.Text)}, languages: []string{""}}.In("", v)
			if filled != n.Text {
				n.Text, n.Plain = filled, false
			}
		}
	}
	return n
}

// places calls each with every name of a given value that a node uses, and where.
func places(n source.Node, each func(name string, at source.Node)) {
	if name, ok := place(n); ok {
		each(name, n)
		return
	}
	switch n.Kind {
	case source.List:
		for _, item := range n.Items {
			places(item, each)
		}
	case source.Map:
		for _, e := range n.Entries {
			places(e.Value, each)
		}
	default:
		if strings.Contains(n.Text, "{") {
			for _, p := range split(n.Text) {
				if p.name != "" {
					each(p.name, n)
				}
			}
		}
	}
}
