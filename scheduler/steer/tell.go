package steer

import (
	"landgo/internal/image"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A kernel's reports on its scheduler, by calls of empty functions
// (guests/kernel/landgo.h).

type tellKind uint8

const (
	tellBooted tellKind = iota
	tellCreated
	tellReady
	tellUnready
	tellSleep
	tellSwitch
	tellExited
	tellIdle
	tellPriority
	tellLocking
	tellUnlocked
	tellAllocated
	tellFreed
	tellPanicked
	tellScheduling
	tellStack
	numTells
	tellScroll // this is of profiles only, see screen.go
)

var tellNames = [numTells]string{
	"booted", "created", "ready", "unready", "sleep", "switch", "exited", "idle", "priority",
	"locking", "unlocked", "allocated", "freed", "panicked", "scheduling", "stack",
}

// needed are the annotations without which nothing is known of threads.
var needed = [Needed]tellKind{tellBooted, tellCreated, tellReady, tellUnready, tellSwitch}

// Untold lists the annotations that a kernel needs and hasn't got.
func Untold(img *image.Image) (missing []string) {
	for _, k := range needed {
		if _, ok := img.Symbol(profile.TellPrefix + tellNames[k]); !ok {
			missing = append(missing, profile.TellPrefix+tellNames[k])
		}
	}
	return missing
}

// Needed is how many annotations a kernel needs.
const Needed = 5

// early is a thread that was created before the kernel was up.
type early struct {
	number uint64
	own    ownThread
}

// annotations are the kernel's messages, by calls of landgo's functions or of those that its
// profile names.
type annotations struct {
	in       *situation
	core     core
	proc     *processor
	beliefs  *beliefs
	tails    *tails
	calls    *calls
	switches *switches
	exec     *execution
	// Of the way to the place where the kernel is up.
	early     []early
	earlyMade []uint64 // threads with which the profile's created functions were called
	first     uint64   // the thread that calls landgo_booted, by the kernel's number
}

// tell takes in what the kernel tells at the annotation before which the
// processor stands, and goes on behind it.
func (a *annotations) tell(u *turn) (happening, error) {
	a.in.machine.PutFlag(&a.in.atBreak, true)
	h, err := a.calls.called(u)
	kind, tells := a.in.tells[a.proc.regs.RIP]
	if err != nil || h == atEnd || !tells {
		return h, err
	}
	if a.in.profile != nil {
		if h2, err := a.tellOwn(u, kind); err != nil || h2 != atNothing {
			return h2, err
		}
		return h, nil
	}
	if !a.in.booted.Get() {
		return a.tellEarly(u, kind)
	}
	if err = a.switches.checkGap(u); err != nil && kind != tellSwitch {
		return atNothing, err
	}
	if kind != tellSwitch && !u.ticking {
		a.tails.inTail(u.th)
	}
	n := a.proc.argument(0)
	switch kind {
	case tellBooted:
		return atNothing, nil
	case tellLocking:
		a.core.edit(u.th.ID).own.Wants = n
		if a.exec.isPoint(u, trace.PointLock) {
			return atPoint, nil
		}
		return atNothing, nil
	case tellUnlocked:
		if a.exec.isPoint(u, trace.PointUnlock) {
			return atPoint, nil
		}
		return atNothing, nil
	case tellAllocated, tellFreed:
		return a.calls.tellMemory(u, kind)
	case tellPanicked:
		a.core.edit(u.th.ID).Regs = a.proc.regs
		return a.exec.ended(u, a.exec.failHere(u, trace.Assertion, "the kernel panics: %s", a.in.text(n)))
	case tellCreated:
		return atNothing, a.beliefs.createdOwn(u, n)
	case tellScheduling:
		return atNothing, a.core.invalid(kernel.GapSchedule, u.th, a.proc.regs.RIP, "landgo_scheduling is called after landgo_booted")
	}
	t, ok := a.in.numbered(n)
	if th := a.in.late(n); !ok && kind == tellReady && th != nil {
		a.beliefs.announced(th)
		return atNothing, nil
	}
	if !ok {
		return atNothing, a.core.invalid(kernel.GapSchedule, u.th, a.proc.regs.RIP, "landgo_%s names thread %#x, which landgo_created hasn't, or which has ended", tellNames[kind], n)
	}
	th := a.core.edit(t)
	switch kind {
	case tellReady:
		if u.ticking && !th.own.Idle {
			if err := a.beliefs.readyByTick(th.thread); err != nil {
				return atNothing, err
			}
		}
		if th.own.State != ownReady && !th.own.Idle && t != u.tr.Thread {
			u.tr.Wakes = append(u.tr.Wakes, t)
		}
		if th.own.State == ownSleeping && u.ticking {
			a.beliefs.woke(th.thread)
		}
		th.own.State, th.own.Wakes = ownReady, wakesUnknown
		a.beliefs.announced(th.thread)
	case tellUnready:
		th.own.State = ownBlocked
	case tellSleep:
		th.own.State, th.own.Wakes = ownSleeping, wakesUnknown
	case tellStack:
		th.own.StackLow = a.proc.argument(1)
	case tellExited:
		th.own.Ended = true
		th.own.State = ownBlocked
		if t == u.tr.Thread {
			u.tr.End = trace.EndThread
		}
		u.tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(t), PC: a.proc.regs.RIP})
	case tellIdle:
		return atNothing, a.core.invalid(kernel.GapSchedule, u.th, a.proc.regs.RIP, "landgo_idle is called after landgo_booted")
	case tellPriority:
		th.own.Priority = int64(a.proc.argument(1))
	case tellSwitch:
		return a.switches.tellSwitch(u, uint64(t))
	}
	return atNothing, nil
}

// tellSwitch: thread t has the processor, or is about to get it.
func (w *switches) tellSwitch(u *turn, t uint64) (happening, error) {
	switch {
	case w.in.gap.Get() == gapJumped:
		w.in.machine.Put(&w.in.gap, gapNone)
		if w.switchedTo(u, t) {
			return atSwitch, nil
		}
	case t != w.in.running.Get():
		w.in.machine.Put(&w.in.gap, gapTold)
		w.in.machine.Put(&w.in.toldOf, t)
		w.in.machine.Put(&w.in.gapFrom, w.core.Seen().Instructions)
	}
	return atNothing, nil
}

// notUp makes the result invalid for what the kernel did before it was up.
func (a *annotations) notUp(u *turn, format string, args ...any) error {
	return a.core.invalid(kernel.GapSchedule, u.th, a.proc.pcNow(), format, args...)
}
