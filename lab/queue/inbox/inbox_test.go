package inbox_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/fault"
	"retrylab/lab/queue/inbox"
	"retrylab/lab/retry"
)

// A desk is an inbox beside the table that its effects are written to.
type desk struct {
	*testing.T
	db *sql.DB
	b  *inbox.Inbox
}

func newDesk(t *testing.T, dsn string) *desk {
	t.Helper()
	db, err := driver.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS orders (n INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL) STRICT`); err != nil {
		t.Fatal(err)
	}
	b, err := inbox.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t, db, b}
}

func memory(t *testing.T) *desk {
	return newDesk(t, memdb.TestDB(t))
}

// order is the effect: a row, whose number is the reply.
func order(what string) func(ctx context.Context, tx *sql.Tx) (string, error) {
	return func(ctx context.Context, tx *sql.Tx) (reply string, err error) {
		err = tx.QueryRowContext(ctx, `INSERT INTO orders (what) VALUES (?) RETURNING 'order ' || n`, what).Scan(&reply)
		return reply, err
	}
}

func (d *desk) orders() (what string) {
	d.Helper()
	if err := d.db.QueryRow(`SELECT ifnull(group_concat(what, ' '), '') FROM (SELECT what FROM orders ORDER BY n)`).Scan(&what); err != nil {
		d.Fatal(err)
	}
	return what
}

func (d *desk) want(what string, got inbox.Answer, err error, want inbox.Answer) {
	d.Helper()
	if err != nil || got != want {
		d.Errorf("%s: %+v, %v, want %+v", what, got, err, want)
	}
}

func TestTheSameKeyHasOneEffectAndTheFirstReply(t *testing.T) {
	d := memory(t)
	receive := func(what string, now int64, key, body string, want inbox.Answer) {
		t.Helper()
		got, err := d.b.Receive(t.Context(), now, key, body, order(body))
		d.want(what, got, err, want)
	}
	receive("the first", 1, "a", "two", inbox.Answer{Verdict: inbox.New, Reply: "order 1"})
	receive("again", 2, "a", "two", inbox.Answer{Verdict: inbox.Replayed, Reply: "order 1"})
	receive("again, earlier", 0, "a", "two", inbox.Answer{Verdict: inbox.Replayed, Reply: "order 1"})
	receive("another body", 3, "a", "three", inbox.Answer{Verdict: inbox.OtherBody})
	receive("another key", 3, "b", "two", inbox.Answer{Verdict: inbox.New, Reply: "order 2"})
	if got := d.orders(); got != "two two" {
		t.Errorf("orders: %s", got)
	}
	for v, want := range map[inbox.Verdict]int{inbox.New: 0, inbox.Replayed: 0, inbox.InProgress: 409, inbox.OtherBody: 422} {
		if v.Status() != want {
			t.Errorf("%s is %d, want %d", v, v.Status(), want)
		}
	}
}

func TestAnEffectThatFailsLeavesNothing(t *testing.T) {
	d := memory(t)
	failure := errors.New("no boxes left")
	got, err := d.b.Receive(t.Context(), 1, "a", "two", func(ctx context.Context, tx *sql.Tx) (string, error) {
		if _, err := order("two")(ctx, tx); err != nil {
			t.Error(err)
		}
		return "", failure
	})
	if err != failure || got != (inbox.Answer{}) || d.orders() != "" {
		t.Errorf("%+v, %v, orders: %s", got, err, d.orders())
	}
	func() {
		defer func() { recover() }()
		d.b.Receive(t.Context(), 1, "a", "two", func(ctx context.Context, tx *sql.Tx) (string, error) {
			order("two")(ctx, tx)
			panic("boom")
		})
	}()
	_, err = d.b.Receive(t.Context(), 1, "a", "two", func(ctx context.Context, tx *sql.Tx) (string, error) {
		order("two")(ctx, tx)
		return "\xff", nil
	})
	if r := (*retry.RejectedError)(nil); !errors.As(err, &r) {
		t.Errorf("a reply that is no text: %v", err)
	}
	if d.orders() != "" {
		t.Errorf("orders: %s", d.orders())
	}
	got, err = d.b.Receive(t.Context(), 2, "a", "two", order("two"))
	d.want("the next try", got, err, inbox.Answer{Verdict: inbox.New, Reply: "order 1"}) // its rolled back number is free
}

// begin begins work and returns its ticket.
func (d *desk) begin(now int64, key, body string) inbox.Ticket {
	d.Helper()
	got, err := d.b.Begin(d.Context(), now, key, body, 1000)
	if err != nil || got.Verdict != inbox.New || got.Ticket == (inbox.Ticket{}) {
		d.Fatalf("begin %s: %+v, %v", key, got, err)
	}
	return got.Ticket
}

// finish finishes work with its effect in one transaction.
func (d *desk) finish(now int64, ticket inbox.Ticket, what string) error {
	tx, err := d.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	reply, err := order(what)(d.Context(), tx)
	if err != nil {
		return err
	}
	if err := d.b.Finish(d.Context(), tx, now, ticket, reply); err != nil {
		return err
	}
	return tx.Commit()
}

func TestWorkInProgressIsToldSo(t *testing.T) {
	d := memory(t)
	ticket := d.begin(100, "a", "two")
	for now, want := range map[int64]inbox.Verdict{100: inbox.InProgress, 1099: inbox.InProgress, 0: inbox.InProgress} {
		got, err := d.b.Begin(t.Context(), now, "a", "two", 1000)
		d.want(fmt.Sprint("begin at ", now), got, err, inbox.Answer{Verdict: want})
		got, err = d.b.Receive(t.Context(), now, "a", "two", order("two"))
		d.want(fmt.Sprint("receive at ", now), got, err, inbox.Answer{Verdict: want})
		got, err = d.b.Record(t.Context(), now, "a", "two", "reply")
		d.want(fmt.Sprint("record at ", now), got, err, inbox.Answer{Verdict: want})
	}
	got, err := d.b.Begin(t.Context(), 5000, "a", "three", 1000) // also when the first one is overdue
	d.want("another body", got, err, inbox.Answer{Verdict: inbox.OtherBody})
	if err := d.finish(1200, ticket, "two"); err != nil { // late, but nobody took over
		t.Error(err)
	}
	got, err = d.b.Begin(t.Context(), 1300, "a", "two", 1000)
	d.want("afterwards", got, err, inbox.Answer{Verdict: inbox.Replayed, Reply: "order 1"})
	if err := d.finish(1400, ticket, "two"); !errors.Is(err, inbox.ErrLost) {
		t.Errorf("finished twice: %v", err)
	}
	if got := d.orders(); got != "two" {
		t.Errorf("orders: %s", got)
	}
}

func TestWorkWhoseWorkerDiedIsTakenOver(t *testing.T) {
	d := memory(t)
	dead := d.begin(100, "a", "two")
	alive := d.begin(1100, "a", "two")
	if err := d.finish(1101, dead, "late"); !errors.Is(err, inbox.ErrLost) {
		t.Errorf("the late worker gets %v", err)
	}
	if err := d.b.Abandon(t.Context(), dead); !errors.Is(err, inbox.ErrLost) {
		t.Errorf("the late worker abandons: %v", err)
	}
	if err := d.finish(1102, alive, "two"); err != nil {
		t.Error(err)
	}
	if got := d.orders(); got != "two" {
		t.Errorf("orders: %s", got)
	}
}

func TestAbandonedWorkIsBegunAnewAndItsTicketIsNot(t *testing.T) {
	d := memory(t)
	first := d.begin(100, "a", "two")
	if err := d.b.Abandon(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	second := d.begin(100, "a", "three")
	if first == second {
		t.Errorf("the same ticket again: %+v", second)
	}
	for name, err := range map[string]error{"finish": d.finish(101, first, "two"), "abandon": d.b.Abandon(t.Context(), first), "nobody's": d.b.Abandon(t.Context(), inbox.Ticket{})} {
		if !errors.Is(err, inbox.ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := d.finish(102, second, "three"); err != nil {
		t.Error(err)
	}
	if err := d.b.Abandon(t.Context(), second); !errors.Is(err, inbox.ErrLost) {
		t.Errorf("abandoned when done: %v", err)
	}
}

// Without transactions the row is the effect, or a trigger makes it in the same statement.
func TestARecordNeedsNoTransaction(t *testing.T) {
	d := memory(t)
	if _, err := d.db.Exec(`CREATE TRIGGER effect AFTER INSERT ON inbox BEGIN INSERT INTO orders (what) VALUES (new.reply); END`); err != nil {
		t.Fatal(err)
	}
	for i, want := range []inbox.Answer{{Verdict: inbox.New, Reply: "reply 0"}, {Verdict: inbox.Replayed, Reply: "reply 0"}} {
		got, err := d.b.Record(t.Context(), 1, "a", "two", fmt.Sprint("reply ", i))
		d.want(fmt.Sprint("record ", i), got, err, want)
	}
	got, err := d.b.Record(t.Context(), 1, "a", "three", "reply")
	d.want("another body", got, err, inbox.Answer{Verdict: inbox.OtherBody})
	if got := d.orders(); got != "reply 0" {
		t.Errorf("orders: %s", got)
	}
}

func TestManyWithOneKeyHaveOneEffect(t *testing.T) {
	name := memdb.TestDB(t)
	desks := []*desk{newDesk(t, name), newDesk(t, name)}
	for round := range 20 {
		key := fmt.Sprint("key ", round)
		var all sync.WaitGroup
		var mu sync.Mutex
		verdicts := map[inbox.Answer]int{}
		for i := range 8 {
			d := desks[i%2]
			all.Go(func() {
				for {
					got, err := d.b.Receive(t.Context(), 1, key, "two", order(key))
					if errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.LOCKED) {
						continue
					}
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					verdicts[got]++
					return
				}
			})
		}
		all.Wait()
		reply := fmt.Sprint("order ", round+1)
		if len(verdicts) != 2 || verdicts[inbox.Answer{Verdict: inbox.New, Reply: reply}] != 1 || verdicts[inbox.Answer{Verdict: inbox.Replayed, Reply: reply}] != 7 {
			t.Errorf("round %d: %v", round, verdicts)
		}
	}
}

// The power fails at each operation on files in turn; then every sender tries again. Nobody's order is
// there twice, and who was told a number has that one.
func TestAPowerCutDoublesNoEffect(t *testing.T) {
	const dsn = "file:inbox.db?vfs=%s&_pragma=locking_mode(exclusive)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=wal_autocheckpoint(8)"
	keys := []string{"a", "b", "c", "d", "e"}
	cuts := 0
	for k := 1; ; k++ {
		var disk fault.Disk
		name := fmt.Sprint("inbox-", k)
		armed, hit, no := false, false, 0
		vfs.Register(name, fault.Wrap(&disk, func(op fault.Op, part func()) error {
			if !armed {
				return nil
			}
			if no++; no == k {
				hit = true
				part()
			}
			if hit {
				return sqlite3.IOERR_WRITE
			}
			return nil
		}))
		d := newDesk(t, fmt.Sprintf(dsn, name))
		armed = true
		told := map[string]string{}
		for i, key := range keys {
			var got inbox.Answer
			var err error
			if i%2 == 0 {
				got, err = d.b.Receive(t.Context(), 1, key, key, order(key))
			} else if got, err = d.b.Begin(t.Context(), 1, key, key, 10); err == nil {
				if err = d.finish(2, got.Ticket, key); err == nil {
					got, err = d.b.Begin(t.Context(), 3, key, key, 10)
				}
			}
			if err != nil {
				break
			}
			told[key] = got.Reply
		}
		d.db.Close()
		vfs.Unregister(name)
		if !hit {
			break
		}
		cuts++
		for what, kept := range map[string]func(int) int{"nothing": fault.Nothing, "everything": fault.Everything} {
			name := fmt.Sprint("inbox-", k, what)
			vfs.Register(name, disk.After(kept))
			d := newDesk(t, fmt.Sprintf(dsn, name))
			for _, key := range keys {
				got, err := d.b.Receive(t.Context(), 100, key, key, order(key))
				if err != nil || told[key] != "" && got.Reply != told[key] {
					t.Errorf("cut %d, %s kept: %s was told %q, and now %+v, %v", k, what, key, told[key], got, err)
				}
			}
			if got := d.orders(); got != "a b c d e" {
				t.Errorf("cut %d, %s kept: orders: %s", k, what, got)
			}
			d.db.Close()
			vfs.Unregister(name)
		}
	}
	if cuts < 20 {
		t.Errorf("only %d operations on files", cuts)
	}
}

func TestAPurgeForgetsWhatWasDoneBefore(t *testing.T) {
	d := memory(t)
	for now, key := range []string{"a", "b", "c"} {
		if _, err := d.b.Receive(t.Context(), int64(now), key, "", order(key)); err != nil {
			t.Fatal(err)
		}
	}
	d.begin(0, "in progress", "")
	for _, c := range []struct{ before, want int64 }{{0, 0}, {1, 1}, {1, 0}, {retry.Max, 2}} {
		if n, err := d.b.Purge(t.Context(), c.before); n != c.want || err != nil {
			t.Errorf("before %d: %d, %v, want %d", c.before, n, err, c.want)
		}
	}
	got, err := d.b.Receive(t.Context(), 9, "a", "", order("a again"))
	d.want("a forgotten key", got, err, inbox.Answer{Verdict: inbox.New, Reply: "order 4"})
}

func TestBadArgumentsAreRejected(t *testing.T) {
	d := memory(t)
	tooLong := strings.Repeat("é", 201)
	ctx := t.Context()
	receive := func(now int64, key string) error {
		_, err := d.b.Receive(ctx, now, key, "", func(context.Context, *sql.Tx) (string, error) {
			t.Error("the effect was done")
			return "", nil
		})
		return err
	}
	begin := func(now int64, key string, lease int64) error {
		_, err := d.b.Begin(ctx, now, key, "", lease)
		return err
	}
	record := func(now int64, key, reply string) error {
		_, err := d.b.Record(ctx, now, key, "", reply)
		return err
	}
	_, purge := d.b.Purge(ctx, -1)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"receive":      {receive(-1, ""), "now key"},
		"a long key":   {receive(0, tooLong), "key"},
		"no text":      {receive(0, "\xff"), "key"},
		"NUL":          {receive(0, "a\x00"), "key"},
		"begin":        {begin(retry.Max+1, "", 0), "now key lease_ms"},
		"a long lease": {begin(0, "a", retry.Max+1), "lease_ms"},
		"record":       {record(-1, "", strings.Repeat("x", 65_537)), "now key reply"},
		"finish":       {d.b.Finish(ctx, d.db, -1, inbox.Ticket{}, "\xff"), "now reply"},
		"purge":        {purge, "before"},
	} {
		var r *retry.RejectedError
		if !errors.As(c.err, &r) || strings.Join(r.Names(), " ") != c.want {
			t.Errorf("%s: %v, want %s rejected", name, c.err, c.want)
		}
	}
	var rows int
	if err := d.db.QueryRow(`SELECT count(*) FROM inbox`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
	if _, err := d.b.Record(ctx, 0, strings.Repeat("é", 200), "", strings.Repeat("x", 65_536)); err != nil {
		t.Errorf("the edges: %v", err)
	}
	if _, err := d.b.Begin(ctx, retry.Max, "b", "", retry.Max); err != nil {
		t.Errorf("the edges of time: %v", err)
	}
}

func TestTheTableRefusesImpossibleRows(t *testing.T) {
	for _, set := range []string{
		"key = ''", "key = 'a' || char(0)", "key = replace(hex(zeroblob(201)), '00', 'x')", "body = 'short'", "reply = replace(hex(zeroblob(65537)), '00', 'x')",
		"done_at = NULL", "reply = NULL", "lease_until = 5", "created_at = -1", "done_at = -1", "done_at = 9007199254740992", "taken = 'x'",
		"done_at = NULL, reply = NULL, lease_until = -1", "seq = NULL",
	} {
		d := memory(t)
		if _, err := d.b.Record(t.Context(), 1, "a", "", "reply"); err != nil {
			t.Fatal(err)
		}
		if _, err := d.db.Exec("UPDATE inbox SET " + set); err == nil {
			t.Errorf("%s is taken", set)
		}
	}
}

func TestAClosedDatabaseIsAnError(t *testing.T) {
	d := memory(t)
	d.db.Close()
	ctx := t.Context()
	_, receive := d.b.Receive(ctx, 0, "a", "", nil)
	_, begin := d.b.Begin(ctx, 0, "a", "", 1)
	_, record := d.b.Record(ctx, 0, "a", "", "")
	_, purge := d.b.Purge(ctx, 0)
	_, open := inbox.Open(ctx, d.db)
	for name, err := range map[string]error{"receive": receive, "begin": begin, "record": record, "purge": purge, "open": open, "abandon": d.b.Abandon(ctx, inbox.Ticket{})} {
		if err == nil || errors.Is(err, inbox.ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
