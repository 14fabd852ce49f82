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
	versionTable = `CREATE TABLE IF NOT EXISTS job_schema (version INTEGER NOT NULL PRIMARY KEY) STRICT`
	tableExists  = `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1`
	versionRead  = `SELECT ifnull(max(version), 0) FROM job_schema`
	versionWrite = `INSERT OR IGNORE INTO job_schema (version) VALUES (?1)`
)

// upgrades are what leads from a version to the next one, before the statements of the schema make what
// is new. Like those, each may run again without harm.
var upgrades = map[int64][]string{
	1: { // the indexes have other columns, and figures are counted by triggers
		`DROP INDEX IF EXISTS job_pending`, `DROP INDEX IF EXISTS job_pending_deadline`, `DROP INDEX IF EXISTS job_pending_age`,
		`DROP INDEX IF EXISTS job_leased`, `DROP INDEX IF EXISTS job_retried`, `DROP INDEX IF EXISTS job_dead`,
	},
}

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// migrate brings the database to SchemaVersion.
func migrate(ctx context.Context, db *sql.DB, parts *Parts, noTransactions bool) error {
	version, err := knownVersion(ctx, db)
	if err != nil || version == SchemaVersion {
		return err
	}
	if noTransactions {
		return migrateFrom(ctx, db, parts, version)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("queue: making the schema: %w", err)
	}
	version, err = knownVersion(ctx, tx) // another process may have been here meanwhile
	if err == nil && version < SchemaVersion {
		err = migrateFrom(ctx, tx, parts, version)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("queue: making the schema: %w", err)
	}
	return nil
}

// migrateFrom runs the statements that lead from a version to SchemaVersion. Each may run again without
// harm, so a process that died in the middle, or two at once, do no damage.
func migrateFrom(ctx context.Context, db execer, parts *Parts, version int64) error {
	statements := []string{versionTable}
	for ; version < SchemaVersion; version++ {
		statements = append(statements, upgrades[version]...)
	}
	for _, statement := range append(statements, parts.Schema()...) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("queue: making the schema: %w", err)
		}
	}
	if _, err := db.ExecContext(ctx, versionWrite, SchemaVersion); err != nil {
		return fmt.Errorf("queue: making the schema: %w", err)
	}
	return nil
}

// knownVersion is the version of the database's schema, 0..SchemaVersion; 0 where there is no queue
// yet, or only the beginning of one.
func knownVersion(ctx context.Context, db execer) (version int64, err error) {
	version, err = schemaVersion(ctx, db)
	switch {
	case err != nil:
		return 0, fmt.Errorf("queue: reading the schema's version: %w", err)
	case version > SchemaVersion:
		return 0, fmt.Errorf("%w: version %d, known are 1 to %d", ErrNewerSchema, version, SchemaVersion)
	}
	return version, nil
}

func schemaVersion(ctx context.Context, db execer) (version int64, err error) {
	var versions, jobs int64
	if err := db.QueryRowContext(ctx, tableExists, "job_schema").Scan(&versions); err != nil {
		return 0, err
	}
	if versions > 0 {
		err = db.QueryRowContext(ctx, versionRead).Scan(&version)
		return version, err
	}
	// The table of versions is made first, so a table of jobs without it is somebody else's.
	if err := db.QueryRowContext(ctx, tableExists, "job").Scan(&jobs); err != nil {
		return 0, err
	}
	if jobs > 0 {
		return 0, ErrOtherTable
	}
	return 0, nil
}
