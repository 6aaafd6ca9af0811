package scheduler

import (
	"slices"

	"landgo/internal/trace"
)

// Assumptions of the program's that don't hold (OpAssume): their thread stops there for good, and the execution
// isn't looked at any further. If the thread's last step was one read, the value that it found has decided that.
// So the read is an await (await.go): possible only where the thread goes on to something else.
//
// That misses nothing. Take an execution in which the assumption fails, and leave the read out. It was a look, and
// the last that its thread did. So all others do what they did, with the thread before its read. That begins an
// execution without failing reads: the thread may go on later, with another value. So each bug is one of
// an execution that is run. A cycle of locks is a bug where the process ends, too. An execution without
// failing reads has the same steps in the program as it is.
//
// An execution may end where threads stand before such reads. Then their assumptions would fail with what is there, and
// the execution is assumed away. If the process ends, it isn't: the end has come before the read.
//
// Where time passes the two differ. A wait runs out only when no other thread can run. A thread whose assumption has
// failed can't, and one before its read may go on later. So where threads wait for a time, or look at the clock, such
// reads are run. So they are with timers, signals, twins and the conditions of landgo's header.
//
// What a thread does between the read and its assumption nothing shows. If other threads touch the memory, it is shared,
// and the accesses are steps of their own.
//
// Judged by TestAssumed in por.

// assumes reports whether the failing read of an access, by a place in the code, isn't run.
func (aw *awaits) assumes(pc uint64) bool {
	k := &aw.learning.known
	return aw.assuming && k.Assumes[pc] && !k.Passes
}

// fails reports whether a step was one read, and has brought its thread to an assumption that doesn't hold.
func (aw *awaits) fails(th *thread, tr *trace.Transition) bool {
	return th.Stand == StandTrap && tr.End == trace.EndPoint && len(tr.Accesses) == 1 && len(tr.Ops) == 0 && aw.stillness.calm(tr) &&
		aw.in.kernel.Plan(th.ID, th.trap).Op.Kind == trace.OpAssume
}

// noteTime is called at the end of each step: can the time that passes tell whether a thread's assumption has failed?
func (aw *awaits) noteTime(tr *trace.Transition) {
	k := &aw.learning.known
	if len(k.Assumes) == 0 || k.Passes {
		return
	}
	_, when := aw.in.nextWait()
	if when != noTime || k.Timed || k.ShortWait != 0 || len(k.Signalled) > 0 || len(aw.in.promises) > 0 || advances(tr) || slices.ContainsFunc(tr.Accesses, isClock) {
		k.Passes, aw.learning.finer = true, true
	}
}
