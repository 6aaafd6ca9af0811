package steer

import (
	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Interrupts: how they are delivered, what ticks do, and how a thread comes back
// to where it was interrupted.

// handlerRoom is how much of the stack below the place where it was interrupted
// a thread lends to the handler. What is done there concerns no other thread.
const handlerRoom = 4096

// tick delivers a timer interrupt, or a disk's that is due, to the thread that the processor runs, which
// stands with interrupts on, and runs its handler until another thread has the
// processor, or this one stands with interrupts on again.
func (s *Kernel) tick(r *thread, tr *trace.Transition) (done bool, err error) {
	if disk := !s.timerOnly && s.board.Disk(); !disk && !s.board.Timer() {
		s.Meet(scheduler.Met{Barred: true})
		return false, s.unreached(r, s.proc.pcNow(),
			"the timer's interrupt can't be delivered: its line is off, or the kernel hasn't told the interrupt controller that the last one has ended")
	}
	vector, ok := s.board.Pending()
	if !ok {
		return false, s.unreached(r, s.proc.pcNow(), "the timer's interrupt can't be delivered: another one is in service")
	}
	s.board.Acknowledge()
	s.Meet(scheduler.Met{Ticks: true})
	s.machine.Put(&s.ticks, s.ticks.Get()+1)
	s.core.save(r.ID)
	r.own.Halted = false
	if !r.own.Interrupted {
		r.Regs = s.proc.regsNow()
		r.own.Interrupted = true
	}
	fromUser := s.user.Get()
	if err := s.deliver(r, vector); err != nil {
		h, err := s.undelivered(&turn{th: r, tr: tr}, err)
		return h == atEnd, err
	}
	r.own.Frames = r.Regs.RSP
	if fromUser {
		r.own.Frames = s.proc.regs.RSP + userFrame*s.wordSize
	}
	u := turn{th: r, tr: tr, ticking: true, until: &r.Regs, blind: s.stackBelow(r.own.Frames)}
	s.ranks.rankAtTick(r)
	waiting, keeps := s.waiting(), !fromUser && s.keeps(r)
	done, err = s.finish(&u)
	if keeps && uint64(r.ID) != s.running.Get() && !done && err == nil {
		return false, s.core.invalid(kernel.GapSchedule, r, r.Regs.RIP, "a tick has taken the processor from thread %s, which runs the kernel's code: by resched in the profile none does", s.Name(r.ID))
	}
	if !done && err == nil {
		err = s.beliefs.checkWoken(waiting)
	}
	if s.timed() && !done && err == nil {
		s.beliefs.sawTick(tr)
	}
	if r.own.Idle && uint64(r.ID) == s.running.Get() && s.on.Get() && !done && err == nil {
		// It may look for ready threads with interrupts on, outside of the tick.
		return s.tail(r, tr)
	}
	return done, err
}

// stackBelow is where a handler's frames are in memory, if the stack pointer is
// sp. Where a thread's structure is at the end of its stack, it isn't meant.
func (s *reading) stackBelow(sp uint64) emu.Range {
	lo := sp - handlerRoom
	if k := s.profile; k != nil && k.Stack != 0 {
		lo = max(lo, (sp-1)&^(k.Stack-1)+k.Size)
	}
	end, ok := s.translate(sp - 1)
	if !ok || lo >= sp {
		return emu.Range{}
	}
	if from, ok := s.translate(lo); !ok || end-from != sp-1-lo {
		lo = (sp - 1) &^ (elffile.PageSize - 1) // pages that aren't side by side
	}
	return emu.Range{Lo: end + 1 - (sp - lo), Hi: end + 1}
}

// finish runs a handler to its end, or to a switch.
func (s *Kernel) finish(u *turn) (done bool, err error) {
	for {
		h, err := s.runFor(u)
		if err != nil {
			return false, err
		}
		switch h {
		case atEnd:
			return true, nil
		case atSwitch:
			return false, nil
		case atHalt:
			return false, nil
		case atReturn:
			u.th.own.Interrupted = false
			return false, nil
		case atOn:
			if s.landed(u.th) {
				u.th.own.Interrupted = false
				return false, nil
			}
			if u.until == nil {
				return false, nil
			}
			// A handler that has turned interrupts on goes on: no tick comes now.
		}
	}
}

// landed: the processor stands where a thread was interrupted.
func (s *Kernel) landed(th *thread) bool {
	now := s.proc.regsNow()
	return s.on.Get() && now.RIP == th.Regs.RIP && now.RSP == th.Regs.RSP
}

// land runs the end of the handler of a thread that was interrupted, which has
// the processor again.
func (s *Kernel) land(th *thread, tr *trace.Transition) (done bool, err error) {
	s.core.save(th.ID)
	if s.landed(th) {
		th.own.Interrupted = false
		return false, nil
	}
	u := turn{th: th, tr: tr, ticking: true, until: &th.Regs, blind: s.stackBelow(th.own.Frames)}
	return s.finish(&u)
}

// tail runs a thread that has the processor with interrupts off until they are
// on: it gave it up itself, or it is the idle one. That one may have them on.
func (s *Kernel) tail(th *thread, tr *trace.Transition) (done bool, err error) {
	s.core.save(th.ID)
	u := turn{th: th, tr: tr, ticking: th.own.Idle}
	if th.own.Idle {
		u.blind = s.stackBelow(s.proc.regsNow().RSP + handlerRoom/2)
	}
	defer s.tails.made(th, tr, len(tr.Accesses), len(tr.Ops))
	if !th.own.Idle {
		s.section(tr, true)
	}
	for {
		h, err := s.runFor(&u)
		if err != nil {
			return false, err
		}
		switch h {
		case atEnd:
			return true, nil
		case atSwitch:
			return false, nil
		case atOn, atHalt, atCountOut:
			th.own.Tail = false
			th.own.Halted = h == atHalt && !th.own.Idle
			if !th.own.Idle {
				th.Regs = s.proc.regsNow()
			}
			return false, nil
		}
	}
}

// devices delivers what devices other than the timer ask for, when interrupts
// have come on. Their handlers count as the thread's own code.
func (s *Kernel) devices(u *turn) (done bool, err error) {
	for s.on.Get() {
		vector, ok := s.board.Pending()
		if !ok {
			return false, nil
		}
		s.board.Acknowledge()
		back := s.proc.regsNow()
		if err := s.deliver(u.th, vector); err != nil {
			h, err := s.undelivered(u, err)
			return h == atEnd, err
		}
		if !s.on.Get() {
			s.section(u.tr, true)
		}
		v := turn{th: u.th, tr: u.tr, until: &back}
		for !s.on.Get() {
			h, err := s.runFor(&v)
			if err != nil {
				return false, err
			}
			if h == atEnd || h == atSwitch {
				return true, nil
			}
			if h == atLimit {
				s.saw(&v)
				return true, nil
			}
		}
	}
	return false, nil
}

// Gates of the interrupt descriptor table.
const (
	gatePresent   = 1 << 15
	gateInterrupt = 0xe
	gateTrap      = 0xf
)

// deliver enters the handler of an interrupt, as the processor does: it pushes
// where to go on, and an exception's error code, and turns interrupts off.
func (s *Kernel) deliver(th *thread, vector uint8, code ...uint64) error {
	regs := s.proc.regsNow()
	b := s.boardRegs()
	g, ok := s.gate(vector)
	if !ok {
		return s.noGate(vector)
	}
	low, high, kind := g[0], g[1], g[0]>>40&0xf
	handler := low&0xffff | low>>32&0xffff0000 | high<<32
	if s.wordSize == 8 && low>>32&7 != 0 {
		return s.core.invalid(kernel.GapInstruction, th, regs.RIP, "interrupt %#x switches to a stack of its own (IST), which isn't modelled", vector)
	}
	frame := []uint64{regs.RFLAGS | 2, b.CS, regs.RIP}
	sp := regs.RSP
	if s.user.Get() {
		var err error
		var pushed []uint64
		if sp, pushed, err = s.fromUser(th, &regs, low>>16&0xffff); err != nil {
			return err
		}
		frame = append(pushed, frame...)
	}
	if s.wordSize == 8 {
		frame = append([]uint64{b.SS, regs.RSP}, frame...)
		sp &^= 15
	}
	frame = append(frame, code...)
	if err := s.frameOverflows(th, vector, sp-uint64(len(frame))*s.wordSize); err != nil {
		return err
	}
	for _, v := range frame {
		sp -= s.wordSize
		if !s.store(sp, v) {
			return s.noStack(vector, sp)
		}
	}
	regs.RSP, regs.RIP = sp, handler
	regs.RFLAGS &^= flagTrap | flagNested | flagResume
	if kind == gateInterrupt {
		regs.RFLAGS &^= flagInterrupt
		s.machine.PutFlag(&s.on, false)
	}
	s.proc.regs, s.proc.set = regs, emu.SetAll
	s.machine.PutFlag(&s.atBreak, false)
	return nil
}
