package library

import (
	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// enterQuiet lets the guest's own code carry out a trusted function without
// interruption. The function extends from its entry to the return to its
// caller's address at the caller's stack pointer.
func (s *Library) enterQuiet(th *thread, watch bool) (scheduler.Verdict, error) {
	sp := th.Regs.RSP
	ret := s.core.Word(sp)
	// The program's own allocator, called from within the library, works on
	// memory that its other callers work on.
	watch = watch || s.ownAllocator
	s.fills(th)
	th.quiet = quiet{on: true, watch: watch, role: th.role, ret: ret, sp: sp, insn: th.Insns, gives: image.Gives(s.roles[th.Regs.RIP].Name)}
	if th.role == image.Create {
		th.entryOfChild, th.childStack = th.arg(2), !s.callersStack(th)
		th.childDetached = s.createsDetached(th)
		s.breakAt(th.entryOfChild, breakStart)
	}
	s.breakAt(ret, breakReturn)
	return scheduler.Step, nil
}

// fills learns whose memory a function of stdio is about to fill. That trusted code
// touched it says nothing (it has memory of its own too), and what the program does
// with it when the other threads are gone isn't looked at. Of two such calls that
// overlap, the first byte of one is within the other.
func (s *Library) fills(th *thread) {
	f, ok := image.Fills(s.roles[th.Regs.RIP].Name)
	if !ok || s.core.Alone(th.ID) {
		return
	}
	fill := func(p uint64) {
		if s.machine.Prot(p)&emu.ProtRead != 0 {
			s.core.Shared(th.ID, p, 1)
		}
	}
	for _, n := range f.Args {
		fill(s.vararg(th, n))
	}
	format, ok := f.Scanf()
	if !ok {
		return
	}
	next := func(k int) uint64 { return s.vararg(th, format+1+k) }
	if f.List {
		next = s.vaList(s.vararg(th, format+1))
	}
	for k := range image.ScanfPointers(s.str(s.vararg(th, format))) {
		fill(next(k))
	}
}

// vaList reads the pointers in the va_list at an address (System V, x86-64).
func (s *Library) vaList(at uint64) func(k int) uint64 {
	const registers = 6 * 8
	used, rest, saved := uint64(s.machine.Read32(at)), s.machine.Read64(at+8), s.machine.Read64(at+16)
	return func(k int) uint64 {
		o := used + 8*uint64(k)
		if used <= registers && o < registers {
			return s.machine.Read64(saved + o)
		}
		return s.machine.Read64(rest + o - max(used, registers))
	}
}

// atReturn ends a quiet function or a once routine, if it is its return.
func (s *Library) atReturn(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	if v, err := s.leavePools(th, tr); err != nil || v == scheduler.Stay {
		return v, err
	}
	if a := th.alloc; a != nil {
		if th.Regs.RIP == a.ret && th.Regs.RSP == a.sp+s.wordSize {
			s.leaveFollowed(th, tr)
		}
		return scheduler.Step, nil
	}
	if q := &th.quiet; q.on {
		if th.Regs.RIP == q.ret && th.Regs.RSP == q.sp+s.wordSize {
			return s.leaveQuiet(th), nil
		}
		return scheduler.Step, nil
	}
	if r := &th.release; r.on && th.Regs.RIP == r.ret && th.Regs.RSP == r.sp+s.wordSize {
		th.release = frame{}
		if s.core.PointAllowed(th.ID, th.Regs.RIP) {
			return scheduler.Stay, nil
		}
		return scheduler.Step, nil
	}
	if n := len(th.onces); n > 0 && th.onces[n-1].sp+s.wordSize == th.Regs.RSP {
		f := th.onces[n-1]
		th.onces = th.onces[: n-1 : n-1]
		o := s.objectOf(f.obj, kindOnce)
		s.saveObject(o)
		o.done, o.owner = true, trace.NoThread
		s.settle(o)
		tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: s.sizes[kindOnce], Arg: trace.OnceEnds, PC: f.ret})
		th.Regs.RAX = 0
		th.Set |= emu.SetRAX
	}
	return scheduler.Step, nil
}

// returnsHere reports whether a call whose end matters returns where a thread is.
func (s *Library) returnsHere(th *thread) bool {
	here := func(q *quiet) bool { return q.on && th.Regs.RIP == q.ret && th.Regs.RSP == q.sp+s.wordSize }
	if n := len(th.inside); n > 0 && here(&th.inside[n-1].quiet) {
		return true
	}
	n := len(th.onces)
	return th.alloc != nil && here(&th.alloc.quiet) || here(&th.quiet) || n > 0 && th.onces[n-1].ret == th.Regs.RIP && th.onces[n-1].sp+s.wordSize == th.Regs.RSP
}

// leaveOnces ends the once routines of a thread whose frames lie at or below an
// address on its stack: an exception, or the thread's end, went past them. The
// next caller begins such a routine again. The library says so when the exception
// passes pthread_once; landgo sees it when what catches the exception calls the
// runtime, whose frame is where pthread_once's was if the same function called both.
func (s *Library) leaveOnces(th *thread, tr *trace.Transition, top uint64) {
	for n := len(th.onces); n > 0 && th.onces[n-1].sp <= top; n-- {
		f := th.onces[n-1]
		th.onces = th.onces[: n-1 : n-1]
		o := s.objectOf(f.obj, kindOnce)
		s.saveObject(o)
		o.owner = trace.NoThread
		s.settle(o)
		tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: s.sizes[kindOnce], Arg: trace.OnceLeft, PC: f.ret})
	}
}

// AtCallersReturn implements Calls: it reports whether a function that has just returned was called
// as the last thing that a once routine or a start routine does, by a jump: then
// it returned for its caller too, whose breakpoint is still to be met.
func (s *Library) AtCallersReturn(t trace.TID) bool {
	th := &s.threads[t]
	rip, rsp := th.Regs.RIP, th.Regs.RSP-s.wordSize
	if n := len(th.onces); n > 0 && th.onces[n-1].ret == rip && th.onces[n-1].sp == rsp {
		return true
	}
	return rip == th.exitPC && rsp == th.exitSP && !th.native && !s.known.Native
}

// note remembers a call that changes how threads or the process must end:
// thread-specific destructors and clean-up handlers are the guest's own code,
// so the runtime's real exit has to run them.
func (s *Library) note(th *thread) {
	switch th.role {
	case image.KeyCreate:
		if th.arg(1) != 0 {
			s.machine.Put(&s.destructors, 1)
		}
	case image.CleanupPush:
		th.native = true
	case image.ThreadAtExit: // a thread_local object of C++ has been made
		th.native, th.atExit = true, true
	case image.AtExit:
		// glibc's start-up registers what runs the destructors of fini_array.
		if f, ok := s.image.SymbolAt(th.arg(0)); !ok || f.Name != "call_fini" {
			s.machine.Put(&s.exitHandlers, 1)
			if first := &s.threads[0]; !first.Live() {
				s.outlive(first)
			}
		}
	}
}

// hasDestructors reports whether the program has destructors of its own: more
// in fini_array than the one that the compiler's start files put there.
func hasDestructors(img *image.Image) bool {
	from, ok1 := img.Symbol("__fini_array_start")
	to, ok2 := img.Symbol("__fini_array_end")
	return ok1 && ok2 && to.Addr-from.Addr > 8
}
