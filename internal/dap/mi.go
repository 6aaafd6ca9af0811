package dap

import (
	"errors"
	"strconv"
	"strings"
)

// tuple is a gdb/MI result: values by name. A value is a string, a tuple or a []any; of
// a list of results, the names are left out.
type tuple map[string]any

// text is a value that is a string, or "".
func (t tuple) text(name string) string {
	s, _ := t[name].(string)
	return s
}

// number is a value that is a string with a number in it, or 0.
func (t tuple) number(name string) int {
	n, _ := strconv.Atoi(t.text(name))
	return n
}

// of is a value that is a tuple; it may be empty.
func (t tuple) of(name string) tuple {
	x, _ := t[name].(tuple)
	return x
}

// all are the tuples of a value that is a list.
func (t tuple) all(name string) (out []tuple) {
	list, _ := t[name].([]any)
	for _, x := range list {
		if x, ok := x.(tuple); ok {
			out = append(out, x)
		}
	}
	return out
}

// record is a line of gdb's.
type record struct {
	token int
	// kind is ^ for a result, * for a stop or a start, ~ for text, = for news, & for a log.
	kind    byte
	class   string // done, error, stopped
	results tuple
	text    string // of ~, @ and &
}

var errMI = errors.New("gdb says what isn't its machine interface's")

// parseRecord reads a line. ok is false for one without a record, such as the prompt.
func parseRecord(line string) (r record, ok bool, err error) {
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits > 0 {
		if r.token, err = strconv.Atoi(line[:digits]); err != nil {
			return r, false, errMI
		}
	}
	line = line[digits:]
	if line == "" || !strings.ContainsRune("^*=~@&+", rune(line[0])) {
		return r, false, nil
	}
	r.kind = line[0]
	p := parser{line[1:]}
	switch r.kind {
	case '~', '@', '&':
		r.text, err = p.constant()
		return r, err == nil, err
	}
	r.class = p.word(",")
	r.results = tuple{}
	for p.take(',') {
		name, value, err := p.result(0)
		if err != nil {
			return r, false, err
		}
		r.results[name] = value
	}
	return r, true, nil
}

// parser reads what is left of a line.
type parser struct{ rest string }

func (p *parser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word is the text before one of some characters, or the rest.
func (p *parser) word(before string) string {
	i := strings.IndexAny(p.rest, before)
	if i < 0 {
		i = len(p.rest)
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

func (p *parser) result(depth int) (name string, value any, err error) {
	name = p.word("=,{[\"]}")
	if !p.take('=') {
		return "", nil, errMI
	}
	value, err = p.value(depth)
	return name, value, err
}

// maxDepth bounds how deep values are in one another.
const maxDepth = 100

func (p *parser) value(depth int) (any, error) {
	switch {
	case depth > maxDepth || p.rest == "":
		return nil, errMI
	case p.rest[0] == '"':
		return p.constant()
	case p.take('{'):
		return p.tuple(depth)
	case p.take('['):
		return p.list(depth)
	}
	return nil, errMI
}

func (p *parser) tuple(depth int) (tuple, error) {
	t := tuple{}
	for !p.take('}') {
		name, value, err := p.result(depth + 1)
		if err != nil {
			return nil, err
		}
		t[name] = value
		if !p.take(',') && !strings.HasPrefix(p.rest, "}") {
			return nil, errMI
		}
	}
	return t, nil
}

func (p *parser) list(depth int) (list []any, err error) {
	for !p.take(']') {
		var value any
		if p.rest != "" && strings.IndexByte("\"{[", p.rest[0]) >= 0 {
			value, err = p.value(depth + 1)
		} else {
			_, value, err = p.result(depth + 1)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if !p.take(',') && !strings.HasPrefix(p.rest, "]") {
			return nil, errMI
		}
	}
	return list, nil
}

// escapes are those of C strings that gdb writes with one letter.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': 0x1b}

// constant reads a C string.
func (p *parser) constant() (string, error) {
	if !p.take('"') {
		return "", errMI
	}
	var b strings.Builder
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == '"':
			return b.String(), nil
		case c != '\\':
			b.WriteByte(c)
			continue
		case p.rest == "":
			return "", errMI
		}
		c = p.rest[0]
		if c >= '0' && c <= '7' {
			n := 1
			for n < 3 && n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '7' {
				n++
			}
			v, _ := strconv.ParseUint(p.rest[:n], 8, 16)
			b.WriteByte(byte(v))
			p.rest = p.rest[n:]
			continue
		}
		p.rest = p.rest[1:]
		if e, ok := escapes[c]; ok {
			c = e
		}
		b.WriteByte(c)
	}
	return "", errMI
}

// quote is a text as a C string for gdb.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
