package check

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// Vary is the check's scenario on values drawn from a seed: the same steps at other times, with other
// ids, payloads and messages, and where the delays stay exact with other lengths of time. What holds
// for the one holds for the other, so that code which only knows the visible values is found out. The
// same seed gives the same scenario.
func (c Check) Vary(seed uint64) (Check, error) {
	documents, err := source.Documents(c.Slug, []byte(c.Source), scenario.MaxFile)
	if err != nil {
		return Check{}, err
	}
	v := newVariation(seed, c)
	varied := c
	varied.Source = render(v.scenario(documents[0]))
	scenarios, err := scenario.Parse(c.Slug, []byte(varied.Source))
	if err != nil {
		return Check{}, fmt.Errorf("check: %s varied by %d: %w", c.Slug, seed, err)
	}
	varied.Scenario = scenarios[0]
	return varied, nil
}

// A variation is what a seed makes of the values of one scenario.
type variation struct {
	chance *rand.Rand
	times  int64 // each length of time is multiplied by it
	shift  int64 // then each moment is moved by it
	words  map[string]string
	used   map[string]bool
}

// most is the largest time that is changed: sums with larger ones are about Max, and stay as they are.
const most = int64(1) << 40

func newVariation(seed uint64, c Check) *variation {
	v := &variation{chance: rand.New(rand.NewPCG(seed, uint64(len(c.Slug)))), times: 1, words: map[string]string{}, used: map[string]bool{}}
	v.shift = 1 + v.chance.Int64N(1_000_000)
	if times := 2 + v.chance.Int64N(7); exact(c.Scenario.Policy) {
		v.times = times
	}
	return v
}

// exact says whether every delay of a policy is a whole number before it is floored: only then is it
// k times as long when all its lengths are.
func exact(p scenario.Policy) bool {
	for attempt := int64(1); attempt < 60; attempt++ {
		window := retry.Window(attempt, p.BaseMS, p.CapMS)
		if product := float64(window) * p.Jitter; product != float64(int64(product)) {
			return false
		}
		if window == p.CapMS {
			return true
		}
	}
	return false
}

// Keys by what stands under them.
var (
	moments = keys("at deadline available_at lease_until before")
	lengths = keys("takes retry_after_ms base_ms cap_ms lease_ms oldest_due_ms oldest_open_ms")
	texts   = keys("id job payload error last_error")
)

func keys(list string) map[string]bool {
	all := map[string]bool{}
	for _, key := range strings.Fields(list) {
		all[key] = true
	}
	return all
}

func (v *variation) scenario(n source.Node) source.Node {
	steps, _ := n.Get("steps")
	large := tooLarge(n)
	if large {
		v.shift, v.times = 0, 1
	}
	varied := v.node("", n)
	if _, ok := steps.Items[0].Get("at"); !ok && v.shift > 0 {
		first := &entry(&varied, "steps").Value.Items[0]
		at := source.Entry{Key: "at", At: plain("at"), Value: plain(strconv.FormatInt(v.shift, 10))}
		first.Entries = append([]source.Entry{at}, first.Entries...)
	}
	return varied
}

func entry(n *source.Node, key string) *source.Entry {
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return &n.Entries[i]
		}
	}
	return nil
}

func plain(text string) source.Node { return source.Node{Plain: true, Text: text} }

// tooLarge says whether a moment of the scenario is near Max, and means to be.
func tooLarge(n source.Node) bool {
	for _, item := range n.Items {
		if tooLarge(item) {
			return true
		}
	}
	for _, e := range n.Entries {
		if e.Key == "delay" {
			continue
		}
		if t, fault := e.Value.Value().Whole(0, retry.Max); fault == "" && t > most && e.Value.Kind == source.Scalar {
			return true
		}
		if tooLarge(e.Value) {
			return true
		}
	}
	return false
}

// node varies what stands under a key.
func (v *variation) node(key string, n source.Node) source.Node {
	switch n.Kind {
	case source.List:
		items := make([]source.Node, len(n.Items))
		for i, item := range n.Items {
			items[i] = v.node(key, item)
		}
		n.Items = items
	case source.Map:
		entries := make([]source.Entry, len(n.Entries))
		for i, e := range n.Entries {
			if e.Key != "name" {
				e.Value = v.node(e.Key, e.Value)
			}
			entries[i] = e
		}
		n.Entries = entries
		if delay, ok := n.Get("delay"); ok {
			v.delay(&n, delay)
		}
	default:
		if key == "delay" {
			break
		}
		n = v.scalar(key, n)
	}
	return n
}

func (v *variation) scalar(key string, n source.Node) source.Node {
	t, fault := n.Value().Whole(0, most)
	switch {
	case texts[key] && n.Value().Type() == retry.TypeText:
		n.Text = v.word(key, n.Text)
		n.Plain = false
	case fault != "":
	case moments[key]:
		n = plain(strconv.FormatInt(t*v.times+v.shift, 10))
	case lengths[key]:
		n = plain(strconv.FormatInt(t*v.times, 10))
	}
	return n
}

// delay gives a delay step that is not rejected a policy that is some times as long, and the delay that
// belongs to it.
func (v *variation) delay(step *source.Node, delay source.Node) {
	times := 2 + v.chance.Int64N(50)
	argument := func(name string) retry.Value {
		n, _ := delay.Get(name)
		return n.Value()
	}
	attempt, base, cap, jitter, bad := retry.CheckDelay(retry.Value.Whole, retry.Value.Jitter, argument("attempt"), argument("base_ms"), argument("cap_ms"), argument("jitter"))
	if len(bad) > 0 || base > retry.Max/times || cap > retry.Max/times {
		return
	}
	// What node has made of them under their keys counts no more.
	value, err := retry.Delay(attempt, base*times, cap*times, jitter)
	if err != nil {
		return
	}
	for i := range step.Entries {
		e := &step.Entries[i]
		switch e.Key {
		case "delay":
			e.Value.Entries = append([]source.Entry(nil), e.Value.Entries...)
			entry(&e.Value, "base_ms").Value = plain(strconv.FormatInt(base*times, 10))
			entry(&e.Value, "cap_ms").Value = plain(strconv.FormatInt(cap*times, 10))
		case "expect":
			e.Value.Entries = append([]source.Entry(nil), e.Value.Entries...)
			if want := entry(&e.Value, "value"); want != nil {
				want.Value = plain(strconv.FormatInt(value, 10))
			}
		}
	}
}

// The words that ids, payloads and messages are made of.
var wordList = strings.Fields(`apple barley cherry damson elder fennel ginger hazel juniper kale lemon melon nutmeg olive plum quince radish sorrel tomato vanilla walnut yam`)

// word is another text for a text, always the same one, and never the same for two. Texts of a special
// length, and those that a send has by default, stay as they are.
func (v *variation) word(key, text string) string {
	switch {
	case text == "" || len(text) > 60 || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }):
		return text
	case text == "retryable" || text == "permanent" || text == "unknown":
		return text
	}
	if rest, ok := strings.CutPrefix(text, "send: "); ok && key == "last_error" {
		return "send: " + v.word(key, rest)
	}
	if known, ok := v.words[text]; ok {
		return known
	}
	for {
		word := wordList[v.chance.IntN(len(wordList))] + "-" + strconv.Itoa(v.chance.IntN(900)+100)
		if !v.used[word] {
			v.words[text], v.used[word] = word, true
			return word
		}
	}
}

// render writes a scenario's node as a file, a line for each step.
func render(n source.Node) string {
	var out strings.Builder
	for _, e := range n.Entries {
		if e.Key != "steps" {
			out.WriteString(e.Key + ": " + e.Value.Flow() + "\n")
			continue
		}
		out.WriteString("steps:\n")
		for _, step := range e.Value.Items {
			out.WriteString("- " + step.Flow() + "\n")
		}
	}
	return out.String()
}
