package web

import (
	"reflect"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/retry"
	"retrylab/web/text"
)

func TestTheAxisFitsWhatIsAheadAndLeavesOutWhatIsFarAway(t *testing.T) {
	for _, c := range []struct {
		name string
		jobs []ask.Job
		now  int64
		want axis
	}{
		{"a deadline ahead", []ask.Job{{State: "pending", AvailableAt: 90, Deadline: 3000}}, 40, axis{0, 3000}},
		{"a deadline at the end of time", []ask.Job{{State: "pending", AvailableAt: 90, Deadline: retry.Max}}, 40, axis{0, 90}},
		{"a lease beyond its deadline", []ask.Job{{State: "leased", Deadline: 3000, LeaseUntil: of[int64](30000)}}, 0, axis{0, 3000}},
		{"the clock far beyond everything", []ask.Job{{State: "done", CreatedAt: 10, DoneAt: of[int64](40)}}, 1000, axis{10, 1000}},
		{"nothing but now", []ask.Job{{State: "done", CreatedAt: 5, DoneAt: of[int64](5)}}, 5, axis{5, 15}},
		{"a clock that was set back", []ask.Job{{State: "pending", CreatedAt: 500, AvailableAt: 500, Deadline: 900}}, 100, axis{100, 900}},
	} {
		if got := axisOf(c.jobs, c.now); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTicksAreRoundAndFew(t *testing.T) {
	for _, c := range []struct {
		axis axis
		want []int64
	}{
		{axis{0, 1000}, []int64{0, 200, 400, 600, 800, 1000}},
		{axis{15, 61}, []int64{15, 20, 25, 30, 35, 40, 45, 50, 55, 60}},
		{axis{0, 10}, []int64{0, 2, 4, 6, 8, 10}},
	} {
		if got := c.axis.ticks(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.axis, got, c.want)
		}
	}
	if n := len((axis{0, retry.Max}).ticks()); n > 11 {
		t.Errorf("%d ticks on the longest axis", n)
	}
}

func TestEveryStateCanBeDrawn(t *testing.T) {
	if liveFigure(text.For("en"), sampleLive) == nil {
		t.Error("no figure")
	}
}

func TestShortenCountsCharacters(t *testing.T) {
	if got := shorten("ケーキケーキ", 4); got != "ケーキ…" {
		t.Errorf("got %q", got)
	}
	if got := shorten("cake-1", 6); got != "cake-1" {
		t.Errorf("got %q", got)
	}
}
