package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Stand says what a thread stands at between steps.
type Stand uint8

const (
	// StandRun: nothing in particular: a point after a release or a yield.
	StandRun Stand = iota
	// StandAccess: poised before a shared access.
	StandAccess
	// StandOp: at the entry of a trusted function that is one operation, or in
	// a later phase of one (a condition variable's reacquire).
	StandOp
	// StandTrap: before a trap that others could notice.
	StandTrap
	// StandSleep: asleep in the kernel's queues.
	StandSleep
	// StandSpin: an exact spin; waits for a write to what its loop reads.
	StandSpin
	// StandFailure: before an instruction or call that ends the guest with a
	// bug.
	StandFailure
	// StandExited: gone.
	StandExited
	// StandFence: before an instruction that waits until the thread's store buffer is empty, and
	// does no more that other threads could observe (buffer.go).
	StandFence
	// StandTimer: it is a timer that sends a signal, see timer.go.
	StandTimer
	// StandArrival: it is a signal on its way to a thread, see arrival.go.
	StandArrival
)

// Thread is the part of a thread that every kind of guest has.
type Thread struct {
	// What is asked of all threads comes first, in one line of the processor's cache.
	ID       trace.TID
	Parent   trace.TID
	Exists   bool // else it is a hole: its name was met, and it isn't created yet
	Stand    Stand
	Yielding bool
	Joined   bool
	OwnStack bool // its stack was made for it, and ends with it
	// Starting: in the runtime's thread start, before the start routine.
	Starting bool
	Leaving  bool // it has called a thread library's thr_exit
	// Plain: it was created by a trusted function, without attributes. Asked: what it has ended
	// with was taken by a join.
	Plain, Asked bool
	Ctx          emu.Ctx
	// Insns is the number of instructions that the thread has completed, and Half how
	// many events it has made of the next one.
	Half  uint32
	Insns uint64
	Self  uint64 // the thread pointer at its start: where its control block is
	Stack uint64 // its stack pointer at its first instruction

	Access  trace.Access // StandAccess
	Failure *Failure     // StandFailure
	Waits   []trace.Access
	// Regs is the register file at the last break, trap or fault. Set says which of them
	// the next run has to write back.
	Regs     emu.Regs
	Set      trace.RegSet
	LastStep int32 // its latest step: its index in state.steps + 1
	// Effects counts what it did in the kernel, and what signals did to it.
	Effects uint64
	// Interrupted is where its stack pointer was when a signal came, while the
	// handler runs; else 0. See interrupt.go.
	Interrupted uint64

	Entry    uint64 // the start routine
	Argument uint64 // that of the start routine
	Created  uint64 // the return address of the creating call
	Returned uint64 // the value with which it has ended
}

// thread is a guest thread's state. It is a plain value: a copy of it is kept before each
// change, which Rewind puts back. It is changed through an edit.
//
// invariant: slices in it are never changed in place.
type thread struct {
	Thread
	stander
	storing
	kin
	// joinedBy is the thread that has joined it; born and joinedAt are when it was created and joined.
	joinedBy       trace.TID
	born, joinedAt moment
}

// edit is a thread that may be changed: its state was kept since the latest mark. What only
// looks at a thread has a *thread. No field is set through one: TestStateIsKept in
// internal/arch.
type edit struct{ *thread }

// edit keeps a thread's state for Rewind, and lets it be changed until the next mark.
func (s *present) edit(t trace.TID) edit {
	s.Save(t)
	return edit{&s.threads[t]}
}

// stander is how a thread stands between two instructions.
type stander struct {
	// limited: it was stopped at its instruction number (Limit), perhaps at a
	// breakpoint that it hasn't reached otherwise.
	limited bool
	// handles: a signal has it stand at a handler's first instruction, perhaps out of a call
	// (lastTry).
	handles bool
	// framing: StandAccess is before what the kernel writes for the handler of a fault.
	framing   bool
	loose     bool     // StandTrap: it touches more than its operation says
	napping   bool     // StandTrap: it sleeps there (nap.go)
	lasts     uint8    // how long that lasts (lasting.go)
	outlasts  uint8    // how many of its sleeps might have lasted
	until     uint64   // when that is over
	woken     bool     // StandRun: another thread ended its call, which it hasn't left
	comes     bool     // StandTimer: it would have an effect if it went off now
	awaits    bool     // StandAccess, StandSpin: what it finds there decides whether it goes on (await.go)
	atNone    bool     // StandFence: it stands at no instruction that waits
	begun     bool     // StandFence: the function that begins there was met
	idles     bool     // StandSpin: in a loop that may be meant (meant.go)
	whole     bool     // StandSpin: it has gone round a loop for nothing, and stops here (spinpark.go)
	parked    bool     // StandSpin: and something has changed that it read
	assumes   bool     // StandSpin: what it would read leads to an assumption that doesn't hold (assume.go)
	spinStand Stand    // StandSpin: what it stands at otherwise
	trap      emu.Trap // StandTrap
	// left is the stack pointer where a signal has interrupted it, until the handler returns; 0 for
	// none. Those of trusted code, which end a call, don't count. One that goes on elsewhere than in
	// leftAt hasn't returned.
	left   uint64
	leftAt emu.Range
	copies *copying // StandTrap and, behind the call, StandRun: see copying; nil: none
	// posted are the threads of signals that it sent and that are on their way, sent those of all
	// that ever were.
	posted, sent []trace.TID
	mapped       uint64 // the moment of its latest map, see progress
	// pending is the operation that it waits for at StandSleep, or when it naps.
	pending  trace.Op
	leaving  spins.Leftovers // of a counted spin's step, and of those before
	leftover spins.Leftovers
	// The same of registers (leftoverreg.go).
	leftRegs    []spins.LeftReg
	leavingRegs trace.RegSet
	due         *due        // nil: nothing (due.go)
	turns       uint32      // StandAccess: of a counted spin, with which its next step leaves it; 0: it isn't known (counted.go)
	hint        *spins.Hint // StandAccess: of a load before an exchange; nil: it is none (hint.go)
	rounds      spins.Rounds
	// returns is where the variables begin that end with the return before which it stands (StandAccess);
	// 0: it is no such return. ended is how far up its stack is a grave to others since a return; 0: it
	// is none (returned.go).
	returns, ended uint64
	// passes is how often time has passed for its loop, with nothing done between
	// (spinclock.go).
	passes uint64
}

// Live: it hasn't ended.
func (t *Thread) Live() bool { return t.Exists && t.Stand != StandExited }

// isArrival reports whether a thread is a signal on its way.
func (t *thread) isArrival() bool { return t.Stand == StandArrival }

// Save keeps the present state of a thread for Rewind. No rewind goes back to between two
// marks, so what was kept since the latest one will do.
func (s *present) Save(t trace.TID) {
	s.listing.changes(t)
	if !s.savedSince(t) {
		s.keep(t)
	}
}

func (s *present) keep(t trace.TID) {
	s.state.save(t)
	s.lib.Keep(t)
	if s.companion != nil {
		s.companion.Keep(t)
	}
}

// savedSince reports whether Save has kept a thread since the latest mark.
func (s *state) savedSince(t trace.TID) bool {
	return int(t) < len(s.savedAt) && s.savedAt[t] == s.serial+1
}

func (s *state) save(t trace.TID) {
	e := s.threadLog.Next()
	e.id, e.old = t, s.threads[t]
	for int(t) >= len(s.savedAt) {
		s.savedAt = append(s.savedAt, 0)
	}
	s.savedAt[t] = s.serial + 1
}

// copying is that of a thread; of one in the midst of no such call it is empty.
func (s *stander) copying() *copying {
	if s.copies == nil {
		return &notCopying
	}
	return s.copies
}

// isTimer reports whether a thread is a timer.
func (t *thread) isTimer() bool { return t.Stand == StandTimer }

// stand is how a thread stands; one that awaits, before its next look.
func (th *thread) stand() Stand {
	if th.Stand == StandSpin && th.awaits {
		return th.spinStand
	}
	return th.Stand
}
