package queue

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"retrylab/lab/retry"
)

// Bounds of a job (SPEC.md section 3).
const (
	MaxIDLength     = 200    // code points; at least 1
	MaxPayloadBytes = 65_536 // bytes of UTF-8
	MaxMaxAttempts  = 10_000 // at least 1
	MaxErrorBytes   = 65_536 // of a message that becomes last_error; what is longer is cut
)

// A State of a job.
type State string

// States.
const (
	Pending State = "pending"
	Leased  State = "leased"
	Done    State = "done"
	Dead    State = "dead" // what others call dead letter or quarantine
)

// A Reason why a job is dead.
type Reason string

// Reasons.
const (
	Exhausted Reason = "exhausted" // all attempts are consumed
	Deadline  Reason = "deadline"  // no time is left for another
	Permanent Reason = "permanent" // somebody must correct the order first
)

// Errors that a caller can test for. A rejected argument is a [*retry.RejectedError].
var (
	// ErrLeaseLost: the token is not the job's current one; the row is untouched.
	ErrLeaseLost = errors.New("queue: the lease is lost")
	// ErrClockBackwards: the clock's reading after the send was earlier than the one before it;
	// nothing was stored from it, the job stays leased, and the attempt stays consumed.
	ErrClockBackwards = errors.New("queue: the clock went backwards")
	// ErrNewerSchema: the file was written by a newer version of this package.
	ErrNewerSchema = errors.New("queue: the file has a newer schema than this program knows")
	// ErrOtherTable: the database has a table with the name job that no queue has made.
	ErrOtherTable = errors.New("queue: the database has another table with the name job")
)

// A Job is a row of the queue. Times are ms on the clock that all workers read alike; a time that
// is nil is not set.
type Job struct {
	ID          string
	Payload     string
	State       State
	Attempts    int64 // claims, not successful sends
	MaxAttempts int64
	AvailableAt int64
	Deadline    int64
	LeaseUntil  *int64 // while leased
	LastError   *string
	DeadReason  Reason // "" unless dead
	CreatedAt   int64
	DoneAt      *int64
	DiedAt      *int64
}

// A Token is a fencing token: it names one claim of one job and is never used twice, also not after
// the job was purged and its id enqueued again. The zero Token is nobody's.
type Token struct {
	seq, claim int64
}

// String is the token as text, for a worker that keeps it elsewhere.
func (t Token) String() string {
	return strconv.FormatInt(t.seq, 10) + "." + strconv.FormatInt(t.claim, 10)
}

// ParseToken reads what [Token.String] wrote. Text that it never wrote is not ok.
func ParseToken(s string) (t Token, ok bool) {
	seq, claim, _ := strings.Cut(s, ".")
	var err, err2 error
	t.seq, err = strconv.ParseInt(seq, 10, 64)
	t.claim, err2 = strconv.ParseInt(claim, 10, 64)
	if err != nil || err2 != nil || t.seq < 1 || t.claim < 1 || t.String() != s {
		return Token{}, false
	}
	return t, true
}

// A Claim is a leased job in the hands of a worker.
type Claim struct {
	Token       Token
	ID          string
	Payload     string
	Attempts    int64 // this claim included
	MaxAttempts int64
	AvailableAt int64
	Deadline    int64
	LeaseUntil  int64
}

// A NewJob is what [Queue.Enqueue] accepts.
type NewJob struct {
	ID          string // 1..200 code points of valid UTF-8, no NUL
	Payload     string // at most 65,536 bytes of valid UTF-8
	MaxAttempts int64  // 1..10,000
	Deadline    int64  // ms, 0..Max; later than now and than AvailableAt
	AvailableAt int64  // ms, 0..Max; 0, or anything in the past, is now
}

// bad names what is out of range, in the order of the fields.
func (n NewJob) bad() (bad []retry.BadArg) {
	if fault := textFault(n.ID, 1, MaxIDLength, utf8.RuneCountInString(n.ID)); fault != "" {
		bad = append(bad, retry.BadArg{Name: "id", Fault: fault, Want: wantID})
	} else if strings.IndexByte(n.ID, 0) >= 0 {
		bad = append(bad, retry.BadArg{Name: "id", Fault: retry.FaultNUL, Want: wantID})
	}
	if fault := textFault(n.Payload, 0, MaxPayloadBytes, len(n.Payload)); fault != "" {
		bad = append(bad, retry.BadArg{Name: "payload", Fault: fault, Want: wantPayload})
	}
	bad = appendWhole(bad, "max_attempts", n.MaxAttempts, 1, MaxMaxAttempts)
	bad = appendWhole(bad, "deadline", n.Deadline, 0, retry.Max)
	return appendWhole(bad, "available_at", n.AvailableAt, 0, retry.Max)
}

var (
	wantID      = retry.Want{Kind: "text", Lo: 1, Hi: MaxIDLength}
	wantPayload = retry.Want{Kind: "text", Lo: 0, Hi: MaxPayloadBytes}
)

func textFault(s string, lo, hi, length int) retry.Fault {
	switch {
	case !utf8.ValidString(s):
		return retry.FaultNotUTF8
	case length < lo:
		return retry.FaultEmpty
	case length > hi:
		return retry.FaultTooLong
	}
	return ""
}

func appendWhole(bad []retry.BadArg, name string, n, lo, hi int64) []retry.BadArg {
	switch {
	case n < lo:
		return append(bad, retry.BadArg{Name: name, Fault: retry.FaultTooSmall, Want: retry.WantWhole(lo, hi)})
	case n > hi:
		return append(bad, retry.BadArg{Name: name, Fault: retry.FaultTooLarge, Want: retry.WantWhole(lo, hi)})
	}
	return bad
}

// rejectOutside is the error of a whole number outside lo..hi, or nil.
func rejectOutside(name string, n, lo, hi int64) error {
	return retry.Rejected(appendWhole(nil, name, n, lo, hi))
}

// A WholeCheck decides whether a value from outside is a whole number lo..hi: [retry.Value.Whole].
type WholeCheck func(v retry.Value, lo, hi int64) (int64, retry.Fault)

// CheckNewJob is the checking boundary of enqueue for values from outside. It names every value of
// the wrong type or range, in the order of the arguments. availableAt may be null or not given.
func CheckNewJob(whole WholeCheck, id, payload, maxAttempts, deadline, availableAt retry.Value) (n NewJob, bad []retry.BadArg) {
	var badText []retry.BadArg
	text := func(name string, v retry.Value, want retry.Want) string {
		s, ok := v.Text()
		if !ok {
			badText = append(badText, retry.BadArg{Name: name, Fault: notText(v), Want: want})
		}
		return s
	}
	n.ID, n.Payload = text("id", id, wantID), text("payload", payload, wantPayload)
	var badNumber []retry.BadArg
	number := func(name string, v retry.Value, lo, hi int64) int64 {
		i, fault := whole(v, lo, hi)
		if fault != "" {
			badNumber = append(badNumber, retry.BadArg{Name: name, Fault: fault, Want: retry.WantWhole(lo, hi)})
		}
		return i
	}
	n.MaxAttempts = number("max_attempts", maxAttempts, 1, MaxMaxAttempts)
	n.Deadline = number("deadline", deadline, 0, retry.Max)
	if availableAt.Given() {
		n.AvailableAt = number("available_at", availableAt, 0, retry.Max)
	}
	// Of the typed checks only those of texts can still find something: the numbers were judged above.
	for _, b := range n.bad() {
		isText := b.Name == "id" || b.Name == "payload"
		if isText && !named(badText, b.Name) {
			badText = append(badText, b)
		}
	}
	if len(badText) == 2 && badText[0].Name == "payload" {
		badText[0], badText[1] = badText[1], badText[0]
	}
	return n, append(badText, badNumber...)
}

func notText(v retry.Value) retry.Fault {
	switch v.Type() {
	case retry.TypeMissing:
		return retry.FaultMissing
	case retry.TypeNull:
		return retry.FaultNull
	}
	return retry.FaultNotText
}

func named(bad []retry.BadArg, name string) bool {
	for _, b := range bad {
		if b.Name == name {
			return true
		}
	}
	return false
}
