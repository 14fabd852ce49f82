package engine_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
)

func enqueue(id string) ask.Step {
	return ask.Step{Do: "enqueue", ID: id, Payload: "2 sponge cakes", MaxAttempts: "3", Deadline: "3000"}
}

// sameLive compares two views but for what only the step itself is told.
func sameLive(t *testing.T, what string, got, want ask.Live) {
	t.Helper()
	got.Result, want.Result = nil, nil
	if !reflect.DeepEqual(got, want) {
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("%s: got\n%s\nwant\n%s", what, a, b)
	}
}

func TestStepsGiveWhatTheRulesSay(t *testing.T) {
	p := newPage(t)
	for i, c := range []struct {
		step   ask.Step
		now    int64
		result string
		fields string
		bad    string
	}{
		{enqueue("a"), 0, "created", "state=pending", ""},
		{enqueue("a"), 0, "existing", "state=pending", ""},
		{ask.Step{Do: "enqueue", ID: "a", Payload: "other", MaxAttempts: "1", Deadline: "9"}, 0, "conflict", "state=pending", ""},
		{ask.Step{Do: "enqueue", ID: "b", MaxAttempts: "true", Deadline: "Infinity", AvailableAt: "2.5"}, 0, "rejected", "", "max_attempts=boolean deadline=infinite available_at=fraction"},
		{ask.Step{Do: "enqueue", ID: "", MaxAttempts: "", Deadline: "1"}, 0, "rejected", "", "id=empty max_attempts=missing"},
		{ask.Step{Do: "enqueue", At: "50", ID: "b", MaxAttempts: "1", Deadline: "50"}, 50, "rejected", "", "deadline=late"},
		{ask.Step{Do: "run", At: "true", Takes: "x"}, 50, "rejected", "", "at=boolean takes=text"},
		{ask.Step{Do: "run", Takes: "-51"}, 50, "rejected", "", "takes=too_small"},
		{ask.Step{Do: "run", Send: "retryable", Takes: "40", Error: "503"}, 90, "retry", "available_at=140 id=a", ""},
		{ask.Step{Do: "run"}, 90, "none", "", ""},
		{ask.Step{Do: "clock"}, 90, "rejected", "", "at=missing"},
		{ask.Step{Do: "clock", At: "140"}, 140, "ok", "", ""},
		{ask.Step{Do: "run", Send: "ok", Takes: "-40"}, 140, "clock_backwards", "id=a", ""},
		{ask.Step{Do: "run", At: "40000", Send: "ok"}, 40000, "none", "", ""}, // its deadline has passed: buried
		{ask.Step{Do: "enqueue", ID: "c", MaxAttempts: "1", Deadline: "90000"}, 40000, "created", "state=pending", ""},
		{ask.Step{Do: "claim", Worker: ""}, 40000, "rejected", "", "worker=empty"},
		{ask.Step{Do: "claim", Worker: "mika"}, 40000, "claimed", "id=c attempts=1", ""},
		{ask.Step{Do: "extend", Worker: "mika", At: "40010"}, 40010, "extended", "lease_until=70010", ""},
		{ask.Step{Do: "fail", Worker: "mika", Send: "permanent", Error: "404"}, 40010, "dead", "reason=permanent", ""},
		{ask.Step{Do: "complete", Worker: "mika"}, 40010, "lease_lost", "", ""},
		{ask.Step{Do: "complete", Worker: "noa"}, 40010, "lease_lost", "", ""},
		{ask.Step{Do: "requeue", ID: "c", MaxAttempts: "1", Deadline: "90000"}, 40010, "rejected", "", "max_attempts=no_room"},
		{ask.Step{Do: "requeue", ID: "c", MaxAttempts: "2", Deadline: "90000"}, 40010, "requeued", "", ""},
		{ask.Step{Do: "run", Send: "crash", Takes: "5"}, 40015, "crashed", "id=c", ""},
		{ask.Step{Do: "purge", Before: ""}, 40015, "rejected", "", "before=missing"},
		{ask.Step{Do: "purge", Before: "40015"}, 40015, "purged", "count=0", ""},
		{ask.Step{Do: "restart"}, 40015, "ok", "", ""},
	} {
		live := p.step(c.step)
		var fields, bad []string
		for _, f := range live.Result.Fields {
			fields = append(fields, f.Name+"="+f.Value)
		}
		for _, b := range live.Result.Bad {
			bad = append(bad, b.Name+"="+b.Fault)
			if b.Text == "" {
				t.Errorf("%d: %s has no words", i, b.Name)
			}
		}
		if live.Now != c.now || live.Result.Result != c.result || strings.Join(fields, " ") != c.fields || strings.Join(bad, " ") != c.bad {
			t.Errorf("%d, %+v: at %d %s, %v, bad %v; want at %d %s, %s, bad %s", i, c.step, live.Now, live.Result.Result, fields, bad, c.now, c.result, c.fields, c.bad)
		}
	}
}

func TestAReloadFindsEverythingAsItWas(t *testing.T) {
	p := newPage(t)
	p.live(ask.LivePolicy, ask.PolicyText{BaseMS: "200", CapMS: "1e3", Jitter: "0.25", LeaseMS: "500"})
	p.step(enqueue("a"))
	p.step(enqueue("b"))
	p.step(ask.Step{Do: "run", At: "10", Send: "retryable", Takes: "40", Error: "503 from the warehouse"})
	p.step(ask.Step{Do: "claim", Worker: "mika", At: "60"})
	before := p.view()
	if before.Now != 60 || before.Policy != (ask.Policy{BaseMS: 200, CapMS: 1000, Jitter: 0.25, LeaseMS: 500}) || before.Total != 2 || len(before.Log) != 5 {
		t.Fatalf("%+v", before)
	}
	p.restart()
	sameLive(t, "after a reload", p.view(), before)
	// The worker still holds its claim.
	if live := p.step(ask.Step{Do: "complete", Worker: "mika"}); live.Result.Result != "done" {
		t.Errorf("%+v", live.Result)
	}
	// The policy is in force: 200 ms * 0.25.
	p.step(ask.Step{Do: "purge", Before: "1000"})
	if live := p.step(ask.Step{Do: "run", At: "100", Send: "retryable"}); live.Result.Fields[0].Value != "200" {
		t.Errorf("%+v", live.Result) // second attempt: 400 * 0.25
	}
}

func TestAHeldSendWaitsForItsAnswer(t *testing.T) {
	p := newPage(t)
	if live := p.step(ask.Step{Do: "run", Hold: true}); live.Result.Result != "none" {
		t.Errorf("with nothing due: %+v", live.Result)
	}
	p.step(enqueue("a"))
	id := p.ask(ask.LiveStep, ask.Step{Do: "run", At: "10", Hold: true})
	if all := p.replies[id]; len(all) != 1 || !all[0].More {
		t.Fatalf("%v", all)
	}
	sending := read[ask.Sending](p, p.replies[id][0].Body)
	if want := (ask.Sending{ID: "a", Payload: "2 sponge cakes", Attempt: 1, LeaseUntil: 30010}); sending != want {
		t.Errorf("%+v, want %+v", sending, want)
	}
	if live := p.view(); live.Sending == nil || *live.Sending != sending || live.Jobs[0].State != "leased" || live.Log[len(live.Log)-1].Result != "sending" {
		t.Errorf("%+v", live)
	}
	for _, c := range []struct {
		kind ask.Kind
		body any
	}{{ask.LiveStep, enqueue("b")}, {ask.LiveReset, nil}, {ask.LiveUndo, nil}, {ask.LivePolicy, ask.PolicyText{BaseMS: "1", CapMS: "1", Jitter: "1", LeaseMS: "1"}}} {
		if err := p.fails(c.kind, c.body); err.Code != ask.Busy {
			t.Errorf("%s: %v", c.kind, err)
		}
	}
	// A bad answer leaves the send held.
	if err := p.fails(ask.LiveAnswer, ask.Answer{Send: "retryable", Takes: "long", RetryAfter: "NaN"}); err.Code != ask.Rejected || len(err.Bad) != 2 || err.Bad[1].Name != "takes" {
		t.Errorf("%+v", err)
	}
	if err := p.fails(ask.LiveAnswer, ask.Answer{Send: "perhaps"}); err.Code != ask.BadRequest {
		t.Error(err)
	}
	if r := p.last(p.ask(ask.LiveAnswer, ask.Answer{Send: "retryable", Takes: "30", Error: "503", RetryAfter: "500"})); r.Err != nil || r.Body != nil {
		t.Errorf("%+v", r)
	}
	live := read[ask.Live](p, p.last(id).Body)
	if live.Now != 40 || live.Result.Result != "retry" || live.Jobs[0].AvailableAt != 540 || *live.Jobs[0].LastError != "503" || live.Sending != nil {
		t.Errorf("%+v", live)
	}
	if err := p.fails(ask.LiveAnswer, ask.Answer{Send: "ok"}); err.Code != ask.NothingHeld {
		t.Error(err)
	}
	if n := len(live.Log); n != 3 || live.Log[n-1].Text != "run: {send: retryable, takes: 30, error: \"503\", retry_after_ms: 500}" {
		t.Errorf("%+v", live.Log)
	}
}

func TestAHeldSendMayEndInEachWay(t *testing.T) {
	for send, want := range map[string]string{"ok": "done", "permanent": "dead", "unknown": "unknown", "crash": "crashed"} {
		p := newPage(t)
		p.step(enqueue("a"))
		id := p.ask(ask.LiveStep, ask.Step{Do: "run", Hold: true})
		p.last(p.ask(ask.LiveAnswer, ask.Answer{Send: send, Takes: "7"}))
		if live := read[ask.Live](p, p.last(id).Body); live.Result.Result != want || live.Now != 7 || live.Jobs[0].Attempts != 1 {
			t.Errorf("%s: %+v", send, live)
		}
		if live := p.step(enqueue("b")); live.Result.Result != "created" {
			t.Errorf("after %s: %+v", send, live.Result)
		}
	}
}

func TestAnEngineThatEndsInAHeldSendHasConsumedTheAttempt(t *testing.T) {
	p := newPage(t)
	p.step(enqueue("a"))
	p.ask(ask.LiveStep, ask.Step{Do: "run", At: "10", Hold: true})
	p.restart()
	live := p.view()
	if j := live.Jobs[0]; j.State != "leased" || j.Attempts != 1 || live.Now != 10 || live.Sending != nil {
		t.Errorf("%+v", live)
	}
	if last := live.Log[len(live.Log)-1]; last.Result != "crashed" || last.ID != "a" {
		t.Errorf("%+v", live.Log)
	}
	if live := p.step(ask.Step{Do: "run", At: "30010", Send: "ok"}); live.Result.Result != "none" { // past its deadline
		t.Errorf("%+v", live.Result)
	}
}

func TestAResetCanBeTakenBackUntilTheNextStep(t *testing.T) {
	p := newPage(t)
	if err := p.fails(ask.LiveUndo, nil); err.Code != ask.NothingToUndo {
		t.Error(err)
	}
	p.step(enqueue("a"))
	p.step(ask.Step{Do: "claim", Worker: "mika", At: "10"})
	before := p.view()

	empty := p.live(ask.LiveReset, nil)
	if empty.Now != 0 || empty.Total != 0 || len(empty.Jobs) != 0 || len(empty.Log) != 0 || !empty.CanUndo {
		t.Errorf("%+v", empty)
	}
	p.restart() // a reload does not lose it
	sameLive(t, "undone", p.live(ask.LiveUndo, nil), before)
	if live := p.step(ask.Step{Do: "complete", Worker: "mika"}); live.Result.Result != "done" {
		t.Errorf("the worker's claim came not back: %+v", live.Result)
	}

	p.live(ask.LiveReset, nil)
	if live := p.step(ask.Step{Do: "enqueue", ID: "x", MaxAttempts: "0", Deadline: "1"}); live.Result.Result != "rejected" || !live.CanUndo {
		t.Errorf("a rejected step: %+v, undo %v", live.Result, live.CanUndo)
	}
	if live := p.step(enqueue("a")); live.Result.Result != "created" || live.CanUndo {
		t.Errorf("after a reset: %+v, undo %v", live.Result, live.CanUndo)
	}
	if err := p.fails(ask.LiveUndo, nil); err.Code != ask.NothingToUndo {
		t.Error(err)
	}
	if live := p.step(ask.Step{Do: "complete", Worker: "mika"}); live.Result.Result != "lease_lost" {
		t.Errorf("a claim from before the reset: %+v", live.Result)
	}
}

func TestTheLiveQueueIsBounded(t *testing.T) {
	p := newPage(t)
	for i := range ask.MaxLiveJobs {
		p.step(enqueue(fmt.Sprint("job ", i)))
	}
	if err := p.fails(ask.LiveStep, enqueue("one more")); err.Code != ask.LiveFull {
		t.Error(err)
	}
	live := p.step(enqueue("job 3"))
	if live.Result.Result != "existing" {
		t.Errorf("an id that is there: %+v", live.Result)
	}
	if len(live.Jobs) != 200 || live.Jobs[199].ID != "job 999" || live.Jobs[0].ID != "job 800" || live.Total != ask.MaxLiveJobs || len(live.Log) != 200 {
		t.Errorf("%d jobs from %s, total %d, %d lines", len(live.Jobs), live.Jobs[0].ID, live.Total, len(live.Log))
	}
	long := strings.Repeat("é", 30_000)
	p.live(ask.LiveReset, nil)
	live = p.step(ask.Step{Do: "enqueue", ID: "a", Payload: long, MaxAttempts: "1", Deadline: "10"})
	if got := live.Jobs[0].Payload; got != long[:2*ask.MaxLiveText]+"…" {
		t.Errorf("%d bytes of the payload", len(got))
	}
	if live := p.step(ask.Step{Do: "enqueue", ID: "b", Payload: long + long, MaxAttempts: "1", Deadline: "10"}); len(live.Result.Bad) != 1 || live.Result.Bad[0].Name != "payload" {
		t.Errorf("%+v", live.Result)
	}
	for i := range ask.MaxLiveWorkers {
		p.step(enqueue(fmt.Sprint(i)))
		p.step(ask.Step{Do: "claim", Worker: fmt.Sprint(i)})
	}
	if live := p.step(ask.Step{Do: "claim", Worker: "one more"}); live.Result.Result != "rejected" || live.Result.Bad[0].Fault != "too_many" {
		t.Errorf("%+v", live.Result)
	}
}

func TestARejectedPolicyChangesNothing(t *testing.T) {
	p := newPage(t)
	before := p.view()
	live := p.live(ask.LivePolicy, ask.PolicyText{BaseMS: "true", CapMS: "", Jitter: "1.0000000000000000001", LeaseMS: "1"})
	var bad []string
	for _, b := range live.Result.Bad {
		bad = append(bad, b.Name+"="+b.Fault)
	}
	if got := strings.Join(bad, " "); live.Result.Result != "rejected" || got != "base_ms=boolean cap_ms=missing jitter=too_large" {
		t.Errorf("%+v, %s", live.Result, got)
	}
	sameLive(t, "the queue", live, before)
}

func TestANewerDatabaseIsLeftAsItIs(t *testing.T) {
	for _, newer := range []string{`UPDATE lab_schema SET version = 1000`, `INSERT INTO job_schema VALUES (1000)`} {
		p := newPage(t)
		p.step(enqueue("a"))
		if err := p.engine.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := p.home.Connect("lab.db")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(newer); err != nil {
			t.Fatal(err)
		}
		db.Close()
		_, err = engine.New(context.Background(), p.home)
		if !errors.Is(err, engine.ErrNewer) || engine.Why(err) != ask.Newer {
			t.Errorf("%s: %v", newer, err)
		}
		// Nothing is open any more, and nothing was lost.
		db, err = p.home.Connect("lab.db")
		if err != nil {
			t.Fatal(err)
		}
		var jobs int
		if err := db.QueryRow(`SELECT count(*) FROM job`).Scan(&jobs); err != nil || jobs != 1 {
			t.Errorf("%d jobs: %v", jobs, err)
		}
		db.Close()
	}
}

// brokenHome opens a database that is none.
type brokenHome struct{ disk }

func (h brokenHome) Connect(string) (*sql.DB, error) { return nil, errors.New("broken") }

func TestAHomeThatCannotOpenSaysSo(t *testing.T) {
	_, err := engine.New(context.Background(), brokenHome{disk(t.TempDir())})
	if err == nil || engine.Why(err) != ask.Broken {
		t.Errorf("%v", err)
	}
}

func TestAFaultOfAHandlerIsAnAnswer(t *testing.T) {
	engine.Handle("test.panic", func(context.Context, *engine.Engine, *engine.Call) (any, error) { panic("a fault") })
	p := newPage(t)
	if err := p.fails("test.panic", nil); err.Code != ask.Unknown || !strings.Contains(err.Detail, "a fault") {
		t.Error(err)
	}
	if live := p.step(enqueue("a")); live.Result.Result != "created" {
		t.Errorf("afterwards: %+v", live.Result)
	}
	if err := p.fails("no.such", nil); err.Code != ask.BadRequest {
		t.Error(err)
	}
}
