package inbox_test

import (
	"context"
	"database/sql"
	"fmt"

	_ "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/vfs/memdb"

	"retrylab/lab/queue/inbox"
)

// A receiver answers the same request with the same reply, and does its effect once.
func Example() {
	ctx := context.Background()
	db, err := sql.Open("sqlite3", "file:/inbox-example?vfs=memdb")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE payment (cents INTEGER NOT NULL) STRICT`); err != nil {
		panic(err)
	}
	box, err := inbox.Open(ctx, db)
	if err != nil {
		panic(err)
	}
	pay := func(ctx context.Context, tx *sql.Tx) (reply string, err error) {
		_, err = tx.ExecContext(ctx, `INSERT INTO payment VALUES (1250)`)
		return "paid", err
	}
	for now, body := range []string{"12.50 EUR", "12.50 EUR", "99.00 EUR"} {
		answer, err := box.Receive(ctx, int64(now), "invoice 17", body, pay)
		if err != nil {
			panic(err)
		}
		fmt.Println(answer.Verdict, answer.Reply, answer.Verdict.Status())
	}
	var payments int
	if err := db.QueryRow(`SELECT count(*) FROM payment`).Scan(&payments); err != nil {
		panic(err)
	}
	fmt.Println(payments, "payment")
	// Output:
	// new paid 0
	// replayed paid 0
	// other_body  422
	// 1 payment
}
