package record

import (
	"iter"

	"landgo/internal/trace"
)

// Sections of one lock: what a thread does from taking it up to releasing it.

// Section has a thread's accesses while it holds a lock: those from Open up to Close.
type Section struct{ Open, Close At }

// Has reports whether an access is in the section.
func (s Section) Has(x At) bool { return !x.Before(s.Open) && x.Before(s.Close) }

// Sections are a thread's sections of a lock. There are none if it waits in one on a condition
// variable: then it releases the lock on purpose.
func (r *Run) Sections(t trace.TID, lock uint64) (list []Section) {
	holds := false
	for i := range r.Beats {
		for k := range r.Beats[i].Ops {
			o, here := &r.Beats[i].Ops[k], At{i, int(r.Beats[i].Ops[k].At)}
			switch {
			case r.Beats[i].Step.Thread != t:
			case holds && o.Kind == trace.OpCondWait:
				return nil
			case o.Obj != lock:
			case Takes(o) && !holds:
				list, holds = append(list, Section{here, r.End()}), true
			case Unlocks(o) && holds:
				list[len(list)-1].Close, holds = here, false
			}
		}
	}
	return list
}

// mostWithin is how many of a section's accesses are looked at.
const mostWithin = 64

// Within are a thread's accesses in a section, the first mostWithin.
func (r *Run) Within(t trace.TID, s Section) iter.Seq2[At, *trace.Access] {
	return func(yield func(At, *trace.Access) bool) {
		n := 0
		for x, a := range r.Forward(t, s.Open) {
			if n++; n > mostWithin || !s.Has(x) || !yield(x, a) {
				return
			}
		}
	}
}

// TouchedIn reports whether a thread uses some of an access's bytes in a section.
func (r *Run) TouchedIn(t trace.TID, s Section, a *trace.Access) bool {
	return r.usedIn(t, s, a, false)
}

// WritesIn reports whether a thread writes some of an access's bytes in a section.
func (r *Run) WritesIn(t trace.TID, s Section, a *trace.Access) bool {
	return r.usedIn(t, s, a, true)
}

func (r *Run) usedIn(t trace.TID, s Section, a *trace.Access, writes bool) bool {
	for x, o := range r.Forward(t, s.Open) {
		if !s.Has(x) {
			return false
		}
		if o.Overlaps(a) && (o.IsWrite() || !writes) {
			return true
		}
	}
	return false
}
