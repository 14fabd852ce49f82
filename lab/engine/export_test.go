package engine

import "time"

// SetAuthorClock gives the author page's bounds a clock.
func (e *Engine) SetAuthorClock(now func() time.Time) { e.quizzes.author.clock = now }
