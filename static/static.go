// Package static holds the files of the site that are written by hand and served as they are.
package static

import "embed"

// Files are the style sheets, scripts, icons and the notices of third parties.
//
//go:embed *.css *.js *.py *.svg *.png *.txt
var Files embed.FS
