package course

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// node is a piece of the text: a scalar, a list or a mapping, with its place.
type node struct {
	kind         string // "nothing", "a single value", "a list" or "a mapping"
	line, column int
	text         string // of a scalar
	items        []node
	fields       []field
}

type field struct {
	key   node
	value node
}

const (
	isNothing = "nothing"
	isScalar  = "a single value"
	isList    = "a list"
	isMapping = "a mapping"
)

const (
	maxText    = 1 << 20 // bytes
	maxNesting = 16
)

// reader has the name of the file for complaints.
type reader struct{ name string }

// complain is an error about a place.
func (r *reader) complain(at node, format string, args ...any) error {
	place := r.name
	if at.line > 0 {
		place = fmt.Sprintf("%s:%d:%d", r.name, at.line, at.column)
	}
	return result.Errorf(result.BadCourse, "%s: %s", place, fmt.Sprintf(format, args...))
}

// parse reads plain YAML: mappings, lists, words and numbers.
func (r *reader) parse(text []byte) (n node, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser's own fault
			err = r.complain(node{}, "can't be read as YAML: %v", p)
		}
	}()
	if len(text) > maxText {
		return node{}, r.complain(node{}, "has %d bytes, at most %d are read", len(text), maxText)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		var at interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &at) {
			return node{}, r.complain(placeOf(at.GetToken()), "%s", at.GetMessage())
		}
		return node{}, r.complain(node{}, "%v", err)
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	switch len(docs) {
	case 0:
		return node{kind: isNothing, line: 1, column: 1}, nil
	case 1:
		return r.from(docs[0], 0)
	}
	return node{}, r.complain(placeOf(docs[1].GetToken()), "a course is one YAML document")
}

func placeOf(t *token.Token) node {
	if t == nil || t.Position == nil {
		return node{}
	}
	return node{line: t.Position.Line, column: t.Position.Column}
}

func (r *reader) from(a ast.Node, depth int) (node, error) {
	n := placeOf(a.GetToken())
	if depth > maxNesting {
		return n, r.complain(n, "nested too deeply")
	}
	switch a := a.(type) {
	case *ast.NullNode:
		n.kind = isNothing
	case *ast.StringNode:
		n.kind, n.text = isScalar, a.Value
	case *ast.LiteralNode:
		n.kind, n.text = isScalar, a.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.kind, n.text = isScalar, a.GetToken().Value
	case *ast.SequenceNode:
		n.kind = isList
		for _, v := range a.Values {
			item, err := r.from(v, depth+1)
			if err != nil {
				return n, err
			}
			n.items = append(n.items, item)
		}
	case *ast.MappingValueNode:
		return r.mapping(n, []*ast.MappingValueNode{a}, depth)
	case *ast.MappingNode:
		return r.mapping(n, a.Values, depth)
	default:
		return n, r.complain(n, "a course is plain YAML, without %s", strings.ToLower(a.Type().String()))
	}
	return n, nil
}

func (r *reader) mapping(n node, values []*ast.MappingValueNode, depth int) (node, error) {
	n.kind = isMapping
	seen := map[string]int{}
	for i, v := range values {
		key, err := r.from(v.Key, depth+1)
		if err != nil {
			return n, err
		}
		if i == 0 {
			n.line, n.column = key.line, key.column
		}
		if key.kind != isScalar || v.Key.IsMergeKey() {
			return n, r.complain(key, "a key has to be one word")
		}
		if line, ok := seen[key.text]; ok {
			return n, r.complain(key, "%q is there twice, first on line %d", key.text, line)
		}
		seen[key.text] = key.line
		value := node{kind: isNothing, line: key.line, column: key.column}
		if v.Value != nil {
			if value, err = r.from(v.Value, depth+1); err != nil {
				return n, err
			}
		}
		n.fields = append(n.fields, field{key, value})
	}
	return n, nil
}

// each calls a function for each key of a mapping: that of its name in set. what names
// the mapping in complaints.
func (r *reader) each(n node, what string, set map[string]func(node) error, names []string) error {
	if n.kind != isMapping {
		return r.complain(n, "%s has to be a mapping (%s: ...), this is %s", what, names[0], n.kind)
	}
	for _, f := range n.fields {
		take, ok := set[f.key.text]
		if !ok {
			if near := config.DidYouMean("%s", f.key.text, names); near != "" {
				return r.complain(f.key, "%s has no key %q%s", what, f.key.text, near)
			}
			return r.complain(f.key, "%s has no key %q (it has %s)", what, f.key.text, strings.Join(names, ", "))
		}
		if err := take(f.value); err != nil {
			return err
		}
	}
	return nil
}

// word is a scalar that isn't empty.
func (r *reader) word(n node, what, example string) (string, error) {
	if n.kind != isScalar || n.text == "" {
		return "", r.complain(n, "%s has to be a single value such as %s, this is %s", what, example, orEmpty(n))
	}
	return n.text, nil
}

func orEmpty(n node) string {
	if n.kind == isScalar {
		return "empty"
	}
	return n.kind
}

// words is a list of scalars; one scalar alone is a list of one.
func (r *reader) words(n node, what string) (all []string, err error) {
	if n.kind == isScalar {
		return []string{n.text}, nil
	}
	if n.kind != isList {
		return nil, r.complain(n, "%s has to be a list ([a, b]), this is %s", what, n.kind)
	}
	for _, item := range n.items {
		if item.kind != isScalar {
			return nil, r.complain(item, "%s has to be a list of single values, one of them is %s", what, item.kind)
		}
		all = append(all, item.text)
	}
	return all, nil
}

// oneOf is a scalar among some.
func (r *reader) oneOf(n node, what string, known []string) (string, error) {
	word, err := r.word(n, what, known[0])
	if err != nil {
		return "", err
	}
	for _, k := range known {
		if k == word {
			return word, nil
		}
	}
	return "", r.complain(n, "%s: want %s; got %q%s", what, strings.Join(known, ", "), word, config.DidYouMean("%s", word, known))
}
