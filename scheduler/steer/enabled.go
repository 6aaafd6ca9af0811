package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// The threads that can run in a kernel: those to which ticks bring the processor.

// runnable appends the threads that the processor can be brought to.
func (k *Kernel) runnable(dst []trace.TID) []trace.TID {
	best := k.ranks.bestPriority()
	for i := range k.threads {
		if k.threads[i].Exists && k.canRun(&k.threads[i], best) {
			dst = append(dst, k.threads[i].ID)
		}
	}
	return dst
}

// disabled reports whether a step has kept a thread from running that could run
// before it, and still waits for nothing but the processor.
func (k *Kernel) disabled(tr *trace.Transition) bool {
	if tr.End == trace.EndProcess || tr.End == trace.EndBug {
		return false
	}
	best := k.ranks.bestPriority()
	for _, t := range k.could {
		th := &k.threads[t]
		if t != tr.Thread && th.Live() && (th.own.State == ownReady || th.own.State == ownSleeping) && !k.canRun(th, best) {
			return true
		}
	}
	return false
}

// Present implements por.Census.
func (k *Kernel) Present() *trace.Present {
	k.present.Take(k.Threads(k.present.Threads[:0]))
	return &k.present
}

// Threads implements por.System.
func (k *Kernel) Threads(dst []trace.Thread) []trace.Thread {
	best := k.ranks.bestPriority()
	for i := range k.threads {
		th := &k.threads[i]
		if !k.threads[i].Exists || th.own.Idle {
			continue
		}
		d := trace.Thread{ID: th.ID, Yielding: th.Yielding, Status: trace.Blocked}
		d.Pending = trace.Op{Kind: trace.OpSyscall, Obj: schedulerResource, Arg: 1, PC: th.Regs.RIP}
		switch {
		case !th.Live():
			d.Status = trace.Exited
		case th.Stand == scheduler.StandFailure:
			d.Status, d.Outcomes, d.Pending = trace.Ready, 1, trace.Op{Kind: trace.OpEnd}
		case k.canRun(th, best):
			d.Status, d.Outcomes, d.Next = trace.Ready, 1, uint64(th.ID) == k.running.Get()
			d.Outcomes = uint32(len(k.outcomesOf(th)))
			if th.Stand == scheduler.StandAccess {
				d.Pending, d.PendingAccess = trace.Op{Kind: trace.OpAccess}, th.Access
			}
		}
		dst = append(dst, d)
	}
	return dst
}

// canRun reports whether the processor can be brought to a thread: it is ready,
// or sleeps, which ends with time, and no better one is ready.
func (k *Kernel) canRun(th *thread, best int64) bool {
	if !th.Live() || th.Stand == scheduler.StandSpin || th.own.Idle || th.own.State != ownReady && th.own.State != ownSleeping {
		return false
	}
	if th.own.State == ownReady && uint64(th.ID) == k.running.Get() {
		return true
	}
	if th.own.State == ownSleeping && !k.sleepers.wakesFirst(th.ID) {
		return false
	}
	return th.own.Priority >= best && (!k.known.Probes || k.reachable(th))
}

// tryOut does something and takes it back, in the middle of a step too.
func (k *Kernel) tryOut(do func()) {
	wide, remaps := k.wide, false
	k.TryOut(func() {
		do()
		remaps = k.remaps()
	})
	k.wide = wide
	k.proc.forget()
	if remaps {
		k.machine.FlushBoard()
	}
}

// reachable tries whether ticks bring the processor to a thread, and takes that
// back. This decides which threads can run, once a ready thread was met that ticks
// don't bring it to. The kernel has lost that thread, or keeps the processor from
// others by a counter of its own.
func (k *Kernel) reachable(th *thread) bool {
	if k.tried == nil {
		k.tried = map[trace.TID]bool{}
	}
	if can, ok := k.tried[th.ID]; ok {
		return can
	}
	stop := k.stopIf
	k.stopIf = nil // an answer can't be left out
	var err error
	k.tryOut(func() { _, err = k.reach(th, &trace.Transition{Thread: th.ID, Begin: th.Insns}) })
	k.stopIf = stop
	// Other errors show when it is done for good.
	k.tried[th.ID] = !isUnreached(err)
	return k.tried[th.ID]
}
