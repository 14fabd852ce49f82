package file

import (
	"strings"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// GatherLog returns base with a write-ahead log that is written in one piece. SQLite writes a commit as
// two pieces for each page, and then flushes them; here they are kept and written together when they
// are flushed, which saves most of a commit's system calls. Nobody sees the difference: until the flush
// SQLite tells nobody of what it has written, this connection reads it through the same file, and a
// process that dies before has committed nothing.
//
// That holds with synchronous=full and extra, where each commit is flushed before it is told. With any
// other value that a connection sets, its log is written piece by piece.
func GatherLog(base vfs.VFS) vfs.VFS { return &logVFS{base} }

type logVFS struct{ vfs.VFS }

var _ vfs.VFSFilename = &logVFS{}

func (v *logVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, out, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	if err != nil {
		return nil, out, err
	}
	switch {
	case flags&vfs.OPEN_MAIN_DB != 0:
		return &mainFile{File: file, gathers: true}, out, nil
	case flags&vfs.OPEN_WAL != 0:
		if main, ok := vfsutil.UnwrapFile[*mainFile](name.DatabaseFile()); ok {
			return &logFile{File: file, main: main}, out, nil
		}
	}
	return file, out, nil
}

// A mainFile is the database's file. It listens to what becomes of synchronous, and is otherwise the
// base's.
type mainFile struct {
	vfs.File
	gathers bool
}

var (
	_ vfs.FileUnwrap             = &mainFile{}
	_ vfs.FilePragma             = &mainFile{}
	_ vfs.FileLockState          = &mainFile{}
	_ vfs.FileHasMoved           = &mainFile{}
	_ vfs.FileSizeHint           = &mainFile{}
	_ vfs.FilePersistWAL         = &mainFile{}
	_ vfs.FilePowersafeOverwrite = &mainFile{}
	_ vfs.FileSharedMemory       = &mainFile{}
)

func (f *mainFile) Unwrap() vfs.File { return f.File }

// Pragma hears every PRAGMA before it is done.
func (f *mainFile) Pragma(name, value string) (string, error) {
	if name == "synchronous" && value != "" {
		switch strings.ToLower(value) {
		case "full", "extra", "2", "3":
		default:
			f.gathers = false
		}
	}
	return vfsutil.WrapPragma(f.File, name, value)
}

func (f *mainFile) LockState() vfs.LockLevel  { return vfsutil.WrapLockState(f.File) }
func (f *mainFile) HasMoved() (bool, error)   { return vfsutil.WrapHasMoved(f.File) }
func (f *mainFile) SizeHint(size int64) error { return vfsutil.WrapSizeHint(f.File, size) }
func (f *mainFile) PersistWAL() bool          { return vfsutil.WrapPersistWAL(f.File) }
func (f *mainFile) SetPersistWAL(keep bool)   { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f *mainFile) PowersafeOverwrite() bool  { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *mainFile) SetPowersafeOverwrite(psow bool) {
	vfsutil.WrapSetPowersafeOverwrite(f.File, psow)
}
func (f *mainFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }

// A logFile is a write-ahead log. kept has what is written from offset at on and is not in the file yet.
type logFile struct {
	vfs.File
	main *mainFile
	kept []byte
	at   int64
}

var (
	_ vfs.FileUnwrap    = &logFile{}
	_ vfs.FileLockState = &logFile{}
)

// maxKept is about how many bytes are kept at most.
const maxKept = 256 << 10

func (f *logFile) Unwrap() vfs.File         { return f.File }
func (f *logFile) LockState() vfs.LockLevel { return vfsutil.WrapLockState(f.File) }

// settle writes what is kept. When that fails it stays kept, and each call until it is written fails:
// a commit that lacks a piece must not succeed.
func (f *logFile) settle() error {
	if len(f.kept) == 0 {
		return nil
	}
	if _, err := f.File.WriteAt(f.kept, f.at); err != nil {
		return err
	}
	f.kept = f.kept[:0]
	return nil
}

// WriteAt keeps what follows on what is kept, or lies in it: SQLite writes a page of a long transaction
// anew at its old place.
func (f *logFile) WriteAt(p []byte, off int64) (int, error) {
	if len(f.kept) == 0 || off < f.at || off > f.at+int64(len(f.kept)) || len(f.kept) >= maxKept || !f.main.gathers {
		if err := f.settle(); err != nil {
			return 0, err
		}
		if !f.main.gathers {
			return f.File.WriteAt(p, off)
		}
		f.at = off
	}
	n := copy(f.kept[off-f.at:], p)
	f.kept = append(f.kept, p[n:]...)
	return len(p), nil
}

func (f *logFile) ReadAt(p []byte, off int64) (int, error) {
	if off < f.at+int64(len(f.kept)) && off+int64(len(p)) > f.at {
		if err := f.settle(); err != nil {
			return 0, err
		}
	}
	return f.File.ReadAt(p, off)
}

func (f *logFile) Sync(flags vfs.SyncFlag) error {
	if err := f.settle(); err != nil {
		return err
	}
	return f.File.Sync(flags)
}

func (f *logFile) Truncate(size int64) error {
	if err := f.settle(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *logFile) Size() (int64, error) {
	size, err := f.File.Size()
	if len(f.kept) > 0 {
		size = max(size, f.at+int64(len(f.kept)))
	}
	return size, err
}

// Close forgets what was not flushed: no commit has it.
func (f *logFile) Close() error {
	f.kept = nil
	return f.File.Close()
}
