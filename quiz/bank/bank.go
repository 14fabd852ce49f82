// Package bank holds the course's quizzes, one file each. A built site has them as plain files.
package bank

import "embed"

// Files are the quizzes, *.yaml, and index.json, which lists them in the course's order: the first twelve
// belong to lessons 1 to 12, in their order; what follows belongs to the comprehensive lab.
//
//go:embed *.yaml index.json
var Files embed.FS
