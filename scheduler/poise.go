package scheduler

import (
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// How a thread stands after a turn (spins/poise.go), out of the machine and the kernel.

// poises compare how threads stand.
type poises struct {
	in   *present
	dead *deadCode
	deep bool // what is dead in all code that follows is left out, of turns too that stay in their loop
}

// of is that of a thread. left: it has left the spin.
func (ps *poises) of(th *thread, left bool) spins.Poise {
	if !th.Live() { // its registers are nothing to others
		p := spins.Poise{Stand: uint8(th.Stand), Effects: th.Effects, Rest: ps.in.threadDigest(th)}
		ps.restOf(&p)
		return p
	}
	p := spins.Poise{Stand: uint8(th.Stand), Addr: th.Access.Addr, Size: th.Access.Size, PC: th.Access.PC, Half: th.Half, Set: th.Set, Effects: th.Effects, FPU: ps.in.machine.FPU(th.Ctx)}
	r := ps.in.machine.Regs(th.Ctx)
	general := r.General()
	copy(p.Regs[:], general[:])
	p.Regs[16], p.Regs[17], p.Flags = r.FSBase, r.GSBase, r.RFLAGS
	d, known := ps.deadAfter(th, left)
	if known && th.Set == 0 {
		p.Hide(d.regs, d.saved, d.flags)
	} else {
		p.Stopped = th.Regs
	}
	if th.Stand != StandAccess {
		p.Addr, p.Size, p.PC = 0, 0, ps.in.machine.PC(th.Ctx)
	}
	h := trace.NewHash()
	ps.in.lib.HashThread(th.ID, &h, th.Stand == StandOp || th.Stand == StandTrap)
	if p.Rest = h.Sum(); left {
		ps.restOf(&p)
	}
	return p
}

// deadAfter says which registers are dead where a thread stands after a turn, and whether flags
// are, if that is known.
func (ps *poises) deadAfter(th *thread, left bool) (d dead, known bool) {
	r := ps.in.machine.Regs(th.Ctx)
	r.RIP = ps.in.machine.PC(th.Ctx)
	switch {
	case !left && ps.deep && th.Stand == StandAccess && th.Half == 0 && th.Set == 0:
		r.RIP = th.Access.PC
		d = ps.dead.onward(th, r)
		d.saved = 0 // the next turns may push these
		return d, true
	case !left || th.Half != 0 || th.Set != 0:
	case th.Stand == StandAccess:
		r.RIP = th.Access.PC
		return ps.dead.onward(th, r), true
	case th.Stand == StandTrap && ps.dead.atCall(r.RIP):
		return ps.dead.onward(th, r), true
	case th.Stand == StandOp && ps.in.lib.PendingOp(th.ID).Kind == trace.OpEnd: // by landgo
		return dead{regs: trace.GeneralRegs &^ trace.RDI, flags: true}, true
	case th.Stand == StandOp && ps.in.image.Machine == elffile.X86_64 && ps.in.lib.CarriesOut(r.RIP):
		reads := ps.in.lib.Arguments(r.RIP)
		_, r.RIP = ps.in.lib.Call(th.ID)
		r.RSP += 8
		d = ps.dead.onward(th, r)
		d.regs, d.saved = (d.regs|trace.RAX)&^reads, d.saved&^(reads|trace.RAX)
		return d, true
	}
	d.regs, d.flags, known = ps.dead.where(th)
	return d, known
}

// restOf adds what is outside of a thread, of memory and of the kernel.
func (ps *poises) restOf(p *spins.Poise) {
	p.Rest.Add(ps.in.heap.Digest())
	p.Rest.Add(ps.in.mapped.Digest())
	p.Rest.Add(ps.in.lib.Digest())
	h := trace.NewHash()
	for fd := 1; fd <= 2; fd++ {
		out := ps.in.kernel.Output(fd)
		h.Word(uint64(len(out)))
		h.Text(string(out))
	}
	p.Rest.Add(h.Sum())
}

// differences are the bytes that differ from what was there at a moment of the journal, and
// what they are; but for those of an access. work is how much was looked at.
func (ps *poises) differences(since uint64, but *trace.Access) (list spins.Memory, work uint64) {
	was := ps.in.machine.Firsts(since)
	var text []byte
	for _, f := range was {
		if b := ps.in.machine.Read8(f.Addr); b != f.Old && (f.Addr < but.Addr || f.Addr >= but.Addr+uint64(but.Size)) {
			text = spins.With(text, f.Addr, b)
		}
	}
	return spins.Memory(text), ps.in.machine.Journal() - since + uint64(len(was))
}

// bornIn adds to how a thread stands the threads that a step of it has created. A call of the kernel
// gives them its registers, and so the count.
func (ps *poises) bornIn(tr *trace.Transition, p *spins.Poise) {
	for i := range tr.Ops {
		if tr.Ops[i].Kind == trace.OpCreate {
			p.Rest.Add(ps.in.threadDigest(&ps.in.threads[tr.Ops[i].Obj]))
		}
	}
}
