package explore

import (
	"cmp"
	"slices"

	"landgo/internal/explore/saved"
	"landgo/internal/trace"
)

// Outputs of executions in a checkpoint.

func (o *outputs) saved() (s saved.Outputs) {
	for _, n := range o.list {
		s.List = append(s.List, saved.Output{Text: []byte(n.text), Key: []byte(n.key), Executions: n.executions, Path: n.path})
	}
	s.Others, s.Ignored = o.others, o.ignored
	return s
}

// reload adds what a checkpoint has.
func (o *outputs) reload(s saved.Outputs) {
	for _, n := range s.List {
		o.take(&output{text: string(n.Text), key: string(n.Key), executions: n.Executions, path: n.Path})
	}
	o.others += s.Others
	o.ignore(s.Ignored...)
}

// savedShown is d.shown, in one order.
func (d *deepening) savedShown() (list []saved.Shown) {
	for key, s := range d.shown {
		list = append(list, saved.Shown{Key: []byte(key), Schedule: s})
	}
	slices.SortFunc(list, func(a, b saved.Shown) int { return cmp.Compare(string(a.Key), string(b.Key)) })
	return list
}

func (d *deepening) reloadShown(list []saved.Shown) {
	for _, s := range list {
		d.takeShown(map[string]trace.Schedule{string(s.Key): s.Schedule})
	}
}
