package library

import (
	"fmt"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A thread's name (pthread_t) is good until the thread has been joined, or has ended and is
// detached. To give it to a function afterwards is undefined: glibc looks at what is left in
// memory that the next thread gets, and musl at memory that is unmapped. Nothing else in the
// machine shows it, so it is a bug of its own.
//
// It is looked at where the function begins. That is a step, whose operation depends on joins,
// detachments and the end of the thread, for these make the difference. It is the same whether
// landgo carries joins out or the library's own code does. In the second case a join counts
// from its return on.

// namesThread reports whether the first argument of a function with a role is a thread's name.
func namesThread(r profile.Role) bool {
	switch r {
	case profile.Join, profile.TryJoin, profile.TimedJoin, profile.ClockJoin, profile.Detach, profile.Cancel, profile.NamesThread:
		return true
	}
	return false
}

// names reports whether the call at whose entry a thread stands names a thread, by code of
// the C library's own.
func (l *Library) names(th edit, b *profile.Bound) bool {
	if l.libc != elffile.Glibc && l.libc != elffile.Musl || b.Own || l.trusts(b.Role) || th.trusted() {
		return false
	}
	if b.Role == profile.Create && l.cfg.Tested {
		th.childDetached = l.lives.createsDetached(th.thread)
	}
	return namesThread(b.Role) && (l.cfg.Tested || l.distrusted || acts[b.Role].how == naming)
}

// naming is the operation of a call that names a thread.
func (v *threadCalls) naming(th *thread) trace.Op {
	k := trace.OpName
	if th.role == profile.Detach {
		k = trace.OpDetach
	}
	return trace.Op{Kind: k, Obj: uint64(v.threadOf(th.arg(0))), PC: th.Regs.RIP}
}

// atName looks at the thread that is named. The verdict is Stay if the thread stands before
// that, or has failed.
func (v *threadCalls) atName(th edit, tr *trace.Transition, r profile.Role) (scheduler.Verdict, error) {
	t := v.threadOf(th.arg(0))
	if t == trace.NoThread || t == th.ID && r != profile.Detach || v.withinNamed(th.thread) {
		return scheduler.Step, nil
	}
	if th.namedAt == th.Insns+1 { // its first instruction waited: it is met again there
		return scheduler.Step, nil
	}
	th.role = r
	if !v.calls.begins && !v.guest.core.Alone(th.ID) && v.calls.isPoint(th.thread) {
		th.Stand, th.phase, th.timed = scheduler.StandOp, phaseNames, false
		return scheduler.Stay, nil
	}
	op := v.naming(th.thread)
	op.PC = v.guest.callSite(th.thread)
	tr.Did(op)
	th.namedAt = th.Insns + 1
	j := &v.models.threads[t]
	if j.detached && j.Live() && t != th.ID {
		v.guest.core.Signals.SeeLife() // it depends on its end
	}
	named := namedCall{frame{on: true, ret: op.PC, sp: th.Regs.RSP}, trace.NoThread}
	gone := v.over(j) || j.detached && !j.Live()
	switch r {
	case profile.Detach:
		switch {
		case v.over(j):
			return v.notJoinable(th, t, "detached, but was joined")
		case j.detached:
			return v.notJoinable(th, t, "detached twice")
		}
		v.models.edit(t).detached = true
	case profile.Cancel, profile.NamesThread:
		if gone {
			return v.nameless(th, t)
		}
	default:
		switch {
		case v.over(j):
			return v.notJoinable(th, t, "joined twice")
		case j.detached:
			return v.notJoinable(th, t, "joined, but was detached")
		}
		named.joined = t
	}
	if r != profile.NamesThread || v.guest.cfg.Tested {
		th.named = named
		v.guest.breakAt(named.ret, breakReturn)
	}
	return scheduler.Step, nil
}

// nameless is the use of a name that is no thread's any more.
func (v *threadCalls) nameless(th edit, t trace.TID) (scheduler.Verdict, error) {
	why := "has been joined"
	if !v.over(&v.models.threads[t]) {
		why = "is detached, and has ended"
	}
	f := &scheduler.Failure{Kind: trace.LockMisuse, Thread: th.ID, PC: v.guest.callSite(th.thread),
		Message: fmt.Sprintf("%s is called for thread %s, which %s", v.guest.roles[th.Regs.RIP].Name, v.guest.core.Name(t), why)}
	th.Insns++ // the failure is a place of its own
	return scheduler.Stay, v.guest.core.Fail(th.ID, f)
}

// namedCall is a call of a function that names a thread, which its own code carries out. Its
// calls of others are the library's: musl's pthread_detach joins a thread that has ended.
type namedCall struct {
	frame
	joined trace.TID // by a join: the thread
}

// withinNamed reports whether a thread is at a call that its own code carries out. (A jump out of
// one leaves other bytes where it would return.)
func (v *threadCalls) withinNamed(th *thread) bool {
	f := &th.named
	return f.on && th.Regs.RSP <= f.sp && v.guest.core.Word(f.sp) == f.ret
}

// endNamed notes that such a call has returned, if it has. Then a thread may be joined.
func (v *threadCalls) endNamed(th edit, tr *trace.Transition) {
	f := th.named
	if !f.on || th.Regs.RIP != f.ret || th.Regs.RSP != f.sp+v.guest.wordSize {
		return
	}
	if th.named = (namedCall{}); f.joined == trace.NoThread || uint32(th.Regs.RAX) != 0 {
		return
	}
	v.models.edit(f.joined).wasJoined = true
	tr.Did(trace.Op{Kind: trace.OpDetach, Obj: uint64(f.joined), PC: th.Regs.RIP})
}
