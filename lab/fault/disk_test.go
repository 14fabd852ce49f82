package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"retrylab/lab/fault"
)

func content(t *testing.T, d *fault.Disk, name string) string {
	t.Helper()
	f, _, err := d.Open(name, vfs.OPEN_READONLY)
	if err != nil {
		return err.Error()
	}
	size, _ := f.Size()
	b := make([]byte, size)
	if n, err := f.ReadAt(b, 0); int64(n) != size || size > 0 && err != nil {
		t.Fatal(n, err)
	}
	return string(b)
}

func TestADiskWithoutPowerKeepsWhatWasFlushed(t *testing.T) {
	var d fault.Disk
	f, _, err := d.Open("a", vfs.OPEN_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	write := func(s string, off int64) {
		if n, err := f.WriteAt([]byte(s), off); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	write("hello", 0)
	if err := f.Sync(vfs.SYNC_NORMAL); err != nil {
		t.Fatal(err)
	}
	write("y", 4)
	write("abcd", 6)
	if got := content(t, &d, "a"); got != "helly\x00abcd" {
		t.Errorf("%q", got)
	}
	if err := f.Truncate(2); err != nil {
		t.Fatal(err)
	}
	half := func(n int) int { return n / 2 }
	first := true
	for name, c := range map[string]struct {
		kept func(int) int
		want string
	}{
		"nothing":       {fault.Nothing, "hello"},
		"everything":    {fault.Everything, "he"},
		"half of each":  {half, "he"},
		"no truncation": {func(n int) int { return n - 1 }, "hello\x00abc"},
		"the first write": {func(n int) int {
			keep := first
			first = false
			if keep {
				return n
			}
			return -1
		}, "helly"},
	} {
		if got := content(t, d.After(c.kept), "a"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := content(t, &d, "a"); got != "he" {
		t.Errorf("the disk itself changed: %q", got)
	}
	if got := content(t, &d, "b"); got != sqlite3.CANTOPEN.Error() {
		t.Errorf("a file that is not there: %q", got)
	}
	if err := d.Delete("a", true); err != nil {
		t.Error(err)
	}
	if there, err := d.Access("a", vfs.ACCESS_EXISTS); there || err != nil {
		t.Error(there, err)
	}
	if err := d.Delete("a", true); !errors.Is(err, sqlite3.IOERR_DELETE_NOENT) {
		t.Error(err)
	}
}

// A commit that SQLite has flushed outlives the power, and with synchronous=off it does not.
func TestADiskTellsADurableCommitFromAnother(t *testing.T) {
	for synchronous, want := range map[string]string{"full": "1", "off": "gone"} {
		var d fault.Disk
		name := "disk-" + synchronous
		vfs.Register(name, &d)
		defer vfs.Unregister(name)
		dsn := "file:a.db?vfs=%s&_pragma=locking_mode(exclusive)&_pragma=journal_mode(wal)&_pragma=synchronous(%s)"
		c, err := sqlite3.Open(fmt.Sprintf(dsn, name, synchronous))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Exec(`CREATE TABLE a(x); INSERT INTO a VALUES (1)`); err != nil {
			t.Fatal(err)
		}
		vfs.Register(name+"-after", d.After(fault.Nothing))
		defer vfs.Unregister(name + "-after")
		again, err := sqlite3.Open(fmt.Sprintf(dsn, name+"-after", synchronous))
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		got := "gone"
		if s, _, err := again.Prepare(`SELECT x FROM a`); err == nil {
			s.Step()
			got = s.ColumnText(0)
			s.Close()
		}
		if got != want {
			t.Errorf("synchronous=%s: %s, want %s", synchronous, got, want)
		}
	}
}
