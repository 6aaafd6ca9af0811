package library

import (
	"landgo/heap"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// A thread's progress in the functions that landgo carries out.

// phase is how far a trusted operation of several steps has come.
type phase uint8

const (
	phaseEntry phase = iota
	// phaseQueued: enqueued at a condition variable, not yet signalled.
	phaseQueued
	// phaseReacquire: signalled; takes the mutex back.
	phaseReacquire
	// phaseStore: a create whose thread's name has yet to be stored.
	phaseStore
	// phaseEnd: before the end of a thread whose stack others use.
	phaseEnd
	// phaseLeave: arrived at a barrier; leaves when all have.
	phaseLeave
	// phaseAsleep: sleeps at a read-write lock that prefers writers (rwlock.go).
	phaseAsleep
	// phaseAgain: was woken there, and tries again.
	phaseAgain
	// phaseClaimed: it alone may join a thread, and waits for its end (carried.go).
	phaseClaimed
	// phaseSleeps: found a semaphore at 0, and sleeps (interruptedwait.go).
	phaseSleeps
	// phaseTouch: before a call that touches what others do (door.go).
	phaseTouch
	// phaseNames: before a call that names a thread, of the guest's own code (named.go).
	phaseNames
	// phaseFault: before a call that may be had fail (faulty.go).
	phaseFault
	// phaseTaken: a tested allocator is about to take a block back.
	phaseTaken
	// phaseGiven: a tested allocator is about to return a block.
	phaseGiven
	// phaseOver: its time is over, by another thread's step.
	phaseOver
)

// quiet is the frame of a trusted function that the guest's own code carries
// out without interruption: it extends to the return to ret at stack pointer
// sp.
type quiet struct {
	on    bool
	watch bool
	// own: the call is a step of its own (ownstep.go). For a create, id is where
	// the new thread's name goes, and what was there.
	own     bool
	gives   bool // a block that it allocates is its caller's
	role    profile.Role
	ret     uint64
	sp      uint64
	id, was uint64
	stream  uint64 // of stdio: the one that it works on, 0 if that isn't known (streams.go)
	// insn is the number of instructions that the thread had completed at its entry.
	insn uint64
}

// frame is a call that returns to ret at stack pointer sp.
type frame struct {
	on      bool
	ret, sp uint64
}

// call is a thread's state in functions that landgo carries out or follows.
type call struct {
	role  profile.Role // StandOp
	phase phase        // StandOp
	// args are the arguments of the function at whose entry it stands, or last
	// stood.
	args [4]uint64
	// timed: the operation has a deadline, in nanoseconds of virtual time.
	timed    bool
	badTime  bool // the operation is a try, because its deadline isn't a time, or has passed
	released bool // phaseLeave: all have arrived at the barrier
	deadline uint64
	opened   []opened // the calls of the guest's objects that it is in (property.go)
	// pending is its next operation: in an allocator's function, and at phaseEnd and
	// phaseClaimed.
	pending  trace.Op
	result   uint64        // StandOp: what the operation returns when it completes
	mutex    uint64        // StandOp in a condition wait: the mutex to take back
	quiet    quiet         // a function that the guest's own code carries out
	alloc    *followed     // a call of an allocator that is followed, never changed in place; nil: none
	texts    texts         // of a System with twins
	string   stringCall    // the string function that it entered last
	operator operatorFrame // a call of C++'s new or delete
	// At phaseFault, failing is how the call may fail. spurious: the wait that it begins ends
	// for nothing. settled: within a step, that it doesn't fail is settled.
	failing           trace.FaultKind
	spurious, settled bool
	// inside are the calls of tested allocators under way, outermost first, and
	// given is the block that the one at whose return it stands gives out.
	inside []insideFrame
	given  *heap.Block // never changed in place; nil: none
	// release is the frame of a tested function after whose return there is a
	// preemption point.
	release frame
	// entered is how many calls the thread has begun of the functions whose calls are
	// counted; the last one at the instruction enteredAt. outermost is that one while its
	// own code runs. A state's digest has none of these: they say where a thread was.
	entered   int
	enteredAt uint64
	outermost frame
	// namedAt is the instruction, plus 1, at which it last named a thread.
	namedAt uint64
	named   namedCall   // see named.go
	onces   []onceFrame // once routines under way, outermost first
	holds   []uint64    // addresses of mutexes held, oldest first
	// held are the waits that signals interrupted, outermost first.
	held []held
}

// arg is the n-th integer argument (from 0) at a function's entry.
func (c *call) arg(n int) uint64 { return c.args[n] }

// hashOperation hashes the operation at which a thread stands.
func (c *call) hashOperation(h *trace.Hash) {
	h.Words(uint64(c.role), uint64(c.phase), trace.Bit(c.timed), c.deadline, trace.Bit(c.badTime), trace.Bit(c.released), c.result, c.mutex)
	h.Words(uint64(c.failing), trace.Bit(c.spurious))
	h.Words(uint64(c.pending.Kind), c.pending.Obj, c.pending.Arg, uint64(c.pending.Size))
}

// hashCalls hashes the calls under way.
func (c *call) hashCalls(h *trace.Hash) {
	q := &c.quiet
	h.Words(trace.Bit(q.on), trace.Bit(q.watch), uint64(q.role), q.ret, q.sp, q.stream, trace.Bit(c.release.on), c.release.ret, c.release.sp)
	if a := c.alloc; a != nil {
		h.Words(uint64(a.role), a.ret, a.sp)
	}
	for i := range c.inside {
		f := &c.inside[i]
		h.Words(uint64(f.role), f.ret, f.sp, uint64(f.family), f.p, f.size, f.old.Addr, f.old.Size)
	}
	if b := c.given; b != nil {
		h.Words(b.Addr, b.Size, uint64(b.Family))
	}
	if n := &c.named; n.on {
		h.Words(n.ret, n.sp, uint64(n.joined))
	}
	h.Word(uint64(len(c.onces)))
	for _, o := range c.onces {
		h.Words(o.obj, o.sp, o.ret)
	}
	for i := range c.held {
		w := &c.held[i]
		h.Words(w.frame, w.pc, w.sp, trace.Bit(w.eintr), uint64(w.role), uint64(w.phase), trace.Bit(w.timed), w.deadline, trace.Bit(w.badTime), w.result, w.mutex, trace.Bit(w.released))
		h.Words(uint64(w.pending.Kind), w.pending.Obj, w.quiet.id, w.quiet.was, w.quiet.stream, uint64(w.nap.Kind), w.nap.Obj, w.nap.Arg)
		if w.given != nil {
			h.Word(w.given.Addr)
		}
		h.Words(w.args[:]...)
	}
	for _, lock := range c.holds {
		h.Word(lock)
	}
}

// trusted reports whether a thread runs code of the C library that landgo takes
// as correct.
func (t *thread) trusted() bool { return t.quiet.on || t.Starting || t.alloc != nil }
