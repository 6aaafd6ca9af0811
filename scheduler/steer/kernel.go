package steer

import (
	"slices"

	"landgo/emu"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
	"landgo/scheduler/known"
)

// Kernel is a guest that schedules its threads itself. It implements por.System.
//
// A step of thread t brings the processor to t, and lets t run to its next
// preemption point. To bring it there landgo delivers timer interrupts where
// threads stand, one after the other, until the kernel's own scheduler has
// chosen t. So each schedule is one that the kernel makes under some timing of
// its timer; a thread that ticks don't reach makes the guest invalid, by name.
//
//	thread s, at a point ── tick ──> handler, scheduler ── switch ──> u ── tick ──> ... ──> t ── its step
//
// Where a thread was interrupted, it goes on with interrupts on, and can be interrupted
// again at once, before it does anything. A thread that gave the processor up itself is
// switched to with interrupts off, and runs its *tail* (the rest of a wait in
// semaphore_down) before they are on. No other thread can keep it from that. So a thread
// past which another one is brought has run its tail.
//
// # Dependence
//
// The work of the interrupt's handler and of the switch for a tick is no event of a
// thread's: which thread runs next is the search's choice. Two steps whose accesses
// don't conflict commute for this reason. Where all ready threads were interrupted, the
// order of the ready list makes no difference, for ticks reach all of them past each
// other. It doesn't hold in these cases, and a step to which one applies depends on
// every step of another thread (wide):
//
//   - A ready thread stands before its tail, before the step or after it: the
//     order in which threads are reached decides which have run their tails. (A wake-up
//     makes such threads.) A tail that no other thread can see isn't
//     meant: to bring the processor past it is as if it had been interrupted. The
//     tails of new threads and of those that yield are taken for such until one
//     is seen to do more (tail.go); then the search starts again. That is
//     seen if it ever happens: a ready thread's step is taken in some execution
//     from each state in which it is ready, before the end at the latest.
//   - A thread sleeps: ticks may wake it, and their number depends on the order.
//   - The step accesses memory in conflict with what ticks were seen to do
//     (known.Ticked). Outside of a section without interrupts that is a race with
//     the interrupt, and in one it may see how many there were (a clock). The
//     kernel can say that some memory is its scheduler's alone (landgo_scheduling).
//     Accesses there without interrupts depend on the set of ready threads only,
//     not on the order, and are events like any other.
//   - Ready threads of different priority: ticks reach only the best.
//
// The label of a step is the same in all equivalent orders: to swap two steps
// that aren't wide changes none of the conditions.
type Kernel struct {
	*scheduler.System
	situation
	known *known.Facts
	boot
	scratch

	// Parts, with fields and methods of their own.
	core        core
	proc        *processor
	tails       *tails
	beliefs     *beliefs
	sleepers    *sleepers
	rounds      *rounds
	livelocks   *livelocks
	ranks       *ranks
	switches    *switches
	calls       *calls
	annotations *annotations
	ticker      *ticker
	exec        *execution
}

// handlerThread stands, in the record of what memory threads share, for the code
// that ticks run.
const handlerThread trace.TID = 249

// schedulerResource stands for the scheduler, which each step reads, and wide ones
// change.
const schedulerResource = 1 << 41

// New makes a Kernel of a System that has no kernel yet. Functions of the kernel
// may have roles, and a profile may describe it; nil: it tells itself.
func New(s *scheduler.System, b Board, roles map[uint64]profile.Bound, profile *profile.OwnKernel) *Kernel {
	k := &Kernel{
		System: s,
		situation: situation{
			reading: reading{
				fixed: fixed{
					machine: s.Machine(), image: s.Image(), wordSize: s.Image().Machine.Word(), board: b, named: roles, profile: profile,
					tells: map[uint64]tellKind{},
				},
				noted: noted{returns: map[uint64]bool{}, idled: map[uint64]bool{}},
			},
			path: path{threads: make([]thread, 0, s.Config().MaxThreads)},
		},
		known: s.Known(),
	}
	in, known, c := &k.situation, k.known, core{System: s, path: &k.path}
	k.core = c
	k.proc = &processor{in: in, loaded: noLoad()}
	k.ranks = &ranks{in: in, core: c, known: known}
	k.tails = &tails{in: in, core: c, known: known, step: &k.stepping, proc: k.proc}
	k.beliefs = &beliefs{in: in, core: c, known: known, step: &k.stepping, proc: k.proc}
	k.switches = &switches{in: in, core: c, proc: k.proc, beliefs: k.beliefs, ranks: k.ranks}
	k.calls = &calls{in: in, core: c, proc: k.proc, end: k.end}
	k.annotations = &annotations{in: in, core: c, proc: k.proc, beliefs: k.beliefs, tails: k.tails, calls: k.calls, switches: k.switches}
	k.ticker = &ticker{in: in, core: c, proc: k.proc, beliefs: k.beliefs, tails: k.tails, ranks: k.ranks, annotations: k.annotations}
	k.exec = &execution{in: in, core: c, step: &k.stepping, proc: k.proc, tails: k.tails, beliefs: k.beliefs, switches: k.switches, calls: k.calls,
		annotations: k.annotations, ticker: k.ticker, failOwn: k.failOwn, end: k.end, tryOut: k.tryOut}
	k.calls.exec, k.calls.annotations, k.annotations.exec, k.ticker.exec = k.exec, k.annotations, k.exec, k.exec
	k.sleepers = &sleepers{in: in, core: c, known: known, step: &k.stepping, beliefs: k.beliefs, onward: k.ticker.onward, tryOut: k.tryOut}
	k.rounds = &rounds{in: in, core: c, known: known, step: &k.stepping, proc: k.proc, ranks: k.ranks, canRun: k.canRun}
	k.livelocks = &livelocks{in: in, core: c, known: known, step: &k.stepping, rounds: k.rounds, take: k.Step, tryOut: k.tryOut, waitOf: k.waitOf}
	s.Steer(k)
	return k
}

// aBreak is the class of all breakpoints.
const aBreak = 1

// Step implements por.System.
func (k *Kernel) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	th := &k.threads[t]
	prev := th.LastStep
	tr, err := k.Begin(t, c, emu.Ctx(k.cpu.Get()), th.Regs.RIP)
	if err != nil {
		return nil, err
	}
	k.steps = append(k.steps, stepInfo{tr: tr, ctx: emu.Ctx(k.cpu.Get()), journal: k.machine.Journal(), pc: th.Regs.RIP, prev: prev, insns: th.Insns, ticks: k.ticks.Get(), ports: k.ports.Get(), clock: k.machine.ClockReads(), on: k.on.Cell().Get(), ons: k.ons.Get(), at: k.standing()})
	k.could = k.runnable(k.could[:0])
	k.due = k.rounds.passes(th)
	k.wide = k.unsettled() || th.own.Round || k.due
	k.livelocks.countVain()
	k.answers.forget()
	if k.ranks.ranked() && (!k.ranks.hunts || k.ranks.fresh()) {
		k.tryRanks()
	}
	f := k.livelocks.livelock(th)
	if th = &k.threads[t]; f != nil {
		k.core.edit(th.ID).Failure = f
		k.end(tr, trace.EndBug)
	} else {
		err = k.take(th, tr, c)
	}
	if err == nil && k.gap.Get() != gapNone && tr.End != trace.EndBug && tr.End != trace.EndProcess {
		err = k.switches.openGap(&turn{th: th, tr: tr})
	}
	if err == nil {
		err = k.beliefs.look(tr)
	}
	if err == nil {
		err = k.checkAnnounced(th, tr)
	}
	if err == nil {
		err = k.proc.flush()
	}
	k.wide = k.wide || k.unsettled() || th.own.Round
	tr.Did(trace.Op{Kind: trace.OpSyscall, Obj: schedulerResource, Arg: uint64(b2i(k.wide))})
	// A sleeper that a tick has woken, and that could have been brought to run before,
	// didn't need this step for it.
	tr.Wakes = slices.DeleteFunc(tr.Wakes, func(t trace.TID) bool { return slices.Contains(k.could, t) })
	k.Done(tr)
	if err != nil {
		return nil, err
	}
	k.WakeSpinners(tr)
	k.rounds.findSpin(th, tr)
	tr.Disables = k.disabled(tr)
	k.Idle()
	if tr.End != trace.EndProcess && tr.End != trace.EndBug {
		// To try which threads can run may learn something. This step has to tell of it, because
		// no other may follow.
		k.could = k.runnable(k.could[:0])
	}
	if err := k.checkIdle(tr); err != nil {
		return nil, err
	}
	if k.Settled() {
		return tr, trace.ErrFiner
	}
	return tr, nil
}

// standing is the thread in whose own code the processor stands.
func (k *situation) standing() trace.TID {
	if k.threads[k.running.Get()].own.Interrupted {
		return trace.NoThread
	}
	return trace.TID(k.running.Get())
}

// take is a step of thread th.
func (k *Kernel) take(th *thread, tr *trace.Transition, c trace.Choice) error {
	if th.Stand == scheduler.StandFailure {
		k.end(tr, trace.EndBug)
		return nil
	}
	k.outcome = nothingComes
	if all := k.outcomesOf(th); uint64(c) < uint64(len(all)) {
		k.outcome = all[c] // in another order a step may have fewer outcomes than where it was seen
	}
	k.wide = k.wide || k.outcome != nothingComes
	done, err := k.reach(th, tr)
	if isUnreached(err) && !k.known.Probes {
		// Begin again, and try first.
		k.known.Probes = true
		k.Refine()
		return nil
	}
	if err != nil || done {
		return err
	}
	return k.advanceOwn(th, tr)
}

// end ends the guest.
func (k *Kernel) end(tr *trace.Transition, how trace.End) {
	if th := k.core.edit(tr.Thread); th.Insns == tr.Begin {
		th.Insns++ // the end is a place of its own, whichever thread reached it
	}
	tr.End = how
	tr.Did(trace.Op{Kind: trace.OpEnd})
}

// unsettled: the order in which threads are reached makes a difference.
func (k *Kernel) unsettled() bool {
	if k.known.Probes {
		return true
	}
	first := true
	var priority int64
	for i := range k.threads {
		th := &k.threads[i]
		if !k.threads[i].Exists || !th.Live() || th.own.Idle {
			continue
		}
		switch th.own.State {
		case ownSleeping:
			return true
		case ownReady:
			if th.own.Tail && k.tails.isHeavy(th.own.Kind) || !first && !k.known.Unranked && th.own.Priority != priority {
				return true
			}
			first, priority = false, th.own.Priority
		}
	}
	return false
}

// maxTicks is how many ticks it may take to reach a thread that is ready, and
// maxSleep one that sleeps.
const (
	maxTicks = 1000
	maxSleep = 100_000
)

// reach brings the processor to a thread. done: the guest ended on the way.
func (k *Kernel) reach(th *thread, tr *trace.Transition) (done bool, err error) {
	limit := maxTicks
	if th.own.State == ownSleeping {
		limit = maxSleep
	} else {
		// A disk may take longer than the kernel takes to choose a thread that is ready.
		defer func(was bool) { k.ticker.timerOnly = was }(k.ticker.timerOnly)
		k.ticker.timerOnly = true
	}
	for ticks := 0; ; {
		r := &k.threads[k.running.Get()]
		switch {
		case r.ID == th.ID && th.own.Interrupted:
			done, err = k.ticker.land(r, tr)
		case r.ID == th.ID && !th.own.Halted:
			return false, nil
		case !k.on.Get() && r.own.Interrupted:
			done, err = k.ticker.land(r, tr)
		case !k.on.Get():
			done, err = k.ticker.tail(r, tr)
		case k.keeps(r):
			return false, k.ticker.unreached(th, k.PC(th.ID), "thread %s runs the kernel's code and doesn't give way to thread %s, which the kernel says is ready", k.Name(r.ID), k.Name(th.ID))
		default:
			if ticks++; ticks > limit {
				return false, k.ticker.unreached(th, k.PC(th.ID),
					"%d ticks of the timer don't bring the processor to thread %s, which the kernel says is ready", limit, k.Name(th.ID))
			}
			done, err = k.ticker.tick(r, tr)
		}
		if err != nil || done {
			return done, err
		}
	}
}

// failOwn ends the guest with a bug: at once with interrupts off, for then no other thread
// can forestall it; else as a step of its own.
func (k *Kernel) failOwn(th *thread, tr *trace.Transition, f *scheduler.Failure) {
	e := k.core.edit(th.ID)
	if x := k.exec.untreated(th); x != nil {
		f, e.Regs = x, th.own.Exceptions[0].Regs
	}
	e.Failure = f
	if k.on.Get() && th.ID == tr.Thread {
		e.Stand = scheduler.StandFailure
		return
	}
	k.end(tr, trace.EndBug)
	k.core.edit(tr.Thread).Failure = f
}

// advanceOwn runs a thread from where it stands to its next preemption point.
func (k *Kernel) advanceOwn(th *thread, tr *trace.Transition) error {
	u := turn{th: th, tr: tr, points: true}
	if th.Stand == scheduler.StandAccess {
		u.allow = 1
	}
	k.core.edit(th.ID).Stand = scheduler.StandRun
	if !k.on.Get() {
		k.section(tr, true)
	}
	from := th.Insns
	for {
		if done, err := k.come(th, tr); done || err != nil {
			return err
		}
		h, err := k.exec.runFor(&u)
		if err != nil {
			return err
		}
		if h == atOn && th.Insns-from > sections {
			h = atCountOut
		}
		if h == atCountOut {
			from = th.Insns
		}
		switch h {
		case atOn:
			k.core.edit(th.ID).own.Tail = false
			k.rounds.sectionEnds(th)
			if k.due {
				k.due = false
				if done, err := k.ticker.tick(th, tr); done || err != nil {
					return err
				}
				if done, err := k.reach(th, tr); done || err != nil {
					return err
				}
			}
			if done, err := k.ticker.devices(&u); done || err != nil {
				return err
			}
			if k.Config().Points&trace.PointSTI != 0 && !k.aloneOwn() {
				k.exec.saw(&u)
				if k.exec.meets(th, th.Regs.RIP, trace.PointSTI) {
					return nil
				}
			}
		case atPoint, atLimit, atEnd:
			if h != atEnd {
				k.exec.saw(&u)
			}
			return nil
		case atHalt:
			k.exec.saw(&u)
			e := k.core.edit(th.ID)
			e.own.Halted, e.Yielding = true, true
			return nil
		case atSwitch:
			k.core.edit(th.ID).Yielding = th.Live()
			if th.Yielding {
				k.gaveWay(k.core.edit(th.ID))
			}
			return nil
		case atCountOut:
			// A loop: time passes, and the kernel may choose another.
			k.core.edit(th.ID).own.Tail = false
			k.rounds.sectionEnds(th)
			k.exec.saw(&u)
			if spins, err := k.rounds.spins(th); spins || err != nil {
				return err
			}
			if done, err := k.ticker.tick(th, tr); done || err != nil {
				return err
			}
			if !k.aloneOwn() {
				k.core.edit(th.ID).Yielding = true
				return nil
			}
			if done, err := k.reach(th, tr); done || err != nil {
				return err
			}
		}
	}
}
