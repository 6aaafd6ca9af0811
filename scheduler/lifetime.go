package scheduler

import (
	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler/known"
	"landgo/scheduler/names"
	"landgo/scheduler/spins"
	"landgo/scheduler/undo"
	"landgo/scheduler/witness"
)

// A System's parts, by how long they last. Its knowledge of the guest that is for good,
// and that another System can take over, is known.Facts. A method reaches what its
// receiver has: one of present can't learn, count or touch the step under way; one of
// named finds out names and places besides. The parts of a System (doc.go) have pointers
// to those of these structures that they need, and to no others.

// fixed has the parts that stay as they are once a guest has begun.
type fixed struct {
	cfg       Config
	lib       Carrier
	image     *image.Image
	machine   *emu.Machine
	kernel    kernel.Kernel
	logs      bool         // the kernel has an effect.Log
	faults    bool         // see Boot
	companion Companion    // of a guest that schedules its threads itself; nil: landgo does
	clockwork Clockwork    // the kernel, if it has timers that send signals; else nil
	courier   Courier      // the kernel, if signals arrive some time after they were sent; else nil
	wordSize  uint64       // of the general registers, in bytes
	lowHeap   bool         // see kernel.HasLowHeap
	bottom    uint64       // of the first thread's stack: where it begins to grow
	torn      *bool        // see known.Facts.Torn
	facts     *known.Facts // learned

	racing map[uint64]bool // the instructions of Granularity.Race

	wishes // of the System's user (wishes.go)
}

// state has the parts that a step changes. It goes back with a mark: the cells with the machine,
// threads by a log, the rest by its length or as a value (mark.go).
type state struct {
	cells
	threads   []thread // by TID; ids of threads not yet created are holes
	threadLog undo.Log[threadSave]
	// serial counts the marks made and gone back to, and never goes back. savedAt is by TID: the
	// serial, plus 1, when Save kept it last.
	serial   uint64
	savedAt  []uint64
	marks    []mark
	arena    undo.Arena
	steps    []stepInfo         // of the present path, for spin detection
	stepRegs []emu.Regs         // what was to be written to registers before some of these
	places   map[placeKey]int32 // the latest in each list of steps: its index in steps + 1
	writes   spins.Writes       // by these steps, if threads await (await.go)
	tallies  []tally            // by these steps (above.go)
	heap     *heap.Heap
	mapped   *heap.Heap // see mappings.go
	covers   covers
	listing  listing    // of all this
	company  trace.TID  // the last thread that kept another one from being alone: it is asked first
	through  []*Failure // see letthrough.go
	promises []*promise // see promise.go
	panics   []panicked // see panic.go
}

// cells go back with the machine.
type cells struct {
	// entered: main has begun, or the guest names no main. Blocks allocated before are the
	// guest's libraries'.
	entered      emu.Flag
	ranOut       emu.Flag // a timed wait ran out
	threadStatus emu.Flag // the process's status was set by a thread on its way out
}

// present is the guest as it stands.
type present struct {
	fixed
	state
}

// declared reports whether an access is to a variable that is declared atomic.
func (p *present) declared(a *trace.Access) bool { return p.cfg.Declared == nil || p.cfg.Declared(a) }

// found has the facts that a System has found out, or settled for good, and another one finds out
// for itself.
type found struct {
	names    *names.Names
	Stacks   *Stacks
	Blocks   *Blocks
	Mappings *Mappings
	timers   *timers
	arrivals *arrivals
}

// named is the guest as it stands, and the names and places of its parts.
type named struct {
	present
	found
}

// seen is the outcomes of executions, for reports. It only grows.
type seen struct {
	learned uint64 // how often points became finer
	stepped uint64 // steps made in all
	record  witness.Record
}

// learning has the facts that executions teach. Each part of a System that can learn has a pointer
// to it.
type learning struct {
	known known.Facts // for good; another System can take it over
	finer bool        // points became finer in the step under way
}

// attempt says for what the machine runs: whose step it is, and whether it is tried, to be
// taken back.
type attempt struct {
	current trace.TID // whose step it is
	// probing: a turn of a loop is being tried. scouting: others run on trial within a
	// long step. trying: a call is tried, and threads stay as they are.
	probing, scouting, trying bool
	turning                   bool // turns of a counted spin are run, but the last (countedstep.go)
}

// scratch is of the step under way.
type scratch struct {
	attempt
	// passedOver: the run under way begins at a point that the rules leave out.
	passedOver bool
	run        emu.Run
	pinned     emu.Ctx // given to the kernel, to come back to
	starting   starting
	spared     spared // see polled.go
}

// Enter notes that main has begun, and Entered reports whether it has.
func (s *present) Enter()      { s.machine.PutFlag(&s.entered, true) }
func (s *state) Entered() bool { return s.entered.Get() }

// runner runs threads, for a trap that is over or that makes one.
type runner interface {
	Advance(t trace.TID, tr *trace.Transition, allow uint32) error
	Spawn(t, child trace.TID, regs *emu.Regs, tr *trace.Transition, roomAt uint64) error
	Distrust() bool
}

// stepper takes steps in the middle of others: they are tried, and taken back.
type stepper interface {
	step(edit, *trace.Transition, trace.Choice) error
	describe(*thread, *trace.Thread) Watch
}

// moment is a place in an execution: the step's place on the path, and the number of
// the step's accesses before it. 0 is never.
type moment uint64

const momentShift = 24

// stepInfo is spin detection's record of a step of the present path.
type stepInfo struct {
	tr      *trace.Transition
	ctx     emu.Ctx      // before the step
	set     trace.RegSet // and what was to be written to its registers
	regs    int32        // its index in state.stepRegs + 1; 0: nothing was
	before  uint64       // the machine's journal before the step, and before its buffered stores were put into memory
	journal uint64       // the same, after that
	pc      uint64       // where the thread stood
	effects uint64       // of the thread, before the step
	insns   uint64       // the same
	half    uint32       // and how many accesses of an instruction it had made
	prev    int32        // the thread's step before: its index in state.steps + 1; 0: none
	nth     uint32       // how many steps the thread had made before
	end     uint64       // with store buffers, the journal after it
	number  uint64       // of all steps that were ever made
	place   listed
	tried   bool // the thread stood before a try with which it may back out (backout.go)
	freed   bool // ctx and those of the thread's steps before aren't compared with any more
}
