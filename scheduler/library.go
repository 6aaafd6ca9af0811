package scheduler

import (
	"landgo/image"
	"landgo/kernel"
	"landgo/trace"
)

// What landgo carries out for the guest is asked for through these.

// carrier carries functions of the guest's out: synchronisation objects, allocators,
// strings, threads.
type carrier interface {
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
}

// interrupts are signals that come while a thread waits in a function.
type interrupts interface {
	hold(th *thread, signal, frame uint64) (held, bool)
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

// library is the carrier.
type library struct {
	*System
}

var _ carrier = (*library)(nil)

func (s *library) boot() {
	s.findEndsCache()
	if !s.cfg.PointsOnly {
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
