package profile

import (
	"math"
	"strconv"
	"strings"

	"landgo/internal/yaml"
)

// Values of a kernel's section: names, fields and numbers.

// named is a field's value as the name of one function, variable or type.
func (f *field) named() (Named, error) {
	if err := checkName(&f.Value); err != nil {
		return Named{}, err
	}
	return Named{Name: f.Value.Text, Line: f.Value.Line}, nil
}

// texts is a field's value as a text, or a list of texts.
func (f *field) texts() (all []Named, err error) {
	items := f.Value.Items
	if f.Value.Kind == yaml.Scalar {
		items = []yaml.Node{f.Value}
	}
	for i := range items {
		if n := &items[i]; n.Kind != yaml.Scalar || n.Text == "" {
			return nil, wrong(n.Line, "want a text; this is %v", n.Kind)
		}
		all = append(all, Named{Name: items[i].Text, Line: items[i].Line})
	}
	if len(all) == 0 {
		return nil, wrong(f.Key.Line, "want a text, or a list of texts; this is %v", f.Value.Kind)
	}
	return all, nil
}

// path is a field's value as a path of fields, such as elem.next, or as an offset; or
// both, as in "elem.next or 8".
func (f *field) path() (Named, error) {
	if f.Value.Kind == yaml.Scalar {
		switch n, err := strconv.ParseInt(f.Value.Text, 0, 64); {
		case err == nil && (n < 0 || n >= maxObject):
			return Named{}, wrong(f.Key.Line, "want a field or its offset, below %d, got %q", maxObject, f.Value.Text)
		case err == nil:
			return Named{Name: f.Value.Text, Line: f.Value.Line}, nil
		}
		if n, ok, err := either(&f.Value, maxObject); ok || err != nil {
			return n, err
		}
	}
	return f.named()
}

// either is a scalar as a name and the number to take without it: "name or 8". ok: it
// has that form. The number is below a limit, and not negative.
func either(n *yaml.Node, limit int64) (both Named, ok bool, err error) {
	name, number, ok := strings.Cut(n.Text, " or ")
	if !ok || n.Kind != yaml.Scalar {
		return both, false, nil
	}
	if err := checkName(&yaml.Node{Kind: yaml.Scalar, Line: n.Line, Text: name}); err != nil {
		return both, true, err
	}
	if v, err := strconv.ParseInt(number, 0, 64); err != nil || v < 0 || v >= limit {
		return both, true, wrong(n.Line, "want a number below %d behind \"or\", got %q", limit, number)
	}
	return Named{Name: name, Line: n.Line, Or: number}, true, nil
}

// values is a field's value as enumerators or numbers, or both ("READY or 1"): one, or a
// list.
func (f *field) values() (list []Named, err error) {
	items := f.Value.Items
	if f.Value.Kind == yaml.Scalar {
		items = []yaml.Node{f.Value}
	}
	if len(items) == 0 {
		return nil, wrong(f.Key.Line, "%s has to be a value or a list of values; this is %v", f.Key.Text, f.Value.Kind)
	}
	for i := range items {
		n := &items[i]
		if both, ok, err := either(n, math.MaxInt32); err != nil {
			return nil, err
		} else if ok {
			list = append(list, both)
			continue
		}
		if _, err := strconv.ParseInt(n.Text, 0, 64); n.Kind != yaml.Scalar || err != nil {
			if err := checkName(n); err != nil {
				return nil, err
			}
		}
		list = append(list, Named{Name: n.Text, Line: n.Line})
	}
	return list, nil
}
