package scheduler

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// How a thread stands after a turn (spins/poise.go), out of the machine and the kernel.

// poiseOf is that of a thread. left: it has left the spin.
func (c *counts) poiseOf(th *thread, left bool) spins.Poise {
	if !th.Live() { // its registers are nothing to others
		p := spins.Poise{Stand: uint8(th.Stand), Effects: th.Effects, Rest: c.in.threadDigest(th)}
		c.restOf(&p)
		return p
	}
	p := spins.Poise{Stand: uint8(th.Stand), Addr: th.Access.Addr, Size: th.Access.Size, PC: th.Access.PC, Half: th.Half, Set: th.Set, Effects: th.Effects, FPU: c.in.machine.FPU(th.Ctx)}
	r := c.in.machine.Regs(th.Ctx)
	general := r.General()
	copy(p.Regs[:], general[:])
	p.Regs[16], p.Regs[17], p.Flags = r.FSBase, r.GSBase, r.RFLAGS
	d, known := c.deadAfter(th, left)
	if known && th.Set == 0 {
		p.Hide(d.regs, d.saved, d.flags)
	} else {
		p.Stopped = th.Regs
	}
	if th.Stand != StandAccess {
		p.Addr, p.Size, p.PC = 0, 0, c.in.machine.PC(th.Ctx)
	}
	h := trace.NewHash()
	c.in.lib.HashThread(th.ID, &h, th.Stand == StandOp || th.Stand == StandTrap)
	if p.Rest = h.Sum(); left {
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
func (c *counts) restOf(p *spins.Poise) {
	p.Rest.Add(c.in.heap.Digest())
	p.Rest.Add(c.in.mapped.Digest())
	p.Rest.Add(c.in.lib.Digest())
	h := trace.NewHash()
	for fd := 1; fd <= 2; fd++ {
		out := c.in.kernel.Output(fd)
		h.Word(uint64(len(out)))
		h.Text(string(out))
	}
	p.Rest.Add(h.Sum())
}
