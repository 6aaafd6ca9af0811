package library

import (
	"fmt"
	"math"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

const setRIP = trace.RIP

// threadCalls are the calls on threads: joins, detaching, ends.
type threadCalls struct {
	guest   *guest
	models  *models
	calls   *calls
	cells   *cells
	objects *objectCalls
	yield   func(trace.TID, *trace.Transition) scheduler.Verdict
}

// perform carries out the operations on threads: join, detach, exit,
// yield, sleep.
func (v *threadCalls) perform(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	switch th.role {
	case profile.Join, profile.TryJoin, profile.TimedJoin, profile.ClockJoin:
		return v.join(th, tr)
	case profile.Detach:
		t := v.threadOf(th.arg(0))
		if t == trace.NoThread {
			return v.noThread(th)
		}
		tr.Did(trace.Op{Kind: trace.OpDetach, Obj: uint64(t), PC: v.guest.callSite(th.thread)})
		switch j := &v.models.threads[t]; {
		case j.detached:
			return v.notJoinable(th, t, "detached twice")
		case j.Joined:
			return v.notJoinable(th, t, "detached, but was joined")
		}
		v.models.edit(t).detached = true
		v.guest.ret(th, 0)
	case profile.ThreadExit:
		own := v.runsOwnEnd(th.thread)
		if first := &v.models.threads[0]; th.thread == first || own && !first.Live() {
			v.outlive(own)
		}
		if own {
			th.native, th.Returned = true, th.arg(0)
			return scheduler.Step, nil
		}
		return v.endThread(th, tr, th.arg(0))
	case profile.Yield:
		v.guest.ret(th, 0)
		return v.yield(th.ID, tr), nil
	}
	return scheduler.Pass, nil
}

// EndsAt implements Lives.
func (l *Library) EndsAt(t trace.TID) uint64 {
	if th := &l.threads[t]; !th.native && !l.known.Native {
		return th.exitPC
	}
	return 0
}

// Yield implements Lives: the thread stands at a yield until its next step. With PointMem
// it runs on to its next operation first, for what lies between is private. But a second
// yield with no event in between ends the step, so that a loop that polls private memory
// between yields stops somewhere.
func (l *Library) Yield(t trace.TID, tr *trace.Transition) scheduler.Verdict {
	th := l.edit(t)
	again := false
	for i := range tr.Ops {
		again = again || tr.Ops[i].Kind == trace.OpYield
	}
	th.Yielding = true
	tr.Did(trace.Op{Kind: trace.OpYield, PC: th.Regs.RIP})
	if again || l.core.Coarse() && !l.core.Alone(th.ID) {
		return scheduler.Stay
	}
	return scheduler.Pass
}

// join takes an exited thread's result.
func (v *threadCalls) join(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	t := v.threadOf(th.arg(0))
	switch {
	case t == trace.NoThread:
		return v.noThread(th)
	case v.models.threads[t].detached:
		tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: v.guest.callSite(th.thread)})
		return v.notJoinable(th, t, "joined, but was detached")
	case t == th.ID && th.role != profile.TryJoin:
		v.guest.ret(th, abi.EDEADLK)
		return scheduler.Pass, nil
	}
	if v.models.threads[t].Live() { // pthread_tryjoin_np
		tr.Did(trace.Op{Kind: trace.OpTryJoinFail, Obj: uint64(t), PC: v.guest.callSite(th.thread)})
		return v.calls.refuse(th, tr, abi.EBUSY)
	}
	j := v.models.edit(t)
	if j.Joined {
		// glibc remembers it as long as no other thread has the stack; musl has unmapped that.
		tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: v.guest.callSite(th.thread)})
		if v.guest.libc == elffile.Musl && v.gaveBack(j.thread) {
			return scheduler.Stay, v.calls.meetFault(th.thread, emu.Fault{Kind: emu.FaultRead, Addr: th.arg(0), Size: 4}, "joins a thread that was joined")
		}
		if by := j.waitedFor; by != trace.NoThread && by != th.ID && th.role != profile.TryJoin {
			// Where both wait at once, its end wakes one, and the other waits for ever.
			return v.notJoinable(th, t, "joined by two threads")
		}
		return v.notJoinable(th, t, "joined twice")
	}
	v.guest.core.Join(t, tr)
	if j.waitedFor = trace.NoThread; th.role != profile.TryJoin {
		j.waitedFor = th.ID
	}
	if !j.OwnStack {
		v.unlist(j.Self)
	}
	tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: v.guest.callSite(th.thread)})
	j.Asked = th.arg(1) != 0
	if p := th.arg(1); p != 0 {
		const does = "a join writes its status"
		d := v.calls.door(th.thread, tr)
		if f := v.guest.core.Blocks.DeadAccess(th.ID, v.guest.callSite(th.thread), p, 8, does, false); f != nil {
			d.touch(p, 8, trace.Write)
			th.Insns++
			return scheduler.Stay, v.guest.core.Fail(th.ID, f)
		}
		if v.guest.machine.Prot(p)&emu.ProtWrite == 0 {
			d.touch(p, 8, trace.Write)
			return scheduler.Stay, v.calls.meetFault(th.thread, emu.Fault{Kind: emu.FaultWrite, Addr: p, Size: 8}, does)
		}
		d.write64(p, j.Returned)
	}
	v.guest.ret(th, 0)
	return scheduler.Pass, nil
}

// gaveBack reports whether a thread was joined and the library knows it. It looks in
// the thread's memory, which is the program's where the stack was; musl's first
// thread never gives its own back.
func (v *threadCalls) gaveBack(t *thread) bool {
	return t.Joined && (t.OwnStack || t.Parent == trace.NoThread && v.guest.libc == elffile.Glibc)
}

// notJoinable is the misuse of a thread that can't be joined, nor detached. The
// standard leaves the result open; glibc mostly refuses, musl crashes.
func (v *threadCalls) notJoinable(th edit, t trace.TID, what string) (scheduler.Verdict, error) {
	f := &scheduler.Failure{Kind: trace.LockMisuse, Thread: th.ID, PC: v.guest.callSite(th.thread), Message: fmt.Sprintf("thread %s is %s", v.guest.core.Name(t), what)}
	th.Insns++ // the failure is a place of its own
	return scheduler.Stay, v.guest.core.Fail(th.ID, f)
}

// noThread is a call about a thread that there isn't. The C library looks for it in
// its memory; glibc not at a null pointer.
func (v *threadCalls) noThread(th edit) (scheduler.Verdict, error) {
	if p := th.arg(0); v.guest.machine.Prot(p)&emu.ProtRead == 0 && (p != 0 || v.guest.libc != elffile.Glibc) {
		return scheduler.Stay, v.calls.meetFault(th.thread, emu.Fault{Kind: emu.FaultRead, Addr: p, Size: 4}, "looks for a thread")
	}
	v.guest.ret(th, abi.ESRCH)
	return scheduler.Pass, nil
}

// ownEnds reports whether threads end by the guest's own code: it has destructors to
// run, or has to know which thread is the last.
func (v *threadCalls) ownEnds() bool { return v.cells.destructors.Get() || v.guest.known.Last }

// runsOwnEnd reports whether a thread that stands at its end goes on in the library's own code,
// which runs code of the guest's.
func (v *threadCalls) runsOwnEnd(th *thread) bool {
	return th.native || v.ownEnds() || v.unwindsAtEnd(th)
}

// unwindsAtEnd reports whether the pthread_exit at which a thread stands runs code of
// the guest's: glibc's unwinds the stack, as an exception would.
func (v *threadCalls) unwindsAtEnd(th *thread) bool {
	regs := th.Regs
	return v.guest.libc == elffile.Glibc && v.guest.image.Handles(&regs, v.guest.core.ReadStack)
}

// outlive learns that the process may end with its last thread: the first one ends
// alone, by pthread_exit. The library then calls exit in the thread that it finds to be
// the last. That shows if exit runs code of the guest's, or if the library's own code
// ends that thread. So the library has to count.
func (v *threadCalls) outlive(own bool) {
	if !v.guest.known.Native && !v.guest.known.Last && (own || v.cells.exitHandlers.Get() || v.guest.ownDestructors || v.models.threads[0].atExit) {
		v.guest.known.Last = true
		v.guest.core.Refine()
	}
}

// endThread ends a thread whose start routine returned or that called
// pthread_exit, with no code of the guest's left to run.
func (v *threadCalls) endThread(th edit, tr *trace.Transition, retval uint64) (scheduler.Verdict, error) {
	th.Returned = retval
	if v.ownEnds() && !th.native {
		th.native = true
		return scheduler.Step, nil
	}
	if err := v.objects.leavesWait(th, true); err != nil {
		return scheduler.Stay, err
	}
	if f := v.calls.exitMisuse(th.thread); f != nil {
		return scheduler.Stay, v.guest.core.Fail(th.ID, f)
	}
	if v.atStackEnd(th, retval) {
		return scheduler.Stay, nil
	}
	th.holds, th.role = nil, profile.ThreadExit // for lastToEnd, however it ends
	v.objects.gone(th, tr, false)
	return scheduler.Stay, nil
}

// createsDetached reports whether the pthread_create at which a thread stands makes a
// detached one.
func (v *threadCalls) createsDetached(th *thread) bool {
	return v.createsBy(th, glibcDetached, 24, math.MaxUint32)
}

// Flags of glibc's pthread_attr_t: the thread is detached; there is an address.
const (
	glibcDetached  = 1
	glibcStackAddr = 8
)

// createsBy reports whether the attributes with which a thread is about to create
// another say something: glibc's pthread_attr_t has flags, musl's a field, which is
// these bits of a word.
func (v *threadCalls) createsBy(th *thread, flag uint32, field, bits uint64) bool {
	attr := th.arg(1)
	switch {
	case attr == 0 || attr == ^uint64(0): // C11's
		return false
	case v.guest.libc != elffile.Musl:
		return v.guest.machine.Read32(attr+8)&flag != 0
	}
	return v.guest.machine.Read64(attr+field)&bits != 0
}

// threadOf finds a thread by its pthread_t, which in both libcs is the address
// of its thread control block, the FS base. Where a program gives one stack to one
// thread after the other, or the library does, it is the one that lives, or can still
// be joined.
func (v *threadCalls) threadOf(self uint64) trace.TID {
	found := trace.NoThread
	if self == 0 {
		return found
	}
	for t := range v.guest.core.WithSelf(self) {
		switch {
		case v.models.threads[t].Live():
			return t
		case found == trace.NoThread || v.over(&v.models.threads[found]) || v.models.threads[found].detached:
			found = t
		}
	}
	return found
}

// callersStack reports whether the pthread_create at which a thread stands uses
// a stack of the program's.
func (v *threadCalls) callersStack(th *thread) bool {
	return v.createsBy(th, glibcStackAddr, 16, math.MaxUint64)
}

// atStackEnd makes a thread that is about to end stand before its end, if others
// use its stack. (Where each end is a step, it has stood there.)
func (v *threadCalls) atStackEnd(th edit, retval uint64) bool {
	if th.phase == phaseEnd || v.guest.core.Ends.IsStep(th.ID) || !v.guest.core.EveryOperation() || !v.guest.core.Points.Allowed(th.ID, th.Regs.RIP) {
		return false
	}
	op := v.guest.core.Stacks.StackEnd(th.ID)
	if op.Kind == trace.OpNone {
		return false
	}
	th.pending, th.result = op, retval
	th.Stand, th.role, th.phase = scheduler.StandOp, profile.ThreadExit, phaseEnd
	return true
}

// unlist takes a thread that was joined out of its C library's list of threads, as the
// library's own exit or join would. Its control block is on a stack of the program's, which
// may give that memory back now. The next pthread_create writes to the list's neighbours.
// Where the words aren't a list's nothing is changed.
func (v *threadCalls) unlist(self uint64) {
	var at, next, prev uint64 // of a node: what its pointers point to, and where in it these are
	switch v.guest.libc {
	case elffile.Musl:
		at, next, prev = self, 24, 16
	case elffile.Glibc:
		at, next, prev = self+glibcThreadList, 0, 8
	default:
		return
	}
	word := func(a uint64) uint64 {
		if v.guest.machine.Prot(a)&emu.ProtWrite == 0 || v.guest.machine.Prot(a+7)&emu.ProtWrite == 0 {
			return 0
		}
		return v.guest.machine.Read64(a)
	}
	after, before := word(at+next), word(at+prev)
	if after == 0 || before == 0 || word(after+prev) != at || word(before+next) != at {
		return
	}
	v.guest.machine.Write64(before+next, after)
	v.guest.machine.Write64(after+prev, before)
	// Its remains mustn't depend on the threads that were in the list.
	v.guest.machine.Write64(at+next, at)
	v.guest.machine.Write64(at+prev, at)
}

// glibcThreadList is where struct pthread of glibc has its place in a list.
const glibcThreadList = 0x2c0

// Leave implements Lives.
func (l *objectCalls) Leave(t trace.TID, tr *trace.Transition) (*scheduler.Failure, error) {
	th := l.edit(t)
	if err := l.leavesWait(th, true); err != nil {
		return nil, err
	}
	if f := l.exitMisuse(th.thread); f != nil {
		return f, nil
	}
	th.vanished = true
	l.gone(th, tr, true)
	return nil, nil
}

// gone makes a thread exited. byKernel: its own exit call did it.
func (l *objectCalls) gone(th edit, tr *trace.Transition, byKernel bool) {
	l.leaveOnces(th, tr, ^uint64(0))
	l.core.Ends.Exit(th.ID, tr, byKernel)
}

// over reports whether a thread has been joined.
func (v *threadCalls) over(t *thread) bool { return t.Joined || t.wasJoined }
