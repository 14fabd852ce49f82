package engine_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/engine"
	"retrylab/lab/file"
)

// disk is a home on the device, as a folder.
type disk string

func (disk) Name() string { return ask.OPFS }

func (d disk) Connect(database string) (*sql.DB, error) {
	return file.Open(filepath.Join(string(d), database))
}

func (d disk) Remove(database string) error { return file.Remove(filepath.Join(string(d), database)) }

// A page asks an engine. Replies come while ask runs, but for a held step's.
type page struct {
	t       *testing.T
	home    disk
	engine  *engine.Engine
	id      int64
	replies map[int64][]ask.Reply
}

func newPage(t *testing.T) *page {
	p := &page{t: t, home: disk(t.TempDir())}
	p.start()
	return p
}

// start starts an engine on what the one before it has left.
func (p *page) start() {
	p.t.Helper()
	e, err := engine.New(context.Background(), p.home)
	if err != nil {
		p.t.Fatal(err)
	}
	p.engine, p.replies = e, map[int64][]ask.Reply{}
	p.t.Cleanup(func() { e.Close() })
}

// restart ends the engine, in a held send too, and starts another.
func (p *page) restart() {
	p.t.Helper()
	if err := p.engine.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.start()
}

// ask asks and returns the id.
func (p *page) ask(kind ask.Kind, body any) int64 {
	p.t.Helper()
	p.id++
	request := ask.Request{ID: p.id, Kind: kind}
	if body != nil {
		var err error
		if request.Body, err = json.Marshal(body); err != nil {
			p.t.Fatal(err)
		}
	}
	p.engine.Answer(context.Background(), request, func(r ask.Reply) { p.replies[r.ID] = append(p.replies[r.ID], r) })
	return request.ID
}

// last is the last reply to a request.
func (p *page) last(id int64) ask.Reply {
	p.t.Helper()
	all := p.replies[id]
	if len(all) == 0 || all[len(all)-1].More {
		p.t.Fatalf("request %d is not answered: %v", id, all)
	}
	for _, r := range all[:len(all)-1] {
		if !r.More {
			p.t.Errorf("request %d is answered after its last reply", id)
		}
	}
	return all[len(all)-1]
}

func read[T any](p *page, raw json.RawMessage) (v T) {
	p.t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		p.t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func (p *page) live(kind ask.Kind, body any) ask.Live {
	p.t.Helper()
	r := p.last(p.ask(kind, body))
	if r.Err != nil {
		p.t.Fatalf("%s: %v", kind, r.Err)
	}
	return read[ask.Live](p, r.Body)
}

func (p *page) view() ask.Live { p.t.Helper(); return p.live(ask.LiveView, nil) }

func (p *page) step(s ask.Step) ask.Live { p.t.Helper(); return p.live(ask.LiveStep, s) }

// code asks for what must fail, and returns the error.
func (p *page) fails(kind ask.Kind, body any) *ask.Error {
	p.t.Helper()
	r := p.last(p.ask(kind, body))
	if r.Err == nil {
		p.t.Fatalf("%s is answered with %s", kind, r.Body)
	}
	return r.Err
}

func TestKeptValues(t *testing.T) {
	p := newPage(t)
	get := func(key string) string {
		t.Helper()
		return read[ask.Kept](p, p.last(p.ask(ask.KeepGet, ask.Key{Key: key})).Body).Value
	}
	if v := get("a"); v != "" {
		t.Errorf("%q", v)
	}
	for _, v := range []string{"1", strings.Repeat("é", 32<<10), "", "2"} {
		if r := p.last(p.ask(ask.KeepPut, ask.Kept{Key: "a", Value: v})); r.Err != nil || get("a") != v {
			t.Errorf("%d bytes: %v", len(v), r.Err)
		}
	}
	p.restart()
	if v := get("a"); v != "2" {
		t.Errorf("after a restart: %q", v)
	}
	for _, k := range []ask.Kept{{Key: "", Value: "x"}, {Key: strings.Repeat("k", 201), Value: "x"}} {
		if err := p.fails(ask.KeepPut, k); err.Code != ask.BadRequest {
			t.Error(err)
		}
	}
	if err := p.fails(ask.KeepPut, ask.Kept{Key: "a", Value: strings.Repeat("x", 64<<10+1)}); err.Code != ask.TooLarge || get("a") != "2" {
		t.Error(err)
	}
}
