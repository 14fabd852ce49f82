package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"retrylab/lab/ask"
	"retrylab/lab/hunt"
	"retrylab/lab/retry"
	"retrylab/web/text"
)

// Every key that the pages ask for must be in the catalogue. Keys that stand in the code as they are
// are read from it; the others are put together from the names below.
func TestEveryKeyOfThePagesIsInTheCatalogue(t *testing.T) {
	words := text.For("en")
	need := func(where, key string) {
		if !words.Has(key) {
			t.Errorf("%s: the catalogue has no %q", where, key)
		}
	}
	plural := func(where, key string) {
		for _, form := range text.PluralForms("en") {
			need(where, key+"."+form)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			literal, plain := call.Args[0].(*ast.BasicLit)
			if !ok || !plain || literal.Kind != token.STRING {
				return true
			}
			if from, ok := method.X.(*ast.Ident); !ok || from.Name != "words" && from.Name != "own" {
				return true
			}
			key, _ := strconv.Unquote(literal.Value)
			where := set.Position(n.Pos()).String()
			switch method.Sel.Name {
			case "Get":
				found++
				need(where, key)
			case "N":
				found++
				plural(where, key)
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("only %d keys were found in the code: is it read rightly?", found)
	}

	all := func(prefix, suffix string, names ...string) {
		for _, name := range names {
			need("put together", prefix+name+suffix)
		}
	}
	for _, s := range jobStates {
		all("state.", "", string(s))
	}
	all("theme.", "", themes...)
	all("theme.to-", "", themes...)
	all("send.", "", allSends...)
	all("result.", "", strings.Fields("created existing conflict rejected none done retry dead unknown crashed clock_backwards lease_lost claimed extended requeued purged ok absent sending")...)
	all("step.", "", strings.Fields("enqueue run claim complete fail extend requeue purge restart clock policy")...)
	for _, suffix := range []string{"", ".do"} {
		all("error.", suffix, ask.EngineDied, ask.EngineFailed, ask.BadRequest, ask.Unknown, ask.Busy, ask.NothingHeld, ask.NothingToUndo,
			ask.BadFile, ask.NoSuchSubject, ask.NoSuchQuiz, ask.StorageFull, ask.TooLarge, ask.Rejected, ask.LiveFull)
	}
	all("engine.memory.why.", "", ask.NoOPFS, ask.Refused, ask.Broken, ask.Newer, ask.Full)
	for _, f := range []retry.Fault{
		retry.FaultMissing, retry.FaultNull, retry.FaultBoolean, retry.FaultNaN, retry.FaultInfinite, retry.FaultFraction, retry.FaultText,
		retry.FaultList, retry.FaultMap, retry.FaultTooSmall, retry.FaultTooLarge, retry.FaultNotText, retry.FaultEmpty, retry.FaultTooLong,
		retry.FaultNotUTF8, retry.FaultNUL, retry.FaultLate, retry.FaultNoRoom, retry.FaultState, retry.FaultTooMany,
	} {
		all("fault.", "", string(f))
	}
	all("want.", "", "whole", "number", "text")
	all("quiz.kind.", "", "number", "choice", "choices", "order", "match")
	all("quiz.wrong.", "", "order", "match")
	all("quiz.order.", "", "up", "down")
	all("quiz.unclear.", "", "empty", "not_a_number", "thousands", "unit", "not_an_option", "rows")
	all("quiz.mark.", "", "right", "wrong", "part")
	all("quiz.bar", "", "", ".right", ".wrong", ".part")
	all("author.said.", "", strings.Fields("example empty quiz link file saved draft opened undone")...)
	all("author.keys.", "", "answer", "from", "said")
	all("author.list.", "", "given", "right", "wrong")
	all("lab.group.", "", strings.Fields("delay boundary enqueue budget leases failures watching")...)
	all("lab.outcome.", "", "pass", "fail", "idle")
	for _, form := range strings.Fields("enqueue run clock worker requeue policy purge") {
		all("queue."+form+".", "", "title")
		if form != "worker" {
			all("queue."+form+".", "", "send")
		}
	}
	for _, h := range hunt.All() {
		all("hunt.stall.", "", h.Name)
		for n := 1; n <= hunt.Hints; n++ {
			all("hunt.hint."+h.Name+".", "", whole(n))
		}
		all("hunt.level.", "", whole(h.Level))
	}
	all("hunt.outcome.", "", "won", "gave-up", "open")
	for _, suffix := range []string{"", ".text"} {
		all("hunt.verdict.", suffix, ask.HuntWon, ask.HuntMissed, ask.HuntExpectsNothing, ask.HuntReferenceFails, ask.HuntReferenceAgrees)
	}
	for _, suffix := range []string{"", ".of"} {
		all("hunt.step.", suffix, "take", "expect", "inside", "up", "remove")
	}
	all("hunt.text.", "", "unkept", "kept", "kept.memory")
	all("", "", "hunt.before", "hunt.after", "course.13b.title", "course.13b.text")
	for n := 1; n <= 13; n++ {
		all("course.", "", whole(n)+".title", whole(n)+".text")
	}
	for _, p := range append(Pages(), Missing()) {
		all("", "", p.Title)
	}
}
