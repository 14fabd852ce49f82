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
	kept := ask.Kept{Key: key.Key}
	err := e.DB().QueryRowContext(ctx, `SELECT value FROM kept WHERE key = ?`, key.Key).Scan(&kept.Value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	return kept, nil
}

// keepPut keeps a value. The empty value is the same as none.
func keepPut(ctx context.Context, e *Engine, call *Call) (any, error) {
	var kept ask.Kept
	if err := call.Decode(&kept); err != nil {
		return nil, err
	}
	switch {
	case kept.Key == "" || len(kept.Key) > maxKeyBytes:
		return nil, &ask.Error{Code: ask.BadRequest, Detail: fmt.Sprintf("a key has 1 to %d bytes", maxKeyBytes)}
	case len(kept.Value) > maxKeptBytes:
		return nil, &ask.Error{Code: ask.TooLarge, Detail: fmt.Sprintf("a value of %d bytes, at most %d are kept", len(kept.Value), maxKeptBytes)}
	case kept.Value == "":
		_, err := e.DB().ExecContext(ctx, `DELETE FROM kept WHERE key = ?`, kept.Key)
		return nil, err
	}
	done, err := e.DB().ExecContext(ctx, `INSERT INTO kept (key, value)
SELECT ?1, ?2 WHERE (SELECT count(*) FROM kept WHERE key <> ?1) < ?3
ON CONFLICT (key) DO UPDATE SET value = excluded.value`, kept.Key, kept.Value, maxKept)
	if err != nil {
		return nil, err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return nil, errors.Join(err, &ask.Error{Code: ask.StorageFull, Detail: fmt.Sprintf("%d values are kept already", maxKept)})
	}
	return nil, nil
}
