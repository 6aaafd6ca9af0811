package steer

import (
	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A Kernel's parts, by how long they last and what a method can reach. One of reading
// sees no step and no thread, one of situation no step under way and no System.

// fixed has the parts that stay as they are once the kernel is up.
type fixed struct {
	machine  *emu.Machine
	image    *image.Image
	wordSize uint64 // of the general registers, in bytes
	board    Board
	stopIf   func() bool
	tells    map[uint64]tellKind
	// profile describes a kernel; nil: it tells itself. named are functions with
	// roles, by entry.
	profile *profile.OwnKernel
	named   map[uint64]profile.Bound
	// scheduling is memory on which only the choice of the next thread depends.
	scheduling []emu.Range
}

// cells go back with the machine.
type cells struct {
	cpu         emu.Cell // the emu.Ctx in which the processor stands
	on          emu.Flag // interrupts are delivered
	user        emu.Flag // the processor is in user mode
	running     emu.Cell // the TID of the thread whose code it runs
	lent        emu.Flag // the stack pointer is in a stack of no thread's
	atBreak     emu.Flag // it stands at an annotation that was dealt with
	booted      emu.Flag // the kernel is up
	mending     emu.Flag // the handler of a page fault may have changed what is mapped
	born        emu.Cell // threads created, the idle ones aside
	unannounced emu.Cell // how many threads are so
	ticks       emu.Cell // that have passed
	ports       emu.Cell // accesses of threads to ports
	ons         emu.Cell // how often interrupts came on
	compared    emu.Cell // what ranks were tried with last (rank.go)
	vain        emu.Cell // see livelock.go
	looked      emu.Cell // the journal's length when threads were looked for last (profile.go)
	gap         emu.Cell // this and the next three: see switch.go
	gapFrom     emu.Cell
	gapTo       emu.Cell // the stack pointer that was loaded then
	toldOf      emu.Cell
}

// all are the cells.
func (c *cells) all() []*emu.Cell {
	return []*emu.Cell{&c.cpu, c.on.Cell(), c.user.Cell(), &c.running, c.lent.Cell(), c.atBreak.Cell(), c.booted.Cell(), c.mending.Cell(), &c.born, &c.unannounced,
		&c.ticks, &c.ports, &c.ons, &c.compared, &c.vain, &c.looked, &c.gap, &c.gapFrom, &c.gapTo, &c.toldOf}
}

// path is of the steps taken: it goes back with the System's threads and steps.
type path struct {
	threads []thread // by TID
	ownLog  []ownSave
	steps   []stepInfo
}

// stepInfo is the record of a step of the present path.
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

// noted has the facts that stay true of the kernel, or can be found out again.
type noted struct {
	// volatile: the kernel changes control registers while threads run. control has
	// them if not.
	volatile  bool
	control   *emu.BoardRegs
	paged     bool            // the page tables in use were looked at
	asked     uint64          // accesses to ports, by any code
	returns   map[uint64]bool // where calls of named functions return to
	stackEnds []stackEnd      // by thread, see stackEnd
	idled     map[uint64]bool // see checkIdle
}

// reading reads the kernel's memory and the processor, by the profile and by the
// annotations.
type reading struct {
	fixed
	cells
	noted
}

// situation is the kernel as it stands, with the threads and the steps that led there.
type situation struct {
	reading
	path
}

// boot is of the way to the place where the kernel is up.
type boot struct {
	bootInsns uint64
	tickAt    uint64
}

// stepping is the step under way, or what is tried in it.
type stepping struct {
	could []trace.TID // the threads that could run before the step
	wide  bool        // the step depends on every step
	due   bool        // a tick comes with it
	answers
	probing bool // ticks are being tried
	trying  bool // a livelock is
}

// answers are the facts found out of the present state.
type answers struct {
	// tried are the threads that landgo has tried, and whether they can run.
	tried  map[trace.TID]bool
	wakers []trace.TID // see time.go; nil: not known yet
}

// forget is called when the state is another one.
func (a *answers) forget() { *a = answers{} }

// scratch is of the step under way, or of what is tried in it.
type scratch struct {
	stepping
	present trace.Present
	ways    []outcome // see resched.go
	outcome outcome   // the rest of the step, where interrupts are on
}

// core is the System, as the parts of a Kernel use it.
type core struct {
	*scheduler.System
	path *path
}
