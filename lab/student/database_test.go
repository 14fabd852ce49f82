package student

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func FuzzParameters(f *testing.F) {
	for _, s := range []string{`[]`, `[1]`, `["a", 2, null, true, false, -3]`, `[0.5]`, `["a\"b"]`, `[{"b":"aGk="}]`, `[01]`, `[,]`, `[1,]`, `[ 1 , "x" ]`, `["é"]`, `[-]`, `[1 2]`, "[\"\x01\"]", `["a"b]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, ok := plainParameters(text)
		if !ok {
			return
		}
		var want []any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&want); err != nil {
			if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == '�' }) {
				return // what JSON.stringify never writes
			}
			t.Fatalf("%q was read as %v; JSON says %v", text, list, err)
		}
		if !reflect.DeepEqual(list, want) && !strings.ContainsRune(text, '�') {
			t.Errorf("%q: %v, want %v", text, list, want)
		}
	})
}

// A database that is put back gives every connection what a new one would see.
func TestADatabaseThatBeginsAgainIsLikeANewOne(t *testing.T) {
	d, err := newDatabase()
	if err != nil {
		t.Fatal(err)
	}
	do := func(c *connection, sql, params string) string {
		t.Helper()
		out, err := c.execute(sql, params)
		if err != nil {
			return "error: " + err.Error()
		}
		return out
	}
	is := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for program, column := range []string{"a", "b", "b"} {
		d.program()
		for round := range 4 {
			d.empty()
			main, err := d.connect()
			if err != nil {
				t.Fatal(err)
			}
			do(main, "CREATE TABLE IF NOT EXISTS t ("+column+" INTEGER) STRICT", "")
			if !d.made(nil) {
				t.Fatal("a program that bears its tables must begin again")
			}
			other, err := d.connect()
			if err != nil {
				t.Fatal(err)
			}
			is(do(main, "SELECT * FROM t", ""), `{"rows":[]}`)
			is(do(other, "SELECT * FROM t", ""), `{"rows":[]}`)
			for i := range 5 + round + program {
				is(do([]*connection{main, other}[i%2], "INSERT INTO t VALUES (?)", "[7]"), `{"rows":[]}`)
			}
			is(do(other, "SELECT "+column+" FROM t LIMIT 1", ""), `{"rows":[{"`+column+`":7}]}`)
			// What is not committed when a process dies is gone, and keeps nobody out.
			is(do(main, "BEGIN IMMEDIATE", ""), `{"rows":[]}`)
			is(do(main, "DELETE FROM t", ""), `{"rows":[]}`)
			is(do(other, "INSERT INTO t VALUES (8)", ""), "error: database is locked")
			main.close()
			is(do(other, "SELECT count(*) > 4 AS kept FROM t", ""), `{"rows":[{"kept":1}]}`)
			other.close()
		}
		if !d.proved {
			t.Error("the tables are made anew each time")
		}
	}
}

// A connection that only looks must not take what it remembers of an earlier scenario for this one: both
// have made as many changes.
func TestAConnectionForgetsTheScenarioBefore(t *testing.T) {
	d, err := newDatabase()
	if err != nil {
		t.Fatal(err)
	}
	d.program()
	for round := range 5 {
		d.empty()
		main, err := d.connect()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := main.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER) STRICT", ""); err != nil || !d.made(err) {
			t.Fatal(err)
		}
		other, err := d.connect()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := main.execute("INSERT INTO t VALUES (?)", fmt.Sprintf("[%d]", round)); err != nil {
				t.Fatal(err)
			}
		}
		want := fmt.Sprintf(`{"rows":[{"a":%d}]}`, round)
		if got, err := other.execute("SELECT DISTINCT a FROM t", ""); err != nil || got != want {
			t.Errorf("round %d: got %s, want %s (%v)", round, got, want, err)
		}
		other.close() // first in, last out: each keeps its part in the next round
		main.close()
	}
}

func TestAProgramThatBearsNoTablesGetsAnEmptyDatabaseEachTime(t *testing.T) {
	d, err := newDatabase()
	if err != nil {
		t.Fatal(err)
	}
	d.program()
	again := 0
	for range 4 {
		for {
			d.empty()
			c, err := d.connect()
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.execute("CREATE TABLE t (a INTEGER)", "")
			c.close()
			if d.made(err) {
				if err != nil {
					t.Error(err)
				}
				break
			}
			again++
		}
	}
	if again != 1 {
		t.Errorf("it began again %d times, want once", again)
	}
}

func TestStatementsHaveTheirLimits(t *testing.T) {
	d, err := newDatabase()
	if err != nil {
		t.Fatal(err)
	}
	d.empty()
	c, err := d.connect()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct{ sql, params, says string }{
		{"SELEC 1", "", "syntax error"},
		{"SELECT 1; SELECT 2", "", "one statement at a time"},
		{"", "", "there is no statement"},
		{"SELECT ?", "[]", "has 1 parameters, none was given"},
		{"SELECT ?", "[1, 2]", "has 1 parameters, 2 were given"},
		{"SELECT ?", `[{"o": "set"}]`, "a value of type set"},
		{"SELECT ?", "[9223372036854775808]", "too large"},
		{"SELECT :a", `{"b": 1}`, `"a" was not given`},
		{"SELECT x'00'", "", "a blob"},
		{"ATTACH 'x' AS y", "", "too many attached"},
		{"SELECT randomblob(100000000) IS NULL", "", "too big"},
		{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 20000", "", "more than 10000 rows"},
	} {
		if got, err := c.execute(q.sql, q.params); err == nil || !strings.Contains(err.Error(), q.says) {
			t.Errorf("%s %s: %s %v, want %s", q.sql, q.params, got, err, q.says)
		}
	}
	for _, q := range []struct{ sql, params, want string }{
		{"SELECT ? AS a, ? AS b, ? AS c, ? AS d", `[1, 1.0, "x", null]`, `{"rows":[{"a":1,"b":1.0,"c":"x","d":null}]}`},
		{"SELECT :a AS a, @b AS b", `{"a": true, "b": 9007199254740993}`, `{"rows":[{"a":1,"b":9007199254740993}]}`},
		{"SELECT 1e999 AS a, char(34, 9, 233) AS b", "", "{\"rows\":[{\"a\":1e999,\"b\":\"\\\"\\té\"}]}"},
	} {
		if got, err := c.execute(q.sql, q.params); err != nil || got != q.want {
			t.Errorf("%s: %s %v, want %s", q.sql, got, err, q.want)
		}
	}
}
