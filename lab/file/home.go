package file

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"retrylab/lab/scenario"
)

// A Home makes databases for scenarios, each in a folder of its own.
type Home struct {
	Dir string // where the folders are made; "" is the system's place for temporary files
}

// Fresh makes an empty database.
func (h Home) Fresh(context.Context) (scenario.Database, error) {
	dir, err := os.MkdirTemp(h.Dir, "retrylab-")
	if err != nil {
		return nil, err
	}
	return database{dir}, nil
}

type database struct{ dir string }

// Connect opens the database for one more process, which waits for no lock.
func (d database) Connect(context.Context) (*sql.DB, error) {
	return open(filepath.Join(d.dir, "scenario.db"), 0)
}

func (database) Several() bool      { return true }
func (database) Transactions() bool { return true }

func (d database) Remove() error {
	return errors.Join(Remove(filepath.Join(d.dir, "scenario.db")), os.Remove(d.dir))
}
