package hunt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retrylab/lab/hunt"
	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

// winning is the scenario of testdata that wins a hunt.
func winning(t *testing.T, h hunt.Hunt) *scenario.Scenario {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", h.Name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := hunt.Read(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func holds(t *testing.T, play func() (scenario.Trace, error)) bool {
	t.Helper()
	trace, err := play()
	if err != nil {
		t.Fatal(err)
	}
	return trace.Pass
}

func onReference(t *testing.T, s *scenario.Scenario) bool {
	return holds(t, func() (scenario.Trace, error) { return hunt.Reference(t.Context(), s, memory.Home{}) })
}

func onHunted(t *testing.T, h hunt.Hunt, s *scenario.Scenario) bool {
	return holds(t, func() (scenario.Trace, error) { return h.Play(t.Context(), s, memory.Home{}) })
}

func TestEveryHuntCanBeWon(t *testing.T) {
	for i, h := range hunt.All() {
		s := winning(t, h)
		if !onReference(t, s) {
			t.Errorf("hunt %d: the scenario fails on the reference", i+1)
		}
		if onHunted(t, h, s) {
			t.Errorf("hunt %d: the scenario does not find %s", i+1, h.Mutant)
		}
		if !hunt.Expects(s.Steps) {
			t.Errorf("hunt %d: the scenario expects nothing", i+1)
		}
		if bare := hunt.Given(s); hunt.Expects(bare.Steps) || !onReference(t, bare) {
			t.Errorf("hunt %d: without its expectations the scenario fails on the reference", i+1)
		}
	}
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) != len(hunt.All()) {
		t.Errorf("%d files for %d hunts: %v", len(files), len(hunt.All()), err)
	}
}

// The hunts rise: levels never fall, each level's winning scenarios are longer on average than those of
// the level before, and none of an easier level finds what a harder level hides.
func TestTheHuntsRise(t *testing.T) {
	all := hunt.All()
	if len(all) < 12 {
		t.Errorf("%d hunts", len(all))
	}
	steps, count := map[int]int{}, map[int]int{}
	for i, h := range all {
		if i > 0 && h.Level < all[i-1].Level || h.Level < 1 || h.Level > 3 {
			t.Errorf("hunt %d has level %d", i+1, h.Level)
		}
		s := winning(t, h)
		for _, step := range s.Steps {
			steps[h.Level] += 1 + len(step.During)
		}
		count[h.Level]++
		for j, harder := range all {
			if harder.Level > h.Level && !onHunted(t, harder, s) {
				t.Errorf("the scenario of hunt %d finds hunt %d too", i+1, j+1)
			}
		}
	}
	for level := 2; level <= 3; level++ {
		if steps[level]*count[level-1] <= steps[level-1]*count[level] {
			t.Errorf("level %d takes %d steps in %d hunts, the level before %d in %d", level, steps[level], count[level], steps[level-1], count[level-1])
		}
	}
}

func TestAHuntsNameTellsNothing(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range hunt.All() {
		if _, ok := mutant.Find(h.Mutant); !ok {
			t.Errorf("there is no mutant %s", h.Mutant)
		}
		for _, name := range []string{h.Name, h.Mutant} {
			if seen[name] {
				t.Errorf("two hunts have %s", name)
			}
			seen[name] = true
		}
		for _, word := range strings.Split(h.Mutant, "_") {
			if strings.Contains(h.Name, word) {
				t.Errorf("the name %s tells of %s", h.Name, h.Mutant)
			}
		}
	}
}

func TestReadRefusesWhatIsNoSingleScenario(t *testing.T) {
	step := "- {job: a}\n"
	for _, c := range []struct{ text, says string }{
		{"", "scenario.yaml:1:1: there is no scenario"},
		{"# nothing\n", "scenario.yaml:1:1: there is no scenario"},
		{"name: a\nsteps: []\n---\nname: b\nsteps: []\n", "scenario.yaml:4:1: a second scenario"},
		{"name: a\nsteps:\n" + step + "- {jobs: a}\n", `scenario.yaml:4:4: unknown key "jobs"`},
		{"name: a\nsteps:\n" + strings.Repeat(step, hunt.MaxSteps), ""},
		{"name: a\nsteps:\n" + strings.Repeat(step, hunt.MaxSteps+1), "scenario.yaml:63:3: a scenario of more than 60 steps"},
		{"name: a\nsteps:\n" + strings.Repeat(step, hunt.MaxSteps-1) + "- {run: {during: [{job: a}]}}\n", "scenario.yaml:62:3: a scenario of more than 60 steps"},
		{strings.Repeat("[", hunt.MaxSource), "scenario.yaml:1:"},
		{strings.Repeat("- ", hunt.MaxSource/2), "scenario.yaml:1:"},
		{strings.Repeat("#", hunt.MaxSource+1), "scenario.yaml:1:1: the file has 16385 bytes"},
	} {
		_, _, err := hunt.Read(c.text)
		if got := ""; c.says == "" && err != nil || c.says != "" && (err == nil || !strings.HasPrefix(err.Error(), c.says)) {
			if err != nil {
				got = err.Error()
			}
			t.Errorf("%.60q: %q, not %q", c.text, got, c.says)
		}
	}
}
