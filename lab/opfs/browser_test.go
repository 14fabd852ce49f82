//go:build !js

package opfs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// The tests of this package that need a browser are the files named *_js_test.go. Here they are
// compiled to js/wasm and run in a dedicated worker of Chromium, each life of the program in a worker
// of its own.

// A life is one run of the test program: "run" is go test's -run.
type life struct {
	Code  int      `json:"code"` // the exit code; -1 when it was killed
	Lines []string `json:"lines"`
}

const killed = -1

type tab struct {
	t   testing.TB
	ctx context.Context
	url string
}

func openTab(t testing.TB) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser")
	}
	chromium := findChromium(t)
	site := buildSite(t)
	srv := httptest.NewServer(http.FileServer(http.Dir(site)))
	t.Cleanup(srv.Close)

	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.Headless, chromedp.NoFirstRun, chromedp.DisableGPU,
	}
	if _, measures := t.(*testing.B); !measures {
		// Each life would have V8's second compiler work on SQLite's giant functions for seconds (see e2e/main_test.go).
		options = append(options, chromedp.Flag("js-flags", "--liftoff-only"))
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate(srv.URL)); err != nil {
		t.Fatal(err)
	}
	return &tab{t: t, ctx: ctx, url: srv.URL}
}

func findChromium(t testing.TB) string {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium found: apt-get install chromium")
	return ""
}

// buildSite compiles this package's js/wasm tests, with the flags of the engine, and lays them beside the
// page that runs them.
func buildSite(t testing.TB) string {
	dir := t.TempDir()
	build := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-gcflags=github.com/ncruces/go-sqlite3-wasm/v6=-B", "-o", filepath.Join(dir, "opfs.test.wasm"), ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compiling the tests: %v\n%s", err, out)
	}
	// go test remembers a result until a file that the test has opened changes: open what was compiled.
	list := exec.Command("go", "list", "-deps", "-test", "-f", `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}
{{end}}{{end}}{{end}}`, ".")
	list.Env = build.Env
	files, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range strings.Fields(string(files)) {
		if f, err := os.Open(file); err == nil { // one made for the build is not there any more
			f.Close()
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"): "wasm_exec.js",
		"testdata/index.html": "index.html", "testdata/page.js": "page.js", "testdata/worker.js": "worker.js",
	} {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func eval[T any](tab *tab, format string, args ...any) T {
	tab.t.Helper()
	v, err := chromedp.Run(tab.ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
	return v
}

// begin starts a life. env are pairs of name and value.
func (tab *tab) begin(name, run string, env ...string) {
	tab.t.Helper()
	pairs := []string{}
	for i := 0; i < len(env); i += 2 {
		pairs = append(pairs, fmt.Sprintf("%q: %q", env[i], env[i+1]))
	}
	eval[bool](tab, `begin(%q, ["-test.v", "-test.run", %q], {%s}).then(() => true)`, name, run, strings.Join(pairs, ", "))
}

// await waits for the life's end.
func (tab *tab) await(name string) life {
	tab.t.Helper()
	return eval[life](tab, `lives[%q].ended`, name)
}

// seen waits until the life has printed a line.
func (tab *tab) seen(name, line string) {
	tab.t.Helper()
	eval[bool](tab, `Promise.race([lives[%q].seen(%q), lives[%q].ended.then(() => { throw new Error(lives[%q].lines.join("\n")) })])`, name, line, name, name)
}

func (tab *tab) kill(name string) {
	tab.t.Helper()
	eval[bool](tab, `lives[%q].end(-1), true`, name)
}

func (tab *tab) run(run string, env ...string) life {
	tab.t.Helper()
	tab.begin("only", run, env...)
	return tab.await("only")
}

var outcome = regexp.MustCompile(`^(\s*)--- (PASS|FAIL|SKIP): (\S+)`)

// report makes a subtest of each test of a life, with its output when it failed.
func report(t *testing.T, l life) {
	t.Helper()
	passed := 0
	from := 0
	for i, line := range l.Lines {
		m := outcome.FindStringSubmatch(line)
		if m == nil || m[1] != "" {
			continue
		}
		t.Run(m[3], func(t *testing.T) {
			if m[2] == "FAIL" {
				t.Error(strings.Join(l.Lines[from:], "\n"))
			}
			passed++
		})
		from = i + 1
	}
	if l.Code != 0 || passed == 0 {
		t.Errorf("the program ended with %d after %d tests:\n%s", l.Code, passed, strings.Join(l.Lines, "\n"))
	}
}

func TestInABrowser(t *testing.T) {
	tab := openTab(t)

	for _, gather := range []string{"false", "true"} {
		t.Run("OneLife,Gather="+gather, func(t *testing.T) { report(t, tab.run("^TestTab", "GATHER", gather)) })
	}

	t.Run("KilledAtAnOperation", func(t *testing.T) {
		// Both kinds of journal, at every kind of operation: opening, writing (a torn write too), flushing,
		// deleting the journal, checkpointing.
		random := rand.New(rand.NewPCG(2, 71))
		for _, mode := range []string{"wal", "delete"} {
			for i := range 12 {
				at := 1 + random.IntN(60)
				if i > 8 {
					at = 60 + random.IntN(600) // far enough to meet checkpoints
				}
				name := fmt.Sprintf("%s-at-%d", mode, at)
				tab.begin(name, "^TestLife$", "MODE", mode, "AT", fmt.Sprint(at), "TORN", fmt.Sprint(i%2 == 1), "GATHER", fmt.Sprint(i%4 > 1))
				if l := tab.await(name); l.Code != killed {
					t.Fatalf("%s: %d\n%s", name, l.Code, strings.Join(l.Lines, "\n"))
				} else {
					checkAfter(t, tab, name, mode, l, false)
				}
			}
		}
	})

	t.Run("KilledFromOutside", func(t *testing.T) {
		for _, mode := range []string{"wal", "delete"} {
			for i := range 4 {
				name := fmt.Sprintf("%s-outside-%d", mode, i)
				tab.begin(name, "^TestLife$", "MODE", mode, "GATHER", fmt.Sprint(i%2 == 0))
				tab.seen(name, fmt.Sprintf("ACK %d", 3+7*i))
				tab.kill(name)
				checkAfter(t, tab, name, mode, tab.await(name), true)
			}
		}
	})

	t.Run("OneOwner", func(t *testing.T) {
		tab.begin("first", "^TestOwner$")
		tab.seen("first", "OWNER")
		tab.begin("second", "^TestOwner$")
		tab.seen("second", "ELSEWHERE")
		eval[bool](tab, `if (lives.second.lines.includes("OWNER")) throw new Error("two owners"); true`)
		tab.kill("first")
		tab.seen("second", "OWNER")
		tab.kill("second")
	})

	t.Run("FullDisk", func(t *testing.T) {
		_, err := chromedp.Call(tab.ctx, storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: tab.url, QuotaSize: quota(3 << 20)})
		if err != nil {
			t.Fatal(err)
		}
		for _, gather := range []string{"false", "true"} {
			report(t, tab.run("^TestFullDisk$", "GATHER", gather))
		}
	})
}

func quota(bytes float64) *float64 { return &bytes }

// checkAfter opens the database that a killed life left, in another life, and checks that everything
// acknowledged is there, nothing half done is, and the file is sound.
func checkAfter(t *testing.T, tab *tab, name, mode string, l life, outside bool) {
	t.Helper()
	acknowledged := 0
	for _, line := range l.Lines {
		fmt.Sscanf(line, "ACK %d", &acknowledged)
	}
	env := []string{"MODE", mode, "ACKNOWLEDGED", fmt.Sprint(acknowledged)}
	if outside {
		env = append(env, "UNHEARD", "true")
	}
	after := tab.run("^TestAfterlife$", env...)
	if after.Code != 0 {
		t.Errorf("%s, %d acknowledged:\n%s", name, acknowledged, strings.Join(after.Lines, "\n"))
	}
}

// BenchmarkInABrowser tells how long a job takes from its acceptance to done: three durable statements.
func BenchmarkInABrowser(b *testing.B) {
	tab := openTab(b)
	l := tab.run("^TestCycle$", "CYCLES", "true")
	if l.Code != 0 {
		b.Fatal(strings.Join(l.Lines, "\n"))
	}
	for _, line := range l.Lines {
		var home string
		var ns float64
		if n, _ := fmt.Sscanf(line, "CYCLE %s %f", &home, &ns); n == 2 {
			b.ReportMetric(ns/1e6, home+"-ms/cycle") // the last counts
		}
	}
	b.ReportMetric(0, "ns/op")
}
