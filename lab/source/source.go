// Package source reads YAML as its author wrote it: every value keeps its line and column and the
// exact text of its number, and nothing is expanded, so that a hostile file stays small. Scenarios
// and quizzes are read with it.
//
// It reads the core schema of YAML 1.2: an unquoted 1e400 is a number, 017 is 17, yes is text.
// Anchors, aliases, merge keys and tags (but !!str) are refused.
package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"retrylab/lab/retry"
)

// Limits of one file, whatever its size limit.
const (
	maxDepth = 40        // of nested lists and maps
	maxNodes = 1_000_000 // scalars, lists and maps
)

// A Problem is one fault of a file. Lines and columns count from 1, columns in characters.
type Problem struct {
	File         string
	Line, Column int
	Message      string // what is wrong, and what was expected
}

func (p *Problem) Error() string {
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ": " + p.Message
}

// A Kind is what a node is.
type Kind uint8

// Kinds of nodes.
const (
	Scalar Kind = iota
	List
	Map
)

func (k Kind) String() string {
	return [...]string{"a value", "a list", "a map"}[k]
}

// A Node is a value in a file.
type Node struct {
	Kind         Kind
	File         string
	Line, Column int
	Text         string // of a scalar, as YAML reads it: quotes and escapes are gone
	Plain        bool   // a scalar without quotes and not a block
	Items        []Node // of a list
	Entries      []Entry
}

// An Entry is one key of a map with its value.
type Entry struct {
	Key   string
	At    Node // the key
	Value Node
}

// Problem is a fault at the node.
func (n Node) Problem(format string, args ...any) *Problem {
	return &Problem{n.File, n.Line, n.Column, fmt.Sprintf(format, args...)}
}

// Value is the node as a value from outside.
func (n Node) Value() retry.Value {
	switch {
	case n.Kind == List:
		return retry.List()
	case n.Kind == Map:
		return retry.Map()
	case n.Plain:
		return retry.ParsePlain(n.Text)
	}
	return retry.Text(n.Text)
}

// Get is the value under a key of a map, and whether there is one.
func (n Node) Get(key string) (Node, bool) {
	for _, e := range n.Entries {
		if e.Key == key {
			return e.Value, true
		}
	}
	return Node{}, false
}

// Documents reads the documents of a file of at most limit bytes. Documents without any content are
// left out. An error is a [*Problem].
func Documents(file string, data []byte, limit int) ([]Node, error) {
	at := func(line, column int, message string) error {
		return &Problem{file, max(line, 1), max(column, 1), message}
	}
	if len(data) > limit {
		return nil, at(1, 1, fmt.Sprintf("the file has %d bytes, at most %d are read", len(data), limit))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	read := reader{file: file}
	var docs []Node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			line, column := position(err, data)
			return nil, at(line, column, message(err))
		}
		if len(document.Content) == 0 {
			continue
		}
		node, problem := read.node(document.Content[0], 0)
		if problem != nil {
			return nil, problem
		}
		if node.Kind == Scalar && node.Plain && node.Text == "" {
			continue
		}
		docs = append(docs, node)
	}
}

type reader struct {
	file  string
	nodes int
}

func (r *reader) node(y *yaml.Node, depth int) (Node, *Problem) {
	n := Node{File: r.file, Line: max(y.Line, 1), Column: max(y.Column, 1)}
	r.nodes++
	switch {
	case depth > maxDepth:
		return n, n.Problem("more than %d levels deep", maxDepth)
	case r.nodes > maxNodes:
		return n, n.Problem("more than %d values in one file", maxNodes)
	case y.Kind == yaml.AliasNode, y.Anchor != "":
		return n, n.Problem("anchors and aliases (& and *) are not read here: write the value out")
	}
	tagged := y.Style&yaml.TaggedStyle != 0
	if tagged && (y.Kind != yaml.ScalarNode || y.Tag != "!!str") {
		return n, n.Problem("the tag %s is not read here", y.Tag)
	}
	switch y.Kind {
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range y.Content {
			child, problem := r.node(item, depth+1)
			if problem != nil {
				return n, problem
			}
			n.Items = append(n.Items, child)
		}
	case yaml.MappingNode:
		n.Kind = Map
		seen := make(map[string]bool, len(y.Content)/2)
		for i := 0; i+1 < len(y.Content); i += 2 {
			key, problem := r.node(y.Content[i], depth+1)
			if problem != nil {
				return n, problem
			}
			if key.Kind != Scalar {
				return n, key.Problem("a key is %s, expected a name", key.Kind)
			}
			if seen[key.Text] {
				return n, key.Problem("the key %q stands here twice", key.Text)
			}
			seen[key.Text] = true
			value, problem := r.node(y.Content[i+1], depth+1)
			if problem != nil {
				return n, problem
			}
			n.Entries = append(n.Entries, Entry{key.Text, key, value})
		}
	default:
		n.Text = y.Value
		n.Plain = !tagged && y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	}
	return n, nil
}

// position is where the YAML library says that a file does not parse. Its errors carry marks, but
// the types are internal to it, so the marks are read by reflection; TestPositions holds the pinned
// version to it. Only a mark's index is used, which counts characters: scanner and parser disagree
// on whether lines count from 0 or from 1.
func position(err error, data []byte) (line, column int) {
	v := reflect.ValueOf(err)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return 1, 1
	}
	before := data[:0]
	if offset := v.FieldByName("Offset"); offset.IsValid() && offset.CanInt() {
		before = data[:min(max(int(offset.Int()), 0), len(data))]
	} else if mark := v.FieldByName("Mark"); mark.IsValid() {
		index, line, column := mark.FieldByName("Index"), mark.FieldByName("Line"), mark.FieldByName("Column")
		if index.IsValid() && index.CanInt() {
			before = firstRunes(data, int(index.Int()))
		}
		// An alias without its anchor has a mark without an index; its line and column are a node's.
		if len(before) == 0 && line.IsValid() && line.CanInt() && line.Int() > 0 && column.IsValid() && column.CanInt() {
			return int(line.Int()), int(column.Int())
		}
	}
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// firstRunes is the start of data that holds n characters.
func firstRunes(data []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(data); n-- {
		_, size := utf8.DecodeRune(data[end:])
		end += size
	}
	return data[:end]
}

// message is what the YAML library says, without its own positions.
func message(err error) string {
	v := reflect.ValueOf(err)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		if m, context := v.FieldByName("Message"), v.FieldByName("ContextMessage"); m.IsValid() && m.Kind() == reflect.String {
			if context.IsValid() && context.Kind() == reflect.String && context.String() != "" {
				return context.String() + ": " + m.String()
			}
			return m.String()
		}
		if inner := v.FieldByName("Err"); inner.IsValid() && inner.CanInterface() {
			if e, ok := inner.Interface().(error); ok {
				return e.Error()
			}
		}
	}
	return strings.TrimPrefix(err.Error(), "yaml: ")
}

// Flow is the node as one line of YAML in flow style, as short as it reads back the same.
func (n Node) Flow() string {
	var out strings.Builder
	n.flow(&out)
	return out.String()
}

func (n Node) flow(out *strings.Builder) {
	switch n.Kind {
	case List:
		out.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				out.WriteString(", ")
			}
			item.flow(out)
		}
		out.WriteByte(']')
	case Map:
		out.WriteByte('{')
		for i, e := range n.Entries {
			if i > 0 {
				out.WriteString(", ")
			}
			e.At.flow(out)
			out.WriteString(": ")
			e.Value.flow(out)
		}
		out.WriteByte('}')
	default:
		if n.Plain {
			out.WriteString(cmp.Or(n.Text, "null"))
		} else {
			out.WriteString(Quote(n.Text))
		}
	}
}

// Quote writes text as a YAML scalar that reads back as the same text: bare where that is safe,
// otherwise in double quotes.
func Quote(s string) string {
	if retry.ParsePlain(s).Type() == retry.TypeText && bare(s) {
		return s
	}
	// A JSON string is a YAML string; Go's quoting differs from JSON's in a few escapes. People read it: & and < stay.
	var quoted strings.Builder
	to := json.NewEncoder(&quoted)
	to.SetEscapeHTML(false)
	to.Encode(s) // a text and a Builder: nothing can fail
	return strings.TrimSuffix(quoted.String(), "\n")
}

// bare says whether text may stand without quotes anywhere: letters, digits and a few signs, with
// single spaces between words.
func bare(s string) bool {
	if len(s) > 80 || strings.Contains(s, "  ") || strings.TrimSpace(s) != s {
		return false
	}
	for i, c := range s {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c), c == '_':
		case i > 0 && (c == '-' || c == '.' || c == ' ' || c == '/' || c == '+'):
		default:
			return false
		}
	}
	return s != ""
}
