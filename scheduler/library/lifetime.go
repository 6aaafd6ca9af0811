package library

import (
	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
	"landgo/scheduler/known"
	"landgo/scheduler/undo"
)

// Library carries functions out. It is each part of a scheduler.Carrier. It is made of parts,
// and each uses those above it only; here they come together. Those that are embedded have
// what all calls share.
type Library struct {
	*guest
	*models
	*calls
	*textCalls
	*heapCalls
	*objectCalls
	cells

	// Parts, with fields and methods of their own.
	carried    *carried
	lives      *threadCalls
	properties *properties
	quiets     *quiets
	endings    *endings
}

// guest has the parts that stay as they are once a guest has begun, and how its functions are called.
type guest struct {
	core     *scheduler.System
	cfg      *scheduler.Config
	opts     Config
	machine  *emu.Machine
	image    *image.Image
	kernel   kernel.Kernel
	heap     *heap.Heap
	known    *known.Facts
	libc     elffile.Libc
	wordSize uint64 // of the general registers, in bytes
	anywhere bool   // threads may let themselves be cancelled between any two instructions
	// roles are the functions that are carried out, or looked at, by their first
	// addresses. Those that are distrusted go.
	roles          map[uint64]profile.Bound
	meant          map[uint64]profile.Bound // all that Boot was given, for reports
	spins          map[uint64]bool          // functions of spin locks whose own code is run: whether they wait (spinwait.go)
	breaks         map[uint64]breakClass
	sizes          objectSizes
	shapes         *shapes         // where objects' bytes mean nothing to landgo: nil
	ownAllocator   bool            // the guest's malloc isn't its library's
	ownDestructors bool            // see hasDestructors
	mayLoad        bool            // see mayLoad
	overSought     map[uint64]bool // where findOver has looked from
	begun          bool            // see atEntry
}

// settled has the facts found out, or decided, in any execution, that then hold for good.
type settled struct {
	sleepy     bool // as if a thread were sent signals, see Expect
	distrusted bool // distrust was called
	// guarded are the trusted objects that lie in a word (guard.go), all that were
	// ever met.
	guarded map[uint64][]uint64
	// everEntered are the roles whose functions were called.
	everEntered [profile.NumRoles]bool
}

// models are landgo's records of threads and of objects, and how they go back.
type models struct {
	*guest
	path
	// skipped: a function of carried.go has been carried out. kept are the
	// variables of those functions, by address. One of them that a trusted
	// allocator uses too is untrusted (carriedkept.go).
	skipped   emu.Flag
	kept      []static.Mention
	untrusted string
	exiting   emu.Flag // exit runs by its own code
	settled
}

// path goes back with a mark.
type path struct {
	threads   []thread // by TID
	threadLog undo.Log[threadSaved]
	savedAt   []uint64                    // by TID: the serial number when the thread was kept last
	serial    uint64                      // counts marks and rewinds
	objects   undo.Values[uint64, object] // by address
	marks     []mark
	specified []specified // see property.go
	history   []called
}

// mark is how long the logs were.
type mark struct{ threads, objects, specified, history int }

// calls has the tools of all calls: the door to the guest's memory, the record of what was
// done to objects, errno, and what misuse is.
type calls struct {
	*guest
	*models
	begins bool // the step under way begins with the call at which its thread is (door.go)
}

// textCalls are the calls on strings and streams.
type textCalls struct {
	*guest
	*models
	*calls
	strings map[uint64]*stringReading // by the function's first address
	streams func() *streamPlaces      // found once
}

// heapCalls are the calls of allocators. Where arenas are is found for good.
type heapCalls struct {
	*guest
	*models
	*calls
	lowHeap   bool                 // see kernel.HasLowHeap
	arenas    []*arenas            // by TID
	far       map[uint64]trace.TID // whose the far arenas are, by address
	operators static.Operators     // none if they aren't looked at
	endsCache uint64               // see endcache.go; 0: nothing does
}

// objectCalls are the calls on synchronisation objects, and the waits in them.
type objectCalls struct {
	*guest
	*models
	*calls
	named   *namedSems
	rwLocks *rwLocks
}

// cells go back with the machine.
type cells struct {
	// destructors, exitHandlers: the guest has registered some.
	destructors, exitHandlers emu.Flag
	// keysGone: a key was deleted while other threads lived.
	keysGone  emu.Flag
	stackSize emu.Cell // of the threads of carried.go, 0 before thr_init
}

// breakClass says why there is a breakpoint.
type breakClass uint8

const (
	breakNone breakClass = iota
	breakRole
	breakReturn
	breakStart
	breakExit
	breakOver // see over.go
	breakMain
	breakString
	breakOperator
	breakEntry
)

// breakAt sets a breakpoint; the first class given to an address stays.
func (l *guest) breakAt(addr uint64, c breakClass) {
	if l.breaks[addr] == breakNone {
		l.breaks[addr] = c
		l.machine.Break(addr, uint8(c))
	}
}
