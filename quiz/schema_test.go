package quiz_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"retrylab/lab/mutant"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
	"retrylab/lab/source"
	"retrylab/quiz"
	"retrylab/quiz/bank"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	s, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a file as an editor's schema sees it.
func asJSON(n source.Node) any {
	switch n.Kind {
	case source.List:
		items := []any{}
		for _, item := range n.Items {
			items = append(items, asJSON(item))
		}
		return items
	case source.Map:
		entries := map[string]any{}
		for _, e := range n.Entries {
			entries[e.Key] = asJSON(e.Value)
		}
		return entries
	}
	switch v := n.Value(); v.Type() {
	case retry.TypeNull:
		return nil
	case retry.TypeBoolean:
		b, _ := v.Bool()
		return b
	case retry.TypeNumber:
		if _, err := strconv.ParseFloat(n.Text, 64); err == nil {
			return json.Number(n.Text)
		}
	}
	return n.Text
}

// judge says whether the parser and the schema take a file.
func judge(t *testing.T, s *jsonschema.Schema, data []byte) (parsed, valid error) {
	t.Helper()
	documents, err := source.Documents("q.yaml", data, quiz.MaxFile)
	if err != nil || len(documents) != 1 {
		t.Fatalf("not one document: %v\n%s", err, data)
	}
	_, parsed = quiz.Parse("q.yaml", data)
	return parsed, s.Validate(asJSON(documents[0]))
}

// goodFiles are files that the parser takes, with every key of the format among them.
func goodFiles(t *testing.T) map[string][]byte {
	files := map[string][]byte{"the marking test": []byte(marking), "the seeds' test": []byte(variants)}
	names, err := fs.Glob(bank.Files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if files[name], err = bank.Files.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	for i, question := range []string{
		`{id: a, kind: choice, ask: 5, variants: 2, given: [{a: 1, b: [x, 2]}, {a: {from: 1, to: 9, step: 2}, b: y}], hints: ["{a}", {en: "{b}", pt-BR: x}], options: [{text: true, right: true}, {text: b, right: false, why: c}]}`,
		`{id: a, kind: number, ask: x, unit: {en: ms}, tolerance: {within: 0.5, edge: wrong}, given: {n: [1, 2]}, key: {delay: {attempt: "{n}", base_ms: 1, cap_ms: {n}, jitter: 1}}, mistakes: [no_cap], options: [{value: 7, why: x}]}`,
		`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: {policy: {base_ms: 5, lease_ms: 7}, steps: [{at: 0, run: {send: ok, takes: -1, error: x, retry_after_ms: null, wrapped: true, during: [{claim: a}]}, expect: {result: none}}, {fail: {worker: a, send: permanent}}, {complete: a}, {extend: a}, {requeue: {id: b, max_attempts: 1, deadline: 5}}, {purge: {before: 0}}, {restart: true}, {job: b}, {stats: true}, {delay: {attempt: true, base_ms: 1, cap_ms: 1, jitter: 1}}]}}`,
		`{id: a, kind: choice, ask: x, key: {step: 1.1, field: [result, state]}, words: {"created, pending": {en: yes}}, options: [{value: {a}, why: x}], given: {a: [1, no]}, scenario: [{run: {during: [{enqueue: {id: a, payload: b, max_attempts: 1, deadline: 9, available_at: 3}}]}}]}`,
	} {
		files["question "+strconv.Itoa(i)] = []byte(head + "- " + question + "\n")
	}
	return files
}

func TestTheSchemaTakesWhatTheParserTakes(t *testing.T) {
	s := schema(t)
	for name, data := range goodFiles(t) {
		if parsed, valid := judge(t, s, data); parsed != nil || valid != nil {
			t.Errorf("%s: parser: %v; schema: %v", name, parsed, valid)
		}
	}
}

func TestTheSchemaRefusesWhatTheParserRefuses(t *testing.T) {
	s := schema(t)
	question := func(q string) string { return head + "- " + q + "\n" }
	for _, text := range []string{
		"[]", "quiz: a\ntitle: x\n", "quiz: a\nquestions: []\n", "title: x\nquestions: []\n",
		"quiz: A b\ntitle: x\nquestions: [{id: a, kind: choice, ask: x, options: [{text: a, right: true}, {text: b}]}]\n",
		head + " []\n", head + " {}\n", strings.Replace(head, "title: x", "title: {}", 1) + "- {id: a, kind: order, ask: x, items: [a, b]}\n",
		strings.Replace(head, "title: x", "title: {deutsch: x}", 1) + "- {id: a, kind: order, ask: x, items: [a, b]}\n",
		head + "- {id: a, kind: order, ask: x, items: [a, b]}\nextra: 1\n",
		question(`{kind: order, ask: x, items: [a, b]}`),
		question(`{id: a, ask: x, items: [a, b]}`),
		question(`{id: a, kind: order, items: [a, b]}`),
		question(`{id: a, kind: ordr, ask: x, items: [a, b]}`),
		question(`{id: "a b", kind: order, ask: x, items: [a, b]}`),
		question(`{id: a, kind: order, ask: "  ", items: [a, b]}`),
		question(`{id: a, kind: order, ask: ~, items: [a, b]}`),
		question(`{id: a, kind: order, ask: [x], items: [a, b]}`),
		question(`{id: a, kind: order, ask: x, items: [a]}`),
		question(`{id: a, kind: order, ask: x, items: {a: b}}`),
		question(`{id: a, kind: order, ask: x, items: [a, {text: b, wy: x}]}`),
		question(`{id: a, kind: order, ask: x, items: [a, b], options: [{text: a, right: true}]}`),
		question(`{id: a, kind: order, ask: x, items: [a, b], hints: x}`),
		question(`{id: a, kind: order, ask: x, items: [a, b], variants: 0}`),
		question(`{id: a, kind: order, ask: x, items: [a, b], variants: many}`),
		question(`{id: a, kind: order, ask: x, items: [a, b], hint: [x]}`),
		question(`{id: a, kind: match, ask: x}`),
		question(`{id: a, kind: match, ask: x, pairs: [{text: a, with: b}]}`),
		question(`{id: a, kind: match, ask: x, pairs: [{text: a}, {text: b, with: c}]}`),
		question(`{id: a, kind: match, ask: x, pairs: [{text: a, with: b}, {text: c, with: d}], extra: e}`),
		question(`{id: a, kind: number, ask: x, unit: ms}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: dely}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {value: [1]}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {calls: []}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {calls: [1], field: x}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {job: a}, scenario: [{stats: true}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: deu}, scenario: [{stats: true}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {value: 1}, tolerance: {within: -1, edge: right}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {value: 1}, tolerance: {within: 1}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {value: 1}, tolerance: {within: 1, edge: maybe}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {value: 1}, items: [a, b]}`),
		question(`{id: a, kind: choice, ask: x}`),
		question(`{id: a, kind: choice, ask: x, options: [{right: true}, {text: b}]}`),
		question(`{id: a, kind: choice, ask: x, options: [{text: a, value: 1}, {text: b, right: true}]}`),
		question(`{id: a, kind: choice, ask: x, options: [{text: a, right: yes}, {text: b, right: true}]}`),
		question(`{id: a, kind: choice, ask: x, options: [a, b]}`),
		question(`{id: a, kind: choices, ask: x}`),
		question(`{id: a, kind: choices, ask: x, unit: ms, options: [{text: a, right: true}, {text: b}]}`),
		question(`{id: a, kind: choice, ask: x, key: {value: a}, words: [a], options: [{value: b}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, mistakes: [no_cop], scenario: [{stats: true}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, mistakes: [due_exclusive, due_exclusive], scenario: [{stats: true}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: [{sats: true}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: [{stats: true, restart: true}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: [{at: 5}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: [{run: {send: no}}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: [{enqueue: {id: a}}]}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: {policy: {bas_ms: 1}, steps: [{stats: true}]}}`),
		question(`{id: a, kind: number, ask: x, unit: ms, key: {stats: due}, scenario: 5}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {n: []}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {N: 1}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {n: {from: 1}}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {n: {from: 1.5, to: 2}}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {n: {from: 1, to: 5, step: 0}}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: {n: [[1]]}}`),
		question(`{id: a, kind: order, ask: "{n}", items: [a, b], given: 5}`),
	} {
		if parsed, valid := judge(t, s, []byte(text)); parsed == nil || valid == nil {
			t.Errorf("parser: %v; schema: %v\n%s", parsed, valid, text)
		}
	}
}

// TestTheSchemaKnowsEveryName holds the lists of names in the schema to those of the code.
func TestTheSchemaKnowsEveryName(t *testing.T) {
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Definitions struct {
			Fieldname struct{ Enum []string }
			Step      struct{ Properties map[string]any }
			Question  struct {
				Properties struct {
					Kind     struct{ Enum []string }
					Mistakes struct{ Items struct{ Enum []string } }
				}
			}
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var mutants, fields []string
	for _, m := range mutant.All() {
		mutants = append(mutants, m.Name)
	}
	for action := range s.Definitions.Step.Properties {
		fields = append(fields, scenario.ResultFields(action)...)
	}
	slices.Sort(fields)
	for what, pair := range map[string][2][]string{
		"mutants": {s.Definitions.Question.Properties.Mistakes.Items.Enum, mutants},
		"fields":  {s.Definitions.Fieldname.Enum, slices.Compact(fields)},
		"kinds":   {s.Definitions.Question.Properties.Kind.Enum, []string{"number", "choice", "choices", "order", "match"}},
	} {
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: the schema has %v, the code %v", what, pair[0], pair[1])
		}
	}
}
