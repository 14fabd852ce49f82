package student

import (
	"errors"
	"strings"
	"testing"
)

// breaking is a program whose interpreter comes to its end at the first call of a function.
type breaking struct{ calls int }

func (b *breaking) Do(call string) string {
	if strings.HasPrefix(call, `{"do":"call"`) {
		b.calls++
		return `{"ended": "out of memory"}`
	}
	return `{"ok": null}`
}

// A check must not fail in the name of what is no longer there, and no further one be played on it.
func TestTheEndOfAnInterpreterIsNoVerdict(t *testing.T) {
	program := &breaking{}
	j := &Judge{Program: program, Host: NewHost(), Language: JavaScript}
	if err := j.Load("anything"); err != nil {
		t.Fatal(err)
	}
	var ended *Ended
	v, err := j.Check(t.Context(), Checks(JavaScript)[0], 7, false)
	if !errors.As(err, &ended) || ended.Why != "out of memory" {
		t.Errorf("the check gives %+v, %v", v, err)
	}
	if program.calls == 0 {
		t.Error("the program was not called")
	}
	if err := j.Load("another"); err != nil {
		t.Errorf("the next program: %v", err)
	}
}
