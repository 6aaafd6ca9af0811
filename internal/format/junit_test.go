package format

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// element is one of an XML document.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	text     string
}

func parse(t *testing.T, text []byte) *element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	root := &element{}
	stack := []*element{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root.children[0]
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		top := stack[len(stack)-1]
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attrs: map[string]string{}}
			for _, a := range x.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text += string(x)
		}
	}
}

// The rules of the two schemas that are in use, where both are strict as the stricter
// one. Each element has its attributes, each with the form of its value, and its children
// in their order, each with the least and the greatest number.

var (
	anyText  = regexp.MustCompile(`(?s)^.*$`)
	xsToken  = regexp.MustCompile(`^[^\s](.*[^\s])?$`)
	integer  = regexp.MustCompile(`^[0-9]+$`)
	decimal  = regexp.MustCompile(`^[0-9]+\.[0-9]*$`) // Jenkins's SUREFIRE_TIME and xs:decimal
	dateTime = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$`)
)

type child struct {
	name     string
	min, max int
}

type xmlRule struct {
	attrs    map[string]*regexp.Regexp
	children []child
}

const many = 1 << 30

var problemRule = xmlRule{attrs: map[string]*regexp.Regexp{"type": anyText, "message": anyText}}

var junitRules = map[string]xmlRule{
	"testsuites": {children: []child{{"testsuite", 0, many}}},
	"testsuite": {
		attrs: map[string]*regexp.Regexp{
			"name": xsToken, "package": xsToken, "id": integer, "hostname": xsToken, "timestamp": dateTime,
			"tests": integer, "failures": integer, "errors": integer, "time": decimal,
		},
		children: []child{{"properties", 1, 1}, {"testcase", 0, many}, {"system-out", 1, 1}, {"system-err", 1, 1}},
	},
	"properties": {children: []child{{"property", 0, many}}},
	"property":   {attrs: map[string]*regexp.Regexp{"name": xsToken, "value": anyText}},
	"testcase": {
		attrs:    map[string]*regexp.Regexp{"name": xsToken, "classname": xsToken, "time": decimal},
		children: []child{{"error", 0, 1}, {"failure", 0, 1}},
	},
	"failure": problemRule, "error": problemRule,
	"system-out": {}, "system-err": {},
}

func (e *element) check(t *testing.T) {
	t.Helper()
	rule, ok := junitRules[e.name]
	if !ok {
		t.Errorf("element %s", e.name)
	}
	for name, form := range rule.attrs {
		if v, ok := e.attrs[name]; !ok || !form.MatchString(v) {
			t.Errorf("%s: attribute %s is %q", e.name, name, v)
		}
	}
	for name := range e.attrs {
		if rule.attrs[name] == nil {
			t.Errorf("%s: attribute %s", e.name, name)
		}
	}
	rest := e.children
	for _, c := range rule.children {
		n := 0
		for n < len(rest) && rest[n].name == c.name {
			n++
		}
		if n < c.min || n > c.max {
			t.Errorf("%s: %d of %s", e.name, n, c.name)
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		t.Errorf("%s: %s is out of place", e.name, rest[0].name)
	}
	if e.name == "testcase" && len(e.children) > 1 {
		t.Error("a test that has an error and a failure")
	}
	for _, c := range e.children {
		c.check(t)
	}
}

// published validates a document with schemas that aren't in the tree: their paths are in
// LANDGO_JUNIT_SCHEMAS, a list as in PATH.
func published(t *testing.T, text []byte) {
	t.Helper()
	for _, path := range filepath.SplitList(os.Getenv("LANDGO_JUNIT_SCHEMAS")) {
		c := exec.Command("xmllint", "--noout", "--schema", path, "-")
		c.Stdin = bytes.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

func TestJUnit(t *testing.T) {
	each(t, "junit", func(t *testing.T, text []byte, cases []Case) {
		published(t, text)
		root := parse(t, text)
		if root.name != "testsuites" || len(root.children) != 1 {
			t.Fatalf("%s", text)
		}
		root.check(t)
		var tests []*element
		count := map[string]int{}
		for _, e := range root.children[0].children {
			if e.name != "testcase" {
				continue
			}
			tests = append(tests, e)
			for _, c := range e.children {
				count[c.name]++
			}
		}
		if len(tests) != len(cases) {
			t.Fatalf("%d tests", len(tests))
		}
		for i, e := range tests {
			c := &cases[i]
			want := "error"
			switch {
			case c.passed():
				want = ""
			case c.judged():
				want = "failure"
			}
			if got := strings.Join(slices.Collect(func(yield func(string) bool) {
				for _, c := range e.children {
					yield(c.name)
				}
			}), " "); got != want {
				t.Errorf("%s is %q, want %q", c.verdict(), got, want)
			}
		}
		suite := root.children[0].attrs
		for name, n := range map[string]int{"tests": len(tests), "failures": count["failure"], "errors": count["error"]} {
			if suite[name] != number(float64(n)) {
				t.Errorf("%s: %s, want %d", name, suite[name], n)
			}
		}
	})
}
