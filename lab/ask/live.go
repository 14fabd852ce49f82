package ask

// Bounds of the live queue.
const (
	MaxLiveJobs    = 1000
	MaxLiveWorkers = 100
	MaxLiveText    = 2000 // characters of a payload or an error that a Live shows; a longer one ends in …
)

// A Step is one step of a scenario as a person typed it into the live queue. Do is the step's name
// in SPEC.md section 9: enqueue, run, claim, complete, fail, extend, requeue, purge, restart, clock
// (move the clock only). The number fields are texts as typed: the engine judges them by their exact
// value, so that true, Infinity and 2.5 are rejected by the rules and not by the form. An empty text
// is "not given".
type Step struct {
	Do     string `json:"do"`
	At     string `json:"at,omitempty"` // where the clock goes before the step
	ID     string `json:"id,omitempty"`
	Worker string `json:"worker,omitempty"`

	Payload     string `json:"payload,omitempty"`
	MaxAttempts string `json:"max_attempts,omitempty"`
	Deadline    string `json:"deadline,omitempty"`
	AvailableAt string `json:"available_at,omitempty"`

	Send       string `json:"send,omitempty"` // ok, retryable, permanent, unknown or crash
	Takes      string `json:"takes,omitempty"`
	Error      string `json:"error,omitempty"`
	RetryAfter string `json:"retry_after_ms,omitempty"`
	Before     string `json:"before,omitempty"`

	// Hold makes a run stop in the middle of its send: the engine answers with Sending and More,
	// and goes on when LiveAnswer comes. An engine killed meanwhile has consumed the attempt.
	Hold bool `json:"hold,omitempty"`
}

// Sending tells that a held send is under way.
type Sending struct {
	ID         string `json:"id"`
	Payload    string `json:"payload"`
	Attempt    int64  `json:"attempt"`
	LeaseUntil int64  `json:"lease_until"`
}

// An Answer ends the held send.
type Answer struct {
	Send       string `json:"send"`
	Takes      string `json:"takes,omitempty"`
	Error      string `json:"error,omitempty"`
	RetryAfter string `json:"retry_after_ms,omitempty"`
}

// A Policy is the live queue's policy, in the fields of SPEC.md section 9.
type Policy struct {
	BaseMS  int64   `json:"base_ms"`
	CapMS   int64   `json:"cap_ms"`
	Jitter  float64 `json:"jitter"`
	LeaseMS int64   `json:"lease_ms"`
}

// PolicyText is a Policy as typed.
type PolicyText struct {
	BaseMS  string `json:"base_ms"`
	CapMS   string `json:"cap_ms"`
	Jitter  string `json:"jitter"`
	LeaseMS string `json:"lease_ms"`
}

// Live is the live queue as it stands: one consistent view.
type Live struct {
	Now     int64    `json:"now"` // the virtual clock, ms
	Policy  Policy   `json:"policy"`
	Jobs    []Job    `json:"jobs"`  // in the order they were accepted; at most 200, newest kept
	Total   int64    `json:"total"` // how many there are
	Stats   Stats    `json:"stats"`
	Sending *Sending `json:"sending,omitempty"` // a send is held
	Result  *Result  `json:"result,omitempty"`  // of the step just done
	CanUndo bool     `json:"can_undo,omitempty"`
	Log     []Entry  `json:"log,omitempty"` // the last steps, oldest first; kept with the queue
}

// An Entry is a line of the live queue's log.
type Entry struct {
	At     int64  `json:"at"`
	Do     string `json:"do"`
	ID     string `json:"id,omitempty"`
	Result string `json:"result"`
	Text   string `json:"text,omitempty"` // the step as scenario text
}

// A Job is a row of the queue: the fields of SPEC.md section 3. Times are ms; nil is null.
type Job struct {
	ID          string  `json:"id"`
	Payload     string  `json:"payload"`
	State       string  `json:"state"` // pending, leased, done, dead
	Attempts    int64   `json:"attempts"`
	MaxAttempts int64   `json:"max_attempts"`
	AvailableAt int64   `json:"available_at"`
	Deadline    int64   `json:"deadline"`
	LeaseUntil  *int64  `json:"lease_until"`
	LastError   *string `json:"last_error"`
	DeadReason  *string `json:"dead_reason"`
	CreatedAt   int64   `json:"created_at"`
	DoneAt      *int64  `json:"done_at"`
	DiedAt      *int64  `json:"died_at"`
}

// Stats are the figures of SPEC.md section 4.
type Stats struct {
	Pending       int64  `json:"pending"`
	Due           int64  `json:"due"`
	Leased        int64  `json:"leased"`
	Expired       int64  `json:"expired"`
	Done          int64  `json:"done"`
	Dead          int64  `json:"dead"`
	DeadExhausted int64  `json:"dead_exhausted"`
	DeadDeadline  int64  `json:"dead_deadline"`
	DeadPermanent int64  `json:"dead_permanent"`
	Retries       int64  `json:"retries"`
	OldestDueMS   *int64 `json:"oldest_due_ms"`
	OldestOpenMS  *int64 `json:"oldest_open_ms"`
}

// A Result is what a step gave: its word, and the other fields of SPEC.md section 9 as name and
// value texts in a fixed order. Bad names the rejected arguments.
type Result struct {
	Result string   `json:"result"`
	Fields []Field  `json:"fields,omitempty"`
	Bad    []BadArg `json:"bad,omitempty"`
}

// A Field is one named value of a result or a row, as text.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A BadArg is a rejected argument: its name, and a code of lab/retry's Fault that says what was
// wrong (boolean, nan, infinite, fraction, text, null, list, map, missing, too_small, too_large,
// not_a_number, late, ...).
type BadArg struct {
	Name  string `json:"name"`
	Fault string `json:"fault"`
	Text  string `json:"text"` // English: what was wrong and what would be right
}
