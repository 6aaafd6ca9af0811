package scheduler

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// What is dead in the code is nothing to any thread: states that differ in nothing else are the same (recurs.go,
// poise.go).

// deadCode says what the code that follows a place doesn't read: registers and flags. It remembers that.
type deadCode struct {
	in       *present
	learning *learning
	here     map[uint64]dead // by the code around a place
	onwards  map[onward]dead // on all paths that lead on from there
	fixed    []elffile.Range // elffile.Constants, once it was asked for
}

// dead are the registers that are, and whether flags are.
type dead struct {
	regs  trace.RegSet
	saved trace.RegSet // nothing but pushes reads them (leftoverreg.go)
	flags bool
}

// at is image.Dead, remembered.
func (c *deadCode) at(pc uint64) (trace.RegSet, bool) {
	d, ok := c.here[pc]
	if !ok {
		d.regs, d.flags = static.Dead(c.in.image.File, pc)
		c.here[pc] = d
	}
	return d.regs, d.flags
}

// where says which registers, and whether flags, are dead where a thread stands, if that
// is known.
func (c *deadCode) where(th *thread) (dead trace.RegSet, flags, known bool) {
	switch {
	case th.Half != 0:
	case th.Stand == StandAccess:
		dead, flags = c.at(th.Access.PC)
		return dead, flags, true
	case th.Stand == StandOp:
		op, ret := c.in.lib.Call(th.ID)
		if spins.PlainLock(op) {
			// The operation reads its arguments and writes its result, no more.
			dead, flags = c.at(ret)
			return dead&^arguments | trace.RAX, flags || !c.in.image.FlagsCross(), true
		}
	}
	return 0, false, false
}

// arguments are the registers that hold a function's.
const arguments = trace.RDI | trace.RSI | trace.RDX | trace.RCX | trace.R8 | trace.R9

// onward is static.DeadOnward for a thread with registers r, remembered. Its stack says where
// its functions return to, by the call-frame information.
func (c *deadCode) onward(th *thread, r emu.Regs) dead {
	returns := c.in.image.Unwind(&r, c.in.ReadStack)
	if len(returns) > mostReturns {
		returns = returns[:mostReturns]
	}
	ends, outermost := c.in.lib.EndsAt(th.ID), r.RIP
	if n := len(returns); n > 0 {
		outermost = returns[n-1]
	}
	if f, ok := c.in.image.SymbolAt(outermost); ok && ends != 0 && f.Addr == th.Entry {
		returns = append(returns, ends)
	}
	h := trace.NewHash()
	h.Words(returns...)
	key := onward{r.RIP, h.Sum(), c.learning.known.Native}
	d, ok := c.onwards[key]
	if !ok {
		d.regs, d.saved, d.flags = static.DeadOnward(c.functions(ends), r.RIP, returns)
		c.onwards[key] = d
	}
	return d
}

// onward is a place in the code, and where the functions there return to.
type onward struct {
	pc      uint64
	returns trace.Digest
	native  bool // landgo leaves locks to the guest's own code
}

// mostReturns is how many functions of a stack onward looks at.
const mostReturns = 8

// unreadUntilReturn reports whether nothing but pushes reads a register from pc on, until the
// function there returns.
func (c *deadCode) unreadUntilReturn(pc uint64, set trace.RegSet) bool {
	key := onward{pc: pc, native: c.learning.known.Native}
	d, ok := c.onwards[key]
	if !ok {
		d.regs, d.saved, _ = static.DeadOnward(c.functions(endsHere), pc, []uint64{endsHere})
		c.onwards[key] = d
	}
	return set&^(d.regs|d.saved) == 0
}

// endsHere: nothing beyond this return matters.
const endsHere = ^uint64(0) - 1

// functions are the program's, for static.DeadOnward.
func (c *deadCode) functions(ends uint64) *static.Onward {
	return &static.Onward{File: c.in.image.File, Ends: ends, Slot: c.slot, Stops: c.in.machine.Breaks, Carried: c.in.lib.CarriesOut, Arguments: c.in.lib.Arguments}
}

// slot is what a word of memory holds that isn't written any more.
func (c *deadCode) slot(addr uint64) (uint64, bool) {
	if c.fixed == nil {
		c.fixed = c.in.image.Constants()
	}
	fixed := slices.ContainsFunc(c.fixed, func(r elffile.Range) bool { return addr >= r.Lo && addr+8 <= r.Hi })
	return c.in.word(addr, 8), fixed
}

// decode has the instruction at a place.
func (c *deadCode) decode(pc uint64) (x86asm.Inst, bool) {
	f := c.in.image.File
	inst, _, err := x86.Decode(f.Bytes(pc, x86.MaxInst), f.Machine)
	return inst, err == nil
}

// stackOp is the register that an instruction pushes or pops, if it is one of ops, and where it goes
// on.
func (c *deadCode) stackOp(pc uint64, ops ...x86asm.Op) (set trace.RegSet, next uint64) {
	inst, ok := c.decode(pc)
	if !ok || !slices.Contains(ops, inst.Op) {
		return 0, 0
	}
	next = pc + uint64(inst.Len)
	if inst.Op == x86asm.LEAVE {
		return trace.RBP, next
	}
	if r, ok := inst.Args[0].(x86asm.Reg); ok && r >= x86asm.RAX && r <= x86asm.R15 {
		return x86.General(r), next
	}
	return 0, 0
}

// atCall reports whether a program's call of the kernel is at pc.
func (c *deadCode) atCall(pc uint64) bool {
	inst, ok := c.decode(pc)
	return ok && inst.Op == x86asm.SYSCALL
}
