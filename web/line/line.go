// Package line is a page's line to the engine, which runs in a Web Worker: it starts the worker,
// sends requests, hands each reply to whoever asked, and starts another engine when one has ended.
//
// Everything a Line is given to call runs on the page's event loop, in the order in which the engine
// spoke, and must not wait for anything. Built for another platform than js, as when pages are
// rendered for the site, a Line does nothing.
package line

import "retrylab/lab/ask"

// MaxRequest is how many bytes a request's text may have; a larger one is answered with
// ask.TooLarge.
const MaxRequest = 1 << 20

// maxDeaths is how many engines in a row may end before one is ready: then there is something wrong
// that starting another does not mend, until [Line.Retry].
const maxDeaths = 3

// On hears the replies to one request. The last one has More false; it may be an error.
type On = func(ask.Reply)
