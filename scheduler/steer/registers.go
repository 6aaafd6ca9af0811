package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// The processor's registers, and what the convention of calls puts there.

// processor has the registers between two runs, and what calls find in them.
type processor struct {
	in *situation
	loaded
	run emu.Run
}

// loaded is the knowledge of the registers.
type loaded struct {
	// regs are to be written into the processor before it runs on; set says which.
	// Empty between steps.
	regs emu.Regs
	set  trace.RegSet
	// had has the registers of context hadIn, where they are known.
	had   emu.Regs
	hadIn emu.Ctx
}

func noLoad() loaded { return loaded{hadIn: noWhere} }

// forget is called where the processor has got another state.
func (l *loaded) forget() { l.set, l.hadIn = 0, noWhere }

// changed are the registers of p.set that the processor has otherwise. Writing
// all of them takes longer than a short run does.
func (p *processor) changed() trace.RegSet {
	if p.set != trace.AllRegs || p.hadIn != emu.Ctx(p.in.cpu.Get()) {
		return p.set
	}
	return emu.Differing(&p.regs, &p.had) | trace.RIP
}

// regsNow are the processor's registers.
func (p *processor) regsNow() emu.Regs {
	if p.set == trace.AllRegs {
		return p.regs
	}
	return p.in.machine.Regs(emu.Ctx(p.in.cpu.Get()))
}

func (p *processor) pcNow() uint64 { return p.regsNow().RIP }

// flush writes what is left to write into the processor, so that its context is
// all of its state.
func (p *processor) flush() error {
	if p.set == 0 {
		return nil
	}
	p.run = emu.Run{From: emu.Ctx(p.in.cpu.Get()), User: p.in.user.Get(), Flags: emu.Quiet | emu.IgnoreBreaks, StopAt: 1, Set: p.changed(), Regs: p.regs, Reuse: !p.in.kept()}
	p.forget()
	stop := p.in.machine.Run(&p.run)
	p.in.machine.Put(&p.in.cpu, uint64(stop.Ctx))
	return nil
}

// sameStack reports whether a stack pointer is near the present one: a kernel may
// run an interrupt's handler on another stack.
func (p *processor) sameStack(sp uint64) bool { return p.regs.RSP-sp+1<<16 <= 2<<16 }

// result is the value that a function has returned.
func (p *processor) result() uint64 {
	if p.in.wordSize == 4 {
		return uint64(uint32(p.regs.RAX))
	}
	return p.regs.RAX
}

// anyArgument is argument beyond the registers that argument knows.
func (p *processor) anyArgument(n int) uint64 {
	if p.in.wordSize == 4 || n < 4 {
		return p.argument(n)
	}
	if n < 6 {
		return [2]uint64{p.regs.R8, p.regs.R9}[n-4]
	}
	v, _ := p.in.word(p.regs.RSP + 8*uint64(n-5))
	return v
}

// argument is the n-th argument of the function at whose entry the processor
// stands.
func (p *processor) argument(n int) uint64 {
	if p.in.wordSize == 8 {
		return [4]uint64{p.regs.RDI, p.regs.RSI, p.regs.RDX, p.regs.RCX}[n]
	}
	v, _ := p.in.word(p.regs.RSP + 4 + 4*uint64(n))
	return v
}

// returnAddress is that of the function at whose entry the processor stands.
func (p *processor) returnAddress() uint64 {
	v, _ := p.in.word(p.regs.RSP)
	return v
}
