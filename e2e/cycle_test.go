package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retrylab/lab/queue"
)

// TestTheQueuesCycle measures the queue in a tab: enqueue, claim and complete, in memory and durably on
// the device, against the official sqlite-wasm with the same statements and settings. Each side runs in
// a worker of its own, in turn, in one run; the ratios are of medians.
//
// Where our time goes, as V8's profiler tells it (linked without -s -w a program keeps Go's names). In memory
// 0.82 are SQLite, a quarter of that its interpreter's loop, the rest spread thin: in Go's WebAssembly every
// jump inside a function goes through one table of all its blocks. Binding and reading columns are 0.05,
// database/sql 0.06, of that a third asking the time when the connection goes back to its pool; the queue
// itself 0.04 and the garbage collection 0.02.
//
// What helped in memory: one call of the driver for a whole statement (package sqlite), where database/sql
// asks for names and types of columns each time and converts by reflection, 0.11; and SQLite's own memory, as
// the official one has it, where our pages went through a file system in memory before (memory.Kept), 0.12.
//
// On the device a cycle of ours and of the official one wait alike, about 0.7 ms in three flushes and 0.25 in
// writes (ours are a tenth as many, of the same bytes). What else they do takes both of them about three times as
// long as in memory, probably since a processor that has waited for a flush is cold: so the distance in memory
// decides here too, and the quicker the device flushes the more.
//
// What did not help: profile-guided optimisation, no bounds checks in our own code, a rarer garbage collection,
// synchronous=off and temp_store=memory in memory, smaller pages on the device. Without the trigger
// job_count_insert SQLite needs no table of its own for a new row: a gain for both sides.
func TestTheQueuesCycle(t *testing.T) {
	need(t)
	if os.Getenv("BENCH") == "" {
		t.Skip("measures only with BENCH=1: run make bench")
	}
	h := &host{t: t, addr: "127.0.0.1:0", base: "/"}
	h.startWith(http.FileServer(http.Dir(cycleFiles(t))))
	t.Cleanup(h.stop)
	tab := open(t, h)
	tab.load("")

	sides := []string{"official", "ours"}
	chance := rand.New(rand.NewPCG(3, 54))
	for _, home := range []struct {
		name  string
		bound float64
	}{{"memory", 6}, {"opfs", 1}} {
		const rounds = 61
		const length = 60.0 // ms of a round, the same for both: what else the machine does then meets both alike
		cycles := []int{200, 200}
		took := make([][]float64, len(sides))
		said := make([]string, len(sides))
		// A tab interprets a program first and compiles what is used: the first rounds do not count.
		for n := -60; n < rounds; n++ {
			for _, i := range chance.Perm(len(sides)) {
				r := eval[cycleRound](tab, fmt.Sprintf("round(%q, %q, %d)", sides[i], home.name, cycles[i]))
				said[i] = r.Said
				each := r.MS / float64(cycles[i])
				if n < 0 {
					cycles[i] = max(10, int(length/each))
				} else {
					took[i] = append(took[i], each)
				}
			}
		}
		for i, side := range sides {
			slices.Sort(took[i])
			t.Logf("%-6s %-8s %.3f ms a cycle (the quickest tenth of the rounds %.3f, the slowest %.3f); %s", home.name, side,
				took[i][rounds/2], took[i][rounds/10], took[i][rounds-1-rounds/10], said[i])
		}
		if said[0] != said[1] {
			t.Errorf("the settings differ:\n%s\n%s", said[0], said[1])
		}
		t.Logf("%-6s ours takes %.2f times as long as the official one (%.2f when the machine is quiet); wanted at most %.0f", home.name,
			took[1][rounds/2]/took[0][rounds/2], took[1][rounds/10]/took[0][rounds/10], home.bound)
	}
}

// A cycleRound is what a worker answers: how long a round took, and the database's settings.
type cycleRound struct {
	MS   float64 `json:"ms"`
	Said string  `json:"said"`
}

// cycleFiles lays what the page needs into one folder, with the queue's own statements for the peer.
func cycleFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	peer := filepath.Join("node_modules", "@sqlite.org", "sqlite-wasm", "dist")
	for from, to := range map[string]string{
		"cycle/index.html": "index.html", "cycle/page.js": "page.js", "cycle/ours.js": "ours.js", "cycle/official.mjs": "official.mjs",
		"../build/wasm_exec.js": "wasm_exec.js", "../build/cycle.wasm": "cycle.wasm",
		filepath.Join(peer, "index.mjs"):    "sqlite-wasm/index.mjs",
		filepath.Join(peer, "sqlite3.wasm"): "sqlite-wasm/sqlite3.wasm",
	} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), data, 0o644)
		}
		if err != nil {
			t.Fatalf("run make bench: %v", err)
		}
	}
	type statement struct {
		Text string   `json:"text"`
		Args []string `json:"args"`
	}
	parts := queue.ReferenceParts()
	all := struct {
		Schema     []string             `json:"schema"`
		Statements map[string]statement `json:"statements"`
	}{Schema: parts.Schema(), Statements: map[string]statement{}}
	for _, name := range strings.Fields("insert lease complete") {
		text, args, err := parts.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Statements[name] = statement{text, args}
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "queue.json"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
