package scheduler

import (
	"encoding/binary"
	"hash/fnv"

	"landgo/emu"
	"landgo/image"
	"landgo/trace"
)

// Threads that wait for time by giving the processor up again and again (a
// timer_sleep that yields until enough ticks have passed) hand it to one another
// for ever, for landgo's timer ticks only where a search wants another thread. But
// time passes for them, too: where each thread that can run has gone round once
// without doing anything, a tick comes with the next step that begins behind a yield.
//
// A thread *has gone round* if it gave the processor up twice at the same place,
// with the same registers that a function call keeps, and between
//
//   - has stored nothing that others could tell. What it stores in the section in
//     which it gives the processor up, and on coming back, isn't meant: that is the
//     scheduler's list;
//   - its own memory, which no other has touched, and its stack have become what they
//     were, the stack below the stack pointer aside. So a thread that counts its turns, wherever it
//     does, hasn't gone round.
//
// Where all have, nothing would happen for ever without a tick, so that no order is
// lost by one. It is one of those that the timer may always make.
//
// A thread that is *alone*, for no other can run, and gives the processor up gets it
// back at once, without a switch. With it, all is clear: if the processor, all memory
// but dead stack, and the devices are as they were before one of its last steps, it
// goes round, and a tick comes.
//
// Whether a step brings a tick depends on what the others did. So the steps of
// threads that have gone round depend on every step (Bare, wide).

// stores notes that a thread has stored what others can tell.
func (s *Bare) stores(th *thread, as []trace.Access) {
	for i := range as {
		a := &as[i]
		if !a.IsWrite() || a.Flags&trace.Silent != 0 || s.itsOwn(th, a.Addr) && s.itsOwn(th, a.Addr+uint64(a.Size)-1) || s.ownStack(th, a.Addr) {
			continue
		}
		switch {
		case s.on == 1:
			th.own.stored = true
		case !th.own.tail || th.own.kind != tailOfYield:
			th.own.storing = true
		}
	}
}

// itsOwn: no other thread has touched the memory.
func (s *Bare) itsOwn(th *thread, pa uint64) bool {
	owner, shared := s.machine.Sharing(pa)
	return !shared && owner == th.id
}

// stackPage is the page of memory in which a thread's stack pointer was last, as
// far as it is known to be the thread's stack, and not its structure; empty where it
// isn't.
func (s *Bare) stackPage(th *thread) emu.Range {
	page := pageOf(th.regs.RSP)
	low := th.own.stackLow
	switch {
	case s.image.Pintos != nil:
		page = th.own.number
		low = page + s.image.Pintos.Size
	case s.own != nil && s.own.Stack != 0:
		low = th.regs.RSP&^(s.own.Stack-1) + s.own.Size
	}
	at, ok := s.translate(page)
	if !ok || low == 0 || low >= page+image.PageSize {
		return emu.Range{}
	}
	return emu.Range{Lo: at + max(low, page) - page, Hi: at + image.PageSize}
}

// ownStack: the memory is known to be the thread's stack. What is stored there is
// compared when it gives the processor up.
func (s *Bare) ownStack(th *thread, pa uint64) bool {
	r := s.stackPage(th)
	return r.Lo <= pa && pa < r.Hi
}

// sectionEnds: interrupts are on again, and the thread still has the processor.
func (s *Bare) sectionEnds(th *thread) {
	th.own.stored = th.own.stored || th.own.storing
	th.own.storing = false
}

// gaveWay: a thread has given the processor up, at the registers that it was seen
// with last. Its turn began at the last time that it did.
func (s *Bare) gaveWay(th *thread) {
	o := &th.own
	before, stored, from := o.lap, o.stored, o.lapFrom
	o.lap, o.stored, o.storing, o.round = 0, false, false, false
	o.lapBefore, o.lapFrom = from, s.machine.Journal()
	if o.lap = s.lapOf(th); o.lap != 0 {
		o.round = o.lap == before && !stored && s.ownUnchanged(th, from)
	}
	if stored || o.lap != before {
		s.machine.Set(&s.vain, 0)
	}
}

// lapOf tells places apart where a thread can give the processor up, and what it
// keeps there; 0: it isn't ready any more.
func (s *Bare) lapOf(th *thread) uint64 {
	r := &th.regs
	h := fnv.New64a()
	kept := []uint64{r.RIP, r.RSP, r.RBP, r.RBX, r.R12, r.R13, r.R14, r.R15}
	if s.wordSize == 4 {
		kept = append(kept, r.RSI, r.RDI)
	}
	for _, v := range kept {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
	if ready := s.image.Pintos == nil && th.own.state == ownReady ||
		s.image.Pintos != nil && s.field32(th, s.image.Pintos.Status) == image.PintosReady; !ready {
		return 0
	}
	return h.Sum64() | 1
}

// ownUnchanged: what only this thread has touched, and its stack, is what it was when
// the journal had a length.
func (s *Bare) ownUnchanged(th *thread, from uint64) bool {
	dead, stack := s.inStack(th), s.stackPage(th)
	return s.machine.Unchanged([]emu.Stretch{{From: from, To: s.machine.Journal()}}, func(pa uint64) bool {
		if dead(pa) {
			return true
		}
		owner, shared := s.machine.Sharing(pa)
		return (shared || owner != trace.NoThread && owner != th.id) && !(stack.Lo <= pa && pa < stack.Hi)
	})
}

// maxRound is the most steps that a thread's round takes, where it is looked for.
const maxRound = 256

// alone: of all threads only one can run.
func (s *Bare) alone() bool { return len(s.could) == 1 }

// aloneRound reports whether one of the last steps of a thread that is alone began
// where it is now, and holds is true of it.
func (s *Bare) aloneRound(th *thread, holds func(*stepInfo) bool) bool {
	last := len(s.steps) - 1 // the step under way
	for i := last - 1; i >= 0 && last-i <= maxRound; i-- {
		b := &s.steps[i]
		if b.tr.Thread != th.id || b.ports != s.ports {
			return false
		}
		if b.pc == th.regs.RIP && s.machine.SameCPU(b.ctx, emu.Ctx(s.cpu)) == 0 && holds(b) {
			return true
		}
	}
	return false
}

// since is what was written since a step began.
func (s *Bare) since(i *stepInfo) []emu.Stretch {
	return []emu.Stretch{{From: i.journal, To: s.machine.Journal()}}
}

// inStack reports whether memory is a thread's stack, below its stack pointer.
func (s *Bare) inStack(th *thread) func(pa uint64) bool {
	r := s.stackPage(th)
	if at, ok := s.translate(th.regs.RSP); ok && r.Lo <= at && at < r.Hi {
		r.Hi = at
	} else {
		r = emu.Range{}
	}
	return func(pa uint64) bool { return r.Lo <= pa && pa < r.Hi }
}

// allRound: each thread that can run has gone round.
func (s *Bare) allRound() bool {
	any := false
	best := s.bestPriority()
	for i := range s.threads {
		th := &s.threads[i]
		if !s.exists[i] || th.own.state != ownReady || !s.canRun(th, best) {
			continue
		}
		if !th.own.round || !th.own.tail || th.own.kind != tailOfYield {
			return false // it has gone on since
		}
		any = true
	}
	return any
}

// passes reports whether time passes with a thread's step.
func (s *Bare) passes(th *thread) bool {
	if s.alone() {
		return s.aloneRound(th, func(i *stepInfo) bool {
			return i.ticks == s.ticks && s.machine.Unchanged(s.since(i), s.inStack(th))
		})
	}
	return th.own.round && th.own.tail && th.own.kind == tailOfYield && s.allRound()
}
