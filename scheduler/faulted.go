package scheduler

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// A thread that goes on after a fault.
//
// A thread that faults finds the page as others left it: the access is an event. The
// machine stops before it, and records it as a read, as any other (emu.Faults). Under a
// kernel that lets handlers change the pages of others it is a look at the page
// (pageKernel). The kernel's stores for the handler, on the thread's stack or on another,
// are accesses as well.

// pageKernel is a kernel in which the handler of a fault can find pages that others
// map and take away.
type pageKernel interface {
	FaultLook(t trace.TID, f emu.Fault) (trace.Op, bool)
}

// signals are those of faults and those that threads send: where their handlers begin, and what
// other threads can observe of it.
type signals struct {
	in       *named
	points   *Points
	sharing  *Sharing
	seen     *seen
	learning *learning
	standAt  func(edit, *trace.Transition) error // the thread stands at a point
	exposes  func(trace.TID)                     // a thread's handler begins
}

// faultLook is the operation, for others, of a fault that the thread goes on after.
func (g *signals) faultLook(th *thread, f emu.Fault) (trace.Op, bool) {
	k, ok := g.in.kernel.(pageKernel)
	if !ok || g.in.Alone(th.ID) || !g.in.EveryOperation() || g.in.trusted(th) {
		return trace.Op{}, false
	}
	op, ok := k.FaultLook(th.ID, f)
	op.PC = th.Regs.RIP
	return op, ok
}

// atFault deals with an access that faults. framing: the step began with a handler's
// frame. It reports whether the step is over; if it isn't, the guest handles the fault.
func (g *signals) atFault(th edit, tr *trace.Transition, stop *emu.Stop, framing bool) (over bool, err error) {
	th.Regs = stop.Regs
	if fell, err := g.in.lib.Fell(th.ID, tr); err != nil {
		return true, err
	} else if fell {
		return true, g.standAt(th, tr)
	}
	look, looks := g.faultLook(th.thread, stop.Fault)
	if looks && len(tr.Accesses)+len(tr.Ops) > 0 {
		// Other threads may use the page before.
		th.Stand = StandAccess
		th.Access = trace.Access{Addr: stop.Fault.Addr, PC: stop.PC, Size: 1}
		return true, g.standAt(th, tr)
	}
	if looks {
		tr.Did(look)
	}
	if g.handled(th, tr, stop.Fault, framing) {
		return g.atFrame(th, tr)
	}
	return true, g.in.Fail(th.ID, g.in.Blocks.FaultFailure(th.ID, stop.Fault))
}

// atPrivileged is the same for an instruction that only a kernel may use.
func (g *signals) atPrivileged(th edit, tr *trace.Transition, stop *emu.Stop, framing bool) (over bool, err error) {
	th.Regs = stop.Regs
	if stop.Detail == "iret" {
		return true, g.in.unmodelled(th.thread, stop) // a program may: it returns to where it is
	}
	if g.handled(th, tr, emu.Fault{Kind: emu.FaultProtection}, framing) {
		return g.atFrame(th, tr)
	}
	return true, g.in.Fail(th.ID, &Failure{Kind: trace.Segfault, Thread: th.ID, PC: stop.PC,
		Message: "a privileged instruction: " + stop.Detail})
}

// atFrame ends the step of a thread that stands before its handler's frame.
func (g *signals) atFrame(th edit, tr *trace.Transition) (over bool, err error) {
	if th.framing {
		return true, g.standAt(th, tr)
	}
	return false, nil
}

// handled has the kernel bring a thread to its handler of a fault, if it has one. A
// thread that has done anything in this step stands before what is written for the
// handler first, if threads share that.
func (g *signals) handled(th edit, tr *trace.Transition, f emu.Fault, framing bool) bool {
	if f.Kind == emu.FaultBlockRead || f.Kind == emu.FaultBlockWrite {
		return false // landgo's own: the processor finds nothing wrong
	}
	if f.Kind == emu.FaultFetch && g.in.faults {
		g.sharing.Touch(th.ID, tr, th.Regs.RIP, f.Addr, 1, 0)
	}
	// A step that begins before the frame has nothing but the access that faults before
	// it, which is made again.
	stood := framing && th.Insns == tr.Begin && len(tr.Ops) == 0
	for i := range tr.Accesses {
		stood = stood && tr.Accesses[i].PC == th.Regs.RIP
	}
	journal, before, regs := g.in.machine.Journal(), g.in.machine.Mark(), th.Regs
	if f.Kind == emu.FaultRead && x86.Modifies(g.in.machine.Bytes(regs.RIP, x86.MaxInst), g.in.image.Machine) {
		f.Kind = emu.FaultWrite // the emulator reads first; the handler is shown the write
	}
	if !g.in.kernel.Fault(th.ID, f, &th.Regs) {
		return false
	}
	frame := g.sharedByHandler(th, journal, f)
	if frame.Size != 0 && !stood && !g.in.trusted(th.thread) && (g.in.EveryOperation() || g.in.racing[regs.RIP]) && g.points.Allowed(th.ID, regs.RIP) {
		g.in.machine.Rewind(before)
		th.Regs = regs
		th.Stand, th.framing, th.Access = StandAccess, true, frame
		return true
	}
	g.exposes(th.ID)
	th.Set = trace.AllRegs
	if g.in.logs {
		g.sharing.takeTouched(th.thread, tr, regs.RIP)
	} else {
		g.framed(th.thread, tr, frame)
	}
	return true
}

// sharedByHandler is a shared access that the kernel has just made to bring a thread to its
// handler: to the signal's action, or to the handler's frame. Size 0: none.
// Where the fault is, the access that faults is an event already.
func (g *signals) sharedByHandler(th edit, journal uint64, f emu.Fault) (a trace.Access) {
	k, ok := g.in.kernel.(recorder)
	if !ok {
		return g.frame(th.thread, journal, &th.Regs)
	}
	own, _ := k.Touched()
	for i := range own {
		if own[i].Addr != f.Addr && !g.in.Alone(th.ID) && g.sharing.sharesTouch(th.ID, &own[i]) && a.Size == 0 {
			a = own[i]
		}
	}
	return a
}

// handlerFrame is more than the kernel writes for a handler.
const handlerFrame = abi.PageSize

// frame is the kernel's write for a handler of th, since a moment of the journal,
// to where the handler's stack pointer is: the part that threads share. Size 0: none.
func (g *signals) frame(th *thread, since uint64, regs *emu.Regs) (a trace.Access) {
	if g.in.Alone(th.ID) {
		return a
	}
	a.PC, a.Flags = g.in.machine.PC(th.Ctx), trace.Write
	for _, r := range g.in.machine.Written(since) {
		if r.Lo-regs.RSP >= handlerFrame {
			continue
		}
		shared := g.sharing.Shared(th.ID, r.Lo, r.Hi-r.Lo)
		switch {
		case !shared:
		case a.Size == 0:
			a.Addr, a.Size = r.Lo, uint32(r.Hi-r.Lo)
		default:
			a.Size = uint32(r.Hi - a.Addr) // it is written upwards
		}
	}
	return a
}

// framed records it.
func (g *signals) framed(th *thread, tr *trace.Transition, frame trace.Access) {
	if frame.Size == 0 {
		return
	}
	tr.Accesses = append(tr.Accesses, frame)
	if g.in.EveryOperation() && g.in.Coarse() {
		g.seen.record.Sight(th.ID, &frame, nil, true)
	}
}

// MeetFault has a thread meet a fault that landgo meets for it in a call from site, in
// what that does.
func (g *signals) MeetFault(t trace.TID, site uint64, fault emu.Fault, does string) error {
	th, tr := g.in.edit(t), g.in.thisStep()
	g.sharing.Touch(t, tr, site, fault.Addr, fault.Size, 0) // whether the page is there
	if g.handled(th, tr, fault, true) {
		th.Stand, th.framing = StandRun, false
		return nil
	}
	f := g.in.Blocks.FaultFailure(t, fault)
	f.PC, f.Message = site, does+": "+f.Message
	th.Insns++ // the failure is a place of its own
	return g.in.Fail(t, f)
}
