package student

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A Host is what a program may call while it does something: SQLite, the clock, and a send. One serves
// one program. Its methods never panic and never wait.
type Host struct {
	lives map[int]*life
	last  int
	gone  []int // lives that the program does not know to be over

	printed string  // by the program, since somebody asked
	noted   *Raised // what the code raised last as a result of its own: a rejection, a conflict, a lost lease
	ended   error   // an [*Ended], when the program's interpreter has come to its end
}

// NewHost makes the host of a program.
func NewHost() *Host { return &Host{lives: map[int]*life{}} }

// maxPrinted is how many bytes of what a program prints are kept until somebody asks.
const maxPrinted = 8 << 10

// Printed is what the program has printed since the last call.
func (h *Host) Printed() string {
	text := strings.ToValidUTF8(h.printed, "")
	h.printed = ""
	return text
}

// Execute runs one statement on a life's connection. params is a JSON list or map, see bind. The
// result is JSON: {"rows": [...]}, {"error": message}, or {"died": true} when the life has ended.
func (h *Host) Execute(number int, sql, params string) string {
	l, ok := h.lives[number]
	if !ok || l.ended || l.db == nil {
		return `{"died":true}`
	}
	rows, err := l.db.execute(sql, params)
	if err != nil {
		return `{"error":` + quote(err.Error()) + `}`
	}
	return rows
}

// Clock is the life's clock, ms. A run reads it twice: whoever takes one more reading behind the send gets another
// time.
func (h *Host) Clock(number int) int64 {
	if l, ok := h.lives[number]; ok && !l.ended {
		now := l.now
		if l.ticks {
			l.now++
		}
		return now
	}
	return 0
}

// Send is a send under way: the job as the student gave it, as a value of the wire. The result is JSON:
// {} when it went well, {"failure": {mark, message, retry_after_ms, wrapped}} for what it raises, or
// {"crash": true} when the process dies.
func (h *Host) Send(number int, job string) string {
	l, ok := h.lives[number]
	if !ok || l.ended || l.send == nil {
		return `{"crash":true}`
	}
	var got any
	if err := json.Unmarshal([]byte(job), &got); err != nil {
		l.fault = &WrongType{"send", "", "what cannot be read", "a job"}
	}
	text, err := json.Marshal(l.send(got))
	if err != nil {
		l.fault = err
		return `{"crash":true}`
	}
	return string(text)
}

// A failure is an error as a send raises it.
type failure struct {
	Mark         string `json:"mark"` // retryable, permanent or unknown
	Message      string `json:"message"`
	RetryAfterMS any    `json:"retry_after_ms"`
	Wrapped      bool   `json:"wrapped,omitempty"`
}

type sending struct {
	Crash   bool     `json:"crash,omitempty"`
	Failure *failure `json:"failure,omitempty"`
}

func newFailure(mark, message string, retryAfterMS int64) failure {
	f := failure{Mark: mark, Message: message}
	if retryAfterMS > 0 {
		f.RetryAfterMS = tagged{"i": strconv.FormatInt(retryAfterMS, 10)}
	}
	return f
}
