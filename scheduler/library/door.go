package library

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A function that landgo carries out reads and writes the guest's memory for its thread.
// These are accesses like any others: another thread may come between, or change the
// bytes. All of it goes through a door, which has it on record.
//
// A thread that reads or writes what others use has to begin a step with it. A call that is a step
// of its own does so (operation.go). landgo doesn't know beforehand what the others
// touch (a deadline, errno, where posix_memalign leaves its result), and nearly none
// touches anything shared. So the first that does is learned by its place, and the search
// starts again: from then on a thread stands before that call (phaseTouch).

// door is the way to the guest's memory for the call at which a thread is.
type door struct {
	s  *calls
	th *thread
	tr *trace.Transition
}

func (l *calls) door(th *thread, tr *trace.Transition) door { return door{l, th, tr} }

func (d door) read32(addr uint64) uint32 {
	d.touch(addr, 4, 0)
	return d.s.machine.Read32(addr)
}

func (d door) read64(addr uint64) uint64 {
	d.touch(addr, 8, 0)
	return d.s.machine.Read64(addr)
}

func (d door) write32(addr uint64, v uint32) {
	d.touch(addr, 4, trace.Write)
	d.s.machine.Write32(addr, v)
}

func (d door) write64(addr, v uint64) {
	d.touch(addr, 8, trace.Write)
	d.s.machine.Write64(addr, v)
}

// touch records an access. The step has to begin with the call if others tell.
func (d door) touch(addr uint64, size uint32, flags trace.AccessFlags) {
	n := len(d.tr.Accesses)
	d.s.core.Sharing.Touch(d.th.ID, d.tr, d.s.callSite(d.th)-1, addr, size, flags)
	if len(d.tr.Accesses) > n {
		d.s.needsPoint(d.th)
	}
}

// needsPoint learns that a thread has to stand before the call at which it is.
func (l *calls) needsPoint(th *thread) {
	if l.begins || th.quiet.on || th.Starting || l.core.Alone(th.ID) || !l.isPoint(th) {
		return
	}
	site := l.callSite(th)
	if l.known.Meeting[site] && l.core.Refined() {
		return // learned in this very step, which is void
	}
	if l.known.Meeting[site] {
		panic("scheduler: a call that touches what others do isn't a step of its own")
	}
	l.known.Meeting[site] = true
	l.core.Refine()
}

// standsBefore has a thread stand before a call that was seen to touch what others do. It
// reports whether it does.
func (l *calls) standsBefore(th edit) bool {
	if l.begins || !l.known.Meeting[l.callSite(th.thread)] || l.core.Alone(th.ID) || !l.isPoint(th.thread) {
		return false
	}
	th.Stand, th.phase, th.timed = scheduler.StandOp, phaseTouch, false
	return true
}

// use finds or makes an object that is about to change.
func (l *calls) use(addr uint64, kind objectKind) objectEdit {
	l.objectOf(addr, kind) // there is one then
	return l.change(addr)
}

// did records an operation on an object.
func (l *calls) did(th *thread, tr *trace.Transition, k trace.OpKind, o *object, arg uint64) {
	l.touchesObject(th, o)
	tr.Did(trace.Op{Kind: k, Obj: o.addr, Size: l.sizes[o.kind], Arg: arg, PC: l.callSite(th)})
	l.core.Told(th.ID, tr)
}

// afterRelease says whether there is a preemption point after an operation
// that lets others go. With PointMem there is one before the next access
// anyway, and what lies between is private.
func (l *calls) afterRelease(th *thread) scheduler.Verdict {
	if !acts[th.role].release || th.quiet.on || !l.core.Coarse() || l.cfg.Points&(trace.PointUnlock|trace.PointMem) == 0 ||
		l.core.Alone(th.ID) || !l.core.Points.Allowed(th.ID, th.Regs.RIP) {
		return scheduler.Pass
	}
	return scheduler.Stay
}

// readable reports whether the guest can read n bytes at p, at most a page.
func (l *calls) readable(p, n uint64) bool {
	return l.machine.Prot(p)&emu.ProtRead != 0 && l.machine.Prot(p+n-1)&emu.ProtRead != 0
}

// isPoint reports whether there is a point before a call that other threads can observe, at whose
// entry a thread stands: each is one, or this one was found racing.
func (l *calls) isPoint(th *thread) bool {
	site := l.callSite(th)
	return (l.core.EveryOperation() || l.core.Racing(site-1)) && l.core.Points.Allowed(th.ID, site)
}
