package scheduler

import (
	"errors"

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
	Sharing   *Sharing
	Kinship   *Kinship
	Promises  *Promises
	Leaks     *leaks
	Failing   *Failing
	Ends      *Ends
	Points    *Points
	Signals   *signals
	Naps      *Naps
	copies    *copyCalls
	Panics    *Panics
	uses      *uses
	longest   *longest
	twins     *twins
	trials    *trials
	Traps     *Traps
	scouts    *scouts
	spins     *spinFinder
	awaits    *awaits
	backs     *backouts
	hints     *hints
	counted   *countedSpins
	leftovers *leftovers
	poises    *poises
	dead      *deadCode
	stillness *stillness
	sides     *sides
	ops       *wordOps
	Blends    *blends
	unreads   *unreads
	buffers   *buffers
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
					threads: make([]thread, 0, cfg.MaxThreads), places: map[placeKey]int32{},
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
		called: func(t trace.TID, made []trace.Access) { s.leftovers.called(t, made) }}
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
	s.Points = &Points{in: &s.present, seen: &s.seen, attempt: &s.attempt}
	s.Signals = &signals{in: &s.named, points: s.Points, sharing: s.Sharing, seen: &s.seen, learning: &s.learning, standAt: s.standAt,
		exposes: func(t trace.TID) { s.unreads.exposes(t) }}
	s.Naps = &Naps{in: &s.present, sharing: s.Sharing, learning: &s.learning}
	s.Panics = &Panics{in: &s.present}
	s.uses = &uses{in: &s.present, seen: &s.seen}
	s.longest = &longest{in: &s.named, seen: &s.seen, attempt: &s.attempt}
	s.twins = &twins{of: s}
	s.stillness = &stillness{in: &s.present, learning: &s.learning, buffers: s.buffers}
	s.dead = &deadCode{in: &s.present, learning: &s.learning, here: map[uint64]dead{}, onwards: map[onward]dead{}}
	s.trials = &trials{stepper: s, in: &s.present, learning: &s.learning, attempt: &s.attempt, buffers: s.buffers, stillness: s.stillness, dead: s.dead}
	s.spins = &spinFinder{in: &s.present, learning: &s.learning, trials: s.trials, stillness: s.stillness, dead: s.dead}
	s.poises = &poises{in: &s.present, dead: s.dead}
	s.leftovers = &leftovers{in: &s.present, learning: &s.learning, stacks: s.Stacks, dead: s.dead}
	s.ops = &wordOps{in: &s.present, adding: map[uint64]bool{}, exchanges: map[uint64]bool{}}
	s.Blends = &blends{in: &s.present, learning: &s.learning, ops: s.ops, blends: map[uint64]trace.Blend{}, leasts: map[uint64]int64{}, adds: map[uint64]tested{}, unread: map[uint64]bool{}}
	s.sides = &sides{in: &s.present, learning: &s.learning, attempt: &s.attempt, trials: s.trials, poises: s.poises, leftovers: s.leftovers, buffers: s.buffers, choices: map[surveyKey]choice{}}
	tried := map[pollKey]afterLook{}
	s.counted = &countedSpins{in: &s.present, learning: &s.learning, attempt: &s.attempt, trials: s.trials, stillness: s.stillness, dead: s.dead, poises: s.poises, leftovers: s.leftovers,
		kinship: s.Kinship, buffers: s.buffers, awaiting: func() bool { return s.awaits.on }, surveyed: map[surveyKey]spins.Look{}, tried: tried, deeply: map[uint64]bool{}}
	s.unreads = &unreads{in: &s.present, learning: &s.learning, blends: s.Blends, leftovers: s.leftovers, dead: s.dead}
	s.Ends.unreads, s.Ends.leftovers = s.unreads, s.leftovers
	s.backs = &backouts{in: &s.present, ops: s.ops, learning: &s.learning, attempt: &s.attempt, trials: s.trials, poises: s.poises, leftovers: s.leftovers, blends: s.Blends, kinship: s.Kinship,
		on: func() bool { return s.awaits.on && !s.cfg.Buffers }, waitsHere: func(a *trace.Access) bool { return s.awaits.waitsHere(a) }, surveyed: map[surveyKey]*spins.Tries{}, vain: map[uint64]int{}}
	s.hints = &hints{ops: s.ops, spared: &s.spared, in: &s.present, learning: &s.learning, attempt: &s.attempt, trials: s.trials, poises: s.poises, leftovers: s.leftovers, counted: s.counted, backs: s.backs, blends: s.Blends, unreads: s.unreads, surveyed: map[surveyKey]*spins.Hint{}}
	s.awaits = &awaits{timers: s.timers, spared: &s.spared, backs: s.backs, hints: s.hints, in: &s.present, learning: &s.learning, attempt: &s.attempt, trials: s.trials, stillness: s.stillness, counted: s.counted, blends: s.Blends, buffers: s.buffers, tried: tried}
	s.copies = &copyCalls{in: &s.named, sharing: s.Sharing, seen: &s.seen, judged: s.Promises.judgedWords}
	s.Traps = &Traps{in: &s.named, runs: s, seen: &s.seen, learning: &s.learning, attempt: &s.attempt, sharing: s.Sharing, naps: s.Naps, copies: s.copies, ends: s.Ends,
		failures: s.Failing, signals: s.Signals, buffers: s.buffers, arrivals: s.arrivals, leaks: s.Leaks, panics: s.Panics}
	s.scouts = &scouts{in: &s.present, seen: &s.seen, learning: &s.learning, attempt: &s.attempt, spins: s.spins, trials: s.trials, buffers: s.buffers,
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

// Failure is the bug that the last step ended with (End EndBug), by the thread
// that made it.
func (s *state) Failure(t trace.TID) *Failure { return s.threads[t].Failure }

// isStart reports whether the step to come is a start that can be played or noted.
func (s *System) isStart(t trace.TID) bool {
	th := &s.threads[t]
	return s.openings != nil && t == 0 && len(s.steps) == 0 && th.Insns == 0 && th.Stand == StandRun && th.Ctx >= 0 &&
		!s.cfg.KeepAll && !s.cfg.Tested && s.cfg.Fill == nil && s.viewer == nil && s.frozen == nil && !s.Kinship.watches() && !s.probing && !s.trying && !s.scouting
}

// stepStart is Step of a start.
func (s *System) stepStart(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	start, refused := s.openings.known()
	switch {
	case refused:
	case start == nil && s.limit == 0:
		s.starting = starting{note: &Opening{}}
		tr, err := s.stepAlone(t, c)
		s.endNote()
		return tr, err
	case start != nil && (s.limit == 0 || s.limit > start.Insns) && s.cfg.StepBudget > 2*start.Insns && start.passes(s.machine.Broken()):
		k, insns, stepped := s.markAlone(), s.record.Instructions, s.stepped
		s.starting = starting{play: start}
		tr, err := s.stepAlone(t, c)
		whole := !s.starting.plays()
		s.starting = starting{}
		if whole && !errors.Is(err, errOtherStart) {
			return tr, err
		}
		s.openings.refuse()
		s.goBack(k)
		s.record.Instructions, s.stepped, s.current = insns, stepped, trace.NoThread
	}
	return s.stepAlone(t, c)
}
