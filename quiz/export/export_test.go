package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"retrylab/quiz"
	"retrylab/quiz/bank"
	"retrylab/quiz/export"
	"retrylab/quiz/prose"
)

// nasty are characters that one of the formats gives a meaning.
const nasty = `~ = # { } : \ % -> // :: & < > " ' ]]> <b>x</b> {name} {{name}} %50% $x$ 50 % あ 🍰 é`

// special is a quiz of every kind, full of such characters.
func special(t *testing.T) *quiz.Quiz {
	t.Helper()
	// Single quotes of YAML keep everything as it is; braces of names and marks of Markdown are escaped as
	// an author would.
	text := strings.NewReplacer("'", "''", `\`, `\\`, "{name}", "{{name}}", "{{name}}", "{{{name}}}").Replace(nasty)
	source := `quiz: special
title: {en: 'A/B: 50 % & more'}
questions:
- {id: one, kind: choice, ask: {en: 'ASK'}, hints: [{en: 'Hint ASK'}], options: [{text: {en: '%ASK'}, right: true}, {text: {en: '= ASK'}, why: {en: '#ASK'}}, {text: {en: '[html] ASK'}, why: {en: '[plain]'}}, {text: {en: '*soft* **loud** ***both*** and ` + "`code ~ {} = <`" + `'}, why: {en: "First.\n\nSecond:\n\n- a\n- b"}}]}
- {id: some, kind: choices, ask: {en: "Before\n\n` + "```" + `\n- {at: 0}\n\n  x: '<b>'\n` + "```" + `\n\n1. a\n2. b"}, options: [{text: {en: a}, right: true}, {text: {en: 'b ASK'}, right: true}, {text: {en: '- c'}, right: true}, {text: {en: '1. d'}, why: {en: no}}]}
- {id: many, kind: number, unit: {en: ms}, ask: {en: 'n ASK'}, key: {value: 2.5}, tolerance: {within: 0.25, edge: right}, options: [{value: -3, why: {en: 'w ASK'}}, {value: 1000, why: {en: 'much'}}]}
- {id: pairs, kind: match, ask: {en: 'm ASK'}, pairs: [{text: {en: 'r1 ASK'}, with: {en: 'a ASK'}}, {text: {en: r2}, with: {en: b}}, {text: {en: r3}, with: {en: b}}], extra: [{en: 'c -> d'}]}
`
	q, err := quiz.Parse("special.yaml", []byte(strings.ReplaceAll(source, "ASK", text)))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func draw(t *testing.T, q *quiz.Quiz, o export.Options) export.Set {
	t.Helper()
	s := quiz.NewSolver()
	defer s.Close()
	o.Language = "en"
	o.Say = func(key string, pairs ...any) string { return "The answer is in ms." }
	set, err := export.Draw(t.Context(), s, q, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func bankSets(t *testing.T) []export.Set {
	t.Helper()
	files, err := fs.Glob(bank.Files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var sets []export.Set
	for _, file := range files {
		data, err := bank.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		q, err := quiz.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, draw(t, q, export.Options{Variants: 2, Explain: func(m string) string { return "About `" + m + "`." }}))
	}
	return sets
}

// shown is a set as a reader sees it, apart from the order of options.
func shown(set export.Set) []string {
	var out []string
	say := func(what, markdown string) { out = append(out, what+" "+blocks(prose.Parse(markdown))) }
	for _, it := range set.Items {
		out = append(out, string(it.Kind)+" "+blocks(it.Ask))
		var entries []string
		entry := func(s string) { entries = append(entries, s) }
		for _, o := range it.Options {
			right := map[bool]string{true: "right ", false: ""}[o.Right]
			entry(right + blocks(prose.Parse(o.Text)) + " why " + blocks(prose.Parse(o.Why)))
		}
		for _, r := range it.Rows {
			entry("row " + blocks(prose.Parse(r.Text)) + " with " + prose.Plain(it.Options[r.With].Text))
		}
		for _, w := range it.Wrong {
			entry("wrong " + w.Value + " " + blocks(prose.Parse(w.Why)))
		}
		slices.Sort(entries)
		out = append(out, entries...)
		out = append(out, "key "+it.Key)
		if it.Within != nil {
			out = append(out, "within "+it.Within.RatString())
		}
		say("unit", it.Unit)
	}
	return out
}

func blocks(blocks []prose.Block) string {
	var out strings.Builder
	spans := func(spans []prose.Span) {
		for _, s := range spans {
			marks := ""
			if s.Code {
				marks += "c"
			}
			if s.Em {
				marks += "e"
			}
			if s.Strong {
				marks += "s"
			}
			if marks != "" {
				out.WriteString("[" + marks + " " + s.Text + "]")
			} else {
				out.WriteString(s.Text)
			}
		}
	}
	for _, b := range blocks {
		switch b.Kind {
		case prose.Paragraph:
			spans(b.Spans)
		case prose.Code:
			out.WriteString("code{" + b.Code + "}")
		default:
			for _, item := range b.Items {
				out.WriteString([]string{1: "-", 2: "1."}[b.Kind])
				spans(item)
			}
		}
		out.WriteString("|")
	}
	return strings.TrimSuffix(out.String(), "|")
}

// TestSpecialCharactersSurviveARoundTrip writes a quiz, reads it back, and compares what a reader sees.
func TestSpecialCharactersSurviveARoundTrip(t *testing.T) {
	want := draw(t, special(t), export.Options{})
	gift, _ := export.GIFT(want)
	moodle, _ := export.Moodle(want)
	for _, c := range []struct {
		format, text string
		read         func(string, []byte, string, string) (string, []export.Note, error)
	}{{"GIFT", gift, export.ReadGIFT}, {"Moodle XML", moodle, export.ReadMoodle}} {
		file, notes, err := c.read("q", []byte(c.text), "special", "en")
		if err != nil {
			t.Fatal(c.format, err)
		}
		q, err := quiz.Parse("again.yaml", []byte(file))
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.format, err, file)
		}
		if title := q.Title.In("en", nil); title != "A/B: 50 % & more" {
			t.Errorf("%s: the title is %q", c.format, title)
		}
		if len(q.Questions) != 4 {
			t.Errorf("%s: %d questions; notes %v", c.format, len(q.Questions), notes)
			continue
		}
		got := draw(t, q, export.Options{})
		a, b := shown(want), shown(got)
		if c.format == "GIFT" { // which has no unit; the question says it
			a = slices.DeleteFunc(a, func(s string) bool { return s == "unit ms" })
			b = slices.DeleteFunc(b, func(s string) bool { return s == "unit ms" || s == "unit " })
			a = slices.DeleteFunc(a, func(s string) bool { return s == "unit " })
		}
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Errorf("%s: line %d\ngot  %q\nwant %q", c.format, i, b[min(i, len(b)-1)], a[min(i, len(a)-1)])
				break
			}
		}
	}
}

// moodleFractions are what Moodle takes as a weight (question/engine/bank.php), in percent.
var moodleFractions = strings.Fields("100 90 83.33333 80 75 70 66.66667 60 50 40 33.33333 30 25 20 16.66667 14.28571 12.5 11.11111 10 5 0")

func TestGIFTHasOnlyWeightsThatMoodleTakes(t *testing.T) {
	text, _ := export.GIFT(append(bankSets(t), draw(t, special(t), export.Options{}))...)
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^[=~]%(-?[0-9.]+)%`).FindAllStringSubmatch(text, -1) {
		found++
		if !regexp.MustCompile(`^-?[0-9]{1,2}(\.[0-9]+)?$`).MatchString(m[1]) { // of no more than two digits before the point
			t.Errorf("the weight %s is not read", m[1])
		}
		if !slices.Contains(moodleFractions, strings.TrimPrefix(m[1], "-")) {
			t.Errorf("the weight %s", m[1])
		}
	}
	if found < 5 {
		t.Errorf("only %d weights", found)
	}
}

func TestWhatGIFTAndMoodleCannotHoldIsTold(t *testing.T) {
	options := strings.Repeat("{text: o, right: true}, ", 11)
	q, err := quiz.Parse("q.yaml", []byte(`quiz: q
title: x
questions:
- {id: eleven, kind: choices, ask: x, options: [`+options+`{text: w, why: y}]}
- {id: ordered, kind: order, ask: x, items: [a, {text: b, why: c}], hints: [h]}
- {id: edged, kind: number, unit: ms, ask: x, key: {value: 3}, tolerance: {within: 1, edge: wrong}}
`))
	if err != nil {
		t.Fatal(err)
	}
	set := draw(t, q, export.Options{})
	gift, notes := export.GIFT(set)
	for _, want := range []string{"q-eleven: the question: Moodle has no weights for 11", "q-ordered: its hints", "q-ordered: its kind", "q-ordered: what is said to single rows", "q-edged: the edge of its tolerance"} {
		if !slices.ContainsFunc(notes, func(n export.Note) bool { return strings.HasPrefix(n.String(), want) }) {
			t.Errorf("no note %q in %v", want, notes)
		}
	}
	if strings.Contains(gift, "eleven") || !strings.Contains(gift, "=a -> 1") {
		t.Error(gift)
	}
	if _, notes := export.Moodle(set); len(notes) != 5 { // Moodle XML has hints
		t.Errorf("Moodle XML: %v", notes)
	}
	if _, notes, _ := export.QTI("en", set); len(notes) != 3 {
		t.Errorf("QTI: %v", notes)
	}
}

func TestASheetHasItsKeyAndNothingElse(t *testing.T) {
	words := func(key string, pairs ...any) string { return key }
	html, _ := export.Sheet(export.Options{Language: "en", Say: words}, draw(t, special(t), export.Options{}))
	for _, want := range []string{"sheet.key", "2.5", "sheet.kind.match", "<th>1</th><td>", "&lt;b&gt;"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the sheet", want)
		}
	}
	for _, bad := range []string{"<b>", "http:", "https:", "<script", "src="} {
		if strings.Contains(html, bad) {
			t.Errorf("%q is in the sheet", bad)
		}
	}
}

// worked is how long this process has worked, whatever else the machine does.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestHostileFilesAreRefused(t *testing.T) {
	deep := "<quiz>" + strings.Repeat("<a>", 200) + strings.Repeat("</a>", 200) + "</quiz>"
	bomb := `<!DOCTYPE quiz [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;">]><quiz><question type="essay"><name><text>&b;</text></name></question></quiz>`
	for _, c := range []struct {
		name, text string
		read       func(string, []byte, string, string) (string, []export.Note, error)
		want       string
	}{
		{"a large GIFT", strings.Repeat("x", export.MaxImport+1), export.ReadGIFT, "at most"},
		{"a large XML", strings.Repeat("x", export.MaxImport+1), export.ReadMoodle, "at most"},
		{"deep XML", deep, export.ReadMoodle, "levels deep"},
		{"entities", bomb, export.ReadMoodle, "document type"},
		{"no XML", "hello", export.ReadMoodle, "no Moodle XML"},
		{"other XML", "<html></html>", export.ReadMoodle, "no Moodle XML"},
		{"cut XML", "<quiz><question", export.ReadMoodle, "no XML"},
		{"no UTF-8", "\xff\xfe{T}", export.ReadGIFT, "UTF-8"},
		{"nothing", "", export.ReadGIFT, "no question"},
		{"braces", strings.Repeat("{", 1_000_000), export.ReadGIFT, "no question"},
		{"weights", "x{" + strings.Repeat("~%", 200_000) + "}", export.ReadGIFT, "no question"},
		{"questions of nothing", strings.Repeat("x{}\n\n", 100_000), export.ReadGIFT, "no question"},
		{"an endless text", "[html]" + strings.Repeat("<b><i>x", 100_000) + "{T}", export.ReadGIFT, "no question"},
		{"open tags", "[html]" + strings.Repeat("<", 300_000) + "{T}", export.ReadGIFT, "no question"},
		{"a huge number", "x{#1e999999999}", export.ReadGIFT, "no question"},
	} {
		start := worked(t)
		_, _, err := c.read("f", []byte(c.text), "n", "en")
		if took := worked(t) - start; took > 5*time.Second {
			t.Errorf("%s took %v", c.name, took)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestScriptsOfAFileBecomeWords(t *testing.T) {
	file, notes, err := export.ReadGIFT("f", []byte("[html]<script>alert(1)</script>Hello <img src\\=x onerror\\=alert(1)> <a href\\=\"javascript\\:alert(1)\">there</a>{\n=a\n~b#c\n}"), "n", "en")
	if err != nil || len(notes) != 3 {
		t.Fatal(err, notes)
	}
	if strings.Contains(file, "alert") || !strings.Contains(file, "Hello there") {
		t.Error(file)
	}
}

// An element of XML with what is in it.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []element  `xml:",any"`
	Text    string     `xml:",chardata"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e element) all(name string) (found []element) {
	for _, n := range e.Nodes {
		if n.XMLName.Local == name {
			found = append(found, n)
		}
		found = append(found, n.all(name)...)
	}
	return found
}

// inside are the elements that QTI 2.1 allows in another, as far as they are written here, from its schema.
var inside = map[string]string{
	"assessmentItem":      "responseDeclaration outcomeDeclaration itemBody responseProcessing modalFeedback",
	"responseDeclaration": "correctResponse mapping", "correctResponse": "value", "mapping": "mapEntry", "mapEntry": "",
	"outcomeDeclaration": "defaultValue", "defaultValue": "value", "value": "",
	"itemBody":          "p pre ul ol choiceInteraction orderInteraction matchInteraction",
	"p":                 "code em strong textEntryInteraction",
	"choiceInteraction": "simpleChoice", "orderInteraction": "simpleChoice", "matchInteraction": "simpleMatchSet",
	"simpleMatchSet": "simpleAssociableChoice", "simpleAssociableChoice": "code em strong",
	"simpleChoice": "p pre ul ol code em strong", "modalFeedback": "p pre ul ol code em strong",
	"ul": "li", "ol": "li", "li": "code em strong", "pre": "", "code": "", "em": "code", "strong": "code em", "textEntryInteraction": "",
	"responseProcessing": "responseCondition setOutcomeValue", "responseCondition": "responseIf responseElseIf",
	"responseIf": "match equal setOutcomeValue", "responseElseIf": "equal setOutcomeValue",
	"match": "variable correct", "equal": "variable correct baseValue", "setOutcomeValue": "baseValue variable mapResponse",
	"variable": "", "correct": "", "baseValue": "", "mapResponse": "",
}

// required are the attributes that the schema asks for.
var required = map[string]string{
	"assessmentItem": "identifier title adaptive timeDependent", "responseDeclaration": "identifier cardinality baseType",
	"outcomeDeclaration": "identifier cardinality baseType", "mapEntry": "mapKey mappedValue", "mapping": "defaultValue",
	"choiceInteraction": "responseIdentifier shuffle maxChoices", "orderInteraction": "responseIdentifier shuffle",
	"matchInteraction": "responseIdentifier shuffle maxAssociations", "simpleChoice": "identifier",
	"simpleAssociableChoice": "identifier matchMax", "modalFeedback": "outcomeIdentifier identifier showHide",
	"textEntryInteraction": "responseIdentifier", "setOutcomeValue": "identifier", "variable": "identifier", "correct": "identifier",
	"mapResponse": "identifier", "baseValue": "baseType", "equal": "toleranceMode",
}

var ncName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9._-]*$`)

func checkItem(t *testing.T, name string, e element) {
	t.Helper()
	allowed := strings.Fields(inside[e.XMLName.Local])
	if _, known := inside[e.XMLName.Local]; !known {
		t.Errorf("%s: the element %s", name, e.XMLName.Local)
	}
	for _, attr := range strings.Fields(required[e.XMLName.Local]) {
		if e.attr(attr) == "" {
			t.Errorf("%s: %s has no %s", name, e.XMLName.Local, attr)
		}
	}
	last := -1
	for _, n := range e.Nodes {
		at := slices.Index(allowed, n.XMLName.Local)
		if at < 0 {
			t.Errorf("%s: %s in %s", name, n.XMLName.Local, e.XMLName.Local)
		}
		if e.XMLName.Local == "assessmentItem" || e.XMLName.Local == "responseDeclaration" { // these are sequences
			if at < last {
				t.Errorf("%s: %s comes too late", name, n.XMLName.Local)
			}
			last = at
		}
		checkItem(t, name, n)
	}
}

// score plays an item's response processing as its own specification says.
func score(t *testing.T, item element, response []string) float64 {
	t.Helper()
	declared := item.all("responseDeclaration")[0]
	var correct []string
	for _, v := range declared.all("value") {
		correct = append(correct, v.Text)
	}
	sorted := func(s []string) []string {
		if declared.attr("cardinality") == "ordered" {
			return s
		}
		return slices.Sorted(slices.Values(s))
	}
	processing := item.all("responseProcessing")[0]
	if len(processing.all("mapResponse")) > 0 {
		sum := 0.0
		for _, e := range declared.all("mapEntry") {
			if slices.Contains(response, e.attr("mapKey")) {
				var worth float64
				if err := xml.Unmarshal([]byte("<f>"+e.attr("mappedValue")+"</f>"), &worth); err != nil {
					t.Fatal(err)
				}
				sum += worth
			}
		}
		return min(max(sum, 0), 1)
	}
	if slices.Equal(sorted(response), sorted(correct)) {
		return 1
	}
	return 0
}

func TestQTIIsAPackageOfValidItems(t *testing.T) {
	sets := append(bankSets(t), draw(t, special(t), export.Options{}))
	ordered, err := quiz.Parse("o.yaml", []byte("quiz: o\ntitle: x\nquestions:\n- {id: a, kind: order, ask: x, items: [a, b, c]}\n- {id: b, kind: number, unit: ms, ask: x, key: {value: 3}, tolerance: {within: 0.5, edge: wrong}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	sets = append(sets, draw(t, ordered, export.Options{}))
	data, _, err := export.QTI("en", sets...)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]element{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		var e element
		if err := xml.Unmarshal(text, &e); err != nil {
			t.Fatalf("%s: %v\n%s", f.Name, err, text)
		}
		if _, twice := docs[f.Name]; twice {
			t.Errorf("two files %s", f.Name)
		}
		docs[f.Name] = e
	}
	manifest, ids, hrefs := docs["imsmanifest.xml"], map[string]bool{}, 0
	for _, r := range manifest.all("resource") {
		if id := r.attr("identifier"); ids[id] || !ncName.MatchString(id) {
			t.Errorf("the resource %s", id)
		}
		ids[r.attr("identifier")] = true
		hrefs++
		if _, ok := docs[r.attr("href")]; !ok {
			t.Errorf("the manifest names %s", r.attr("href"))
		}
	}
	for _, d := range manifest.all("dependency") {
		if !ids[d.attr("identifierref")] {
			t.Errorf("a dependency on %s", d.attr("identifierref"))
		}
	}
	if hrefs != len(docs)-1 {
		t.Errorf("%d resources for %d files", hrefs, len(docs)-1)
	}
	for _, set := range sets {
		for _, it := range set.Items {
			item := docs["items/"+it.ID+".xml"]
			checkItem(t, it.ID, item)
			seen := map[string]bool{}
			for _, kind := range []string{"simpleChoice", "simpleAssociableChoice"} {
				for _, c := range item.all(kind) {
					if id := c.attr("identifier"); seen[id] || !ncName.MatchString(id) {
						t.Errorf("%s: the choice %q", it.ID, id)
					}
					seen[c.attr("identifier")] = true
				}
			}
			outcomes := map[string]bool{}
			for _, o := range item.all("outcomeDeclaration") {
				outcomes[o.attr("identifier")] = true
			}
			for _, s := range item.all("setOutcomeValue") {
				if !outcomes[s.attr("identifier")] {
					t.Errorf("%s sets %s, which is not declared", it.ID, s.attr("identifier"))
				}
			}
			for _, f := range item.all("modalFeedback") {
				if !outcomes[f.attr("outcomeIdentifier")] {
					t.Errorf("%s: feedback for %s", it.ID, f.attr("outcomeIdentifier"))
				}
			}
			var right []string
			for _, v := range item.all("correctResponse")[0].all("value") {
				right = append(right, v.Text)
				for _, id := range strings.Fields(v.Text) {
					if it.Kind != quiz.Number && !seen[id] {
						t.Errorf("%s: the right answer %s is no choice", it.ID, id)
					}
				}
			}
			if got := score(t, item, right); got < 0.999 || got > 1.001 {
				t.Errorf("%s: the right answer scores %v", it.ID, got)
			}
			if got := score(t, item, nil); got != 0 {
				t.Errorf("%s: no answer scores %v", it.ID, got)
			}
			if it.Kind == quiz.Choices && len(it.Options) > len(right) {
				var all []string
				for id := range seen {
					all = append(all, id)
				}
				if got := score(t, item, all); got >= 1 {
					t.Errorf("%s: to choose all scores %v", it.ID, got)
				}
			}
		}
	}
	edge := docs["items/o-b.xml"].all("equal")[0]
	if edge.attr("includeLowerBound") != "false" || edge.attr("tolerance") != "0.5 0.5" {
		t.Errorf("%+v", edge)
	}
}
