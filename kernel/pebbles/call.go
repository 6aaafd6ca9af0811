package pebbles

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Results of calls that fail (abi.md).
const (
	badArgument int64 = -1 // a length, a number, a state that doesn't fit
	badPointer  int64 = -2 // memory that the caller can't read or write
	noThread    int64 = -3 // no such thread, or not in the state that the call is for
	noMemory    int64 = -4 // pages are in use, or there are no more
)

// maxArgs is the number of words of the longest argument packet.
const maxArgs = 4

// call is a trap at which a thread stands.
type call struct {
	k    *Kernel
	t    *thread
	row  *row
	a    [maxArgs]uint64 // arguments
	pc   uint64          // of the int instruction
	regs *emu.Regs
	// bad: the argument packet isn't readable.
	bad bool
	// adopted: all registers have been set; there is no result.
	adopted bool
}

// row describes a call.
type row struct {
	name string
	args int
	// plan fills in a call that isn't local; nil for those that always are.
	plan func(*call, *kernel.Plan)
	// do carries the call out and returns its result; nil: not modelled.
	do func(*call, *kernel.Outcome) int64
}

// begin makes k.call the call at which t stands, and clears the scratch.
func (k *Kernel) begin(t trace.TID, trap emu.Trap, regs *emu.Regs) *call {
	k.accesses, k.wakes = k.accesses[:0], k.wakes[:0]
	k.call = call{k: k, t: k.threads[t], pc: regs.RIP, regs: regs}
	c := &k.call
	if !trap.Syscall && !trap.Sysenter {
		c.row = table[trap.Vector]
	}
	if c.row == nil || c.row.args == 0 {
		return c
	}
	arg := k.form.argument(regs)
	if c.row.args == 1 {
		c.a[0] = arg
		return c
	}
	size := uint64(c.row.args) * k.form.word
	if c.bad = !k.canRead(arg, size); c.bad {
		return c
	}
	c.touch(arg, size, 0)
	for i := range c.row.args {
		c.a[i] = k.form.read(k.mem, arg+uint64(i)*k.form.word)
	}
	return c
}

// int is argument i as a C int.
func (c *call) int(i int) int64 { return int64(int32(c.a[i])) }

// touch records that the call reads or writes bytes, the guest's or a word of
// the kernel's; two calls on such a word are no race.
func (c *call) touch(addr, size uint64, flags trace.AccessFlags) {
	if size == 0 {
		return
	}
	if addr < userStart {
		flags |= trace.Library
	}
	c.k.accesses = append(c.k.accesses, trace.Access{Addr: addr, PC: c.pc, Size: uint32(size), Flags: flags})
}

// event fills in a plan.
func (c *call) event(p *kernel.Plan, o trace.Op) {
	o.PC = c.pc
	p.Effect, p.Op = kernel.Event, o
}

// can reports whether the guest may access [addr, addr+size) so.
func (k *Kernel) can(addr, size uint64, p emu.Prot) bool {
	if addr+size < addr || addr+size > space {
		return false
	}
	for page := abi.PageDown(addr); page < addr+size; page += abi.PageSize {
		if k.m.Prot(page)&p != p {
			return false
		}
	}
	return true
}

func (k *Kernel) canRead(addr, size uint64) bool  { return k.can(addr, size, emu.ProtRead) }
func (k *Kernel) canWrite(addr, size uint64) bool { return k.can(addr, size, emu.ProtWrite) }
