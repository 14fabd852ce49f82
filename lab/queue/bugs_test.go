package queue_test

import (
	"testing"

	"retrylab/lab/queue"
)

// A bug was reported against a well-known queue. Its check holds on the queue as it is; the test puts
// each of the faults in and wants the check to notice.
type bug struct {
	source string // where it was reported
	name   string // the behaviour that is right here
	check  func(t tb, put change)
	faults map[string]change
	// A fault that no change of the parts can make was put into the code by hand, with the check failing.
	byHand string
	// Why it cannot occur here at all, or where it is tested.
	cannot string
}

// A queue whose operations share transactions does the same.
func TestKnownBugsWhenGathered(t *testing.T) {
	gathered = true
	defer func() { gathered = false }()
	for _, list := range [][]bug{bugsOfClaim, bugsOfAcceptance, bugsOfWatching} {
		for _, b := range list {
			if b.check != nil {
				t.Run(b.name, func(t *testing.T) { b.check(t, nil) })
			}
		}
	}
}

func TestKnownBugs(t *testing.T) {
	for _, list := range [][]bug{bugsOfClaim, bugsOfAcceptance, bugsOfWatching} {
		for _, b := range list {
			t.Run(b.name, func(t *testing.T) {
				if b.cannot != "" {
					t.Logf("%s: %s", b.source, b.cannot)
					if b.check == nil {
						return
					}
				}
				b.check(t, nil)
				if len(b.faults) == 0 && b.byHand == "" && b.cannot == "" {
					t.Errorf("%s: no fault was tried", b.source)
				}
				for name, put := range b.faults {
					if err := put(queue.ReferenceParts()); err != nil {
						t.Errorf("%s: the fault %q can no longer be put in: %v", b.source, name, err)
						continue
					}
					why := fails(t, func(t tb) { b.check(t, put) })
					if why == "" {
						t.Errorf("%s: with the fault %q the check passes", b.source, name)
					} else if testing.Verbose() {
						t.Logf("%s: %s", name, why)
					}
				}
			})
		}
	}
}
