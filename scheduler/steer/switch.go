package steer

import (
	"math"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// A switch from thread to thread is two things: the stack pointer is loaded
// anew, and landgo_switch says whose turn it is. Between them it isn't known
// whose code runs, and what is done there to both stacks is neither thread's:
// it isn't recorded. Either may come first.

const (
	gapNone   = iota
	gapJumped // the stack was changed, and the kernel hasn't said for which thread
	gapTold   // it was said which thread is next, and the stack is yet to be changed
)

// onOneStack reports whether two stack pointers are too near to be two threads'.
func onOneStack(from, to uint64) bool { return to-from+emu.FrameRoom <= 2*emu.FrameRoom }

// maxGap is the number of instructions that may lie between.
const maxGap = 2000

// stackLoad has the engine execute an instruction that loads the stack pointer.
func (ex *execution) stackLoad(u *turn) (happening, error) {
	from := ex.proc.regs.RSP
	shadow := u.shadow
	if ex.in.booted.Get() && !u.ticking {
		e := ex.core.edit(u.th.ID)
		e.Regs = ex.proc.regs
		e.own.Stack, _ = ex.in.translate(from)
	}
	stop := ex.permit(u)
	if stop.Why != emu.StopInsn {
		return ex.stopped(u, stop)
	}
	to := ex.in.machine.Regs(emu.Ctx(ex.in.cpu.Get())).RSP
	if shadow {
		u.shadow = false
		ex.in.interrupts(u, true)
	}
	if done, err := ex.switches.stackJump(u, from, to); done || err != nil {
		return atSwitch, err
	}
	if shadow {
		return atOn, nil
	}
	return atNothing, nil
}

// switches are those of the processor from one thread to another, as the stack pointer and
// the kernel tell them.
type switches struct {
	in      *situation
	core    core
	proc    *processor
	beliefs *beliefs
	ranks   *ranks
}

// stackJump notes that the stack pointer was changed. It reports whether this
// completes a switch.
func (w *switches) stackJump(u *turn, from, to uint64) (bool, error) {
	if w.in.profile != nil && w.in.booted.Get() {
		return w.jumpOwn(u, from, to)
	}
	if !w.in.booted.Get() || onOneStack(from, to) {
		return false, nil
	}
	if w.in.gap.Get() == gapTold {
		w.in.machine.Put(&w.in.gap, gapNone)
		return w.switchedTo(u, w.in.toldOf.Get()), nil
	}
	w.in.machine.Put(&w.in.gap, gapJumped)
	w.in.machine.Put(&w.in.gapFrom, w.core.Seen().Instructions)
	return false, nil
}

// switchedTo is switched, by the kernel's annotations. A thread that waits by these
// has been put on the ready list, and landgo_ready will be called, or has been
// forgotten (unannounced). In a kernel that puts threads there with interrupts on
// it may be called late.
func (w *switches) switchedTo(u *turn, to uint64) bool {
	if th := &w.in.threads[to]; to != w.in.running.Get() && !th.own.Idle && th.own.State != ownReady {
		e := w.core.edit(th.ID)
		e.own.State, e.own.Unannounced = ownReady, true
		w.in.machine.Put(&w.in.unannounced, w.in.unannounced.Get()+1)
	}
	return w.switched(u, to)
}

// announced: landgo_ready was called for a thread, which may have ended.
func (b *beliefs) announced(th *thread) {
	if th.own.Unannounced {
		b.core.edit(th.ID).own.Unannounced = false
		b.in.machine.Put(&b.in.unannounced, b.in.unannounced.Get()-1)
	}
}

// checkAnnounced: at an execution's end all threads that have run were on the
// ready list. To take one for waiting that ran would keep orders from being run,
// and make deadlocks of what is none.
func (k *Kernel) checkAnnounced(th *thread, tr *trace.Transition) error {
	if k.unannounced.Get() == 0 || tr.End == trace.EndBug || tr.End != trace.EndProcess && len(k.runnable(nil)) > 0 {
		return nil
	}
	for i := range k.threads {
		x := &k.threads[i]
		if k.threads[i].Exists && x.own.Unannounced && k.profile != nil {
			return k.core.invalid(kernel.GapSchedule, th, k.proc.pcNow(),
				"the kernel has given the processor to thread %s, and its state wasn't among the profile's ready ones", k.Name(x.ID))
		}
		if k.threads[i].Exists && x.own.Unannounced {
			return k.core.invalid(kernel.GapSchedule, th, k.proc.pcNow(),
				"the kernel has given the processor to thread %s, and landgo_ready wasn't called when it was created, or woken", k.Name(x.ID))
		}
	}
	return nil
}

// switched: from here another thread's code runs.
func (w *switches) switched(u *turn, to uint64) bool {
	if to == w.in.running.Get() {
		return false
	}
	r, next := w.core.edit(trace.TID(w.in.running.Get())), w.core.edit(trace.TID(to))
	if !w.in.on.Get() && !u.ticking {
		w.in.section(u.tr, false)
	}
	if w.in.profile != nil {
		w.beliefs.leaveOwn(u, r)
	}
	if r.own.Ended {
		r.Stand = scheduler.StandExited
	} else if !r.own.Interrupted {
		r.own.Tail, r.own.Kind = true, tailOfWait
		if r.own.State == ownReady {
			r.own.Kind = tailOfYield
		}
	}
	next.own.Noted = false
	w.in.machine.Put(&w.in.running, to)
	u.th = next.thread
	if u.ticking {
		w.ranks.outranks(u.th)
	} else {
		w.ranks.best = math.MinInt64
	}
	return true
}

// checkGap: the stack was changed, and nothing else came.
func (w *switches) checkGap(u *turn) error {
	if w.in.gap.Get() != gapNone && w.core.Seen().Instructions-w.in.gapFrom.Get() > maxGap {
		return w.openGap(u)
	}
	return nil
}

// openGap: one half of a switch came, and not the other.
func (w *switches) openGap(u *turn) error {
	switch {
	case w.in.profile != nil:
		return w.core.invalid(kernel.GapSchedule, u.th, w.proc.pcNow(),
			"the stack was switched, and the profile's variable current doesn't tell whose the new one is")
	case w.in.gap.Get() == gapTold:
		return w.core.invalid(kernel.GapSchedule, u.th, w.proc.pcNow(),
			"landgo_switch has named another thread, and the stack wasn't switched beside it")
	}
	return w.core.invalid(kernel.GapSchedule, u.th, w.proc.pcNow(),
		"the stack was switched, and landgo_switch wasn't called beside it: it says whose the new one is")
}
