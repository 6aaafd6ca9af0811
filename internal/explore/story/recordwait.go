package story

import (
	"iter"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// A record's answers about waits: where a condition was tested for one, and what changed.

// waitedAt is the last call before a beat with which a thread waits for a condition
// variable, or nil.
func (r *record) waitedAt(t trace.TID, cond uint64, before int) (last *call) {
	for _, c := range r.calls(cond, trace.OpCondWait) {
		if r.by(c) == t && c.beat < before {
			last = &c
		}
	}
	return last
}

// condWaits are a bug's waits on condition variables, each with the thread's last call that waits
// for it.
func (r *record) condWaits(b *result.Bug) iter.Seq2[*result.Wait, *call] {
	return func(yield func(*result.Wait, *call) bool) {
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
func (r *record) entered(w *result.Wait) (last *call) {
	for _, c := range r.calls(uint64(w.Address), trace.OpCondWait) {
		if r.Guest.Name(r.by(c)) == w.Thread {
			last = &c
		}
	}
	return last
}

// testedFor reports whether a thread, with a lock held and before it waited, read what the
// signalling thread had written.
func (r *record) testedFor(wait, signal call) bool {
	waiter, signaller := r.by(wait), r.by(signal)
	for i := range wait.beat + 1 {
		for k := range r.beats[i].accesses {
			if r.beats[i].madeBy(k) != waiter || len(r.held(at{i, k})) == 0 {
				continue
			}
			if x, ok := r.lastConflict(signaller, at{signal.beat, len(r.beats[signal.beat].accesses)}, &r.beats[i].accesses[k]); ok && r.accessAt(x).IsWrite() {
				return true
			}
		}
	}
	return false
}

// tested is a thread's last read of the same bytes before it waited in a beat, under a
// lock. It is ok if the thread's last access to them before is a read.
func (r *record) tested(t trace.TID, wait int, used *trace.Access) (x at, ok bool) {
	for x, a := range r.backward(t, at{wait, len(r.beats[wait].accesses)}) {
		if a.Addr == used.Addr && a.Size == used.Size {
			return x, !a.IsWrite() && len(r.held(x)) > 0
		}
	}
	return x, false
}

// news reports whether a thread, woken from its wait in a beat, reads something that it had
// tested, and that has another value now. It does so before it releases its locks. That may
// be what it has waited for.
func (r *record) news(t trace.TID, wait, goesOn int) bool {
	for y, used := range r.forward(t, at{beat: goesOn}) {
		if len(r.held(y)) == 0 {
			return false
		}
		if used.IsWrite() {
			continue
		}
		if _, by, written := r.source(y); written && by == t {
			continue
		}
		if x, ok := r.tested(t, wait, used); ok && r.rawAt(x) != r.rawAt(y) {
			return true
		}
	}
	return false
}
