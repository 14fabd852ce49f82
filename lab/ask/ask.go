// Package ask is the conversation between a page and the engine: what a page may ask and what the
// engine answers. All of it is plain values that travel as JSON text through postMessage; no SQLite
// and no page stands behind this package, so both sides import it.
//
// A page sends a [Request]. The engine answers with one or more [Reply] values that carry the
// request's id; the last one has More false. The engine also speaks unasked: a Reply with id 0 is a
// [Notice]. A request that the engine cannot answer ends in a Reply with an [Error]; so does each
// open request of an engine that died.
package ask

import "encoding/json"

// A Request asks the engine for one thing. ID is unique among the page's open requests, 1 or more.
type Request struct {
	ID   int64           `json:"id"`
	Kind Kind            `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

// A Reply answers the request with the same id. More says that further replies to it follow.
type Reply struct {
	ID   int64           `json:"id"`
	More bool            `json:"more,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
	Err  *Error          `json:"error,omitempty"`
}

// Kind names what is asked. The comment behind each gives the types of Body there and back.
type Kind string

const (
	LiveView    Kind = "live.view"     // nothing -> Live
	LiveStep    Kind = "live.step"     // Step -> (Sending, when Step.Hold)* -> Live
	LiveAnswer  Kind = "live.answer"   // Answer -> nothing; the held send ends, and its LiveStep is answered
	LiveReset   Kind = "live.reset"    // nothing -> Live; the queue is empty and its clock at 0; kept for LiveUndo
	LiveUndo    Kind = "live.undo"     // nothing -> Live; takes the last LiveReset back
	LivePolicy  Kind = "live.policy"   // PolicyText -> Live
	LabList     Kind = "lab.list"      // nothing -> Lab
	LabShow     Kind = "lab.show"      // ShowCheck -> CheckSource
	LabRun      Kind = "lab.run"       // RunLab -> CheckResult* -> LabSummary
	ScenarioRun Kind = "scenario.run"  // RunScenario -> ScenarioResult
	StudentRun  Kind = "student.run"   // RunStudent -> StudentCheck* -> StudentSummary; only beside an interpreter
	StudentTry  Kind = "student.delay" // StudentDelay -> StudentValue; only beside an interpreter
	QuizOpen    Kind = "quiz.open"     // OpenQuiz -> Quiz
	QuizAnswer  Kind = "quiz.answer"   // AnswerQuiz -> Question, marked
	QuizFresh   Kind = "quiz.fresh"    // FreshQuiz -> Quiz; a new variant, old answers stay stored
	KeepGet     Kind = "keep.get"      // Key -> Kept
	KeepPut     Kind = "keep.put"      // Kept -> nothing
)

// Error codes. A page turns a code into its own language; Detail is English, for the curious.
const (
	EngineDied    = "engine_died"   // the engine ended before it answered
	EngineFailed  = "engine_failed" // the engine could not be started
	BadRequest    = "bad_request"   // the request is malformed: a fault of the page
	Unknown       = "unknown"       // anything else; Detail tells
	Busy          = "busy"          // a send is held: answer it first
	NothingHeld   = "nothing_held"  // no send is held
	NothingToUndo = "nothing_to_undo"
	BadFile       = "bad_file" // a scenario or quiz that does not parse; Problems tell where
	NoSuchSubject = "no_such_subject"
	NoSuchQuiz    = "no_such_quiz"
	StorageFull   = "storage_full"
	TooLarge      = "too_large"
	Rejected      = "rejected"  // an Answer with a value that the rules reject: Bad tells; the send is still held
	LiveFull      = "live_full" // the live queue has MaxLiveJobs jobs: empty it first
)

// An Error is a coded failure.
type Error struct {
	Code     string    `json:"code"`
	Detail   string    `json:"detail,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	Bad      []BadArg  `json:"bad,omitempty"` // of Rejected
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Code
	}
	return e.Code + ": " + e.Detail
}

// A Problem is one fault of a file, at a line and column that count from 1.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Notice states. An engine starts with Ready, or with Elsewhere until the other tab is closed.
const (
	Ready     = "ready"     // the engine answers from now on
	Elsewhere = "elsewhere" // another tab has the lab open; this engine waits for it to close
)

// Homes of the lab's database.
const (
	OPFS   = "opfs"   // kept on this device
	Memory = "memory" // gone with the tab: Why says why
)

// Reasons for the home Memory.
const (
	NoOPFS  = "no_opfs" // the browser, or a page without https, has no private file system
	Refused = "refused" // the browser has one and does not give it, as in some private windows
	Broken  = "broken"  // the database could not be opened; it is left as it is
	Newer   = "newer"   // a newer version of this site has written the database; it is left as it is
	Full    = "full"    // no space is left on the device
)

// A Notice is what the engine says unasked.
type Notice struct {
	State  string `json:"state"`            // Ready or Elsewhere
	Home   string `json:"home,omitempty"`   // OPFS or Memory, when Ready
	Why    string `json:"why,omitempty"`    // with Memory: NoOPFS, Refused, Broken, Newer or Full
	Detail string `json:"detail,omitempty"` // English, for the curious
	SQLite string `json:"sqlite,omitempty"` // SQLite's version, when Ready with a lab's database
}
