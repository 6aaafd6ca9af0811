package record

import (
	"iter"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// A record's answers about waits: where a condition was tested for one, and what changed.

// WaitedAt is the last call before a beat with which a thread waits for a condition
// variable, or nil.
func (r *Run) WaitedAt(t trace.TID, cond uint64, before int) (last *Call) {
	for _, c := range r.Calls(cond, trace.OpCondWait) {
		if r.By(c) == t && c.Beat < before {
			last = &c
		}
	}
	return last
}

// CondWaits are a bug's waits on condition variables, each with the thread's last call that waits
// for it.
func (r *Run) CondWaits(b *result.Bug) iter.Seq2[*result.Wait, *Call] {
	return func(yield func(*result.Wait, *Call) bool) {
		for i := range b.Waits {
			w := &b.Waits[i]
			if w.For != "condition variable" {
				continue
			}
			if last := r.entered(w); last != nil && !yield(w, last) {
				return
			}
		}
	}
}

// entered is the last call that waits for a condition variable of the thread that a wait
// at the end is of; nil if there is none.
func (r *Run) entered(w *result.Wait) (last *Call) {
	for _, c := range r.Calls(uint64(w.Address), trace.OpCondWait) {
		if r.guest.Name(r.By(c)) == w.Thread {
			last = &c
		}
	}
	return last
}

// TestedFor reports whether a thread, with a lock held and before it waited, read what the
// signalling thread had written.
func (r *Run) TestedFor(wait, signal Call) bool {
	waiter, signaller := r.By(wait), r.By(signal)
	for i := range wait.Beat + 1 {
		for k := range r.Beats[i].Accesses {
			if r.Beats[i].MadeBy(k) != waiter || len(r.Held(At{i, k})) == 0 {
				continue
			}
			if x, ok := r.LastConflict(signaller, At{signal.Beat, len(r.Beats[signal.Beat].Accesses)}, &r.Beats[i].Accesses[k]); ok && r.AccessAt(x).IsWrite() {
				return true
			}
		}
	}
	return false
}

// Tested is a thread's last read of the same bytes before it waited in a beat, under a
// lock. It is ok if the thread's last access to them before is a read.
func (r *Run) Tested(t trace.TID, wait int, used *trace.Access) (x At, ok bool) {
	for x, a := range r.Backward(t, At{wait, len(r.Beats[wait].Accesses)}) {
		if a.Addr == used.Addr && a.Size == used.Size {
			return x, !a.IsWrite() && len(r.Held(x)) > 0
		}
	}
	return x, false
}

// News reports whether a thread, woken from its wait in a beat, reads something that it had
// tested, and that has another value now. It does so before it releases its locks. That may
// be what it has waited for.
func (r *Run) News(t trace.TID, wait, goesOn int) bool {
	for y, used := range r.Forward(t, At{Beat: goesOn}) {
		if len(r.Held(y)) == 0 {
			return false
		}
		if used.IsWrite() {
			continue
		}
		if _, by, written := r.Source(y); written && by == t {
			continue
		}
		if x, ok := r.Tested(t, wait, used); ok && r.RawAt(x) != r.RawAt(y) {
			return true
		}
	}
	return false
}

// Sending is the call that sent the signal which another call, or an arrival, brings.
func (r *Run) Sending(c Call) Call {
	for _, o := range slices.Backward(r.Calls(c.Op.Obj, trace.OpPost, trace.OpCancel)) {
		if c.Op.Arg&trace.Arrives != 0 && o.Beat < c.Beat && o.Op.Signal() == c.Op.Signal() && o.Op.Arg&trace.Arrives == 0 {
			return o
		}
	}
	return c
}
