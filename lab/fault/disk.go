package fault

import (
	"io"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// A Disk is an SQLite VFS in memory that knows which writes were flushed and which were not, so that a
// test can cut its power. It has no locks and no shared memory: one connection at a time, and a
// write-ahead log only with locking_mode=exclusive. Its zero value is an empty disk.
type Disk struct {
	mu    sync.Mutex
	files map[string]*diskFile
}

type diskFile struct {
	disk    *Disk
	now     []byte // as the program sees it
	flushed []byte
	pending []pendingWrite // since the last flush, in order
}

// A pendingWrite is a write, or a truncation when data is nil.
type pendingWrite struct {
	off  int64
	data []byte
}

// After is the disk that is found when the power comes back. Each unflushed write is there with the
// first kept(length) of its bytes, in the order of writing; an unflushed truncation counts as a write
// of length 0 and is there when kept(0) is not negative. Files that were deleted stay deleted.
func (d *Disk) After(kept func(length int) int) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	after := &Disk{files: map[string]*diskFile{}}
	for name, f := range d.files {
		data := append([]byte(nil), f.flushed...)
		for _, w := range f.pending {
			n := kept(len(w.data))
			switch {
			case w.data != nil && n > 0:
				data = put(data, w.data[:n], w.off)
			case w.data == nil && n >= 0:
				data = resize(data, w.off)
			}
		}
		after.files[name] = &diskFile{disk: after, now: data, flushed: append([]byte(nil), data...)}
	}
	return after
}

// Nothing and Everything are what a power cut keeps of the unflushed writes: nothing, and all of them,
// as the death of a process does.
func Nothing(int) int           { return -1 }
func Everything(length int) int { return length }

// Open opens a file, and makes it with OPEN_CREATE.
func (d *Disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name == "" { // a temporary file: nobody opens it again
		return &vfsutil.SliceFile{}, flags | vfs.OPEN_MEMORY, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil {
		if flags&vfs.OPEN_CREATE == 0 {
			return nil, flags, sqlite3.CANTOPEN
		}
		if d.files == nil {
			d.files = map[string]*diskFile{}
		}
		f = &diskFile{disk: d}
		d.files[name] = f
	}
	return f, flags, nil
}

// Delete removes a file; syncDir changes nothing.
func (d *Disk) Delete(name string, _ bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		return sqlite3.IOERR_DELETE_NOENT
	}
	delete(d.files, name)
	return nil
}

// Access says whether there is a file.
func (d *Disk) Access(name string, _ vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name] != nil, nil
}

// FullPathname is the name itself.
func (d *Disk) FullPathname(name string) (string, error) { return name, nil }

func put(to, data []byte, off int64) []byte {
	if end := off + int64(len(data)); end > int64(len(to)) {
		to = resize(to, end)
	}
	copy(to[off:], data)
	return to
}

func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if off >= int64(len(f.now)) {
		return 0, io.EOF
	}
	n := copy(p, f.now[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.now = put(f.now, p, off)
	f.pending = append(f.pending, pendingWrite{off, append([]byte{}, p...)})
	return len(p), nil
}

func (f *diskFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.now = resize(f.now, size)
	f.pending = append(f.pending, pendingWrite{size, nil})
	return nil
}

func (f *diskFile) Sync(vfs.SyncFlag) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	for _, w := range f.pending {
		if w.data == nil {
			f.flushed = resize(f.flushed, w.off)
		} else {
			f.flushed = put(f.flushed, w.data, w.off)
		}
	}
	f.pending = nil
	return nil
}

func (f *diskFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.now)), nil
}

func (*diskFile) Close() error                     { return nil }
func (*diskFile) Lock(vfs.LockLevel) error         { return nil }
func (*diskFile) Unlock(vfs.LockLevel) error       { return nil }
func (*diskFile) CheckReservedLock() (bool, error) { return false, nil }
func (*diskFile) SectorSize() int                  { return 512 }
func (*diskFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE
}
