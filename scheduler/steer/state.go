package steer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A report's and a search's questions about a kernel's state.

// Rewind implements por.System.
func (s *Kernel) Rewind(k trace.Mark) {
	remaps := s.remaps()
	s.System.Rewind(k)
	s.proc.forget()
	s.answers.forget()
	if remaps {
		s.machine.FlushBoard()
	}
}

// Stuck explains a state in which threads are left that can never run: nil if
// there are none.
func (s *Kernel) Stuck(ended bool) *scheduler.Failure {
	if ended {
		return nil
	}
	f := &scheduler.Failure{Kind: trace.Deadlock}
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.Live() || th.own.Idle || th.own.Ended {
			continue
		}
		if x := s.exec.untreated(th); x != nil {
			return x
		}
		f.Waits = append(f.Waits, s.waitOf(th))
	}
	i := slices.IndexFunc(f.Waits, func(w scheduler.Wait) bool { return w.Spins })
	if s.awaitsInput() {
		return nil
	}
	switch {
	case len(f.Waits) == 0:
		return nil
	case i >= 0:
		f.Kind, f.Thread, f.PC = trace.Livelock, f.Waits[i].Thread, s.PC(f.Waits[i].Thread)
		f.Message = s.StuckMessage(f)
		return f
	case len(f.Waits) == 1:
		f.Message = fmt.Sprintf("the kernel idles for ever: thread %s waits for %s", s.Name(f.Waits[0].Thread), f.Waits[0].String())
	default:
		f.Message = fmt.Sprintf("the kernel idles for ever: %d threads wait, and no thread is left to release them", len(f.Waits))
	}
	f.Thread, f.PC = f.Waits[0].Thread, s.PC(f.Waits[0].Thread)
	return f
}

// waitOf says what a blocked thread waits for, as far as it said so itself.
func (s *Kernel) waitOf(th *thread) scheduler.Wait {
	w := scheduler.Wait{Thread: th.ID, Owner: trace.NoThread, For: "being woken", Name: "by another thread"}
	switch {
	case th.Stand == scheduler.StandSpin:
		w.For, w.Name, w.Spins, w.Reads = "a change of", "the memory that its loop reads", true, th.Waits
	case th.own.State == ownReady:
		w.For, w.Name = "the processor:", "it is ready, and no tick brings it there"
	case th.own.State == ownSleeping:
		w.For, w.Name = "time to pass:", "no tick of the timer wakes it"
	case s.hasChannel() && !s.calls.inLock(th):
		c := s.channelOf(th)
		w.For, w.Obj, w.Name = "being woken on", c, s.channelName(c)
	case th.own.Wants != 0 && (s.profile == nil || s.calls.inLock(th)):
		w.For, w.Obj, w.Name = "the object", th.own.Wants, s.VariableName(th.own.Wants)
	}
	return w
}

// StateText says why a thread doesn't go on by itself.
func (s *Kernel) StateText(t trace.TID) string {
	th := &s.threads[t]
	switch {
	case th.Stand == scheduler.StandExited:
		return "ended"
	case th.own.Halted:
		return "waits for an interrupt"
	case th.Stand == scheduler.StandSpin:
		return "runs in a loop"
	case th.own.State == ownSleeping:
		return "sleeps"
	case th.own.State == ownBlocked:
		w := s.waitOf(th)
		return "waits for " + w.String()
	case th.own.Tail:
		return "gives way"
	case th.Yielding:
		return "runs in a loop"
	}
	return "stops"
}

// NextText says what a thread's next step begins with.
func (s *Kernel) NextText(t trace.TID) string {
	th := &s.threads[t]
	if th.Stand == scheduler.StandAccess || th.Stand == scheduler.StandFailure {
		return s.System.NextText(t)
	}
	switch code := s.code(th.Regs.RIP); {
	case len(code) > 0 && code[0] == 0xfa:
		return "turns interrupts off"
	case s.acquires(th.Regs.RIP) && th.own.Wants != 0:
		return "acquires " + s.VariableName(th.own.Wants)
	}
	return ""
}

// acquires reports whether a thread that stands at pc is about to acquire something.
func (s *fixed) acquires(pc uint64) bool {
	kind, tells := s.tells[pc]
	b, named := s.named[pc]
	return tells && kind == tellLocking || named && scheduler.PointsAt(b.Role)&trace.PointLock != 0
}

// Starts lists the threads of the present state, but for the idle one.
func (s *Kernel) Starts() (out []scheduler.Start) {
	for _, x := range s.System.Starts() {
		if !s.threads[x.Thread].own.Idle {
			out = append(out, x)
		}
	}
	return out
}

// OpText puts an operation into words.
func (s *Kernel) OpText(op trace.Op) string {
	switch op.Kind {
	case trace.OpSyscall, trace.OpInterruptsOff, trace.OpInterruptsOn:
		return ""
	}
	return s.System.OpText(op)
}

// PC is the instruction at which a thread stands.
func (s *Kernel) PC(t trace.TID) uint64 { return s.threads[t].Regs.RIP }

// pc is PC, for the parts.
func (s *situation) pc(t trace.TID) uint64 { return s.threads[t].Regs.RIP }

// State is a digest of what an execution left behind, for replays: the writable
// memory of the kernel's own image, and the threads that have ended. Page tables aren't in it:
// the engine marks their entries as used, which nothing takes back.
func (s *Kernel) State() uint64 { return s.digest(func(uint64) bool { return false }) }

// Outcome is State without what the order of threads that don't interfere may
// change: what ticks touch, and threads' stacks. For comparing searches.
func (s *Kernel) Outcome() uint64 {
	stacks := map[uint64]bool{}
	for i := range s.threads {
		if pa, ok := s.translate(s.threads[i].Regs.RSP); s.threads[i].Exists && ok {
			stacks[pa>>abi.PageShift] = true
		}
		if pa, ok := s.translate(s.threads[i].own.Frames - 1); s.threads[i].Exists && ok {
			stacks[pa>>abi.PageShift] = true
		}
	}
	return s.digest(func(at uint64) bool {
		owner, _ := s.machine.Sharing(at)
		return stacks[at>>abi.PageShift] || owner == handlerThread || s.known.Ticked[at>>3].Writes != 0
	})
}

func (s *situation) digest(without func(at uint64) bool) uint64 {
	h := fnv.New64a()
	tables := s.pageTables()
	word := make([]byte, 0, 16)
	for _, seg := range s.image.Segments {
		if !seg.Write {
			continue
		}
		for lo, at := s.image.Physical(seg.Addr), s.image.Physical(seg.Addr); at < lo+seg.MemSize; at += 8 {
			v := s.machine.Read64(at)
			if v == 0 || tables[at>>abi.PageShift] || without(at) { // most words are 0
				continue
			}
			h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(word, at), v))
		}
	}
	for i := range s.threads {
		if s.threads[i].Exists {
			h.Write([]byte{byte(b2i(s.threads[i].Live()))})
		}
	}
	return h.Sum64()
}

// pageTables are the pages of the page tables in use.
func (s *reading) pageTables() map[uint64]bool {
	pages := map[uint64]bool{}
	b := s.boardRegs()
	if !b.Paging() {
		return pages
	}
	levels, size := 4, uint64(8)
	if s.wordSize == 4 {
		levels, size = 2, 4
		if b.CR4&cr4PAE != 0 {
			levels, size = 3, 8
		}
	}
	var visit func(table uint64, level int)
	visit = func(table uint64, level int) {
		if pages[table>>abi.PageShift] || !s.inMemory(table) {
			return
		}
		pages[table>>abi.PageShift] = true
		for at := table; level > 1 && at < table+abi.PageSize; at += size {
			e := s.machine.Read64(at)
			if size == 4 {
				e = uint64(s.machine.Read32(at))
			}
			if e&abi.EntryPresent != 0 && e&abi.EntryLarge == 0 {
				visit(e&frameMask, level-1)
			}
		}
	}
	visit(b.CR3&frameMask, levels)
	return pages
}

func (s *fixed) inMemory(at uint64) bool { return at < s.machine.Space() }

// Digest implements por.Hasher.
func (s *Kernel) Digest() (trace.Digest, error) {
	return trace.Digest{}, errors.New("the states of a kernel can't be told apart yet: use another search")
}

// Settle learns that ready threads are to be tried, if ticks don't bring the
// processor to one that seems able to run, and to ignore priorities. A search
// learns that when it lets the threads run; a replay of the execution that it
// then reports never does.
func (s *Kernel) Settle() (news bool) {
	if s.ranks.ranked() {
		if s.tryRanks(); s.known.Unranked {
			return s.Settled()
		}
	}
	best := s.ranks.bestPriority()
	for i := range s.threads {
		th := &s.threads[i]
		if !s.known.Probes && s.threads[i].Exists && th.Stand != scheduler.StandFailure && s.canRun(th, best) && !s.reachable(th) {
			s.known.Probes = true
			s.Noted()
			return true
		}
	}
	return s.Settled() // the tries may have met news, too
}

// Distrust implements what a replay asks: nothing is trusted.
func (s *Kernel) Distrust() bool { return false }
