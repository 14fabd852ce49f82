package site

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// render mounts a component in go-app's engine as a server does and returns what stands there then.
//
// go-app has an encoder of its own, but what it writes cannot be repaired afterwards: it quotes
// attributes as Go does, so that \" ends them early and U+3000 becomes \u3000, it leaves out the value
// "true", which aria-expanded needs, and puts spaces between the parts of a sentence. So the mounted
// tree is read here instead, through reflection since go-app does not export it. TestTree holds this
// against go-app's fields.
func render(root app.Composer) (*html.Node, error) {
	engine := app.NewTestEngine()
	if err := engine.Load(root); err != nil {
		return nil, err
	}
	engine.ConsumeAll()
	return node(reflect.ValueOf(root))
}

// node turns one part of a mounted tree into HTML; nil when it shows nothing.
func node(v reflect.Value) (*html.Node, error) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, fmt.Errorf("a part of the page is nil")
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil, fmt.Errorf("a part of the page is a %s", v.Type())
	}
	if tag := v.FieldByName("tag"); tag.IsValid() && v.FieldByName("attributes").IsValid() {
		return element(v)
	}
	if inner := v.FieldByName("rootElement"); inner.IsValid() {
		n, err := node(inner)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Type(), err)
		}
		return n, nil
	}
	value := v.FieldByName("value")
	if !value.IsValid() {
		return nil, fmt.Errorf("%s is no part that go-app could show", v.Type())
	}
	if v.FieldByName("tag").IsValid() {
		return raw(value.String())
	}
	return &html.Node{Type: html.TextNode, Data: value.String()}, nil
}

func element(v reflect.Value) (*html.Node, error) {
	n := &html.Node{Type: html.ElementNode, Data: v.FieldByName("tag").String()}
	n.DataAtom = atom.Lookup([]byte(n.Data))
	attrs := map[string]string{}
	for it := v.FieldByName("attributes").MapRange(); it.Next(); {
		attrs[it.Key().String()] = it.Value().String()
	}
	children := v.FieldByName("children")
	for i := range children.Len() {
		child, err := node(children.Index(i))
		if err != nil {
			return nil, fmt.Errorf("<%s>: %w", n.Data, err)
		}
		if child != nil {
			n.AppendChild(child)
		}
	}
	// A value is a property in the tab; in a document these two elements have it as content.
	switch n.Data {
	case "textarea":
		if s, ok := attrs["value"]; ok && n.FirstChild == nil {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: s})
		}
		delete(attrs, "value")
	case "select":
		if s, ok := attrs["value"]; ok {
			choose(n, s)
		}
		delete(attrs, "value")
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		value := attrs[name]
		if isBoolean(name) {
			if value != "true" {
				continue
			}
			value = ""
		}
		n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
	}
	return n, nil
}

// isBoolean says whether an attribute is on by being there, as go-app sees it.
func isBoolean(name string) bool {
	return slices.Contains(booleans, name)
}

var booleans = strings.Fields(`async autofocus autoplay checked controls default defer disabled hidden
	ismap loop multiple muted open readonly required reversed selected`)

// choose marks the option of a select that has a value.
func choose(n *html.Node, value string) {
	for c := range n.Descendants() {
		if c.Data != "option" {
			continue
		}
		own, given := "", false
		for _, a := range c.Attr {
			if a.Key == "value" {
				own, given = a.Val, true
			}
		}
		if !given && c.FirstChild != nil {
			own = c.FirstChild.Data
		}
		if own == value {
			c.Attr = append(c.Attr, html.Attribute{Key: "selected"})
			return
		}
	}
}

// raw reads HTML as the browser does when go-app mounts it: the first node counts.
func raw(s string) (*html.Node, error) {
	nodes, err := html.ParseFragment(strings.NewReader(s), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	for n := range nodes[0].Descendants() {
		sortAttributes(n)
	}
	sortAttributes(nodes[0])
	return nodes[0], nil
}

func sortAttributes(n *html.Node) {
	slices.SortStableFunc(n.Attr, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
}
