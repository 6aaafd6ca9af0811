package steer

import (
	"encoding/binary"
	"slices"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Booting: the kernel runs from its entry to landgo_booted, with nothing
// recorded, for there is no other thread. Time passes by a tick in so many
// instructions wherever interrupts are on.

// bootTick is the number of instructions between ticks.
const bootTick = 20_000

// Boot starts the kernel with regs and runs it until it is up. It takes the
// place of Boot.
func (s *Kernel) Boot(regs *emu.Regs) error {
	missing := s.findTells()
	s.beliefs.ensure(0)
	*s.threads[0].Thread = scheduler.Thread{ID: 0, Exists: true, Parent: trace.NoThread, Ctx: s.machine.Start(regs)}
	s.threads[0].own.State = ownReady
	s.machine.Put(&s.cpu, uint64(s.threads[0].Ctx))
	tr := &trace.Transition{}
	u := turn{th: &s.threads[0], tr: tr}
	for !s.booted.Get() {
		h, err := s.runFor(&u)
		if err != nil {
			return err
		}
		switch h {
		case atOn, atHalt, atCountOut:
			if !s.on.Get() {
				continue
			}
			if h == atHalt || s.threads[0].Insns >= s.tickAt {
				s.tickAt = s.threads[0].Insns + bootTick
				if !s.board.Disk() {
					s.board.Timer()
				}
			}
			if err := s.bootInterrupt(&u); err != nil {
				return err
			}
		case atEnd:
			f := s.threads[0].Failure
			return s.core.invalid(kernel.GapSchedule, &s.threads[0], f.PC, "the kernel fails before %s is called: %s", s.upName(), f.Message)
		}
	}
	if missing != "" {
		return s.core.invalid(kernel.GapSchedule, &s.threads[0], s.proc.pcNow(), "the kernel doesn't call %s: nothing is known of its threads", missing)
	}
	if err := s.checkPaging(&u); err != nil {
		return err
	}
	if err := s.proc.flush(); err != nil {
		return err
	}
	s.machine.Put(&s.looked, s.machine.Journal())
	s.bootInsns = s.threads[0].Insns
	s.threads[0].Insns = 0
	s.Booted()
	return nil
}

// BootInstructions is how many instructions Boot ran.
func (s *boot) BootInstructions() uint64 { return s.bootInsns }

// upName is the function at whose call the kernel is up.
func (s *fixed) upName() string {
	if s.profile != nil {
		if f, ok := s.image.SymbolAt(s.profile.Booted); ok {
			return f.Name
		}
	}
	return profile.TellPrefix + tellNames[tellBooted]
}

// notUp makes the result invalid for what the kernel did before it was up.
func (s *Kernel) notUp(u *turn, format string, args ...any) error {
	return s.core.invalid(kernel.GapSchedule, u.th, s.proc.pcNow(), format, args...)
}

// bootInterrupt delivers what the timer or another device asks for.
func (s *Kernel) bootInterrupt(u *turn) error {
	vector, ok := s.board.Pending()
	if !ok {
		return nil
	}
	s.board.Acknowledge()
	_, err := s.undelivered(u, s.deliver(u.th, vector))
	return err
}

// tellEarly takes in what is told before the kernel is up.
func (s *Kernel) tellEarly(u *turn, kind tellKind) (happening, error) {
	n := s.proc.argument(0)
	find := func() *early {
		for i := range s.early {
			if s.early[i].number == n {
				return &s.early[i]
			}
		}
		s.early = append(s.early, early{number: n, own: ownThread{Number: n, Tail: true}})
		return &s.early[len(s.early)-1]
	}
	switch kind {
	case tellBooted:
		return atPoint, s.up(u)
	case tellCreated:
		find()
	case tellReady:
		find().own.State = ownReady
	case tellUnready:
		find().own.State = ownBlocked
	case tellSleep:
		find().own.State = ownSleeping
	case tellIdle:
		find().own.Idle = true
	case tellPriority:
		find().own.Priority = int64(s.proc.argument(1))
	case tellExited:
		s.early = slices.DeleteFunc(s.early, func(e early) bool { return e.number == n })
	case tellStack:
		find().own.StackLow = s.proc.argument(1)
	case tellSwitch:
		s.first = n
	case tellAllocated, tellFreed:
		return s.tellMemory(u, kind)
	case tellPanicked:
		return atNothing, s.core.invalid(kernel.GapSchedule, u.th, s.proc.regs.RIP, "the kernel panics before landgo_booted is called: %s", s.text(n))
	case tellScheduling:
		if at, ok := s.translate(n); ok {
			s.scheduling = append(s.scheduling, emu.Range{Lo: at, Hi: at + s.proc.argument(1)})
		}
	}
	return atNothing, nil
}

// fill carries out rep stos while the kernel boots: one that fills all memory before it
// begins would take seconds for it, and gigabytes of journal. Each word counts as an
// instruction, as it does otherwise.
func (s *Kernel) fill(u *turn, n uint64) (happening, error) {
	pattern := binary.LittleEndian.AppendUint32(nil, uint32(s.proc.regs.RAX))
	if code := s.code(s.proc.regs.RIP); code[n-1] == stosByte {
		pattern = pattern[:1]
	}
	unit := uint64(len(pattern))
	room := elffile.PageSize - s.proc.regs.RDI%elffile.PageSize
	count := min(s.proc.regs.RCX, room/unit)
	at, ok := s.translate(s.proc.regs.RDI)
	if s.wordSize != 4 || !ok || count == 0 || s.proc.regs.RFLAGS&flagDirection != 0 || !s.machine.Fill(at, count*unit, pattern) {
		stop := s.permit(u)
		if stop.Why != emu.StopInsn {
			return s.stopped(u, stop)
		}
		return atNothing, nil
	}
	s.proc.regs.RDI += count * unit
	s.proc.regs.RCX -= count
	s.proc.set = emu.SetAll
	u.th.Insns += count
	s.Ran(count)
	if s.proc.regs.RCX == 0 {
		return s.next(u, n)
	}
	return atNothing, nil
}

const (
	stosByte      = 0xaa // the opcode
	flagDirection = 1 << 10
)

// up makes the threads that are known: the one that runs is the first, the
// others are its children, in the order in which they were created.
func (s *Kernel) up(u *turn) error {
	var root *early
	for i := range s.early {
		if s.early[i].number == s.first {
			root = &s.early[i]
		}
	}
	if root == nil {
		return s.core.invalid(kernel.GapSchedule, u.th, s.proc.regs.RIP, "landgo_switch hasn't said which thread calls landgo_booted")
	}
	s.machine.PutFlag(&s.booted, true)
	s.control = nil
	s.machine.Put(&s.born, uint64(1-b2i(root.own.Idle)))
	own := root.own
	own.Tail = false
	own.State = ownReady
	own.Calls = s.threads[0].own.Calls
	s.threads[0].own = own
	for i := range s.early {
		e := &s.early[i]
		if e == root {
			continue
		}
		s.threads[0].own.Children++
		t, err := s.Intern(0, s.threads[0].own.Children)
		if err != nil {
			return s.core.invalid(kernel.GapThreads, u.th, s.proc.regs.RIP, "%v", err)
		}
		s.beliefs.bear(t, 0, e.own)
	}
	return nil
}
