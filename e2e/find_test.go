package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// call sends one command of the browser's protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) error {
	_, err := ask(b, command, params)
	return err
}

func ask[P, R any](b *tab, command cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Call(ctx, command, params)
}

// An element is something on the page, found by role and name. It is looked up each time it is used,
// since the page may have been drawn again meanwhile.
type element struct {
	b    *tab
	role string
	name string
	nth  int // counts from 0
}

// role finds an element by its role (button, link, textbox, heading ...) and accessible name, both as
// the browser tells a screen reader. The name must be the whole name. With several, the first counts.
func (b *tab) role(role, name string) element { return element{b: b, role: role, name: name} }

// at is the element with the same role and name at a place that counts from 0.
func (e element) at(n int) element { e.nth = n; return e }

func (e element) String() string { return fmt.Sprintf("%s %q", e.role, e.name) }

// nodes finds all with the role and name that are not hidden from a screen reader.
func (e element) nodes() ([]*accessibility.Node, error) {
	doc, err := ask(e.b, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return nil, err
	}
	found, err := ask(e.b, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{
		BackendNodeID: doc.Root.BackendNodeID, Role: e.role, AccessibleName: e.name,
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found.Nodes, func(n *accessibility.Node) bool { return n.Ignored || n.BackendDOMNodeID == 0 }), nil
}

// count is how many there are now.
func (e element) count() int {
	e.b.t.Helper()
	nodes, err := e.nodes()
	if err != nil {
		e.b.t.Fatal(err)
	}
	return len(nodes)
}

// object waits for the element and returns a handle to it.
func (e element) object() runtime.RemoteObjectID {
	e.b.t.Helper()
	began := time.Now()
	var last error
	for {
		nodes, err := e.nodes()
		if err == nil && len(nodes) > e.nth {
			res, err := ask(e.b, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: nodes[e.nth].BackendDOMNodeID})
			if err == nil {
				return res.Object.ObjectID
			}
		}
		if err != nil {
			last = err
		}
		if time.Since(began) > patience {
			e.b.t.Fatalf("no %v on the page (error: %v); there are: %s\n%.600s", e, last, e.b.names(e.role), e.b.visible())
		}
		e.b.pause(began)
	}
}

// pause lets the page go on for a moment before it is asked again, longer when that began a while ago: to be asked
// costs a page time.
func (b *tab) pause(began time.Time) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	ms := min(max(30, time.Since(began).Milliseconds()/4), 250)
	chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(`new Promise((r) => setTimeout(r, %d, true))`, ms), chromedp.EvalAwaitPromise))
}

// names lists the names of all elements with a role, for messages.
func (b *tab) names(role string) string {
	doc, err := ask(b, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return err.Error()
	}
	found, err := ask(b, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: doc.Root.BackendNodeID, Role: role})
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, n := range found.Nodes {
		if !n.Ignored && n.Name != nil {
			names = append(names, string(n.Name.Value))
		}
	}
	return strings.Join(names, ", ")
}

// on calls a JavaScript function with the element as this and returns its result.
func on[T any](e element, function string, args ...any) T {
	e.b.t.Helper()
	ctx, cancel := context.WithTimeout(e.b.ctx, patience)
	defer cancel()
	object := e.object()
	v, err := chromedp.Run(ctx, chromedp.CallFunctionOn[T](function, func(p *runtime.CallFunctionOnParams) { p.ObjectID = object }, args...))
	if err != nil {
		e.b.t.Fatalf("%v: %v in %s", e, err, function)
	}
	return v
}

// text is the text inside of the element.
func (e element) text() string {
	e.b.t.Helper()
	return on[string](e, `function() { return this.innerText }`)
}

// value is the value of a field.
func (e element) value() string {
	e.b.t.Helper()
	return on[string](e, `function() { return String(this.value) }`)
}

// focused says whether the element has the keyboard.
func (e element) focused() bool {
	e.b.t.Helper()
	return on[bool](e, `function() { return this === document.activeElement }`)
}

// sees waits until the text inside of the element contains a text.
func (e element) sees(text string) {
	e.b.t.Helper()
	e.until(func() bool { return strings.Contains(e.text(), text) }, "shows "+text, e.text)
}

// until waits for something about the element.
func (e element) until(ok func() bool, what string, now func() string) {
	e.b.t.Helper()
	for began := time.Now(); !ok(); e.b.pause(began) {
		if time.Since(began) > patience {
			e.b.t.Fatalf("waited in vain until %v %s; it is: %.600s", e, what, now())
		}
	}
}

// click presses the mouse on the middle of the element. It waits until the element is there, can be
// used, and nothing lies over it.
func (e element) click() {
	e.b.t.Helper()
	began := time.Now()
	for {
		x, y, err := e.middle()
		if err == nil {
			for _, kind := range []input.DispatchMouseEventType{chromedp.MouseMoved, chromedp.MousePressed, chromedp.MouseReleased} {
				p := input.DispatchMouseEventParams{Type: kind, X: x, Y: y}
				if kind != chromedp.MouseMoved {
					p.Button, p.ClickCount = input.MouseButtonLeft, 1
				}
				if err := call(e.b, input.DispatchMouseEvent, p); err != nil {
					e.b.t.Fatalf("clicking %v: %v", e, err)
				}
			}
			return
		}
		if time.Since(began) > patience {
			e.b.t.Fatalf("%v cannot be clicked: %v", e, err)
		}
		e.b.pause(began)
	}
}

// middle is where a click on the element goes, in pixels of the window.
func (e element) middle() (x, y float64, err error) {
	e.b.t.Helper()
	at := on[[]float64](e, `function() {
		this.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
		if (this.disabled || this.getAttribute("aria-disabled") === "true") return [];
		const box = this.getClientRects()[0];
		if (!box || !box.width || !box.height) return [];
		const x = box.x + box.width / 2, y = box.y + box.height / 2;
		let top = this.getRootNode().elementFromPoint(x, y); // also inside of an element of our own
		const label = this.labels?.[0];
		if (!top || !(this.contains(top) || top.contains(this) || label?.contains(top))) return [];
		return [x, y];
	}`)
	if len(at) != 2 {
		return 0, 0, errors.New("it is disabled, has no size, or something lies over it")
	}
	return at[0], at[1], nil
}

// fill puts a text in the place of what a field holds, key by key.
func (e element) fill(text string) {
	e.b.t.Helper()
	on[chromedp.Void](e, `function() { this.focus(); this.select?.(); }`)
	if text == "" {
		e.b.key("\b")
		return
	}
	e.b.paste(text)
}

// choose takes an option of a select by its visible text.
func (e element) choose(option string) {
	e.b.t.Helper()
	ok := on[bool](e, `function(text) {
		const o = [...this.options].find((o) => o.text.trim() === text);
		if (!o) return false;
		this.value = o.value;
		this.dispatchEvent(new Event("input", { bubbles: true }));
		this.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	}`, option)
	if !ok {
		e.b.t.Fatalf("%v has no option %q", e, option)
	}
}

// key presses keys, as in chromedp/kb: "\t", "\r", kb.ArrowDown.
func (b *tab) key(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// paste puts a text where the keys go, at once.
func (b *tab) paste(text string) {
	b.t.Helper()
	if err := call(b, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		b.t.Fatal(err)
	}
}
