// Package fault is an SQLite VFS around another one that fails, or dies, at a chosen operation: it is
// how the tests find out what a full disk, a broken one and a killed process leave behind.
package fault

import (
	"sync"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// The operations that change a file. Reads are not counted.
const (
	Open     = "open" // of a file that may be created
	Write    = "write"
	Truncate = "truncate"
	Sync     = "sync"
	Delete   = "delete"
)

// An Op is one operation that is about to be done.
type Op struct {
	Kind string // Open, Write, Truncate, Sync or Delete
	File string
	No   int // counts all operations, from 1
}

// A Hook decides about an operation before it is done. When it returns nil the operation goes on; an
// error is returned to SQLite instead (give it one of SQLite's codes). A hook that does not return is
// a process that died: part, called before, does the first half of a write, as a torn one would.
type Hook func(op Op, part func()) error

// Wrap returns base with the hook before each operation.
func Wrap(base vfs.VFS, hook Hook) vfs.VFS { return &faulty{VFS: base, hook: hook} }

type faulty struct {
	vfs.VFS
	hook Hook

	mu sync.Mutex
	no int
}

func (f *faulty) ask(kind, name string, part func()) error {
	f.mu.Lock()
	f.no++
	no := f.no
	f.mu.Unlock()
	return f.hook(Op{Kind: kind, File: name, No: no}, part)
}

func nothing() {}

func (f *faulty) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return f.open(name, flags, func() (vfs.File, vfs.OpenFlag, error) { return vfsutil.WrapOpen(f.VFS, name, flags) })
}

// OpenFilename is for a base that wants more than a name: the operating system's VFS does.
func (f *faulty) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return f.open(name.String(), flags, func() (vfs.File, vfs.OpenFlag, error) {
		return vfsutil.WrapOpenFilename(f.VFS, name, flags)
	})
}

func (f *faulty) open(name string, flags vfs.OpenFlag, open func() (vfs.File, vfs.OpenFlag, error)) (vfs.File, vfs.OpenFlag, error) {
	if flags&vfs.OPEN_CREATE != 0 {
		if err := f.ask(Open, name, nothing); err != nil {
			return nil, flags, err
		}
	}
	file, flags, err := open()
	if err != nil {
		return nil, flags, err
	}
	return &faultyFile{File: file, of: f, name: name}, flags, nil
}

func (f *faulty) Delete(name string, syncDir bool) error {
	if err := f.ask(Delete, name, nothing); err != nil {
		return err
	}
	return f.VFS.Delete(name, syncDir)
}

type faultyFile struct {
	vfs.File
	of   *faulty
	name string
}

var (
	_ vfs.VFSFilename      = &faulty{}
	_ vfs.FileUnwrap       = &faultyFile{}
	_ vfs.FileLockState    = &faultyFile{}
	_ vfs.FileSharedMemory = &faultyFile{}
)

func (f *faultyFile) Unwrap() vfs.File         { return f.File }
func (f *faultyFile) LockState() vfs.LockLevel { return vfsutil.WrapLockState(f.File) }

// SharedMemory is the base's, so that several connections may share a write-ahead log.
func (f *faultyFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.of.ask(Write, f.name, func() { f.File.WriteAt(p[:len(p)/2], off) }); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.of.ask(Truncate, f.name, nothing); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync(flags vfs.SyncFlag) error {
	if err := f.of.ask(Sync, f.name, nothing); err != nil {
		return err
	}
	return f.File.Sync(flags)
}
