package story

import (
	"fmt"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Mistakes that a run that passes shows: two accesses come in an order that nothing
// ensures.

// flip is two events that come the other way round in a run that passes.
type flip struct {
	early, late   event // as in that run
	first         at    // the late one's place here
	earlyHeld     []string
	earlyRead     []uint64 // locks that it holds for reading
	earlyIs, here string   // the places of the early one, and of the late one here
	thread, other trace.TID
	final         func(addr uint64) bool // the early one's thread writes it no more after that
}

// MistakeAgainst names the mistake that a run and one that passes show together, or is
// "". Against has to have been asked of that one.
func (st *Story) MistakeAgainst(b *result.Bug, failed trace.TID, passes *Story) string {
	f := st.flip
	if f == nil {
		return ""
	}
	for _, text := range []string{st.heldAcross(b, passes), st.reset(b)} {
		if text != "" {
			return text
		}
	}
	if f.late.op == nil && f.early.op == nil && !f.late.writes && f.early.writes && f.other == failed {
		if text := st.halfSeen(f, passes); text != "" {
			return text
		}
		if text := st.doubleChecked(f); text != "" {
			return text
		}
		if text := st.missingJoin(f); text != "" {
			return text
		}
	}
	if text := st.changedTooEarly(f, passes); text != "" {
		return text
	}
	half := func(f *flip) string {
		if f.other != failed {
			return ""
		}
		return st.halfSeen(f, passes)
	}
	for _, kind := range []func(*flip) string{st.postedEarly, st.announced, st.beforeLock, st.letIn, half} {
		for i := range st.flips {
			if text := kind(&st.flips[i]); text != "" {
				return text
			}
		}
	}
	if len(b.Waits) > 0 {
		return ""
	}
	for _, text := range []string{st.apart(failed, passes), st.oneRound(f, passes)} {
		if text != "" {
			return text
		}
	}
	if text := st.leftBehind(passes); text != "" {
		return text
	}
	return st.neverLocked(passes)
}

// changedTooEarly: a thread reads a variable at its start, and the thread that created it has
// changed that since.
func (st *Story) changedTooEarly(f *flip, passes *Story) string {
	if f.early.op != nil || f.late.op != nil || f.early.writes || !f.late.writes || !isChild(f.early.thread, f.late.thread) || !passes.begins(f.thread, f.early.at) {
		return ""
	}
	read, data := passes.accessAt(f.early.at), st.shown(f.first.beat, f.first.access)
	created := st.created[f.thread]
	if atomic, _ := st.Image.Atomic(read.PC, read.Addr); atomic || read.Flags&trace.Atomic != 0 || data.Symbol == "" || created.File == "" || f.here == "" || f.earlyIs == "" {
		return ""
	}
	return fmt.Sprintf("Thread %s creates thread %s (%s) and changes %s (%s) before that has read it (%s). Give each thread a variable of its own for what it begins with.",
		data.Thread, f.early.thread, created.Where(), data.Name(), f.here, f.earlyIs)
}

// begins reports whether a thread does nothing that other threads could observe before an access.
func (r *record) begins(t trace.TID, x at) bool {
	for range r.backward(t, x) {
		return false
	}
	for i := 0; i <= x.beat; i++ {
		if r.beats[i].step.Thread == t && slices.ContainsFunc(r.beats[i].ops, func(o trace.Op) bool { return takes(&o) || o.Kind == trace.OpSemWait }) {
			return false
		}
	}
	return true
}

// beforeLock: a thread reads what another one changes under a lock, then takes that lock,
// and goes by what it has read.
func (st *Story) beforeLock(f *flip) string {
	data := st.shown(f.first.beat, f.first.access)
	read := st.accessAt(f.first)
	if atomic, _ := st.Image.Atomic(read.PC, read.Addr); atomic || read.Flags&trace.Atomic != 0 {
		return ""
	}
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" || len(f.earlyHeld) == 0 || len(st.held(f.first)) > 0 {
		return ""
	}
	lock := f.earlyHeld[len(f.earlyHeld)-1]
	for i := f.first.beat; i < len(st.beats); i++ {
		for k := range st.beats[i].ops {
			o := &st.beats[i].ops[k]
			if st.beats[i].step.Thread != f.other || !takes(o) || i == f.first.beat && int(o.At) <= f.first.access {
				continue
			}
			if st.Guest.VariableName(o.Obj) != lock || st.readsUnder(f, at{i, int(o.At)}, lock) {
				return ""
			}
			return fmt.Sprintf("Thread %s reads %s (%s) before it takes %s (%s), under which thread %s changes it (%s). Read it after taking %s.",
				data.Thread, data.Name(), f.here, lock, st.place(call{i, o}), f.early.thread, f.earlyIs, lock)
		}
	}
	return ""
}

// letIn: a thread reads what another one changes while both hold a lock for reading.
func (st *Story) letIn(f *flip) string {
	data := st.shown(f.first.beat, f.first.access)
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" {
		return ""
	}
	its := st.readHeld(f.other, f.first)
	for _, l := range st.readHeld(f.thread, f.first) {
		if slices.Contains(its, l) && slices.Contains(f.earlyRead, l) {
			return fmt.Sprintf("Thread %s changes %s (%s) while it holds %s for reading, which lets thread %s in to read it (%s). Take it for writing.",
				f.early.thread, data.Name(), f.earlyIs, st.Guest.VariableName(l), data.Thread, f.here)
		}
	}
	return ""
}

// readsUnder reports whether the late thread of a flip reads the same again while it holds a
// lock, and not only to change it.
func (st *Story) readsUnder(f *flip, from at, lock string) bool {
	until := at{beat: len(st.beats)} // it releases the lock
	for i := from.beat; i < len(st.beats) && until.beat == len(st.beats); i++ {
		for k := range st.beats[i].ops {
			o := &st.beats[i].ops[k]
			if here := (at{i, int(o.At)}); o.Kind == trace.OpUnlock && st.beats[i].step.Thread == f.other && !here.before(from) && st.Guest.VariableName(o.Obj) == lock {
				until = here
				break
			}
		}
	}
	for x, a := range st.forward(f.other, from) {
		if !x.before(until) || f.late.overlaps(a) && a.IsWrite() {
			return false
		}
		if f.late.overlaps(a) && !st.writesAt(f.other, x) {
			return true
		}
	}
	return false
}

// announced: a thread sees by a variable that another one has come so far, and then reads what that
// one writes only later. The variable is accessed atomically, or decides where the thread goes on.
// A lock word or a count changes again after that; such a variable isn't meant.
func (st *Story) announced(f *flip) string {
	data := st.shown(f.first.beat, f.first.access)
	read := st.accessAt(f.first)
	if atomic, _ := st.Image.Atomic(read.PC, read.Addr); atomic || read.Flags&trace.Atomic != 0 {
		return "" // it may be looked at on its own
	}
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" || len(st.held(f.first)) > 0 {
		return ""
	}
	if st.writesToo(f) {
		return "" // the two keep each other out, or mean to
	}
	for x, a := range st.backward(f.other, f.first) {
		if a.Addr < lowestVariable || f.late.overlaps(a) {
			continue
		}
		once := a.IsWrite() && st.exchanged(x)
		if a.IsWrite() && !once {
			continue
		}
		if st.waitsBetween(f.other, x, f.first) {
			return "" // what let it go on is that
		}
		w, by, ok := st.source(x)
		if once && (!ok || !st.onlyWrite(w)) {
			continue
		}
		if !ok || by != f.thread || len(st.held(x)) > 0 || !f.final(a.Addr) && !st.firstMark(f, w) {
			continue
		}
		flag, set := st.shown(x.beat, x.access), st.shown(w.beat, w.access)
		declared, _ := st.Image.Atomic(a.PC, a.Addr)
		meant := declared || st.accessAt(w).Flags&trace.Atomic != 0 || st.Decides(a.PC, read.PC)
		if !meant || flag.Symbol == "" || flag.Bookkeeping || where(flag.Stack) == "" || where(set.Stack) == "" {
			continue
		}
		if once {
			return fmt.Sprintf("Thread %s finds by %s (%s) that thread %s has begun (%s), and uses %s (%s) before that one writes it (%s). Have it wait until the other one is done, as pthread_once does.",
				data.Thread, flag.Name(), where(flag.Stack), f.early.thread, where(set.Stack), data.Name(), f.here, f.earlyIs)
		}
		return fmt.Sprintf("Thread %s finds by %s (%s) that it can use %s (%s), but thread %s sets %s (%s) before it writes %s (%s). Set it after that.",
			data.Thread, flag.Name(), where(flag.Stack), data.Name(), f.here, f.early.thread, flag.Name(), where(set.Stack), data.Name(), f.earlyIs)
	}
	return ""
}

// exchanged reports whether an exchange finds the value that it writes, so that it only looks.
func (r *record) exchanged(x at) bool {
	w, _, ok := r.source(x)
	return ok && r.accessAt(x).Flags&trace.RMW != 0 && r.rawAt(w) == r.rawAt(x)
}

// onlyWrite reports whether an access's thread writes its bytes nowhere else.
func (r *record) onlyWrite(x at) bool {
	for y, a := range r.forward(r.maker(x), at{}) {
		if y != x && a.IsWrite() && a.Overlaps(r.accessAt(x)) {
			return false
		}
	}
	return true
}

// writesToo reports whether the late thread of a flip writes, before or after its read, what it
// reads.
func (st *Story) writesToo(f *flip) bool {
	for _, a := range st.forward(f.other, at{}) {
		if a.IsWrite() && f.late.overlaps(a) {
			return true
		}
	}
	return false
}

// waitsBetween reports whether a thread does something between two of its accesses for which it may
// have to wait.
func (r *record) waitsBetween(t trace.TID, x, y at) bool {
	for i := x.beat; i <= y.beat && i < len(r.beats); i++ {
		for k := range r.beats[i].ops {
			o := &r.beats[i].ops[k]
			late := i == x.beat && int(o.At) <= x.access || i == y.beat && int(o.At) > y.access
			if r.beats[i].step.Thread == t && !late && (takes(o) || o.Kind == trace.OpSemWait || o.Kind == trace.OpJoin || o.Kind == trace.OpBarrierLeave) {
				return true
			}
		}
	}
	return false
}

// firstMark reports whether a write of the early thread's is the first to a variable that no other
// thread writes, as an index is. The late thread doesn't look at that again, as at the number of a
// version.
func (st *Story) firstMark(f *flip, w at) bool {
	a := st.accessAt(w)
	for x, o := range st.backward(f.other, f.first) {
		if o.IsWrite() && o.Addr >= lowestVariable && st.uses(f.thread, o) && !st.alone(x) {
			return false // it says something, too, as threads at a lock do
		}
	}
	for i := range st.beats {
		for k := range st.beats[i].accesses {
			o, x := &st.beats[i].accesses[k], at{i, k}
			if !o.Overlaps(a) || o.Addr < lowestVariable {
				continue
			}
			by := st.beats[i].madeBy(k)
			if o.IsWrite() && (by != f.thread || x.before(w)) && !st.alone(x) || by == f.other && f.first.before(x) {
				return false
			}
		}
	}
	return true
}

// uses reports whether a thread accesses any of an access's bytes.
func (r *record) uses(t trace.TID, o *trace.Access) bool {
	for _, a := range r.forward(t, at{}) {
		if a.Overlaps(o) {
			return true
		}
	}
	return false
}

// alone reports whether an access comes before any thread was created.
func (r *record) alone(x at) bool {
	return !r.operation(at{beat: 0, access: -1}, x, func(o *trace.Op) bool { return o.Kind == trace.OpCreate })
}

// doubleChecked: a thread sees without a lock that a variable is set, and then reads other
// variables. The thread that sets it writes these later, under the lock.
func (st *Story) doubleChecked(f *flip) string {
	if len(f.earlyHeld) == 0 || len(st.held(f.first)) > 0 {
		return ""
	}
	if text := st.setBefore(f, true); text != "" {
		return text
	}
	return st.setBefore(f, false)
}

// setBefore is doubleChecked, for pointers to the block with what is read, or for any
// variable.
func (st *Story) setBefore(f *flip, pointers bool) string {
	block := st.around(f.late.addr)
	if pointers && block == nil {
		return ""
	}
	for x, a := range st.backward(f.other, f.first) {
		if a.IsWrite() || a.Addr == f.late.addr || len(st.held(x)) > 0 || a.Addr < lowestVariable || pointers && st.rawAt(x) != block.Addr {
			continue
		}
		w, by, ok := st.source(x)
		if !ok || by != f.thread || len(common(st.held(w), f.earlyHeld)) == 0 {
			continue
		}
		flag, data := st.shown(x.beat, x.access), st.shown(f.first.beat, f.first.access)
		set := st.shown(w.beat, w.access)
		if data.Symbol == "" {
			return ""
		}
		if flag.Symbol == "" || flag.Bookkeeping || where(flag.Stack) == "" || where(set.Stack) == "" {
			continue
		}
		if !pointers && result.Innermost(flag.Stack).Function == result.Innermost(data.Stack).Function && !st.Decides(a.PC, st.accessAt(f.first).PC) {
			continue // they are only looked at together
		}
		lock := common(st.held(w), f.earlyHeld)[0]
		return fmt.Sprintf("Thread %s finds %s set (%s) without %s, and uses %s (%s): thread %s sets it (%s) before it writes %s (%s). Set it last, or look at it under %s.",
			data.Thread, flag.Name(), where(flag.Stack), lock, data.Name(), f.here, f.early.thread, where(set.Stack), data.Name(), f.earlyIs, lock)
	}
	return ""
}

// missingJoin: a thread reads what a thread that it created writes, without waiting.
func (st *Story) missingJoin(f *flip) string {
	if !isChild(f.early.thread, f.late.thread) || st.joins(f.other, f.thread, f.first.beat) || len(f.earlyHeld) > 0 || len(st.held(f.first)) > 0 {
		return ""
	}
	a := st.accessAt(f.first)
	if atomic, _ := st.Image.Atomic(a.PC, a.Addr); atomic || a.Flags&trace.Atomic != 0 {
		return "" // it is meant to be looked at
	}
	for x, o := range st.backward(f.other, st.end()) {
		if x != f.first && o.Addr == a.Addr && !o.IsWrite() {
			return "" // it looks several times
		}
	}
	for i := range st.beats {
		for k := range st.beats[i].ops {
			switch st.beats[i].ops[k].Kind {
			case trace.OpCondWait, trace.OpSemWait, trace.OpBarrierArrive:
				return "" // threads wait for each other in other ways
			}
		}
	}
	data := st.shown(f.first.beat, f.first.access)
	if data.Symbol == "" || f.here == "" || f.earlyIs == "" {
		return ""
	}
	return fmt.Sprintf("Thread %s reads %s (%s) without waiting for thread %s, which it created and which writes that (%s). Join the thread before the read.", data.Thread, data.Name(), f.here, f.early.thread, f.earlyIs)
}
