package web

import (
	"retrylab/lab/ask"
	"retrylab/web/text"
)

func of[T any](v T) *T { return &v }

// sampleLive is an afternoon of the school festival for the component page: a job in every state.
var sampleLive = ask.Live{
	Now:    600,
	Policy: ask.Policy{BaseMS: 100, CapMS: 1000, Jitter: 0.5, LeaseMS: 250},
	Total:  8,
	Jobs: []ask.Job{
		{ID: "cake-1", State: "pending", Attempts: 4, MaxAttempts: 5, AvailableAt: 945, Deadline: 1000, LastError: of("503"), Payload: "2 sponge cakes"},
		{ID: "mochi-2", State: "leased", Attempts: 2, MaxAttempts: 3, LeaseUntil: of[int64](580), Deadline: 1000, Payload: "12 mochi"},
		{ID: "taiyaki-3", State: "dead", Attempts: 2, MaxAttempts: 4, AvailableAt: 140, Deadline: 560, LastError: of("429"), DeadReason: of("deadline"), DiedAt: of[int64](190), Payload: "6 taiyaki"},
		{ID: "dango-4", State: "dead", Attempts: 1, MaxAttempts: 3, AvailableAt: 40, Deadline: 1000, LastError: of("400 quantity below 1"), DeadReason: of("permanent"), CreatedAt: 40, DiedAt: of[int64](100), Payload: "minus 3 dango"},
		{ID: "daifuku-5", State: "dead", Attempts: 2, MaxAttempts: 2, AvailableAt: 185, Deadline: 900, LastError: of("503"), DeadReason: of("exhausted"), CreatedAt: 60, DiedAt: of[int64](240), Payload: "8 daifuku"},
		{ID: "senbei-6", State: "done", Attempts: 1, MaxAttempts: 3, AvailableAt: 300, Deadline: 900, CreatedAt: 300, DoneAt: of[int64](390), Payload: "20 senbei"},
		{ID: "yokan-7", State: "leased", Attempts: 1, MaxAttempts: 3, AvailableAt: 560, CreatedAt: 560, LeaseUntil: of[int64](820), Deadline: 1000, Payload: "1 yokan"},
		{ID: "manju-8", State: "pending", MaxAttempts: 3, AvailableAt: 590, CreatedAt: 590, Deadline: 1000, Payload: "10 manju"},
	},
	Stats: ask.Stats{
		Pending: 2, Due: 1, Leased: 2, Expired: 1, Done: 1, Dead: 3, DeadExhausted: 1, DeadDeadline: 1, DeadPermanent: 1,
		Retries: 6, OldestDueMS: of[int64](10), OldestOpenMS: of[int64](600),
	},
	Log: []ask.Entry{
		{At: 300, Do: "enqueue", ID: "senbei-6", Result: "created", Text: "enqueue: {id: senbei-6, payload: 20 senbei, max_attempts: 3, deadline: 900}"},
		{At: 390, Do: "run", ID: "senbei-6", Result: "done"},
		{At: 545, Do: "run", ID: "cake-1", Result: "retry", Text: "run: {send: retryable, takes: 45, error: \"503\"}"},
		{At: 560, Do: "enqueue", ID: "yokan-7", Result: "created"},
		{At: 570, Do: "claim", ID: "yokan-7", Result: "claimed"},
		{At: 590, Do: "enqueue", ID: "cake-1", Result: "conflict"},
	},
}

// sampleArranged is an order and a match that are partly right.
func sampleArranged(words text.Words) ask.Quiz {
	state := func(s jobState) string { return words.Get("state." + string(s)) }
	order := ask.Question{
		ID: "order", Kind: "order", Seed: 1, Ask: words.Get("components.arranged.order"),
		Options: []ask.Option{{ID: "a", Text: state(statePending)}, {ID: "b", Text: state(stateDone)}, {ID: "c", Text: state(stateLeased)}},
		Marked:  &ask.Marked{Answer: "a b c", Score: 1.0 / 3, KeyID: "a c b", Wrong: map[string]string{"b": ""}},
	}
	match := ask.Question{
		ID: "match", Kind: "match", Seed: 1, Ask: words.Get("components.arranged.match"),
		Rows:    []ask.Option{{ID: "x", Text: "503"}, {ID: "y", Text: "404"}},
		Options: []ask.Option{{ID: "r", Text: plain(words.Get("send.retryable"))}, {ID: "p", Text: plain(words.Get("send.permanent"))}},
		Marked:  &ask.Marked{Answer: "x=r y=r", Score: .5, KeyID: "x=r y=p", Wrong: map[string]string{"y": ""}},
	}
	return ask.Quiz{Questions: []ask.Question{order, match}}
}

// The programs in the code editors of the component page.
const (
	samplePython = `def run_once(self, clock, send, *, lease_ms):
    """Claims one job and sends it."""
    now = clock()
    if now + wait > job["deadline"]:
        return self.bury(job, 'deadline')
    # The attempt stays consumed, whatever happens.
    for attempt in range(1, 0x10):
        total = None if attempt == 1 else 2.5e3
    return {"result": "retry", "id": f"job {total}"}
`
	sampleJavaScript = `class Queue {
  constructor(db) {
    this.db = db; // real SQLite
  }
  stats(now) {
    const rows = this.db.execute("SELECT count(*) AS n FROM jobs", []);
    return { pending: rows[0].n ?? 0, dead: null, ok: /^a+$/.test(` + "`x${now}`" + `) };
  }
}
`
)
