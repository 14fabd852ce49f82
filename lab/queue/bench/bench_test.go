// Package bench measures the queue beside goqite, on the same file system, with the same SQLite and the
// same durability, in turn in one run. It is a package of its own so that nobody who imports the queue
// sees its peer.
//
//	go test -count=1 -run TestRatios -v ./lab/queue/bench -ratios
package bench

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // database/sql's "sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
	"maragu.dev/goqite"

	"retrylab/lab/fault"
	"retrylab/lab/file"
	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

var ratios = flag.Bool("ratios", false, "measure, and print the ratios to goqite and to the machine's flushes")

// A subject does cycles: a job is accepted, claimed and completed, each reported as done.
type subject struct {
	name    string
	cycle   func(id string) error
	flushes atomic.Int64 // to the device
}

// open opens a database whose flushes are counted, on files of the operating system as they are, or as
// lab/file has them with its settings.
func (s *subject) open(tb testing.TB, open func(dsn string) (*sql.DB, error), synchronous string, home func(vfs.VFS) vfs.VFS, settings string) *sql.DB {
	name := "bench-" + strconv.FormatInt(opened.Add(1), 10)
	vfs.Register(name, home(fault.Wrap(vfs.Find("os"), func(op fault.Op, _ func()) error {
		if op.Kind == fault.Sync {
			s.flushes.Add(1)
		}
		return nil
	})))
	db, err := open("file:" + filepath.Join(tb.TempDir(), "bench.db") + "?vfs=" + name + settings +
		"&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(" + synchronous + ")&_txlock=immediate")
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(1) // as goqite's documentation has it
	tb.Cleanup(func() {
		db.Close()
		vfs.Unregister(name)
	})
	return db
}

var opened atomic.Int64

func plain(dsn string) (*sql.DB, error) { return sql.Open("sqlite3", dsn) }

const order = "two boxes for 12 Main Street"

func ours(tb testing.TB, name, synchronous string, options queue.Options) *subject {
	s := &subject{name: name}
	ctx := context.Background()
	q, err := queue.Open(ctx, s.open(tb, sqlite.Open, synchronous, file.GatherLog, "&_pragma=page_size(2048)&_pragma=wal_autocheckpoint(2000)"), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { q.Close() })
	now := func() int64 { return time.Now().UnixMilli() }
	s.cycle = func(id string) error {
		if _, err := q.Enqueue(ctx, now(), queue.NewJob{ID: id, Payload: order, MaxAttempts: 3, Deadline: now() + 3_600_000}); err != nil {
			return err
		}
		for { // another worker may be one millisecond ahead and have taken this one's job
			claim, ok, err := q.Claim(ctx, now(), 60_000)
			if err != nil {
				return err
			}
			if ok {
				return q.Complete(ctx, now(), claim.Token)
			}
		}
	}
	return s
}

func peer(tb testing.TB, synchronous string) *subject {
	s := &subject{name: "goqite v0.4.0"}
	ctx := context.Background()
	db := s.open(tb, plain, synchronous, func(v vfs.VFS) vfs.VFS { return v }, "")
	if _, err := db.Exec(goqiteSchema(tb)); err != nil {
		tb.Fatal(err)
	}
	q := goqite.New(goqite.NewOpts{DB: db, Name: "bench", Timeout: time.Minute})
	s.cycle = func(string) error {
		if err := q.Send(ctx, goqite.Message{Body: []byte(order)}); err != nil {
			return err
		}
		m, err := q.Receive(ctx)
		if err != nil || m == nil {
			return errors.Join(errors.New("nothing to receive"), err)
		}
		return q.Delete(ctx, m.ID)
	}
	return s
}

// device is the machine: three writes of a few pages, each flushed.
func device(tb testing.TB) *subject {
	f, err := os.Create(filepath.Join(tb.TempDir(), "device"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	const size = 4 << 20 // what a log has before it is started anew
	if _, err := f.Write(make([]byte, size)); err != nil {
		tb.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		tb.Fatal(err)
	}
	s := &subject{name: "fdatasync"}
	pages := make([]byte, 4*4096)
	var mu sync.Mutex
	at := int64(0)
	s.cycle = func(string) error {
		mu.Lock()
		defer mu.Unlock()
		for range 3 {
			if _, err := f.WriteAt(pages, at); err != nil {
				return err
			}
			if at += int64(len(pages)); at == size {
				at = 0
			}
			s.flushes.Add(1)
			if err := syscall.Fdatasync(int(f.Fd())); err != nil {
				return err
			}
		}
		return nil
	}
	return s
}

// round does cycles with a number of workers, and says how long it took.
func (s *subject) round(workers, cycles int, prefix string) (time.Duration, error) {
	var all sync.WaitGroup
	failed := make(chan error, workers)
	var next atomic.Int64
	began := time.Now()
	for range workers {
		all.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(cycles) {
					return
				}
				if err := s.cycle(prefix + strconv.FormatInt(i, 10)); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	select {
	case err := <-failed:
		return took, fmt.Errorf("%s: %w", s.name, err)
	default:
		return took, nil
	}
}

// subjects are measured in turn; the first is the peer.
func subjects(tb testing.TB, synchronous string) []*subject {
	return []*subject{
		peer(tb, synchronous),
		ours(tb, "queue", synchronous, queue.Options{}),
		ours(tb, "queue, gathered", synchronous, queue.Options{Gather: true}),
		device(tb),
	}
}

func TestEverySubjectDoesItsCycles(t *testing.T) {
	for _, s := range subjects(t, "full") {
		if _, err := s.round(3, 9, "job "); err != nil {
			t.Error(err)
		}
		if n := s.flushes.Load(); n == 0 {
			t.Errorf("%s: no flush was counted", s.name)
		}
	}
}

func TestRatios(t *testing.T) {
	if !*ratios {
		t.Skip("measures only with -ratios")
	}
	chance := rand.New(rand.NewPCG(1, 8))
	for _, synchronous := range []string{"full", "normal"} {
		for _, workers := range []int{1, 8} {
			list := subjects(t, synchronous)
			const rounds = 31
			each := 20 * (1 + workers) // so that each worker has its run
			took := make([][]time.Duration, len(list))
			for round := -4; round < rounds; round++ { // the first ones fill the logs
				for _, i := range chance.Perm(len(list)) { // no one always follows the same other
					runtime.GC()
					d, err := list[i].round(workers, each, fmt.Sprint(round, "-"))
					if err != nil {
						t.Fatal(err)
					}
					if round == -1 {
						list[i].flushes.Store(0)
					}
					if round >= 0 {
						took[i] = append(took[i], d)
					}
				}
			}
			t.Logf("synchronous=%s, %d workers, a cycle is enqueue + claim + complete:", synchronous, workers)
			machine := len(list) - 1
			for i, s := range list {
				cycle := us(median(took[i])) / float64(each)
				line := fmt.Sprintf("%-16s %7.0f us a cycle, %5.2f flushes, a caller waits %5.0f us", s.name, cycle, float64(s.flushes.Load())/float64(rounds*each), cycle*float64(workers)/3)
				if i > 0 {
					line += fmt.Sprintf(", %5.2f times goqite (%5.2f when the machine is quiet)", ratio(took[0], took[i]), quiet(took[0], took[i]))
				}
				if i != machine {
					line += fmt.Sprintf(", %5.2f of one fdatasync a transition", ratio(took[machine], took[i]))
				}
				t.Log(line)
			}
		}
	}
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

// quiet is how many times faster b is than a in their quickest rounds: what else the machine does makes
// flushes slow, and then all are alike.
func quiet(a, b []time.Duration) float64 {
	tenth := func(d []time.Duration) float64 {
		d = slices.Clone(d)
		slices.Sort(d)
		return float64(d[len(d)/10])
	}
	return tenth(a) / tenth(b)
}

// ratio is how many times faster b is than a: the median of the rounds' ratios, since what else the
// machine does changes from round to round.
func ratio(a, b []time.Duration) float64 {
	all := make([]float64, len(a))
	for i := range a {
		all[i] = float64(a[i]) / float64(b[i])
	}
	slices.Sort(all)
	return all[len(all)/2]
}
