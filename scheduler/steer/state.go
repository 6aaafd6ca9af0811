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
func (k *Kernel) Rewind(to trace.Mark) {
	remaps := k.remaps()
	k.System.Rewind(to)
	k.proc.forget()
	k.answers.forget()
	if remaps {
		k.machine.FlushBoard()
	}
}

// Stuck explains a state in which threads are left that can never run: nil if
// there are none.
func (k *Kernel) Stuck(ended bool) *scheduler.Failure {
	if ended {
		return nil
	}
	f := &scheduler.Failure{Kind: trace.Deadlock}
	for i := range k.threads {
		th := &k.threads[i]
		if !k.threads[i].Exists || !th.Live() || th.own.Idle || th.own.Ended {
			continue
		}
		if x := k.exec.untreated(th); x != nil {
			return x
		}
		f.Waits = append(f.Waits, k.waitOf(th))
	}
	i := slices.IndexFunc(f.Waits, func(w scheduler.Wait) bool { return w.Spins })
	if k.awaitsInput() {
		return nil
	}
	switch {
	case len(f.Waits) == 0:
		return nil
	case i >= 0:
		f.Kind, f.Thread, f.PC = trace.Livelock, f.Waits[i].Thread, k.PC(f.Waits[i].Thread)
		f.Message = k.StuckMessage(f)
		return f
	case len(f.Waits) == 1:
		f.Message = fmt.Sprintf("the kernel idles for ever: thread %s waits for %s", k.Name(f.Waits[0].Thread), f.Waits[0].String())
	default:
		f.Message = fmt.Sprintf("the kernel idles for ever: %d threads wait, and no thread is left to release them", len(f.Waits))
	}
	f.Thread, f.PC = f.Waits[0].Thread, k.PC(f.Waits[0].Thread)
	return f
}

// waitOf says what a blocked thread waits for, as far as it said so itself.
func (k *Kernel) waitOf(th *thread) scheduler.Wait {
	w := scheduler.Wait{Thread: th.ID, Owner: trace.NoThread, For: "being woken", Name: "by another thread"}
	switch {
	case th.Stand == scheduler.StandSpin:
		w.For, w.Name, w.Spins, w.Reads = "a change of", "the memory that its loop reads", true, th.Waits
	case th.own.State == ownReady:
		w.For, w.Name = "the processor:", "it is ready, and no tick brings it there"
	case th.own.State == ownSleeping:
		w.For, w.Name = "time to pass:", "no tick of the timer wakes it"
	case k.hasChannel() && !k.calls.inLock(th):
		c := k.channelOf(th)
		w.For, w.Obj, w.Name = "being woken on", c, k.channelName(c)
	case th.own.Wants != 0 && (k.profile == nil || k.calls.inLock(th)):
		w.For, w.Obj, w.Name = "the object", th.own.Wants, k.VariableName(th.own.Wants)
	}
	return w
}

// StateText says why a thread doesn't go on by itself.
func (k *Kernel) StateText(t trace.TID) string {
	th := &k.threads[t]
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
		w := k.waitOf(th)
		return "waits for " + w.String()
	case th.own.Tail:
		return "gives way"
	case th.Yielding:
		return "runs in a loop"
	}
	return "stops"
}

// NextText says what a thread's next step begins with.
func (k *Kernel) NextText(t trace.TID) string {
	th := &k.threads[t]
	if th.Stand == scheduler.StandAccess || th.Stand == scheduler.StandFailure {
		return k.System.NextText(t)
	}
	switch code := k.code(th.Regs.RIP); {
	case len(code) > 0 && code[0] == 0xfa:
		return "turns interrupts off"
	case k.acquires(th.Regs.RIP) && th.own.Wants != 0:
		return "acquires " + k.VariableName(th.own.Wants)
	}
	return ""
}

// acquires reports whether a thread that stands at pc is about to acquire something.
func (k *fixed) acquires(pc uint64) bool {
	kind, tells := k.tells[pc]
	b, named := k.named[pc]
	return tells && kind == tellLocking || named && scheduler.PointsAt(b.Role)&trace.PointLock != 0
}

// Starts lists the threads of the present state, but for the idle one.
func (k *Kernel) Starts() (out []scheduler.Start) {
	for _, x := range k.System.Starts() {
		if !k.threads[x.Thread].own.Idle {
			out = append(out, x)
		}
	}
	return out
}

// OpText puts an operation into words.
func (k *Kernel) OpText(op trace.Op) string {
	switch op.Kind {
	case trace.OpSyscall, trace.OpInterruptsOff, trace.OpInterruptsOn:
		return ""
	}
	return k.System.OpText(op)
}

// PC is the instruction at which a thread stands.
func (k *Kernel) PC(t trace.TID) uint64 { return k.threads[t].Regs.RIP }

// pc is PC, for the parts.
func (k *situation) pc(t trace.TID) uint64 { return k.threads[t].Regs.RIP }

// State is a digest of what an execution left behind, for replays: the writable
// memory of the kernel's own image, and the threads that have ended. Page tables aren't in it:
// the engine marks their entries as used, which nothing takes back.
func (k *Kernel) State() uint64 { return k.digest(func(uint64) bool { return false }) }

// Outcome is State without what the order of threads that don't interfere may
// change: what ticks touch, and threads' stacks. For comparing searches.
func (k *Kernel) Outcome() uint64 {
	stacks := map[uint64]bool{}
	for i := range k.threads {
		if pa, ok := k.translate(k.threads[i].Regs.RSP); k.threads[i].Exists && ok {
			stacks[pa>>abi.PageShift] = true
		}
		if pa, ok := k.translate(k.threads[i].own.Frames - 1); k.threads[i].Exists && ok {
			stacks[pa>>abi.PageShift] = true
		}
	}
	return k.digest(func(at uint64) bool {
		owner, _ := k.machine.Sharing(at)
		return stacks[at>>abi.PageShift] || owner == handlerThread || k.known.Ticked[at>>3].Writes != 0
	})
}

func (k *situation) digest(without func(at uint64) bool) uint64 {
	h := fnv.New64a()
	tables := k.pageTables()
	word := make([]byte, 0, 16)
	for _, seg := range k.image.Segments {
		if !seg.Write {
			continue
		}
		for lo, at := k.image.Physical(seg.Addr), k.image.Physical(seg.Addr); at < lo+seg.MemSize; at += 8 {
			v := k.machine.Read64(at)
			if v == 0 || tables[at>>abi.PageShift] || without(at) { // most words are 0
				continue
			}
			h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(word, at), v))
		}
	}
	for i := range k.threads {
		if k.threads[i].Exists {
			h.Write([]byte{byte(b2i(k.threads[i].Live()))})
		}
	}
	return h.Sum64()
}

// pageTables are the pages of the page tables in use.
func (k *reading) pageTables() map[uint64]bool {
	pages := map[uint64]bool{}
	b := k.boardRegs()
	if !b.Paging() {
		return pages
	}
	levels, size := 4, uint64(8)
	if k.wordSize == 4 {
		levels, size = 2, 4
		if b.CR4&cr4PAE != 0 {
			levels, size = 3, 8
		}
	}
	var visit func(table uint64, level int)
	visit = func(table uint64, level int) {
		if pages[table>>abi.PageShift] || !k.inMemory(table) {
			return
		}
		pages[table>>abi.PageShift] = true
		for at := table; level > 1 && at < table+abi.PageSize; at += size {
			e := k.machine.Read64(at)
			if size == 4 {
				e = uint64(k.machine.Read32(at))
			}
			if e&abi.EntryPresent != 0 && e&abi.EntryLarge == 0 {
				visit(e&frameMask, level-1)
			}
		}
	}
	visit(b.CR3&frameMask, levels)
	return pages
}

func (k *fixed) inMemory(at uint64) bool { return at < k.machine.Space() }

// Digest implements por.Hasher.
func (k *Kernel) Digest() (trace.Digest, error) {
	return trace.Digest{}, errors.New("the states of a kernel can't be told apart yet: use another search")
}

// CatchUp learns that ready threads are to be tried, if ticks don't bring the
// processor to one that seems able to run, and to ignore priorities. A search
// learns that when it lets the threads run; a replay of the execution that it
// then reports never does.
func (k *Kernel) CatchUp() (news bool) {
	if k.ranks.ranked() {
		if k.tryRanks(); k.known.Unranked {
			return k.Settled()
		}
	}
	best := k.ranks.bestPriority()
	for i := range k.threads {
		th := &k.threads[i]
		if !k.known.Probes && k.threads[i].Exists && th.Stand != scheduler.StandFailure && k.canRun(th, best) && !k.reachable(th) {
			k.known.Probes = true
			k.Noted()
			return true
		}
	}
	return k.Settled() // the tries may have met news, too
}

// Distrust implements what a replay asks: nothing is trusted.
func (k *Kernel) Distrust() bool { return false }
