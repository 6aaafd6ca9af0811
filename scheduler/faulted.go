package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// A thread that goes on after a fault.
//
// What a thread finds where it faults is what others did with the page: the access
// is an event. On linux the machine stops before it, and records it as a read, as any
// other (emu.Faults); on pebbles it is a look at the page. What the kernel writes for
// the handler, on the thread's stack or on another, is an access as well.

// pageKernel is a kernel in which the handler of a fault can find pages that others
// map and take away.
type pageKernel interface {
	FaultLook(t trace.TID, f emu.Fault) (trace.Op, bool)
}

// faultLook is what others have to do with a fault that the thread goes on after.
func (s *present) faultLook(th *thread, f emu.Fault) (trace.Op, bool) {
	k, ok := s.kernel.(pageKernel)
	if !ok || s.Alone(th.ID) || !s.EveryOperation() || s.trusted(th) {
		return trace.Op{}, false
	}
	op, ok := k.FaultLook(th.ID, f)
	op.PC = th.Regs.RIP
	return op, ok
}

// atFault deals with an access that faults. framing: the step began with a handler's
// frame. It reports whether the step is over; if it isn't, the guest handles the fault.
func (s *System) atFault(th *thread, tr *trace.Transition, stop *emu.Stop, framing bool) (over bool, err error) {
	th.Regs = stop.Regs
	if fell, err := s.lib.Fell(th.ID, tr); err != nil {
		return true, err
	} else if fell {
		return true, s.arrive(th, tr)
	}
	look, looks := s.faultLook(th, stop.Fault)
	if looks && len(tr.Accesses)+len(tr.Ops) > 0 {
		// What other threads do with the page may come before.
		th.Stand = StandAccess
		th.Access = trace.Access{Addr: stop.Fault.Addr, PC: stop.PC, Size: 1}
		return true, s.arrive(th, tr)
	}
	if looks {
		tr.Did(look)
	}
	if s.handled(th, tr, stop.Fault, framing) {
		return s.atFrame(th, tr)
	}
	return true, s.Fail(th.ID, s.FaultFailure(th.ID, stop.Fault))
}

// atPrivileged is the same for an instruction that only a kernel may use.
func (s *System) atPrivileged(th *thread, tr *trace.Transition, stop *emu.Stop, framing bool) (over bool, err error) {
	th.Regs = stop.Regs
	if stop.Detail == "iret" {
		return true, s.unmodelled(th, stop) // a program may: it returns to where it is
	}
	if s.handled(th, tr, emu.Fault{Kind: emu.FaultProtection}, framing) {
		return s.atFrame(th, tr)
	}
	return true, s.Fail(th.ID, &Failure{Kind: trace.Segfault, Thread: th.ID, PC: stop.PC,
		Message: "a privileged instruction: " + stop.Detail})
}

// atFrame ends the step of a thread that stands before its handler's frame.
func (s *System) atFrame(th *thread, tr *trace.Transition) (over bool, err error) {
	if th.framing {
		return true, s.arrive(th, tr)
	}
	return false, nil
}

// handled has the kernel bring a thread to its handler of a fault, if it has one. A
// thread that has done anything in this step stands before what is written for the
// handler first, if threads share that.
func (s *System) handled(th *thread, tr *trace.Transition, f emu.Fault, framing bool) bool {
	if f.Kind == emu.FaultBlockRead || f.Kind == emu.FaultBlockWrite {
		return false // landgo's own: the processor finds nothing wrong
	}
	if f.Kind == emu.FaultFetch && s.faults {
		s.Sharing.Touch(th.ID, tr, th.Regs.RIP, f.Addr, 1, 0)
	}
	// A step that begins before the frame has nothing but the access that faults before
	// it, which is made again.
	stood := framing && th.Insns == tr.Begin && len(tr.Ops) == 0
	for i := range tr.Accesses {
		stood = stood && tr.Accesses[i].PC == th.Regs.RIP
	}
	journal, before, regs := s.machine.Journal(), s.machine.Mark(), th.Regs
	if !s.kernel.Fault(th.ID, f, &th.Regs) {
		return false
	}
	frame := s.sharedByHandler(th, journal, f)
	if frame.Size != 0 && !stood && !s.trusted(th) && (s.EveryOperation() || s.racing[regs.RIP]) && s.PointAllowed(th.ID, regs.RIP) {
		s.machine.Rewind(before)
		th.Regs = regs
		th.Stand, th.framing, th.Access = StandAccess, true, frame
		return true
	}
	th.Set = emu.SetAll
	if s.logs {
		s.Sharing.takeTouched(th, tr, regs.RIP)
	} else {
		s.framed(th, tr, frame)
	}
	return true
}

// sharedByHandler is what the kernel has just touched to bring a thread to its handler,
// if threads share any of it: the signal's action, or the handler's frame. Size 0: none.
// Where the fault is, the access that faults is an event already.
func (s *System) sharedByHandler(th *thread, journal uint64, f emu.Fault) (a trace.Access) {
	k, ok := s.kernel.(recorder)
	if !ok {
		return s.frame(th, journal, &th.Regs)
	}
	own, _ := k.Touched()
	for i := range own {
		if own[i].Addr != f.Addr && !s.Alone(th.ID) && s.Sharing.sharesTouch(th.ID, &own[i]) && a.Size == 0 {
			a = own[i]
		}
	}
	return a
}

// handlerFrame is more than the kernel writes for a handler.
const handlerFrame = 4096

// frame is what the kernel wrote for a handler of th, since a moment of the journal,
// to where the handler's stack pointer is: the part that threads share. Size 0: none.
func (s *System) frame(th *thread, since uint64, regs *emu.Regs) (a trace.Access) {
	if s.Alone(th.ID) {
		return a
	}
	a.PC, a.Flags = s.machine.PC(th.Ctx), trace.Write
	for _, r := range s.machine.Written(since) {
		if r.Lo-regs.RSP >= handlerFrame {
			continue
		}
		shared := s.Sharing.Shared(th.ID, r.Lo, r.Hi-r.Lo)
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
func (s *System) framed(th *thread, tr *trace.Transition, frame trace.Access) {
	if frame.Size == 0 {
		return
	}
	tr.Accesses = append(tr.Accesses, frame)
	if s.EveryOperation() && s.Coarse() {
		s.sightings.sight(th.ID, &frame, nil, true)
	}
}

// endStores lets a thread end the instruction that it has stored a part of: a signal
// comes between two instructions, not between the parts of one.
func (s *System) endStores(th *thread) {
	if s.trying || th.ID == s.current || th.Half == 0 || s.thisStep().Updates || !s.machine.Stored(th.Ctx) {
		return
	}
	s.Save(th.ID)
	if s.cfg.Buffers {
		s.buffers.moves(func() { s.endBuffered(th) })
		return
	}
	s.endInstruction(th)
}

// endInstruction runs a thread to the end of the instruction that it is within. The step under
// way has its accesses.
func (s *System) endInstruction(th *thread) []trace.Access {
	stop := s.machine.Run(&emu.Run{From: th.Ctx, Thread: th.ID, Flags: emu.IgnoreBreaks, StopAt: 2})
	th.Ctx, th.Half = stop.Ctx, stop.Parts
	th.Insns += stop.Insns
	s.instructions += stop.Insns
	s.finer = s.finer || stop.Learned
	tr := s.thisStep()
	tr.Accesses = append(tr.Accesses, stop.Accesses...)
	return stop.Accesses
}

// MeetFault has a thread meet a fault that landgo meets for it in a call from site, in
// what that does.
func (s *System) MeetFault(t trace.TID, site uint64, fault emu.Fault, does string) error {
	th, tr := &s.threads[t], s.thisStep()
	s.Sharing.Touch(t, tr, site, fault.Addr, fault.Size, 0) // whether the page is there
	if s.handled(th, tr, fault, true) {
		th.Stand, th.framing = StandRun, false
		return nil
	}
	f := s.FaultFailure(t, fault)
	f.PC, f.Message = site, does+": "+f.Message
	th.Insns++ // the failure is a place of its own
	return s.Fail(t, f)
}

// thisStep is the transition under way.
func (s *state) thisStep() *trace.Transition { return s.steps[len(s.steps)-1].tr }
