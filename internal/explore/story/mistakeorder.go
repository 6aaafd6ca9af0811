package story

import (
	"fmt"
	"slices"

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
// "". Against has to have been asked.
func (st *Story) MistakeAgainst(failed trace.TID) string {
	f := st.flip
	if f == nil {
		return ""
	}
	if f.late.op == nil && f.early.op == nil && !f.late.writes && f.early.writes && f.other == failed {
		if text := st.doubleChecked(f); text != "" {
			return text
		}
		if text := st.missingJoin(f); text != "" {
			return text
		}
	}
	for _, kind := range []func(*flip) string{st.postedEarly, st.announced, st.beforeLock, st.letIn} {
		for i := range st.flips {
			if text := kind(&st.flips[i]); text != "" {
				return text
			}
		}
	}
	return ""
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
// lock.
func (r *record) readsUnder(f *flip, from at, lock string) bool {
	until := at{beat: len(r.beats)} // it lets the lock go
	for i := from.beat; i < len(r.beats) && until.beat == len(r.beats); i++ {
		for k := range r.beats[i].ops {
			o := &r.beats[i].ops[k]
			if here := (at{i, int(o.At)}); o.Kind == trace.OpUnlock && r.beats[i].step.Thread == f.other && !here.before(from) && r.Guest.VariableName(o.Obj) == lock {
				until = here
				break
			}
		}
	}
	for x, a := range r.forward(f.other, from) {
		if !x.before(until) {
			return false
		}
		if f.late.overlaps(a) && !a.IsWrite() {
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
	for x, a := range st.backward(f.other, f.first) {
		if a.IsWrite() || a.Addr < lowestVariable || f.late.overlaps(a) || !f.final(a.Addr) {
			continue
		}
		w, by, ok := st.source(x)
		if !ok || by != f.thread || len(st.held(x)) > 0 {
			continue
		}
		flag, set := st.shown(x.beat, x.access), st.shown(w.beat, w.access)
		declared, _ := st.Image.Atomic(a.PC, a.Addr)
		meant := declared || st.accessAt(w).Flags&trace.Atomic != 0 || st.Decides(a.PC, read.PC)
		if !meant || flag.Symbol == "" || flag.Bookkeeping || where(flag.Stack) == "" || where(set.Stack) == "" {
			continue
		}
		return fmt.Sprintf("Thread %s finds by %s (%s) that it can use %s (%s), but thread %s sets %s (%s) before it writes %s (%s). Set it after that.",
			data.Thread, flag.Name(), where(flag.Stack), data.Name(), f.here, f.early.thread, flag.Name(), where(set.Stack), data.Name(), f.earlyIs)
	}
	return ""
}

// doubleChecked: a thread has seen without a lock that a variable is set, and then reads
// others that the thread which sets it writes later, under the lock.
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
