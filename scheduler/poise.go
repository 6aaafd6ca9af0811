package scheduler

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
)

// A counted spin's turns are compared (counted.go) by the state that each leaves.

// poise is how a thread stands after a turn: equal for two that behave the same. Of a
// thread that left, it has what it has done, too.
type poise struct {
	stand    Stand
	addr, pc uint64
	size     uint32
	half     uint32
	set      trace.RegSet
	regs     [18]uint64
	flags    uint64
	stopped  emu.Regs
	fpu      emu.FPU
	rest     trace.Digest
	effects  uint64
	// Of a thread that left: what it did, which bytes are other than where the survey began, and
	// how it changed the kernel's words.
	did, memory string
	words       trace.Digest
	// Registers that nothing but pushes reads (leftreg.go), and what they hold. Others hold 0 there.
	saved  trace.RegSet
	pushed [trace.NumGeneral]uint64
}

// poises are those of a thread's turns, one after the other. There are few.
type poises []poise

// turn is the turn before which the thread stood so, from 1; 0: none.
func (l poises) turn(p *poise) uint32 {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i] == *p {
			return uint32(i) + 1
		}
	}
	return 0
}

// poiseOf is that of a thread. left: it has left the spin.
func (c *counts) poiseOf(th *thread, left bool) poise {
	if !th.Live() { // its registers are nothing to others
		p := poise{stand: th.Stand, effects: th.Effects, rest: c.in.threadDigest(th)}
		c.restOf(&p)
		return p
	}
	p := poise{stand: th.Stand, addr: th.Access.Addr, size: th.Access.Size, pc: th.Access.PC, half: th.Half, set: th.Set, effects: th.Effects, fpu: c.in.machine.FPU(th.Ctx)}
	r := c.in.machine.Regs(th.Ctx)
	general := r.General()
	copy(p.regs[:], general[:])
	p.regs[16], p.regs[17], p.flags = r.FSBase, r.GSBase, r.RFLAGS
	d, known := c.deadAfter(th, left)
	if known && th.Set == 0 {
		p.saved = d.saved
		for i := range general {
			if d.saved&(1<<i) != 0 {
				p.pushed[i] = p.regs[i]
			}
			if (d.regs|d.saved)&(1<<i) != 0 {
				p.regs[i] = 0
			}
		}
		if d.flags {
			p.flags &^= abi.Arithmetic
		}
	} else {
		p.stopped = th.Regs
	}
	if th.Stand != StandAccess {
		p.addr, p.size, p.pc = 0, 0, c.in.machine.PC(th.Ctx)
	}
	h := trace.NewHash()
	c.in.lib.HashThread(th.ID, &h, th.Stand == StandOp || th.Stand == StandTrap)
	if p.rest = h.Sum(); left {
		c.restOf(&p)
	}
	return p
}

// deadAfter says which registers are dead where a thread stands after a turn, and whether flags
// are, if that is known.
func (c *counts) deadAfter(th *thread, left bool) (d dead, known bool) {
	r := c.in.machine.Regs(th.Ctx)
	r.RIP = c.in.machine.PC(th.Ctx)
	switch {
	case !left && c.deep && th.Stand == StandAccess && th.Half == 0 && th.Set == 0:
		r.RIP = th.Access.PC
		d = c.deadOnward(th, r)
		d.saved = 0 // the next turns may push these
		return d, true
	case !left || th.Half != 0 || th.Set != 0:
	case th.Stand == StandAccess:
		r.RIP = th.Access.PC
		return c.deadOnward(th, r), true
	case th.Stand == StandTrap && c.atCall(r.RIP):
		return c.deadOnward(th, r), true
	case th.Stand == StandOp && c.in.lib.PendingOp(th.ID).Kind == trace.OpEnd: // by landgo
		return dead{regs: trace.GeneralRegs &^ trace.RDI, flags: true}, true
	case th.Stand == StandOp && c.in.image.Machine == elffile.X86_64 && c.in.lib.CarriesOut(r.RIP):
		reads := c.in.lib.Arguments(r.RIP)
		_, r.RIP = c.in.lib.Call(th.ID)
		r.RSP += 8
		d = c.deadOnward(th, r)
		d.regs, d.saved = (d.regs|trace.RAX)&^reads, d.saved&^(reads|trace.RAX)
		return d, true
	}
	d.regs, d.flags, known = c.spins.deadWhere(th)
	return d, known
}

// atCall reports whether a program's call of the kernel is at pc.
func (c *counts) atCall(pc uint64) bool {
	inst, ok := c.decode(pc)
	return ok && inst.Op == x86asm.SYSCALL
}

// restOf adds what is outside of a thread, of memory and of the kernel.
func (c *counts) restOf(p *poise) {
	p.rest.Add(c.in.heap.Digest())
	p.rest.Add(c.in.mapped.Digest())
	p.rest.Add(c.in.lib.Digest())
	h := trace.NewHash()
	for fd := 1; fd <= 2; fd++ {
		out := c.in.kernel.Output(fd)
		h.Word(uint64(len(out)))
		h.Text(string(out))
	}
	p.rest.Add(h.Sum())
}
