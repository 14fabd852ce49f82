//go:build js

package opfs

import (
	"errors"
	"fmt"
	"sync"
	"syscall/js"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// ErrAbsent is returned by [Open] where the browser, the page or the kind of worker has no private
// file system with synchronous handles. Any other error of Open is the browser's refusal.
var ErrAbsent = errors.New("opfs: no private file system with synchronous access handles here")

// An FS is one directory of the private file system, as an SQLite VFS. Register it under a name:
//
//	fs, err := opfs.Open("lab")
//	vfs.Register("opfs", fs)
//	db, err := driver.Open(opfs.DSN("opfs", "lab.db"))
type FS struct {
	// Patience is how long opening a file waits for another handle to be closed. A worker that was
	// just ended keeps its handles for a moment.
	Patience time.Duration

	// Gather writes a run of bytes that SQLite writes piece by piece at once: a commit's log entries are
	// half a dozen pieces, and a call of the browser's costs more than the bytes. What waits is written
	// before anything else is done to any file, so that all changes are made in SQLite's order: a program
	// that dies has made the first of them. Use it with PRAGMA synchronous=full (or extra), as [DSN]
	// does: with less, a commit may still wait when the program dies.
	Gather bool

	dir js.Value

	// One buffer carries the bytes of all files: a call of JavaScript's cannot be interrupted by
	// another, but mu says so to the reader and to other platforms' schedulers.
	mu    sync.Mutex
	buf   js.Value         // Uint8Array
	size  int              // of buf
	views map[int]js.Value // buf's first n bytes, for the lengths seen most
	opts  js.Value         // {at: offset}
	at    js.Value         // a function that sets opts.at; with Set the name would be decoded at each call
	late  late
}

// late are the bytes that wait to be written.
type late struct {
	file  *file
	at    int64
	bytes []byte
}

// maxLate bounds how much waits.
const maxLate = 256 << 10

// keep keeps bytes that continue what waits, or that are the first, and says whether it did. The
// caller holds mu.
func (fs *FS) keep(f *file, p []byte, off int64) bool {
	l := &fs.late
	switch {
	case !fs.Gather || len(p) > maxLate-len(l.bytes) || f.closed:
		return false
	case len(l.bytes) == 0:
		l.file, l.at = f, off
	case l.file != f || off != l.at+int64(len(l.bytes)):
		return false
	}
	l.bytes = append(l.bytes, p...)
	return true
}

// settle writes what waits. Bytes that cannot be written are lost: whoever asks is told, and their file
// will tell SQLite. The caller holds mu.
func (fs *FS) settle() error {
	l := &fs.late
	if len(l.bytes) == 0 {
		return nil
	}
	_, err := l.file.writeNow(l.bytes, l.at)
	l.bytes = l.bytes[:0]
	l.file.lost = err
	l.file = nil
	return err
}

var _ vfs.VFS = &FS{}

// Open opens the directory of that name, and makes it when there is none.
func Open(name string) (*FS, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	storage := js.Global().Get("navigator").Get("storage")
	if storage.IsUndefined() || storage.Get("getDirectory").IsUndefined() {
		return nil, ErrAbsent
	}
	handle := js.Global().Get("FileSystemFileHandle")
	if handle.IsUndefined() || handle.Get("prototype").Get("createSyncAccessHandle").IsUndefined() {
		return nil, ErrAbsent
	}
	root, err := await(storage.Call("getDirectory"))
	if err != nil {
		return nil, err
	}
	dir, err := await(root.Call("getDirectoryHandle", name, map[string]any{"create": true}))
	if err != nil {
		return nil, err
	}
	fs := &FS{dir: dir, opts: js.Global().Get("Object").New()}
	fs.at = js.Global().Get("Reflect").Get("set").Call("bind", js.Undefined(), fs.opts, "at")
	fs.grow(64 << 10)
	return fs, nil
}

// Open opens a file. A file that has a handle already is sqlite3.BUSY, after Patience.
func (fs *FS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name == "" { // a temporary file: nobody opens it again
		return &vfsutil.SliceFile{}, flags | vfs.OPEN_MEMORY, nil
	}
	if err := checkName(name); err != nil {
		return nil, flags, vfs.SystemError(err, sqlite3.CANTOPEN)
	}
	if err := fs.settled(); err != nil {
		return nil, flags, err
	}
	create := flags&vfs.OPEN_CREATE != 0
	if create && flags&vfs.OPEN_EXCLUSIVE != 0 {
		if there, err := fs.Access(name, vfs.ACCESS_EXISTS); err != nil || there {
			return nil, flags, sqlite3.CANTOPEN
		}
	}
	entry, err := await(fs.dir.Call("getFileHandle", name, map[string]any{"create": create}))
	if err != nil {
		return nil, flags, mapped(err, exception(err), sqlite3.ExtendedErrorCode(sqlite3.CANTOPEN))
	}
	handle, err := fs.handle(entry)
	if err != nil {
		return nil, flags, mapped(err, exception(err), sqlite3.ExtendedErrorCode(sqlite3.CANTOPEN))
	}
	return newFile(fs, name, handle, flags), flags, nil
}

func (fs *FS) handle(entry js.Value) (js.Value, error) {
	var waited time.Duration
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		handle, err := await(entry.Call("createSyncAccessHandle"))
		if err == nil || waited >= fs.Patience || exception(err) != "NoModificationAllowedError" {
			return handle, err
		}
		time.Sleep(pause)
		waited += pause
	}
}

func (fs *FS) settled() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.settle()
}

// Delete removes a file. When it returns nil the file is gone from the directory; the standard has no
// flush for a directory, so that syncDir asks for nothing more.
func (fs *FS) Delete(name string, syncDir bool) error {
	if err := checkName(name); err != nil {
		return vfs.SystemError(err, sqlite3.IOERR_DELETE)
	}
	if err := fs.settled(); err != nil {
		return err
	}
	if err := fs.remove(name); err != nil {
		return mapped(err, exception(err), sqlite3.IOERR_DELETE)
	}
	return nil
}

func (fs *FS) remove(name string) error {
	_, err := await(fs.dir.Call("removeEntry", name))
	return err
}

// Access tells whether there is a file. It makes none.
func (fs *FS) Access(name string, flags vfs.AccessFlag) (bool, error) {
	if checkName(name) != nil {
		return false, nil // it cannot be made, so it is not there
	}
	_, err := await(fs.dir.Call("getFileHandle", name))
	if err == nil {
		return true, nil
	}
	if exception(err) == "NotFoundError" {
		return false, nil
	}
	return false, mapped(err, exception(err), sqlite3.IOERR_ACCESS)
}

// FullPathname is the name itself: there is one directory.
func (fs *FS) FullPathname(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", vfs.SystemError(err, sqlite3.CANTOPEN_FULLPATH)
	}
	return name, nil
}

// Remove deletes a closed database with its journals. One that is not there is no error.
func (fs *FS) Remove(database string) error {
	if err := checkName(database); err != nil {
		return err
	}
	var errs []error
	for _, tail := range []string{"-journal", "-wal", ""} {
		if err := fs.remove(database + tail); err != nil && exception(err) != "NotFoundError" {
			errs = append(errs, fmt.Errorf("opfs: removing %s%s: %w", database, tail, err))
		}
	}
	return errors.Join(errs...)
}

// view is a Uint8Array over the first n bytes of the buffer. The caller holds mu.
func (fs *FS) view(n int) js.Value {
	if v, ok := fs.views[n]; ok {
		return v
	}
	if n > fs.size {
		fs.grow(n)
	}
	v := fs.buf.Call("subarray", 0, n)
	if len(fs.views) < 32 { // SQLite uses a few lengths again and again
		fs.views[n] = v
	}
	return v
}

func (fs *FS) grow(n int) {
	size := 4096
	for size < n {
		size *= 2
	}
	fs.buf = js.Global().Get("Uint8Array").New(size)
	fs.size = size
	fs.views = map[int]js.Value{}
}
