package engine

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"

	"retrylab/lab/queue"
)

// ErrNewer says that a newer version of the site has written the database: this one cannot know what
// its rows mean.
var ErrNewer = errors.New("engine: a newer version has written the database")

// Each version of the lab's own tables is a file; a database gets those that it lacks. A file that was
// published is never changed.
//
//go:embed schema/*.sql
var schema embed.FS

// schemaVersion is the number of the last file.
const schemaVersion = 2

// migrate brings the lab's own tables to schemaVersion, in one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	version, err := version(ctx, db)
	if err != nil {
		return err
	}
	if version > schemaVersion {
		return fmt.Errorf("%w: the lab's tables have version %d, known are 1 to %d", ErrNewer, version, schemaVersion)
	}
	if version == schemaVersion {
		return nil
	}
	err = inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS lab_schema (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL) STRICT`); err != nil {
			return err
		}
		for version < schemaVersion {
			version++
			text, err := schema.ReadFile(fmt.Sprintf("schema/%d.sql", version))
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("version %d: %w", version, err)
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO lab_schema VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET version = ?1`, version)
		return err
	})
	if err != nil {
		return fmt.Errorf("engine: making the lab's tables: %w", err)
	}
	return nil
}

// version is the version of the lab's own tables, 0 where there are none.
func version(ctx context.Context, db *sql.DB) (version int, err error) {
	var tables int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'lab_schema'`).Scan(&tables)
	if err != nil || tables == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `SELECT version FROM lab_schema`).Scan(&version)
	return version, err
}

// newer gives the queue's error for a newer schema its name here.
func newer(err error) error {
	if errors.Is(err, queue.ErrNewerSchema) {
		return fmt.Errorf("%w: %w", ErrNewer, err)
	}
	return err
}

// inTx does something in a transaction.
func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
