package student

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Limits of what a student's SQL may use: a database of 64 MiB, values of 8 MiB, statements of 1 MiB, ten
// thousand rows at a time.
const (
	maxPages      = 16 << 10
	maxValue      = 8 << 20
	maxSQL        = 1 << 20
	maxRows       = 10_000
	maxParams     = 1_000
	maxStatements = 64 // kept prepared for each connection
)

// A database is the one that a program's scenarios are played on, one after the other. What makes a new
// one slow is kept: connections with their prepared statements, and the tables that the program makes
// first, when it bears finding them.
type database struct {
	store   *store
	name    string // of its file system
	idle    []*connection
	nothing image  // of a database without tables
	built   image  // after a Queue was made on nothing; nil when none was yet
	proved  bool   // a Queue was made on built, and changed nothing
	fresh   bool   // the program must have a database without tables each time
	schemas uint32 // counts the databases without tables: no two programs' schemas have one cookie
}

var databases atomic.Int64

func newDatabase() (*database, error) {
	d := &database{store: &store{}, name: "student-" + strconv.FormatInt(databases.Add(1), 10)}
	vfs.Register(d.name, storeVFS{d.store})
	c, err := d.connect()
	if err == nil {
		err = c.conn.Exec("PRAGMA user_version=1; PRAGMA user_version=0") // so that the file has a header
	}
	if err != nil {
		return nil, err
	}
	c.close()
	d.nothing = d.store.image()
	return d, nil
}

// program begins another program's scenarios.
func (d *database) program() { d.built, d.proved, d.fresh = nil, false, false }

// empty begins another scenario. Nobody may be connected.
func (d *database) empty() {
	if d.proved && d.store.cookie() != binary.BigEndian.Uint32(d.built[schemaCookie:]) {
		// The program makes tables in the middle of its work: another scenario could make other ones with the same
		// cookie, and a connection would not notice.
		d.fresh = true
	}
	if d.fresh || d.built == nil {
		d.store.restore(d.nothing)
		d.schemas++
		d.store.setCookie(d.schemas << 10) // a scenario makes fewer tables
		return
	}
	d.store.restore(d.built)
}

// made is told that a Queue was made on what empty left, or that it could not be. It says whether the
// scenario can go on; otherwise it must begin again, on a database without tables.
func (d *database) made(err error) bool {
	switch {
	case d.fresh || d.proved:
		return true
	case d.built == nil:
		if err == nil && d.store.shared == 0 {
			d.built = d.store.image()
		} else {
			d.fresh = true
		}
		return true
	case err == nil && d.store.same(d.built):
		d.proved = true
		return true
	}
	d.fresh = true
	return false
}

// A connection is a life's own. It waits for no lock.
type connection struct {
	*database
	conn       *sqlite3.Conn
	statements map[string]*sqlite3.Stmt
	tainted    bool // it is no longer like a new one
}

func (d *database) connect() (*connection, error) {
	if n := len(d.idle); n > 0 {
		c := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return c, nil
	}
	conn, err := sqlite3.Open("file:student.db?vfs=" + d.name)
	if err != nil {
		return nil, err
	}
	if err := conn.BusyTimeout(0); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	conn.Limit(sqlite3.LIMIT_LENGTH, maxValue)
	conn.Limit(sqlite3.LIMIT_SQL_LENGTH, maxSQL)
	conn.Limit(sqlite3.LIMIT_ATTACHED, 0)
	if err := conn.Exec("PRAGMA synchronous=off; PRAGMA max_page_count=" + strconv.Itoa(maxPages)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &connection{database: d, conn: conn, statements: map[string]*sqlite3.Stmt{}}, nil
}

// close ends a life's connection, and takes back what it has not committed.
func (c *connection) close() {
	if !c.conn.GetAutocommit() && c.conn.Exec("ROLLBACK") != nil {
		c.tainted = true
	}
	if c.tainted {
		c.discard()
		return
	}
	c.idle = append(c.idle, c)
}

func (c *connection) discard() {
	for _, s := range c.statements {
		s.Close()
	}
	c.conn.Close()
}

// taints are the words of a statement after which a connection is no longer like a new one.
var taints = regexp.MustCompile(`(?i)\b(pragma|temp|temporary|attach)\b`)

// prepare compiles one statement, or finds it compiled.
func (c *connection) prepare(sql string) (s *sqlite3.Stmt, kept bool, err error) {
	if s, ok := c.statements[sql]; ok {
		return s, true, nil
	}
	s, tail, err := c.conn.Prepare(sql)
	if err != nil {
		return nil, false, err
	}
	if s == nil {
		return nil, false, errors.New("there is no statement in the text")
	}
	if strings.Trim(tail, "; \t\r\n") != "" {
		s.Close()
		return nil, false, errors.New("one statement at a time: there is a second one after the first semicolon")
	}
	c.tainted = c.tainted || taints.MatchString(sql)
	if len(c.statements) < maxStatements {
		c.statements[sql] = s
		return s, true, nil
	}
	return s, false, nil
}

// execute runs one statement with JSON parameters and returns its rows as JSON: {"rows": [{...}]}.
// Whole numbers come back without a point, floats with one, so that Python can tell them apart.
func (c *connection) execute(sql, params string) (string, error) {
	if len(sql) > maxSQL {
		return "", fmt.Errorf("the statement has %d bytes, at most %d are allowed", len(sql), maxSQL)
	}
	s, kept, err := c.prepare(sql)
	if err != nil {
		return "", plain(err)
	}
	defer func() {
		if kept {
			s.Reset()
			s.ClearBindings()
		} else {
			s.Close()
		}
	}()
	if err := bind(s, params); err != nil {
		return "", err
	}
	out := bytes.NewBufferString(`{"rows":[`)
	columns := s.ColumnCount()
	names := make([]string, columns)
	for i := range names {
		names[i] = quote(s.ColumnName(i)) + ":"
	}
	for n := 0; s.Step(); n++ {
		if n == maxRows || out.Len() > maxValue {
			return "", fmt.Errorf("the statement returned more than %d rows or %d bytes", maxRows, maxValue)
		}
		if n > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(name)
			if err := column(out, s, i); err != nil {
				return "", err
			}
		}
		out.WriteByte('}')
	}
	if err := s.Err(); err != nil {
		return "", plain(err)
	}
	out.WriteString("]}")
	return out.String(), nil
}

func column(out *bytes.Buffer, s *sqlite3.Stmt, i int) error {
	switch s.ColumnType(i) {
	case sqlite3.INTEGER:
		out.WriteString(strconv.FormatInt(s.ColumnInt64(i), 10))
	case sqlite3.FLOAT:
		switch f := s.ColumnFloat(i); {
		case math.IsInf(f, 0): // SQLite has no NaN
			out.WriteString(map[bool]string{true: "1e999", false: "-1e999"}[f > 0])
		default:
			text := strconv.FormatFloat(f, 'g', -1, 64)
			if !strings.ContainsAny(text, ".e") {
				text += ".0"
			}
			out.WriteString(text)
		}
	case sqlite3.TEXT:
		out.WriteString(quote(s.ColumnText(i)))
	case sqlite3.BLOB:
		return errors.New("the result has a blob; this lab's db gives numbers, texts and nulls")
	default:
		out.WriteString("null")
	}
	return nil
}

// quote is a text as JSON. What is no UTF-8 becomes the sign for that.
func quote(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			text, err := json.Marshal(s)
			if err != nil {
				panic(err) // a text always has one
			}
			return string(text)
		}
	}
	return `"` + s + `"`
}

// bind gives a statement its parameters: a JSON list of null, booleans, numbers and texts, or a map of
// them by name. A number with a point or an exponent is a float. {"b": base64} is a blob.
func bind(s *sqlite3.Stmt, params string) error {
	if params == "" || params == "[]" {
		if n := s.BindCount(); n > 0 {
			return fmt.Errorf("the statement has %d parameters, none was given", n)
		}
		return nil
	}
	if strings.HasPrefix(params, "{") {
		var named map[string]any
		decoder := json.NewDecoder(strings.NewReader(params))
		decoder.UseNumber()
		if err := decoder.Decode(&named); err != nil {
			return fmt.Errorf("the parameters cannot be read: %w", err)
		}
		for i := 1; i <= s.BindCount(); i++ {
			name := strings.TrimLeft(s.BindName(i), ":@$")
			v, ok := named[name]
			if !ok {
				return fmt.Errorf("the parameter %q was not given", name)
			}
			if err := bindOne(s, i, v); err != nil {
				return err
			}
		}
		return nil
	}
	list, err := parameters(params)
	if err != nil {
		return fmt.Errorf("the parameters cannot be read: %w", err)
	}
	if len(list) > maxParams || len(list) != s.BindCount() {
		return fmt.Errorf("the statement has %d parameters, %d were given", s.BindCount(), len(list))
	}
	for i, v := range list {
		if err := bindOne(s, i+1, v); err != nil {
			return err
		}
	}
	return nil
}

func bindOne(s *sqlite3.Stmt, i int, v any) error {
	switch v := v.(type) {
	case nil:
		return s.BindNull(i)
	case bool:
		return s.BindBool(i, v)
	case string:
		return s.BindText(i, v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return s.BindInt64(i, n)
		}
		f, err := v.Float64()
		if err != nil && !math.IsInf(f, 0) {
			return fmt.Errorf("parameter %d is no number", i)
		}
		if math.IsInf(f, 0) || !strings.ContainsAny(v.String(), ".eE") {
			return fmt.Errorf("parameter %d is too large: SQLite's integers end at 2^63 - 1", i)
		}
		return s.BindFloat(i, f)
	case map[string]any:
		switch text, _ := v["f"].(string); text {
		case "nan":
			return s.BindFloat(i, math.NaN())
		case "inf":
			return s.BindFloat(i, math.Inf(1))
		case "-inf":
			return s.BindFloat(i, math.Inf(-1))
		}
		if text, ok := v["b"].(string); ok {
			data, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return fmt.Errorf("parameter %d is no blob", i)
			}
			return s.BindBlob(i, data)
		}
		if text, ok := v["o"].(string); ok {
			return fmt.Errorf("parameter %d is a value of type %s; SQLite takes numbers, texts and nulls", i, shorten(text))
		}
	}
	return fmt.Errorf("parameter %d is a list or a map; SQLite takes numbers, texts and nulls", i)
}

// plain takes the library's name off an error of SQLite's.
func plain(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "sqlite3: "))
}
