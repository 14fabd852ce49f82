package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"retrylab/lab/fault"
	"retrylab/lab/file"
	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

// A crowd is a queue that gathers, on a disk in memory whose flushes are seen.
type crowd struct {
	*testing.T
	disk fault.Disk
	hook fault.Hook // may be nil
	db   *sql.DB
	q    *queue.Queue
	held int
}

func newCrowd(t *testing.T) *crowd {
	c := &crowd{T: t}
	name := register(t, file.GatherLog(fault.Wrap(&c.disk, func(op fault.Op, part func()) error {
		if c.hook != nil {
			return c.hook(op, part)
		}
		return nil
	})))
	var err error
	c.db, err = sqlite.Open(fmt.Sprintf(fmt.Sprintf(diskDSN, "wal", "full"), name) + "&_pragma=busy_timeout(0)&_pragma=wal_autocheckpoint(1000)")
	if err != nil {
		t.Fatal(err)
	}
	c.db.SetMaxOpenConns(1)
	if c.q, err = queue.Open(t.Context(), c.db, queue.Options{Gather: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.q.Close()
		c.db.Close()
	})
	return c
}

// hold makes who leads wait for the connection, until release.
func (c *crowd) hold() (release func()) {
	c.Helper()
	conn, err := c.db.Conn(c.Context()) // the only one
	if err != nil {
		c.Fatal(err)
	}
	var first sync.WaitGroup
	waited := c.db.Stats().WaitCount
	c.held++
	first.Go(func() {
		if err := c.enqueue(fmt.Sprint("held ", c.held)); err != nil {
			c.Error(err)
		}
	})
	for c.db.Stats().WaitCount == waited {
		runtime.Gosched()
	}
	return func() {
		conn.Close()
		first.Wait()
	}
}

// wait returns when n operations wait.
func (c *crowd) wait(n int) {
	for c.q.Waiting() != n {
		runtime.Gosched()
	}
}

// together does things at once: they wait until all of them are there.
func (c *crowd) together(things ...func()) {
	c.Helper()
	release := c.hold()
	var all sync.WaitGroup
	for _, do := range things {
		all.Go(do)
	}
	c.wait(len(things))
	release()
	all.Wait()
}

func (c *crowd) enqueue(id string) error {
	_, err := c.q.Enqueue(c.Context(), 0, queue.NewJob{ID: id, MaxAttempts: 3, Deadline: late})
	return err
}

// enqueues accepts n jobs, and keeps the errors by id.
func (c *crowd) enqueues(n int, errs *sync.Map) (things []func()) {
	for i := range n {
		things = append(things, func() { errs.Store(fmt.Sprint(i), c.enqueue(fmt.Sprint(i))) })
	}
	return things
}

func TestOneFlushServesAllThatWait(t *testing.T) {
	c := newCrowd(t)
	var flushes, told atomic.Int64
	c.hook = func(op fault.Op, _ func()) error {
		if op.Kind == fault.Sync {
			flushes.Add(1)
			if n := told.Load(); n != 0 {
				t.Errorf("%d callers have heard of it before the flush", n)
			}
		}
		return nil
	}
	var things []func()
	for i := range 20 {
		things = append(things, func() {
			if err := c.enqueue(fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
			told.Add(1)
		})
	}
	c.together(things...)
	c.hook = nil
	if n := flushes.Load(); n != 2 {
		t.Errorf("%d flushes for the first and twenty others, want 2", n)
	}
	jobs, err := c.q.Jobs(t.Context(), 100)
	if err != nil || len(jobs) != 21 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

func TestAClaimIsFlushedBeforeItsSendAlsoWhenGathered(t *testing.T) {
	c := newCrowd(t)
	for i := range 8 {
		if err := c.enqueue(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	unflushed := atomic.Bool{}
	c.hook = func(op fault.Op, _ func()) error {
		switch {
		case op.Kind == fault.Write && strings.HasSuffix(op.File, "-wal"):
			unflushed.Store(true)
		case op.Kind == fault.Sync:
			unflushed.Store(false)
		}
		return nil
	}
	var sends atomic.Int64
	var all sync.WaitGroup
	hold := make(chan struct{})
	for range 8 {
		all.Go(func() {
			_, err := c.q.RunOnce(t.Context(), clock(1), policy, func(context.Context, queue.Claim) error {
				if unflushed.Load() {
					t.Error("sent before the flush")
				}
				if sends.Add(1) == 8 {
					close(hold)
				}
				<-hold
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if s, err := c.q.Stats(t.Context(), 1); err != nil || s.Done != 8 {
		t.Errorf("%+v, %v", s, err)
	}
}

// What fails fails alone, whether the database undoes the one statement or the whole transaction.
func TestAFailureTouchesNobodyElse(t *testing.T) {
	for _, how := range []string{"ABORT", "ROLLBACK", "FAIL"} {
		c := newCrowd(t)
		if _, err := c.db.Exec(`CREATE TRIGGER bad BEFORE INSERT ON job WHEN new.id IN ('3', '7') BEGIN SELECT RAISE(` + how + `, 'not this one'); END`); err != nil {
			t.Fatal(err)
		}
		var errs sync.Map
		c.together(c.enqueues(10, &errs)...)
		errs.Range(func(id, err any) bool {
			bad := id == "3" || id == "7"
			if bad != (err != nil) || bad && !strings.Contains(err.(error).Error(), "not this one") {
				t.Errorf("%s: job %s: %v", how, id, err)
			}
			return true
		})
		if jobs, err := c.q.Jobs(t.Context(), 100); err != nil || len(jobs) != 9 {
			t.Errorf("%s: %d jobs, %v", how, len(jobs), err)
		}
	}
}

func TestAFailedCommitIsDoneAgainAlone(t *testing.T) {
	for _, kind := range []string{fault.Write, fault.Sync} {
		for failures, want := range map[int]int{1: 10, 1000: 0} {
			c := newCrowd(t)
			left, first := failures, true
			c.hook = func(op fault.Op, _ func()) error {
				if op.Kind != kind || !strings.HasSuffix(op.File, "-wal") {
					return nil
				}
				if first { // the one before the crowd
					first = false
					return nil
				}
				if left--; left >= 0 {
					return sqlite3.IOERR_WRITE
				}
				return nil
			}
			var errs sync.Map
			c.together(c.enqueues(10, &errs)...)
			c.hook = nil
			jobs, err := c.q.Jobs(t.Context(), 100)
			if err != nil || len(jobs) != want+1 {
				t.Errorf("%s fails %d times: %d jobs, %v, want %d", kind, failures, len(jobs), err, want+1)
			}
			errs.Range(func(id, err any) bool {
				if (err != nil) != (want == 0) || err != nil && !errors.Is(err.(error), sqlite3.IOERR) {
					t.Errorf("%s fails %d times: job %s: %v", kind, failures, id, err)
				}
				return true
			})
		}
	}
}

func TestALockedDatabaseIsToldToAllThatWait(t *testing.T) {
	gathered = true
	defer func() { gathered = false }()
	w := newWorld(t, nil)
	other, _ := w.process()
	lock, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := lock.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			_, err := w.q.Enqueue(t.Context(), 0, queue.NewJob{ID: fmt.Sprint(i), MaxAttempts: 3, Deadline: late})
			if !errors.Is(err, sqlite3.BUSY) {
				t.Errorf("job %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if jobs, err := w.q.Jobs(t.Context(), 100); err != nil || len(jobs) != 0 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

func TestWhoseContextEndsWhileItWaitsIsNotDone(t *testing.T) {
	c := newCrowd(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	release := c.hold()
	var errs sync.Map
	var all sync.WaitGroup
	all.Go(func() {
		_, err := c.q.Enqueue(ctx, 0, queue.NewJob{ID: "left", MaxAttempts: 3, Deadline: late})
		if !errors.Is(err, why) {
			t.Errorf("who leaves gets %v", err)
		}
	})
	c.wait(1)
	for _, do := range c.enqueues(5, &errs) {
		all.Go(do)
	}
	c.wait(6)
	cancel(why)
	c.wait(5)
	release()
	all.Wait()
	jobs, err := c.q.Jobs(t.Context(), 100)
	if err != nil || len(jobs) != 6 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	errs.Range(func(id, err any) bool {
		if err != nil {
			t.Errorf("job %s: %v", id, err)
		}
		return true
	})
	if _, err := c.q.Enqueue(ctx, 0, queue.NewJob{ID: "later", MaxAttempts: 3, Deadline: late}); err == nil {
		t.Error("an ended context is accepted")
	}
}

// Who is to lead next may leave at that moment: then the lead is not lost.
func TestTheLeadIsNeverLost(t *testing.T) {
	c := newCrowd(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // who leaves does not run before it is told to lead
	for i := range int(rounds(20, 1000)) {
		ctx, cancel := context.WithCancel(t.Context())
		c.hook = func(op fault.Op, _ func()) error {
			if op.Kind == fault.Sync { // of the first one's commit
				cancel()
			}
			return nil
		}
		release := c.hold()
		var all sync.WaitGroup
		all.Go(func() { c.q.Enqueue(ctx, 0, queue.NewJob{ID: fmt.Sprint("next ", i), MaxAttempts: 3, Deadline: late}) })
		c.wait(1)
		all.Go(func() {
			if err := c.enqueue(fmt.Sprint("last ", i)); err != nil {
				t.Error(err)
			}
		})
		c.wait(2)
		release()
		all.Wait()
	}
}

// Many goroutines come and go, some leave while they wait; each hears of its own operation, and the
// rest goes on.
func TestACrowdEndsInOrder(t *testing.T) {
	c := newCrowd(t)
	var accepted, left atomic.Int64
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := range int(rounds(40, 2000)) {
				ctx, cancel := context.WithCancel(t.Context())
				if (worker+i)%3 == 0 {
					go cancel()
				}
				got, err := c.q.Enqueue(ctx, 0, queue.NewJob{ID: fmt.Sprint(worker, "-", i), MaxAttempts: 3, Deadline: late})
				cancel()
				switch {
				case err == nil && got.Verdict == queue.Created:
					accepted.Add(1)
				case errors.Is(err, context.Canceled):
					left.Add(1)
				default:
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	s, err := c.q.Stats(t.Context(), 0)
	if err != nil || s.Pending < accepted.Load() || s.Pending > accepted.Load()+left.Load() {
		t.Errorf("%d were accepted, %d left, %d are there, %v", accepted.Load(), left.Load(), s.Pending, err)
	}
	t.Logf("%d were accepted, %d left", accepted.Load(), left.Load())
}

// The power fails at some operation on files while several workers work: what they have heard of holds.
func TestACrowdThatLosesItsPowerWasToldTheTruth(t *testing.T) {
	for k := 20; k < 400; k += int(rounds(23, 1)) {
		c := newCrowd(t)
		dead := atomic.Bool{}
		first := 0
		c.hook = func(op fault.Op, part func()) error {
			if first == 0 {
				first = op.No
			}
			if op.No == first+k {
				part()
				dead.Store(true)
			}
			if dead.Load() {
				return sqlite3.IOERR_WRITE
			}
			return nil
		}
		known := hearsay{}
		var mu sync.Mutex
		err := toil(c.q, int64(k), 6, func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			if err := known.hear(fmt.Sprintf(format, args...)); err != nil {
				t.Error(err)
			}
		})
		if !errors.Is(err, sqlite3.IOERR) {
			t.Fatalf("operation %d on files: %v", k, err)
		}
		for what, kept := range map[string]func(int) int{"the process": fault.Everything, "the power": fault.Nothing} {
			s := stage{register(t, c.disk.After(kept)), fmt.Sprintf(diskDSN, "wal", "full")}
			db, q, err := s.open()
			if err != nil {
				t.Fatal(err)
			}
			known.check(t, db, q, fmt.Sprintf("operation %d on files, %s", k, what), 6)
			q.Close()
			db.Close()
		}
	}
}

func TestGatheringNeedsTransactions(t *testing.T) {
	w := newWorld(t, nil)
	if _, err := queue.Open(t.Context(), w.db, queue.Options{Gather: true, NoTransactions: true}); err == nil {
		t.Error("opened")
	}
	parts := queue.ReferenceParts()
	if err := parts.Edit("late", "deadline", "dead_line"); err != nil {
		t.Fatal(err)
	}
	if _, err := queue.Open(t.Context(), w.db, queue.Options{Gather: true, Parts: parts}); err == nil {
		t.Error("opened with a statement that cannot be prepared")
	}
}
