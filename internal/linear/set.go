package linear

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Call is a call that has begun: ID tells it from the others of its object, in a way that
// doesn't change while it lasts.
type Call struct {
	ID      int
	Op, Arg int64
}

// Set has the configurations that a history may have reached.
type Set []config

// config is a state, and the calls that have had their moment and aren't over.
type config struct {
	state string
	done  []done // by ascending id
}

// done is such a call, with its result; free: any is right.
type done struct {
	id     int
	result int64
	free   bool
}

// Start is the set of the empty history.
func Start(s Spec) (Set, error) {
	state, err := s.Init()
	if err != nil {
		return nil, err
	}
	return Set{{state: state}}, nil
}

// End is the set after the end of the call id, which gave result; open are all calls that
// haven't ended before, this one included. An empty set: no order explains the results.
// could are the results that the call could have given, ascending.
func (from Set) End(s Spec, open []Call, id int, result int64) (to Set, could []int64, err error) {
	w := walk{spec: s, open: open, id: id, result: result, seen: map[string]bool{}}
	for i := range from {
		if err := w.visit(&from[i]); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(w.could)
	return w.to, slices.Compact(w.could), nil
}

// walk is one call of End.
type walk struct {
	spec   Spec
	open   []Call
	id     int
	result int64
	seen   map[string]bool
	to     Set
	could  []int64
}

// visit takes in a configuration, and all that calls which have no moment yet make of it.
func (w *walk) visit(c *config) error {
	key := c.key()
	if w.seen[key] {
		return nil
	}
	w.seen[key] = true
	if i := slices.IndexFunc(c.done, func(d done) bool { return d.id == w.id }); i >= 0 {
		d := c.done[i]
		if !d.free {
			w.could = append(w.could, d.result)
		}
		if d.free || d.result == w.result {
			next := config{state: c.state, done: slices.Delete(slices.Clone(c.done), i, i+1)}
			if k := "=" + next.key(); !w.seen[k] { // no configuration's own key begins like that
				w.seen[k] = true
				w.to = append(w.to, next)
			}
		}
		return nil
	}
	for _, call := range w.open {
		if slices.ContainsFunc(c.done, func(d done) bool { return d.id == call.ID }) {
			continue
		}
		out, err := w.spec.Apply(c.state, call.Op, call.Arg)
		if err != nil {
			return err
		}
		next := config{state: out.State, done: append(slices.Clone(c.done), done{call.ID, out.Result, out.Free})}
		slices.SortFunc(next.done, func(a, b done) int { return a.id - b.id })
		if err := w.visit(&next); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) key() string {
	var b strings.Builder
	b.WriteByte('.')
	var n [8]byte
	for _, d := range c.done {
		for _, v := range []uint64{uint64(d.id), uint64(d.result), map[bool]uint64{true: 1}[d.free]} {
			binary.LittleEndian.PutUint64(n[:], v)
			b.Write(n[:])
		}
	}
	b.WriteByte(':')
	b.WriteString(c.state)
	return b.String()
}
