package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler/names"
)

// Timers that send signals (setitimer and its kin), by which programs preempt threads of their
// own. For the search, each timer that is set is a thread. In each of its steps it goes off: the
// signal reaches the guest's thread where that stands. So each step of that thread depends on it
// (interrupt.go), and the search tries it at each point.
//
// An interval timer could go off for ever. Config.Ticks is how often timers go off in an
// execution while something else can run. Where nothing else can (all threads wait or spin)
// time passes, and one goes off without counting; a watchdog (Clockwork.Timer) goes off only
// then.
//
// The guest's own threads share memory as threads do, and are distinguished by their stacks
// (emu.Machine.Party). A handler is a party apart from the code that it interrupts.
//
// While the signal is blocked it doesn't come. It comes right after the call that unblocks it,
// which has the same effect: the thread stands there for that. It isn't the same to a program
// that looks at kept signals (known.Facts.Kept), nor before a call that sets a timer anew, or
// looks at it.
//
// In a program with one thread of the kernel's an instruction is whole: a signal comes
// between two.

// Clockwork is a kernel with such timers.
type Clockwork interface {
	// Alarming reports whether one was ever set in the execution.
	Alarming() bool
	// Timers is how many there are, from 0 on.
	Timers() int
	// Timer is timer n. If kept is set, a signal that is blocked, and so would be kept, has an
	// effect as well.
	Timer(n int, kept bool) kernel.Timer
	// GoOff has timer n go off, which is thread by to the search.
	GoOff(n int, by trace.TID) kernel.Outcome
	// Interrupted are the handlers of a thread that haven't returned.
	Interrupted(t trace.TID) []emu.Interrupted
}

// timers are those of the guest that send signals.
type timers struct {
	in        *present
	names     *names.Names
	seen      *seen
	learning  *learning
	traps     *Traps
	describes func(*thread, *trace.Thread) Watch                  // System.describe
	intern    func(parent trace.TID, n uint64) (trace.TID, error) // names a thread
	// Both go back with the machine.
	alarmed emu.Flag // one was set, as the kernel has it
	ticks   emu.Cell // how often they went off while something else could run
	// indivisible: see asParties.
	indivisible bool
}

// mostWithTimers bounds the threads of a guest with timers: the machine has sharing bytes for
// this many, beside those of the guest's own threads.
const mostWithTimers = 80

// AsksForPoints is the reason where a guest sets a timer in a search that chooses among
// sets of preemption points.
const AsksForPoints = "a timer that sends a signal needs a preemption point before every access (--pp mem)"

// on reports whether timers have been set, so that the guest may have threads of its
// own.
func (c *timers) on() bool { return c.alarmed.Get() }

// thread is the thread that timer n is to the search, if it was ever set.
func (c *timers) thread(n int) (t trace.TID, ok bool) {
	return c.names.Find(0, names.Timer(n))
}

// number is the number of the timer that a thread is.
func (c *timers) number(t trace.TID) int {
	for n := range c.in.clockwork.Timers() {
		if o, ok := c.thread(n); ok && o == t {
			return n
		}
	}
	panic(fmt.Sprintf("scheduler: thread %d isn't a timer", t))
}

// set has a thread for each timer that is set, after a call, or after one went off. It
// reports whether one is newly set: it may go off at once.
func (c *timers) set(th *thread, tr *trace.Transition, kept bool) (more bool, err error) {
	if !c.on() {
		if c.in.clockwork == nil || !c.in.clockwork.Alarming() {
			return false, nil
		}
		c.in.machine.PutFlag(&c.alarmed, true)
	}
	for n := range c.in.clockwork.Timers() {
		now := c.in.clockwork.Timer(n, kept || c.learning.known.Kept)
		t, known := c.thread(n)
		if !known && !now.Set {
			continue
		}
		if !known {
			if err := c.addTimer(th, n); err != nil {
				return false, err
			}
			t, _ = c.thread(n)
		}
		c.in.ensure(t)
		c.seen.record.Met.Cut = c.seen.record.Met.Cut || now.Set && !now.Last && c.ticks.Get() >= c.in.cfg.Ticks
		if now.Set && !c.learning.known.Signalled.Has(uint64(now.Thread)) {
			c.learning.known.Signalled[uint64(now.Thread)], c.learning.finer = true, true
		}
		x := &c.in.threads[t]
		if x.Exists == now.Set && x.comes == now.Comes {
			continue
		}
		if now.Comes && !x.comes {
			tr.Wakes = append(tr.Wakes, t)
			more = true
		}
		tr.Disables = tr.Disables || x.comes && !now.Comes && t != th.ID
		e := c.in.edit(t)
		e.ID, e.Exists, e.Stand, e.Parent, e.comes = t, now.Set, StandTimer, 0, now.Comes
		c.in.Unlist()
	}
	return more, nil
}

// before has a thread stand before a call that has to do with timers' signals.
func (c *timers) before(th *thread, tr *trace.Transition, p *kernel.Plan) (stands bool, err error) {
	if p.About&kernel.AboutKept != 0 && c.in.clockwork != nil && !c.learning.known.Kept {
		c.learning.known.Kept, c.learning.finer = true, true
	}
	if !c.on() || p.About&kernel.AboutTimers == 0 {
		return false, nil
	}
	_, err = c.set(th, tr, true)
	return !c.in.Alone(th.ID), err
}

// seeJumps learns that a handler is left by a jump. Whatever its thread has done by the
// time that the signal comes decides what is left undone, so all memory counts as
// shared.
func (c *timers) seeJumps() {
	c.learning.known.Jumps, c.learning.finer = true, true
	c.in.machine.DeclareAllShared(true)
}

// addTimer names timer n, for good.
func (c *timers) addTimer(th *thread, n int) error {
	switch {
	case c.in.cfg.Buffers:
		return c.in.Invalid(kernel.GapCall, th.ID, th.Regs.RIP, "a timer that sends a signal is not modelled with --model tso")
	case c.in.cfg.NotForTimers != "":
		return c.in.Invalid(kernel.GapCall, th.ID, th.Regs.RIP, "a timer that sends a signal is not modelled with this search: %s", c.in.cfg.NotForTimers)
	case c.in.cfg.Deepens: // races between threads of the guest's own aren't seen
		return c.in.Invalid(kernel.GapCall, th.ID, th.Regs.RIP, AsksForPoints)
	case c.names.Len() > mostWithTimers:
		return c.in.Invalid(kernel.GapThreads, th.ID, th.Regs.RIP, "timers that send signals are not modelled in a program with more than %d threads", mostWithTimers)
	}
	// A signal may come before the end of the process, and time passes while a loop looks at
	// the clock: ends and such loops are steps like any others.
	c.learning.finer = c.learning.finer || !c.learning.known.Early || !c.learning.known.Hurried
	c.learning.known.Early, c.learning.known.Hurried = true, true
	_, err := c.intern(0, names.Timer(n))
	return err
}

// describe says whether a timer can go off while other threads can run.
func (c *timers) describe(th *thread, d *trace.Thread) {
	now := c.in.clockwork.Timer(c.number(th.ID), true)
	d.Pending = trace.Op{Kind: trace.OpCancel, Obj: uint64(now.Thread), Arg: now.Signal}
	d.Loose = c.several()
	if !th.comes || now.Last || c.ticks.Get() >= c.in.cfg.Ticks {
		d.Status = trace.Blocked
	}
}

// text says what a timer does.
func (c *timers) text(t trace.TID) string {
	now := c.in.clockwork.Timer(c.number(t), true)
	if now.Thread == trace.NoThread {
		return "sends " + trace.SignalName(now.Signal)
	}
	return fmt.Sprintf("sends %s to %s", trace.SignalName(now.Signal), c.names.Name(now.Thread))
}

// several reports whether the guest has more than one thread of the kernel's.
func (c *timers) several() bool {
	n := 0
	for i := range c.in.threads {
		if th := &c.in.threads[i]; th.Exists && th.Live() && !th.isTimer() {
			n++
		}
	}
	return n > 1
}

// let has timers wait where no other thread can run: then letExpire lets one go off,
// without counting. That is a step like any other, which could have come before: it may count
// there. It reports whether a thread can run.
func (c *timers) let(list []trace.Thread) (ready bool) {
	timers := false
	for i := range list {
		timer := c.in.threads[list[i].ID].isTimer()
		timers = timers || timer
		ready = ready || !timer && list[i].Status == trace.Ready
	}
	for i := range list {
		if timers && !ready && c.in.threads[list[i].ID].isTimer() {
			list[i].Status, list[i].Outcomes = trace.Blocked, 0
		}
	}
	return ready
}

// next is the one that has gone off least, which goes off where no thread can run.
func (c *timers) next() trace.TID {
	next := trace.NoThread
	for i := range c.in.threads {
		if th := &c.in.threads[i]; th.Exists && th.isTimer() && th.comes && (next == trace.NoThread || th.Insns < c.in.threads[next].Insns) {
			next = th.ID
		}
	}
	return next
}

// asParties prepares a thread's run, if the guest may have threads of its own.
func (c *timers) asParties(th *thread, r *emu.Run) {
	ticking := c.on()
	if ticking || c.indivisible {
		c.indivisible = ticking && !c.several()
		c.in.machine.Indivisible(c.indivisible)
	}
	if !ticking {
		return
	}
	handlers := c.in.clockwork.Interrupted(th.ID)
	if len(handlers) > 0 && !c.learning.known.Jumps {
		r.Flags &^= emu.Solo // it may leave them by a jump
	}
	if r.Flags&emu.Solo == 0 {
		r.Flags |= emu.Parties
		c.in.machine.SetInterrupted(handlers)
	}
}

// Ticking reports whether the execution has set a timer that sends signals: the guest may
// have threads of its own then.
func (s *System) Ticking() bool { return s.timers.on() }
