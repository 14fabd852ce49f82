package retry

import (
	"math"
	"sync"
)

// A Budget bounds the retries of all calls that share it: a token bucket (SPEC.md section 7). Each
// first try adds ratio tokens, each retry takes one, and no more than capacity are ever held. It starts
// with floor tokens, so that N first tries allow at most floor + ratio * N retries. When it is empty
// the new retry is refused; nobody waits for tokens, and what is running goes on.
//
// A Budget is safe for many goroutines. It counts in whole millionths of a token.
type Budget struct {
	mu       sync.Mutex
	tokens   int64 // all in millionths
	ratio    int64
	capacity int64
}

const million = 1_000_000

// NewBudget returns a budget with floor tokens, or with capacity tokens where that is less.
//
// ratio is a number 0..1 inclusive, used to a millionth and never rounded up; floor and capacity are
// whole, 0..Max. A capacity above 9,007,199,254 tokens, which is Max in millionths, counts as that.
// Anything else gives a [*RejectedError].
func NewBudget(ratio float64, floor, capacity int64) (*Budget, error) {
	bad := checkBudget(ratio, capacity)
	if _, fault := Int(floor).Whole(0, Max); fault != "" {
		bad = append(bad, BadArg{"floor", fault, WantWhole(0, Max)})
	}
	if err := Rejected(bad); err != nil {
		return nil, err
	}
	b := &Budget{}
	b.set(ratio, capacity)
	b.tokens = min(millionths(floor), b.capacity)
	return b, nil
}

func checkBudget(ratio float64, capacity int64) (bad []BadArg) {
	if _, fault := Float(ratio).Jitter(); fault != "" {
		bad = append(bad, BadArg{"ratio", fault, WantJitter()})
	}
	if _, fault := Int(capacity).Whole(0, Max); fault != "" {
		bad = append(bad, BadArg{"capacity", fault, WantWhole(0, Max)})
	}
	return bad
}

func millionths(tokens int64) int64 { return min(tokens, Max/million) * million }

// set is called with the lock held, or before anybody else knows the budget.
func (b *Budget) set(ratio float64, capacity int64) {
	// 0.000249 * 1e6 is a little below 249 as a float64, so round; then make sure that it was not up.
	b.ratio = int64(math.Round(float64(ratio * million)))
	if float64(b.ratio)/million > ratio {
		b.ratio--
	}
	b.capacity = millionths(capacity)
	b.tokens = min(b.tokens, b.capacity)
}

// Set changes the parameters. They hold from the next question on: tokens above a smaller capacity are
// gone at once. The ranges are those of [NewBudget]; when an argument is rejected nothing changes.
func (b *Budget) Set(ratio float64, capacity int64) error {
	if err := Rejected(checkBudget(ratio, capacity)); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(ratio, capacity)
	return nil
}

// First tells the budget of a first try, which it never refuses.
func (b *Budget) First() {
	b.mu.Lock()
	b.tokens = min(b.tokens+b.ratio, b.capacity)
	b.mu.Unlock()
}

// Retry takes one token for a retry, or returns false: then the retry is refused. Ask when the retry is
// decided on and not after its wait, so that those who wait are counted too. A token is not given back.
func (b *Budget) Retry() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < million {
		return false
	}
	b.tokens -= million
	return true
}

// Millionths is how many millionths of a token the bucket holds now, 0..Max.
func (b *Budget) Millionths() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens
}
