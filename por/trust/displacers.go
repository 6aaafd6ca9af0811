package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// displacers are events that depend on what a thread did at its turn, e, and of
// which the first displaces it (doc.go).
//
// Where e is a compare-and-exchange or a try, some steps are ones that it depends
// on in any case (changes). They settle what else it depends on: while one of them
// is to come, the others don't count, as e may fail after it. So of those the first
// is looked for, and before it come only the others that happen before it.
type displacers struct {
	all   []displacer
	fails relation.Step // e's step where it fails
	less  bool          // that is less than what it did
}

type displacer struct {
	id      int32
	thread  trace.TID
	changes bool
}

func (d *displacers) begin(e *relation.Event) {
	d.all, d.less = d.all[:0], false
	if e.MayFail() {
		d.fails.Copy(e)
		d.less = d.fails.Fails()
	}
}

// add adds event a with number id.
func (d *displacers) add(id int32, a *relation.Event) {
	d.all = append(d.all, displacer{id, a.Thread, !d.less || d.fails.Dependent(a)})
}

// first is the number of the event that displaces e, -1 for none. before is
// happens-before, by numbers.
func (d *displacers) first(before func(i, j int32) bool) int32 {
	best := d.lowest(func(a *displacer) bool { return a.changes }, before)
	if best < 0 {
		return d.lowest(func(*displacer) bool { return true }, before)
	}
	if d.less {
		if other := d.lowest(func(a *displacer) bool { return !a.changes && before(a.id, best) }, before); other >= 0 {
			return other
		}
	}
	return best
}

// lowest is the number of the event of the lowest thread of those that count and
// before which no other that counts comes.
func (d *displacers) lowest(counts func(*displacer) bool, before func(i, j int32) bool) int32 {
	var best *displacer
	for k := range d.all {
		a := &d.all[k]
		if !counts(a) || best != nil && a.thread > best.thread {
			continue
		}
		minimal := true
		for j := range d.all {
			if b := &d.all[j]; j != k && counts(b) && before(b.id, a.id) {
				minimal = false
				break
			}
		}
		if minimal {
			best = a
		}
	}
	if best == nil {
		return -1
	}
	return best.id
}
