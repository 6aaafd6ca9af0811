package yaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// show writes a node so that all of it can be seen.
func show(n Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d", n.Line, n.Column)
	switch n.Kind {
	case Scalar:
		fmt.Fprintf(&b, "%q", n.Text)
	case List:
		for _, i := range n.Items {
			fmt.Fprintf(&b, "[%s]", show(i))
		}
	case Mapping:
		for _, f := range n.Fields {
			fmt.Fprintf(&b, "{%s %s}", show(f.Key), show(f.Value))
		}
	}
	return b.String()
}

// TestRead: mappings, lists and scalars have their places, and numbers stay as they are written.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "1:1",
		"a":                     `1:1"a"`,
		"a: 0x10\nb:\n  - c":    `1:1{1:1"a" 1:4"0x10"}{2:1"b" 3:3[3:5"c"]}`,
		"a: {b: [1.50, true]}":  `1:1{1:1"a" 1:5{1:5"b" 1:8[1:9"1.50"][1:15"true"]}}`,
		"a:\n  \"x: y\"\nb: ''": `1:1{1:1"a" 2:3"x: y"}{3:1"b" 3:4""}`,
		"a: |\n  x\n  y\n":      `1:1{1:1"a" 1:4"x\ny\n"}`,
		"a:\nb: null":           `1:1{1:1"a" 1:3}{2:1"b" 2:4}`,
	} {
		n, err := Read([]byte(text), "a text", 1000)
		if got := show(n); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestRefused: what isn't plain, and what would cost more than it says, is refused at its
// place.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\na: 2":                  `2:1 mapping key "a" already defined at [1:1]`,
		"a: &x 1\nb: *x":              "1:4 a text is plain YAML, without anchor",
		"a: !!str 1":                  "1:4 a text is plain YAML, without tag",
		"a: 1\n---\nb: 1":             "3:2 a text is one YAML document",
		"[a]: 1":                      "",
		strings.Repeat("[", 20):       "1:1 nested too deeply",
		"a: 1\n" + deepList(20):       "",
		strings.Repeat("a: 1\n", 300): "0:0 has 1500 bytes, a text at most 1000",
		"a: 'b":                       "",
	} {
		_, err := Read([]byte(text), "a text", 1000)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Text); want != "" && got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func deepList(n int) string { return strings.Repeat("- ", n) + "a" }
