package scheduler

import (
	"fmt"
	"math"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/trace"
)

const setRIP = emu.SetRIP

// performThread carries out the operations on threads: join, detach, exit,
// yield, sleep.
func (s *library) performThread(th *thread, tr *trace.Transition) (verdict, error) {
	switch th.role {
	case image.Join, image.TryJoin, image.TimedJoin, image.ClockJoin:
		return s.join(th, tr)
	case image.Detach:
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
		s.save(t)
		s.threads[t].detached = true
		s.ret(th, 0)
	case image.ThreadExit:
		s.outlive(th)
		if th.native || s.ownEnds() {
			th.native, th.retval = true, th.arg(0)
			return step, nil
		}
		return s.endThread(th, tr, th.arg(0))
	case image.Yield:
		s.ret(th, 0)
		return s.yield(th, tr), nil
	}
	return pass, nil
}

// yield is a voluntary switch: the thread stands at a yield until its next
// step. With PointMem it runs on to its next operation first, for what lies
// between is private; but a second yield with no event in between ends the
// step, so that a loop that polls private memory between yields comes to stand
// somewhere.
func (s *library) yield(th *thread, tr *trace.Transition) verdict {
	again := false
	for i := range tr.Ops {
		again = again || tr.Ops[i].Kind == trace.OpYield
	}
	th.Yielding = true
	tr.Did(trace.Op{Kind: trace.OpYield, PC: th.Regs.RIP})
	if again || s.coarse() && !s.alone(th) {
		return stay
	}
	return pass
}

// join takes an exited thread's result.
func (s *library) join(th *thread, tr *trace.Transition) (verdict, error) {
	t := s.threadOf(th.arg(0))
	switch {
	case t == trace.NoThread:
		return s.noThread(th)
	case s.threads[t].detached:
		tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: s.callSite(th)})
		return s.notJoinable(th, t, "joined, but was detached")
	case t == th.ID && th.role != image.TryJoin:
		s.ret(th, edeadlk)
		return pass, nil
	}
	if s.threads[t].Live() { // pthread_tryjoin_np
		tr.Did(trace.Op{Kind: trace.OpTryJoinFail, Obj: uint64(t), PC: s.callSite(th)})
		return s.refuse(th, tr, ebusy)
	}
	j := &s.threads[t]
	if s.gaveBack(j) {
		// glibc remembers it as long as no other thread has the stack; musl has unmapped that.
		tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: s.callSite(th)})
		if s.libc == image.Musl {
			return stay, s.meetFault(th, emu.Fault{Kind: emu.FaultRead, Addr: th.arg(0), Size: 4}, "joins a thread that was joined")
		}
		s.ret(th, esrch)
		return pass, nil
	}
	s.save(t)
	j.joined, j.joinedAt = true, s.moment(tr, len(tr.Accesses))
	if !j.ownStack {
		s.unlist(j.self)
	}
	tr.Did(trace.Op{Kind: acts[th.role].op, Obj: uint64(t), PC: s.callSite(th)})
	if p := th.arg(1); p != 0 {
		const does = "a join writes its status"
		d := s.door(th, tr)
		if f := s.deadAccess(th, s.callSite(th), p, 8, does); f != nil {
			d.touch(p, 8, trace.Write)
			th.Insns++
			return stay, s.fail(th, f)
		}
		if s.machine.Prot(p)&emu.ProtWrite == 0 {
			d.touch(p, 8, trace.Write)
			return stay, s.meetFault(th, emu.Fault{Kind: emu.FaultWrite, Addr: p, Size: 8}, does)
		}
		d.write64(p, j.retval)
	}
	s.ret(th, 0)
	return pass, nil
}

// gaveBack reports whether a thread was joined and the library knows it. It looks in
// the thread's memory, which is the program's where the stack was; musl's first
// thread never gives its own back.
func (s *library) gaveBack(t *thread) bool {
	return t.joined && (t.ownStack || t.Parent == trace.NoThread && s.libc == image.Glibc)
}

// notJoinable is the misuse of a thread that can't be joined, nor detached. The
// standard leaves open what comes of it; glibc refuses mostly, and musl crashes.
func (s *library) notJoinable(th *thread, t trace.TID, what string) (verdict, error) {
	f := &Failure{Kind: trace.LockMisuse, Thread: th.ID, PC: s.callSite(th), Message: fmt.Sprintf("thread %s is %s", s.Name(t), what)}
	th.Insns++ // the failure is a place of its own
	return stay, s.fail(th, f)
}

// noThread is a call about a thread that there isn't. The C library looks for it in
// its memory; glibc not at a null pointer.
func (s *library) noThread(th *thread) (verdict, error) {
	if p := th.arg(0); s.machine.Prot(p)&emu.ProtRead == 0 && (p != 0 || s.libc != image.Glibc) {
		return stay, s.meetFault(th, emu.Fault{Kind: emu.FaultRead, Addr: p, Size: 4}, "looks for a thread")
	}
	s.ret(th, esrch)
	return pass, nil
}

// exitIsStep reports whether a thread's end is a step of its own. It orders what
// the thread did before what comes after its join, and races with nothing, so
// it may be part of the thread's last step; unless others try to join it, and
// see that it still lives after it did all else, or send it a signal then. The
// first who does has the search start again.
func (s *library) exitIsStep(th *thread) bool {
	return !s.alone(th) && (s.known.Exits || s.known.Signalled[uint64(th.ID)] || s.lifeIsShared(th.ID) || s.readsEnd(th))
}

// endTeller is a kernel that writes to the guest's memory when a thread ends.
type endTeller interface {
	// EndWord is where it does for a thread whose end landgo carries out, 0 for
	// nowhere. It writes 4 bytes.
	EndWord(t trace.TID) uint64
}

// endWord is where the end of a thread shows in memory (glibc's thread id in the
// control block, which pthread_kill looks at), or 0.
func (s *library) endWord(th *thread) uint64 {
	if k, ok := s.kernel.(endTeller); ok {
		return k.EndWord(th.ID)
	}
	return 0
}

// readsEnd reports whether others look where the end of a thread shows.
func (s *library) readsEnd(th *thread) bool {
	at := s.endWord(th)
	if at == 0 || !s.everyOperation() {
		return false
	}
	shared, learned := s.machine.Touch(th.ID, at, 4)
	s.finer = s.finer || learned
	return shared
}

// ownEnds reports whether threads end by the guest's own code: it has destructors to
// run, or has to know which thread is the last.
func (s *library) ownEnds() bool { return s.destructors.Get() != 0 || s.known.Last }

// outlive learns that the process may end with its last thread: the first one ends
// alone, by pthread_exit. The library then calls exit in the thread that it finds to be
// the last, which shows if exit runs code of the guest's. So the library has to count.
func (s *library) outlive(th *thread) {
	if th.ID == 0 && !s.known.Native && !s.known.Last && (s.exitHandlers.Get() != 0 || s.ownDestructors || th.atExit) {
		s.known.Last, s.finer = true, true
	}
}

// seeLife learns that threads look whether others live, from the call at which
// one stands.
func (s *library) seeLife() {
	if !s.known.Exits {
		s.known.Exits, s.finer = true, true
	}
}

// endThread ends a thread whose start routine returned or that called
// pthread_exit, with no code of the guest's left to run.
func (s *library) endThread(th *thread, tr *trace.Transition, retval uint64) (verdict, error) {
	th.retval = retval
	if s.ownEnds() && !th.native {
		th.native = true
		return step, nil
	}
	if err := s.leavesWait(th, true); err != nil {
		return stay, err
	}
	if f := s.exitMisuse(th); f != nil {
		return stay, s.fail(th, f)
	}
	if s.atStackEnd(th, retval) {
		return stay, nil
	}
	th.holds = nil
	s.gone(th, tr, false)
	return stay, nil
}

// leaver is a kernel that wants to know of threads whose end landgo carries out.
type leaver interface{ Leave(trace.TID) }

// gone makes a thread exited. byKernel: its own exit call did it.
func (s *library) gone(th *thread, tr *trace.Transition, byKernel bool) {
	s.leaveOnces(th, tr, ^uint64(0))
	th.Stand = StandExited
	th.Yielding = false
	s.bury(th, tr)
	if k, ok := s.kernel.(leaver); ok && !byKernel {
		if at := s.endWord(th); at != 0 {
			s.touch(th, tr, th.Regs.RIP, at, 4, trace.Write|trace.Atomic)
		}
		k.Leave(th.ID)
		s.takeTouched(th, tr, th.Regs.RIP)
	}
	tr.End = trace.EndThread
	tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(th.ID), PC: th.Regs.RIP})
}

// createsDetached reports whether the pthread_create at which a thread stands makes a
// detached one.
func (s *library) createsDetached(th *thread) bool {
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
func (s *library) createsBy(th *thread, flag uint32, field, bits uint64) bool {
	attr := th.arg(1)
	switch {
	case attr == 0 || attr == ^uint64(0): // C11's
		return false
	case s.libc != image.Musl:
		return s.machine.Read32(attr+8)&flag != 0
	}
	return s.machine.Read64(attr+field)&bits != 0
}

// threadOf finds a thread by its pthread_t, which in both libcs is the address
// of its thread control block, the FS base. Where a program gives one stack to one
// thread after the other, or the library does, it is the one that lives, or can still
// be joined.
func (s *library) threadOf(self uint64) trace.TID {
	found := trace.NoThread
	for i := range s.threads {
		th := &s.threads[i]
		switch {
		case !s.threads[i].Exists || th.self != self || self == 0:
		case th.Live():
			return th.ID
		case found == trace.NoThread || s.threads[found].joined || s.threads[found].detached:
			found = th.ID
		}
	}
	return found
}

// callersStack reports whether the pthread_create at which a thread stands uses
// a stack of the program's.
func (s *library) callersStack(th *thread) bool {
	return s.createsBy(th, glibcStackAddr, 16, math.MaxUint64)
}

// atStackEnd makes a thread that is about to end stand before its end, if others
// use its stack. (Where each end is a step, it has stood there.)
func (s *library) atStackEnd(th *thread, retval uint64) bool {
	if th.phase == phaseEnd || s.exitIsStep(th) || !s.everyOperation() || !s.pointAllowed(th, th.Regs.RIP) {
		return false
	}
	op := s.stackEnd(th)
	if op.Kind == trace.OpNone {
		return false
	}
	th.pending, th.result = op, retval
	th.Stand, th.role, th.phase = StandOp, image.ThreadExit, phaseEnd
	return true
}
