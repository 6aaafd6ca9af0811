package library

import (
	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
	"landgo/scheduler/known"
)

// Config says how functions are carried out, beside the System's Config.
type Config struct {
	// AnyTimeout: a timed wait may run out at any time, not only when no other thread
	// can run.
	AnyTimeout bool
	// Trusted, where the guest's own library is tested, are the roles whose functions are
	// trusted all the same; nil: none. The System's Config has Guarded then.
	Trusted *[image.NumRoles]bool
	// Profile, with Trusted, is where the sizes of the library's objects may be.
	Profile *image.Profile
	// Native leaves threads and locks to the guest's own code from the start.
	Native bool
	// NoMerge switches the merging of lock and unlock with their neighbours
	// off (see lockmerge.go), for differential tests.
	NoMerge bool
}

// Library carries functions out. It implements scheduler.Carrier.
type Library struct {
	core *scheduler.System
	fixed
	path
	cells
	found
	begins bool // the step under way begins with the call at which its thread is (door.go)
}

// fixed is what stays as it is once a guest has begun.
type fixed struct {
	cfg      *scheduler.Config
	opts     Config
	machine  *emu.Machine
	image    *image.Image
	kernel   kernel.Kernel
	heap     *heap.Heap
	known    *known.Facts
	libc     image.Libc
	wordSize uint64 // of the general registers, in bytes
	lowHeap  bool   // see kernel.HasLowHeap
	// roles are the functions that are carried out, or looked at, by their first
	// addresses. Those that are distrusted go.
	roles  map[uint64]image.Bound
	breaks map[uint64]breakClass
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

// path goes back with a mark.
type path struct {
	threads   []thread // by TID
	threadLog []threadSaved
	objects   map[uint64]*object
	saved     []saved // what objects were
	marks     []mark
}

// mark is how long the logs were.
type mark struct{ threads, objects int }

// cells go back with the machine.
type cells struct {
	// destructors, exitHandlers: 1 once the guest has registered some. exiting: 1 once
	// exit runs by its own code.
	destructors, exitHandlers, exiting emu.Cell
	// Of carried.go: the size of stacks, 0 before thr_init; and 1 once one of its calls
	// has been carried out.
	stackSize, skipped emu.Cell
	// semNames are the named semaphores, by name, and semPages the names by the
	// addresses that they have or had (namedsem.go). What changes of them are cells.
	semNames map[string]*named
	semPages map[uint64]*named
}

// found is what was found out, or settled for good.
type found struct {
	// guarded are the trusted objects that lie in a word (guard.go), all that were
	// ever met.
	guarded    map[uint64][]uint64
	strings    map[uint64]*stringReading // by the function's first address
	arenas     []*arenas                 // by TID
	far        map[uint64]trace.TID      // whose the far arenas are, by address
	sleepy     bool                      // as if a thread were sent signals, see Expect
	distrusted bool                      // distrust was called
}

// breakClass says why there is a breakpoint.
type breakClass uint8

const (
	breakNone breakClass = iota
	breakRole
	breakReturn
	breakStart
	breakExit
	breakMain
	breakString
	breakOperator
)

var _ scheduler.Carrier = (*Library)(nil)

// New carries out functions of a System's guest, from its Boot on.
func New(core *scheduler.System, opts Config) *Library {
	cfg := core.Config()
	l := &Library{
		core: core,
		fixed: fixed{
			cfg: cfg, opts: opts, machine: core.Machine(), image: core.Image(), heap: core.Heap(), known: core.Known(), libc: core.Image().Libc(),
			wordSize: core.Image().Machine.Word(), lowHeap: kernel.HasLowHeap(core.Image()),
			roles: map[uint64]image.Bound{}, breaks: map[uint64]breakClass{}, sizes: pthreadSizes,
		},
		path:  path{threads: make([]thread, 0, cfg.MaxThreads), objects: map[uint64]*object{}},
		found: found{guarded: map[uint64][]uint64{}, far: map[uint64]trace.TID{}},
	}
	if !cfg.Tested && l.wordSize == 8 {
		l.shapes = libcShapes[l.libc]
	}
	if opts.Trusted != nil {
		l.sizes = trustSizes(l.image, opts.Profile)
	}
	core.Carry(l)
	return l
}

// Boot implements Calls.
func (s *Library) Boot(k kernel.Kernel, roles map[uint64]image.Bound) {
	s.kernel = k
	for addr, b := range roles {
		s.roles[addr] = b
		s.breakAt(addr, breakRole)
	}
	s.ownDestructors = hasDestructors(s.image)
	_, s.ownAllocator = s.image.Symbol("malloc")
	for _, b := range s.roles {
		s.ownAllocator = s.ownAllocator && (b.Role != image.Malloc || b.Own)
	}
	s.findEndsCache()
	if m, ok := s.image.Symbol("main"); ok && !s.cfg.Tested {
		s.breakAt(m.Addr, breakMain)
	} else {
		s.core.Enter()
	}
	if !s.cfg.Tested {
		s.breakStrings()
		if !s.ownAllocator {
			s.breakOperators()
		}
	}
	if s.opts.Native {
		s.distrust()
	}
	if s.carries(image.Create) {
		s.watchThreads()
	}
	s.ensure(0)
}

// breakAt sets a breakpoint; the first class given to an address stays.
func (s *Library) breakAt(addr uint64, c breakClass) {
	if s.breaks[addr] == breakNone {
		s.breaks[addr] = c
		s.machine.Break(addr, uint8(c))
	}
}

// Fell implements Calls.
func (s *Library) Fell(t trace.TID, tr *trace.Transition) (bool, error) {
	th := &s.threads[t]
	if !s.fallsOff(th) {
		return false, nil
	}
	_, err := s.carry(th, tr)
	return true, err
}

// Accessed implements Calls.
func (s *Library) Accessed(t trace.TID, tr *trace.Transition, made []trace.Access, watched bool) {
	th := &s.threads[t]
	for i := range made {
		s.lookPast(&th.string, &made[i])
	}
	if watched {
		s.attribute(th, tr, made)
	}
}

// Digest implements Keeper.
func (s *Library) Digest() trace.Digest {
	sum := s.namedDigest()
	for _, o := range s.objects {
		sum.Add(o.digest())
	}
	return sum
}

// advance lets a thread run on. What comes is another call.
func (s *Library) advance(th *thread, tr *trace.Transition, allow uint32) error {
	s.begins = false
	return s.core.Advance(th.ID, tr, allow)
}

// Running implements Teller.
func (s *Library) Running(t trace.TID) (r scheduler.Running) {
	th := &s.threads[t]
	if th.alloc != nil {
		r |= scheduler.RunsFollowed
	}
	q := &th.quiet
	if q.on {
		r |= scheduler.RunsQuiet
		if q.role == image.Create {
			r |= scheduler.RunsCreate
		} else if s.isQuiet(q.role) {
			r |= scheduler.RunsChecked
		}
		if q.watch {
			r |= scheduler.RunsWatched
		}
	}
	if q.own {
		r |= scheduler.RunsStep
	}
	if len(th.inside) > 0 {
		r |= scheduler.RunsTested
	}
	return r
}
