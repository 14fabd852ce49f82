package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	lab "retrylab/lab/ask"
	native "retrylab/lab/engine"
	"retrylab/lab/file"
	"retrylab/quiz/bank"
)

// folder is a home of the native engine.
type folder string

func (folder) Name() string { return lab.OPFS }

func (f folder) Connect(database string) (*sql.DB, error) {
	return file.Open(filepath.Join(string(f), database))
}

func (f folder) Remove(database string) error { return file.Remove(filepath.Join(string(f), database)) }

func bankFiles(t *testing.T) map[string]string {
	t.Helper()
	entries, err := bank.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".yaml" {
			continue // the index
		}
		data, err := bank.Files.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// TestASeedShowsTheSameInTheTabAsNatively answers every question of the bank with several seeds in both,
// and compares all that a page gets: texts, options in their order, marks, keys.
func TestASeedShowsTheSameInTheTabAsNatively(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.load("")
	e := b.engine("tab")
	e.notice(lab.Ready)
	here, err := native.New(t.Context(), folder(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	for name, source := range bankFiles(t) {
		for _, question := range got[lab.Quiz](e, lab.QuizOpen, lab.OpenQuiz{Source: source, File: name, Lang: "en"}).Questions {
			for seed := int64(1); seed <= 2; seed++ {
				answer := lab.AnswerQuiz{Source: source, File: name, Lang: "en", Question: question.ID, Seed: seed * 123_457, Answer: "50"}
				tab := got[lab.Question](e, lab.QuizAnswer, answer)
				if len(tab.Options) > 0 {
					answer.Answer = tab.Options[0].ID
					tab = got[lab.Question](e, lab.QuizAnswer, answer)
				}
				body, err := json.Marshal(answer)
				if err != nil {
					t.Fatal(err)
				}
				var reply lab.Reply
				here.Answer(context.Background(), lab.Request{ID: 1, Kind: lab.QuizAnswer, Body: body}, func(r lab.Reply) { reply = r })
				if reply.Err != nil {
					t.Fatal(reply.Err)
				}
				var natively lab.Question
				if err := json.Unmarshal(reply.Body, &natively); err != nil {
					t.Fatal(err)
				}
				if x, y := asText(t, tab), asText(t, natively); x != y {
					t.Errorf("%s, seed %d: in the tab\n%s\nnatively\n%s", question.ID, answer.Seed, x, y)
				}
			}
		}
	}
}

// figure reads a number that stands behind a word on the page.
func figure(t *testing.T, text, pattern string) float64 {
	t.Helper()
	found := regexp.MustCompile(pattern + `\s*([0-9.]+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in %q", pattern, text)
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(found[1], "."), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// asked is the wait that the first question asks for, with and without the cap.
func asked(t *testing.T, text string) (key, withoutCap int) {
	t.Helper()
	window := figure(t, text, "base_ms") * math.Pow(2, figure(t, text, "failure number")-1)
	jitter := figure(t, text, "jitter")
	return int(math.Floor(math.Min(figure(t, text, "cap_ms"), window) * jitter)), int(math.Floor(window * jitter))
}

func TestAQuizIsAnsweredAndKeptOverAReload(t *testing.T) {
	need(t)
	t.Parallel()
	b := open(t, theSite(t))
	b.goTo("quiz/?name=cap-and-deadline")
	b.role("heading", "Cap and deadline").sees("Cap and deadline")
	field := b.role("textbox", "Your answer")
	main := b.role("main", "")

	// What may be two numbers is asked about, not marked.
	field.fill("1,000")
	b.role("button", "Check").click()
	main.sees("this may be two numbers")

	// A wrong answer is told by its misunderstanding. Some variants have none for the cap: draw on.
	for key, uncapped := asked(t, main.text()); ; key, uncapped = asked(t, main.text()) {
		if key != uncapped {
			field.fill(strconv.Itoa(uncapped))
			break
		}
		before := main.text()
		b.role("button", "New variant").click()
		main.until(func() bool { return main.text() != before }, "shows another variant", main.text)
	}
	b.role("button", "Check").click()
	main.sees("Not this time.")
	main.sees("See a queue with this misunderstanding")

	// The right answer, typed as a person may type it.
	key, _ := asked(t, main.text())
	field.fill(fmt.Sprintf(" %d ms ", key))
	b.role("button", "Check again").click()
	main.sees("Right.")
	main.sees("floor(")
	text := main.text()

	b.reload()
	main.sees("Right.")
	if after := main.text(); !strings.Contains(after, fmt.Sprintf("= %d", key)) {
		t.Errorf("after the reload the page says %q, before it %q", after, text)
	}
	if again, _ := asked(t, main.text()); again != key {
		t.Errorf("after the reload the wait is %d, before it was %d", again, key)
	}
	if value := field.value(); strings.TrimSpace(value) != fmt.Sprintf("%d ms", key) {
		t.Errorf("after the reload the answer is %q", value)
	}
}
