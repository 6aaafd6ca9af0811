package steer

import (
	"encoding/binary"
	"errors"
	"slices"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Booting: the kernel runs from its entry to landgo_booted, with nothing recorded, because there
// is no other thread. Time passes by a tick in this many instructions wherever interrupts are on.

// bootTick is the number of instructions between ticks.
const bootTick = 20_000

// bootIdle is how many ticks a kernel may wait for before it is up, with nothing else to do.
const bootIdle = 20_000

// Boot starts the kernel with regs and runs it until it is up. It takes the
// place of Boot.
func (k *Kernel) Boot(regs *emu.Regs) error {
	missing := k.findTells()
	k.beliefs.ensure(0)
	k.core.SetThread(0, scheduler.Thread{ID: 0, Exists: true, Parent: trace.NoThread, Ctx: k.machine.Start(regs)})
	e := k.core.edit(0)
	e.own.State = ownReady
	k.machine.Put(&k.cpu, uint64(k.threads[0].Ctx))
	tr := &trace.Transition{}
	u := turn{th: &k.threads[0], tr: tr}
	idle := 0 // the ticks that have come one after the other while the processor halted
	for !k.booted.Get() {
		h, err := k.exec.runFor(&u)
		var long *scheduler.BudgetError
		if errors.As(err, &long) {
			long.Before = k.upName()
		}
		if err != nil {
			return err
		}
		if h == atHalt {
			idle++
		} else if h == atCountOut {
			idle = 0
		}
		if idle > bootIdle {
			return k.core.invalid(kernel.GapBoot, &k.threads[0], k.proc.pcNow(), "the kernel idles before %s is called, and %d ticks don't end that", k.upName(), bootIdle)
		}
		switch h {
		case atOn, atHalt, atCountOut:
			if !k.on.Get() {
				continue
			}
			if h == atHalt || k.threads[0].Insns >= k.tickAt {
				k.tickAt = k.threads[0].Insns + bootTick
				if !k.board.Disk() {
					k.board.Timer()
				}
			}
			if err := k.ticker.bootInterrupt(&u); err != nil {
				return err
			}
		case atEnd:
			f := k.threads[0].Failure
			return k.core.invalid(kernel.GapBoot, &k.threads[0], f.PC, "the kernel fails before %s is called: %s", k.upName(), f.Message)
		}
	}
	if missing != "" {
		return k.core.invalid(kernel.GapSchedule, &k.threads[0], k.proc.pcNow(), "the kernel doesn't call %s: nothing is known of its threads", missing)
	}
	if err := k.exec.checkPaging(&u); err != nil {
		return err
	}
	if err := k.proc.flush(); err != nil {
		return err
	}
	k.machine.Put(&k.looked, k.machine.Journal())
	k.bootInsns = k.threads[0].Insns
	e.Insns = 0
	k.Seen().Instructions = 0
	return nil
}

// BootInstructions is how many instructions Boot ran.
func (k *boot) BootInstructions() uint64 { return k.bootInsns }

// bootInterrupt delivers what the timer or another device asks for.
func (tk *ticker) bootInterrupt(u *turn) error {
	vector, ok := tk.in.board.Pending()
	if !ok {
		return nil
	}
	tk.in.board.Acknowledge()
	_, err := tk.undelivered(u, tk.deliver(u.th, vector))
	return err
}

// tellEarly takes in what the kernel tells before it is up.
func (a *annotations) tellEarly(u *turn, kind tellKind) (happening, error) {
	n := a.proc.argument(0)
	find := func() *early {
		for i := range a.early {
			if a.early[i].number == n {
				return &a.early[i]
			}
		}
		a.early = append(a.early, early{number: n, own: ownThread{Number: n, Tail: true}})
		return &a.early[len(a.early)-1]
	}
	switch kind {
	case tellBooted:
		return atPoint, a.up(u)
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
		find().own.Priority = int64(a.proc.argument(1))
	case tellExited:
		a.early = slices.DeleteFunc(a.early, func(e early) bool { return e.number == n })
	case tellStack:
		find().own.StackLow = a.proc.argument(1)
	case tellSwitch:
		a.first = n
	case tellAllocated, tellFreed:
		return a.calls.tellMemory(u, kind)
	case tellPanicked:
		return atNothing, a.core.invalid(kernel.GapBoot, u.th, a.proc.regs.RIP, "the kernel panics before landgo_booted is called: %s", a.in.text(n))
	case tellScheduling:
		if at, ok := a.in.translate(n); ok {
			a.in.scheduling = append(a.in.scheduling, emu.Range{Lo: at, Hi: at + a.proc.argument(1)})
		}
	}
	return atNothing, nil
}

// fill carries out rep stos while the kernel boots: one that fills all memory before it
// begins would take seconds for it, and gigabytes of journal. Each word counts as an
// instruction, as it does otherwise.
func (ex *execution) fill(u *turn, n uint64) (happening, error) {
	pattern := binary.LittleEndian.AppendUint32(nil, uint32(ex.proc.regs.RAX))
	if code := ex.in.code(ex.proc.regs.RIP); code[n-1] == stosByte {
		pattern = pattern[:1]
	}
	unit := uint64(len(pattern))
	room := abi.PageSize - ex.proc.regs.RDI%abi.PageSize
	count := min(ex.proc.regs.RCX, room/unit)
	at, ok := ex.in.translate(ex.proc.regs.RDI)
	if ex.in.wordSize != 4 || !ok || count == 0 || ex.proc.regs.RFLAGS&abi.DF != 0 || !ex.in.machine.Fill(at, count*unit, pattern) {
		stop := ex.permit(u)
		if stop.Why != emu.StopInsn {
			return ex.stopped(u, stop)
		}
		return atNothing, nil
	}
	ex.proc.regs.RDI += count * unit
	ex.proc.regs.RCX -= count
	ex.proc.set = trace.AllRegs
	ex.core.edit(u.th.ID).Insns += count
	ex.core.Seen().Instructions += count
	if ex.proc.regs.RCX == 0 {
		return ex.next(u, n)
	}
	return atNothing, nil
}

const stosByte = 0xaa // the opcode

// up makes the threads that are known: the one that runs is the first, the
// others are its children, in the order in which they were created.
func (a *annotations) up(u *turn) error {
	var root *early
	for i := range a.early {
		if a.early[i].number == a.first {
			root = &a.early[i]
		}
	}
	if root == nil {
		return a.core.invalid(kernel.GapSchedule, u.th, a.proc.regs.RIP, "landgo_switch hasn't said which thread calls landgo_booted")
	}
	a.in.machine.PutFlag(&a.in.booted, true)
	a.in.control = nil
	a.in.machine.Put(&a.in.born, uint64(1-b2i(root.own.Idle)))
	own := root.own
	own.Tail = false
	own.State = ownReady
	own.Calls = a.in.threads[0].own.Calls
	a.core.edit(0).own = own
	for i := range a.early {
		e := &a.early[i]
		if e == root {
			continue
		}
		a.core.edit(0).own.Children++
		t, err := a.core.Intern(0, a.in.threads[0].own.Children)
		if err != nil {
			return a.core.invalid(kernel.GapThreads, u.th, a.proc.regs.RIP, "%v", err)
		}
		a.beliefs.bear(t, 0, e.own)
	}
	return nil
}
