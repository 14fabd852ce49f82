package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"retrylab/lab/check"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

const builtWorker = "../build/worker"

// A workerd is the built Worker, running.
type workerd struct {
	url  string
	stop func() // ends it; the end of the test does so, too
}

// startWorkerd runs the Worker on workerd with D1 databases: BINDING=DATABASE, and persist=FOLDER to
// keep them. The program ends when its standard input does, also when this process is killed.
func startWorkerd(t *testing.T, databases ...string) *workerd {
	t.Helper()
	need(t)
	cmd := exec.Command("node", append([]string{"worker.mjs", builtWorker}, databases...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting node: %v", err)
	}
	stop := sync.OnceFunc(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("workerd: %v\n%s", err, &log)
		}
	})
	t.Cleanup(stop)
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		t.Fatalf("workerd did not start: %v\n%s", err, &log)
	}
	return &workerd{strings.TrimSpace(url), stop}
}

// workerClient opens a connection for each request: workerd ends one that is idle for about 5 s, on a
// busy machine also sooner, and a POST that meets that end is not sent again.
var workerClient = http.Client{Timeout: 3 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}

// post sends a scenario file to be played; query is such as "?subject=NAME".
func (w *workerd) post(query, file string) (status int, answer string, err error) {
	r, err := workerClient.Post(w.url+"api/play"+query, "application/yaml", strings.NewReader(file))
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r.StatusCode, string(body), err
}

// play plays a scenario file and returns a line for each scenario.
func (w *workerd) play(query, file string) ([]string, error) {
	status, answer, err := w.post(query, file)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, answer)
	}
	return strings.Split(strings.TrimSuffix(answer, "\n"), "\n"), err
}

// holds plays a scenario file, all of which must hold.
func (w *workerd) holds(t *testing.T, query, name, file string) {
	t.Helper()
	scenarios, err := scenario.Parse(name, []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := w.play(query, file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(lines) != len(scenarios) {
		t.Errorf("%s: %d lines for %d scenarios", name, len(lines), len(scenarios))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "ok ") {
			t.Errorf("%s: %s", name, line)
		}
	}
}

func TestTheQueueOnD1(t *testing.T) {
	need(t)
	t.Parallel()
	w := startWorkerd(t, "DB=live", "LAB=lab")

	t.Run("every case holds", func(t *testing.T) {
		files, _ := filepath.Glob("../lab/scenario/testdata/cases/*.yaml")
		if len(files) == 0 {
			t.Fatal("no case files")
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w.holds(t, "", filepath.Base(file), string(data))
		}
	})
	t.Run("every check of the lab holds", func(t *testing.T) {
		for part := 1; part <= check.Parts; part++ {
			var sources []string
			for _, c := range check.All() {
				if c.Part == part {
					sources = append(sources, c.Source)
				}
			}
			w.holds(t, "", fmt.Sprint("part ", part), strings.Join(sources, "---\n"))
		}
	})
	// What says that the two before can fail.
	t.Run("every mutant fails the check that names it", func(t *testing.T) {
		sources := map[string]string{}
		for _, c := range check.All() {
			sources[c.Name()] = c.Source
		}
		for _, m := range mutant.All() {
			lines, err := w.play("?subject="+m.Name, sources[m.NamedBy])
			if err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "not ok "+m.NamedBy+": step ") {
				t.Errorf("%s: %q, %v", m.Name, lines, err)
			}
		}
	})
	t.Run("the largest payload and id come back whole", func(t *testing.T) {
		id, payload := strings.Repeat("🍕", 200), strings.Repeat("é", 65_536/2)
		w.holds(t, "", "large", fmt.Sprintf("name: large\nsteps:\n"+
			"- {enqueue: {id: %[1]s, payload: %[2]s, max_attempts: 1, deadline: 9}, expect: {result: created}}\n"+
			"- {enqueue: {id: %[1]s, payload: %[2]s, max_attempts: 1, deadline: 9}, expect: {result: existing}}\n"+
			"- {job: %[1]s, expect: {id: %[1]s, payload: %[2]s}}\n", id, payload))
	})
	t.Run("requests at once claim each job once", func(t *testing.T) {
		const jobs, requests = 3, 12
		file := "name: jobs\nsteps:\n"
		for i := range jobs {
			file += fmt.Sprintf("- {enqueue: {id: job %d, max_attempts: 2, deadline: 1000}, expect: {result: created}}\n", i)
		}
		w.holds(t, "", "jobs", file)
		answers := make(chan string, requests)
		for range requests {
			go func() {
				lines, err := w.play("?database=kept", "name: one\nsteps: [{at: 1, claim: A, expect: {result: claimed}}]")
				if err != nil {
					lines = []string{err.Error()}
				}
				answers <- lines[0]
			}()
		}
		claimed := 0
		for range requests {
			switch line := <-answers; line {
			case "ok one":
				claimed++
			case "not ok one: step 1: result: wanted claimed, got none":
			default:
				t.Error(line)
			}
		}
		if claimed != jobs {
			t.Errorf("%d claims of %d jobs", claimed, jobs)
		}
		file = "name: after\nsteps:\n- {at: 2, stats: true, expect: {leased: 3, pending: 0, retries: 0}}\n"
		for i := range jobs {
			file += fmt.Sprintf("- {job: job %d, expect: {state: leased, attempts: 1}}\n", i)
		}
		w.holds(t, "?database=kept", "after", file)
	})
	t.Run("what cannot be played is refused", func(t *testing.T) {
		for _, test := range []struct {
			query, file string
			status      int
			says        string
		}{
			{"", "name: a\nsteps: [{claim: 1}]", 400, "scenario.yaml:2:17:"},
			{"", "name: a\nsteps: [{enqueue: {id: a, max_attempts: 1, deadline: 9}}, {run: {takes: -1}}]", 400, "step 2: takes -1"},
			{"", "", 400, "no scenario"},
			{"", strings.Repeat("#", 1<<20+1), 413, "at most 1048576 bytes"},
			{"?subject=nobody", "name: a\nsteps: [{stats: true}]", 400, "no subject"},
			{"?database=live", "name: a\nsteps: [{stats: true}]", 400, "expected fresh or kept"},
		} {
			if status, answer, err := w.post(test.query, test.file); status != test.status || !strings.Contains(answer, test.says) {
				t.Errorf("%s %.60q: status %d, %s, %v", test.query, test.file, status, answer, err)
			}
		}
	})
}

func TestJobsOnD1OutliveTheProcess(t *testing.T) {
	need(t)
	t.Parallel()
	persist := "persist=" + t.TempDir()
	w := startWorkerd(t, "LAB=lab", persist)
	w.holds(t, "", "before", "name: before\nsteps:\n"+
		"- {enqueue: {id: a, max_attempts: 2, deadline: 99999}, expect: {result: created}}\n"+
		"- {claim: A, expect: {result: claimed}}")
	w.stop()
	w = startWorkerd(t, "LAB=lab", persist)
	w.holds(t, "?database=kept", "after", "name: after\nsteps:\n"+
		"- {at: 1, claim: B, expect: {result: none}}\n"+
		"- {at: 30000, claim: B, expect: {result: claimed, id: a, attempts: 2}}\n"+
		"- {enqueue: {id: a, max_attempts: 9, deadline: 99999}, expect: {result: existing, state: leased}}")
	w.stop()
}

func TestAWorkerWithoutTheLabsDatabasePlaysNothing(t *testing.T) {
	need(t)
	t.Parallel()
	w := startWorkerd(t, "DB=live")
	if status, answer, err := w.post("", "name: a\nsteps: [{stats: true}]"); status != http.StatusNotFound {
		t.Errorf("status %d: %s, %v", status, answer, err)
	}
	r, err := workerClient.Get(w.url + "api/health")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if body, err := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || string(body) != "ok\n" || err != nil {
		t.Errorf("health: status %d, %q, %v", r.StatusCode, body, err)
	}
}

func TestTheWorkerIsSmallAndHoldsNoSQLite(t *testing.T) {
	need(t)
	t.Parallel()
	program, err := os.ReadFile(filepath.Join(builtWorker, "app.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(program)
	z.Close()
	t.Logf("the Worker: %.2f MB, gzip %.2f MB", float64(len(program))/1e6, float64(packed.Len())/1e6)
	if packed.Len() > 3_000_000 {
		t.Errorf("the Worker has %d bytes with gzip; the host takes 3 MB", packed.Len())
	}
	list := exec.Command("go", "list", "-deps", "../cmd/server")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	deps, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(deps)) {
		if strings.Contains(dep, "sqlite") || strings.Contains(dep, "go-app") {
			t.Errorf("the Worker holds %s", dep)
		}
	}
}
