package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	protocol "retrylab/lab/ask"
	"retrylab/lab/check"
	"retrylab/lab/mutant"
	"retrylab/lab/source"
	"retrylab/lab/student"
)

const students = "../lab/student/testdata"

// A studentMutant is a model solution with a mistake in it.
type studentMutant struct {
	name     string
	language student.Language
	check    string // the slug of the check that finds it
	source   string
}

// modelSolution passes every check.
func modelSolution(t *testing.T, language student.Language) string {
	t.Helper()
	name := map[student.Language]string{student.Python: "model.py", student.JavaScript: "model.js"}[language]
	data, err := os.ReadFile(filepath.Join(students, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// studentMutants reads mutants.yaml. A change that does not apply exactly once is an error: the model has
// been rewritten, and the mistake must be made anew.
func studentMutants(t *testing.T) []studentMutant {
	t.Helper()
	file := filepath.Join(students, "mutants.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	documents, err := source.Documents(file, data, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]string{
		string(student.Python): modelSolution(t, student.Python), string(student.JavaScript): modelSolution(t, student.JavaScript),
	}
	text := func(n source.Node, key string) string {
		v, ok := n.Get(key)
		if !ok && key != "check" {
			t.Fatal(n.Problem("%s is missing", key))
		}
		return v.Text
	}
	seen := map[string]bool{}
	var all []studentMutant
	for _, d := range documents {
		m := studentMutant{name: text(d, "name"), language: student.Language(text(d, "language"))}
		m.source = models[text(d, "language")]
		switch {
		case m.source == "":
			t.Fatal(d.Problem("there is no model in %q", m.language))
		case seen[m.name+string(m.language)]:
			t.Error(d.Problem("%s in %s is there twice", m.name, m.language))
		}
		seen[m.name+string(m.language)] = true
		name := text(d, "check")
		if known, ok := mutant.Find(m.name); ok {
			name = known.NamedBy
		}
		m.check = check.SlugOf(name)
		edits, _ := d.Get("edits")
		for _, e := range edits.Items {
			old := text(e, "old")
			if n := strings.Count(m.source, old); n != 1 {
				t.Error(e.Problem("%s in %s applies %d times, not once: %q", m.name, m.language, n, old))
			}
			m.source = strings.Replace(m.source, old, text(e, "new"), 1)
		}
		all = append(all, m)
	}
	return all
}

func TestEveryMutantHasAVersionThatAStudentWrites(t *testing.T) {
	checks := map[student.Language]map[string]bool{}
	for _, language := range []student.Language{student.Python, student.JavaScript} {
		checks[language] = map[string]bool{}
		for _, c := range student.Checks(language) {
			checks[language][c.Slug] = true
		}
	}
	written := map[string]bool{}
	for _, m := range studentMutants(t) {
		written[m.name] = true
		if !checks[m.language][m.check] {
			t.Errorf("%s in %s is found by %q, and there is no such check", m.name, m.language, m.check)
		}
	}
	for _, m := range mutant.All() {
		// The names of what a delay rejects are not asked of a student.
		if !written[m.Name] && m.Name != "first_bad_argument_only" {
			t.Errorf("no student has written %s", m.Name)
		}
	}
}

// slugs are those of a language's checks.
func slugs(language student.Language) (all []string) {
	for _, c := range student.Checks(language) {
		all = append(all, c.Slug)
	}
	return all
}

// A bench runs students' programs in one frame, as the lab's page does.
type bench struct{ *tab }

// studentRun is what came of one run.
type studentRun struct {
	Checks  []protocol.StudentCheck
	Summary protocol.StudentSummary
	Error   *protocol.Error
}

// frame opens a StudentFrame in the page.
func (b bench) frame(language student.Language) {
	b.t.Helper()
	b.wait(`typeof StudentFrame === "function"`, "the page has frames for students' programs")
	eval[bool](b.tab, fmt.Sprintf(`(() => {
		const assets = new URL(".", document.querySelector('script[src*="app.js"]').src);
		const frame = new StudentFrame(assets.href, new URL("../../", assets).href, %s, document.baseURI);
		const runs = self.runs = new Map();
		const fail = (why) => { for (const r of runs.values()) r.reject(new Error(why)); self.dead = why; };
		frame.onerror = (e) => fail(e.message);
		frame.onmessage = ({ data }) => {
			const m = JSON.parse(data);
			if (m.ended !== undefined) return fail(m.ended);
			const run = runs.get(m.id);
			if (!run) return;
			if (m.more) return void run.checks.push(m.body);
			runs.delete(m.id);
			run.resolve({ Checks: run.checks.filter((c) => c.done), Summary: m.body, Error: m.error });
		};
		let id = 0;
		self.runStudent = (body) => new Promise((resolve, reject) => {
			if (self.dead) throw new Error(self.dead);
			runs.set(++id, { resolve, reject, checks: [] });
			frame.postMessage(JSON.stringify({ id, kind: "student.run", body }));
		});
		self.endStudent = () => frame.terminate();
		return true;
	})()`, quote(string(language))))
}

func (b bench) run(r protocol.RunStudent) studentRun {
	b.t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		b.t.Fatal(err)
	}
	run := eval[studentRun](b.tab, "runStudent("+string(body)+")")
	if run.Error != nil {
		b.t.Fatalf("%s: %s", run.Error.Code, run.Error.Detail)
	}
	return run
}

// told is what a student reads of a check that failed.
func told(c protocol.StudentCheck) string {
	said := fmt.Sprintf("%s at step %s", c.Slug, c.Trace.Where)
	for _, s := range c.Trace.Steps {
		for _, d := range s.Differs {
			said += fmt.Sprintf("; %s: wanted %s, got %s", d.Field, d.Want, d.Got)
		}
		if s.Error != "" {
			said += "; " + s.Error
		}
	}
	return said
}

func TestModelSolutionsPassAndStudentsMistakesAreFound(t *testing.T) {
	need(t)
	t.Parallel()
	mutants := studentMutants(t)
	for _, language := range []student.Language{student.Python, student.JavaScript} {
		t.Run(string(language), func(t *testing.T) {
			b := bench{open(t, theSite(t))}
			b.goTo("lab/")
			b.frame(language)
			model := modelSolution(t, language)
			for _, seed := range []int64{1, 20261130, 1<<53 - 1} {
				passed, ms, all := 0, 0.0, slugs(language)
				for chunk := range slices.Chunk(all, 50) { // one long run would try the test's patience
					run := b.run(protocol.RunStudent{Source: model, Seed: seed, Checks: chunk})
					if run.Summary.Load != nil {
						t.Fatalf("the model cannot be loaded: %+v", run.Summary.Load)
					}
					for _, c := range run.Checks {
						if !c.Pass {
							t.Errorf("the model, seed %d: %s", seed, told(c))
						}
					}
					passed += run.Summary.Passed
					ms += run.Summary.MS
				}
				if passed != len(all) {
					t.Errorf("the model, seed %d: %d of %d checks pass", seed, passed, len(all))
				}
				t.Logf("the model, seed %d: %.0f ms", seed, ms)
			}
			// Each process keeps 24 MiB: what those before it have kept must be gone by then.
			keeps := map[student.Language]string{
				student.Python:     "\n\ndef kept():\n    pass\n\n\nkept.mine = bytearray(24 << 20)\n",
				student.JavaScript: "globalThis.kept = new Uint8Array(24 << 20).fill(1);\n",
			}
			for range 8 {
				run := b.run(protocol.RunStudent{
					Source: model + keeps[language], Seed: 7,
					Checks: []string{"the-first-wait-is-the-base", "a-crash-makes-the-next-wait-longer-too"},
				})
				for _, c := range run.Checks {
					if !c.Pass {
						t.Errorf("the model that keeps 24 MiB: %s", told(c))
					}
				}
			}
			n := 0
			for i, m := range mutants {
				// make test plays all of the rules' own misunderstandings, and a quarter of the others; make soak all.
				if _, known := mutant.Find(m.name); m.language != language || !known && i%4 != 0 && os.Getenv("SOAK") == "" {
					continue
				}
				n++
				run := b.run(protocol.RunStudent{Source: m.source, Checks: []string{m.check}, Seed: 7})
				if run.Summary.Load != nil {
					t.Errorf("%s cannot be loaded: %s", m.name, run.Summary.Load.Message)
					continue
				}
				if len(run.Checks) != 1 || run.Checks[0].Pass {
					t.Errorf("%s passes %s", m.name, m.check)
				}
				if n%60 != 0 {
					continue
				}
				var found []string
				for _, c := range b.run(protocol.RunStudent{Source: m.source, Seed: 7}).Checks {
					if !c.Pass {
						found = append(found, told(c))
					}
				}
				t.Logf("%s fails %d checks:\n  %s", m.name, len(found), strings.Join(found, "\n  "))
			}
			if n == 0 {
				t.Error("there are no students' mistakes in the language")
			}
			eval[bool](b.tab, "(endStudent(), true)")
		})
	}
}
