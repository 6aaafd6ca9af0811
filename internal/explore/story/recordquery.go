package story

import (
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// A record's answers: which accesses conflict, which locks were held, and which events lie
// between.

// readHeld are the locks that a thread holds for reading at an access.
func (r *record) readHeld(t trace.TID, x at) []uint64 {
	return r.locked(t, x, trace.OpReadUnlock, trace.OpReadLock, trace.OpTryReadLock)
}

// writeHeld are the read-write locks that a thread holds for writing at an access.
func (r *record) writeHeld(t trace.TID, x at) []uint64 {
	return r.locked(t, x, trace.OpWriteUnlock, trace.OpWriteLock, trace.OpTryWriteLock)
}

// anyHeld names the locks that the thread of an access holds there, read-write locks too.
func (r *record) anyHeld(x at) []string {
	list := r.held(x)
	for _, l := range slices.Concat(r.readHeld(r.maker(x), x), r.writeHeld(r.maker(x), x)) {
		if name := r.Guest.VariableName(l); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// locked are the objects that a thread has taken by some operations, up to an access, and not
// let go by another.
func (r *record) locked(t trace.TID, x at, gives trace.OpKind, takes ...trace.OpKind) (list []uint64) {
	for i := 0; i <= x.beat && i < len(r.beats); i++ {
		for k := range r.beats[i].ops {
			o := &r.beats[i].ops[k]
			if r.beats[i].step.Thread != t || i == x.beat && int(o.At) > x.access {
				continue
			}
			if slices.Contains(takes, o.Kind) {
				list = append(list, o.Obj)
			} else if o.Kind == gives {
				list = slices.DeleteFunc(list, func(l uint64) bool { return l == o.Obj })
			}
		}
	}
	return list
}

// joins reports whether a thread has joined another before a beat.
func (r *record) joins(t, other trace.TID, before int) bool {
	for i := 0; i < min(before, len(r.beats)); i++ {
		for k := range r.beats[i].ops {
			if o := &r.beats[i].ops[k]; o.Kind == trace.OpJoin && o.Obj == uint64(other) && r.beats[i].step.Thread == t {
				return true
			}
		}
	}
	return false
}

// lastOf is a thread's last access before a point to some of an access's bytes; its beat is
// -1 if there is none.
func (r *record) lastOf(t trace.TID, before at, to *trace.Access) at {
	for x, a := range r.backward(t, before) {
		if a.Overlaps(to) {
			return x
		}
	}
	return at{-1, 0}
}

// operation reports whether an operation of some kind comes between two accesses.
func (r *record) operation(x, y at, is func(*trace.Op) bool) bool {
	for i := x.beat; i <= y.beat && i < len(r.beats); i++ {
		for k := range r.beats[i].ops {
			o := &r.beats[i].ops[k]
			if here := (at{i, int(o.At)}); is(o) && x.before(here) && !y.before(here) {
				return true
			}
		}
	}
	return false
}

// between reports whether thread t is created or joined between two accesses.
func (r *record) between(x, y at, kind trace.OpKind, t trace.TID) bool {
	return r.operation(x, y, func(o *trace.Op) bool { return o.Kind == kind && o.Obj == uint64(t) })
}

// freed reports whether the block around an address is freed between two accesses.
func (r *record) freed(x, y at, addr uint64) bool {
	return r.operation(x, y, func(o *trace.Op) bool { return o.Kind == trace.OpFree && addr-o.Obj < uint64(o.Size) })
}

// together reports whether two accesses were made with a lock in common.
func (r *record) together(x, y at) bool {
	mine := r.held(x)
	return slices.ContainsFunc(r.held(y), func(l string) bool { return slices.Contains(mine, l) })
}

// lastConflict is the last access of thread t before another that conflicts with it.
func (r *record) lastConflict(t trace.TID, mid at, a *trace.Access) (x at, ok bool) {
	for x, o := range r.backward(t, mid) {
		if o.Conflicts(a) {
			return x, true
		}
	}
	return x, false
}

// firstConflict is the first access of thread t, from beat i on, that conflicts
// with a.
func (r *record) firstConflict(t trace.TID, i int, a *trace.Access) (x at, ok bool) {
	for x, o := range r.forward(t, at{beat: i}) {
		if o.Conflicts(a) {
			return x, true
		}
	}
	return x, false
}

// held names the locks that the thread holds at an access: those before its beat,
// and what the beat did to them by then.
func (r *record) held(x at) []string {
	b := &r.beats[x.beat]
	n := 0
	for n < len(b.ops) && int(b.ops[n].At) <= x.access {
		n++
	}
	return r.heldAfter(b, n)
}

// heldAfter lists the thread's locks after this many of a beat's operations.
func (r *record) heldAfter(b *beat, operations int) []string {
	list := slices.Clone(b.held)
	for i := range b.ops[:operations] {
		o := &b.ops[i]
		switch {
		case takes(o):
			list = append(list, r.Guest.VariableName(o.Obj))
		case unlocks(o):
			name := r.Guest.VariableName(o.Obj)
			list = slices.DeleteFunc(list, func(l string) bool { return l == name })
		}
	}
	return list
}

// leftAt is the stack at which the thread before beat i was left: where it
// stood when it went on, or where it stands at the end.
func (r *record) leftAt(i int) []uint64 {
	for r.IsBeside(r.beats[i-1].step.Thread) {
		i--
	}
	t := r.beats[i-1].step.Thread
	if left := r.beats[i-1].left; left != nil {
		return left // and not where a signal has taken it since
	}
	for j := i; j < len(r.beats); j++ {
		if r.beats[j].step.Thread == t {
			return r.beats[j].stack
		}
	}
	return r.Guest.Stack(t)
}

// acquired is where a thread took the object that it holds at the end.
func (r *record) acquired(owner trace.TID, obj uint64) *result.Frame {
	for i := len(r.beats) - 1; i >= 0; i-- {
		if r.beats[i].step.Thread != owner {
			continue
		}
		for k := range r.beats[i].ops {
			if op := &r.beats[i].ops[k]; takes(op) && op.Obj == obj && op.PC != 0 {
				f := r.caller(call{i, op})
				return &f
			}
		}
	}
	return nil
}

// lastOperation is the thread that made the last operation of some kinds on an object, and where; "" if
// no line says it.
func (r *record) lastOperation(obj uint64, kinds ...trace.OpKind) (trace.TID, string) {
	for i := len(r.beats) - 1; i >= 0; i-- {
		for k := len(r.beats[i].ops) - 1; k >= 0; k-- {
			if op := &r.beats[i].ops[k]; op.Obj == obj && slices.Contains(kinds, op.Kind) && op.PC != 0 {
				f := r.caller(call{i, op})
				return r.beats[i].step.Thread, f.Where()
			}
		}
	}
	return trace.NoThread, ""
}

// stale reports whether a thread has read something else between two accesses to a word,
// and another thread has changed that before the second.
func (r *record) stale(t trace.TID, from, to at) bool {
	for x, a := range r.backward(t, to) {
		if x.before(from) {
			return false
		}
		if a.IsWrite() || a.Addr == r.accessAt(to).Addr || a.Addr < lowestVariable {
			continue
		}
		for i := x.beat; i <= to.beat; i++ {
			for k := range r.beats[i].accesses {
				z := at{i, k}
				o := r.accessAt(z)
				if x.before(z) && z.before(to) && o.IsWrite() && o.Conflicts(a) && r.beats[i].madeBy(k) != t && r.rawAt(z) != r.rawAt(x) {
					return true
				}
			}
		}
	}
	return false
}
