package web

import (
	"reflect"
	"testing"
)

func TestStoryEndsWhenTheNextWaitNoLongerFits(t *testing.T) {
	for _, c := range []struct {
		name                  string
		base, limit, deadline int64
		jitter                float64
		attempts              []int64
		lastWait              int64
	}{
		{"the home page", 100, 1000, 3000, 1, []int64{0, 100, 300, 700, 1500, 2500}, 1000},
		{"a wait that ends on the deadline is too long", 100, 1000, 300, 1, []int64{0, 100}, 200},
		{"one ms later it fits", 100, 1000, 301, 1, []int64{0, 100, 300}, 400},
		{"half the jitter", 100, 250, 1000, .5, []int64{0, 50, 150, 275, 400, 525, 650, 775, 900}, 125},
		{"no wait at all", 100, 250, 1000, 0, []int64{0}, 0},
	} {
		s, err := storyOf(c.base, c.limit, c.deadline, c.jitter)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.Attempts, c.attempts) || s.LastWait != c.lastWait {
			t.Errorf("%s: got %v, %d, want %v, %d", c.name, s.Attempts, s.LastWait, c.attempts, c.lastWait)
		}
	}
	if _, err := storyOf(0, 1, 1, 1); err == nil {
		t.Error("a base of 0 is drawn")
	}
}
