package steer

import (
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Interrupts: how they are delivered, what ticks do, and how a thread comes back
// to where it was interrupted.

// ticker has the interrupts that landgo delivers, and how threads go on after them.
type ticker struct {
	in          *situation
	core        core
	proc        *processor
	beliefs     *beliefs
	tails       *tails
	ranks       *ranks
	annotations *annotations
	exec        *execution
	// timerOnly: no disk's interrupt comes in a tick's place.
	timerOnly bool
}

// tick delivers a timer interrupt, or a disk's that is due, to the thread that the
// processor runs, which stands with interrupts on. It runs its handler until another thread
// has the processor, or this one stands with interrupts on again.
func (tk *ticker) tick(r *thread, tr *trace.Transition) (done bool, err error) {
	if disk := !tk.timerOnly && tk.in.board.Disk(); !disk && !tk.in.board.Timer() {
		tk.core.Seen().Met.Barred = true
		return false, tk.unreached(r, tk.proc.pcNow(),
			"the timer's interrupt can't be delivered: its line is off, or the kernel hasn't told the interrupt controller that the last one has ended")
	}
	vector, ok := tk.in.board.Pending()
	if !ok {
		return false, tk.unreached(r, tk.proc.pcNow(), "the timer's interrupt can't be delivered: another one is in service")
	}
	tk.in.board.Acknowledge()
	tk.core.Seen().Met.Ticks = true
	tk.in.machine.Put(&tk.in.ticks, tk.in.ticks.Get()+1)
	e := tk.core.edit(r.ID)
	e.own.Halted = false
	if !r.own.Interrupted {
		e.Regs = tk.proc.regsNow()
		e.own.Interrupted = true
	}
	fromUser := tk.in.user.Get()
	if err := tk.deliver(r, vector); err != nil {
		h, err := tk.undelivered(&turn{th: r, tr: tr}, err)
		return h == atEnd, err
	}
	e.own.Frames = r.Regs.RSP
	if fromUser {
		e.own.Frames = tk.proc.regs.RSP + userFrame*tk.in.wordSize
	}
	u := turn{th: r, tr: tr, ticking: true, until: &e.Regs, blind: tk.in.stackBelow(r.own.Frames), links: tk.in.frameLinks(e.Regs.RBP, r.own.Frames)}
	tk.ranks.rankAtTick(r)
	waiting, keeps := tk.in.waiting(), !fromUser && tk.in.keeps(r)
	done, err = tk.finish(&u)
	if keeps && uint64(r.ID) != tk.in.running.Get() && !done && err == nil {
		return false, tk.core.invalid(kernel.GapSchedule, r, r.Regs.RIP, "a tick has taken the processor from thread %s, which runs the kernel's code: the profile's resched says that no tick does", tk.core.Name(r.ID))
	}
	if !done && err == nil {
		err = tk.beliefs.checkWoken(waiting)
	}
	if tk.in.timed() && !done && err == nil {
		tk.beliefs.sawTick(tr)
	}
	if r.own.Idle && uint64(r.ID) == tk.in.running.Get() && tk.in.on.Get() && !done && err == nil {
		// It may look for ready threads with interrupts on, outside of the tick.
		return tk.tail(r, tr)
	}
	return done, err
}

// finish runs a handler to its end, or to a switch.
func (tk *ticker) finish(u *turn) (done bool, err error) {
	for {
		h, err := tk.exec.runFor(u)
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
			tk.core.edit(u.th.ID).own.Interrupted = false
			return false, nil
		case atOn:
			if tk.landed(u.th) {
				tk.core.edit(u.th.ID).own.Interrupted = false
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
func (tk *ticker) landed(th *thread) bool {
	now := tk.proc.regsNow()
	return tk.in.on.Get() && now.RIP == th.Regs.RIP && now.RSP == th.Regs.RSP
}

// land runs the end of the handler of a thread that was interrupted, which has
// the processor again.
func (tk *ticker) land(th *thread, tr *trace.Transition) (done bool, err error) {
	e := tk.core.edit(th.ID)
	if tk.landed(th) {
		e.own.Interrupted = false
		return false, nil
	}
	u := turn{th: th, tr: tr, ticking: true, until: &e.Regs, blind: tk.in.stackBelow(th.own.Frames), links: tk.in.frameLinks(e.Regs.RBP, th.own.Frames)}
	return tk.finish(&u)
}

// tail runs a thread that has the processor with interrupts off until they are
// on: it gave it up itself, or it is the idle one. That one may have them on.
func (tk *ticker) tail(th *thread, tr *trace.Transition) (done bool, err error) {
	u := turn{th: th, tr: tr, ticking: th.own.Idle}
	if th.own.Idle {
		u.blind = tk.in.stackBelow(tk.proc.regsNow().RSP + handlerRoom/2)
	}
	defer tk.tails.made(th, tr, len(tr.Accesses), len(tr.Ops))
	if !th.own.Idle {
		tk.in.section(tr, true)
	}
	for {
		h, err := tk.exec.runFor(&u)
		if err != nil {
			return false, err
		}
		switch h {
		case atEnd:
			return true, nil
		case atSwitch:
			return false, nil
		case atOn, atHalt, atCountOut:
			e := tk.core.edit(th.ID)
			e.own.Tail = false
			e.own.Halted = h == atHalt && !th.own.Idle
			if !th.own.Idle {
				e.Regs = tk.proc.regsNow()
			}
			return false, nil
		}
	}
}

// devices delivers what devices other than the timer ask for, when interrupts
// have come on. Their handlers count as the thread's own code.
func (tk *ticker) devices(u *turn) (done bool, err error) {
	for tk.in.on.Get() {
		vector, ok := tk.in.board.Pending()
		if !ok {
			return false, nil
		}
		tk.in.board.Acknowledge()
		back := tk.proc.regsNow()
		if err := tk.deliver(u.th, vector); err != nil {
			h, err := tk.undelivered(u, err)
			return h == atEnd, err
		}
		if !tk.in.on.Get() {
			tk.in.section(u.tr, true)
		}
		v := turn{th: u.th, tr: u.tr, until: &back}
		for !tk.in.on.Get() {
			h, err := tk.exec.runFor(&v)
			if err != nil {
				return false, err
			}
			if h == atEnd || h == atSwitch {
				return true, nil
			}
			if h == atLimit {
				tk.exec.saw(&v)
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
func (tk *ticker) deliver(th *thread, vector uint8, code ...uint64) error {
	regs := tk.proc.regsNow()
	b := tk.in.boardRegs()
	g, ok := tk.in.gate(vector)
	if !ok {
		return tk.in.noGate(vector)
	}
	low, high, kind := g[0], g[1], g[0]>>40&0xf
	handler := low&0xffff | low>>32&0xffff0000 | high<<32
	if tk.in.wordSize == 8 && low>>32&7 != 0 {
		return tk.core.invalid(kernel.GapInstruction, th, regs.RIP, "interrupt %#x switches to a stack of its own (IST), which isn't modelled", vector)
	}
	frame := []uint64{regs.RFLAGS | 2, b.CS, regs.RIP}
	sp := regs.RSP
	if tk.in.user.Get() {
		var err error
		var pushed []uint64
		if sp, pushed, err = tk.exec.fromUser(th, &regs, low>>16&0xffff); err != nil {
			return err
		}
		frame = append(pushed, frame...)
	}
	if tk.in.wordSize == 8 {
		frame = append([]uint64{b.SS, regs.RSP}, frame...)
		sp &^= 15
	}
	frame = append(frame, code...)
	if err := tk.in.frameOverflows(th, vector, sp-uint64(len(frame))*tk.in.wordSize); err != nil {
		return err
	}
	for _, v := range frame {
		sp -= tk.in.wordSize
		if !tk.in.store(sp, v) {
			return tk.noStack(vector, sp)
		}
	}
	regs.RSP, regs.RIP = sp, handler
	regs.RFLAGS &^= abi.TF | abi.NT | abi.RF
	if kind == gateInterrupt {
		regs.RFLAGS &^= abi.IF
		tk.in.machine.PutFlag(&tk.in.on, false)
	}
	tk.proc.regs, tk.proc.set = regs, trace.AllRegs
	tk.in.machine.PutFlag(&tk.in.atBreak, false)
	return nil
}
