package student

import (
	"encoding/binary"
	"io"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// A store keeps one database in memory and can be put back to what it was: connections and what they
// have prepared stay, which is what a lab that plays hundreds of scenarios spends most of its time on.
// It is used by one goroutine at a time, and its locks never wait, so it may be used while JavaScript
// waits.
type store struct {
	data     []byte
	shared   int
	reserved bool
	pending  bool
	changes  uint32 // counts how often it was put back
}

// most is how large a store may become; SQLite's own limit of pages is reached earlier.
const mostData = maxPages*4096 + 1<<16

// An image is what a store was at a time.
type image []byte

func (s *store) image() image { return append(image(nil), s.data...) }

// Where SQLite's file format has the counter of changes, the cookie of the schema, and the counter's value
// when the size was written.
const (
	changeCounter = 24
	schemaCookie  = 40
	versionValid  = 92
	header        = 100
)

// same says whether a store is what an image is, apart from how often it was changed.
func (s *store) same(i image) bool {
	return len(s.data) == len(i) &&
		string(s.data[:changeCounter]) == string(i[:changeCounter]) &&
		string(s.data[changeCounter+4:versionValid]) == string(i[changeCounter+4:versionValid]) &&
		string(s.data[versionValid+8:]) == string(i[versionValid+8:])
}

// restore puts the store back to an image. No connection may be in a transaction. Each sees by the counter of
// changes that what it has cached is old.
func (s *store) restore(i image) {
	s.data = append(s.data[:0], i...)
	s.changes++
	counter := binary.BigEndian.Uint32(i[changeCounter:]) + s.changes<<16 // a scenario makes fewer changes
	binary.BigEndian.PutUint32(s.data[changeCounter:], counter)
	binary.BigEndian.PutUint32(s.data[versionValid:], counter)
}

// cookie is the number of the schema: a connection knows by it whether the one that it has read, and what
// it has prepared, is still right.
func (s *store) cookie() uint32 { return binary.BigEndian.Uint32(s.data[schemaCookie:]) }

func (s *store) setCookie(n uint32) { binary.BigEndian.PutUint32(s.data[schemaCookie:], n) }

// A storeVFS has one store, as the database of any name.
type storeVFS struct{ *store }

func (v storeVFS) Open(_ string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	switch {
	case flags&vfs.OPEN_MAIN_DB != 0:
		return &storeFile{store: v.store}, flags | vfs.OPEN_MEMORY, nil // journals stay in memory, too
	case flags&vfs.OPEN_TEMP_JOURNAL != 0:
		return &vfsutil.SliceFile{}, flags | vfs.OPEN_MEMORY, nil
	case flags&(vfs.OPEN_TEMP_DB|vfs.OPEN_TRANSIENT_DB) != 0:
		return &storeFile{store: &store{}}, flags | vfs.OPEN_MEMORY, nil
	}
	return nil, flags, sqlite3.CANTOPEN
}

func (storeVFS) Delete(string, bool) error                   { return sqlite3.IOERR_DELETE_NOENT }
func (storeVFS) Access(string, vfs.AccessFlag) (bool, error) { return false, nil }
func (storeVFS) FullPathname(name string) (string, error)    { return name, nil }

// A storeFile is a connection's view of a store.
type storeFile struct {
	*store
	lock vfs.LockLevel
}

func (f *storeFile) Close() error { return f.Unlock(vfs.LOCK_NONE) }

func (f *storeFile) ReadAt(b []byte, off int64) (int, error) {
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *storeFile) WriteAt(b []byte, off int64) (int, error) {
	end := off + int64(len(b))
	if end > mostData {
		return 0, sqlite3.FULL
	}
	if grow := end - int64(len(f.data)); grow > 0 {
		f.data = append(f.data, make([]byte, grow)...)
	}
	return copy(f.data[off:], b), nil
}

func (f *storeFile) Truncate(size int64) error {
	if size > mostData {
		return sqlite3.FULL
	}
	if size <= int64(len(f.data)) {
		f.data = f.data[:size]
	} else {
		f.data = append(f.data, make([]byte, size-int64(len(f.data)))...)
	}
	return nil
}

func (f *storeFile) Size() (int64, error)     { return int64(len(f.data)), nil }
func (*storeFile) Sync(vfs.SyncFlag) error    { return nil }
func (*storeFile) SectorSize() int            { return 4096 }
func (f *storeFile) LockState() vfs.LockLevel { return f.lock }

func (*storeFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_ATOMIC | vfs.IOCAP_SEQUENTIAL | vfs.IOCAP_SAFE_APPEND | vfs.IOCAP_POWERSAFE_OVERWRITE
}

// Lock takes a lock as SQLite's rollback mode has them: many readers, one that will write, and one that
// writes when the readers are gone.
func (f *storeFile) Lock(lock vfs.LockLevel) error {
	if f.lock >= lock {
		return nil
	}
	switch lock {
	case vfs.LOCK_SHARED:
		if f.pending {
			return sqlite3.BUSY
		}
		f.shared++
	case vfs.LOCK_RESERVED:
		if f.reserved {
			return sqlite3.BUSY
		}
		f.reserved = true
	case vfs.LOCK_EXCLUSIVE:
		if f.lock == vfs.LOCK_RESERVED {
			f.lock, f.pending = vfs.LOCK_PENDING, true
		}
		if f.shared > 1 {
			return sqlite3.BUSY
		}
	}
	f.lock = lock
	return nil
}

func (f *storeFile) Unlock(lock vfs.LockLevel) error {
	if f.lock <= lock {
		return nil
	}
	if f.lock >= vfs.LOCK_RESERVED {
		f.reserved = false
	}
	if f.lock >= vfs.LOCK_PENDING {
		f.pending = false
	}
	if lock < vfs.LOCK_SHARED {
		f.shared--
	}
	f.lock = lock
	return nil
}

func (f *storeFile) CheckReservedLock() (bool, error) { return f.reserved, nil }
