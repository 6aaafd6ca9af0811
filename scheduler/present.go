package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// What all parts ask of the guest as it stands. Nothing here asks a part.

// Alone reports whether everything that other threads ever did happens before
// the thread's next instruction, and nothing can run beside it: all others
// have exited and were joined. Its accesses are no events then. Where stores have no order
// (blend.go) they are: a read says which of the others' was the last. So they are where a thread
// was torn: a read says how far it came.
func (s *present) Alone(t trace.TID) bool {
	if s.cfg.Unordered && len(s.threads) > 1 {
		return false
	}
	if s.beside(t, &s.threads[s.company]) {
		return false
	}
	for i := range s.threads {
		if o := &s.threads[i]; s.beside(t, o) {
			s.company = o.ID
			return false
		}
	}
	return true
}

// unseen reports whether a thread's accesses needn't be seen: it is alone, and it doesn't matter what
// it reads. That matters once another thread was there, if there are bytes that nothing is said to read.
func (s *present) unseen(t trace.TID) bool {
	if !s.Alone(t) {
		return false
	}
	if !s.facts.Unread() {
		return true
	}
	for i := range s.threads {
		if o := &s.threads[i]; o.Exists && o.ID != t {
			return false
		}
	}
	return true
}

// beside reports whether a thread keeps t from being alone.
func (s *present) beside(t trace.TID, o *thread) bool {
	return o.Exists && o.ID != t && (o.Stand != StandExited || !o.Joined || *s.torn)
}

// Coarse reports whether there can be shared accesses without a preemption
// point before them.
func (s *fixed) Coarse() bool { return s.cfg.Points&trace.PointMem == 0 || len(s.cfg.Rules) > 0 }

// Name implements kernel.Threads: the thread's path name.
func (s *found) Name(t trace.TID) string { return s.names.Name(t) }

// Lookup finds a thread by its path name.
func (s *found) Lookup(name string) (trace.TID, bool) { return s.names.Lookup(name) }

// ensure makes room for thread t. Threads never move: the capacity is there
// from the start.
func (s *state) ensure(t trace.TID) {
	for int(t) >= len(s.threads) {
		s.threads = append(s.threads, thread{Thread: Thread{ID: trace.TID(len(s.threads)), Stand: StandExited}})
	}
}

// striding reports whether a step of thread t goes past points. A child's beginning doesn't, nor what is only tried.
func (s *present) striding(t trace.TID, a *attempt) bool {
	return s.stride != 0 && !a.probing && !a.scouting && !a.trying && s.thisStep().Thread == t
}

// strideLeft is how many accesses and operations thread t may make yet before its step ends at a point; 0: it ends at
// the next one.
func (s *present) strideLeft(t trace.TID, a *attempt) uint32 {
	if !s.striding(t, a) {
		return 0
	}
	tr := s.thisStep()
	return s.stride - min(s.stride, uint32(len(tr.Accesses)+len(tr.Ops)))
}

// strides reports whether thread t passes a point at pc.
func (s *present) strides(t trace.TID, pc uint64, a *attempt) bool {
	return s.striding(t, a) && (s.strideLeft(t, a) > 0 || s.aim != 0 && s.aim != pc)
}

// thisStep is the transition under way.
func (s *state) thisStep() *trace.Transition { return s.steps[len(s.steps)-1].tr }

// progress is the present moment: the steps taken so far, and what the last of them has done.
// Until the next one, nothing was done that other threads can observe.
func (s *state) progress() uint64 {
	if len(s.steps) == 0 {
		return 0
	}
	tr := s.steps[len(s.steps)-1].tr
	return uint64(len(s.steps))<<32 | uint64(len(tr.Accesses)+len(tr.Ops)) + 1
}

// AllThreads is no thread's id: memory that it touches is shared.
const AllThreads trace.TID = 1 << 20

// IsKernelWord reports whether an address is that of a word of the state of a kernel that logs
// what it touches.
func IsKernelWord(addr uint64) bool { return addr < effect.WordsEnd }

// IsClock reports whether an address is the clock's. The clock is no memory: a thread that reads
// it empties no store buffer, and sees no store.
func IsClock(addr uint64) bool { return addr >= effect.Clock && addr < effect.Clock+effect.Step }

// isWord reports whether an address is that of a kernel's word, which has two granules.
func (s *fixed) isWord(addr uint64) bool { return s.logs && addr < effect.WordsEnd }

// passesTime reports whether an access is a sleep's that moves the clock.
func (s *fixed) passesTime(a *trace.Access) bool {
	return s.logs && a.IsWrite() && a.Addr >= effect.Clock && a.Addr < effect.Clock+effect.Step
}

// standPC is the instruction at which a thread stands.
func (s *fixed) standPC(th *thread) uint64 {
	switch th.Stand {
	case StandAccess:
		return th.Access.PC
	case StandOp, StandTrap:
		return th.Regs.RIP
	case StandTimer:
		return 0
	}
	if len(th.copying().left) > 0 {
		return th.copying().pc
	}
	if s.steered() {
		return th.Regs.RIP
	}
	return s.machine.PC(th.Ctx)
}

// wakeFromKernel lets a thread out of a kernel queue.
func (s *present) wakeFromKernel(t trace.TID) {
	th := s.edit(t)
	th.Stand, th.woken = StandRun, true
}

// bufferOf is the buffer's thread, of thread t.
func bufferOf(t trace.TID) trace.TID { return t + 1 }

// isBuffer reports whether t is a buffer.
func (s *fixed) isBuffer(t trace.TID) bool { return s.cfg.Buffers && t&1 == 1 }

// steered: the guest schedules its threads itself. A thread's registers are in
// thread.Regs then.
func (s *fixed) steered() bool { return s.companion != nil }

// hasClock reports whether the kernel has a clock that sleeps move. Elsewhere a loop that yields isn't
// surveyed: in the tests of thread libraries that took longer than the polls that it spares (make bench).
func (s *present) hasClock() bool {
	_, ok := s.kernel.(clockKernel)
	return ok
}

// since is the number of the step since which a thread stands as it does: its latest one, or the one
// that created it. 0: it stood so before the search, which may have learned since.
func (s *present) since(th *thread) uint64 {
	i := th.LastStep
	if i == 0 {
		i = int32(th.born >> momentShift)
	}
	if i == 0 || int(i) > len(s.steps) {
		return 0
	}
	return s.steps[i-1].number
}

// EveryOperation: each operation that others could notice is a point.
func (s *fixed) EveryOperation() bool { return s.cfg.Points&(trace.PointMem|trace.PointSync) != 0 }

// trusted reports whether a thread runs code that landgo takes as correct.
func (s *fixed) trusted(th *thread) bool {
	return th.Starting || s.lib.Running(th.ID)&(RunsFollowed|RunsQuiet) != 0
}

// inCalls reports whether a thread is in the midst of a function whose calls of the kernel are
// steps, where there is a point before each operation.
func (s *fixed) inCalls(t trace.TID) bool {
	return s.EveryOperation() && s.lib.Running(t)&(RunsFollowed|RunsCalls) == RunsCalls
}

// removed reports whether an address is in memory that the guest gave back to
// its kernel.
func (s *fixed) removed(addr uint64) bool {
	k, ok := s.kernel.(interface{ Removed(addr uint64) bool })
	return ok && k.Removed(addr)
}

// Unwritten is the rest in the guest's own buffer of standard output where thread t
// has ended the process by a call that would write it. It is valid until the next step.
func (s *fixed) Unwritten(t trace.TID) []byte {
	return s.lib.Unwritten(t).Text
}

// clockKernel is a kernel with a clock that threads look at.
type clockKernel interface {
	// IsLook reports whether an operation is a look at the clock that doesn't move it.
	IsLook(op trace.Op) bool
	// LookMoves has thread t's next look move the clock, further the more often it has.
	LookMoves(t trace.TID, often uint64)
	// LooksAnew lets thread t's looks not move the clock for a while.
	LooksAnew(t trace.TID)
	// OnlySlept reports whether nothing but the clock has changed since the machine's log had a length.
	OnlySlept(logged int) bool
}
