package queue_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"retrylab/lab/file"
	"retrylab/lab/queue"
)

// A child is this test's program once more, in another process: it does what its name says, and its
// output is lines.
var children = map[string]func(q *queue.Queue, say func(format string, args ...any)) error{}

func TestMain(m *testing.M) {
	if plain {
		queue.WithoutCalls()
	}
	name := os.Getenv("QUEUE_TEST_CHILD")
	if name == "" {
		os.Exit(m.Run())
	}
	if err := child(name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// plain makes the queues of this process and of its children do without calls ([queue.Call]).
var plain = os.Getenv("QUEUE_TEST_PLAIN") != ""

// TestTheWholeSuiteWithoutCalls runs all tests of this package once more, in another process, on database/sql
// as it is.
func TestTheWholeSuiteWithoutCalls(t *testing.T) {
	if plain {
		t.Skip("this is it")
	}
	if soaking {
		t.Skip("an hour more: set QUEUE_TEST_PLAIN=1 for it")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	suite := exec.Command(program, "-test.timeout=60m")
	suite.Env = append(os.Environ(), "QUEUE_TEST_PLAIN=1")
	if out, err := suite.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func child(name string) error {
	db, q, err := openFile(os.Getenv("QUEUE_TEST_FILE"))
	if err != nil {
		return err
	}
	defer db.Close()
	defer q.Close()
	return children[name](q, func(format string, args ...any) { fmt.Printf(format+"\n", args...) })
}

func openFile(path string) (*sql.DB, *queue.Queue, error) {
	db, err := file.Open(path)
	if err != nil {
		return nil, nil, err
	}
	q, err := queue.Open(context.Background(), db, queue.Options{Gather: os.Getenv("QUEUE_TEST_GATHER") != ""})
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, q, nil
}

// start starts a child on a file. Its input is closed when it is to end.
func start(t *testing.T, name, path string) (lines *bufio.Scanner, input io.Closer, process *exec.Cmd) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process = exec.Command(program)
	process.Env = append(os.Environ(), "QUEUE_TEST_CHILD="+name, "QUEUE_TEST_FILE="+path)
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out), in, process
}

// drain runs until nothing is due and says what was sent.
func drain(q *queue.Queue, say func(format string, args ...any)) error {
	for {
		run, err := q.RunOnce(context.Background(), func() int64 { return 1000 }, policy, func(_ context.Context, c queue.Claim) error {
			say("sent %s", c.ID)
			return nil
		})
		if err != nil {
			return err
		}
		if !run.Claimed {
			return nil
		}
	}
}

func init() { children["drain"] = drain }

func TestProcessesShareOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	db, q, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer q.Close()
	jobs := int(rounds(60, 2000))
	for i := range jobs {
		if _, err := q.Enqueue(t.Context(), 0, queue.NewJob{ID: strconv.Itoa(i), MaxAttempts: 1, Deadline: late}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	by := map[string]int{} // worker: sends
	sent := map[string]int{}
	note := func(worker, line string) {
		mu.Lock()
		defer mu.Unlock()
		by[worker]++
		sent[strings.TrimPrefix(line, "sent ")]++
	}
	var all sync.WaitGroup
	for i := range 2 {
		lines, _, process := start(t, "drain", path)
		all.Go(func() {
			for lines.Scan() {
				note(fmt.Sprint("child ", i), lines.Text())
			}
			if err := process.Wait(); err != nil {
				t.Errorf("child %d: %v", i, err)
			}
		})
	}
	all.Go(func() {
		if err := drain(q, func(format string, args ...any) { note("parent", fmt.Sprintf(format, args...)) }); err != nil {
			t.Errorf("parent: %v", err)
		}
	})
	all.Wait()
	for i := range jobs {
		if n := sent[strconv.Itoa(i)]; n != 1 {
			t.Errorf("job %d was sent %d times", i, n)
		}
	}
	if s, err := q.Stats(t.Context(), 2000); err != nil || s.Done != int64(jobs) || s.Retries != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	t.Log(by)
}
