package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

var axeSource = sync.OnceValues(func() (string, error) {
	data, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	return string(data), err
})

// axe fails the test for every finding of axe-core on the page as it stands.
func (b *tab) axe(where string) {
	b.t.Helper()
	source, err := axeSource()
	if err != nil {
		b.t.Fatalf("axe-core is not installed: run make test: %v", err)
	}
	if !eval[bool](b, `typeof axe === "object"`) {
		eval[chromedp.Void](b, source+";undefined")
	}
	// Colours that are still changing would be measured on their way.
	b.wait(`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() =>
		r(!document.getAnimations().some((a) => a.playState === "running" && a.effect.getTiming().iterations !== Infinity)))))`, "nothing moves")
	type finding struct {
		ID    string   `json:"id"`
		Help  string   `json:"help"`
		Nodes []string `json:"nodes"`
	}
	findings := eval[[]finding](b, `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) =>
		({ id: v.id, help: v.help, nodes: v.nodes.map((n) => n.target.join(" ") + "  " + n.html.slice(0, 200) + "  " + (n.any[0]?.message ?? "")) })))`)
	for _, f := range findings {
		b.t.Error(fmt.Sprintf("axe on %s: %s: %s\n    %s", where, f.ID, f.Help, strings.Join(f.Nodes, "\n    ")))
	}
}
