package e2e

import (
	"os"
	"slices"
	"testing"
	"time"

	protocol "retrylab/lab/ask"
	"retrylab/lab/student"
)

// TestTheLabOnAProgram measures the whole lab on the model solutions: in one frame that a student's program runs
// in, from its beginning until the first run's end, and warm; then on the page, which shares a run between two
// frames and draws what comes in.
func TestTheLabOnAProgram(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("measures only with BENCH=1: run make bench")
	}
	for _, language := range []student.Language{student.JavaScript, student.Python} {
		b := bench{open(t, theSite(t))}
		b.goTo("lab/?subject=reference")
		model := modelSolution(t, language)
		began := time.Now()
		b.frame(language)
		b.run(protocol.RunStudent{Source: model, Checks: []string{"the-first-wait-is-the-base"}})
		up := time.Since(began)
		var took []float64
		for range 12 {
			run := b.run(protocol.RunStudent{Source: model, Seed: 7})
			if run.Summary.Failed > 0 {
				t.Fatalf("%d checks fail", run.Summary.Failed)
			}
			took = append(took, run.Summary.MS)
		}
		warm := slices.Sorted(slices.Values(took[6:]))
		t.Logf("%s: the first check has run %.1f s after the click; the whole lab takes %.0f ms the first time and %.0f ms warm (median of %d; the quickest %.0f; one after the other %.0f)",
			language, up.Seconds(), took[0], warm[len(warm)/2], len(warm), warm[0], took)
		eval[bool](b.tab, "(endStudent(), true)")

		p := openLab(t, theSite(t), string(language), model)
		var shown []float64
		for range 10 {
			p.runProgram()
			shown = append(shown, eval[float64](p, `Number(/It took ([\d.]+) s/.exec(document.querySelector(".verdict").innerText)?.[1])`))
		}
		warm = slices.Sorted(slices.Values(shown[4:]))
		t.Logf("%s on the page: %.1f s the first time and %.1f s warm (median of %d; the quickest %.1f)", language, shown[0], warm[len(warm)/2], len(warm), warm[0])
	}
}
