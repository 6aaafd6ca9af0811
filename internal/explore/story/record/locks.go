package record

import (
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// A record's answers about locks: which are held at an access, and where they were taken.

// ReadHeld are the locks that a thread holds for reading at an access.
func (r *Run) ReadHeld(t trace.TID, x At) []uint64 {
	return r.locked(t, x, trace.OpReadUnlock, trace.OpReadLock, trace.OpTryReadLock)
}

// WriteHeld are the read-write locks that a thread holds for writing at an access.
func (r *Run) WriteHeld(t trace.TID, x At) []uint64 {
	return r.locked(t, x, trace.OpWriteUnlock, trace.OpWriteLock, trace.OpTryWriteLock)
}

// AnyHeld names the locks that the thread of an access holds there, read-write locks too.
func (r *Run) AnyHeld(x At) []string {
	list := r.Held(x)
	for _, l := range slices.Concat(r.ReadHeld(r.Maker(x), x), r.WriteHeld(r.Maker(x), x)) {
		if name := r.guest.VariableName(l); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// locked are the objects that a thread has taken by some operations, up to an access, and not
// let go by another.
func (r *Run) locked(t trace.TID, x At, gives trace.OpKind, takes ...trace.OpKind) (list []uint64) {
	for i := 0; i <= x.Beat && i < len(r.Beats); i++ {
		for k := range r.Beats[i].Ops {
			o := &r.Beats[i].Ops[k]
			if r.Beats[i].Step.Thread != t || i == x.Beat && int(o.At) > x.Access {
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

// Together reports whether two accesses were made with a lock in common.
func (r *Run) Together(x, y At) bool {
	mine := r.Held(x)
	return slices.ContainsFunc(r.Held(y), func(l string) bool { return slices.Contains(mine, l) })
}

// Held names the locks that the thread holds at an access: those before its beat,
// and what the beat did to them by then.
func (r *Run) Held(x At) []string {
	b := &r.Beats[x.Beat]
	n := 0
	for n < len(b.Ops) && int(b.Ops[n].At) <= x.Access {
		n++
	}
	return r.HeldAfter(b, n)
}

// HeldAfter lists the thread's locks after this many of a beat's operations.
func (r *Run) HeldAfter(b *Beat, operations int) []string {
	list := slices.Clone(b.Held)
	for i := range b.Ops[:operations] {
		o := &b.Ops[i]
		switch {
		case Takes(o):
			list = append(list, r.guest.VariableName(o.Obj))
		case Unlocks(o):
			name := r.guest.VariableName(o.Obj)
			list = slices.DeleteFunc(list, func(l string) bool { return l == name })
		}
	}
	return list
}

// Acquired is where a thread took the object that it holds at the end.
func (r *Run) Acquired(owner trace.TID, obj uint64) *result.Frame {
	for i := len(r.Beats) - 1; i >= 0; i-- {
		if r.Beats[i].Step.Thread != owner {
			continue
		}
		for k := range r.Beats[i].Ops {
			if op := &r.Beats[i].Ops[k]; Takes(op) && op.Obj == obj && op.PC != 0 {
				f := r.Caller(Call{i, op})
				return &f
			}
		}
	}
	return nil
}

// LastOperation is the thread that made the last operation of some kinds on an object, and where; "" if
// no line says it.
func (r *Run) LastOperation(obj uint64, kinds ...trace.OpKind) (trace.TID, string) {
	for i := len(r.Beats) - 1; i >= 0; i-- {
		for k := len(r.Beats[i].Ops) - 1; k >= 0; k-- {
			if op := &r.Beats[i].Ops[k]; op.Obj == obj && slices.Contains(kinds, op.Kind) && op.PC != 0 {
				f := r.Caller(Call{i, op})
				return r.Beats[i].Step.Thread, f.Where()
			}
		}
	}
	return trace.NoThread, ""
}

// Passed are the semaphores that a thread has waited for up to an access, and not posted since.
func (r *Run) Passed(t trace.TID, x At) []uint64 {
	return r.locked(t, x, trace.OpSemPost, trace.OpSemWait, trace.OpSemTryWait)
}
