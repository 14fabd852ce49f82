package file

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/fault"
)

// counted is a file whose writes are counted and may fail.
type counted struct {
	vfsutil.SliceFile
	writes int
	fails  func() bool
}

func (c *counted) WriteAt(p []byte, off int64) (int, error) {
	c.writes++
	if c.fails != nil && c.fails() {
		return 0, sqlite3.FULL
	}
	return c.SliceFile.WriteAt(p, off)
}

func TestAKeptLogReadsAsItWasWritten(t *testing.T) {
	for seed := range uint64(300) {
		chance := rand.New(rand.NewPCG(seed, 1))
		base := &counted{fails: func() bool { return chance.IntN(20) == 0 }}
		main := &mainFile{gathers: true}
		var f vfs.File = &logFile{File: base, main: main}
		var want vfsutil.SliceFile // is written at once
		size := func() int64 { n, _ := want.Size(); return n }
		for range 200 {
			off, n := chance.Int64N(size()+1), 1+chance.IntN(5000)
			switch chance.IntN(10) {
			default: // the next piece, or one of before anew
				if chance.IntN(3) > 0 {
					off = size()
				}
				p := bytes.Repeat([]byte{byte(chance.Uint32())}, n)
				if _, err := f.WriteAt(p, off); err == nil {
					want.WriteAt(p, off)
				}
			case 0:
				got, expected := make([]byte, n), make([]byte, n)
				gotN, err := f.ReadAt(got, off)
				wantN, wantErr := want.ReadAt(expected, off)
				if errors.Is(err, sqlite3.FULL) {
					continue
				}
				if gotN != wantN || !bytes.Equal(got[:gotN], expected[:wantN]) || (err == io.EOF) != (wantErr == io.EOF) {
					t.Fatalf("seed %d: read %d of %d at %d: %d, %v, want %d, %v", seed, n, size(), off, gotN, err, wantN, wantErr)
				}
			case 1:
				if got, err := f.Size(); got != size() || err != nil {
					t.Fatalf("seed %d: size %d, %v, want %d", seed, got, err, size())
				}
			case 2:
				if f.Sync(vfs.SYNC_NORMAL) == nil && !bytes.Equal(base.SliceFile, want) {
					t.Fatalf("seed %d: after a flush the file is another", seed)
				}
			case 3:
				if off = size() - chance.Int64N(size()+1)/4; f.Truncate(off) == nil {
					want.Truncate(off)
				}
			}
		}
		base.fails = nil
		if err := f.Sync(vfs.SYNC_NORMAL); err != nil || !bytes.Equal(base.SliceFile, want) {
			t.Fatalf("seed %d: at the end the file is another: %v", seed, err)
		}
	}
}

func TestALogIsWrittenInOnePieceOnlyWhereEachCommitIsFlushed(t *testing.T) {
	for synchronous, most := range map[string]int{"full": 1, "FULL": 1, "2": 1, "extra": 1, "3": 1, "normal": 99, "1": 99, "off": 99, "0": 99, "yes": 99} {
		writes, path := map[string]int{}, filepath.Join(t.TempDir(), "a.db")
		name := "log-" + synchronous
		vfs.Register(name, GatherLog(fault.Wrap(vfs.Find("os"), func(op fault.Op, _ func()) error {
			if op.Kind == fault.Write {
				writes[filepath.Ext(op.File)]++
			}
			return nil
		})))
		defer vfs.Unregister(name)
		db, err := driver.Open("file:" + path + "?vfs=" + name + "&_pragma=journal_mode(wal)")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		for _, query := range []string{"CREATE TABLE a(x)", "INSERT INTO a VALUES (1)", "PRAGMA synchronous", "PRAGMA synchronous=" + synchronous} {
			if _, err := db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
		clear(writes)
		if _, err := db.Exec(`INSERT INTO a SELECT zeroblob(9000)`); err != nil {
			t.Fatal(err)
		}
		n := writes[".db-wal"]
		if n == 0 || n > most || most > 1 && n < 4 {
			t.Errorf("synchronous=%s: %d writes", synchronous, n)
		}
		// Another connection sees the commit, and so its pieces are in the file.
		other, err := driver.Open("file:" + path + "?mode=ro")
		if err != nil {
			t.Fatal(err)
		}
		var rows int
		if err := other.QueryRow(`SELECT count(*) FROM a WHERE length(x) > 0`).Scan(&rows); err != nil || rows != 2 {
			t.Errorf("synchronous=%s: another connection sees %d rows, %v", synchronous, rows, err)
		}
		other.Close()
	}
}
