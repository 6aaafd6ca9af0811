package scheduler

import (
	"errors"

	"landgo/heap"
	"landgo/internal/trace"
)

// wishes are requests of the System's user, between steps.
type wishes struct {
	stopIf   func() bool
	observer Observer
	viewer   Viewer
	frozen   *frozen
	openings *Openings // the guest's start, once it is known; nil: it is always run
	sealed   bool      // see Seal
	parties  int       // that were known then, or seen since
	// limit is where a replay stops the stepping thread, by its instruction number;
	// exact: also where landgo has carried the last instruction out. starts: see
	// LimitStarts.
	limit  uint64
	exact  bool
	starts map[string]uint64
	// stride is how many accesses and operations a step may pass; 0: that at which it begins. aim is the
	// instruction before which it ends then; 0: any.
	stride uint32
	aim    uint64
	// atStart: threads stay at their very beginning when they are created.
	atStart bool
}

// Observer hears what happens inside steps, for reports. All methods are
// called in the order of execution.
type Observer interface {
	// Block is called when thread t, which stands at the allocator's function,
	// is given a block, and when it gives one back.
	Block(t trace.TID, b heap.Block, given bool)
	// Created is called when a thread makes another one, and stands in the call.
	Created(parent, child trace.TID)
	// Did is called when a thread has made its step's operation number n, from 0, and
	// stands in the call.
	Did(t trace.TID, n int, op *trace.Op)
}

// Viewer hears of all that the processor runs for threads, for a debugger. Steps that
// are only tried, and taken back, aren't told.
type Viewer interface {
	// Ran is called after each run of a thread that had completed this many instructions, when
	// the machine's journal had that length. Machine.Told has what it did; at is where the run
	// stopped.
	Ran(t trace.TID, insns, journal, at uint64)
	// Moved is called where stores in a thread's buffer were put into memory for its step, or
	// taken back after it. The journal's entries from one length to another are no stores.
	Moved(from, to uint64)
}

// View makes v the viewer from now on; nil: none.
func (s *fixed) View(v Viewer) { s.viewer = v }

// FreezeAt has a step left, with ErrStopped, where a thread has completed this many instructions.
// A kernel can be looked at there, and then be rewound: where Limit would end a step, in a
// section without interrupts or in a switch, its steps can't end. 0: no step is left.
func (s *fixed) FreezeAt(t trace.TID, insns uint64) {
	s.frozen = nil
	if insns != 0 {
		s.frozen = &frozen{t, insns}
	}
}

type frozen struct {
	thread trace.TID
	insns  uint64
}

// Viewer is the viewer, for a guest that schedules its threads itself.
func (s *fixed) Viewer() Viewer { return s.viewer }

// Observe makes o the observer from now on; nil: none.
func (s *fixed) Observe(o Observer) { s.observer = o }

// ErrStopped ends a step that StopIf's function wanted ended.
var ErrStopped = errors.New("the step was stopped")

// StopIf has steps ask, every few thousand operations or instructions, whether to
// end with ErrStopped; nil: they don't. At few points one step may be a thread's
// whole life, or have no end; a kernel's may have thousands of ticks.
func (s *fixed) StopIf(f func() bool) { s.stopIf = f }

// Limit makes the stepping thread stop at one of its own instruction numbers,
// beyond the one where its step begins, for replays; 0: no limit. The last
// instruction may be one that landgo carries out (a yield): there a step ended
// whose thread stopped before an access, and nothing shares its memory yet.
func (s *fixed) Limit(insns uint64) { s.limit, s.exact = insns, insns != 0 }

// Stride has steps go on past points, until they have made this many accesses and operations and stand at the aim, an
// instruction or any (0). 0 events: they don't. A step still ends where its thread waits or has a choice. It is for
// executions that are too long to be taken access by access, and not for searches that reverse the order of steps.
func (s *fixed) Stride(events uint32, aim uint64) { s.stride, s.aim = events, aim }

// LimitStarts says, by name, how far threads may run when they are created, for
// a replay that knows less of what threads share than the run did.
func (s *fixed) LimitStarts(insns map[string]uint64) { s.starts = insns }

// StayAtStart has threads stand at their very beginning when they are created: what is
// private of it is of their own first step then, for a user that looks on.
func (s *fixed) StayAtStart(on bool) { s.atStart = on }

// Opens has the System note its guest's start, or play it. It is called before the first
// step.
func (s *fixed) Opens(o *Openings) { s.openings = o }

// Seal makes everything that is learned from now on worth a new start (trace.ErrFiner): others go by
// what was known. So is a new thread's number, and that of one of the guest's own.
func (s *System) Seal(on bool) {
	s.sealed, s.parties = on, s.machine.Parties()
	for _, w := range s.twins.beside {
		w.sealed, w.parties = on, w.machine.Parties()
	}
}

// Sealed: all that is learned is worth a new start.
func (s *fixed) Sealed() bool { return s.sealed }
