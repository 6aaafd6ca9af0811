package steer

import (
	"slices"

	"landgo/emu"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A kernel without annotations, which a profile describes (image.OwnKernel). Whether a thread can
// run is read from the state in its structure, at the end of a step and where a thread gives the
// processor up. So the state has to be true wherever interrupts are on. A thread's name is the
// address of its structure. It exists once it is seen in a list of ready ones or in a table, or is
// switched to. A call with it of a function that the profile names will do too.
//
// The stack tells which thread the processor runs, by a structure that begins the
// block that it is in. Or a variable does, which may be assigned before the stacks
// are exchanged or after. In the latter case the kernel is run one instruction at a
// time until it is. A kernel without an idle thread may have a stack for its
// scheduler, and no thread in the variable while that runs: thread 0 is the idle one
// then.

// look reads which threads can run, where the kernel doesn't tell.
func (b *beliefs) look(tr *trace.Transition) error {
	if b.in.profile != nil {
		return b.lookOwn(tr)
	}
	return nil
}

// findOwn sets the breakpoints that the profile needs.
func (k *fixed) findOwn() {
	for addr := range k.profile.Created {
		k.tellAt(addr, tellCreated)
	}
	k.tellAt(k.profile.Booted, tellBooted)
	for _, addr := range k.profile.Scroll {
		k.tellAt(addr, tellScroll)
	}
	for _, r := range k.profile.Scheduling {
		k.scheduling = append(k.scheduling, emu.Range{Lo: k.image.Physical(r.Lo), Hi: k.image.Physical(r.Hi)})
	}
}

// tellAt sets a breakpoint that means something.
func (k *fixed) tellAt(addr uint64, kind tellKind) {
	k.tells[addr] = kind
	k.machine.Break(addr, aBreak)
}

// tellOwn takes in what the call of a function means that the profile names.
func (a *annotations) tellOwn(u *turn, kind tellKind) (happening, error) {
	if kind == tellScroll {
		a.scroll(u)
		return atNothing, nil
	}
	if !a.in.booted.Get() {
		switch kind {
		case tellBooted:
			return atPoint, a.bootFound(u)
		case tellCreated:
			a.earlyMade = append(a.earlyMade, a.proc.argument(a.in.profile.Created[a.proc.regs.RIP]))
		}
		return atNothing, nil
	}
	switch {
	case kind == tellCreated:
		return atNothing, a.beliefs.found(u, a.proc.argument(a.in.profile.Created[a.proc.regs.RIP]))
	case kind == tellUnlocked && a.exec.isPoint(u, trace.PointUnlock):
		return atPoint, nil
	}
	return atNothing, nil
}

// bootFound makes the threads that there are when the kernel is up.
func (a *annotations) bootFound(u *turn) error {
	a.first = a.in.runner(a.proc.regs.RSP)
	if !a.in.saysReady(a.first) {
		return a.notUp(u, "the thread that calls %s runs, and its state isn't among the profile's ready ones", a.in.upName())
	}
	root := ownThread{Number: a.first, Priority: a.in.priorityOf(a.first), Idle: slices.Contains(a.in.idleOnes(), a.first)}
	a.early = []early{{number: a.first, own: root}}
	a.earlyMade = slices.DeleteFunc(a.earlyMade, func(n uint64) bool { return !a.in.saysReady(n) })
	for _, n := range slices.Concat(a.in.idleOnes(), a.in.listed(), a.earlyMade) {
		if slices.ContainsFunc(a.early, func(e early) bool { return e.number == n }) {
			continue
		}
		own := ownThread{Number: n, Tail: true, Idle: slices.Contains(a.in.idleOnes(), n), Priority: a.in.priorityOf(n)}
		if !own.Idle {
			own.State = ownReady
		}
		a.early = append(a.early, early{number: n, own: own})
	}
	if root.Idle && len(a.early) == 1 {
		return a.notUp(u, "the profile's idle variables name the thread that calls %s, and there is no other to run", a.in.upName())
	}
	if a.in.profile.Current != 0 && len(a.in.profile.Idle) == 0 && a.first != 0 {
		a.early = append(a.early, early{own: ownThread{Tail: true, Idle: true}})
	}
	return a.up(u)
}

// found makes thread n exist, if it doesn't.
func (b *beliefs) found(u *turn, n uint64) error {
	if _, known := b.in.numbered(n); known || n == 0 {
		return nil
	}
	if err := b.createdOwn(u, n); err != nil {
		return err
	}
	t, _ := b.in.numbered(n)
	th := b.core.edit(t)
	th.own.Priority = b.in.priorityOf(n)
	if th.own.Idle = slices.Contains(b.in.idleOnes(), n); th.own.Idle {
		b.in.machine.Put(&b.in.born, b.in.born.Get()-1)
	}
	return nil
}

// discover makes the threads exist that are ready.
func (b *beliefs) discover(u *turn) error {
	for _, n := range b.in.listed() {
		if err := b.found(u, n); err != nil {
			return err
		}
	}
	b.in.machine.Put(&b.in.looked, b.in.machine.Journal())
	return nil
}

// turnedOnOwn: a thread's own code has turned interrupts on.
func (b *beliefs) turnedOnOwn(u *turn) error {
	if err := b.discover(u); err != nil {
		return err
	}
	if th := u.th; b.in.profile.Stack != 0 && !th.own.Idle && !th.own.Interrupted && b.in.runner(b.proc.regsNow().RSP) != th.own.Number {
		return b.core.invalid(kernel.GapSchedule, th, b.proc.pcNow(), "a stack of an unknown thread is in use: the state of the thread that was switched to isn't among the profile's ready ones")
	}
	return nil
}

// lookOwn reads which threads can run, at the end of a step.
func (b *beliefs) lookOwn(tr *trace.Transition) error {
	u := turn{th: &b.in.threads[tr.Thread], tr: tr}
	if err := b.discover(&u); err != nil {
		return err
	}
	if err := b.checkIdlers(&u); err != nil {
		return err
	}
	asleep, queued := b.in.members(b.in.profile.Sleepers), b.in.members(b.in.profile.Lists)
	for i := range b.in.threads {
		if th := &b.in.threads[i]; b.in.threads[i].Exists && th.Live() && !th.own.Idle {
			b.lookAt(th, tr, asleep, queued, uint64(th.ID) == b.in.running.Get())
		}
	}
	return nil
}

// lookAt reads whether a thread can run: by its state, or because the kernel has left
// it in a list of ready ones, or it runs, whatever its state says. A thread may note that
// it waits, or that it has ended, with interrupts on, and be interrupted before it does.
func (b *beliefs) lookAt(th *thread, tr *trace.Transition, asleep, queued []uint64, runs bool) {
	state := ownBlocked
	switch {
	case b.in.saysReady(th.own.Number), slices.Contains(queued, th.own.Number):
		state = ownReady
	case runs:
		state = ownReady
	case b.in.saysEnded(th.own.Number):
	case slices.Contains(asleep, th.own.Number), b.inSleep(th):
		state = ownSleeping
	}
	priority := b.in.priorityOf(th.own.Number)
	if state == th.own.State && priority == th.own.Priority {
		return
	}
	e := b.core.edit(th.ID)
	if state == ownReady && th.own.State != ownReady && th.ID != tr.Thread {
		tr.Wakes = append(tr.Wakes, th.ID)
	}
	if state == ownSleeping && th.own.State != ownSleeping && b.in.timed() {
		b.foretell(th)
	}
	e.own.State, e.own.Priority = state, priority
}

// leaveOwn: thread r gives the processor away, perhaps for good.
func (b *beliefs) leaveOwn(u *turn, r edit) {
	if r.own.Idle {
		return
	}
	b.lookAt(r.thread, u.tr, b.in.members(b.in.profile.Sleepers), b.in.members(b.in.profile.Lists), false)
	if !b.in.saysEnded(r.own.Number) {
		return
	}
	r.own.Ended = true
	if r.ID == u.tr.Thread {
		u.tr.End = trace.EndThread
	}
	u.tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(r.ID), PC: b.proc.pcNow()})
}

// jumpOwn: the stack pointer was changed. It reports whether another thread runs
// from here on.
func (w *switches) jumpOwn(u *turn, from, to uint64) (bool, error) {
	n := w.in.runner(to)
	w.in.machine.PutFlag(&w.in.lent, w.in.profile.Stack != 0 && !w.in.isThread(n))
	if w.in.profile.Stack == 0 {
		if onOneStack(from, to) {
			return false, nil
		}
		if n == w.in.threads[w.in.running.Get()].own.Number || !w.in.isThread(n) {
			w.in.machine.Put(&w.in.gap, gapJumped) // the variable is assigned later
			w.in.machine.Put(&w.in.gapFrom, w.core.Seen().Instructions)
			w.in.machine.Put(&w.in.gapTo, to)
			return false, nil
		}
	}
	if !w.in.isThread(n) {
		return false, nil // a stack of no thread's, such as an interrupt's
	}
	t, err := w.beliefs.comes(u, n, to)
	return err == nil && w.switched(u, uint64(t)), err
}

// isThread: there is one of that number, or could be.
func (k *situation) isThread(n uint64) bool {
	if _, known := k.numbered(n); known {
		return true
	}
	return n != 0 && k.saysReady(n)
}

// pollGap looks whether it has. It reports whether another thread runs from here on.
func (w *switches) pollGap(u *turn) (bool, error) {
	if !w.in.stepsGap() {
		return false, nil
	}
	n, _ := w.in.word(w.in.profile.Current)
	if n == w.in.threads[w.in.running.Get()].own.Number || !w.in.isThread(n) {
		return false, nil
	}
	w.in.machine.Put(&w.in.gap, gapNone)
	t, err := w.beliefs.comes(u, n, w.in.gapTo.Get())
	return err == nil && w.switched(u, uint64(t)), err
}

// findTells sets breakpoints on the annotations. It names one that is missing.
func (k *fixed) findTells() (missing string) {
	k.findCalls()
	if k.profile != nil {
		k.findOwn()
		return ""
	}
	for kind, name := range tellNames {
		if f, ok := k.image.Symbol(profile.TellPrefix + name); ok {
			k.tells[f.Addr] = tellKind(kind)
			k.machine.Break(f.Addr, aBreak)
		}
	}
	if all := Untold(k.image); len(all) > 0 {
		return all[0]
	}
	return ""
}
