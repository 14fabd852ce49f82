package ask

// Kinds of the bug hunt. The comment behind each gives the types of Body there and back.
const (
	HuntList   Kind = "hunt.list"    // nothing -> Hunts
	HuntRead   Kind = "hunt.read"    // ReadHunt -> HuntForm
	HuntPlay   Kind = "hunt.play"    // PlayHunt -> HuntPlayed; a win is kept
	HuntGiveUp Kind = "hunt.give_up" // HuntNo -> Hunt; that it was given up is kept
)

// MaxHuntSource is how many bytes of a scenario are read; a longer one is TooLarge.
const MaxHuntSource = 16 << 10

// Hunts are the queues of the bug hunt, in rising difficulty.
type Hunts struct {
	Hunts  []Hunt              `json:"hunts"`
	Fields map[string][]string `json:"fields"` // what the result of each step can have, in order
}

// A Hunt is one queue with a misunderstanding, and how far a person has come with it. Name is a stall
// of the festival: it tells nothing, and is the key of the catalogue (hunt.stall.NAME, hunt.NAME.hint.N).
type Hunt struct {
	No     int    `json:"no"` // counts from 1
	Name   string `json:"name"`
	Level  int    `json:"level"` // 1 to 3
	Hints  int    `json:"hints"` // there are so many
	Won    bool   `json:"won,omitempty"`
	GaveUp bool   `json:"gave_up,omitempty"` // also of one that was won afterwards
	Mutant string `json:"mutant,omitempty"`  // only of one that is won or given up
	Source string `json:"source,omitempty"`  // the scenario that has won, as it was written
}

// A HuntNo names a hunt.
type HuntNo struct {
	No int `json:"no"`
}

// PlayHunt plays one scenario on the reference and, unless ReferenceOnly, on the queue of a hunt.
type PlayHunt struct {
	No            int    `json:"no"`
	Source        string `json:"source"`
	ReferenceOnly bool   `json:"reference_only,omitempty"`
}

// Verdicts on a scenario.
const (
	HuntWon             = "won"              // it holds on the reference and fails on the queue
	HuntMissed          = "missed"           // it holds on both
	HuntExpectsNothing  = "expects_nothing"  // no step expects anything, so it can fail nowhere
	HuntReferenceFails  = "reference_fails"  // the rules say otherwise than the scenario expects
	HuntReferenceAgrees = "reference_agrees" // of ReferenceOnly: it holds
)

// HuntPlayed is what a scenario has shown. Given is the scenario without its expectations on the
// reference: every step with the result that the rules give. Hunted is nil when the queue was not
// asked: the scenario must hold on the reference first, and expect something.
type HuntPlayed struct {
	Verdict   string `json:"verdict"`
	Given     Trace  `json:"given"`
	Reference Trace  `json:"reference"`
	Hunted    *Trace `json:"hunted,omitempty"`
	Hunt      Hunt   `json:"hunt"`
}

// ReadHunt is a scenario's text, to be taken apart for a form.
type ReadHunt struct {
	Source string `json:"source"`
}

// A HuntForm is a scenario in parts. Every value is a text as it would stand in a file: 3, cake-1,
// "a: b", null.
type HuntForm struct {
	Name   string     `json:"name"` // as it reads, without quotes
	Policy []Field    `json:"policy,omitempty"`
	Steps  []HuntStep `json:"steps"`
}

// A HuntStep is one step in parts. The one value of claim, complete, extend and job stands under
// "worker" or "id"; restart and stats have none.
type HuntStep struct {
	At     string     `json:"at,omitempty"`
	Do     string     `json:"do"`
	Fields []Field    `json:"fields,omitempty"`
	During []HuntStep `json:"during,omitempty"`
	Expect []Field    `json:"expect,omitempty"`
}
