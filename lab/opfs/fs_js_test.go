package opfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

const mainDB = vfs.OPEN_MAIN_DB | vfs.OPEN_READWRITE | vfs.OPEN_CREATE

// room opens a directory of the test's own.
func room(t *testing.T) *FS {
	t.Helper()
	fs, err := Open(DirName("test", t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	fs.Gather = os.Getenv("GATHER") == "true"
	return fs
}

func open(t *testing.T, fs *FS, name string) vfs.File {
	t.Helper()
	f, _, err := fs.Open(name, mainDB)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close(); fs.Remove(name) })
	return f
}

// has tells whether SQLite sees that code. The VFS layer's error type is its own, so that the answer
// comes through a connection: a VFS that fails to open with err.
func has(err error, code error) bool {
	if err == nil {
		return false
	}
	vfs.Register("failing", failing{err})
	defer vfs.Unregister("failing")
	_, got := sqlite3.Open("file:x?vfs=failing")
	return errors.Is(got, code)
}

type failing struct{ err error }

func (f failing) Open(string, vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) { return nil, 0, f.err }
func (f failing) Delete(string, bool) error                                 { return f.err }
func (f failing) Access(string, vfs.AccessFlag) (bool, error)               { return false, f.err }
func (f failing) FullPathname(name string) (string, error)                  { return name, nil }

func TestTabShortReadsAreFilledWithZeros(t *testing.T) {
	f := open(t, room(t), "f")
	if _, err := f.WriteAt([]byte("abc"), 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		off  int64
		n    int
		want string
	}{{0, 3, "abc\xff\xff\xff\xff\xff"}, {1, 2, "bc"}, {3, 0, ""}, {100, 0, ""}} {
		p := bytes.Repeat([]byte{0xff}, 8)
		n, err := f.ReadAt(p, c.off)
		if n != c.n || err != io.EOF || !bytes.Equal(p[n:], make([]byte, 8-n)) || string(p[:n]) != strings.TrimRight(c.want, "\xff") {
			t.Errorf("at %d: %q, %d, %v", c.off, p, n, err)
		}
	}
	p := make([]byte, 3)
	if n, err := f.ReadAt(p, 0); n != 3 || err != nil || string(p) != "abc" {
		t.Errorf("a whole read gives %q, %d, %v", p, n, err)
	}
}

func TestTabReadsAndWritesLargerThanTheBuffer(t *testing.T) {
	f := open(t, room(t), "f")
	for _, size := range []int{1, 4096, 65536, 65537, 300_000, 1 << 20} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i*7 + size)
		}
		if n, err := f.WriteAt(want, 11); n != size || err != nil {
			t.Fatalf("%d: wrote %d, %v", size, n, err)
		}
		got := make([]byte, size)
		if n, err := f.ReadAt(got, 11); n != size || err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d: read %d, %v, equal %v", size, n, err, bytes.Equal(got, want))
		}
		if have, err := f.Size(); have != int64(size)+11 || err != nil {
			t.Errorf("%d: size %d, %v", size, have, err)
		}
	}
}

func TestTabAGapIsZerosAndTruncateCuts(t *testing.T) {
	f := open(t, room(t), "f")
	if _, err := f.WriteAt([]byte{7}, 9999); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 10_000)
	p[5] = 1
	if n, err := f.ReadAt(p, 0); n != 10_000 || err != nil || p[5] != 0 || p[9999] != 7 {
		t.Errorf("%d, %v, %d, %d", n, err, p[5], p[9999])
	}
	if err := f.Truncate(100); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Size(); n != 100 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
	if n, err := f.ReadAt(p[:200], 0); n != 100 || err != io.EOF {
		t.Errorf("read %d, %v", n, err)
	}
	if err := f.Sync(vfs.SYNC_FULL | vfs.SYNC_DATAONLY); err != nil {
		t.Error(err)
	}
}

func TestTabAccessMakesNoFile(t *testing.T) {
	fs := room(t)
	for range 2 {
		if there, err := fs.Access("nothing", vfs.ACCESS_EXISTS); there || err != nil {
			t.Fatalf("%v, %v", there, err)
		}
	}
	open(t, fs, "something")
	if there, err := fs.Access("something", vfs.ACCESS_EXISTS); !there || err != nil {
		t.Errorf("%v, %v", there, err)
	}
	if there, err := fs.Access("../something", vfs.ACCESS_EXISTS); there || err != nil {
		t.Errorf("%v, %v", there, err)
	}
}

func TestTabErrorsHaveSQLitesCodes(t *testing.T) {
	fs := room(t)
	f := open(t, fs, "f")
	_, _, missing := fs.Open("missing", vfs.OPEN_MAIN_DB|vfs.OPEN_READWRITE)
	_, _, outside := fs.Open("../f", mainDB)
	_, _, again := fs.Open("f", mainDB)
	_, _, exclusive := fs.Open("f", mainDB|vfs.OPEN_EXCLUSIVE)
	_, path := fs.FullPathname("a/b")
	if _, err := await(fs.dir.Call("getDirectoryHandle", "d", map[string]any{"create": true})); err != nil {
		t.Fatal(err)
	}
	_, _, directory := fs.Open("d", mainDB)
	for _, c := range []struct {
		what string
		err  error
		want error
	}{
		{"opening a missing file", missing, sqlite3.CANTOPEN},
		{"opening a file outside", outside, sqlite3.CANTOPEN},
		{"opening an open file", again, sqlite3.BUSY},
		{"making a file that exists", exclusive, sqlite3.CANTOPEN},
		{"opening a directory", directory, sqlite3.CANTOPEN_ISDIR},
		{"a path with a slash", path, sqlite3.CANTOPEN_FULLPATH},
		{"deleting a missing file", fs.Delete("missing", true), sqlite3.IOERR_DELETE_NOENT},
		{"deleting a file outside", fs.Delete("../f", true), sqlite3.IOERR_DELETE},
		{"deleting an open file", fs.Delete("f", true), sqlite3.BUSY},
	} {
		if !has(c.err, c.want) {
			t.Errorf("%s gives %#v, want %v", c.what, c.err, c.want)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); !has(err, sqlite3.IOERR_READ) {
		t.Errorf("reading a closed file gives %v", err)
	}
	if _, err := f.WriteAt(make([]byte, 1), 0); !has(err, sqlite3.IOERR_WRITE) {
		t.Errorf("writing a closed file gives %v", err)
	}
	if err := f.Sync(vfs.SYNC_FULL); !has(err, sqlite3.IOERR_FSYNC) {
		t.Errorf("flushing a closed file gives %v", err)
	}
	if err := f.Truncate(0); !has(err, sqlite3.IOERR_TRUNCATE) {
		t.Errorf("truncating a closed file gives %v", err)
	}
	if _, err := f.Size(); !has(err, sqlite3.IOERR_FSTAT) {
		t.Errorf("the size of a closed file gives %v", err)
	}
	if err := fs.Delete("f", true); err != nil {
		t.Errorf("deleting a closed file: %v", err)
	}
	if there, _ := fs.Access("f", vfs.ACCESS_EXISTS); there {
		t.Error("a deleted file is still there")
	}
}

func TestTabAReadOnlyFileIsNotWritten(t *testing.T) {
	fs := room(t)
	open(t, fs, "f").Close()
	f, _, err := fs.Open("f", vfs.OPEN_MAIN_DB|vfs.OPEN_READONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("x"), 0); !has(err, sqlite3.READONLY) {
		t.Error(err)
	}
	if err := f.Truncate(0); !has(err, sqlite3.READONLY) {
		t.Error(err)
	}
}

func TestTabOpeningWaitsForAHandleToBeClosed(t *testing.T) {
	fs := room(t)
	fs.Patience = 10 * time.Second
	f := open(t, fs, "f")
	time.AfterFunc(20*time.Millisecond, func() { f.Close() })
	g, _, err := fs.Open("f", mainDB)
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
}

// fake is a handle whose methods the test chooses.
func fake(fs *FS, methods map[string]js.Value) vfs.File {
	h := js.Global().Get("Object").New()
	for _, m := range []string{"read", "write", "flush", "getSize", "truncate", "close"} {
		v, ok := methods[m]
		if !ok {
			v = throws("InvalidStateError")
		}
		h.Set(m, v)
	}
	return newFile(fs, "fake", h, mainDB)
}

// throws is a function of JavaScript's that throws that exception.
func throws(name string) js.Value {
	e := js.Global().Get("DOMException").New("thrown by the test", name)
	signal := js.Global().Get("AbortSignal").Call("abort", e)
	return signal.Get("throwIfAborted").Call("bind", signal)
}

func TestTabShortWritesGoOn(t *testing.T) {
	fs := room(t)
	fs.Gather = false
	var got []byte
	limit := 1000
	write := js.FuncOf(func(_ js.Value, args []js.Value) any {
		p := make([]byte, args[0].Length())
		js.CopyBytesToGo(p, args[0])
		if at := args[1].Get("at").Int(); at != len(got) {
			t.Errorf("written at %d, want %d", at, len(got))
		}
		n := min(len(p), 300, limit-len(got))
		got = append(got, p[:n]...)
		return n
	})
	defer write.Release()
	f := fake(fs, map[string]js.Value{"write": write.Value})
	want := make([]byte, 1000)
	for i := range want {
		want[i] = byte(i * 3)
	}
	if n, err := f.WriteAt(want, 0); n != 1000 || err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d, %v, equal %v", n, err, bytes.Equal(got, want))
	}
	got, limit = nil, 700
	if n, err := f.WriteAt(want, 0); n != 700 || !has(err, sqlite3.FULL) {
		t.Errorf("without progress: %d, %v, want sqlite3.FULL", n, err)
	}
}

func TestTabShortReadsGoOn(t *testing.T) {
	fs := room(t)
	content := []byte("the whole content of the file")
	read := js.FuncOf(func(_ js.Value, args []js.Value) any {
		at := args[1].Get("at").Int()
		n := min(5, len(content)-at, args[0].Length())
		js.CopyBytesToJS(args[0], content[at:at+n])
		return n
	})
	defer read.Release()
	f := fake(fs, map[string]js.Value{"read": read.Value})
	p := make([]byte, len(content))
	if n, err := f.ReadAt(p, 0); n != len(content) || err != nil || !bytes.Equal(p, content) {
		t.Errorf("%d, %v, %q", n, err, p)
	}
}

func TestTabExceptionsHaveSQLitesCodes(t *testing.T) {
	fs := room(t)
	fs.Gather = false
	full := fake(fs, map[string]js.Value{"write": throws("QuotaExceededError"), "truncate": throws("QuotaExceededError")})
	if _, err := full.WriteAt([]byte("x"), 0); !has(err, sqlite3.FULL) {
		t.Errorf("a write over the quota gives %#v", err)
	}
	if err := full.Truncate(10); !has(err, sqlite3.FULL) {
		t.Errorf("a truncate over the quota gives %#v", err)
	}
	broken := fake(fs, nil)
	for what, c := range map[string]struct{ got, want error }{
		"read":     {second(broken.ReadAt(make([]byte, 1), 0)), sqlite3.IOERR_READ},
		"write":    {second(broken.WriteAt(make([]byte, 1), 0)), sqlite3.IOERR_WRITE},
		"flush":    {broken.Sync(vfs.SYNC_FULL), sqlite3.IOERR_FSYNC},
		"truncate": {broken.Truncate(0), sqlite3.IOERR_TRUNCATE},
		"size":     {second(broken.Size()), sqlite3.IOERR_FSTAT},
		"close":    {broken.Close(), sqlite3.IOERR_CLOSE},
	} {
		if !has(c.got, c.want) {
			t.Errorf("%s gives %#v, want %v", what, c.got, c.want)
		}
	}
	// An exception must not leave the shared buffer locked.
	f := open(t, fs, "sound")
	if _, err := f.WriteAt([]byte("x"), 0); err != nil {
		t.Errorf("another file, afterwards: %v", err)
	}
}

func TestTabPiecesAreWrittenAtOnceAndInOrder(t *testing.T) {
	fs := room(t)
	fs.Gather = true
	var done []string
	handle := func(name string) vfs.File {
		write := js.FuncOf(func(_ js.Value, args []js.Value) any {
			done = append(done, fmt.Sprintf("%s %d+%d", name, args[1].Get("at").Int(), args[0].Length()))
			return args[0].Length()
		})
		t.Cleanup(write.Release)
		flush := js.FuncOf(func(js.Value, []js.Value) any { done = append(done, name+" flush"); return nil })
		t.Cleanup(flush.Release)
		return fake(fs, map[string]js.Value{"write": write.Value, "flush": flush.Value})
	}
	f, g := handle("f"), handle("g")
	write := func(f vfs.File, at, n int) {
		t.Helper()
		if got, err := f.WriteAt(make([]byte, n), int64(at)); got != n || err != nil {
			t.Fatal(got, err)
		}
	}
	write(f, 0, 24)
	write(f, 24, 4096)
	write(f, 4120, 24)
	write(f, 100, 10) // not after the last
	write(g, 110, 10) // another file
	write(g, 120, 10)
	if err := f.Sync(vfs.SYNC_FULL); err != nil { // of f, and yet what waits for g comes first
		t.Fatal(err)
	}
	write(g, 0, maxLate+1) // too much to wait
	write(g, 0, maxLate-1)
	write(g, maxLate-1, 2)
	if there, err := fs.Access("x", vfs.ACCESS_EXISTS); there || err != nil {
		t.Fatal(there, err)
	}
	if err := fs.Delete("x", false); !has(err, sqlite3.IOERR_DELETE_NOENT) {
		t.Error(err)
	}
	want := fmt.Sprintf("f 0+4144, f 100+10, g 110+20, f flush, g 0+%d, g 0+%d, g %d+2", maxLate+1, maxLate-1, maxLate-1)
	if got := strings.Join(done, ", "); got != want {
		t.Errorf("done: %s\nwant: %s", got, want)
	}
}

func TestTabALateWriteThatFailsIsTold(t *testing.T) {
	fs := room(t)
	fs.Gather = true
	nothing := js.FuncOf(func(js.Value, []js.Value) any { return nil })
	defer nothing.Release()
	full := func() vfs.File {
		return fake(fs, map[string]js.Value{"write": throws("QuotaExceededError"), "flush": nothing.Value})
	}
	f := full()
	if _, err := f.WriteAt([]byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(vfs.SYNC_FULL); !has(err, sqlite3.FULL) {
		t.Errorf("the flush gives %v", err)
	}
	if err := f.Sync(vfs.SYNC_FULL); err != nil {
		t.Errorf("a second flush gives %v", err)
	}
	// Another file finds out first: both are told.
	g := open(t, fs, "g")
	if _, err := f.WriteAt([]byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := g.WriteAt([]byte("x"), 0); !has(err, sqlite3.FULL) {
		t.Errorf("another file's write gives %v", err)
	}
	if _, err := f.WriteAt([]byte("y"), 1); !has(err, sqlite3.FULL) {
		t.Errorf("the file's next write gives %v", err)
	}
	if err := f.Sync(vfs.SYNC_FULL); err != nil {
		t.Errorf("the flush after that gives %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
