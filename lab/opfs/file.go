//go:build js

package opfs

import (
	"io"
	"syscall/js"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// A file is an open file: an exclusive synchronous access handle, and its methods bound once, since
// looking a method up by name at each call costs as much as a small read.
type file struct {
	fs   *FS
	name string

	handle                             js.Value
	read, write, flush, size, truncate js.Value

	flags  vfs.OpenFlag
	lock   vfs.LockLevel
	lost   error // why bytes that were to be written late are lost; SQLite has not heard of it yet
	closed bool
}

var _ vfs.FileLockState = &file{}

func newFile(fs *FS, name string, handle js.Value, flags vfs.OpenFlag) *file {
	bound := func(method string) js.Value { return handle.Get(method).Call("bind", handle) }
	return &file{
		fs: fs, name: name, handle: handle, flags: flags,
		read: bound("read"), write: bound("write"), flush: bound("flush"), size: bound("getSize"), truncate: bound("truncate"),
	}
}

// caught turns an exception that a call of JavaScript's threw into an error with SQLite's code.
func caught(err *error, otherwise sqlite3.ExtendedErrorCode) {
	switch r := recover().(type) {
	case nil:
	case js.Error:
		*err = mapped(r, exception(r), otherwise)
	default:
		panic(r)
	}
}

// Close closes the handle. Closing again does nothing.
func (f *file) Close() (err error) {
	if f.closed {
		return nil
	}
	f.fs.mu.Lock()
	err = f.settle()
	f.fs.mu.Unlock()
	f.closed = true
	f.lock = vfs.LOCK_NONE
	if closeErr := f.close(); err == nil {
		err = closeErr
	}
	if f.flags&vfs.OPEN_DELETEONCLOSE != 0 && err == nil {
		return f.fs.Delete(f.name, false)
	}
	return err
}

func (f *file) close() (err error) {
	defer caught(&err, sqlite3.IOERR_CLOSE)
	f.handle.Call("close")
	return nil
}

// settle writes what waits to be written, of this file or of another one, and tells once when bytes of
// this file were lost. The caller holds the FS's mu.
func (f *file) settle() error {
	err := f.fs.settle()
	if f.lost != nil {
		err, f.lost = f.lost, nil
	}
	return err
}

// ReadAt fills p from offset off. At the end of the file it reads less and returns io.EOF; the rest
// of p is zero then, as SQLite wants it.
func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	defer caught(&err, sqlite3.IOERR_READ)
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.settle(); err != nil {
		return 0, err
	}
	for n < len(p) {
		view := f.fs.view(len(p) - n)
		f.fs.at.Invoke(off + int64(n))
		got := f.read.Invoke(view, f.fs.opts).Int()
		if got == 0 {
			clear(p[n:])
			return n, io.EOF
		}
		if got < len(p)-n {
			view = f.fs.view(got)
		}
		n += js.CopyBytesToGo(p[n:], view)
	}
	return n, nil
}

// WriteAt writes p at offset off, or keeps it to be written together with what follows it, see
// [FS.Gather].
func (f *file) WriteAt(p []byte, off int64) (n int, err error) {
	if f.flags&vfs.OPEN_READONLY != 0 {
		return 0, sqlite3.READONLY
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.lost == nil && f.fs.keep(f, p, off) {
		return len(p), nil
	}
	if err := f.settle(); err != nil {
		return 0, err
	}
	if f.fs.keep(f, p, off) {
		return len(p), nil
	}
	return f.writeNow(p, off)
}

// writeNow writes p. A write that the browser did in part goes on; one that makes no progress is
// sqlite3.FULL.
func (f *file) writeNow(p []byte, off int64) (n int, err error) {
	defer caught(&err, sqlite3.IOERR_WRITE)
	for n < len(p) {
		view := f.fs.view(len(p) - n)
		js.CopyBytesToJS(view, p[n:])
		f.fs.at.Invoke(off + int64(n))
		wrote := f.write.Invoke(view, f.fs.opts).Int()
		if wrote == 0 {
			return n, sqlite3.FULL
		}
		n += wrote
	}
	return n, nil
}

// settled calls one of the handle's methods when nothing waits to be written any more.
func (f *file) settled(code sqlite3.ExtendedErrorCode, method js.Value, args ...any) (result js.Value, err error) {
	defer caught(&err, code)
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.settle(); err != nil {
		return js.Undefined(), err
	}
	return method.Invoke(args...), nil
}

func (f *file) Truncate(size int64) error {
	if f.flags&vfs.OPEN_READONLY != 0 {
		return sqlite3.READONLY
	}
	_, err := f.settled(sqlite3.IOERR_TRUNCATE, f.truncate, size)
	return err
}

// Sync hands everything written to the device. The standard has one kind of flush, which is SQLite's
// full one.
func (f *file) Sync(vfs.SyncFlag) error {
	_, err := f.settled(sqlite3.IOERR_FSYNC, f.flush)
	return err
}

func (f *file) Size() (int64, error) {
	size, err := f.settled(sqlite3.IOERR_FSTAT, f.size)
	if err != nil {
		return 0, err
	}
	return int64(size.Float()), nil
}

// The handle is exclusive: whoever has it has every lock. The levels are kept for SQLite's own checks.

func (f *file) Lock(lock vfs.LockLevel) error {
	f.lock = max(f.lock, lock)
	return nil
}

func (f *file) Unlock(lock vfs.LockLevel) error {
	f.lock = min(f.lock, lock)
	return nil
}

func (f *file) CheckReservedLock() (bool, error) { return f.lock >= vfs.LOCK_RESERVED, nil }
func (f *file) LockState() vfs.LockLevel         { return f.lock }

// SectorSize is SQLite's default: the standard does not tell.
func (f *file) SectorSize() int { return 4096 }

// DeviceCharacteristics promises only what the File System Standard promises: a file with an open
// handle cannot be removed, and any range of bytes can be read. It says nothing on what a loss of
// power leaves of the bytes beside those written, so that POWERSAFE_OVERWRITE
// (https://sqlite.org/psow.html) is not claimed: SQLite then fills the log up to a sector's end at each
// commit, one write more. The official sqlite-wasm does not claim it either.
func (f *file) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_UNDELETABLE_WHEN_OPEN | vfs.IOCAP_SUBPAGE_READ
}
