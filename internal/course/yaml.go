package course

import (
	"fmt"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/yaml"
)

// maxText is how many bytes a course has at most.
const maxText = 1 << 20

// reader has the name of the file for complaints.
type reader struct {
	name string
	// looks: files that the course names have to be there.
	looks bool
}

// complain is an error about a place.
func (r *reader) complain(at yaml.Node, format string, args ...any) error {
	place := r.name
	if at.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", r.name, at.Line, at.Column)
	}
	return result.Errorf(result.BadCourse, "%s: %s", place, fmt.Sprintf(format, args...))
}

// parse reads plain YAML.
func (r *reader) parse(text []byte) (yaml.Node, error) {
	n, err := yaml.Read(text, "a course", maxText)
	if err != nil {
		e := err.(*yaml.Error)
		return n, r.complain(yaml.Node{Line: e.Line, Column: e.Column}, "%s", e.Text)
	}
	return n, nil
}

// each calls a function for each key of a mapping: that of its name in set. what names
// the mapping in complaints.
func (r *reader) each(n yaml.Node, what string, set map[string]func(yaml.Node) error, names []string) error {
	if n.Kind != yaml.Mapping {
		return r.complain(n, "%s has to be a mapping (%s: ...), this is %s", what, names[0], n.Kind)
	}
	for _, f := range n.Fields {
		take, ok := set[f.Key.Text]
		if !ok {
			if where := elsewhere[f.Key.Text]; where != "" && set["search"] != nil {
				return r.complain(f.Key, "%s has no key %q: %s", what, f.Key.Text, where)
			}
			if near := config.DidYouMean("%s", f.Key.Text, names); near != "" {
				return r.complain(f.Key, "%s has no key %q%s", what, f.Key.Text, near)
			}
			return r.complain(f.Key, "%s has no key %q (it has %s)", what, f.Key.Text, strings.Join(names, ", "))
		}
		if err := take(f.Value); err != nil {
			return err
		}
	}
	return nil
}

// word is a scalar that isn't empty.
func (r *reader) word(n yaml.Node, what, example string) (string, error) {
	if n.Kind != yaml.Scalar || n.Text == "" {
		return "", r.complain(n, "%s has to be a single value such as %s, this is %s", what, example, orEmpty(n))
	}
	return n.Text, nil
}

func orEmpty(n yaml.Node) string {
	if n.Kind == yaml.Scalar {
		return "empty"
	}
	return n.Kind.String()
}

// words is a list of scalars; one scalar alone is a list of one.
func (r *reader) words(n yaml.Node, what string) (all []string, err error) {
	if n.Kind == yaml.Scalar {
		return []string{n.Text}, nil
	}
	if n.Kind != yaml.List {
		return nil, r.complain(n, "%s has to be a list ([a, b]), this is %s", what, n.Kind)
	}
	for _, item := range n.Items {
		if item.Kind != yaml.Scalar {
			return nil, r.complain(item, "%s has to be a list of single values, one of them is %s", what, item.Kind)
		}
		all = append(all, item.Text)
	}
	return all, nil
}

// oneOf is a scalar among some.
func (r *reader) oneOf(n yaml.Node, what string, known []string) (string, error) {
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
