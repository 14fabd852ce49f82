// Package inbox is the receiver's side of an idempotency key (SPEC.md section 6): one row for each key,
// written together with the effect. The same key again gets the first reply and has no second effect;
// while the first is in progress it is told so (409); the same key with another body is refused (422).
//
// An effect that is written to the same database, and is done in a moment, goes through
// [Inbox.Receive]: the effect, the key and the reply are one transaction. Work that takes its time goes
// through [Inbox.Begin], which remembers that it is in progress, and [Inbox.Finish] in the transaction
// of its effect. Where there are no transactions, [Inbox.Record] writes key and reply in one statement:
// the row is then the effect, or a trigger on the table makes it.
//
// Nothing here sleeps or has a clock of its own.
package inbox

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"retrylab/lab/retry"
)

//go:embed schema.sql
var schema string

// Bounds.
const (
	MaxKeyLength  = 200    // code points; at least 1
	MaxReplyBytes = 65_536 // bytes of UTF-8
)

// A Verdict on a request.
type Verdict string

// Verdicts.
const (
	New        Verdict = "new"         // its effect is to be done, or was just done
	Replayed   Verdict = "replayed"    // the first one's reply; no second effect
	InProgress Verdict = "in_progress" // the first one is not done yet
	OtherBody  Verdict = "other_body"  // the key belongs to another body
)

// Status is the HTTP status that a verdict has by itself: 409 for InProgress, 422 for OtherBody, and 0
// where the reply says it.
func (v Verdict) Status() int {
	switch v {
	case InProgress:
		return 409
	case OtherBody:
		return 422
	}
	return 0
}

// An Answer to a request.
type Answer struct {
	Verdict Verdict
	Reply   string // the reply that is kept, when New by Receive or Record, and when Replayed
	Ticket  Ticket // when New by Begin
}

// A Ticket names one beginning of a key's work, and is never used twice. The zero Ticket is nobody's.
type Ticket struct{ seq, taken int64 }

// ErrLost: the ticket is not the key's current one, or the work is done already. Nothing was written;
// undo the effect.
var ErrLost = errors.New("inbox: the key was taken over")

// An Inbox is safe for use by several goroutines.
type Inbox struct{ db *sql.DB }

// Open makes the inbox's table where it is missing.
func Open(ctx context.Context, db *sql.DB) (*Inbox, error) {
	for statement := range strings.SplitSeq(schema, ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("inbox: making the table: %w", err)
		}
	}
	return &Inbox{db}, nil
}

// The statements. Each is guarded, so that it also runs by itself.
const (
	// A new key, or one whose work was begun by somebody who has not finished within the lease.
	begin = `INSERT INTO inbox (key, body, lease_until, created_at) VALUES (?1, ?2, min(9007199254740991, ?3 + ?4), ?3)
ON CONFLICT (key) DO UPDATE SET taken = taken + 1, lease_until = excluded.lease_until
WHERE done_at IS NULL AND lease_until <= ?3 AND body = excluded.body
RETURNING seq, taken`
	record = `INSERT INTO inbox (key, body, reply, created_at, done_at) VALUES (?1, ?2, ?3, ?4, ?4)
ON CONFLICT (key) DO NOTHING`
	known   = `SELECT body = ?2, done_at IS NOT NULL, ifnull(reply, '') FROM inbox WHERE key = ?1`
	finish  = `UPDATE inbox SET done_at = ?1, reply = ?2, lease_until = NULL WHERE seq = ?3 AND taken = ?4 AND done_at IS NULL`
	abandon = `DELETE FROM inbox WHERE seq = ?1 AND taken = ?2 AND done_at IS NULL`
	purge   = `DELETE FROM inbox WHERE done_at IS NOT NULL AND done_at < ?1 RETURNING seq`
)

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// row steps a statement that returns at most one row to its end, so that the error of an implicit
// commit is not lost.
func row(ctx context.Context, on querier, query string, args []any, to ...any) (found bool, err error) {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		found = true
		if err := rows.Scan(to...); err != nil {
			return false, err
		}
	}
	return found, errors.Join(rows.Err(), rows.Close())
}

// An Execer is a transaction, or a database where the effect is part of the statement.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Receive does the effect of a request once. For a New key it calls effect and commits what that has
// written through tx together with the key and the reply. An error of effect undoes all, comes back
// unchanged, and leaves the key unused. The database is locked for other writers meanwhile, so effect
// must not wait for anything else.
func (b *Inbox) Receive(ctx context.Context, now int64, key, body string, effect func(ctx context.Context, tx *sql.Tx) (reply string, err error)) (Answer, error) {
	if err := retry.Rejected(check(now, key)); err != nil {
		return Answer{}, err
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return Answer{}, err
	}
	defer tx.Rollback() // after a commit it does nothing
	answer, err := beginOn(ctx, tx, now, key, body, 1)
	if err != nil || answer.Verdict != New {
		return answer, err
	}
	reply, err := effect(ctx, tx)
	if err != nil {
		return Answer{}, err
	}
	if err := b.Finish(ctx, tx, now, answer.Ticket, reply); err != nil {
		return Answer{}, err
	}
	if err := tx.Commit(); err != nil {
		return Answer{}, err
	}
	return Answer{Verdict: New, Reply: reply}, nil
}

// Begin remembers that the work of a request is in progress, until now + leaseMS (1..Max): after that
// the same request may begin it anew, since whoever has begun it may have died. For a New key do the
// work, then call [Inbox.Finish] or [Inbox.Abandon] with the ticket.
func (b *Inbox) Begin(ctx context.Context, now int64, key, body string, leaseMS int64) (Answer, error) {
	if err := retry.Rejected(whole(check(now, key), "lease_ms", leaseMS, 1)); err != nil {
		return Answer{}, err
	}
	return beginOn(ctx, b.db, now, key, body, leaseMS)
}

func beginOn(ctx context.Context, on querier, now int64, key, body string, leaseMS int64) (Answer, error) {
	digest := digest(body)
	for {
		var t Ticket
		switch begun, err := row(ctx, on, begin, []any{key, digest, now, leaseMS}, &t.seq, &t.taken); {
		case err != nil:
			return Answer{}, err
		case begun:
			return Answer{Verdict: New, Ticket: t}, nil
		}
		// Somebody may abandon it between the two statements; then it is new.
		if answer, found, err := lookUp(ctx, on, key, digest); err != nil || found {
			return answer, err
		}
	}
}

func lookUp(ctx context.Context, on querier, key, digest string) (answer Answer, found bool, err error) {
	var same, done bool
	found, err = row(ctx, on, known, []any{key, digest}, &same, &done, &answer.Reply)
	switch {
	case err != nil || !found:
		return Answer{}, false, err
	case !same:
		return Answer{Verdict: OtherBody}, true, nil
	case !done:
		return Answer{Verdict: InProgress}, true, nil
	}
	answer.Verdict = Replayed
	return answer, true, nil
}

// Finish keeps the reply of work that was begun. Call it in the transaction that writes the effect, and
// commit only when it returns nil: with [ErrLost] somebody else has taken the work over, or finished it.
// It counts also after the end of the lease when nobody has.
func (b *Inbox) Finish(ctx context.Context, tx Execer, now int64, ticket Ticket, reply string) error {
	if err := retry.Rejected(checkReply(whole(nil, "now", now, 0), reply)); err != nil {
		return err
	}
	return changed(tx.ExecContext(ctx, finish, now, reply, ticket.seq, ticket.taken))
}

// Abandon gives up work that was begun and has had no effect: the key is unused again.
func (b *Inbox) Abandon(ctx context.Context, ticket Ticket) error {
	return changed(b.db.ExecContext(ctx, abandon, ticket.seq, ticket.taken))
}

func changed(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		return ErrLost
	}
	return err
}

// Record writes a request's key and its reply in one statement, and needs no transaction. The row is
// the effect, or a trigger on the table makes it: nothing else may depend on the verdict New, since the
// caller may die before it hears it.
func (b *Inbox) Record(ctx context.Context, now int64, key, body, reply string) (Answer, error) {
	if err := retry.Rejected(checkReply(check(now, key), reply)); err != nil {
		return Answer{}, err
	}
	digest := digest(body)
	for {
		switch err := changed(b.db.ExecContext(ctx, record, key, digest, reply, now)); {
		case err == nil:
			return Answer{Verdict: New, Reply: reply}, nil
		case !errors.Is(err, ErrLost):
			return Answer{}, err
		}
		if answer, found, err := lookUp(ctx, b.db, key, digest); err != nil || found {
			return answer, err
		}
	}
}

// Purge forgets the keys that were done before a time, and says how many. A key that comes again after
// that has a second effect: keep keys for longer than any sender tries.
func (b *Inbox) Purge(ctx context.Context, before int64) (removed int64, err error) {
	if err := retry.Rejected(whole(nil, "before", before, 0)); err != nil {
		return 0, err
	}
	rows, err := b.db.QueryContext(ctx, purge, before)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		removed++
	}
	return removed, errors.Join(rows.Err(), rows.Close())
}

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

var (
	wantKey   = retry.Want{Kind: "text", Lo: 1, Hi: MaxKeyLength}
	wantReply = retry.Want{Kind: "text", Lo: 0, Hi: MaxReplyBytes}
)

// check names what is out of range, in the order of the arguments.
func check(now int64, key string) []retry.BadArg {
	bad := whole(nil, "now", now, 0)
	fault := retry.Fault("")
	switch {
	case !utf8.ValidString(key):
		fault = retry.FaultNotUTF8
	case key == "":
		fault = retry.FaultEmpty
	case utf8.RuneCountInString(key) > MaxKeyLength:
		fault = retry.FaultTooLong
	case strings.IndexByte(key, 0) >= 0:
		fault = retry.FaultNUL
	}
	if fault != "" {
		bad = append(bad, retry.BadArg{Name: "key", Fault: fault, Want: wantKey})
	}
	return bad
}

func checkReply(bad []retry.BadArg, reply string) []retry.BadArg {
	switch {
	case !utf8.ValidString(reply):
		return append(bad, retry.BadArg{Name: "reply", Fault: retry.FaultNotUTF8, Want: wantReply})
	case len(reply) > MaxReplyBytes:
		return append(bad, retry.BadArg{Name: "reply", Fault: retry.FaultTooLong, Want: wantReply})
	}
	return bad
}

func whole(bad []retry.BadArg, name string, n, lo int64) []retry.BadArg {
	if _, fault := retry.Int(n).Whole(lo, retry.Max); fault != "" {
		bad = append(bad, retry.BadArg{Name: name, Fault: fault, Want: retry.WantWhole(lo, retry.Max)})
	}
	return bad
}
