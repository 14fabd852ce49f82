package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"retrylab/lab/ask"
)

// Bounds of what pages may keep.
const (
	maxKept      = 1000
	maxKeyBytes  = 200
	maxKeptBytes = 64 << 10
)

func init() {
	Handle(ask.KeepGet, keepGet)
	Handle(ask.KeepPut, keepPut)
}

func keepGet(ctx context.Context, e *Engine, call *Call) (any, error) {
	var key ask.Key
	if err := call.Decode(&key); err != nil {
		return nil, err
	}
	value, err := e.kept(ctx, key.Key)
	if err != nil {
		return nil, err
	}
	return ask.Kept{Key: key.Key, Value: value}, nil
}

// kept is the value of a key, "" when there is none.
func (e *Engine) kept(ctx context.Context, key string) (value string, err error) {
	err = e.DB().QueryRowContext(ctx, `SELECT value FROM kept WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

func keepPut(ctx context.Context, e *Engine, call *Call) (any, error) {
	var kept ask.Kept
	if err := call.Decode(&kept); err != nil {
		return nil, err
	}
	return nil, e.keep(ctx, kept.Key, kept.Value)
}

// keep keeps a value. The empty value is the same as none.
func (e *Engine) keep(ctx context.Context, key, value string) error {
	switch {
	case key == "" || len(key) > maxKeyBytes:
		return &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("a key has 1 to %d bytes", maxKeyBytes)}
	case len(value) > maxKeptBytes:
		return &ask.Error{Code: ask.TooLarge, Detail: fmt.Sprintf("a value of %d bytes, at most %d are kept", len(value), maxKeptBytes)}
	case value == "":
		_, err := e.DB().ExecContext(ctx, `DELETE FROM kept WHERE key = ?`, key)
		return err
	}
	done, err := e.DB().ExecContext(ctx, `INSERT INTO kept (key, value)
SELECT ?1, ?2 WHERE (SELECT count(*) FROM kept WHERE key <> ?1) < ?3
ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value, maxKept)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, &ask.Error{Code: ask.StorageFull, Detail: fmt.Sprintf("%d values are kept already", maxKept)})
	}
	return nil
}
