package quiz

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
)

// given reads a table of values, or a list of tables.
func (p *parser) given(n source.Node, q *Question) {
	if n.Kind == source.Map {
		q.Given = []Table{p.table(n)}
	} else if n.Kind == source.List && len(n.Items) > maxTables {
		p.fault(n, "given has %d maps, at most %d are read", len(n.Items), maxTables)
		return
	} else if n.Kind == source.List && len(n.Items) > 0 {
		for i, item := range n.Items {
			t := p.table(item)
			q.Given = append(q.Given, t)
			if i > 0 && !slices.Equal(names(t), names(q.Given[0])) {
				p.fault(item, "this map gives %s, expected the names of the first: %s", list(names(t)), list(names(q.Given[0])))
			}
		}
	} else {
		p.fault(n, "given is %s, expected a map of names with their values", n.Kind)
		return
	}
	if q.Combinations() > maxCombinations {
		p.fault(n, "more than %d combinations", maxCombinations)
	}
}

func names(t Table) []string {
	names := make([]string, len(t.Params))
	for i, param := range t.Params {
		names[i] = param.Name
	}
	slices.Sort(names)
	return names
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func (p *parser) table(n source.Node) Table {
	var t Table
	switch {
	case n.Kind != source.Map:
		p.fault(n, "given values are %s, expected a map of names with their values", n.Kind)
	case len(n.Entries) == 0:
		p.fault(n, "given values are empty, expected names with their values")
	case len(n.Entries) > maxGiven:
		p.fault(n, "%d given values, at most %d are read", len(n.Entries), maxGiven)
	default:
		for _, e := range n.Entries {
			if !isName(e.Key) {
				p.fault(e.At, "%s is no name for a given value, expected small letters, digits and _", source.Quote(e.Key))
				continue
			}
			if param := p.param(e); param.Count() > 0 {
				t.Params = append(t.Params, param)
			}
		}
	}
	return t
}

// param reads a value, a list of them, or a range. After a fault its Count is 0.
func (p *parser) param(e source.Entry) Param {
	param := Param{Name: e.Key, node: e.At}
	n := e.Value
	switch n.Kind {
	case source.Scalar:
		p.short(n, e.Key)
		param.list = []source.Node{n}
		return param
	case source.Map:
		p.span(n, &param)
		return param
	}
	if len(n.Items) == 0 {
		p.fault(n, "%s is an empty list, expected values", e.Key)
	}
	seen := map[string]bool{}
	for _, item := range n.Items {
		if item.Kind != source.Scalar {
			p.fault(item, "a value of %s is %s, expected a number or a word", e.Key, item.Kind)
			return param
		}
		p.short(item, e.Key)
		if seen[item.Flow()] {
			p.fault(item, "%s stands twice among the values of %s", item.Flow(), e.Key)
		}
		seen[item.Flow()] = true
	}
	param.list = n.Items
	return param
}

// short finds a value that is too long.
func (p *parser) short(n source.Node, name string) {
	if count := utf8.RuneCountInString(n.Text); count > maxValue {
		p.fault(n, "a value of %s has %d characters, at most %d are read", name, count, maxValue)
	}
}

// span reads {from, to, step}: whole numbers.
func (p *parser) span(n source.Node, param *Param) {
	before := len(p.problems)
	from, to, step := int64(0), int64(0), int64(1)
	whole := func(name string, lo int64, to *int64) func(source.Node) {
		return func(n source.Node) {
			i, fault := n.Value().Whole(lo, retry.Max)
			if fault != "" {
				p.fault(n, "%s", retry.BadArg{Name: name, Fault: fault, Want: retry.WantWhole(lo, retry.Max)})
			}
			*to = i
		}
	}
	p.fields(n, "the range of "+param.Name,
		field{"from", true, whole("from", 0, &from)}, field{"to", true, whole("to", 0, &to)}, field{"step", false, whole("step", 1, &step)})
	if len(p.problems) > before {
		return
	}
	if to < from {
		p.fault(n, "the range of %s goes from %d to %d, expected a to that is not below from", param.Name, from, to)
		return
	}
	param.from, param.step, param.count = from, step, (to-from)/step+1
}

func (p *parser) tolerance(n source.Node) Tolerance {
	var t Tolerance
	p.fields(n, "tolerance",
		field{"within", true, func(n source.Node) {
			within, ok := exact(n.Text)
			if n.Value().Type() != retry.TypeNumber || !ok || within.Sign() < 0 {
				p.fault(n, "within is %s, expected a number of 0 or more", shortFlow(n))
				return
			}
			t.Within = within
		}},
		field{"edge", true, func(n source.Node) {
			if n.Text != "right" && n.Text != "wrong" {
				p.fault(n, "edge is %s, expected right or wrong: how an answer exactly that far from the key is marked", shortFlow(n))
			}
			t.Edge = n.Text == "right"
		}})
	return t
}

var delayArgs = [4]string{"attempt", "base_ms", "cap_ms", "jitter"}

func (p *parser) key(n source.Node, q *Question) *Key {
	k := &Key{node: n}
	if n.Kind == source.Scalar {
		if n.Text != "delay" {
			p.fault(n, "unknown key %s, expected delay, or one of {job: ID, field: F}, {stats: F}, {step: N, field: F}, {calls: [N, N]}, {value: V}%s", shortFlow(n), source.DidYouMean(n.Text, []string{"delay"}))
			return nil
		}
		k.Delay = new([4]source.Node)
		for i, name := range delayArgs {
			if len(q.Given) > 0 && !slices.Contains(names(q.Given[0]), name) || len(q.Given) == 0 {
				p.fault(n, "the key is the delay of the given values, but %s is not given", name)
				k.Delay = nil
				return nil
			}
			arg := n
			arg.Text, arg.Plain = "{"+name+"}", false
			k.Delay[i] = arg
		}
		return k
	}
	fieldsOf := func(action string) func(source.Node) {
		return func(n source.Node) { k.Fields = p.keyFields(n, action) }
	}
	keys := []string{"delay", "job", "stats", "step", "calls", "value"}
	at := slices.IndexFunc(keys, func(key string) bool { _, ok := n.Get(key); return ok })
	if at < 0 {
		hint := ""
		if n.Kind == source.Map && len(n.Entries) > 0 {
			hint = source.DidYouMean(n.Entries[0].Key, keys)
		}
		p.fault(n, "unknown key %s, expected delay, or one of {job: ID, field: F}, {stats: F}, {step: N, field: F}, {calls: [N, N]}, {value: V}%s", shortFlow(n), hint)
		return nil
	}
	before := len(p.problems)
	switch keys[at] {
	case "delay":
		p.fields(n, "the key", field{"delay", true, func(n source.Node) {
			k.Delay = new([4]source.Node)
			var fields []field
			for i, name := range delayArgs {
				fields = append(fields, field{name, true, func(n source.Node) { k.Delay[i] = n }})
			}
			p.fields(n, "delay", fields...)
		}})
	case "job":
		p.fields(n, "the key", field{"job", true, func(n source.Node) { k.Job = &n }}, field{"field", true, fieldsOf("job")})
	case "stats":
		k.Stats = true
		p.fields(n, "the key", field{"stats", true, fieldsOf("stats")})
	case "calls":
		p.fields(n, "the key", field{"calls", true, func(n source.Node) {
			p.list(n, "calls", "the tries of each layer", maxLayers, func(item source.Node) { k.Calls = append(k.Calls, item) })
			if n.Kind == source.List && len(n.Items) == 0 {
				p.fault(n, "calls is empty, expected the tries of each layer, such as [3, 3]")
			}
		}})
	case "value":
		p.fields(n, "the key", field{"value", true, func(n source.Node) {
			if _, ok := place(n); !ok && n.Kind != source.Scalar {
				p.fault(n, "the key's value is %s, expected a number or a word", n.Kind)
			}
			k.Value = &n
		}})
	case "step":
		p.fields(n, "the key", field{"step", true, func(n source.Node) { k.Step = n.Text }}, field{"field", true, fieldsOf("")})
	}
	if len(p.problems) > before {
		return nil
	}
	return k
}

// ofScenario says whether a key is a figure of a scenario.
func (k *Key) ofScenario() bool { return k.Job != nil || k.Stats || k.Step != "" }

// hasMutants says whether mutants have answers to a key.
func (k *Key) hasMutants() bool { return k.Delay != nil || k.ofScenario() }

// keyFields reads the name of a field, or a list of them. The fields of a step are checked when the
// scenario is read.
func (p *parser) keyFields(n source.Node, action string) []string {
	items := n.Items
	if n.Kind == source.Scalar {
		items = []source.Node{n}
	}
	if len(items) == 0 || len(items) > 10 {
		p.fault(n, "field is %s, expected a name, or a list of up to 10", n.Kind)
	}
	var fields []string
	for _, item := range items {
		if action != "" {
			p.checkField(item, action, item.Text)
		}
		fields = append(fields, item.Text)
	}
	return fields
}

func (p *parser) checkField(at source.Node, action, name string) {
	known := scenario.ResultFields(action)
	if !slices.Contains(known, name) {
		p.fault(at, "unknown field %s%s: %s gives %s", source.Quote(name), source.DidYouMean(name, known), action, strings.Join(known, ", "))
	}
}

// unknownPlaces finds places for values that are never given, and values that have no place.
func (p *parser) unknownPlaces(q *Question) {
	var given []string
	if len(q.Given) > 0 {
		given = names(q.Given[0])
	}
	used := map[string]bool{}
	check := func(name string, at source.Node) {
		used[name] = true
		if !slices.Contains(given, name) {
			hint := source.DidYouMean(name, given)
			if hint == "" {
				hint = ", expected " + list(given) + "; write {{" + name + "}} for the braces themselves"
			}
			p.fault(at, "{%s} is not given%s", name, hint)
		}
	}
	for _, t := range q.texts() {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(t.names()))) {
			check(name, t.node)
		}
	}
	for _, n := range q.templates() {
		places(n, check)
	}
	if len(q.Given) == 0 {
		return
	}
	if _, hasKey := q.node.Get("key"); hasKey && q.Key == nil {
		return // what a key that could not be read uses is not known
	}
	for _, param := range q.Given[0].Params {
		if !used[param.Name] {
			p.fault(param.node, "%s is given but never used, expected {%s} somewhere", param.Name, param.Name)
		}
	}
}

// texts are all texts of a question.
func (q *Question) texts() []Text {
	texts := append([]Text{q.Ask, q.Unit}, q.Hints...)
	for _, o := range q.Options {
		texts = append(texts, o.Text, o.Why)
	}
	for _, w := range q.Words {
		texts = append(texts, w.Text)
	}
	for _, item := range q.Items {
		texts = append(texts, item.Text, item.Why)
	}
	for _, pair := range q.Pairs {
		texts = append(texts, pair.Text, pair.With, pair.Why)
	}
	texts = append(texts, q.Extra...)
	return slices.DeleteFunc(texts, func(t Text) bool { return !t.Is() })
}

// templates are the nodes of a question that values are put into.
func (q *Question) templates() []source.Node {
	var nodes []source.Node
	if q.scenario != nil {
		nodes = append(nodes, *q.scenario)
	}
	if q.Key != nil {
		if q.Key.Delay != nil {
			nodes = append(nodes, q.Key.Delay[:]...)
		}
		if q.Key.Job != nil {
			nodes = append(nodes, *q.Key.Job)
		}
		if q.Key.Value != nil {
			nodes = append(nodes, *q.Key.Value)
		}
		nodes = append(nodes, q.Key.Calls...)
	}
	for _, o := range q.Options {
		if o.Value != nil {
			nodes = append(nodes, *o.Value)
		}
	}
	return nodes
}

// scenario gives the scenario a name, and reads it with the values of the first combination.
func (p *parser) scenario(q *Question, sound bool) {
	n := *q.scenario
	name := n
	name.Kind, name.Items, name.Entries, name.Text, name.Plain = source.Scalar, nil, nil, q.ID, false
	if n.Kind == source.List {
		at, steps := name, n
		at.Text = "steps"
		n.Kind, n.Items, n.Entries = source.Map, nil, []source.Entry{{Key: "steps", At: at, Value: steps}}
	}
	if _, named := n.Get("name"); !named && n.Kind == source.Map {
		at := name
		at.Text, at.Plain = "name", true
		n.Entries = append([]source.Entry{{Key: "name", At: at, Value: name}}, n.Entries...)
	}
	q.scenario = &n
	if !sound {
		return
	}
	s, err := scenario.ParseNode(q.combination(0).fill(n))
	if err != nil {
		p.problems = append(p.problems, scenario.Problems(err)...)
		return
	}
	if steps := countSteps(s.Steps); steps > maxSteps {
		p.fault(n, "the scenario has %d steps, at most %d are played", steps, maxSteps)
	}
	if q.Key == nil || q.Key.Step == "" {
		return
	}
	step, ok := findStep(s.Steps, q.Key.Step)
	if !ok {
		p.fault(q.Key.node, "there is no step %s, expected 1 to %d, or one during a run such as 2.1", source.Quote(q.Key.Step), len(s.Steps))
		return
	}
	action, _, _ := strings.Cut(step.Text, " ")
	for _, f := range q.Key.Fields {
		p.checkField(q.Key.node, action, f)
	}
}

func countSteps(steps []scenario.Step) int {
	count := len(steps)
	for _, s := range steps {
		count += countSteps(s.During)
	}
	return count
}

// findStep is the step of a number: 2, or 2.1 for the first step during step 2.
func findStep(steps []scenario.Step, no string) (scenario.Step, bool) {
	for i, s := range steps {
		number := strconv.Itoa(i + 1)
		if no == number {
			return s, true
		}
		if rest, ok := strings.CutPrefix(no, number+"."); ok {
			return findStep(s.During, rest)
		}
	}
	return scenario.Step{}, false
}
