package pebbles

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// handler is a thread's registered exception handler. All of it is state.
type handler struct {
	stack uint64 // the first address above its stack; 0: none is registered
	entry uint64
	arg   uint64
}

func (k *Kernel) setHandler(t *thread, h handler) {
	k.set(&t.handler.stack, h.stack)
	k.set(&t.handler.entry, h.entry)
	k.set(&t.handler.arg, h.arg)
}

// planSwexn: only the caller's own registers and handler change, but whether its
// memory is there decides.
func planSwexn(c *call, p *kernel.Plan) {
	if h := (handler{stack: c.a[0], entry: c.a[1]}); h.stack != 0 && h.entry != 0 {
		size := c.k.handlerFrame()
		switch c.k.checkHandler(h) {
		case badPointer:
			c.misses(p, h.stack-size, size, emu.ProtWrite)
			return
		case badArgument:
			return
		}
		c.relies(p, h.stack-size, size)
	}
	size := c.k.form.frameSize()
	switch frame := c.a[3]; {
	case frame == 0:
	case c.k.canRead(frame, size):
		c.touch(frame, size, 0)
	default:
		c.misses(p, frame, size, emu.ProtRead)
	}
}

// doSwexn is swexn(stack, handler, arg, newureg). It registers a handler, or
// removes the registered one if stack or handler is 0. It adopts the registers
// at newureg unless that is 0. Either all that it asks for is done or nothing.
func doSwexn(c *call, _ *kernel.Outcome) int64 {
	k := c.k
	h := handler{stack: c.a[0], entry: c.a[1], arg: c.a[2]}
	if h.stack == 0 || h.entry == 0 {
		h = handler{}
	} else if result := k.checkHandler(h); result != 0 {
		return result
	}
	if frame := c.a[3]; frame != 0 {
		size := k.form.frameSize()
		if !k.canRead(frame, size) {
			return badPointer
		}
		c.touch(frame, size, 0)
		if !k.decode(frame, c.regs) {
			return badArgument
		}
		c.adopted = true
	}
	k.setHandler(c.t, h)
	return 0
}

// checkHandler refuses a handler that could never be entered.
func (k *Kernel) checkHandler(h handler) int64 {
	if !k.img.IsCode(h.entry) {
		return badArgument
	}
	if size := k.handlerFrame(); h.stack < size || !k.canWrite(h.stack-size, size) {
		return badPointer
	}
	return 0
}

// handlerFrame bounds the data on a handler's stack: the frame, the call's
// words, and two alignments.
func (k *Kernel) handlerFrame() uint64 {
	return k.form.frameSize() + 3*k.form.word + 2*16
}

func (k *Kernel) exception(f emu.Fault) (exception, bool) {
	e := exception{cause: abi.PageFault, address: f.Addr, code: abi.FaultUser}
	if k.m.Prot(abi.PageDown(f.Addr)) != 0 {
		e.code |= abi.FaultPresent
	}
	switch f.Kind {
	case emu.FaultRead:
	case emu.FaultWrite:
		e.code |= abi.FaultWrite
	case emu.FaultFetch:
		e.code |= abi.FaultFetch
	case emu.FaultDivide:
		e = exception{cause: abi.DivideError}
	case emu.FaultIllegal:
		e = exception{cause: abi.IllegalOpcode}
	case emu.FaultProtection:
		e = exception{cause: abi.GeneralProtection}
	case emu.FaultBreakpoint:
		e = exception{cause: abi.Breakpoint}
	default:
		return e, false
	}
	return e, true
}

// Fault implements kernel.Kernel: it enters the thread's handler, which is
// registered no longer then, with (arg, ureg*) on its own stack. A fault of a
// thread without one, or whose handler has lost its stack, is a bug.
func (k *Kernel) Fault(id trace.TID, f emu.Fault, regs *emu.Regs) bool {
	t := k.threads[id]
	h := t.handler
	e, known := k.exception(f)
	if h.stack == 0 || !known || k.checkHandler(h) != 0 {
		return false
	}
	if f.Kind == emu.FaultBreakpoint {
		regs.RIP++ // a trap: it shows the instruction after int3
	}
	k.setHandler(t, handler{})
	frame := (h.stack - k.form.frameSize()) &^ 15
	k.mem.Write(frame, k.form.encode(e, regs))
	block := k.form.enter(regs, h.entry, frame, h.arg, frame)
	k.mem.Write(regs.RSP, block)
	regs.RFLAGS &^= abi.DF
	return true
}
