package ask

// OpenQuiz opens a quiz from its file's text. The answers given before to the same quiz are kept in
// the lab's database and come back with it.
type OpenQuiz struct {
	Source string `json:"source"` // the YAML file
	File   string `json:"file"`   // its name, for messages
	Lang   string `json:"lang"`
	Brief  bool   `json:"brief,omitempty"` // only how far a person has come: without options, so that nothing is played for them
}

// A Quiz is a quiz in one variant, ready to be shown.
type Quiz struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Seed      int64      `json:"seed"`
	Questions []Question `json:"questions"`
}

// A Question in one variant. Texts are Markdown as package prose reads it: nothing in them is HTML.
type Question struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"` // number, choice, choices, order, match
	Ask     string   `json:"ask"`
	Given   []Field  `json:"given,omitempty"`
	Unit    string   `json:"unit,omitempty"`    // of a number: ms, ...
	Source  string   `json:"source,omitempty"`  // the scenario shown with the question, YAML
	Options []Option `json:"options,omitempty"` // of a choice, an order or a match, in the order to show
	Rows    []Option `json:"rows,omitempty"`    // of a match, in the order to show: each is matched with an option
	Hints   []string `json:"hints,omitempty"`
	Seed    int64    `json:"seed"`
	Marked  *Marked  `json:"marked,omitempty"` // the last answer to this variant
}

// An Option of a choice. ID is stable within the variant.
type Option struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// AnswerQuiz answers one question: Answer is the typed number or the option's id. Separated by spaces it
// is the ids of a choices, all ids of an order from first to last, or ROW=OPTION for each row of a match.
type AnswerQuiz struct {
	Source   string `json:"source"`
	File     string `json:"file"`
	Lang     string `json:"lang"`
	Question string `json:"question"`
	Seed     int64  `json:"seed"`
	Answer   string `json:"answer"`
}

// FreshQuiz draws a new variant of one question, or of all when Question is "".
type FreshQuiz struct {
	Source   string `json:"source"`
	File     string `json:"file"`
	Lang     string `json:"lang"`
	Question string `json:"question,omitempty"`
}

// QuizProgress asks for every answer that is kept, as a file: SaveProgress -> Progress.
const QuizProgress Kind = "quiz.progress"

// SaveProgress says whose answers these are, as typed, or "".
type SaveProgress struct {
	Student string `json:"student,omitempty"`
}

// Progress is the file's text, which "server quiz results" reads, and how many answers are in it.
type Progress struct {
	Text    string `json:"text"`
	Answers int    `json:"answers"`
}

// Marked is an answer with its mark and what to say about it. Nothing is marked that was not
// understood: then Unclear says what to type, as a code of the catalogue (quiz.unclear.CODE).
type Marked struct {
	Answer  string  `json:"answer"`
	Score   float64 `json:"score"` // 0..1
	Right   bool    `json:"right"`
	Mistake string  `json:"mistake,omitempty"` // the mutant whose answer it is
	Why     string  `json:"why,omitempty"`     // an authored why of the chosen option
	Key     string  `json:"key,omitempty"`     // the right answer
	KeyID   string  `json:"key_id,omitempty"`  // the right answer as AnswerQuiz has it; "" for a number
	Work    string  `json:"work,omitempty"`    // how the key comes about, when the engine can say
	Unclear string  `json:"unclear,omitempty"`

	// Wrong are the options of a choices that were chosen and are not right, the items of an order that would
	// have to move, or the rows of a match that are not right, by id, with what the file says about each.
	Wrong map[string]string `json:"wrong,omitempty"`
}

// Key names a kept value; Kept is one. A value is at most 64 KiB.
type Key struct {
	Key string `json:"key"`
}

type Kept struct {
	Key   string `json:"key"`
	Value string `json:"value"` // "" when there is none
}
