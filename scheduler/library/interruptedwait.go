package library

import (
	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// A signal may come while a thread waits in a trusted function. Where the thread
// has only asked so far (for a mutex, a thread's end), it asks again after the
// handler: its registers are those of the function's entry. Elsewhere
// it is further than that: in a condition variable's queue, at a barrier, asleep at a
// semaphore. landgo keeps how far it is while the handler runs, and the thread stands
// there again after it:
//
//   - a wait on a condition variable or at a barrier goes on: the thread that signals it
//     meanwhile has signalled it. The thread sees so when it comes back, and not
//     before, so its handler is in no order with the signal;
//   - one at a read-write lock that prefers writers tries again;
//   - sem_wait, asleep, returns EINTR, or asks again if the handler was installed
//     with SA_RESTART. With a deadline it returns EINTR in any case (glibc; musl
//     only if some handler has no SA_RESTART).
//
// That a thread was woken at a semaphore, but another took the count away first,
// needs no state of its own: it is as if it hadn't slept yet.

// held is how far a thread was when a signal came.
type held struct {
	frame uint64 // the stack pointer at the handler's entry
	pc    uint64
	sp    uint64
	eintr bool     // a semaphore's wait, or a sleep, that ends with EINTR
	nap   trace.Op // the sleep, if its Kind isn't 0

	role     profile.Role
	phase    phase
	args     [4]uint64
	timed    bool
	deadline uint64
	badTime  bool
	result   uint64
	mutex    uint64
	released bool
	pending  trace.Op
	quiet    quiet
	given    *heap.Block
}

// signaller is a kernel with signal handlers.
type signaller interface {
	// Restarts reports whether a signal's handler has calls start again.
	Restarts(sig uint64) bool
	// OnSignalStack reports whether an address is on the stack that a thread has
	// for its handlers.
	OnSignalStack(t trace.TID, sp uint64) bool
}

// Interrupted implements scheduler.Signals.
func (l *objectCalls) Interrupted(t trace.TID, sig, frame uint64, nap trace.Op) []trace.Op {
	th := l.edit(t)
	h, holds := held{frame: frame, pc: th.Regs.RIP, sp: th.Regs.RSP, eintr: true, nap: nap}, true
	var sent []trace.Op
	switch {
	case nap.Kind != trace.OpNone:
	case th.quiet.on && th.Stand != scheduler.StandOp && th.alloc == nil && !th.Starting:
		holds = false
		l.InCall(t, frame, th.Regs.RIP, th.Regs.RSP)
	case th.Stand == scheduler.StandTrap:
		holds = false
	default:
		h, sent, holds = l.hold(th.thread, sig, frame)
	}
	if th.phase = phaseEntry; holds {
		th.held = append(th.held[:len(th.held):len(th.held)], h)
	}
	return sent
}

// hold is the state to keep of a thread that a signal interrupts, if any, and the operations on
// which that depends.
func (l *objectCalls) hold(th *thread, sig, frame uint64) (h held, sent []trace.Op, holds bool) {
	if th.Stand != scheduler.StandOp || th.phase == phaseEntry {
		return h, nil, false
	}
	h = held{
		frame: frame, pc: th.Regs.RIP, sp: th.Regs.RSP,
		role: th.role, phase: th.phase, args: th.args, timed: th.timed, deadline: th.deadline, badTime: th.badTime,
		result: th.result, mutex: th.mutex, released: th.released, pending: th.pending, quiet: th.quiet, given: th.given,
	}
	if th.phase != phaseSleeps {
		return h, nil, true
	}
	o := l.objectOf(th.arg(0), kindSem)
	h.eintr = l.endsSleep(th, &o, sig)
	return h, l.looksAtSleeper(&o), h.eintr
}

// InCall implements scheduler.Signals. A function that the guest's own code carries out is kept, for
// the signal reaches it there: what the handler does is the program's. It may jump out of a stream's
// function, and leaves the stream locked then.
func (l *objectCalls) InCall(t trace.TID, frame, pc, sp uint64) {
	th := l.edit(t)
	if !th.quiet.on {
		return
	}
	h := held{frame: frame, pc: pc, sp: sp, eintr: th.quiet.role != profile.Create, role: th.quiet.role, args: th.args, quiet: th.quiet}
	th.held = append(th.held[:len(th.held):len(th.held)], h)
	th.quiet = quiet{}
}

// endsSleep reports whether a signal ends a wait for a semaphore at which a thread
// sleeps. A thread that has been woken already doesn't sleep: there is one for
// each count, and any of the sleepers may not be among them.
func (l *objectCalls) endsSleep(th *thread, o *object, sig uint64) bool {
	if o.value > 0 && o.value >= l.sleepers(o) {
		return false
	}
	k, ok := l.kernel.(signaller)
	switch {
	case !ok || !k.Restarts(sig):
		return true
	case !th.timed:
		return false
	}
	if flag, ok := l.image.Symbol("__eintr_valid_flag"); ok && l.libc == elffile.Musl {
		return l.machine.Read32(flag.Addr) != 0
	}
	return true
}

// looksAtSleeper lists the operations on which the step under way depends. It sends a signal, and
// depends on operations on the semaphore at which its target sleeps. Where the count isn't 0, the
// other threads that sleep there matter too.
func (l *objectCalls) looksAtSleeper(o *object) []trace.Op {
	list := []trace.Op{{Kind: trace.OpSemTryWaitFail, Obj: o.addr, Size: l.sizes[kindSem]}}
	if o.value > 0 {
		list = append(list, trace.Op{Kind: trace.OpSyscall, Obj: o.addr, Arg: 1})
	}
	return list
}

// sleepers is the number of threads that are asleep at a semaphore.
func (l *objectCalls) sleepers(o *object) (n uint64) {
	for i := range l.threads {
		th := &l.threads[i]
		if l.threads[i].Exists && th.Stand == scheduler.StandOp && th.phase == phaseSleeps && th.arg(0) == o.addr {
			n++
		}
	}
	return n
}

// sleeps reports whether a wait for a semaphore is two steps. One falls asleep
// where the count is 0, so that a signal comes before it or after it. The other is
// the wait.
func (l *objectCalls) sleeps(th *thread) bool {
	return (len(l.known.Signalled) > 0 || l.sleepy || l.cfg.Faults[trace.FaultEINTR] > 0) && acts[th.role].op == trace.OpSemWait && !th.quiet.on && !l.cfg.Tested
}

// Expect implements Lives.
func (l *objectCalls) Expect() { l.sleepy = true }

// CatchUp implements Lives.
func (l *objectCalls) CatchUp() bool {
	if l.sleepy || len(l.known.Signalled) > 0 || l.cfg.Faults[trace.FaultEINTR] > 0 {
		return false
	}
	for i := range l.threads {
		th := &l.threads[i]
		if l.threads[i].Exists && th.Stand == scheduler.StandOp && th.phase == phaseEntry && acts[th.role].op == trace.OpSemWait && l.objectOf(th.arg(0), kindSem).value == 0 {
			return true
		}
	}
	return false
}

// fallAsleep ends the first of the two.
func (l *objectCalls) fallAsleep(th edit, tr *trace.Transition, o *object) (scheduler.Verdict, error) {
	l.did(th.thread, tr, trace.OpSemTryWaitFail, o, 0)
	th.Insns++
	th.Effects++ // it is another state than before, and no turn of a loop
	th.Stand, th.phase = scheduler.StandOp, phaseSleeps
	return scheduler.Stay, nil
}

// ComesBack implements scheduler.Signals: what becomes of the wait begins a step.
func (l *objectCalls) ComesBack(t trace.TID, call string) bool {
	return len(l.threads[t].held) > 0 && call == "rt_sigreturn"
}

// ComeBack implements scheduler.Signals. A handler that comes at once, of a signal that the first
// one kept blocked, interrupts the same wait.
func (l *objectCalls) ComeBack(t trace.TID, tr *trace.Transition, frame, next uint64) bool {
	l.begins = true
	defer func() { l.begins = false }()
	th := l.edit(t)
	n := len(th.held)
	for n > 0 && th.held[n-1].frame != frame {
		n--
	}
	if n == 0 {
		return false
	}
	h := th.held[n-1]
	th.held = th.held[: n-1 : n-1]
	if next != 0 {
		// That the first one hasn't changed where it returns to is seen at its return.
		h.frame = next
		th.held = append(th.held, h)
		return false
	}
	begun := h.quiet.on && h.phase == phaseEntry && th.Regs.RIP-h.pc+abi.SyscallSize <= 2*abi.SyscallSize // a call, over or again
	if h.pc != th.Regs.RIP && !begun || h.sp != th.Regs.RSP {
		return false // the handler has changed where it returns to
	}
	if h.nap.Kind != trace.OpNone {
		l.core.Naps.EndNap(t, tr, h.nap)
		return false
	}
	if h.phase == phaseEntry { // it was in a call, and didn't wait
		th.role, th.args, th.quiet = h.role, h.args, h.quiet
		return false
	}
	th.role, th.args = h.role, h.args
	if h.eintr {
		th.phase, th.timed = phaseEntry, false
		l.setErrno(th.thread, tr, abi.EINTR)
		l.ret(th, ^uint64(0))
		return false
	}
	th.goOnWaiting(&h)
	if k := acts[th.role].kind; onObject(th.role) {
		// It was signalled before. The object's memory may serve something else by now.
		tr.Did(trace.Op{Kind: looks[k], Obj: th.arg(0), Size: l.sizes[k], PC: l.callSite(th.thread)})
	}
	return true
}

// goOnWaiting has a thread stand in the wait that a signal interrupted.
func (t edit) goOnWaiting(h *held) {
	t.role, t.args = h.role, h.args
	t.phase, t.timed, t.deadline, t.badTime = h.phase, h.timed, h.deadline, h.badTime
	t.result, t.mutex, t.released, t.pending, t.quiet, t.given = h.result, h.mutex, h.released, h.pending, h.quiet, h.given
	if t.Stand = scheduler.StandOp; t.phase == phaseAsleep {
		t.phase = phaseAgain // perhaps it could have been woken
	}
}

// Own implements scheduler.Signals: cancellation, and changes of user ids. Where threads may be cancelled
// anywhere, cancellation is told by what the thread has done until then, as any signal.
func (l *objectCalls) Own(signal uint64) bool {
	return kernel.IsLibrarys(l.libc, signal) && !l.anywhere
}

// wakeHeld signals a thread that waits on a condition variable, and is in a handler
// that interrupted the wait. It reports whether there is such a wait.
func (l *objectCalls) wakeHeld(th edit, cond uint64) bool {
	for i := len(th.held) - 1; i >= 0; i-- {
		if h := th.held[i]; h.phase == phaseQueued && h.args[0] == cond {
			h.phase, h.timed = phaseReacquire, false
			th.held = append([]held(nil), th.held...)
			th.held[i] = h
			return true
		}
	}
	return false
}

// releaseHeld lets a thread leave a barrier that it waits at, if it is in a handler that
// interrupted the wait. It reports whether it is.
func (l *objectCalls) releaseHeld(t trace.TID, barrier uint64) bool {
	th := &l.threads[t]
	if th.Stand == scheduler.StandOp && th.phase == phaseLeave && th.arg(0) == barrier {
		return false
	}
	for i := len(th.held) - 1; i >= 0; i-- {
		if h := th.held[i]; h.phase == phaseLeave && h.args[0] == barrier && !h.released {
			h.released = true
			e := l.edit(t)
			e.held = append([]held(nil), th.held...)
			e.held[i] = h
			return true
		}
	}
	return false
}

// leavesWait looks at the waits of a thread whose handlers are left by a jump, or
// by the thread's end. The library's state then isn't modelled.
func (l *objectCalls) leavesWait(th edit, ends bool) error {
	k, _ := l.kernel.(signaller)
	for n := len(th.held); n > 0; n-- {
		h := &th.held[n-1]
		sp := th.Regs.RSP
		if !ends && (sp < h.sp || k == nil || k.OnSignalStack(th.ID, sp) != k.OnSignalStack(th.ID, h.sp)) {
			return nil
		}
		if !h.eintr {
			how := map[bool]string{true: "ends its thread", false: "jumps out of the wait"}[ends]
			return l.core.Invalid(kernel.GapCall, th.ID, th.Regs.RIP, "a signal handler that interrupts a thread that %s, and %s, isn't modelled", acts[h.role].does(), how)
		}
		th.held = th.held[: n-1 : n-1]
	}
	return nil
}
