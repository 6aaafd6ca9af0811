package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel/effect"
	"landgo/scheduler/names"
)

// Sharing is of what threads touch by calls and operations that landgo makes for them: which
// of it others share, and its record.
type Sharing struct {
	in       *present
	names    *names.Names
	learning *learning
	seen     *seen
	timers   *timers
	regs     func(trace.TID) *emu.Regs       // a thread's present ones
	called   func(trace.TID, []trace.Access) // of leftovers
}

// isLazy reports whether it is that of a word which counts once it has been read.
func (x *Sharing) isLazy(addr uint64) bool {
	return x.in.logs && addr >= effect.Lazy && addr < effect.LazyEnd
}

// sharesTouch reports whether other threads share what a thread's call touches, and learns
// from it. A lazy word counts once it has been read by a thread that isn't the only
// one that there has been.
func (x *Sharing) sharesTouch(t trace.TID, a *trace.Access) bool {
	if x.isLazy(a.Addr) {
		_, shared := x.in.machine.Sharing(a.Addr)
		if !shared && !a.IsWrite() && x.hasOthers(t) {
			x.in.machine.TouchWord(AllThreads, a.Addr, uint64(a.Size))
			x.learning.finer, shared = true, true
		}
		return shared
	}
	if !x.in.isWord(a.Addr) {
		return x.shared(t, a.Addr, uint64(a.Size), a.IsWrite())
	}
	shared, learned := x.in.machine.TouchWord(t, a.Addr, uint64(a.Size))
	// Words that are only ever read, a signal's action or where standard output goes,
	// would be shared by all. A word's second granule says whether it was changed.
	_, changed := x.in.machine.Sharing(a.Addr + effect.Step/2)
	if !changed && a.IsWrite() {
		x.in.machine.TouchWord(AllThreads, a.Addr+effect.Step/2, 1)
		changed, learned = true, true
	}
	x.learning.finer = x.learning.finer || learned && shared && changed
	return shared && changed
}

// Shared notes that a thread uses memory, and may change it, and reports whether others use it.
// Points become finer if that is news.
func (x *Sharing) Shared(t trace.TID, addr, size uint64) bool {
	return x.shared(t, addr, size, true)
}

func (x *Sharing) shared(t trace.TID, addr, size uint64, write bool) bool {
	shared, learned := x.in.machine.Touch(x.toucher(t), addr, size, write)
	x.learning.finer = x.learning.finer || learned
	return shared
}

// hasOthers reports whether there is or was another thread.
func (x *Sharing) hasOthers(t trace.TID) bool {
	for i := range x.in.threads {
		if x.in.threads[i].Exists && trace.TID(i) != t {
			return true
		}
	}
	return false
}

// touchAs records an access in the step of a thread that counts as thread t's. It
// reports whether other threads share what it is to.
func (x *Sharing) touchAs(th *thread, t trace.TID, tr *trace.Transition, pc uint64, a *trace.Access) bool {
	if x.in.unseen(th.ID) && !x.isLazy(a.Addr) || !x.sharesTouch(t, a) || x.in.unseen(th.ID) {
		return false
	}
	made := *a
	made.PC = pc
	tr.Accesses = append(tr.Accesses, made)
	if x.in.EveryOperation() && x.in.Coarse() && !x.in.isWord(a.Addr) {
		x.seen.record.Sight(th.ID, &made, nil, true) // its step begins with it
	}
	return true
}

// Looks takes in that landgo reads or writes memory for a thread.
func (x *Sharing) Looks(t trace.TID, addr, size uint64, flags trace.AccessFlags) {
	if len(x.in.threads[t].leftover) > 0 {
		x.called(t, []trace.Access{{Addr: addr, Size: uint32(size), Flags: flags}})
	}
}

// Touch records an access that landgo makes for a thread to the guest's
// memory, if it is shared. pc is the instruction that it is for.
func (x *Sharing) Touch(t trace.TID, tr *trace.Transition, pc, addr uint64, size uint32, flags trace.AccessFlags) {
	x.Looks(t, addr, uint64(size), flags)
	if x.in.Alone(t) {
		return
	}
	shared, learned := x.in.machine.Touch(x.toucher(t), addr, uint64(size), flags&trace.Write != 0)
	if learned {
		x.learning.finer = true
	}
	if shared {
		a := trace.Access{Addr: addr, Size: size, PC: pc, Flags: flags}
		tr.Accesses = append(tr.Accesses, a)
		if x.in.EveryOperation() && x.in.Coarse() {
			x.seen.record.Sight(t, &a, nil, true) // its step begins with it
		}
	}
}

// toucher is the party that a thread is where it stands, if the guest may have threads of
// its own; else the thread.
func (x *Sharing) toucher(t trace.TID) trace.TID {
	if !x.timers.on() || t < 0 || int(t) >= len(x.in.threads) || x.in.threads[t].isTimer() {
		return t
	}
	x.in.machine.SetInterrupted(x.in.clockwork.Interrupted(t))
	return x.in.machine.Party(x.regs(t).RSP)
}
