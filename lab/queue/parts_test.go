package queue_test

import (
	"strings"
	"testing"

	"retrylab/lab/queue"
	"retrylab/lab/sqlite"
)

func TestAChangeAppliesExactlyOnce(t *testing.T) {
	p := queue.ReferenceParts()
	for _, c := range []struct{ name, old, want string }{
		{"due", "available_at <= :now", ""},
		{"due", "available_at <= :now", "stands there 0 times"}, // it is changed already
		{"candidates", "SELECT", "stands there 2 times"},
		{"nothing", "", "stands there 1 times"},
	} {
		err := p.Edit(c.name, c.old, "TRUE")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.name, c.old, err)
		}
	}
	if text, _, err := p.Compile("lease"); err != nil || !strings.Contains(text, "state = 'pending' AND TRUE AND") {
		t.Errorf("%s, %v", text, err)
	}
	if text, _, err := queue.ReferenceParts().Compile("lease"); err != nil || strings.Contains(text, "TRUE") {
		t.Errorf("the change shows in other parts: %s, %v", text, err)
	}
}

func TestAStatementIsCompiledWithNumberedParameters(t *testing.T) {
	text, args, err := queue.ReferenceParts().Compile("extend")
	want := `UPDATE job SET lease_until = min(9007199254740991, ?1 + ?2)
WHERE seq = ?3 AND state = 'leased' AND token = ?4
RETURNING lease_until`
	if err != nil || text != want || strings.Join(args, " ") != "now lease_ms seq token" {
		t.Errorf("%s, %v, %v", text, args, err)
	}
}

func TestAStatementThatIsNoneIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown fragment":    {"{nothing}", `no statement or fragment "nothing"`},
		"a fragment of itself":   {"{due}", `no statement or fragment "due"`},
		"an open brace":          {"{due", "{ without }"},
		"a colon without a name": {"a : b", "a : without a name"},
	} {
		p := queue.ReferenceParts()
		if err := p.Edit("due", "available_at <= :now", c.text); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Compile("lease"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		w := newWorld(t, nil)
		q, err := queue.Open(t.Context(), w.db, queue.Options{Parts: p})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: prepared with %v", name, err)
		}
		q.Close()
	}
	p := queue.ReferenceParts()
	if err := p.Edit("due", "available_at <= :now", "available_at <= :when"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	q, err := queue.Open(t.Context(), w.db, queue.Options{Parts: p})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, _, err := q.Claim(t.Context(), 0, 1); err == nil || !strings.Contains(err.Error(), `no argument "when"`) {
		t.Errorf("claim: %v", err)
	}
	if _, err := q.Stats(t.Context(), 0); err == nil || !strings.Contains(err.Error(), `no argument "when"`) {
		t.Errorf("stats: %v", err)
	}
	p = queue.ReferenceParts()
	if err := p.Edit("late", "deadline <= :now", "deadline <= :when"); err != nil {
		t.Fatal(err)
	}
	q2, err := queue.Open(t.Context(), w.db, queue.Options{Parts: p})
	if err != nil {
		t.Fatal(err)
	}
	defer q2.Close()
	if _, _, err := q2.Claim(t.Context(), 0, 1); err == nil || !strings.Contains(err.Error(), `no argument "when"`) {
		t.Errorf("claim: %v", err)
	}
}

func TestADroppedCheckIsDroppedAlone(t *testing.T) {
	p := queue.ReferenceParts()
	before := len(strings.Join(p.Schema(), ";"))
	if err := p.DropCheck("id_is_short"); err != nil {
		t.Fatal(err)
	}
	schema := strings.Join(p.Schema(), ";")
	if !strings.Contains(schema, "CONSTRAINT id_is_short CHECK (1),\n") || len(schema) >= before || !strings.Contains(schema, "payload_is_small CHECK (length") {
		t.Error(schema)
	}
	if err := p.DropCheck("nothing"); err == nil || !strings.Contains(err.Error(), `no CHECK "nothing"`) {
		t.Error(err)
	}
}

func TestADatabaseThatCannotBeReadOrWrittenIsAnError(t *testing.T) {
	w := newWorld(t, nil)
	w.exec(`DROP TABLE job; DROP TABLE job_count; DROP TABLE job_schema`)
	for name, dsn := range map[string]string{
		"no such file": "file:/nowhere/at/all.db?mode=ro",
		"read only":    "file:" + w.name + "?vfs=memdb&_pragma=query_only(1)",
	} {
		for _, options := range []queue.Options{{}, {NoTransactions: true}} {
			db, err := sqlite.Open(dsn)
			if err != nil {
				t.Fatal(err)
			}
			if q, err := queue.Open(t.Context(), db, options); err == nil {
				q.Close()
				t.Errorf("%s, %+v: opened", name, options)
			} else if !strings.HasPrefix(err.Error(), "queue: ") {
				t.Errorf("%s, %+v: %v", name, options, err)
			}
			db.Close()
		}
	}
}
