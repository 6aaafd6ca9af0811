package scheduler

import (
	"landgo/image"
	"landgo/trace"
)

// Threads implements por.System: who is there, who can run, what the others
// wait for.
func (s *System) Threads(dst []trace.Thread) []trace.Thread {
	first := len(dst)
	ready := false
	for i := range s.threads {
		if !s.threads[i].Exists {
			continue
		}
		th := &s.threads[i]
		dst = append(dst, trace.Thread{ID: th.ID, Yielding: th.Yielding})
		d := &dst[len(dst)-1]
		s.describe(th, d)
		if d.Status == trace.Ready {
			ready = true
			if d.Outcomes == 0 {
				d.Outcomes = 1
			}
		}
	}
	if !ready {
		s.letExpire(dst[first:])
	}
	return dst
}

// letExpire makes the timed wait with the earliest deadline ready when nobody
// else is: a wait runs out only when nobody else can run (DESIGN §4).
func (s *System) letExpire(list []trace.Thread) {
	t := s.nextDeadline()
	for i := range list {
		if list[i].ID == t {
			list[i].Status, list[i].Outcomes, list[i].Expiring = trace.Ready, 1, true
		}
	}
}

// describe fills in a thread's status and pending operation.
func (s *System) describe(th *thread, d *trace.Thread) {
	d.Waits = th.Waits
	switch th.Stand {
	case StandRun:
	case StandAccess:
		d.Pending.Kind, d.PendingAccess = trace.OpAccess, th.Access
		if th.Access.Flags&trace.Atomic != 0 {
			// Whether an exchange fails depends on what others wrote meanwhile.
			d.PendingAccess = s.machine.Poised(th.Ctx)
		}
	case StandOp:
		if th.phase == phaseTouch {
			d.Pending, d.Loose = trace.Op{PC: th.Regs.RIP}, true
			return
		}
		if s.carries(th.role) {
			s.describeCarried(th, d)
			return
		}
		d.Pending, d.Loose = s.pendingOp(th), s.isQuiet(th.role) || isNamed(th.role) || s.cfg.NativeMalloc && acts[th.role].how == allocator
		if th.phase == phaseTaken || th.phase == phaseGiven {
			d.Loose = false
		}
		if th.phase == phaseStore {
			d.Pending.Kind, d.PendingAccess, d.Loose = trace.OpAccess, trace.Access{Addr: th.quiet.id, Size: 8, PC: th.quiet.ret - 1, Flags: trace.Write}, false
		}
		if !s.possible(th) {
			d.Status = trace.Blocked
		}
		d.Outcomes = s.outcomes(th)
	case StandTrap:
		p := s.kernel.Plan(th.ID, th.trap)
		d.Pending, d.Outcomes, d.Loose = p.Op, p.Outcomes, th.loose
		if op := s.stackEnd(th); p.Op.Kind == trace.OpExit && op.Kind != trace.OpNone {
			d.Pending = op
		}
		if p.Blocked {
			d.Status = trace.Blocked
		}
	case StandSleep:
		d.Status, d.Pending = trace.Blocked, th.pending
	case StandSpin:
		d.Status = trace.Spinning
		d.Pending, d.PendingAccess = trace.Op{Kind: trace.OpAccess}, th.Access
	case StandFailure:
		d.Pending.Kind = trace.OpEnd
	case StandExited:
		d.Status = trace.Exited
	}
}

// pendingOp is the operation that a thread standing at a trusted function
// would do next.
func (s *System) pendingOp(th *thread) trace.Op {
	a := &acts[th.role]
	switch th.phase {
	case phaseEnd, phaseTaken, phaseGiven:
		return th.pending
	}
	if a.how == allocator {
		if s.cfg.PointsOnly {
			return trace.Op{Kind: trace.OpAccess, PC: th.Regs.RIP}
		}
		return th.pending
	}
	if isNamed(th.role) {
		return s.pendingNamed(th)
	}
	op := trace.Op{Kind: a.op, Obj: th.arg(0), PC: th.Regs.RIP}
	switch th.role {
	case image.Join, image.TryJoin, image.TimedJoin, image.ClockJoin, image.Detach:
		op.Obj = uint64(s.threadOf(th.arg(0)))
		return op
	}
	if th.role == image.ThreadExit {
		if end := s.stackEnd(th); end.Kind != trace.OpNone {
			return end
		}
		op.Obj = uint64(th.ID)
		return op
	}
	if th.role == image.ProcessExit {
		op.Obj = 0
		return op
	}
	op.Size = s.sizes[a.kind]
	if op.Kind == trace.OpSemWait {
		op.Arg = s.objectOf(op.Obj, kindSem).value
	}
	if op.Kind == trace.OpSemWait && th.phase == phaseEntry && s.sleeps(th) {
		if op.Kind = trace.OpSemTryWait; op.Arg == 0 {
			op.Kind = trace.OpSemTryWaitFail
		}
	}
	switch th.phase {
	case phaseReacquire:
		op.Kind, op.Obj, op.Size = trace.OpLock, th.mutex, s.sizes[kindMutex]
	case phaseLeave:
		op.Kind = trace.OpBarrierLeave
	default:
		if a.kind == kindRWLock && onObject(th.role) {
			op.Kind = s.rwTry(s.objectOf(op.Obj, kindRWLock), op.Kind)
		}
	}
	return op
}

// possible reports whether the operation at which a thread stands can be done
// now. A misuse is possible: it is done as a failure.
func (s *System) possible(th *thread) bool {
	switch th.phase {
	case phaseTaken, phaseGiven, phaseTouch:
		return true
	case phaseClaimed:
		return !s.threads[th.pending.Obj].Live()
	case phaseQueued:
		return false
	case phaseReacquire:
		o := s.objectOf(th.mutex, kindMutex)
		return o.owner == trace.NoThread || o.owner == th.ID || o.unusable()
	case phaseLeave:
		return th.released
	}
	if onObject(th.role) && s.objectOf(th.arg(0), acts[th.role].kind).unusable() {
		return true
	}
	if _, faults := s.objectFault(th); faults {
		return true
	}
	switch th.role {
	case image.MutexLock, image.MutexTimedLock, image.MutexClockLock, image.SpinLock:
		o := s.objectOf(th.arg(0), acts[th.role].kind)
		if o.owner == th.ID && o.mtype == mutexNormal && th.timed {
			return false // its time runs out
		}
		return o.owner == trace.NoThread || o.owner == th.ID
	case image.SemWait, image.SemTimedWait, image.SemClockWait:
		return s.objectOf(th.arg(0), kindSem).value > 0 || th.phase == phaseEntry && s.sleeps(th)
	case image.RWReadLock, image.RWTimedReadLock, image.RWClockReadLock, image.RWWriteLock, image.RWTimedWriteLock, image.RWClockWriteLock:
		return s.rwPossible(th, s.objectOf(th.arg(0), kindRWLock))
	case image.Once:
		o := s.objectOf(th.arg(0), kindOnce)
		return o.done || o.owner == trace.NoThread
	case image.Join, image.TimedJoin, image.ClockJoin:
		t := s.threadOf(th.arg(0))
		switch {
		case t == trace.NoThread || s.threads[t].detached:
			return true
		case t == th.ID:
			return s.libc == image.Glibc // which refuses it
		}
		return !s.threads[t].Live()
	}
	return true
}

// outcomes is the number of outcomes of the operation at which a thread
// stands: a signal may let any waiter go.
func (s *System) outcomes(th *thread) uint32 {
	if th.role == image.CondSignal {
		return uint32(max(1, len(s.objectOf(th.arg(0), kindCond).waiters)))
	}
	return 1
}

// nextDeadline is the thread whose timed wait runs out first, ties by TID.
func (s *System) nextDeadline() trace.TID {
	best, when := trace.NoThread, uint64(0)
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.timed || th.Stand != StandOp {
			continue
		}
		if best == trace.NoThread || th.deadline < when {
			best, when = th.ID, th.deadline
		}
	}
	if t, at := s.kernel.NextDeadline(); t != trace.NoThread && (best == trace.NoThread || at < when) {
		return t
	}
	return best
}
