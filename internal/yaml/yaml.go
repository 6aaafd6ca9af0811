// Package yaml reads the plain part of YAML: mappings, lists, words and numbers, each
// with its place. Anchors, tags, merges and several documents say nothing that a file of
// landgo's needs, and would let one line stand for a million, so they are refused.
package yaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Node is a piece of a text: a scalar, a list or a mapping.
type Node struct {
	Kind         Kind
	Line, Column int
	Text         string  // of a scalar
	Items        []Node  // of a list
	Fields       []Field // of a mapping, in the text's order
}

// Field is a key and its value. The key is a scalar.
type Field struct{ Key, Value Node }

// Kind is a node's.
type Kind uint8

const (
	Nothing Kind = iota
	Scalar
	List
	Mapping
)

func (k Kind) String() string {
	return [...]string{"nothing", "a single value", "a list", "a mapping"}[k]
}

// Error is a fault of a text, and its place.
type Error struct {
	Line, Column int // from 1; 0: the text as a whole
	Text         string
}

func (e *Error) Error() string { return e.Text }

// maxNesting is how deep lists and mappings are in each other at most.
const maxNesting = 16

// Read reads a text of at most this many bytes. what names it in errors, "a profile", say. All
// errors are *Error.
func Read(text []byte, what string, most int) (n Node, err error) {
	defer func() {
		// The parser's own faults are no reason for landgo to stop.
		if p := recover(); p != nil {
			err = &Error{Text: fmt.Sprintf("can't be read as YAML: %v", p)}
		}
	}()
	if len(text) > most {
		return Node{}, &Error{Text: fmt.Sprintf("has %d bytes, %s at most %d", len(text), what, most)}
	}
	if line := tooDeep(text); line > 0 {
		return Node{}, &Error{Line: line, Column: 1, Text: deep}
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		var at interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &at) {
			return Node{}, wrong(placeOf(at.GetToken()), "%s", plain(at.GetMessage()))
		}
		return Node{}, wrong(Node{}, "%v", err)
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	switch len(docs) {
	case 0:
		return Node{Line: 1, Column: 1}, nil
	case 1:
		return reader(what).from(docs[0], 0)
	}
	return Node{}, wrong(placeOf(docs[1].GetToken()), "%s is one YAML document", what)
}

// plain is the parser's message in a line's words: its own shows a tab as it is.
func plain(message string) string {
	if strings.Contains(message, "'\t'") {
		return "YAML has no tabs before a line's text: use spaces"
	}
	return message
}

const deep = "nested too deeply"

// wrong is an error about a place.
func wrong(at Node, format string, args ...any) error {
	return &Error{at.Line, at.Column, fmt.Sprintf(format, args...)}
}

// tooDeep is the line on which brackets, or the marks before a value ("- - - a"), nest
// deeper than is needed, 0 if none do. The parser goes down a level for each. Those in a
// comment or in quotes count too.
func tooDeep(text []byte) int {
	depth, line, marks := 0, 1, 0
	before := byte(' ')
	for i, c := range text {
		switch c {
		case '-', '?', ':':
			if isBlank(before) && (i+1 == len(text) || isBlank(text[i+1])) {
				marks++
			}
		case '!', '&':
			if isBlank(before) {
				marks++
			}
		}
		if before = c; marks > maxNesting {
			return line
		}
		switch c {
		case '\n':
			line++
			marks = 0
		case '[', '{':
			if depth++; depth > maxNesting {
				return line
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func placeOf(t *token.Token) Node {
	if t == nil || t.Position == nil {
		return Node{}
	}
	return Node{Line: t.Position.Line, Column: t.Position.Column}
}

// reader has what the text is.
type reader string

func (r reader) from(a ast.Node, depth int) (Node, error) {
	n := placeOf(a.GetToken())
	if depth > maxNesting {
		return n, wrong(n, deep)
	}
	switch a := a.(type) {
	case *ast.NullNode:
	case *ast.StringNode:
		n.Kind, n.Text = Scalar, a.Value
	case *ast.LiteralNode:
		n.Kind, n.Text = Scalar, a.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.Kind, n.Text = Scalar, a.GetToken().Value
	case *ast.SequenceNode:
		n.Kind = List
		for _, v := range a.Values {
			item, err := r.from(v, depth+1)
			if err != nil {
				return n, err
			}
			n.Items = append(n.Items, item)
		}
	case *ast.MappingValueNode:
		return r.mapping(n, []*ast.MappingValueNode{a}, depth)
	case *ast.MappingNode:
		return r.mapping(n, a.Values, depth)
	default:
		return n, wrong(n, "%s is plain YAML, without %s", r, strings.ToLower(a.Type().String()))
	}
	return n, nil
}

func (r reader) mapping(n Node, values []*ast.MappingValueNode, depth int) (Node, error) {
	n.Kind = Mapping
	seen := map[string]int{}
	for i, v := range values {
		key, err := r.from(v.Key, depth+1)
		if err != nil {
			return n, err
		}
		if i == 0 {
			n.Line, n.Column = key.Line, key.Column
		}
		if key.Kind != Scalar || v.Key.IsMergeKey() {
			return n, wrong(key, "a key has to be one word")
		}
		if line, ok := seen[key.Text]; ok {
			return n, wrong(key, "%q is there twice, first on line %d", key.Text, line)
		}
		seen[key.Text] = key.Line
		value := Node{Line: key.Line, Column: key.Column}
		if v.Value != nil {
			if value, err = r.from(v.Value, depth+1); err != nil {
				return n, err
			}
		}
		n.Fields = append(n.Fields, Field{key, value})
	}
	return n, nil
}
