package library

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// glibc's work for objects of a thread (thread_local of C++, std's of Rust) and for keys, and
// the rest of a thread behind their destructors. Other threads can tell little of it, and three
// rules leave out the rest:
//
//   - A key is made or deleted in one step, and such steps have an order: the next key's number
//     depends on it. glibc does each by one exchange of the key's word. What it stores besides
//     only those read that have the key, and nothing has it before the call returns. glibc looks
//     for a free word from the first one on, and by the time that it takes one, two others may
//     have become free that it passed. So after a second deletion it makes keys by its own code.
//   - Registering a destructor is one piece. It puts a node into the thread's own list. It looks
//     the destructor's file up, under the dynamic linker's lock, which it needs against files that
//     come and go. In a program that loads none (loads) the list of files stays, so the order
//     of two such sections makes no difference, and the lock is passed over.
//   - A thread that ran its destructors is over where glibc counts it out (findOver), as one is
//     without destructors where its start routine returns. Where the count is used, for the last
//     thread of a process calls exit (known.Last), and where others see the thread end, glibc's
//     own code goes on.
//
// Code outside of such calls may use the same memory. Then a call's accesses to it are recorded,
// and make the call a step of its own (ownstep.go).

// registers takes note of a call that makes a key, registers a destructor or changes the unwinder's
// tables, and reports whether the call runs as one piece. Any other does.
func (e *endings) registers(th edit) bool {
	switch th.role {
	case profile.KeyCreate, profile.ThreadAtExit:
		e.note(th)
	case profile.KeyDelete:
		e.deletesKey(th.thread)
	case profile.UnwindLink:
		return !e.guest.loads() // else another thread may hold the dynamic linker's lock
	case profile.UnwindTables:
		e.changesTables(th.thread)
		return true
	default:
		return true
	}
	return e.guest.libc == elffile.Glibc && (th.role != profile.KeyCreate || !e.guest.known.KeysGo) && (th.role != profile.ThreadAtExit || !e.guest.loads() && !e.guest.known.Native)
}

// deletesKey counts the keys that are deleted while other threads live.
func (e *endings) deletesKey(th *thread) {
	switch {
	case e.guest.known.KeysGo || e.guest.core.Alone(th.ID):
	case !e.cells.keysGone.Get():
		e.guest.machine.PutFlag(&e.cells.keysGone, true)
	default:
		e.guest.known.KeysGo = true
		e.guest.core.Refine()
	}
}

// changesTables learns that the unwinder's tables change while others may search them.
func (e *endings) changesTables(th *thread) {
	if !e.guest.known.Tables && !e.guest.core.Alone(th.ID) {
		e.guest.known.Tables = true
		e.guest.core.Refine()
	}
}

// passesLock reports whether a thread is at a lock of the dynamic linker's. There it looks a file
// up for a destructor, or sees which files have variables of a thread that it creates. Files that
// glibc loads for itself have none.
// A program's own allocator, called from there, locks and unlocks mutexes of its own.
func (l *Library) passesLock(th *thread, r profile.Role) bool {
	if !th.quiet.on || r != profile.MutexLock && r != profile.MutexUnlock || !l.ofLinker(th.arg(0)) {
		return false
	}
	return th.quiet.role == profile.ThreadAtExit || th.quiet.role == profile.Create && l.libc == elffile.Glibc && !l.loads()
}

// ofLinker reports whether a mutex is the dynamic linker's; in a static program glibc has its
// variables.
func (l *guest) ofLinker(mutex uint64) bool {
	if linker := l.image.Interpreter(); linker != nil {
		return l.image.PartAt(mutex) == linker
	}
	v, ok := l.image.ObjectAt(mutex)
	return ok && strings.HasPrefix(v.Name, "_dl_load_")
}

// loads reports whether the program may load files while other threads live, or give them back.
func (l *guest) loads() bool { return l.mayLoad || l.known.Loads }

// mayLoad reports whether a program with a dynamic linker has a way to that. It may reach an
// older version of these functions, which the symbols don't name, so a call isn't waited for.
// Every static program has them since glibc 2.34, and hardly one calls them: see noteLoad.
func mayLoad(img *image.Image) bool {
	return img.Interpreter() != nil && img.Refers("dlopen", "dlmopen", "dlclose")
}

// noteLoad learns that a static program loads a file, or gives one back, while others live.
func (e *endings) noteLoad(th *thread) {
	if !e.guest.loads() && !e.guest.core.Alone(th.ID) {
		e.guest.known.Loads = true
		e.guest.core.Refine()
	}
}

// overReach bounds the instructions that findOver looks at.
const overReach = 256

// findOver looks for the place behind a start routine's return where glibc counts the thread
// out: a locked instruction on __nptl_nthreads.
func (l *guest) findOver(from uint64) {
	count, ok := l.image.Symbol("__nptl_nthreads")
	if l.overSought[from] || !ok || l.libc != elffile.Glibc || l.wordSize != 8 || l.cfg.Tested {
		return
	}
	l.overSought[from] = true
	pc := from
	for range overReach {
		inst, _, err := x86.Decode(l.image.Bytes(pc, x86.MaxInst), l.image.Machine)
		if err != nil {
			return
		}
		next := pc + uint64(inst.Len)
		if m, ok := inst.Args[0].(x86asm.Mem); ok && (inst.Op == x86asm.DEC || inst.Op == x86asm.SUB) {
			to := uint64(m.Disp)
			if m.Base == x86asm.RIP {
				to += next
			}
			if to == count.Addr {
				l.breakAt(pc, breakOver)
				return
			}
		}
		if to, ok := inst.Args[0].(x86asm.Rel); ok && inst.Op == x86asm.JMP { // the start routine may be called aside
			next += uint64(int64(to))
		}
		pc = next
	}
}

// atOver ends a thread that glibc is about to count out.
func (l *Library) atOver(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if !th.native || th.trusted() || l.known.Native || l.known.Last || l.endsCache != 0 ||
		l.core.Ends.IsStep(th.ID) || l.core.Stacks.StackEnd(th.ID).Kind != trace.OpNone {
		return scheduler.Step, nil
	}
	return l.lives.endThread(th, tr, th.Returned)
}
