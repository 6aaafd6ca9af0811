// Package steer makes a kernel that owns the machine into a por.System: such a guest
// schedules its threads itself, on one processor, and landgo can only interrupt it.
//
//	scheduler.System ── threads, names, marks, points ──┐
//	Board ── timer, ports, devices ─────────────────────┤ Kernel ── por
//	what the kernel or its profile tells ───────────────┘
//
// Invariant: each schedule is one that the kernel makes itself, under some timing of
// its timer. All state that a step changes is a word of the machine's log, a thread
// (saved before it is changed), or derived from those; except what is learned for good.
package steer

import (
	"slices"

	"landgo/emu"
	"landgo/image"
	"landgo/scheduler"
	"landgo/trace"
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
// Where a thread was interrupted, it goes on with interrupts on, and can be
// interrupted again at once, before it does anything. A thread that gave the
// processor up itself is switched to with interrupts off, and runs its *tail*
// (the rest of a wait in semaphore_down) before they are on: nobody can keep it
// from that. So who is brought past such a thread has run its tail.
//
// # Dependence
//
// What the interrupt's handler and the switch do for a tick is no event of a
// thread's: who runs next is the search's choice. That two steps commute whose
// accesses don't conflict rests on this: where all ready threads were
// interrupted, the order of the ready list makes no difference, for ticks reach
// all of them past each other. It doesn't hold in these cases, and a step to
// which one applies depends on every step of another thread (wide):
//
//   - A ready thread stands before its tail, before the step or after it: the
//     order in which threads are reached decides who has run its tail. (A wake-up
//     makes such threads.) A tail that does nothing that others could tell isn't
//     meant: to bring the processor past it is as if it had been interrupted. The
//     tails of new threads and of those that yield are taken for such until one
//     is seen to do more (tail.go); then the search starts again. That is
//     seen if it ever happens: a ready thread's step is taken in some execution
//     from each state in which it is ready, before the end at the latest.
//   - A thread sleeps: ticks may wake it, and their number depends on the order.
//   - The step accesses memory in conflict with what ticks were seen to do
//     (Kernel.ticked): outside of a section without interrupts that is a race with
//     the interrupt; and in one it may see how many there were (a clock). The
//     kernel can say that some memory is its scheduler's alone
//     (landgo_scheduling); what is done there without interrupts depends on who
//     is ready only, not on the order, and is an event like any other.
//   - Ready threads of different priority, of which ticks reach the best only.
//
// The label of a step is the same in all equivalent orders: to swap two steps
// that aren't wide changes none of the conditions.
type Kernel struct {
	*scheduler.System
	machine  *emu.Machine
	image    *image.Image
	wordSize uint64 // of the general registers, in bytes
	board    Board
	threads  []thread   // by TID
	ownLog   []ownSave  // goes with the log of the System's threads
	steps    []stepInfo // of the present path
	run      emu.Run    // scratch
	stopIf   func() bool

	// The processor: words of the machine's log.
	cpu     uint64 // the emu.Ctx in which it stands
	on      uint64 // 1: interrupts are delivered
	user    uint64 // 1: it is in user mode
	running uint64 // the TID of the thread whose code it runs
	gap     uint64 // see switch.go
	booted  uint64
	lent    uint64 // 1: the stack pointer is in a stack of no thread's
	born    uint64 // threads created, the idle ones aside
	idles   uint64
	// unannounced is how many threads are so.
	unannounced uint64

	// regs are to be written into the processor before it runs on; set says which.
	// Empty between steps.
	regs emu.Regs
	set  emu.RegSet
	// had is what context hadIn has in them, where it is known.
	had   emu.Regs
	hadIn emu.Ctx

	tells map[uint64]tellKind
	// own is a kernel that a profile tells of; nil: it tells itself. named are
	// functions with roles, by entry; sleeps those in which threads wait for time;
	// returns where calls of them return to: learned for good.
	profile *image.OwnKernel
	named   map[uint64]image.Bound
	sleeps  map[uint64]bool
	returns map[uint64]bool
	letsGo  map[uint64]bool // functions that may not leave interrupts off, by entry
	// ticked is what ticks were seen to do to 8 bytes of memory, by address / 8.
	// Learned for good.
	ticked map[uint64]tickAccess
	// scheduling is memory of which only the choice of who runs next depends.
	scheduling []emu.Range
	stackEnds  []stackEnd // by thread, see stackEnd
	early      []early
	// probes: who can run is found out by trying; tried has who was, in the
	// present state. Learned for good.
	probes bool
	tried  map[trace.TID]bool
	// unranked: landgo ignores priorities. Learned for good (rank.go).
	unranked bool
	// heavy are the kinds of tails that were seen to do what others can tell.
	// Learned for good.
	heavy      [numTailKinds]bool
	tailWords  map[scheduler.TailWord]bool // see tail.go; learned for good
	wide       bool                        // the step under way
	could      []trace.TID                 // who could run before it
	bootBlocks []bootBlock
	bootInsns  uint64
	first      uint64 // the thread that calls landgo_booted, by the kernel's number
	tickAt     uint64
	toldOf     uint64      // see switch.go
	wakers     []trace.TID // see time.go; nil: not known yet
	ticks      uint64      // that have passed: a word of the machine's log
	ports      uint64      // accesses of threads to ports: a word of the machine's log
	probing    bool        // ticks are being tried
	trying     bool        // a livelock is
	due        bool        // a tick comes with the step under way
	vain       uint64      // see livelock.go: a word of the machine's log
	polled     uint64      // instructions since stopIf was asked
	unsteady   bool        // a tick has woken somebody it wasn't foretold to; learned for good
	oversleeps bool        // a thread sleeps for more than maxSleep ticks; learned for good
	asked      uint64      // accesses to ports of anybody
	ons        uint64      // how often interrupts came on: a word of the machine's log
	gapFrom    uint64
	gapTo      uint64          // the stack pointer that was loaded then
	looked     uint64          // the journal's length when threads were looked for last (profile.go)
	tickBest   int64           // see outranks
	idled      map[uint64]bool // see checkIdle
	atBreak    uint64          // 1: the processor stands at an annotation that was dealt with
	paged      bool            // the page tables in use were looked at
	// volatile: the kernel changes control registers while threads run. control
	// has them if not.
	volatile bool
	control  *emu.BoardRegs
	mending  uint64 // 1: the handler of a page fault may have changed what is mapped
}

// Board is what a Kernel needs of its machine's devices.
type Board interface {
	In(port uint16, size uint8) (uint32, error)
	Out(port uint16, size uint8, v uint32) error
	// Timer has the timer ask for an interrupt; false: it can't be delivered.
	Timer() bool
	// Pending is the vector of the interrupt to deliver next, and Acknowledge
	// takes it.
	Pending() (vector uint8, ok bool)
	Acknowledge()
	// Load and Store access a register of a device beyond memory.
	Load(addr uint64, size uint32) (uint64, error)
	Store(addr uint64, size uint32, v uint64) error
	// Screen is the memory of the text screen.
	Screen() emu.Range
	// Ended: the machine was switched off.
	Ended() (status uint64, ended bool)
}

// tickAccess is which of 8 bytes ticks read and write, a bit for each.
type tickAccess struct{ reads, writes uint8 }

// ownState is what a kernel says of a thread.
type ownState uint8

const (
	ownCreated ownState = iota
	ownReady
	ownBlocked
	ownSleeping
)

// ownThread is a thread of a kernel's own.
type ownThread struct {
	number   uint64 // as the kernel calls it
	state    ownState
	idle     bool
	priority int64
	wants    uint64 // what it was about to acquire last
	children uint64
	// tail: it gave the processor up itself, or hasn't run yet.
	tail  bool
	kind  tailKind
	stack uint64 // the physical address of its stack pointer when it gave the processor up
	// interrupted: it was, at regs, and a handler's frame is on its stack.
	interrupted bool
	// halted: it waits for an interrupt (hlt).
	halted bool
	asleep uint64 // the stack pointer at its call of timer_sleep (Pintos),
	since  uint64 // and the ticks before it
	length uint64 // that it wants to sleep
	wakes  uint64 // the number of the tick that will wake it, see time.go
	// noted: since it was switched to, it has noted that it runs (profile.go).
	noted bool
	// stackLow is the lowest address of its stack, 0 if nobody has said so.
	stackLow uint64
	// frames is the stack pointer at the place where it was interrupted: the handler's
	// frames are below.
	frames uint64
	ended  bool // it will be gone after the next switch
	// unannounced: it runs, or ran, and landgo_ready hasn't been called.
	unannounced bool
	calls       []ownCall // of functions with roles, under way, outermost first
	// exceptions are those that its handlers treat, outermost first; mended has the one
	// that it came back from last.
	exceptions []exception
	mended     *exception
	// See round.go.
	lap             uint64
	lapFrom         uint64 // the journal's length when its turn began, and the one before
	lapBefore       uint64
	round           bool
	stored, storing bool
}

// handlerThread stands, in the record of what memory threads share, for the code
// that ticks run.
const handlerThread trace.TID = 249

// schedulerResource is what each step reads of the scheduler, and wide ones
// change.
const schedulerResource = 1 << 41

// New makes a Kernel of a System that has no kernel yet. Functions of the kernel
// may have roles.
func New(s *scheduler.System, b Board, roles map[uint64]image.Bound) *Kernel {
	k := &Kernel{
		System: s, machine: s.Machine(), image: s.Image(), wordSize: s.Image().Machine.Word(), board: b,
		threads: make([]thread, 0, s.Config().MaxThreads), named: roles,
		sleeps: map[uint64]bool{}, returns: map[uint64]bool{}, letsGo: map[uint64]bool{}, ticked: map[uint64]tickAccess{},
		tells: map[uint64]tellKind{}, tailWords: map[scheduler.TailWord]bool{}, idled: map[uint64]bool{}, hadIn: noWhere,
	}
	if p := s.Config().Profile; p != nil {
		k.profile = p.Kernel
	}
	s.Steer(k)
	return k
}

// aBreak is the class of all breakpoints.
const aBreak = 1

// stepInfo is what is remembered of a step of the present path.
type stepInfo struct {
	tr      *trace.Transition
	ctx     emu.Ctx   // before the step
	journal uint64    // the machine's journal before the step
	pc      uint64    // where the thread stood
	insns   uint64    // of the thread, before the step
	prev    int32     // the thread's step before: its index + 1; 0: none
	ticks   uint64    // that had passed
	ports   uint64    // the threads' accesses to ports
	clock   uint64    // and their reads of the time-stamp counter
	on      uint64    // interrupts
	ons     uint64    // how often they had come on
	off     bool      // it is as at an earlier step, and interrupts were off all the time
	at      trace.TID // whose the processor was, standing where it stood
	turn    bool      // threads may have gone round before it
}

// Step implements por.System.
func (s *Kernel) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	th := &s.threads[t]
	prev := th.LastStep
	tr, err := s.Begin(t, c, emu.Ctx(s.cpu), th.Regs.RIP)
	if err != nil {
		return nil, err
	}
	s.steps = append(s.steps, stepInfo{tr: tr, ctx: emu.Ctx(s.cpu), journal: s.machine.Journal(), pc: th.Regs.RIP, prev: prev, insns: th.Insns, ticks: s.ticks, ports: s.ports, clock: s.machine.ClockReads(), on: s.on, ons: s.ons, at: s.standing()})
	s.could = s.whoCan(s.could[:0])
	s.due = s.passes(th)
	s.wide = s.unsettled() || th.own.round || s.due
	s.countVain()
	s.tried, s.wakers = nil, nil
	if s.ranked() {
		s.tryRanks()
	}
	f := s.livelock(th)
	if th = &s.threads[t]; f != nil {
		th.Failure = f
		s.end(tr, trace.EndBug)
	} else {
		err = s.take(th, tr)
	}
	if err == nil && s.gap != gapNone && tr.End != trace.EndBug && tr.End != trace.EndProcess {
		err = s.openGap(&turn{th: th, tr: tr})
	}
	if err == nil {
		err = s.look(tr)
	}
	if err == nil {
		err = s.checkAnnounced(th, tr)
	}
	if err == nil {
		err = s.flush()
	}
	s.wide = s.wide || s.unsettled() || th.own.round
	tr.Did(trace.Op{Kind: trace.OpSyscall, Obj: schedulerResource, Arg: uint64(b2i(s.wide))})
	// A sleeper that a tick has woken, and that could have been brought to run before,
	// didn't need this step for it.
	tr.Wakes = slices.DeleteFunc(tr.Wakes, func(t trace.TID) bool { return slices.Contains(s.could, t) })
	s.Done(tr)
	if err != nil {
		return nil, err
	}
	s.WakeSpinners(tr)
	s.findSpin(th, tr)
	tr.Disables = s.disabled(tr)
	s.Idle()
	if tr.End != trace.EndProcess && tr.End != trace.EndBug {
		// What is learned by trying who can run has to be told by this step: no
		// other may follow.
		s.could = s.whoCan(s.could[:0])
	}
	if err := s.checkIdle(tr); err != nil {
		return nil, err
	}
	if s.Settled() {
		return tr, trace.ErrFiner
	}
	return tr, nil
}

// standing is the thread in whose own code the processor stands.
func (s *Kernel) standing() trace.TID {
	if s.threads[s.running].own.interrupted {
		return trace.NoThread
	}
	return trace.TID(s.running)
}

// take is a step of thread th.
func (s *Kernel) take(th *thread, tr *trace.Transition) error {
	if th.Stand == scheduler.StandFailure {
		s.end(tr, trace.EndBug)
		return nil
	}
	done, err := s.reach(th, tr)
	if isUnreached(err) && !s.probes {
		// Begin again, and try first.
		s.probes = true
		s.Refine()
		return nil
	}
	if err != nil || done {
		return err
	}
	return s.advanceOwn(th, tr)
}

// end ends the guest.
func (s *Kernel) end(tr *trace.Transition, how trace.End) {
	if th := &s.threads[tr.Thread]; th.Insns == tr.Begin {
		th.Insns++ // the end is a place of its own, whoever came to it
	}
	tr.End = how
	tr.Did(trace.Op{Kind: trace.OpEnd})
}

// unsettled: the order in which threads are reached makes a difference.
func (s *Kernel) unsettled() bool {
	if s.probes {
		return true
	}
	first := true
	var priority int64
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.Live() || th.own.idle {
			continue
		}
		switch th.own.state {
		case ownSleeping:
			return true
		case ownReady:
			if th.own.tail && s.isHeavy(th.own.kind) || !first && !s.unranked && th.own.priority != priority {
				return true
			}
			first, priority = false, th.own.priority
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
func (s *Kernel) reach(th *thread, tr *trace.Transition) (done bool, err error) {
	limit := maxTicks
	if th.own.state == ownSleeping {
		limit = maxSleep
	}
	for ticks := 0; ; {
		r := &s.threads[s.running]
		switch {
		case r.ID == th.ID && th.own.interrupted:
			done, err = s.land(r, tr)
		case r.ID == th.ID && !th.own.halted:
			return false, nil
		case s.on == 0 && r.own.interrupted:
			done, err = s.land(r, tr)
		case s.on == 0:
			done, err = s.tail(r, tr)
		default:
			if ticks++; ticks > limit {
				return false, s.unreached(th, s.PC(th.ID),
					"%d ticks of the timer don't bring the processor to thread %s, which the kernel says is ready", limit, s.Name(th.ID))
			}
			done, err = s.tick(r, tr)
		}
		if err != nil || done {
			return done, err
		}
	}
}

// failOwn ends the guest with a bug: at once with interrupts off, for then nobody
// can forestall it; else as a step of its own.
func (s *Kernel) failOwn(th *thread, tr *trace.Transition, f *scheduler.Failure) {
	s.save(th.ID)
	if x := s.untreated(th); x != nil {
		f, th.Regs = x, th.own.exceptions[0].Regs
	}
	th.Failure = f
	if s.on == 1 && th.ID == tr.Thread {
		th.Stand = scheduler.StandFailure
		return
	}
	s.threads[tr.Thread].Failure = f
	s.end(tr, trace.EndBug)
}
