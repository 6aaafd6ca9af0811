package library

import (
	"fmt"
	"math"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

const setRIP = emu.SetRIP

// performThread carries out the operations on threads: join, detach, exit,
// yield, sleep.
func (s *Library) performThread(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	switch th.role {
	case profile.Join, profile.TryJoin, profile.TimedJoin, profile.ClockJoin:
		return s.join(th, tr)
	case profile.Detach:
		t := s.threadOf(th.arg(0))
		if t == trace.NoThread {
			return s.noThread(th)
		}
		tr.Did(trace.Op{Kind: trace.OpDetach, Obj: uint64(t), PC: s.callSite(th)})
		switch j := &s.threads[t]; {
		case j.detached:
			return s.notJoinable(th, t, "detached twice")
		case s.gaveBack(j):
			return s.notJoinable(th, t, "detached, but was joined")
		}
		s.core.Save(t)
		s.threads[t].detached = true
		s.ret(th, 0)
	case profile.ThreadExit:
		own := th.native || s.ownEnds() || s.unwindsAtEnd(th)
		if first := &s.threads[0]; th == first || own && !first.Live() {
			s.outlive(own)
		}
		if own {
			th.native, th.Returned = true, th.arg(0)
			return scheduler.Step, nil
		}
		return s.endThread(th, tr, th.arg(0))
	case profile.Yield:
		s.ret(th, 0)
		return s.Yield(th.ID, tr), nil
	}
	return scheduler.Pass, nil
}

// EndsAt implements Lives.
func (s *Library) EndsAt(t trace.TID) uint64 {
	if th := &s.threads[t]; !th.native && !s.known.Native {
		return th.exitPC
	}
	return 0
}

// Yield implements Lives: the thread stands at a yield until its next
// step. With PointMem it runs on to its next operation first, for what lies
// between is private; but a second yield with no event in between ends the
// step, so that a loop that polls private memory between yields comes to stand
// somewhere.
func (s *Library) Yield(t trace.TID, tr *trace.Transition) scheduler.Verdict {
	th := &s.threads[t]
	again := false
	for i := range tr.Ops {
		again = again || tr.Ops[i].Kind == trace.OpYield
	}
	th.Yielding = true
	tr.Did(trace.Op{Kind: trace.OpYield, PC: th.Regs.RIP})
	if again || s.core.Coarse() && !s.core.Alone(th.ID) {
		return scheduler.Stay
	}
	return scheduler.Pass
}

// join takes an exited thread's result.
func (s *Library) join(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	t := s.threadOf(th.arg(0))
	switch {
	case t == trace.NoThread:
		return s.noThread(th)
	case s.threads[t].detached:
		tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: s.callSite(th)})
		return s.notJoinable(th, t, "joined, but was detached")
	case t == th.ID && th.role != profile.TryJoin:
		s.ret(th, edeadlk)
		return scheduler.Pass, nil
	}
	if s.threads[t].Live() { // pthread_tryjoin_np
		tr.Did(trace.Op{Kind: trace.OpTryJoinFail, Obj: uint64(t), PC: s.callSite(th)})
		return s.refuse(th, tr, ebusy)
	}
	j := &s.threads[t]
	if s.gaveBack(j) {
		// glibc remembers it as long as no other thread has the stack; musl has unmapped that.
		tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: s.callSite(th)})
		if by := j.waitedFor; by != trace.NoThread && by != th.ID && th.role != profile.TryJoin && s.libc == elffile.Glibc {
			// Where both wait at once, its end wakes one, and the other waits for ever.
			return s.notJoinable(th, t, "joined by two threads")
		}
		if s.libc == elffile.Musl {
			return scheduler.Stay, s.meetFault(th, emu.Fault{Kind: emu.FaultRead, Addr: th.arg(0), Size: 4}, "joins a thread that was joined")
		}
		s.ret(th, esrch)
		return scheduler.Pass, nil
	}
	s.core.Join(t, tr)
	if j.waitedFor = trace.NoThread; th.role != profile.TryJoin {
		j.waitedFor = th.ID
	}
	if !j.OwnStack {
		s.unlist(j.Self)
	}
	tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: s.callSite(th)})
	j.Asked = th.arg(1) != 0
	if p := th.arg(1); p != 0 {
		const does = "a join writes its status"
		d := s.door(th, tr)
		if f := s.core.Blocks.DeadAccess(th.ID, s.callSite(th), p, 8, does, false); f != nil {
			d.touch(p, 8, trace.Write)
			th.Insns++
			return scheduler.Stay, s.core.Fail(th.ID, f)
		}
		if s.machine.Prot(p)&emu.ProtWrite == 0 {
			d.touch(p, 8, trace.Write)
			return scheduler.Stay, s.meetFault(th, emu.Fault{Kind: emu.FaultWrite, Addr: p, Size: 8}, does)
		}
		d.write64(p, j.Returned)
	}
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// gaveBack reports whether a thread was joined and the library knows it. It looks in
// the thread's memory, which is the program's where the stack was; musl's first
// thread never gives its own back.
func (s *Library) gaveBack(t *thread) bool {
	return t.Joined && (t.OwnStack || t.Parent == trace.NoThread && s.libc == elffile.Glibc)
}

// notJoinable is the misuse of a thread that can't be joined, nor detached. The
// standard leaves open what comes of it; glibc refuses mostly, and musl crashes.
func (s *Library) notJoinable(th *thread, t trace.TID, what string) (scheduler.Verdict, error) {
	f := &scheduler.Failure{Kind: trace.LockMisuse, Thread: th.ID, PC: s.callSite(th), Message: fmt.Sprintf("thread %s is %s", s.core.Name(t), what)}
	th.Insns++ // the failure is a place of its own
	return scheduler.Stay, s.core.Fail(th.ID, f)
}

// noThread is a call about a thread that there isn't. The C library looks for it in
// its memory; glibc not at a null pointer.
func (s *Library) noThread(th *thread) (scheduler.Verdict, error) {
	if p := th.arg(0); s.machine.Prot(p)&emu.ProtRead == 0 && (p != 0 || s.libc != elffile.Glibc) {
		return scheduler.Stay, s.meetFault(th, emu.Fault{Kind: emu.FaultRead, Addr: p, Size: 4}, "looks for a thread")
	}
	s.ret(th, esrch)
	return scheduler.Pass, nil
}

// ownEnds reports whether threads end by the guest's own code: it has destructors to
// run, or has to know which thread is the last.
func (s *Library) ownEnds() bool { return s.destructors.Get() != 0 || s.known.Last }

// unwindsAtEnd reports whether the pthread_exit at which a thread stands runs code of
// the guest's: glibc's unwinds the stack, as an exception would.
func (s *Library) unwindsAtEnd(th *thread) bool {
	return s.libc == elffile.Glibc && s.image.Handles(&th.Regs, s.core.ReadStack)
}

// outlive learns that the process may end with its last thread: the first one ends
// alone, by pthread_exit. The library then calls exit in the thread that it finds to be
// the last, which shows if exit runs code of the guest's, or if the library's own code
// ends that thread. So the library has to count.
func (s *Library) outlive(own bool) {
	if !s.known.Native && !s.known.Last && (own || s.exitHandlers.Get() != 0 || s.ownDestructors || s.threads[0].atExit) {
		s.known.Last = true
		s.core.Refine()
	}
}

// endThread ends a thread whose start routine returned or that called
// pthread_exit, with no code of the guest's left to run.
func (s *Library) endThread(th *thread, tr *trace.Transition, retval uint64) (scheduler.Verdict, error) {
	th.Returned = retval
	if s.ownEnds() && !th.native {
		th.native = true
		return scheduler.Step, nil
	}
	if err := s.leavesWait(th, true); err != nil {
		return scheduler.Stay, err
	}
	if f := s.exitMisuse(th); f != nil {
		return scheduler.Stay, s.core.Fail(th.ID, f)
	}
	if s.atStackEnd(th, retval) {
		return scheduler.Stay, nil
	}
	th.holds, th.role = nil, profile.ThreadExit // for lastToEnd, however it ends
	s.gone(th, tr, false)
	return scheduler.Stay, nil
}

// createsDetached reports whether the pthread_create at which a thread stands makes a
// detached one.
func (s *Library) createsDetached(th *thread) bool {
	return s.createsBy(th, glibcDetached, 24, math.MaxUint32)
}

// Flags of glibc's pthread_attr_t: the thread is detached; there is an address.
const (
	glibcDetached  = 1
	glibcStackAddr = 8
)

// createsBy reports whether the attributes with which a thread is about to create
// another say something: glibc's pthread_attr_t has flags, musl's a field, which is
// these bits of a word.
func (s *Library) createsBy(th *thread, flag uint32, field, bits uint64) bool {
	attr := th.arg(1)
	switch {
	case attr == 0 || attr == ^uint64(0): // C11's
		return false
	case s.libc != elffile.Musl:
		return s.machine.Read32(attr+8)&flag != 0
	}
	return s.machine.Read64(attr+field)&bits != 0
}

// threadOf finds a thread by its pthread_t, which in both libcs is the address
// of its thread control block, the FS base. Where a program gives one stack to one
// thread after the other, or the library does, it is the one that lives, or can still
// be joined.
func (s *Library) threadOf(self uint64) trace.TID {
	found := trace.NoThread
	for i := range s.threads {
		th := &s.threads[i]
		switch {
		case !s.threads[i].Exists || th.Self != self || self == 0:
		case th.Live():
			return th.ID
		case found == trace.NoThread || s.threads[found].Joined || s.threads[found].detached:
			found = th.ID
		}
	}
	return found
}

// callersStack reports whether the pthread_create at which a thread stands uses
// a stack of the program's.
func (s *Library) callersStack(th *thread) bool {
	return s.createsBy(th, glibcStackAddr, 16, math.MaxUint64)
}

// atStackEnd makes a thread that is about to end stand before its end, if others
// use its stack. (Where each end is a step, it has stood there.)
func (s *Library) atStackEnd(th *thread, retval uint64) bool {
	if th.phase == phaseEnd || s.core.Ends.IsStep(th.ID) || !s.core.EveryOperation() || !s.core.Points.Allowed(th.ID, th.Regs.RIP) {
		return false
	}
	op := s.core.Stacks.StackEnd(th.ID)
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
func (s *Library) unlist(self uint64) {
	var at, next, prev uint64 // of a node: what its pointers point to, and where in it these are
	switch s.libc {
	case elffile.Musl:
		at, next, prev = self, 24, 16
	case elffile.Glibc:
		at, next, prev = self+glibcThreadList, 0, 8
	default:
		return
	}
	word := func(a uint64) uint64 {
		if s.machine.Prot(a)&emu.ProtWrite == 0 || s.machine.Prot(a+7)&emu.ProtWrite == 0 {
			return 0
		}
		return s.machine.Read64(a)
	}
	after, before := word(at+next), word(at+prev)
	if after == 0 || before == 0 || word(after+prev) != at || word(before+next) != at {
		return
	}
	s.machine.Write64(before+next, after)
	s.machine.Write64(after+prev, before)
	// What is left in it mustn't depend on the threads that were in the list.
	s.machine.Write64(at+next, at)
	s.machine.Write64(at+prev, at)
}

// glibcThreadList is where struct pthread of glibc has its place in a list.
const glibcThreadList = 0x2c0
