package fault_test

import (
	"errors"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
	_ "github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/fault"
)

func TestAChosenWriteFailsWithTheChosenCode(t *testing.T) {
	var writes, failAt int
	vfs.Register("faulty", fault.Wrap(vfs.Find("memdb"), func(op fault.Op, _ func()) error {
		if op.Kind == fault.Write {
			if writes++; writes == failAt {
				return sqlite3.FULL
			}
		}
		return nil
	}))
	defer vfs.Unregister("faulty")

	db, err := sqlite3.Open("file:/fault.db?vfs=faulty")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(`CREATE TABLE a(x)`); err != nil {
		t.Fatal(err)
	}
	failAt = writes + 1
	if err := db.Exec(`INSERT INTO a VALUES (1)`); !errors.Is(err, sqlite3.FULL) {
		t.Errorf("the failed write gives %v, want sqlite3.FULL", err)
	}
	if err := db.Exec(`INSERT INTO a VALUES (2)`); err != nil {
		t.Errorf("the write after it gives %v", err)
	}
}
