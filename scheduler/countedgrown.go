package scheduler

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"landgo/emu"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Loops that count their turns without an end (spins/grown.go): a turn is followed instruction by
// instruction.

// mostTraced bounds the instructions of a turn.
const mostTraced = 4096

// grows reports whether a thread that stands here, and goes to next by a turn that finds with, does
// the same in all later turns. So it has to with each value that has it stay, and with the first,
// the present one. If it does, words are those of memory that may hold other numbers, there or
// after it has left. Then registers in regs may, too.
func (c *countedSpins) grows(th edit, here, next *spins.Poise, with uint64, values []uint64) (words []x86.GrownWord, regs trace.RegSet, ok bool) {
	at := th.Access
	for _, size := range []uint64{4, 8} {
		g, ok := spins.GrownRegs(here, next)
		if !ok {
			return nil, 0, false
		}
		if g.Words = c.grownWords(th, &at, here, next, with, size); !g.Any() {
			return nil, 0, false
		}
		for range mostRefined {
			left, refined, same := c.allGrown(th, &at, values, &g)
			if same {
				words = append(g.Words, left.Words...)
				r := c.in.machine.Regs(th.Ctx)
				return words, left.Regs, !slices.ContainsFunc(words, func(w x86.GrownWord) bool {
					return !c.leftovers.ownsThere(th.thread, &r, w.Addr) || !c.leftovers.ownsThere(th.thread, &r, w.Addr+w.Size-1)
				})
			}
			if !refined {
				break
			}
		}
	}
	return nil, 0, false
}

// mostRefined is how often a turn is followed, with more of what may be anything.
const mostRefined = 8

// allGrown is grows with the numbers in g. refined: more may be anything than was assumed, which is
// in g now.
func (c *countedSpins) allGrown(th edit, at *trace.Access, values []uint64, g *x86.Grown) (left x86.Grown, refined, same bool) {
	for n, v := range values {
		end, how := c.sameGrown(th, at, v, n == 0, x86.Grown{Regs: g.Regs, Loose: g.Loose, Words: slices.Clone(g.Words)})
		switch how {
		case spins.Fails:
			return left, false, false
		case spins.Leaves:
			left.Words, left.Regs = append(left.Words, end.Words...), left.Regs|end.Regs|end.Loose
		case spins.Stays:
			refined = spins.Refine(g, &end) || refined
		}
	}
	return left, refined, !refined
}

// grownWords are the words of memory that a turn changes.
func (c *countedSpins) grownWords(th edit, at *trace.Access, here, next *spins.Poise, with, size uint64) (list []x86.GrownWord) {
	var before []uint64
	here.Memory.Unequal(next.Memory, func(a uint64) bool {
		w := x86.GrownWord{Addr: a &^ (size - 1), Size: size}
		if len(list) == 0 || list[len(list)-1] != w {
			list, before = append(list, w), append(before, c.in.word(w.Addr, size))
		}
		return true
	})
	c.trials.aside(th, func() {
		c.trials.putValue(at, with)
		c.turnOnce(th, c.counting)
		for i := range list {
			list[i].Loose = !spins.Growth(before[i], c.in.word(list[i].Addr, size))
		}
	})
	return list
}

// sameGrown follows a turn that finds v, with the numbers in g. how is fails if it doesn't do the same
// with others. end has the numbers after it, in registers that aren't dead and in memory. A turn that
// leaves with another value than the present one needn't do the same.
func (c *countedSpins) sameGrown(th edit, at *trace.Access, v uint64, present bool, g x86.Grown) (end x86.Grown, how spins.AfterTurn) {
	var to turnEnd
	c.trials.aside(th, func() {
		c.trials.putValue(at, v)
		var tr *trace.Transition
		how, tr = c.turnOnce(th, c.counting)
		if to.over = how == spins.Leaves && !th.Live(); how == spins.Fails || to.over {
			return
		}
		to.regs = c.in.machine.Regs(th.Ctx)
		to.regs.RIP = c.in.machine.PC(th.Ctx)
		if !slices.ContainsFunc(tr.Ops, func(o trace.Op) bool { return o.Kind != trace.OpYield }) {
			to.yields = slices.Clone(tr.Ops)
		}
		to.dead, _ = c.poises.deadAfter(th.thread, how == spins.Leaves)
	})
	if how == spins.Fails || how == spins.Leaves && !present {
		return x86.Grown{}, how
	}
	first := x86.Grown{Regs: g.Regs, Loose: g.Loose, Words: slices.Clone(g.Words)}
	same := false
	c.trials.aside(th, func() {
		c.trials.putValue(at, v)
		same = !to.over && c.follow(th, &g, &to, false)
	})
	if !same && how == spins.Leaves {
		g = first
		c.trials.aside(th, func() {
			c.trials.putValue(at, v)
			same = c.follow(th, &g, &to, true)
		})
	}
	g.Regs, g.Loose = g.Regs&^to.dead.regs, g.Loose&^to.dead.regs
	same = same && (to.dead.flags || !g.FlagsDiffer())
	if how == spins.Leaves && !to.over {
		same = same && (g.Regs|g.Loose)&^to.dead.saved == 0
	}
	if !same {
		return g, spins.Fails
	}
	return g, how
}

// turnEnd is how a thread stands after a turn, and what may differ then.
type turnEnd struct {
	over   bool // it has ended
	regs   emu.Regs
	yields []trace.Op // of the turn, if it did no more
	dead   dead
}

// goesOnWithout reports whether a thread that stands at a context, in the middle of a turn, ends its step
// without a read of the numbers in g. Those in g that it hasn't overwritten are left.
func (c *countedSpins) goesOnWithout(th edit, at emu.Ctx, g *x86.Grown) bool {
	th.Ctx, th.Stand, th.Set, th.Half, th.limited = at, StandRun, 0, 0, true
	c.leftovers.leavesRegs(th, g.Regs, unread)
	for _, w := range g.Words {
		th.leftover = append(slices.Clone(th.leftover), spins.LeftBy(unread, []trace.Range{{Lo: w.Addr, Hi: w.Addr + w.Size}})...)
	}
	*g, c.leftovers.told = x86.Grown{}, false
	tr := c.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns
	if err := c.trials.step(th, tr, 0); err != nil || c.leftovers.told {
		return false
	}
	for _, l := range th.leftover {
		if l.Look == unread {
			g.Words = append(g.Words, x86.GrownWord{Addr: l.Lo, Size: l.Hi - l.Lo, Loose: true})
		}
	}
	for _, l := range th.leftRegs {
		if l.Look == unread && th.Live() {
			g.Regs |= 1 << l.Number
		}
	}
	return true
}

// follow runs a turn instruction by instruction. It reports whether it does the same with the numbers
// in g. It leaves those there that there are after it. With part, it is enough that at some point the
// turn doesn't read them from then on.
func (c *countedSpins) follow(th edit, g *x86.Grown, end *turnEnd, part bool) bool {
	m, f := c.in.machine, c.in.image.File
	run := emu.Run{From: th.Ctx, Thread: th.ID, Flags: emu.Quiet | emu.IgnoreBreaks, StopAt: 2, SkipFence: true, Reuse: true}
	yields := end.yields
	for n := range mostTraced {
		r := m.Regs(run.From)
		r.RIP = m.PC(run.From)
		if run.Set != 0 {
			r = run.Regs
		}
		if n > 0 && !end.over && r.RIP == end.regs.RIP && r.General() == end.regs.General() {
			return len(yields) == 0
		}
		if !g.Any() && !g.FlagsDiffer() {
			return true
		}
		if part && n > 0 && run.Set == 0 && len(yields) == len(end.yields) {
			d := c.dead.onward(th.thread, r)
			if (g.Regs|g.Loose)&^(d.regs|d.saved) == 0 && (d.flags || !g.FlagsDiffer()) {
				g.Regs = (g.Regs | g.Loose) & d.saved
				return c.goesOnWithout(th, run.From, g)
			}
		}
		code := f.Bytes(r.RIP, x86.MaxInst)
		inst, _, err := x86.Decode(code, f.Machine)
		if err != nil {
			return false
		}
		called := n > 0 && m.Breaks(r.RIP)
		if called || inst.Op == x86asm.SYSCALL { // landgo carries it out, or the kernel
			if len(yields) == 0 || called && yields[0].PC != r.RIP && yields[0].PC != c.in.word(r.RSP, 8) || !called && (g.Regs|g.Loose)&(arguments|trace.RAX|trace.R10) != 0 {
				return false
			}
			yields = yields[1:]
			if called {
				r.RIP, r.RSP = c.in.word(r.RSP, 8), r.RSP+8
			} else {
				r.RIP += uint64(inst.Len)
				r.RCX, r.R11 = r.RIP, r.RFLAGS
				g.Regs, g.Loose = g.Regs&^(trace.RCX|trace.R11), g.Loose&^(trace.RCX|trace.R11)
			}
			r.RAX = 0
			g.Regs, g.Loose = g.Regs&^trace.RAX, g.Loose&^trace.RAX
			run.Set, run.Regs = trace.AllRegs, r
			continue
		}
		var effects *x86.Effects
		if e, ok := x86.EffectsOf(code, f.Machine); ok {
			effects = &e
		}
		if !g.Step(&inst, effects, &r, c.in.word) {
			return false
		}
		stop := m.Run(&run)
		if stop.Why != emu.StopInsn {
			return false
		}
		run.From, run.Set = stop.Ctx, 0
	}
	return false
}
