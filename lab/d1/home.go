//go:build js

package d1

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"retrylab/lab/scenario"
)

// A Home makes databases for scenarios out of one that is bound to the Worker, one at a time: Fresh
// drops every table that is there. It must never be the database of real jobs.
type Home struct {
	Binding string
	Keep    bool // Fresh takes the database as it is
}

// Fresh empties the database.
func (h Home) Fresh(ctx context.Context) (scenario.Database, error) {
	db, err := Open(h.Binding)
	if err == nil && !h.Keep {
		err = empty(ctx, db)
	}
	if db != nil {
		err = errors.Join(err, db.Close())
	}
	return database{h.Binding}, err
}

// tables are all but those of SQLite and of D1 itself. With a table, its row in sqlite_sequence goes, too.
const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`

func empty(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, tables)
	if err != nil {
		return fmt.Errorf("d1: emptying: %w", err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return fmt.Errorf("d1: emptying: %w", err)
		}
		names = append(names, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("d1: emptying: %w", err)
	}
	for _, name := range names {
		if _, err := db.ExecContext(ctx, `DROP TABLE IF EXISTS "`+strings.ReplaceAll(name, `"`, `""`)+`"`); err != nil {
			return fmt.Errorf("d1: emptying: %w", err)
		}
	}
	return nil
}

type database struct{ binding string }

func (d database) Connect(context.Context) (*sql.DB, error) { return Open(d.binding) }

func (database) Several() bool      { return false }
func (database) Transactions() bool { return false }

// Remove leaves the database as the scenario left it; the next Fresh empties it.
func (database) Remove() error { return nil }
