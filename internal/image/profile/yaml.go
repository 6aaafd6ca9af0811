package profile

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A profile is written in the plain part of YAML: mappings, lists, words and
// numbers. Anchors, tags, merges and several documents say nothing that a profile
// needs, and would let one line stand for a million, so they are refused.

// Error is a fault of a profile's text, and its place.
type Error struct {
	File string
	Line int // from 1; 0: the file as a whole
	Text string
	// Word isn't one of Known: a reader may propose the nearest.
	Word  string
	Known []string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// node is a piece of a YAML text: a scalar, a list or a mapping.
type node struct {
	kind   nodeKind
	line   int
	text   string  // of a scalar
	items  []node  // of a list
	fields []field // of a mapping, in the text's order
}

type field struct {
	key   string
	line  int
	value node
}

type nodeKind uint8

const (
	nothing nodeKind = iota
	scalar
	list
	mapping
)

func (k nodeKind) String() string {
	return [...]string{"nothing", "a single value", "a list", "a mapping"}[k]
}

const (
	maxProfile = 256 << 10 // bytes
	maxNesting = 16
)

// readYAML reads a text. An error names its line.
func readYAML(text []byte) (n node, err error) {
	defer func() {
		// The parser's own faults are no reason for landgo to stop.
		if p := recover(); p != nil {
			err = &Error{Text: fmt.Sprintf("can't be read as YAML: %v", p)}
		}
	}()
	if len(text) > maxProfile {
		return node{}, &Error{Text: fmt.Sprintf("has %d bytes, a profile at most %d", len(text), maxProfile)}
	}
	if line := tooDeep(text); line > 0 {
		return node{}, &Error{Line: line, Text: "nested too deeply"}
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		e := &Error{Text: err.Error()}
		var at interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &at) {
			e.Text, e.Line = at.GetMessage(), lineOf(at.GetToken())
		}
		return node{}, e
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	switch len(docs) {
	case 0:
		return node{line: 1}, nil
	case 1:
		return fromAST(docs[0], 0)
	}
	return node{}, &Error{Line: lineOf(docs[1].GetToken()), Text: "a profile is one YAML document"}
}

// tooDeep is the line on which brackets, or the marks before a value ("- - -
// a"), nest deeper than a profile needs, 0 if none do. The parser goes down a
// level for each. Those in a comment or in quotes count too, for no name has
// any.
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

func lineOf(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 0
	}
	return t.Position.Line
}

func fromAST(a ast.Node, depth int) (node, error) {
	n := node{line: lineOf(a.GetToken())}
	if depth > maxNesting {
		return n, &Error{Line: n.line, Text: "nested too deeply"}
	}
	switch a := a.(type) {
	case *ast.NullNode:
	case *ast.StringNode:
		n.kind, n.text = scalar, a.Value
	case *ast.LiteralNode:
		n.kind, n.text = scalar, a.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.kind, n.text = scalar, a.GetToken().Value
	case *ast.SequenceNode:
		n.kind = list
		for _, v := range a.Values {
			item, err := fromAST(v, depth+1)
			if err != nil {
				return n, err
			}
			n.items = append(n.items, item)
		}
	case *ast.MappingValueNode:
		return fromFields(n.line, []*ast.MappingValueNode{a}, depth)
	case *ast.MappingNode:
		return fromFields(n.line, a.Values, depth)
	default:
		return n, &Error{Line: n.line, Text: fmt.Sprintf("a profile is plain YAML, without %s", a.Type())}
	}
	return n, nil
}

func fromFields(line int, values []*ast.MappingValueNode, depth int) (node, error) {
	n := node{kind: mapping, line: line}
	seen := map[string]bool{}
	for i, v := range values {
		key, err := fromAST(v.Key, depth+1)
		if err != nil {
			return n, err
		}
		if i == 0 {
			n.line = key.line
		}
		if key.kind != scalar || v.Key.IsMergeKey() {
			return n, &Error{Line: key.line, Text: "a key has to be one word"}
		}
		if seen[key.text] {
			return n, &Error{Line: key.line, Text: fmt.Sprintf("%q is there twice", key.text)}
		}
		seen[key.text] = true
		value := node{line: key.line}
		if v.Value != nil {
			if value, err = fromAST(v.Value, depth+1); err != nil {
				return n, err
			}
		}
		n.fields = append(n.fields, field{key.text, key.line, value})
	}
	return n, nil
}
