package library

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// misuse checks the operation at whose entry a thread stands against its
// rules: both libcs are silent about most of these, and they are bugs all the
// same (lock-misuse).
func (l *calls) misuse(th *thread) *scheduler.Failure {
	a := &acts[th.role]
	if !onObject(th.role) {
		return nil
	}
	o := l.objectOf(th.arg(0), a.kind)
	switch th.phase {
	case phaseReacquire:
		o = l.objectOf(th.mutex, kindMutex)
	case phaseLeave:
		return nil // its barrier may be gone
	}
	if f := l.core.Blocks.DeadAccess(th.ID, l.callSite(th), o.addr, l.sizeFor(th.role, o.kind), a.does(), false); f != nil {
		return f
	}
	if t := l.core.Stacks.BuriedAt(th.ID, o.addr); t != trace.NoThread {
		f := &scheduler.Failure{Thread: th.ID, PC: l.callSite(th)}
		l.core.Stacks.Ended(f, a.does(), t, o.addr)
		return f
	}
	m := misuses{l, th, &o}
	switch {
	case a.inits():
	case o.destroyed:
		return m.broken(scheduler.UsedGone, trace.NoThread, m.bad("%s is used after it was destroyed"))
	case th.role == profile.SpinInitOrUnlock:
	case o.torn != "":
		return m.bad("%s is overwritten %s", o.torn)
	case o.strange && !a.ends():
		return m.bad("%s isn't initialised, or is a copy of one in use: its bytes say so")
	}
	if th.phase != phaseEntry {
		return nil
	}
	return m.of(a)
}

// misuses makes the failures of an operation on an object.
type misuses struct {
	*calls
	th *thread
	o  *object
}

// bad is a failure, whose message begins with the object's name.
func (m *misuses) bad(format string, args ...any) *scheduler.Failure {
	args = append([]any{m.core.VariableName(m.o.addr)}, args...)
	return &scheduler.Failure{Kind: trace.LockMisuse, Thread: m.th.ID, PC: m.callSite(m.th), Message: fmt.Sprintf(format, args...)}
}

// broken says which rule the failure is about, and which thread holds the object.
func (m *misuses) broken(rule scheduler.Misuse, holder trace.TID, f *scheduler.Failure) *scheduler.Failure {
	f.Misuse, f.Lock, f.Holder = rule, m.o.addr, holder
	return f
}

// of is the rule of an operation that the object's state breaks, if it does.
func (m *misuses) of(a *act) *scheduler.Failure {
	th, o, core := m.th, m.o, m.core
	switch a.op {
	case trace.OpLock:
		if o.owner == th.ID && o.mtype == mutexNormal && !th.timed {
			return m.broken(scheduler.TakenTwice, th.ID, m.bad("%s is locked twice by the same thread"))
		}
	case trace.OpUnlock:
		if th.role == profile.SpinInitOrUnlock && o.owner == trace.NoThread {
			return nil
		}
		if o.owner != th.ID && o.mtype == mutexNormal {
			if o.owner == trace.NoThread {
				return m.broken(scheduler.NotTaken, trace.NoThread, m.bad("%s is unlocked, but no thread holds it"))
			}
			return m.broken(scheduler.AnothersLock, o.owner, m.bad("%s is unlocked by thread %s, but thread %s holds it", core.Name(th.ID), core.Name(o.owner)))
		}
	case trace.OpMutexDestroy:
		if o.owner != trace.NoThread {
			return m.broken(scheduler.HeldAtItsEnd, o.owner, m.bad("%s is destroyed while thread %s holds it", core.Name(o.owner)))
		}
	case trace.OpMutexInit:
		if o.owner != trace.NoThread {
			return m.broken(scheduler.HeldAtItsEnd, o.owner, m.bad("%s is initialised while thread %s holds it", core.Name(o.owner)))
		}
	case trace.OpCondWait:
		mutex := m.objectOf(th.arg(1), kindMutex)
		if mutex.owner != th.ID && mutex.mtype == mutexNormal {
			return m.bad("a wait on %s without holding %s", core.VariableName(mutex.addr))
		}
	case trace.OpCondDestroy:
		if len(o.waiters) > 0 {
			return m.bad("%s is destroyed while thread %s waits on it", core.Name(o.waiters[0]))
		}
	case trace.OpWriteUnlock:
		if th.role == profile.RWDowngrade && o.owner != th.ID {
			return m.bad("%s is downgraded by thread %s, which doesn't hold it for writing", core.Name(th.ID))
		}
		if o.owner != th.ID && index(o.readers, th.ID) < 0 {
			return m.broken(scheduler.NotTaken, trace.NoThread, m.bad("%s is unlocked by thread %s, which doesn't hold it", core.Name(th.ID)))
		}
	case trace.OpReadLock:
		if o.owner == th.ID && m.libc != elffile.Glibc && !th.timed {
			return m.broken(scheduler.TakenTwice, th.ID, m.bad("%s is locked for reading by thread %s, which holds it for writing", core.Name(th.ID)))
		}
	case trace.OpWriteLock:
		if (o.owner == th.ID && m.libc != elffile.Glibc || index(o.readers, th.ID) >= 0) && !th.timed {
			rule := scheduler.TakenTwice
			if o.owner != th.ID {
				rule = scheduler.Upgraded
			}
			return m.broken(rule, th.ID, m.bad("%s is locked for writing by thread %s, which holds it already", core.Name(th.ID)))
		}
	case trace.OpRWDestroy:
		if o.owner != trace.NoThread || len(o.readers) > 0 {
			return m.bad("%s is destroyed while it is held")
		}
	case trace.OpBarrierDestroy:
		if len(o.waiters) > 0 {
			return m.bad("%s is destroyed while thread %s waits at it", core.Name(o.waiters[0]))
		}
	case trace.OpBarrierArrive:
		if o.value == 0 {
			return m.bad("%s is waited at, but wasn't initialised")
		}
	}
	return nil
}

// exitMisuse checks a thread that is about to end.
func (l *calls) exitMisuse(th *thread) *scheduler.Failure {
	for _, a := range th.holds {
		if o, _ := l.objects.Get(a); !o.destroyed && o.owner == th.ID && !l.rewritten(&o) {
			return &scheduler.Failure{Kind: trace.LockMisuse, Thread: th.ID, PC: th.Regs.RIP, Misuse: scheduler.KeptAtEnd, Lock: a, Holder: th.ID,
				Message: fmt.Sprintf("thread %s ends while it holds %s", l.core.Name(th.ID), l.core.VariableName(a))}
		}
	}
	return nil
}

// inits reports whether an operation makes an object of its memory.
func (a *act) inits() bool {
	switch a.op {
	case trace.OpMutexInit, trace.OpCondInit, trace.OpSemInit, trace.OpRWInit, trace.OpBarrierInit:
		return true
	}
	return false
}

// ends reports whether an operation ends an object.
func (a *act) ends() bool {
	switch a.op {
	case trace.OpMutexDestroy, trace.OpCondDestroy, trace.OpSemDestroy, trace.OpRWDestroy, trace.OpBarrierDestroy:
		return true
	}
	return false
}

// unusable reports whether every use of an object but to make a new one is a misuse.
func (o object) unusable() bool { return o.destroyed || o.strange || o.torn != "" }

// objectFault is the fault that the operation at whose entry a thread stands meets
// at its object, or at another argument. That is a null pointer, or one to where
// the guest has no memory. The object is landgo's, its bytes are the guest's. It
// isn't known how a thread library treats faults of its own there (pebbles).
func (l *calls) objectFault(th *thread) (f emu.Fault, faults bool) {
	if l.cfg.Tested || !onObject(th.role) || th.phase != phaseEntry {
		return f, false
	}
	a := &acts[th.role]
	need := emu.ProtRead
	f.Kind = emu.FaultRead
	if a.op == trace.OpSemDestroy || a.op == trace.OpRWDestroy || th.role == profile.SpinDestroy {
		return f, false // it doesn't look there
	}
	if a.inits() || a.op == trace.OpLock || a.op == trace.OpUnlock || a.op == trace.OpSemPost {
		need, f.Kind = emu.ProtWrite, emu.FaultWrite
	}
	f.Addr, f.Size = th.arg(0), 4
	end := f.Addr + l.sizeFor(th.role, a.kind) - 1
	if l.machine.Prot(f.Addr)&need != 0 {
		f.Addr = abi.PageDown(end)
	}
	if l.machine.Prot(f.Addr)&need == 0 {
		return f, true
	}
	switch f.Addr = th.arg(1); {
	case a.op == trace.OpSemGet, a.op == trace.OpCondWait: // the mutex, which is let go
		f.Kind = emu.FaultWrite
		return f, l.machine.Prot(f.Addr)&emu.ProtWrite == 0
	case a.attr && !l.roles[th.Regs.RIP].C11 && f.Addr != 0:
		f.Kind = emu.FaultRead
		return f, !l.readable(f.Addr, 4)
	}
	return f, false
}

// failMisuse makes a thread fail if the operation at which it is breaks its object's rules. It is
// asked when the operation would be carried out, because the others may change the object until
// then.
func (l *calls) failMisuse(th edit, tr *trace.Transition) (failed bool, err error) {
	if fault, ok := l.objectFault(th.thread); ok {
		l.look(th.thread, tr)
		return true, l.meetFault(th.thread, fault, acts[th.role].does())
	}
	f := l.misuse(th.thread)
	if f == nil {
		return false, nil
	}
	if l.look(th.thread, tr); th.phase == phaseReacquire {
		m := l.objectOf(th.mutex, kindMutex)
		l.did(th.thread, tr, trace.OpTryLockFail, &m, 0)
	}
	th.Insns++ // the failure is a place of its own
	return true, l.core.Fail(th.ID, f)
}

// meetFault has a thread meet a fault that landgo meets for it, in what it does.
func (l *calls) meetFault(th *thread, fault emu.Fault, does string) error {
	return l.core.Signals.MeetFault(th.ID, l.callSite(th), fault, does)
}
