package export_test

import (
	"slices"
	"strings"
	"testing"

	"retrylab/quiz"
	"retrylab/quiz/export"
	"retrylab/quiz/prose"
)

// imported is what a file becomes: a quiz that the parser takes, and the notes.
func imported(t *testing.T, read func(string, []byte, string, string) (string, []export.Note, error), text string) (*quiz.Quiz, []string) {
	t.Helper()
	file, notes, err := read("f", []byte(text), "from-elsewhere", "en")
	if err != nil {
		t.Fatal(err)
	}
	q, err := quiz.Parse("f.yaml", []byte(file))
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	var told []string
	for _, n := range notes {
		told = append(told, n.String())
	}
	return q, told
}

// outline is a quiz in short: kinds and what is right.
func outline(t *testing.T, q *quiz.Quiz) string {
	t.Helper()
	var lines []string
	for _, it := range draw(t, q, export.Options{}).Items {
		line := string(it.Kind) + " " + blocks(it.Ask[:1]) + " " + it.Key
		if it.Within != nil {
			line += "~" + it.Within.RatString()
		}
		for _, o := range it.Options {
			mark := " -"
			if o.Right || it.Kind == quiz.Order {
				mark = " +"
			}
			line += mark + strings.ReplaceAll(o.Text, " ", ".")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestGIFTIsReadAsMoodleDoes(t *testing.T) {
	q, notes := imported(t, export.ReadGIFT, `// A comment.
$CATEGORY: $course$ / Week two

::Colours:: Which are colours
of the sky? { ~%50%blue ~%50%grey ~%-50%plaid#No sky\\: a skirt. ~%-50%none }

The sky is {~green =blue} at noon.

It rains.{F#It did not.#Right.}

How many days has a week? {#7}

Pi is about {#3.1..3.2}.

When? {#
  =1822:0
  =%50%1822:2
  =%0%1800:0#Too early.
  ~#Far off.
}

Match. { =one -> 1 =two -> 2 = -> 3 }

[plain]2 < 3 <b> {=yes ~no#Look again.}

Say why. {}

Who? {=nobody =no one}

Only a text.

Old: {~a ~=b}
::Next:: Without a blank line {=a ~b
#c}
`)
	if q.Title.In("en", nil) != "Week two" {
		t.Errorf("the title is %q", q.Title.In("en", nil))
	}
	got := outline(t, q)
	want := strings.Join([]string{
		"choices Which are colours of the sky?  +blue +grey -plaid -none",
		"choice The sky is _____ at noon.  -green +blue",
		"choice It rains.  -True +False",
		"number How many days has a week? 7",
		"number Pi is about 3.15~1/20",
		"number When? 1822",
		"match Match.  -1 -2 -3",
		"choice 2 < 3 <b>  +yes -no",
		"choice Old:  -a +b",
		"choice Without a blank line  +a -b",
	}, "\n")
	sorted := func(s string) string { // options are shuffled
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			words := strings.Split(line, " ")
			slices.Sort(words)
			lines[i] = strings.Join(words, " ")
		}
		return strings.Join(lines, "\n")
	}
	if sorted(got) != sorted(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, note := range []string{"f:13: ", "f:15: a second right number", "f:15: what is said to any other", "f:26: an essay", "f:28: a short answer", "f:30: a description"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("no note %q in\n%s", note, strings.Join(notes, "\n"))
		}
	}
}

func TestMoodleXMLIsRead(t *testing.T) {
	q, notes := imported(t, export.ReadMoodle, `<?xml version="1.0" encoding="UTF-8"?>
<quiz>
<!-- question: 0 -->
<question type="category"><category><text>$course$/top/Retries &amp; more</text></category></question>
<question type="multichoice">
  <name><text>Deadline</text></name>
  <questiontext format="html"><text><![CDATA[<p>Is it <b>late</b>?<br></p><p><img src="@@PLUGINFILE@@/a.png" alt="">2&nbsp;&lt;&nbsp;3</p>]]></text><file name="a.png" encoding="base64">AAAA</file></questiontext>
  <defaultgrade>2.5000000</defaultgrade>
  <single>true</single>
  <answer fraction="100" format="html"><text><![CDATA[<p>yes</p>]]></text><feedback format="html"><text>Good.</text></feedback></answer>
  <answer fraction="0" format="html"><text>no</text><feedback format="html"><text>It is.</text></feedback></answer>
  <hint format="html"><text>Look at the clock.</text></hint>
</question>
<question type="numerical">
  <name><text>Wait</text></name>
  <defaultgrade>1.0000000</defaultgrade>
  <questiontext format="moodle_auto_format"><text>How long?</text></questiontext>
  <answer fraction="100"><text>2.50</text><tolerance>0.1</tolerance></answer>
  <answer fraction="0"><text>*</text><feedback><text>No.</text></feedback></answer>
  <units><unit><multiplier>1</multiplier><unit_name>ms</unit_name></unit><unit><multiplier>0.001</multiplier><unit_name>s</unit_name></unit></units>
</question>
<question type="truefalse">
  <name><text>Rain</text></name><questiontext><text>It rains.</text></questiontext>
  <answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text><feedback><text>Look.</text></feedback></answer>
</question>
<question type="ordering">
  <name><text>Row</text></name><questiontext><text>Sort.</text></questiontext>
  <answer fraction="1"><text>first</text></answer><answer fraction="2"><text>second</text></answer><answer fraction="3"><text>third</text></answer>
</question>
<question type="essay"><name><text>E</text></name><questiontext><text>Why?</text></questiontext></question>
<question type="cloze"><name><text>C</text></name><questiontext><text>{1:SA:=x}</text></questiontext></question>
</quiz>`)
	if q.Title.In("en", nil) != "Retries & more" || len(q.Questions) != 4 {
		t.Fatalf("%q, %d questions\n%s", q.Title.In("en", nil), len(q.Questions), strings.Join(notes, "\n"))
	}
	ask := blocks(draw(t, q, export.Options{}).Items[0].Ask)
	if ask != "Is it [s late]?|2 < 3" {
		t.Errorf("got %q", ask)
	}
	if wait := q.Questions[1]; wait.Unit.In("en", nil) != "ms" || wait.Tolerance.Within.RatString() != "1/10" || !wait.Tolerance.Edge {
		t.Errorf("%+v", wait.Tolerance)
	}
	for _, note := range []string{"question 1 (Deadline): 1 files", "question 1 (Deadline): a picture", "question 1 (Deadline): its default grade of 2.5:", "question 2 (Wait): the unit s",
		"question 2 (Wait): what is said to any other", "question 5 (E): the question", "question 6 (C): the question"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "f: "+note) }) {
			t.Errorf("no note %q in\n%s", note, strings.Join(notes, "\n"))
		}
	}
}

// optionsOf are the texts of a question's options as a reader sees them, sorted.
func optionsOf(t *testing.T, q *quiz.Quiz, question int) string {
	t.Helper()
	var texts []string
	for _, o := range draw(t, q, export.Options{}).Items[question].Options {
		texts = append(texts, prose.Plain(o.Text))
	}
	slices.Sort(texts)
	return strings.Join(texts, "|")
}

func TestEscapesOfProgramsAreTextLikeAnyOther(t *testing.T) {
	for _, c := range []string{`\u003c`, `\u003e`, `\u0026`, `\\u003c`, `"\n" & \u0026 < >`, `\x41 \"`} {
		q, notes := imported(t, export.ReadGIFT, `::c:: [plain]x {=`+strings.ReplaceAll(c, `\`, `\\`)+` ~y}`)
		if got := optionsOf(t, q, 0); len(notes) != 1 || got != c+"|y" {
			t.Errorf("%q: got %q, notes %v", c, got, notes)
		}
	}
}

func TestABraceThatIsNotClosedCostsOneQuestion(t *testing.T) {
	const note = "f:1: the question: the brace opened in line %s is not closed"
	for _, c := range []struct{ name, text, line, kept string }{
		{"a blank line", "::i::Unclosed {=a ~b\n\n::j:: next {T}\n", "1", "j"},
		{"a blank line with spaces", "::i::Unclosed {=a ~b\n  \nnext {T}\n", "1", "next"},
		{"no blank line", "::i::Unclosed {=a ~b\n::j:: next {T}\n", "1", "j"},
		{"answers below", "::i::Unclosed\n// {\n {\n=a\n\n// }\n::j:: next {=c ~d \\} }", "3", "j"},
		{"a category", "::i::Unclosed {=a\n$CATEGORY: x\n::j:: next {T}", "1", "j"},
		{"the last one", "::i::Unclosed {=a ~b\n\n::j:: next {T}\n\n::k:: last {=a ~b\n", "1", "j"},
		{"a brace before", "::i::Unclosed} {=a ~b {\n\n::j:: next {T}", "1", "j"},
	} {
		q, notes := imported(t, export.ReadGIFT, c.text)
		if len(q.Questions) != 1 || q.Questions[0].ID != c.kept {
			t.Errorf("%s: %d questions, the first is %s", c.name, len(q.Questions), q.Questions[0].ID)
		}
		if want := strings.Replace(note, "%s", c.line, 1); !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("%s: no note %q in %q", c.name, want, notes)
		}
	}
	q, notes := imported(t, export.ReadGIFT, "A blank line {\n=a#b\n\n~c#d\n\n}\n\nnext {=a {x} ~b#c}\n\nlast {T}\n\nwho {=a ~b\nnext {T}\n\nstray {=a ~b} } end")
	if len(q.Questions) != 4 {
		t.Errorf("%d questions, %q", len(q.Questions), notes)
	}
	for _, want := range []string{"f:8: a brace inside", "f:12: a brace inside", "f:15: a brace inside"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %q in %q", want, notes)
		}
	}
}

func TestWhatOnlyLooksLikeATagIsText(t *testing.T) {
	for _, c := range []struct{ html, want, note string }{
		{`#include <stdio.h>`, `#include <stdio.h>`, ""},
		{`List<String> x`, `List<String> x`, ""},
		{`Map&lt;K&gt; b`, `Map<K> b`, ""},
		{`Map<K, List<V>> m = new HashMap<>();`, `Map<K, List<V>> m = new HashMap<>();`, ""},
		{`<T extends Comparable<T>> a_b * c`, `<T extends Comparable<T>> a_b * c`, ""},
		{`<b>bold</b> std::vector<std::string> v`, `bold std::vector<std::string> v`, ""},
		{`List<Object> o, &amp;lt;`, `List<Object> o, &lt;`, ""},
		{`if (a<b && c>d) i<n`, `if (a<b && c>d) i<n`, ""},
		{`x <y and z`, `x <y and z`, ""},
		{`<?php echo 1 ?> <!DOCTYPE html>`, `<?php echo 1 ?> <!DOCTYPE html>`, ""},
		{`</String> a </`, `</String> a </`, ""},
		{`<code>Map<K></code> and <pre>x<Y></pre>`, "Map<K> and x<Y>", ""},
		{`<p data-x dir="ltr" onclick>a</p><o:p></o:p>`, `a`, ""},
		{`<u>a</u> <q>b</q><!-- c -->`, `a b`, "the element u"},
		{`<svg viewBox="0 0 1 1"><path d="M0"/></svg>a<T>`, `a<T>`, "a picture"},
		{`a <script> b`, `a`, "all that stands behind a <script>"},
		{`2<sup>10</sup>, x<sub>1</sub>, 2<sup>n + 1</sup>, <code>a<sub>i,j</sub></code>`, `2^10, x_1, 2^(n + 1), a_(i,j)`, "that a text stands higher"},
		{`2<sup></sup>a x<sup>y<sup>z</sup></sup> 2<sup>open`, `2a x^y^z 2^open`, "that a text"},
		{`<i>x<sub>1</sub></i> _y <sub>2</sub>`, `x_1 _y _2`, "that a text stands lower"},
	} {
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(c.html)
		q, notes := imported(t, export.ReadMoodle, `<quiz><question type="multichoice"><questiontext><text>x</text></questiontext>
			<answer fraction="100" format="html"><text>`+escaped+`</text></answer><answer fraction="0"><text>ZZ</text></answer></question></quiz>`)
		notes = slices.DeleteFunc(notes, func(n string) bool { return strings.Contains(n, "write a why") })
		if got := strings.TrimSuffix(strings.Replace(optionsOf(t, q, 0), "ZZ|", "", 1), "|ZZ"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.html, got, c.want)
		}
		if (c.note == "") != (len(notes) == 0) || !strings.Contains(strings.Join(notes, "\n"), c.note) {
			t.Errorf("%s: notes %q", c.html, notes)
		}
	}
	q, _ := imported(t, export.ReadGIFT, `x {=\#include <stdio.h> ~List<String> x}`)
	if got := optionsOf(t, q, 0); got != "#include <stdio.h>|List<String> x" {
		t.Error(got)
	}
}

func TestADroppedQuestionIsToldWithoutAPlaceThatIsNone(t *testing.T) {
	_, notes := imported(t, export.ReadGIFT, "::a: b:: x {=a -> b}\n\nkept {T}")
	if !slices.ContainsFunc(notes, func(n string) bool {
		return strings.HasPrefix(n, "f:1: the question: a question of kind match has 1 pairs")
	}) {
		t.Errorf("%q", notes)
	}
}

func TestOtherEncodingsAreRefusedWithWhatToDo(t *testing.T) {
	const quiz = "<quiz><question type='truefalse'><questiontext><text>\xe9t\xe9</text></questiontext></question></quiz>"
	for _, c := range []struct {
		read       func(string, []byte, string, string) (string, []export.Note, error)
		text, want string
	}{
		{export.ReadMoodle, "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" + quiz, "f: line 1: the file says that its encoding is ISO-8859-1, expected UTF-8: save it as UTF-8"},
		{export.ReadMoodle, "<?xml version='1.0' encoding='windows-1252'?>\n<quiz></quiz>", "f: line 1: the file says that its encoding is windows-1252, expected UTF-8: save it as UTF-8"},
		{export.ReadMoodle, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + quiz, "f:2: this is no UTF-8 text: save the file as UTF-8"},
		{export.ReadMoodle, "\n\n" + quiz, "f:3: this is no UTF-8 text: save the file as UTF-8"},
		{export.ReadGIFT, "a {T}\n\n\xe9t\xe9 {T}", "f:3: this is no UTF-8 text: save the file as UTF-8"},
		{export.ReadGIFT, "\xff\xfea\x00", "f:1: this is no UTF-8 text: save the file as UTF-8"},
	} {
		if _, _, err := c.read("f", []byte(c.text), "n", "en"); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func FuzzGIFTBecomesAQuizOrAnError(f *testing.F) {
	for _, s := range []string{"x{=a ~b#c}", "::n::[html]<p>a</p>{#5:1=%0%3#w}", "m{=a->b = c -> d}", "{T#a#b}", "[markdown]*a*{=`b` ~c}", "$CATEGORY: a/b\n\nx{F}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, _, err := export.ReadGIFT("f", []byte(text), "n", "en")
		if err != nil {
			return
		}
		if _, err := quiz.Parse("f.yaml", []byte(file)); err != nil {
			t.Errorf("%q became\n%s\n%v", text, file, err)
		}
	})
}
