package library

import (
	"landgo/heap"
	"landgo/internal/image/elffile"
	"landgo/internal/image/libc"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel/effect"
	"landgo/scheduler"
)

// The guest's own code carries some trusted functions out (stdio, the creation of a
// thread). They belong to the step in which they are called, as long as they work on
// memory of the library's and the thread's own. Other threads can tell when they don't:
//
//   - a function of stdio that reads or writes memory which other threads use
//     (sprintf, fgets);
//   - one that takes input, for other threads get the rest of it;
//   - one that makes or deletes a key, for the number of the next key depends on it;
//   - one that takes tables from the unwinder, as the end of a static program does; and then a
//     search of the unwinder's, which finds nothing afterwards;
//   - one that works on a stream whose bytes the program can read (streams.go);
//   - the creation of a thread whose name goes where other threads look.
//
// Such a call is a step of its own: one operation, as all that is trusted. landgo knows
// the first kind by a call that did so (then the search starts again), and the second by
// the function's name.

// isOwnStep reports whether the call at whose entry a thread stands has to be
// a step of its own.
func (l *Library) isOwnStep(th *thread) bool {
	// The thread that musl creates before it stores its name is another.
	if l.core.Alone(th.ID) && !(th.role == profile.Create && l.libc == elffile.Musl) {
		return false
	}
	if !l.isPoint(th) {
		return false
	}
	switch {
	case acts[th.role].how == allocator:
		return true
	case l.core.Undrained(th.ID) && (th.role == profile.Create || l.locksStream(th)):
		return true // a stream's lock, or the call that makes a thread, waits for its stores
	}
	switch th.role {
	case profile.StdioInput, profile.KeyCreate, profile.KeyDelete, profile.UnwindTables, profile.Tabulates:
		return true
	case profile.UnwindFind:
		return l.known.Tables
	case profile.Stdio:
		if l.sharesStream(th) {
			return true
		}
	case profile.Create:
		shared := l.core.Sharing.Shared(th.ID, th.arg(0), 8)
		if at := l.quiets.attributes(th); at != 0 {
			shared = l.core.Sharing.Shared(th.ID, at, attributesSize) || shared
		}
		return shared || l.known.Meeting[l.callSite(th)]
	}
	return l.known.Meeting[l.callSite(th)] || l.core.Racing(l.callSite(th)-1)
}

// attribute makes what a trusted call has just touched the call's: to the thread that tells
// races apart it is one event, at the call's place. Which of its instructions reads a byte
// first, and which last, is the library's business. So is a stream, which has a lock of its
// own, and whose parts are sometimes read without it.
func (l *Library) attribute(th *thread, tr *trace.Transition, made []trace.Access) {
	q := &th.quiet
	keys := q.role == profile.KeyCreate || q.role == profile.KeyDelete // glibc's table of them has no lock
	var last heap.Block                                                // looking for one is a walk
	for i := range made {
		a := &made[i]
		a.PC, a.Insn = q.ret-1, 1
		if q.insn > tr.Begin {
			a.Insn += uint16(q.insn - tr.Begin)
		}
		if !last.Contains(a.Addr) && l.core.Blocks.InHeap(a.Addr) {
			last = heap.Block{}
			if b := l.heap.Around(a.Addr); b != nil {
				last = *b
			}
		}
		if keys && l.image.OfLibc(a.Addr) || last.Contains(a.Addr) && last.Library || libc.Stream(l.image.Info, a.Addr) {
			a.Flags |= trace.Library
		}
	}
}

// Meets implements scheduler.Calls: it learns that the call under way touched what others do.
func (l *Library) Meets(t trace.TID) {
	th := &l.threads[t]
	if q := &th.quiet; !q.own && !l.known.Meeting[q.ret] && l.core.EveryOperation() && !l.core.Alone(th.ID) {
		l.known.Meeting[q.ret] = true
		l.core.Refine()
	}
}

// Stands implements scheduler.Watcher: it learns of the stream that is locked meanwhile.
func (l *Library) Stands(t trace.TID) {
	at := l.threads[t].quiet.stream
	if at == 0 || l.known.Streams[at] || l.core.Alone(t) {
		return
	}
	l.known.Streams[at] = true
	l.core.Refine()
}

// Steps implements scheduler.Calls. A thread that slept until a stream was unlocked tries again.
func (l *Library) Steps(t trace.TID, tr *trace.Transition) {
	l.models.Steps(t, tr)
	if th := &l.threads[t]; th.quiet.stream != 0 && th.Stand == scheduler.StandRun && l.core.SleptFor(t) == trace.OpFutexWait {
		l.touchHeld(th, tr)
	}
}

// stepCall carries out a call that is a step of its own.
func (l *Library) stepCall(th edit, tr *trace.Transition) error {
	if th.phase == phaseStore {
		q := th.quiet
		th.quiet, th.phase = quiet{}, phaseEntry
		th.Insns++ // schedules name the states on both sides
		l.machine.Write64(q.id, q.was)
		l.core.Sharing.Touch(th.ID, tr, q.ret-1, q.id, 8, trace.Write)
		return l.advance(th.thread, tr, 0)
	}
	finds := th.role == profile.UnwindFind
	if finds { // its first one would sort all tables, in each execution
		if l.quiets.touchByName(th.thread, tr); l.findsTables(th, tr) {
			return l.advance(th.thread, tr, 0)
		}
	}
	if _, err := l.quiets.enter(th, acts[th.role].how == watched); err != nil {
		return err
	}
	th.quiet.own, tr.Loose = true, th.role != profile.Create
	if th.role == profile.Create && l.libc == elffile.Musl {
		th.quiet.id, th.quiet.was = th.arg(0), l.machine.Read64(th.arg(0))
		l.quiets.touchAttributes(th.thread, tr)
	} else if !finds {
		l.quiets.touchByName(th.thread, tr)
	}
	if v, err := l.enterTrustedPool(th, tr); err != nil || v == scheduler.Stay {
		return err
	}
	return l.advance(th.thread, tr, 0)
}

// touchByName records what the function at whose entry a thread stands is known
// to touch.
func (u *quiets) touchByName(th *thread, tr *trace.Transition) {
	switch th.role {
	case profile.StdioInput:
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, inputWord, 8, trace.Write|trace.Library)
		u.texts.touchStream(th, tr)
	case profile.Stdio:
		u.texts.touchStream(th, tr)
	case profile.UnwindFind:
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, tablesWord, 8, trace.Library)
	case profile.UnwindTables:
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, tablesWord, 8, trace.Write|trace.Library)
	case profile.KeyCreate, profile.KeyDelete:
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, keysWord, 8, trace.Write|trace.Library)
	case profile.Create:
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, th.arg(0), 8, trace.Write)
		u.touchAttributes(th, tr)
	case profile.Malloc, profile.Calloc, profile.Realloc, profile.Free:
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, allocatorWord, 8, trace.Write)
	}
}

// attributes is where those are with which a thread is about to create another, 0 for
// none. Both libraries read them all.
func (u *quiets) attributes(th *thread) uint64 {
	if at := th.arg(1); at != ^uint64(0) && !u.guest.cfg.Tested { // C11's has none
		return at
	}
	return 0
}

const attributesSize = 56

func (u *quiets) touchAttributes(th *thread, tr *trace.Transition) {
	if at := u.attributes(th); at != 0 {
		u.guest.core.Sharing.Touch(th.ID, tr, u.guest.callSite(th)-1, at, attributesSize, 0)
	}
}

// leave ends a quiet function at its return. musl stores a new thread's name after
// the thread may run. So landgo takes the store back and makes it a step, and the
// new thread can come first.
func (u *quiets) leave(th edit, tr *trace.Transition) scheduler.Verdict {
	q := &th.quiet
	if q.insn < tr.Begin { // it began in an earlier step, and unlocks its stream now
		u.texts.touchHeld(th.thread, tr)
	}
	if q.id == 0 || th.Regs.RAX != 0 {
		if q.role == profile.Create && u.guest.libc == elffile.Musl && q.id == 0 && th.Regs.RAX == 0 {
			th.Insns++ // as if the store were a step: a replay may not know that it is one
		}
		th.quiet = quiet{}
		return scheduler.Step
	}
	now := u.guest.machine.Read64(q.id)
	u.guest.machine.Write64(q.id, q.was)
	q.on, q.was = false, now
	th.Stand, th.role, th.phase = scheduler.StandOp, profile.Create, phaseStore
	return scheduler.Stay
}

// allocatorWord stands for all that a student's allocator keeps: what it gives
// out depends on the order of the calls. It lies where Pebbles maps nothing.
const allocatorWord = effect.Allocator

// WordName implements Memory.
func (l *Library) WordName(addr uint64) (string, bool) {
	switch addr {
	case inputWord:
		return "stdin", true
	case keysWord:
		return "the keys of thread-specific data", true
	case tablesWord:
		return "the unwinder's tables", true
	}
	return "", false
}

// inputWord stands for all that can be read: calls that take input are in order
// with each other, whatever their stream. It lies where Linux maps nothing.
const inputWord = effect.Input

// keysWord stands for glibc's table of keys.
const keysWord = inputWord + 8

// tablesWord stands for the list of the unwinder's tables.
const tablesWord = keysWord + 8
