package ask

// What the author page asks. The text may be anything: it is only read, never run, and nothing about it is
// kept.
const (
	QuizCheck    Kind = "quiz.check"    // CheckQuiz -> Checked; asked again with the same text until Done
	QuizVariants Kind = "quiz.variants" // VariantsOf -> Variants
	QuizTry      Kind = "quiz.try"      // AnswerQuiz -> Question; marked when Answer is not "", and not kept
)

// CheckQuiz has a quiz's text checked for a short time (a fifth of a second, and one variant more). The
// engine goes on where it was when it is asked with the same text again; of another text it tries only what is not
// as it was before.
type CheckQuiz struct {
	Source    string   `json:"source"`
	File      string   `json:"file"`
	Languages []string `json:"languages"` // that every text should have besides those of the title
}

// Checked is what a check has found so far.
type Checked struct {
	Readable  bool              `json:"readable"` // false: the problems keep it from being read, and what follows is empty
	Name      string            `json:"name,omitempty"`
	Languages []string          `json:"languages,omitempty"` // of the title; the first is the file's own
	Questions []CheckedQuestion `json:"questions,omitempty"`
	Problems  []Problem         `json:"problems"` // in the order of the lines, MaxProblems at most
	Found     int               `json:"found"`    // so many problems there are
	Done      bool              `json:"done"`
}

// MaxProblems is how many problems a Checked has at most.
const MaxProblems = 100

// A CheckedQuestion is how far the check of a question is. When it is done and Tried is below Of, the
// question has more to play than a tab should: then what shows only when all variants are tried is not told.
type CheckedQuestion struct {
	ID           string `json:"id"`
	Kind         string `json:"kind"`
	Combinations int64  `json:"combinations"` // of its given values, 1 or more
	Tried        int64  `json:"tried"`
	Of           int64  `json:"of"`
}

// VariantsOf asks for the variants of a question from a seed on, Count of them: 1 to MaxVariants.
type VariantsOf struct {
	Source   string `json:"source"`
	File     string `json:"file"`
	Lang     string `json:"lang"`
	Question string `json:"question"`
	Seed     int64  `json:"seed"`
	Count    int    `json:"count"`
}

// MaxVariants is how many variants a page gets of one question.
const MaxVariants = 200

// Variants are as many of the variants that were asked for as fit into a short time and a reply, one at least.
type Variants struct {
	Combinations int64     `json:"combinations"`
	Variants     []Variant `json:"variants"`
}

// A Variant is what a seed shows, with its key and what is said to each answer.
type Variant struct {
	Seed    int64     `json:"seed"`
	Index   int64     `json:"index"` // of its combination, from 0
	Given   []Field   `json:"given,omitempty"`
	Work    string    `json:"work,omitempty"`
	Answers []Said    `json:"answers,omitempty"` // the right ones first; of an order, its items in their right order
	Same    []string  `json:"same,omitempty"`    // mistakes without an answer of their own: it is the key, or an earlier one
	Problem *Problem  `json:"problem,omitempty"` // the engine rejects this variant
	Shown   *Question `json:"shown,omitempty"`   // as a student gets it; of the first variant alone
}

// Said is an answer, and what a student reads who gives it. Texts are Markdown.
type Said struct {
	Row     string `json:"row,omitempty"` // of a match: what Text belongs to
	Text    string `json:"text"`
	Right   bool   `json:"right,omitempty"`
	Mistake string `json:"mistake,omitempty"` // the mutant whose answer it is
	Why     string `json:"why,omitempty"`     // of an order or a match: said when it stands elsewhere
}
