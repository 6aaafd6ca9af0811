package steer

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/scheduler"
	"landgo/scheduler/known"
)

// Threads that wait for time by giving the processor up again and again (a
// timer_sleep that yields until enough ticks have passed) hand it to one another for
// ever. For landgo's timer ticks only where a search wants another thread. But time
// passes for them, too: where they *have gone round*, a tick comes with the next
// step. That is where
//
//   - each thread that can run has given the processor up and hasn't gone on since. It did
//     so at the same place as the time before, with the same registers among those that a
//     function call keeps. Or only one can run, and gets the processor back at once;
//   - and since an earlier state of that kind no tick has come, no port was used and no clock
//     read. The processor and all memory are as they were then, except for the stacks below the
//     stack pointers of threads that gave the processor up.
//
// No order is lost by it. A shortest way to whatever can be reached doesn't go through
// the same state twice. Neither does one that differs from it only in the order of
// steps that don't interfere. So no such tick comes there. Nothing of this rests on which
// memory is known to be shared, for a replay knows less of that (explore, followAll).
// For the same reason no round begins before an access.
//
// Whether a step brings a tick depends on what the others did. So the steps of threads
// that gave the processor up twice in this way depend on every step (Kernel, wide).
//
// A kernel that counts its switches doesn't go round: its executions end in the budget.

// stores records visible writes, except those of the yield path: there the
// thread writes the scheduler's list.
func (k *reading) stores(th edit, as []trace.Access) {
	for i := range as {
		a := &as[i]
		if !a.IsWrite() || a.Flags&trace.Silent != 0 || k.itsOwn(th.thread, a.Addr) && k.itsOwn(th.thread, a.Addr+uint64(a.Size)-1) || k.ownStack(th.thread, a.Addr) {
			continue
		}
		switch {
		case k.on.Get():
			th.own.Stored = true
		case !th.own.Tail || th.own.Kind != tailOfYield:
			th.own.Storing = true
		}
	}
}

// itsOwn: no other thread has touched the memory.
func (k *fixed) itsOwn(th *thread, pa uint64) bool {
	owner, shared := k.machine.Sharing(pa)
	return !shared && owner == th.ID
}

// stackPage is the page of memory in which a thread's stack pointer was last, as far
// as it is known to be the thread's stack, and not its structure. Else it is empty.
func (k *reading) stackPage(th *thread) emu.Range {
	page := th.Regs.RSP &^ (abi.PageSize - 1)
	low := th.own.StackLow
	if k.profile != nil && k.profile.Stack != 0 {
		low = th.Regs.RSP&^(k.profile.Stack-1) + k.profile.Size
	}
	at, ok := k.translate(page)
	if !ok || low == 0 || low >= page+abi.PageSize {
		return emu.Range{}
	}
	return emu.Range{Lo: at + max(low, page) - page, Hi: at + abi.PageSize}
}

// ownStack: the memory is known to be the thread's stack.
func (k *reading) ownStack(th *thread, pa uint64) bool {
	r := k.stackPage(th)
	return r.Lo <= pa && pa < r.Hi
}

// rounds finds where threads have gone round, and the loops in which they wait.
type rounds struct {
	in     *situation
	core   core
	known  *known.Facts
	step   *stepping
	proc   *processor
	ranks  *ranks
	canRun func(th *thread, best int64) bool
}

// sectionEnds: interrupts are on again, and the thread still has the processor.
func (o *rounds) sectionEnds(th *thread) {
	e := o.core.edit(th.ID)
	e.own.Stored = th.own.Stored || th.own.Storing
	e.own.Storing = false
}

// gaveWay: a thread has given the processor up, at the registers that it was seen
// with last. Its turn began at the last time that it did.
func (k *reading) gaveWay(th edit) {
	o := &th.own
	before, stored := o.Lap, o.Stored
	o.Stored, o.Storing = false, false
	o.LapBefore, o.LapFrom = o.LapFrom, k.machine.Journal()
	o.Lap = k.lapOf(th.thread)
	o.Round = o.Lap != 0 && o.Lap == before
	if stored || o.Lap != before {
		k.machine.Put(&k.vain, 0)
	}
}

// lapOf tells places apart where a thread can give the processor up, and what it
// keeps there; 0: it isn't ready any more.
func (k *fixed) lapOf(th *thread) uint64 {
	r := &th.Regs
	h := fnv.New64a()
	kept := []uint64{r.RIP, r.RSP, r.RBP, r.RBX, r.R12, r.R13, r.R14, r.R15}
	if k.wordSize == 4 {
		kept = append(kept, r.RSI, r.RDI)
	}
	for _, v := range kept {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
	if th.own.State != ownReady {
		return 0
	}
	return h.Sum64() | 1
}

// maxRound is how many states in which a round may end are looked at for one in which
// it began.
const maxRound = 256

// kept: the processor's context is that of a state in which a round can begin, or a
// turn of a spin, and will be compared with later ones.
func (k *situation) kept() bool {
	n := len(k.steps)
	if n == 0 || k.steps[n-1].ctx != emu.Ctx(k.cpu.Get()) {
		return false
	}
	b := &k.steps[n-1]
	return b.turn || b.at == b.tr.Thread && !k.aloneOwn()
}

// alone: of all threads only one can run. Those that spin count, because a replay doesn't know of
// all.
func (o *rounds) alone() bool { return len(o.step.could) == 1 && !o.in.someSpins() }

// since is the stretch of the journal since a step began.
func (k *fixed) since(i *stepInfo) []emu.Stretch {
	return []emu.Stretch{{From: i.journal, To: k.machine.Journal()}}
}

// dead reports whether memory is below the stack pointer in the stack of a thread that
// gave the processor up, or of th.
func (k *situation) dead(th *thread) func(pa uint64) bool {
	var all []emu.Range
	for i := range k.threads {
		x := &k.threads[i]
		if !k.threads[i].Exists || !x.Live() || x.own.Idle || x.own.Interrupted || x != th && !x.own.Tail {
			continue
		}
		r := k.stackPage(x)
		if at, ok := k.translate(x.Regs.RSP); ok && r.Lo <= at && at < r.Hi {
			all = append(all, emu.Range{Lo: r.Lo, Hi: at})
		}
	}
	return func(pa uint64) bool {
		return slices.ContainsFunc(all, func(r emu.Range) bool { return r.Lo <= pa && pa < r.Hi })
	}
}

// atTurn reports whether a round can end where thread th is to take a step.
func (o *rounds) atTurn(th *thread) bool {
	if o.alone() {
		return th.own.State == ownReady && th.Stand != scheduler.StandAccess
	}
	if o.in.someSpins() {
		return false
	}
	any := false
	best := o.ranks.bestPriority()
	for i := range o.in.threads {
		th := &o.in.threads[i]
		if !o.in.threads[i].Exists || th.own.State != ownReady || !o.canRun(th, best) {
			continue
		}
		if !th.own.Round || !th.own.Tail || th.own.Kind != tailOfYield {
			return false
		}
		any = true
	}
	return any
}

// passes reports whether time passes with the step of th that is under way.
func (o *rounds) passes(th *thread) bool {
	now := &o.in.steps[len(o.in.steps)-1]
	if now.turn = o.atTurn(th); !now.turn {
		return false
	}
	dead := o.in.dead(th)
	for i, n := len(o.in.steps)-2, 0; i >= 0 && n < maxRound; i-- {
		b := &o.in.steps[i]
		if b.ticks != now.ticks || b.ports != now.ports || b.clock != now.clock {
			return false
		}
		if !b.turn {
			continue
		}
		n++
		if b.on == now.on && o.in.machine.SameCPU(b.ctx, now.ctx) && o.in.machine.Unchanged(o.in.since(b), dead) {
			now.off = now.on == 0 && b.ons == now.ons && !o.step.trying
			return true
		}
	}
	return false
}
