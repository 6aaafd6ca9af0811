package library

import (
	"fmt"
	"strings"

	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// endings are the functions that end the process, and what was registered for its end.
type endings struct {
	guest  *guest
	models *models
	cells  *cells
	quiets *quiets
	lives  *threadCalls
	texts  *textCalls
}

// at makes a thread stand before the guest's end.
func (e *endings) at(th edit) (scheduler.Verdict, error) {
	pc := e.guest.callSite(th.thread)
	switch th.role {
	case profile.ProcessExit, profile.QuickExit:
		if e.guest.cfg.Tested || e.cells.exitHandlers.Get() || e.guest.ownDestructors || th.atExit || th.role == profile.ProcessExit && e.texts.writesAtEnd() {
			e.guest.machine.PutFlag(&e.models.exiting, true)
			th.role = profile.NoRole // its stores are its own code's, and the handlers'
			return scheduler.Step, nil
		}
		if int32(th.arg(0)) != 0 {
			return e.quiets.enter(th, false) // a bug: its output is wanted, so buffers are flushed
		}
		th.Stand, th.phase = scheduler.StandOp, phaseEntry
		return scheduler.Stay, nil
	case profile.AssertFail:
		return scheduler.Stay, e.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: e.assertMessage(th.thread)})
	case profile.Panic:
		return scheduler.Stay, e.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: "panic: " + strings.TrimRight(e.format(th.thread, e.formatPlace(th.thread)), "\n")})
	case profile.TestReport:
		if int32(th.arg(0)) == 0 {
			return scheduler.Step, nil
		}
		return scheduler.Stay, e.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: "the test reports failure"})
	}
	if b := e.guest.roles[th.Regs.RIP]; b.Own {
		return scheduler.Stay, e.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: b.Name + " was called"})
	}
	if e.handlesAbort() {
		return scheduler.Step, nil
	}
	f := e.guest.core.Panics.Panic(th.ID)
	if f == nil {
		f = e.terminated(th.thread)
	}
	if f != nil {
		return scheduler.Stay, e.guest.core.Fail(th.ID, f)
	}
	return scheduler.Stay, e.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: "abort() was called"})
}

// endsProcess reports whether a function with this role ends the process well.
func endsProcess(r profile.Role) bool {
	return r == profile.ProcessExit || r == profile.QuickExit
}

// formatPlace is the place of the format among a panic function's arguments, from
// 0: what it formats comes right behind it.
func (e *endings) formatPlace(th *thread) int {
	if places := e.guest.roles[th.Regs.RIP].Args; places != nil {
		return places[0] - 1
	}
	return 0
}

// assertMessage renders the arguments of __assert_fail.
func (e *endings) assertMessage(th *thread) string {
	return fmt.Sprintf("assertion failed: %s", e.guest.str(th.arg(0)))
}

// handlesAbort reports whether the guest has a handler for SIGABRT, so that
// abort has to be carried out by its own code.
func (e *endings) handlesAbort() bool {
	k, ok := e.guest.kernel.(interface{ Handles(signal int) bool })
	return ok && k.Handles(6)
}

// format renders the message of a function like panic(format, ...), at whose
// entry a thread stands: argument first is the format.
func (e *endings) format(th *thread, first int) string {
	return scheduler.Formatted(e.guest.wordSize, e.guest.str, func() uint64 {
		first++
		return e.guest.vararg(th, first-1)
	})
}

// note remembers a call that changes how threads or the process must end.
// Thread-specific destructors and clean-up handlers are the guest's own code, so
// the runtime's real exit has to run them.
func (e *endings) note(th edit) {
	switch th.role {
	case profile.Unwinds:
		e.guest.core.Panics.Panics(th.ID)
	case profile.KeyCreate:
		if th.arg(1) != 0 {
			e.guest.machine.PutFlag(&e.cells.destructors, true)
		}
	case profile.CleanupPush:
		th.native = true
	case profile.ThreadAtExit: // a thread_local object of C++ has been made
		th.native, th.atExit = true, true
	case profile.LoadFile:
		e.noteLoad(th.thread)
	case profile.AtExit:
		// glibc's start-up registers what runs the destructors of fini_array.
		// So does the dynamic linker for all files, see hasDestructors.
		if f, ok := e.guest.image.SymbolAt(th.arg(0)); (!ok || f.Name != "call_fini") && !e.guest.linkersOwn(th.arg(0)) {
			e.guest.machine.PutFlag(&e.cells.exitHandlers, true)
			if !e.models.threads[0].Live() {
				e.lives.outlive(false)
			}
		}
	}
}

// hasDestructors reports whether the program has destructors of its own: more
// in fini_array than the one that the compiler's start files put there.
func hasDestructors(img *image.Image) bool {
	for i, p := range img.Parts {
		if p.Dynamic.Finish > 8 && (i == 0 || !img.OfRuntime(p.Base)) {
			return true
		}
	}
	from, ok1 := img.Symbol("__fini_array_start")
	to, ok2 := img.Symbol("__fini_array_end")
	return ok1 && ok2 && to.Addr-from.Addr > 8
}

// linkersOwn reports whether a function is the dynamic linker's.
func (l *guest) linkersOwn(addr uint64) bool {
	p := l.image.Interpreter()
	return p != nil && l.image.PartAt(addr) == p && l.libc == elffile.Glibc
}
