package profile

import (
	"math"
	"strconv"
	"strings"
)

// Values of a kernel's section: names, fields and numbers.

// named is a field's value as the name of one function, variable or type.
func (f *field) named() (Named, error) {
	if err := checkName(&f.value); err != nil {
		return Named{}, err
	}
	return Named{Name: f.value.text, Line: f.value.line}, nil
}

// texts is a field's value as a text, or a list of texts.
func (f *field) texts() (all []Named, err error) {
	items := f.value.items
	if f.value.kind == scalar {
		items = []node{f.value}
	}
	for i := range items {
		if n := &items[i]; n.kind != scalar || n.text == "" {
			return nil, wrong(n.line, "want a text; this is %v", n.kind)
		}
		all = append(all, Named{Name: items[i].text, Line: items[i].line})
	}
	if len(all) == 0 {
		return nil, wrong(f.line, "want a text, or a list of texts; this is %v", f.value.kind)
	}
	return all, nil
}

// path is a field's value as a path of fields, such as elem.next, or as an offset; or
// both, as in "elem.next or 8".
func (f *field) path() (Named, error) {
	if f.value.kind == scalar {
		switch n, err := strconv.ParseInt(f.value.text, 0, 64); {
		case err == nil && (n < 0 || n >= maxObject):
			return Named{}, wrong(f.line, "want a field or its offset, below %d, got %q", maxObject, f.value.text)
		case err == nil:
			return Named{Name: f.value.text, Line: f.value.line}, nil
		}
		if n, ok, err := f.value.either(maxObject); ok || err != nil {
			return n, err
		}
	}
	return f.named()
}

// either is a scalar as a name and the number to take without it: "name or 8". ok: it
// has that form. The number is below a limit, and not negative.
func (n *node) either(limit int64) (both Named, ok bool, err error) {
	name, number, ok := strings.Cut(n.text, " or ")
	if !ok || n.kind != scalar {
		return both, false, nil
	}
	if err := checkName(&node{kind: scalar, line: n.line, text: name}); err != nil {
		return both, true, err
	}
	if v, err := strconv.ParseInt(number, 0, 64); err != nil || v < 0 || v >= limit {
		return both, true, wrong(n.line, "want a number below %d behind \"or\", got %q", limit, number)
	}
	return Named{Name: name, Line: n.line, Or: number}, true, nil
}

// values is a field's value as enumerators or numbers, or both ("READY or 1"): one, or a
// list.
func (f *field) values() (list []Named, err error) {
	items := f.value.items
	if f.value.kind == scalar {
		items = []node{f.value}
	}
	if len(items) == 0 {
		return nil, wrong(f.line, "%s has to be a value or a list of values; this is %v", f.key, f.value.kind)
	}
	for i := range items {
		n := &items[i]
		if both, ok, err := n.either(math.MaxInt32); err != nil {
			return nil, err
		} else if ok {
			list = append(list, both)
			continue
		}
		if _, err := strconv.ParseInt(n.text, 0, 64); n.kind != scalar || err != nil {
			if err := checkName(n); err != nil {
				return nil, err
			}
		}
		list = append(list, Named{Name: n.text, Line: n.line})
	}
	return list, nil
}
