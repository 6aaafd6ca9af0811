package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler/known"
	"landgo/scheduler/names"
	"landgo/scheduler/spins"
	"landgo/scheduler/witness"
)

// Config has the settings of a System beside the guest.
type Config struct {
	Granularity
	// StepBudget is the number of instructions that one step may take.
	StepBudget uint64
	// Tested: the guest's own library is tested, and roles only say where
	// preemption points are; with Guarded, of some functions they say more (CheckGuarded).
	Tested, Guarded bool
	// OwnAllocator: the guest's own allocator runs, and is followed. Pools: allocators
	// whose code is tested are.
	OwnAllocator, Pools bool
	// Leaks says which blocks that are left at the end are bugs.
	Leaks Leaks
	// Fill, if not nil, has the bytes that blocks of memory are filled with when
	// they are given out, see twin.go.
	Fill *Fill
	// Declared says which accesses are to variables that are declared atomic; nil: all. Reports
	// list races of the others.
	Declared func(*trace.Access) bool
	// Polls: a search is spared no poll of what isn't declared atomic (await.go).
	Polls bool
	// Alike says whether threads that run a function can be alike (alike.go); nil: none are.
	Alike func(entry uint64) *static.Code
	// Ordered: no steps are told to have the same effect in both orders (blend.go).
	Ordered bool
	// OutputOrder: the order of lines printed tells outcomes apart.
	OutputOrder bool
	// Unordered: what runs the guest takes stores for unordered that no read tells apart
	// (por.Overwriter). All reads are events then.
	Unordered bool
	// Faults are the failures that executions may have (faults.go).
	Faults trace.Faults
	// Ticks is how often timers that send signals go off in an execution, while something
	// else can run (timer.go).
	Ticks uint64
	// NotForTimers, if not empty, is why the search can't have timers that send signals.
	NotForTimers string
	// OneByOne: no two timed waits run out in one step.
	OneByOne bool
	// AtOnce: signals to other threads come in the step that sends them (arrival.go).
	AtOnce bool
	// Leaves: an instruction that isn't modelled ends its execution, as a Failure that is Left.
	Leaves bool
	// Deepens: the search chooses among sets of preemption points by the races that it sees.
	Deepens bool
	// Buffers: stores to shared memory go through store buffers (buffer.go).
	Buffers bool
	// Divided: system calls copy memory in several steps where threads share it (copies.go).
	Divided bool
	// YieldRounds: the turns of long loops count as yields (spins/rounds.go).
	YieldRounds bool
	// MaxThreads bounds the number of threads of all executions.
	MaxThreads int
	// KeepAll records private accesses too (replays).
	KeepAll bool
	// LetThrough says which errors of the heap an execution goes past, of those that don't
	// stop the machine; nil: none.
	LetThrough func(*Failure) bool
}

// System is a guest under control. It implements por.System, and the parts of a kernel.Host.
type System struct {
	named
	learning
	seen
	scratch
	// Parts, with fields and methods of their own (doc.go). Other packages ask those with a
	// capital.
	Sharing  *Sharing
	Kinship  *Kinship
	Promises *Promises
	Leaks    *leaks
	Failing  *Failing
	Ends     *Ends
	Points   *Points
	Signals  *signals
	Naps     *Naps
	copies   *copyCalls
	Panics   *Panics
	uses     *uses
	longest  *longest
	twins    *twins
	trials   *trials
	Traps    *Traps
	scouts   *scouts
	spins    *finder
	awaits   *awaits
	backs    *backouts
	hints    *hints
	counts   *counts
	Blends   *blends
	unreads  *unreads
	buffers  *buffers
}

// RegistersOf are a thread's general registers.
func (s *System) RegistersOf(t trace.TID) emu.Regs {
	if s.steered() {
		return s.companion.Registers(t)
	}
	r := *s.Regs(t)
	r.RIP = s.PC(t)
	return r
}

// New makes a System for an image on a machine that holds it already. Attach
// and Boot complete it.
func New(cfg Config, m *emu.Machine, img *image.Image) *System {
	if cfg.MaxThreads == 0 {
		cfg.MaxThreads = 1000
	}
	if cfg.Buffers {
		cfg.MaxThreads *= 2
	}
	s := &System{
		named: named{
			present: present{
				fixed: fixed{
					cfg: cfg, image: img, machine: m, wordSize: img.Machine.Word(),
					lowHeap: kernel.HasLowHeap(img.File), lib: uncarried{}.carrier(),
				},
				state: state{
					threads: make([]thread, 0, cfg.MaxThreads), turns: map[turnKey]int32{},
					heap: heap.New(), mapped: heap.NewApart(),
				},
			},
			found: found{
				names: names.New(cfg.MaxThreads, cfg.Buffers),
			},
		},
		learning: learning{known: known.New()},
		seen:     seen{record: witness.NewRecord()},
		scratch:  scratch{pinned: -1},
	}
	s.torn, s.facts = &s.known.Torn, &s.known
	s.Stacks = &Stacks{in: &s.present, names: s.names, learns: &s.learning}
	s.Sharing = &Sharing{in: &s.present, names: s.names, learning: &s.learning, seen: &s.seen, regs: s.Regs,
		called: func(t trace.TID, made []trace.Access) { s.counts.called(t, made) }}
	s.Kinship = &Kinship{in: &s.present, stacks: s.Stacks, learning: &s.learning, attempt: &s.attempt,
		anyReady: func() bool { return s.Present().Ready.Len() > 0 }}
	s.buffers = &buffers{in: &s.present, learning: &s.learning, attempt: &s.attempt, seen: &s.seen, run: &s.run, intern: s.Intern}
	s.arrivals = &arrivals{in: &s.present, names: s.names, stacks: s.Stacks, learning: &s.learning, intern: s.Intern}
	s.timers = &timers{in: &s.present, names: s.names, seen: &s.seen, learning: &s.learning, intern: s.Intern}
	s.Stacks.timers = s.timers
	s.Sharing.timers = s.timers
	s.Mappings = &Mappings{in: &s.present}
	s.Promises = &Promises{in: &s.named, sharing: s.Sharing, learning: &s.learning, regs: s.Regs}
	s.Blocks = &Blocks{in: &s.named, attempt: &s.attempt}
	s.Leaks = &leaks{in: &s.present, stacks: s.Stacks, blocks: s.Blocks, attempt: &s.attempt}
	s.Failing = &Failing{in: &s.present}
	s.Ends = &Ends{in: &s.present, stacks: s.Stacks, sharing: s.Sharing, learning: &s.learning, describe: s.describe}
	s.Points = &Points{in: &s.present, seen: &s.seen}
	s.Signals = &signals{in: &s.named, points: s.Points, sharing: s.Sharing, seen: &s.seen, learning: &s.learning, standAt: s.standAt,
		exposes: func(t trace.TID) { s.unreads.exposes(t) }}
	s.Naps = &Naps{in: &s.present, sharing: s.Sharing, learning: &s.learning}
	s.Panics = &Panics{in: &s.present}
	s.uses = &uses{in: &s.present, seen: &s.seen}
	s.longest = &longest{in: &s.named, seen: &s.seen, attempt: &s.attempt}
	s.twins = &twins{of: s}
	s.trials = &trials{in: &s.present, learning: &s.learning, attempt: &s.attempt, buffers: s.buffers}
	s.spins = &finder{in: &s.present, learning: &s.learning, trials: s.trials, runs: s, dead: map[uint64]dead{}}
	s.Blends = &blends{in: &s.present, learning: &s.learning, blends: map[uint64]trace.Blend{}, leasts: map[uint64]int64{}, adds: map[uint64]tested{}, added: map[uint64]bool{}, unread: map[uint64]bool{}}
	tried := map[pollKey]afterLook{}
	s.counts = &counts{in: &s.present, learning: &s.learning, attempt: &s.attempt, spins: s.spins, kinship: s.Kinship, buffers: s.buffers, stacks: s.Stacks,
		awaiting: func() bool { return s.awaits.on }, surveyed: map[surveyKey]spins.Look{}, choices: map[surveyKey]choice{}, tried: tried, deadTo: map[onward]dead{}, deeply: map[uint64]bool{}}
	s.unreads = &unreads{in: &s.present, learning: &s.learning, blends: s.Blends, counts: s.counts}
	s.Ends.unreads, s.Ends.counts = s.unreads, s.counts
	s.backs = &backouts{in: &s.present, learning: &s.learning, attempt: &s.attempt, spins: s.spins, counts: s.counts, blends: s.Blends, kinship: s.Kinship,
		on: func() bool { return s.awaits.on && !s.cfg.Buffers }, waitsHere: func(a *trace.Access) bool { return s.awaits.waitsHere(a) }, surveyed: map[surveyKey]*spins.Tries{}, adding: map[uint64]bool{}, swapping: map[uint64]bool{}, vain: map[uint64]int{}}
	s.hints = &hints{spared: &s.spared, in: &s.present, learning: &s.learning, attempt: &s.attempt, spins: s.spins, counts: s.counts, backs: s.backs, blends: s.Blends, unreads: s.unreads, surveyed: map[surveyKey]*hint{}}
	s.awaits = &awaits{timers: s.timers, spared: &s.spared, backs: s.backs, hints: s.hints, in: &s.present, learning: &s.learning, attempt: &s.attempt, spins: s.spins, counts: s.counts, blends: s.Blends, buffers: s.buffers, tried: tried}
	s.copies = &copyCalls{in: &s.named, sharing: s.Sharing, seen: &s.seen, judged: s.Promises.judgedWords}
	s.Traps = &Traps{in: &s.named, runs: s, seen: &s.seen, learning: &s.learning, attempt: &s.attempt, sharing: s.Sharing, naps: s.Naps, copies: s.copies, ends: s.Ends,
		failures: s.Failing, signals: s.Signals, buffers: s.buffers, arrivals: s.arrivals, leaks: s.Leaks, panics: s.Panics}
	s.scouts = &scouts{in: &s.present, seen: &s.seen, learning: &s.learning, attempt: &s.attempt, spins: s.spins, buffers: s.buffers,
		threads: s.Threads, scouted: map[trace.TID]uint64{}}
	s.arrivals.traps, s.arrivals.describes = s.Traps, s.describe
	s.timers.traps, s.timers.describes = s.Traps, s.describe
	s.stopAt(cfg.Race)
	return s
}

// Boot attaches the kernel and makes the first thread, which starts with regs.
// It must be called once, before anything else. Nothing runs yet: what is
// learned of sharing on the way to the first choice has to be rewindable too.
func (s *present) Boot(k kernel.Kernel, roles map[uint64]profile.Bound, regs *emu.Regs) {
	s.kernel = k
	_, s.logs = k.(recorder)
	s.clockwork, _ = k.(Clockwork)
	s.courier, _ = k.(Courier)
	_, looks := k.(pageKernel)
	s.faults = !looks && !s.steered() // an access that faults is an event of the machine's
	s.ensure(0)
	if s.cfg.Buffers {
		s.ensure(bufferOf(0))
	}
	s.lib.Boot(k, roles)
	s.Unlist()
	s.bottom = regs.RSP
	s.threads[0] = thread{Thread: Thread{ID: 0, Exists: true, Parent: trace.NoThread, Ctx: s.machine.Start(regs)}}
}

// Machine is the guest's.
func (s *fixed) Machine() *emu.Machine { return s.machine }

// Host is the System as its guest's kernel has it.
func (s *System) Host() kernel.Host {
	return kernel.Host{Machine: s.machine, Threads: s, Interrupter: s}
}

// Intern implements kernel.Threads.
func (s *System) Intern(parent trace.TID, n uint64) (trace.TID, error) {
	known := s.names.Len()
	t, err := s.names.Intern(parent, n)
	if s.sealed && s.names.Len() > known {
		s.finer = true
	}
	return t, err
}

// Name implements kernel.Threads: the thread's path name.
func (s *found) Name(t trace.TID) string { return s.names.Name(t) }

// Lookup finds a thread by its path name.
func (s *found) Lookup(name string) (trace.TID, bool) { return s.names.Lookup(name) }

// Regs implements kernel.Threads.
func (s *System) Regs(t trace.TID) *emu.Regs {
	th := edit{&s.threads[t]} // what is kept of it here follows from the processor
	s.buffers.endStores(th.thread)
	if t != s.current && th.Set == 0 && (th.Stand == StandAccess || th.Stand == StandSpin || th.Stand == StandRun) {
		th.Regs = s.machine.Regs(th.Ctx) // regs is a cache then
	}
	return &th.Regs
}

// SetRegs implements kernel.Threads.
func (s *present) SetRegs(t trace.TID, regs *emu.Regs) {
	th := s.edit(t)
	th.Regs, th.Set, th.Half = *regs, trace.AllRegs, 0
	th.Effects++
	if th.Stand != StandSleep {
		th.Stand = StandRun
	}
}

// CPU implements kernel.Interrupter.
func (s *System) CPU(t trace.TID) emu.Ctx {
	s.pinned, s.spins.cpuKept = s.threads[t].Ctx, true
	return s.pinned
}

// KeepCPU implements kernel.Interrupter.
func (s *scratch) KeepCPU(c emu.Ctx) { s.pinned = c }

// SetResult implements kernel.Threads.
func (s *present) SetResult(t trace.TID, v uint64) {
	th := s.edit(t)
	th.Regs.RAX = v
	th.Set |= trace.RAX
}

// ensure makes room for thread t. Threads never move: the capacity is there
// from the start.
func (s *state) ensure(t trace.TID) {
	for int(t) >= len(s.threads) {
		s.threads = append(s.threads, thread{Thread: Thread{ID: trace.TID(len(s.threads)), Stand: StandExited}})
	}
}

// maxSteps is the longest execution, in steps: beyond it a guest is taken to
// run for ever without an exact spin (a loop that counts, or backs off).
const maxSteps = 200_000

// Step implements por.System.
func (s *System) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	if len(s.twins.beside) > 0 {
		return s.twins.stepBeside(t, c)
	}
	if s.isStart(t) {
		return s.stepStart(t, c)
	}
	return s.stepAlone(t, c)
}

func (s *System) stepAlone(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	if s.isBuffer(t) {
		return s.update(t)
	}
	if s.cfg.Fill != nil {
		s.machine.ResetPath()
	}
	if len(s.steps) >= maxSteps {
		s.longest.noteLong()
		return nil, &BudgetError{Steps: len(s.steps), Thread: t, PC: s.PC(t)}
	}
	planned := s.planHolds(&s.threads[t])
	th := s.edit(t)
	s.trySides(th)
	s.backs.watch(th)
	if planned && th.buffer.Empty() { // else it may find other bytes
		s.keepPlan(th.thread)
	}
	tr := s.arena.Transition(t, c)
	tr.Begin = th.Insns
	before := s.machine.Journal()
	if s.cfg.Buffers {
		s.buffers.moves(func() { s.buffers.apply(th) })
		s.buffers.beginsAt(th, tr)
	}
	info := stepInfo{tr: tr, ctx: th.Ctx, before: before, journal: s.machine.Journal(), pc: s.standPC(th.thread), prev: th.LastStep, effects: th.Effects, insns: th.Insns, half: th.Half}
	info.tried = s.backs.tries(th.thread)
	if th.Set != 0 {
		s.stepRegs = append(s.stepRegs, th.Regs)
		info.set, info.regs = th.Set, int32(len(s.stepRegs))
	}
	if th.LastStep != 0 {
		info.nth = s.steps[th.LastStep-1].nth + 1
	}
	s.stepped++
	info.number = s.stepped
	s.steps = append(s.steps, info)
	alone, promises := s.Alone(th.ID), len(s.promises)
	th.LastStep = int32(len(s.steps))
	over, err := s.Traps.lastTry(th, tr)
	if err == nil && !over {
		err = s.stepTurns(th, tr, c)
	}
	if s.known.Signalled.Has(uint64(t)) {
		tr.Did(trace.Op{Kind: trace.OpTurn, Obj: uint64(t)})
		tr.Loose = true // before a signal, or after it, the step is another one
	}
	if err == nil && s.cfg.Buffers {
		s.steps[len(s.steps)-1].end = s.machine.Journal()
		s.buffers.moves(func() { s.buffers.takeBack(th) })
		s.buffers.touches(tr)
		s.buffers.notesStorers(tr)
	}
	if err == nil {
		if th.left != 0 && (!th.Live() || tr.End == trace.EndProcess) {
			s.Signals.seeTorn(th.thread)
		}
		if !th.Live() {
			s.arrivals.ends(th.thread, tr)
		}
		s.arrivals.set(th, tr)
		err = s.Promises.judge(th, tr, promises, alone)
	}
	tr.Last = th.Insns
	s.arena.Seal(tr)
	if err != nil {
		return nil, err
	}
	s.current = trace.NoThread
	s.settle(th, tr, alone)
	return tr, s.news()
}

// News implements por.Awaiter.
func (s *System) News() bool { return s.news() != nil }

// news is trace.ErrFiner if points became finer in the step that is over.
func (s *System) news() error {
	if n := s.machine.Parties(); s.sealed && n != s.parties {
		s.parties, s.finer = n, true
	}
	if !s.finer {
		return nil
	}
	s.finer = false
	s.learned++
	s.Unlist()
	return trace.ErrFiner
}

// settle has the parts take in a step that is over. alone: no other thread was there.
func (s *System) settle(th edit, tr *trace.Transition, alone bool) {
	s.spins.freeContexts(th.thread, tr)
	s.settleDue(th, tr)
	s.Naps.learnsWait(th.thread)
	s.Naps.timePassed(tr)
	s.round(th)
	s.uses.meetStep(th.thread, tr, alone)
	s.spins.endPolls(th, tr)
	if len(s.steps)%patience == 0 {
		s.spins.hurry()
	}
	if len(s.steps)%longestAfter == 0 {
		s.Ends.tire()
	}
	s.wakeSpinners(tr)
	s.awaits.settle(&s.steps[len(s.steps)-1])
	s.Blends.count(&s.steps[len(s.steps)-1])
	s.unreads.settle(tr)
	s.Kinship.settle(th, tr)
	if s.EveryOperation() && s.Coarse() {
		s.sightOperations(tr)
	}
}

// step carries out what the thread stands at, then lets it run on.
func (s *System) step(th edit, tr *trace.Transition, c trace.Choice) error {
	th.Yielding, th.Waits, th.awaits, th.turns, th.leaving, th.leavingRegs, th.woken, th.hint, th.whole, th.parked = false, nil, false, 0, nil, 0, false, nil, false, false
	s.current = th.ID
	if th.Stand != StandFailure {
		s.lib.Steps(th.ID, tr)
	}
	switch th.Stand {
	case StandRun:
		if len(th.copying().left) > 0 {
			return s.Traps.stepCopy(th, tr)
		}
		return s.Advance(th.ID, tr, 0)
	case StandAccess:
		s.Stacks.uses(th.thread, th.Access.Addr)
		if th.returns != 0 {
			s.Stacks.returned(th, tr)
		}
		return s.Advance(th.ID, tr, 1)
	case StandOp:
		th.Half = 0
		s.Stacks.uses(th.thread, th.Regs.RDI)
		return s.lib.StepOp(th.ID, tr, c)
	case StandTrap:
		return s.Traps.stepTrap(th, tr, c)
	case StandSleep:
		return s.Traps.stepExpire(th, tr, c)
	case StandSpin:
		return s.stepPoll(th, tr, c)
	case StandFence:
		if th.atNone {
			th.atNone = false
			th.Insns++ // schedules name the states on both sides
		}
		return s.Advance(th.ID, tr, 0)
	case StandTimer:
		return s.timers.stepTimer(th, tr)
	case StandArrival:
		return s.arrivals.step(th, tr)
	case StandFailure:
		th.Insns++ // the end counts: schedules name it
		tr.End = trace.EndBug
		tr.Did(trace.Op{Kind: trace.OpEnd})
		return nil
	}
	panic(fmt.Sprintf("scheduler: step of thread %d, which stands at %d", th.ID, th.Stand))
}

// Failure is the bug that the last step ended with (End EndBug), by the thread
// that made it.
func (s *state) Failure(t trace.TID) *Failure { return s.threads[t].Failure }

// Invalid makes the error for what isn't modelled.
func (s *fixed) Invalid(gap kernel.Gap, t trace.TID, pc uint64, format string, args ...any) error {
	return &InvalidError{Gap: gap, Reason: fmt.Sprintf(format, args...), PC: pc, Thread: t}
}
