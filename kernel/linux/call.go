package linux

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// call is a system call at which a thread stands.
type call struct {
	k      *Kernel
	t      *thread
	nr     uint64
	a      [6]uint64 // arguments
	pc     uint64    // of the syscall instruction
	regs   *emu.Regs
	choice uint64 // the rest of the outcome to decode
	fresh  kernel.Pages
	// returned: all registers have been set; there is no result.
	returned bool
	// unmasks: the caller's mask has changed, or it was sent a signal by
	// itself: kept signals may come now.
	unmasks bool
}

// begin makes k.call the call of t and clears the scratch.
func (k *Kernel) begin(t trace.TID, r *emu.Regs) {
	k.call = call{
		k: k, t: k.roster.threads[t], nr: r.RAX, pc: r.RIP, regs: r,
		a: [6]uint64{r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9},
	}
	k.ops, k.wakes = k.ops[:0], k.wakes[:0]
	k.log.Begin(t, r.RIP)
}

func (c *call) row() *row {
	if c.nr < uint64(len(table)) && table[c.nr].do != nil {
		return &table[c.nr]
	}
	switch c.nr {
	case sysChoice:
		return &choiceRow
	case sysAssume:
		return &assumeRow
	case sysBegin:
		if c.t.beginsAt.Peek() != 0 {
			return &beginRow
		}
	default:
		if c.nr >= firstUnknown {
			return &unknownRow
		}
	}
	return nil
}

// firstUnknown is above the calls of Linux, in the years to come too.
const firstUnknown = 600

var unknownRow = row{name: "unknown", do: func(*call, *kernel.Outcome) uint64 { return enosys }}

// int32 is argument i as a C int.
func (c *call) int32(i int) int32 { return int32(c.a[i]) }

// get and set read and assign a word of the kernel's state.
func (c *call) get(w *effect.Word) uint64    { return c.k.log.Get(w) }
func (c *call) set(w *effect.Word, v uint64) { c.k.log.Set(w, v) }

// op records an operation that the call carried out.
func (c *call) op(o trace.Op) {
	o.PC = c.pc
	c.k.ops = append(c.k.ops, o)
}

// event fills in a plan.
func (c *call) event(p *kernel.Plan, o trace.Op) {
	o.PC = c.pc
	p.Effect, p.Op = kernel.Event, o
}

// invalid fills in a plan of something that isn't modelled.
func invalid(p *kernel.Plan, reason string) {
	p.Effect, p.Reason = kernel.Invalid, reason
}

// beyond is invalid for a call beyond a limit of landgo's.
func beyond(p *kernel.Plan, gap kernel.Gap, reason string) {
	invalid(p, reason)
	p.Gap = gap
}

// maxBuffer bounds the bytes that a single call moves (as Linux's MAX_RW_COUNT).
const maxBuffer = 0x7ffff000

// user is the guest's memory as calls find it in their arguments.
type user struct{ log *effect.Log }

func (u *user) canRead(addr, size uint64) bool  { return u.log.Can(addr, size, emu.ProtRead) }
func (u *user) canWrite(addr, size uint64) bool { return u.log.Can(addr, size, emu.ProtWrite) }

// copyIn reads guest memory that must be readable; nil if it isn't.
func (u *user) copyIn(addr, size uint64) []byte {
	if !u.canRead(addr, size) {
		return nil
	}
	p := make([]byte, size)
	u.log.Read(addr, p)
	return p
}

// copyOut writes guest memory; the result is 0 or EFAULT.
func (u *user) copyOut(addr uint64, p []byte) uint64 {
	if !u.canWrite(addr, uint64(len(p))) {
		return efault
	}
	u.log.Write(addr, p)
	return 0
}

// path reads a path argument.
func (u *user) path(addr uint64) (string, bool) {
	return kernel.String(addr, maxPath, func(a uint64) (byte, bool) {
		if !u.canRead(a, 1) {
			return 0, false
		}
		return u.log.Read8(a), true
	})
}

const maxPath = 4096

// hexReason formats a reason with one number.
func hexReason(format string, v uint64) string { return fmt.Sprintf(format, v) }
