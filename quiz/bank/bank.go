// Package bank holds the course's quizzes, one file each. A built site has them as plain files.
package bank

import "embed"

// Files are the quizzes, *.yaml.
//
//go:embed *.yaml
var Files embed.FS
