package record

import (
	"slices"

	"landgo/internal/trace"
)

// A record's answers: what comes between two accesses, before one and after one.

// Joins reports whether a thread has joined another before a beat.
func (r *Run) Joins(t, other trace.TID, before int) bool {
	for i := 0; i < min(before, len(r.Beats)); i++ {
		for k := range r.Beats[i].Ops {
			if o := &r.Beats[i].Ops[k]; o.Kind == trace.OpJoin && o.Obj == uint64(other) && r.Beats[i].Step.Thread == t {
				return true
			}
		}
	}
	return false
}

// Operation reports whether an operation of some kind comes between two accesses.
func (r *Run) Operation(x, y At, is func(*trace.Op) bool) bool {
	for i := x.Beat; i <= y.Beat && i < len(r.Beats); i++ {
		for k := range r.Beats[i].Ops {
			o := &r.Beats[i].Ops[k]
			if here := (At{i, int(o.At)}); is(o) && x.Before(here) && !y.Before(here) {
				return true
			}
		}
	}
	return false
}

// Between reports whether thread t is created or joined between two accesses.
func (r *Run) Between(x, y At, kind trace.OpKind, t trace.TID) bool {
	return r.rarely(x, y, kind, func(o *trace.Op) bool { return o.Obj == uint64(t) })
}

// Freed reports whether the block around an address is freed between two accesses.
func (r *Run) Freed(x, y At, addr uint64) bool {
	return r.rarely(x, y, trace.OpFree, func(o *trace.Op) bool { return addr-o.Obj < uint64(o.Size) })
}

// Stale reports whether a thread has read something else between two accesses to a word,
// and another thread has changed that before the second.
func (r *Run) Stale(t trace.TID, from, to At) bool {
	for x, a := range r.Backward(t, to) {
		if x.Before(from) {
			return false
		}
		if a.IsWrite() || a.Addr == r.AccessAt(to).Addr || a.Addr < LowestVariable {
			continue
		}
		for i := x.Beat; i <= to.Beat; i++ {
			for k := range r.Beats[i].Accesses {
				z := At{i, k}
				o := r.AccessAt(z)
				if x.Before(z) && z.Before(to) && o.IsWrite() && o.Conflicts(a) && r.Beats[i].MadeBy(k) != t && r.RawAt(z) != r.RawAt(x) {
					return true
				}
			}
		}
	}
	return false
}

// After reports whether an access comes after a call.
func (r *Run) After(x At, c Call) bool {
	return x.Beat > c.Beat || x.Beat == c.Beat && x.Access >= int(c.Op.At)
}

// Begins reports whether a thread does nothing that other threads could observe before an access.
func (r *Run) Begins(t trace.TID, x At) bool {
	for range r.Backward(t, x) {
		return false
	}
	for i := 0; i <= x.Beat; i++ {
		if r.Beats[i].Step.Thread == t && slices.ContainsFunc(r.Beats[i].Ops, func(o trace.Op) bool { return Takes(&o) || o.Kind == trace.OpSemWait }) {
			return false
		}
	}
	return true
}

// Exchanged reports whether an exchange finds the value that it writes, so that it only looks.
func (r *Run) Exchanged(x At) bool {
	w, _, ok := r.Source(x)
	return ok && r.AccessAt(x).Flags&trace.RMW != 0 && r.RawAt(w) == r.RawAt(x)
}

// OnlyWrite reports whether an access's thread writes its bytes nowhere else.
func (r *Run) OnlyWrite(x At) bool {
	for y, a := range r.Forward(r.Maker(x), At{}) {
		if y != x && a.IsWrite() && a.Overlaps(r.AccessAt(x)) {
			return false
		}
	}
	return true
}

// WaitsBetween reports whether a thread does something between two of its accesses for which it may
// have to wait.
func (r *Run) WaitsBetween(t trace.TID, x, y At) bool {
	for i := x.Beat; i <= y.Beat && i < len(r.Beats); i++ {
		for k := range r.Beats[i].Ops {
			o := &r.Beats[i].Ops[k]
			late := i == x.Beat && int(o.At) <= x.Access || i == y.Beat && int(o.At) > y.Access
			if r.Beats[i].Step.Thread == t && !late && (Takes(o) || o.Kind == trace.OpSemWait || o.Kind == trace.OpJoin || o.Kind == trace.OpBarrierLeave) {
				return true
			}
		}
	}
	return false
}

// Uses reports whether a thread accesses any of an access's bytes.
func (r *Run) Uses(t trace.TID, o *trace.Access) bool {
	for _, a := range r.Forward(t, At{}) {
		if a.Overlaps(o) {
			return true
		}
	}
	return false
}

// Alone reports whether an access comes before any thread was created.
func (r *Run) Alone(x At) bool {
	return !r.Operation(At{Beat: 0, Access: -1}, x, func(o *trace.Op) bool { return o.Kind == trace.OpCreate })
}

// WrittenFrom reports whether any thread writes some of an access's bytes from a place on.
func (r *Run) WrittenFrom(from At, a *trace.Access) bool {
	for i := from.Beat; i < len(r.Beats); i++ {
		for k := range r.Beats[i].Accesses {
			if o := &r.Beats[i].Accesses[k]; o.IsWrite() && o.Overlaps(a) && !(At{i, k}).Before(from) {
				return true
			}
		}
	}
	return false
}
