package steer

import (
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Kernels of the Pintos family say nothing of their scheduler themselves, and
// needn't: who can run is read from the status in each thread's structure, as the
// kernel's own functions keep it, with whatever list or lists the kernel chooses
// from. A thread's name is the address of its page, in which its stack is too; so
// a switch is a change of the stack pointer to another thread's page.
//
// What is taken for granted, beside names (image.Pintos): that a thread is in
// existence when thread_unblock is called for it the first time, that one that is
// blocked inside timer_sleep will be woken by ticks, and that the status says the
// truth wherever interrupts are on, but for the thread that has the processor: it may
// have noted that it sleeps, and be interrupted before it does.

// pintosTells are the functions whose calls mean something.
var pintosTells = map[string]tellKind{
	image.PintosRun:  tellBooted,
	"thread_unblock": tellCreated,
	"timer_sleep":    tellSleep,
	"thread_block":   tellUnready,
	"sema_down":      tellLocking,
	"debug_panic":    tellPanicked,
	"fail":           tellFailed,
	"memmove":        tellMove,
}

// pintosUnlocks are functions that let others go when they return.
var pintosUnlocks = []string{"sema_up"}

// pintosLetsGo are functions that mustn't return with interrupts off if they were
// called with interrupts on.
var pintosLetsGo = []string{"sema_up", "lock_release", "cond_signal", "cond_broadcast"}

// findPintos sets breakpoints on these functions.
func (s *Kernel) findPintos() {
	for name, kind := range pintosTells {
		if f, ok := s.image.Symbol(name); ok && s.image.IsCode(f.Addr) {
			s.tellAt(f.Addr, kind)
		}
	}
	for _, name := range pintosLetsGo {
		if f, ok := s.image.Symbol(name); ok && s.image.IsCode(f.Addr) {
			s.letsGo[f.Addr] = true
			s.machine.Break(f.Addr, aBreak)
		}
	}
	for _, name := range pintosUnlocks {
		if f, ok := s.image.Symbol(name); ok {
			for _, ret := range s.image.Returns(f) {
				s.tellAt(ret, tellUnlocked)
			}
		}
	}
}

// tellAt sets a breakpoint that means something.
func (s *Kernel) tellAt(addr uint64, kind tellKind) {
	s.tells[addr] = kind
	s.machine.Break(addr, aBreak)
}

// pageOf is the thread whose stack an address is on.
func pageOf(sp uint64) uint64 { return sp &^ (image.PageSize - 1) }

// tellPintos takes in what the call of a function means.
func (s *Kernel) tellPintos(u *turn, kind tellKind) (happening, error) {
	if kind == tellMove {
		s.scroll(u)
		return atNothing, nil
	}
	n := s.argument(0)
	if s.booted.Get() == 0 {
		switch kind {
		case tellBooted:
			idle, _ := s.Word(s.image.Pintos.Idle)
			s.first = pageOf(s.regs.RSP)
			s.early = []early{
				{number: s.first, own: ownThread{Number: s.first}},
				{number: idle, own: ownThread{Number: idle, Idle: true, Tail: true, State: ownBlocked}},
			}
			return atPoint, s.up(u)
		case tellPanicked, tellFailed:
			return atNothing, s.invalid(kernel.GapSchedule, u.th, s.regs.RIP, "the kernel panics before it runs a test: %s", s.message(kind))
		}
		return atNothing, nil
	}
	own := &u.th.own
	if own.Asleep != 0 && s.regs.RSP > own.Asleep {
		s.save(u.th.ID)
		own.Asleep = 0
	}
	switch kind {
	case tellCreated:
		if _, known := s.numbered(n); !known {
			return atNothing, s.createdOwn(u, n)
		}
	case tellSleep:
		s.save(u.th.ID)
		own.Asleep, own.Since, own.Length = s.regs.RSP, s.ticks.Get(), s.longArgument()
		if back := s.returnAddress(); s.image.IsCode(back) {
			if _, known := s.tells[back]; !known {
				s.tellAt(back, tellAwake)
			}
		}
	case tellLocking:
		s.save(u.th.ID)
		own.Wants = n
		if s.isPoint(u, scheduler.PointLock) {
			return atPoint, nil
		}
	case tellUnlocked:
		if s.isPoint(u, scheduler.PointUnlock) {
			return atPoint, nil
		}
	case tellPanicked, tellFailed:
		u.th.Regs = s.regs
		return s.ended(u, s.failHere(u, trace.Assertion, "the kernel panics: %s", s.message(kind)))
	}
	return atNothing, nil
}

// message is what debug_panic(file, line, function, format, ...) or fail(format,
// ...) is called with.
func (s *Kernel) message(kind tellKind) string {
	n := 0
	if kind == tellPanicked {
		n = 3
	}
	return scheduler.Formatted(s.wordSize, s.text, func() uint64 {
		n++
		return s.anyArgument(n - 1)
	})
}

// anyArgument is argument beyond the registers that argument knows.
func (s *Kernel) anyArgument(n int) uint64 {
	if s.wordSize == 4 || n < 4 {
		return s.argument(n)
	}
	if n < 6 {
		return [2]uint64{s.regs.R8, s.regs.R9}[n-4]
	}
	v, _ := s.Word(s.regs.RSP + 8*uint64(n-5))
	return v
}

// longArgument is the first argument of the function at whose entry the processor
// stands, of 64 bits.
func (s *Kernel) longArgument() uint64 {
	if s.wordSize == 8 {
		return s.argument(0)
	}
	return s.argument(0) | s.argument(1)<<32
}

// maxForetold is the longest sleep that is foretold by what timer_sleep was called
// with.
const maxForetold = 1 << 32

// foretell says when a thread that has begun to sleep will wake: as many ticks
// after it asked for the time as it wants to sleep. If ticks have come since it
// called timer_sleep, it isn't known when it asked.
func (s *Kernel) foretell(th *thread) {
	o := &th.own
	switch {
	case o.Since != s.ticks.Get() || o.Length == 0 || o.Length >= maxForetold:
		o.Wakes = wakesUnknown
	case o.Length <= maxSleep:
		o.Wakes = s.ticks.Get() + o.Length
	default:
		// Nobody waits for so many, which are of a mistake: a length read from a stack
		// that is gone.
		o.Wakes = wakesNever
		if !s.known.Oversleeps {
			s.known.Oversleeps = true
			s.Refine()
		}
	}
}

// sawTick looks who was woken by a tick.
func (s *Kernel) sawTick(tr *trace.Transition) {
	for i := range s.threads {
		th := &s.threads[i]
		if s.isAsleep(th) && s.statusReady(s.statusOf(th)) {
			s.save(th.ID)
			s.woke(th)
			th.own.State = ownReady
			if th.ID != tr.Thread {
				tr.Wakes = append(tr.Wakes, th.ID)
			}
		}
	}
}

// statusOf reads a thread's status.
func (s *Kernel) statusOf(th *thread) uint32 {
	pa, ok := s.translate(th.own.Number + s.image.Pintos.Status)
	if !ok {
		return s.image.Pintos.Dying
	}
	return s.machine.Read32(pa)
}

func (s *Kernel) statusReady(status uint32) bool {
	return status == s.image.Pintos.Running || status == s.image.Pintos.Ready
}

// lookPintos reads who can run, at the end of a step.
func (s *Kernel) lookPintos(tr *trace.Transition) {
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.Live() || th.own.Idle {
			continue
		}
		state := ownBlocked
		switch status := s.statusOf(th); {
		case status == s.image.Pintos.Dying:
		case s.statusReady(status), uint64(th.ID) == s.running.Get():
			state = ownReady
		case th.own.Asleep != 0:
			state = ownSleeping
		}
		priority := th.own.Priority
		if pa, ok := s.translate(th.own.Number + s.image.Pintos.Priority); ok {
			priority = int64(int32(s.machine.Read32(pa)))
		}
		if state == th.own.State && priority == th.own.Priority {
			continue
		}
		s.save(th.ID)
		if state == ownReady && th.own.State != ownReady && th.ID != tr.Thread {
			tr.Wakes = append(tr.Wakes, th.ID)
		}
		if state == ownSleeping && th.own.State != ownSleeping {
			s.foretell(th)
		}
		th.own.State, th.own.Priority = state, priority
	}
}

// leavePintos: thread r, which gives the processor to another, may do so for good.
func (s *Kernel) leavePintos(u *turn, r *thread) {
	if r.own.Idle || s.statusOf(r) != s.image.Pintos.Dying {
		return
	}
	r.own.Ended = true
	r.own.State = ownBlocked
	if r.ID == u.tr.Thread {
		u.tr.End = trace.EndThread
	}
	u.tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(r.ID), PC: s.pcNow()})
}
