package scheduler

import (
	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/kernel"
)

// LibraryConfig says what landgo carries out for the guest.
type LibraryConfig struct {
	// AnyTimeout: a timed wait may run out at any time, not only when no other thread
	// else can run.
	AnyTimeout bool
	// Tested: the guest's own library is what is tested, and no function is trusted:
	// roles only say where preemption points are.
	Tested bool
	// Trusted, with Tested, are the roles whose functions are trusted all the
	// same; nil: none.
	Trusted *[image.NumRoles]bool
	// Profile, with Trusted, is where the sizes of the library's objects may be.
	Profile *image.Profile
	// Native leaves threads and locks to the guest's own code from the start.
	Native bool
	// NativeMalloc: the guest's own allocator runs, see follow.go.
	NativeMalloc bool
	// Pools: allocators whose code is tested are followed, see pool.go.
	Pools bool
	// Leaks says which blocks that are left at the end are bugs.
	Leaks Leaks
	// NoMerge switches the merging of lock and unlock with their neighbours
	// off (see lockmerge.go), for differential tests.
	NoMerge bool
}

// What landgo carries out for the guest is asked for through these.

// carrier carries functions of the guest's out: synchronisation objects, allocators,
// strings, threads.
type carrier interface {
	// mark is where the log of what goes back is, and rewind takes back what is behind
	// that.
	mark() int
	rewind(n int)
	calls
	tells
	interrupts
	lives
	stores
}

// calls are of the functions themselves.
type calls interface {
	// boot sets the breakpoints that are needed beside those of roles.
	boot()
	// atBreak is asked at a breakpoint: the entry of a function, or the return from one.
	atBreak(*thread, *trace.Transition) (verdict, error)
	// atCallersReturn: a thread stands where a call returns to, and that is looked at.
	atCallersReturn(*thread) bool
	// fell deals with a thread whose function has returned to nowhere.
	fell(*thread, *trace.Transition) (bool, error)
	// stepOp is the step of a thread that stands at a function.
	stepOp(*thread, *trace.Transition, trace.Choice) error
	// accessed looks at the accesses of a run; watched: in a function that is.
	accessed(th *thread, tr *trace.Transition, made []trace.Access, watched bool)
	// meets: a function that the guest's own code carries out has touched what others use.
	meets(*thread)
	// checkGuarded refuses accesses to objects past their functions.
	checkGuarded(*thread, []trace.Access) error
	isQuiet(image.Role) bool
}

// tells are for searches and reports.
type tells interface {
	// describeOp fills in the status and pending operation of a thread at a function.
	describeOp(*thread, *trace.Thread)
	pendingOp(*thread) trace.Op
	// waitOf says what such a thread waits for.
	waitOf(*thread) (Wait, bool)
	digest() trace.Digest
	// objectBytes are the address ranges of objects, in order.
	objectBytes() [][2]uint64
}

// interrupts are signals that come while a thread waits in a function.
type interrupts interface {
	hold(th *thread, signal, frame uint64) (held, bool)
	holdCreate(th *thread, frame, pc, sp uint64)
	// standAgain: the handler, whose frame that is, has not come after all.
	standAgain(th *thread, frame uint64)
	comesBack(*thread, *kernel.Plan) bool
	comeBack(th *thread, tr *trace.Transition, frame, next uint64) (waits bool)
	leavesWait(th *thread, ends bool) error
}

// lives are the lives of threads.
type lives interface {
	yield(*thread, *trace.Transition) verdict
	gone(th *thread, tr *trace.Transition, byKernel bool)
	exitMisuse(*thread) *Failure
	// seeLife: a thread was seen to look whether another lives.
	seeLife()
	// distrust leaves threads and locks to the guest's own code.
	distrust()
	// distrustAfter does so after a call that the trusted functions don't know of.
	distrustAfter(*thread, *kernel.Plan)
	Distrust() bool
	Settle() bool
}

// stores are of memory.
type stores interface {
	gotMemory(th *thread, addr, size uint64)
	dropObjects(kernel.Pages)
	leak(*thread) *Failure
	OwnMemory([]image.Allocator)
}

// Distrust does the same at the root, for a replay of what was found afterwards.
// It reports whether that makes a difference.
func (s *System) Distrust() bool { return s.lib.Distrust() }

// Settle is called where a schedule can't be followed. The run that it is of may
// have known that signals come: there a wait for a semaphore is two steps. It
// reports whether that makes a difference.
func (s *System) Settle() bool { return s.lib.Settle() }

// OwnMemory makes the variables of allocators theirs. It is called once, after
// Boot, for all that Config.Pools has.
func (s *System) OwnMemory(allocators []image.Allocator) { s.lib.OwnMemory(allocators) }

// library is the carrier: what it has, by how long it lasts.
type library struct {
	*System
	libraryFixed
	objectState
	libraryCells
	libraryFound
}

// libraryFixed is what stays as it is once a guest has begun.
type libraryFixed struct {
	sizes  objectSizes
	shapes *shapes // where objects' bytes mean nothing to landgo: nil
	// kept are the variables of the functions on threads, by address, and untrusted is
	// one of them that a trusted allocator uses too (carried.go).
	kept           []image.Mention
	untrusted      string
	ownAllocator   bool            // the guest's malloc isn't its library's
	ownDestructors bool            // see hasDestructors
	endsCache      uint64          // see endcache.go; 0: nothing does
	operators      image.Operators // none if they aren't looked at
}

// libraryCells go back with the machine.
type libraryCells struct {
	// destructors, exitHandlers: 1 once the guest has registered some.
	destructors, exitHandlers emu.Cell
	// Of carried.go: the size of stacks, 0 before thr_init; and 1 once one of its calls
	// has been carried out.
	stackSize, skipped emu.Cell
	// semNames are the named semaphores, by name, and semPages the names by the
	// addresses that they have or had (namedsem.go). What changes of them are cells.
	semNames map[string]*named
	semPages map[uint64]*named
}

// libraryFound is what was found out, or settled for good.
type libraryFound struct {
	// guarded are the trusted objects that lie in a word (guard.go), all that were
	// ever met.
	guarded    map[uint64][]uint64
	strings    map[uint64]*stringReading // by the function's first address
	arenas     []*arenas                 // by TID
	far        map[uint64]trace.TID      // whose the far arenas are, by address
	sleepy     bool                      // as if a thread were sent signals, see Settle
	distrusted bool                      // distrust was called
}

var _ carrier = (*library)(nil)

func newLibrary(s *System) *library {
	l := &library{System: s}
	l.sizes, l.objects = pthreadSizes, map[uint64]*object{}
	l.guarded, l.far = map[uint64][]uint64{}, map[uint64]trace.TID{}
	if !s.cfg.Tested && s.wordSize == 8 {
		l.shapes = libcShapes[s.libc]
	}
	if s.cfg.Trusted != nil {
		l.sizes = trustSizes(s.image, s.cfg.Profile)
	}
	return l
}

func (s *library) boot() {
	s.ownDestructors = hasDestructors(s.image)
	_, s.ownAllocator = s.image.Symbol("malloc")
	for _, b := range s.roles {
		s.ownAllocator = s.ownAllocator && (b.Role != image.Malloc || b.Own)
	}
	s.findEndsCache()
	if m, ok := s.image.Symbol("main"); ok && !s.cfg.Tested {
		s.breakAt(m.Addr, breakMain)
	} else {
		s.machine.Put(&s.entered, 1)
	}
	if !s.cfg.Tested {
		s.breakStrings()
		if !s.ownAllocator {
			s.breakOperators()
		}
	}
	if s.cfg.Native {
		s.distrust()
	}
	if s.carries(image.Create) {
		s.watchThreads()
	}
}

func (s *library) fell(th *thread, tr *trace.Transition) (bool, error) {
	if !s.fallsOff(th) {
		return false, nil
	}
	_, err := s.carry(th, tr)
	return true, err
}

func (s *library) accessed(th *thread, tr *trace.Transition, made []trace.Access, watched bool) {
	for i := range made {
		s.lookPast(&th.string, &made[i])
	}
	if watched {
		s.attribute(th, tr, made)
	}
}

func (s *library) digest() trace.Digest {
	sum := s.namedDigest()
	for _, o := range s.objects {
		sum.Add(o.digest())
	}
	return sum
}
