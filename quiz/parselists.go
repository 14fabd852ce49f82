package quiz

import (
	"slices"

	"retrylab/lab/mutant"
	"retrylab/lab/source"
)

// The parts of a question that are lists: hints, mistakes, options, items, pairs, words.

func (p *parser) hints(n source.Node, q *Question) {
	if n.Kind != source.List {
		p.fault(n, "hints is %s, expected a list of texts", n.Kind)
		return
	}
	if len(n.Items) > maxHints {
		p.fault(n, "%d hints, at most %d are read", len(n.Items), maxHints)
		return
	}
	for _, item := range n.Items {
		q.Hints = append(q.Hints, p.text(item, "a hint"))
	}
}

func (p *parser) mistakes(n source.Node) []Mistake {
	if n.Kind != source.List {
		p.fault(n, "mistakes is %s, expected a list of mutants", n.Kind)
		return nil
	}
	if len(n.Items) > maxMistakes {
		p.fault(n, "%d mistakes, at most %d are read", len(n.Items), maxMistakes)
		return nil
	}
	var mistakes []Mistake
	for _, item := range n.Items {
		name := item.Text
		switch _, known := mutant.Find(name); {
		case item.Kind != source.Scalar || !known:
			var names []string
			for _, m := range mutant.All() {
				names = append(names, m.Name)
			}
			hint := source.DidYouMean(name, names)
			if hint == "" {
				hint = ", expected the name of a mutant, such as " + names[0]
			}
			p.fault(item, "unknown mistake %s%s", shortFlow(item), hint)
		case slices.ContainsFunc(mistakes, func(m Mistake) bool { return m.Name == name }):
			p.fault(item, "the mistake %s stands here twice", name)
		default:
			mistakes = append(mistakes, Mistake{name, item})
		}
	}
	return mistakes
}

func (p *parser) options(n source.Node, q *Question) {
	if n.Kind != source.List {
		p.fault(n, "options is %s, expected a list", n.Kind)
		return
	}
	if len(n.Items) > maxOptions {
		p.fault(n, "%d options, at most %d are read", len(n.Items), maxOptions)
		return
	}
	for _, item := range n.Items {
		o := Authored{node: item}
		p.fields(item, "an option",
			field{"text", false, func(n source.Node) { o.Text = p.text(n, "an option's text") }},
			field{"value", false, func(n source.Node) {
				if n.Kind != source.Scalar {
					if _, ok := place(n); !ok {
						p.fault(n, "an option's value is %s, expected a number or a word", n.Kind)
						return
					}
				}
				o.Value = &n
			}},
			field{"right", false, func(n source.Node) {
				b, ok := n.Value().Bool()
				if !ok {
					p.fault(n, "right is %s, expected true or false", shortFlow(n))
				}
				o.Right = b
			}},
			field{"why", false, func(n source.Node) { o.Why = p.text(n, "why") }},
		)
		_, text := item.Get("text")
		_, value := item.Get("value")
		if item.Kind == source.Map && text == value {
			p.fault(item, "an option has a text, or beside a key a value: one of the two")
		}
		q.Options = append(q.Options, o)
	}
}

func (p *parser) words(n source.Node, q *Question) {
	if n.Kind != source.Map {
		p.fault(n, "words is %s, expected a map of values with a text for each", n.Kind)
		return
	}
	for _, e := range n.Entries {
		q.Words = append(q.Words, Word{e.Key, p.text(e.Value, "the word for "+e.Key)})
	}
}

// list reads the entries of a list of at most max.
func (p *parser) list(n source.Node, what, of string, max int, read func(source.Node)) {
	switch {
	case n.Kind != source.List:
		p.fault(n, "%s is %s, expected a list of %s", what, n.Kind, of)
	case len(n.Items) > max:
		p.fault(n, "%d %s, at most %d are read", len(n.Items), what, max)
	default:
		for _, item := range n.Items {
			read(item)
		}
	}
}

// items reads the items of an order: texts, or maps with a text and a why.
func (p *parser) items(n source.Node, q *Question) {
	p.list(n, "items", "texts in their right order", maxOptions, func(item source.Node) {
		a := Authored{node: item}
		if _, with := item.Get("text"); with {
			p.fields(item, "an item",
				field{"text", true, func(n source.Node) { a.Text = p.text(n, "an item's text") }},
				field{"why", false, func(n source.Node) { a.Why = p.text(n, "why") }})
		} else {
			a.Text = p.text(item, "an item")
		}
		q.Items = append(q.Items, a)
	})
}

func (p *parser) pairs(n source.Node, q *Question) {
	p.list(n, "pairs", "maps with text and with", maxOptions, func(item source.Node) {
		pair := Pair{node: item}
		p.fields(item, "a pair",
			field{"text", true, func(n source.Node) { pair.Text = p.text(n, "a pair's text") }},
			field{"with", true, func(n source.Node) { pair.With = p.text(n, "with") }},
			field{"why", false, func(n source.Node) { pair.Why = p.text(n, "why") }})
		q.Pairs = append(q.Pairs, pair)
	})
}

func (p *parser) extra(n source.Node, q *Question) {
	p.list(n, "extra", "texts that fit no pair", maxOptions, func(item source.Node) {
		q.Extra = append(q.Extra, p.text(item, "an extra option"))
	})
}
