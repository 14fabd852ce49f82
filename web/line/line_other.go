//go:build !js

package line

import "retrylab/lab/ask"

// A Line is a line to the engine; on this platform there is none.
type Line struct{}

// Open returns a line that does nothing.
func Open(url string) *Line { return &Line{} }

func OpenFrame(assets, root, language string) *Line { return &Line{} }

func (*Line) Ask(kind ask.Kind, body any, on On)          {}
func (*Line) OnNotice(on func(ask.Notice)) (stop func())  { return func() {} }
func (*Line) OnProgress(on func(bytes int)) (stop func()) { return func() {} }
func (*Line) Warm()                                       {}
func (*Line) Kill()                                       {}
func (*Line) Rest()                                       {}
func (*Line) Retry()                                      {}
