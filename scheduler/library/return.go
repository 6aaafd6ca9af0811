package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Where calls return: landgo has a breakpoint behind each call whose end matters, and
// a thread is at its call's return if its stack pointer is that call's too.

// atReturn ends the call that returns where a thread is, if one does. The call is of
// an allocator, of a quiet function, of a tested one that releases, or of a once
// routine.
func (s *Library) atReturn(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	s.leave(th)
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
			return s.quiets.leave(th, tr), nil
		}
		return scheduler.Step, nil
	}
	s.lives.endNamed(th, tr)
	if r := &th.release; r.on && th.Regs.RIP == r.ret && th.Regs.RSP == r.sp+s.wordSize {
		th.release = frame{}
		if s.core.Points.Allowed(th.ID, th.Regs.RIP) {
			return scheduler.Stay, nil
		}
		return scheduler.Step, nil
	}
	if n := len(th.onces); n > 0 && th.onces[n-1].sp+s.wordSize == th.Regs.RSP {
		if s.core.AwaitEmpty(th.ID) {
			return scheduler.Stay, nil // the routine's stores come first
		}
		s.endOnce(th, tr)
	}
	return scheduler.Step, nil
}

// returnsHere reports whether a call whose end matters returns where a thread is.
func (s *Library) returnsHere(th *thread) bool {
	here := func(q quiet) bool { return q.on && th.Regs.RIP == q.ret && th.Regs.RSP == q.sp+s.wordSize }
	if n := len(th.inside); n > 0 && here(th.inside[n-1].quiet) {
		return true
	}
	n := len(th.onces)
	return th.alloc != nil && here(th.alloc.quiet) || here(th.quiet) || n > 0 && th.onces[n-1].ret == th.Regs.RIP && th.onces[n-1].sp+s.wordSize == th.Regs.RSP
}

// CarriesOut implements scheduler.Calls: the allocator's functions.
func (s *Library) CarriesOut(pc uint64) bool {
	b, ok := s.roles[pc]
	return ok && s.breaks[pc] == breakRole && acts[b.Role].how == allocator && b.Role != profile.InsideAllocator &&
		!b.Own && !s.cfg.Tested && !s.cfg.NativeMalloc && !s.follows(&b) && !s.carried.carries(b.Role)
}

// AtCallersReturn implements scheduler.Calls. A once routine or a start routine may call a
// function last by a jump. Where that function returns, it returns for its caller too,
// whose breakpoint the thread has yet to meet.
func (s *Library) AtCallersReturn(t trace.TID) bool {
	th := &s.threads[t]
	rip, rsp := th.Regs.RIP, th.Regs.RSP-s.wordSize
	if n := len(th.onces); n > 0 && th.onces[n-1].ret == rip && th.onces[n-1].sp == rsp {
		return true
	}
	return rip == th.exitPC && rsp == th.exitSP && !th.native && !s.known.Native
}
