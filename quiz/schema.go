package quiz

import _ "embed"

// Schema is the JSON Schema (draft 7) of the format, for editors: they complete names and mark faults
// while an author types. [Parse] and [Check] find more.
//
//go:embed schema.json
var Schema string
