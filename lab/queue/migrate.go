package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// The version stands in a table of its own, which every home can read and write; PRAGMA user_version
// is refused by some.
const (
	versionTable  = `CREATE TABLE IF NOT EXISTS job_schema (version INTEGER NOT NULL PRIMARY KEY) STRICT`
	versionExists = `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'job_schema'`
	versionRead   = `SELECT ifnull(max(version), 0) FROM job_schema`
	versionWrite  = `INSERT OR IGNORE INTO job_schema (version) VALUES (?1)`
)

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// migrate brings the database to SchemaVersion.
func migrate(ctx context.Context, db *sql.DB, parts *Parts, noTransactions bool) error {
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return fmt.Errorf("queue: reading the schema's version: %w", err)
	}
	switch {
	case version > SchemaVersion:
		return fmt.Errorf("%w: version %d, known are 1 to %d", ErrNewerSchema, version, SchemaVersion)
	case version == SchemaVersion:
		return nil
	}
	if noTransactions {
		return migrateFrom(ctx, db, parts)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("queue: making the schema: %w", err)
	}
	if err := migrateFrom(ctx, tx, parts); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("queue: making the schema: %w", err)
	}
	return nil
}

// migrateFrom runs the statements that lead to SchemaVersion. Each may run again without harm, so a
// process that died in the middle, or two at once, do no damage.
func migrateFrom(ctx context.Context, db execer, parts *Parts) error {
	for _, statement := range append([]string{versionTable}, parts.Schema()...) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("queue: making the schema: %w", err)
		}
	}
	if _, err := db.ExecContext(ctx, versionWrite, SchemaVersion); err != nil {
		return fmt.Errorf("queue: making the schema: %w", err)
	}
	return nil
}

func schemaVersion(ctx context.Context, db execer) (version int64, err error) {
	var tables int64
	if err := db.QueryRowContext(ctx, versionExists).Scan(&tables); err != nil || tables == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, versionRead).Scan(&version)
	return version, err
}
