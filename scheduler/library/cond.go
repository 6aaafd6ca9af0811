package library

import (
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// performCond carries out an operation on a condition variable, with outcome c: a wait
// up to where the thread sleeps.
func (l *objectCalls) performCond(th edit, tr *trace.Transition, o objectEdit, c trace.Choice) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if op == trace.OpCondWait {
		// A mutex that knows its owner tells another from it.
		if m := l.objectOf(th.arg(1), kindMutex); m.owner != th.ID {
			l.did(th.thread, tr, trace.OpTryLockFail, &m, 0)
			l.ret(th, abi.EPERM)
			return scheduler.Pass, nil
		}
	}
	l.did(th.thread, tr, op, o.object, 0)
	defer l.settle(o)
	switch op {
	case trace.OpCondInit:
		flags := uint32(0)
		if !l.roles[th.Regs.RIP].C11 {
			flags = l.condAttr(th.thread, tr, th.arg(1))
		}
		l.initialise(o)
		o.flags, o.clock = flags, l.clockIn(flags)
	case trace.OpCondDestroy:
		l.destroy(o)
	case trace.OpCondSignal:
		if len(o.waiters) > 0 {
			l.wake(tr, o.waiters[c], o.addr)
			o.waiters = without(o.waiters, int(c))
		}
	case trace.OpCondBroadcast:
		for _, w := range o.waiters {
			l.wake(tr, w, o.addr)
		}
		o.waiters = nil
	case trace.OpCondWait:
		m := l.use(th.arg(1), kindMutex)
		l.did(th.thread, tr, trace.OpUnlock, m.object, 0)
		l.unlock(th, m)
		th.Insns++
		th.Stand, th.phase, th.mutex, th.result = scheduler.StandOp, phaseQueued, m.addr, 0
		if th.spurious {
			th.spurious, th.phase, th.timed = false, phaseReacquire, false
			return scheduler.Stay, nil
		}
		o.waiters = with(o.waiters, th.ID)
		return scheduler.Stay, nil
	}
	l.ret(th, 0)
	return l.afterRelease(th.thread), nil
}

// wake moves a signalled waiter on to taking its mutex back.
func (l *objectCalls) wake(tr *trace.Transition, t trace.TID, cond uint64) {
	th := l.edit(t)
	if (th.Stand != scheduler.StandOp || th.phase != phaseQueued || th.arg(0) != cond) && l.wakeHeld(th, cond) {
		return
	}
	th.phase, th.timed = phaseReacquire, false
	tr.Wakes = append(tr.Wakes, t)
}

// reacquire ends a condition wait.
func (l *objectCalls) reacquire(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	m := l.use(th.mutex, kindMutex)
	l.did(th.thread, tr, trace.OpLock, m.object, 0)
	l.take(th, m)
	th.phase = phaseEntry
	l.ret(th, th.result)
	if !l.core.Alone(th.ID) && l.merges(m.addr) {
		return scheduler.PassAllow, nil
	}
	return scheduler.Pass, nil
}

// condAttr is the setting that a condition variable keeps of its attribute object.
func (l *objectCalls) condAttr(th *thread, tr *trace.Transition, attr uint64) uint32 {
	switch {
	case attr == 0 || l.cfg.Tested:
		return 0
	case l.libc == elffile.Musl:
		return l.door(th, tr).read32(attr) & 0x7fffffff
	}
	return l.door(th, tr).read32(attr) & 3 // glibc: bit 0 says whether processes share it
}
