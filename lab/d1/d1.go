//go:build js

package d1

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"syscall/js"

	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/d1"
)

// Bound says whether a database is bound to the Worker under a name.
func Bound(binding string) bool {
	v := cloudflare.GetBinding(binding)
	return v.Type() == js.TypeObject && v.Get("prepare").Type() == js.TypeFunction
}

// Open opens the database that is bound to the Worker under a name. Use it with
// [retrylab/lab/queue.Options.NoTransactions]. It sends nothing yet.
func Open(binding string) (*sql.DB, error) {
	if !Bound(binding) {
		return nil, fmt.Errorf("d1: no database is bound to this Worker as %s", binding)
	}
	inner, err := d1.OpenConnector(binding)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector{inner})
	db.SetMaxOpenConns(1) // a connection is only a name for the binding; statements belong to one
	return db, nil
}

type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn{inner.(*d1.Conn)}, nil
}

// conn is the library's connection with our check of the parameters.
type conn struct{ *d1.Conn }

// CheckNamedValue is database/sql's [driver.NamedValueChecker].
func (conn) CheckNamedValue(v *driver.NamedValue) (err error) {
	v.Value, err = bindable(v.Value)
	return err
}
