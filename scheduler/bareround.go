package scheduler

import (
	"encoding/binary"
	"hash/fnv"

	"landgo/image"
	"landgo/trace"
)

// Threads that wait for time by giving the processor up again and again (a
// timer_sleep that yields until enough ticks have passed) hand it to one another
// for ever, for landgo's timer ticks only where a search wants another thread. But
// time passes for them, too: where each ready thread has gone round once without
// doing anything, a tick comes with the next step that begins behind a yield.
//
// A thread *has gone round* if it gave the processor up twice at the same place,
// with the same stack and registers that a function call keeps, and has stored
// nothing between that others could tell. What it stores in the section in which it
// gives the processor up, and on coming back, isn't meant: that is the scheduler's
// list. Where all have,
// nothing would happen for ever without a tick, so that no order is lost by one.
// It is one of those that the timer may always make.
//
// Whether a step brings a tick depends on what the others did. So the steps of
// threads that have gone round depend on every step (Bare, wide).
//
// Only Pintos kernels' stacks are known to end with their page; elsewhere a count
// of rounds could lie beyond what is compared.

// stores notes that a thread has stored what others can tell.
func (s *Bare) stores(th *thread, as []trace.Access) {
	if s.image.Pintos == nil {
		return
	}
	for i := range as {
		a := &as[i]
		if !a.IsWrite() || a.Flags&trace.Silent != 0 || s.ownStack(th, a.Addr) {
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

// ownStack: the memory is the thread's stack, and not its structure.
func (s *Bare) ownStack(th *thread, pa uint64) bool {
	at, ok := s.translate(th.own.number)
	return ok && at+s.image.Pintos.Size <= pa && pa < at+image.PageSize
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
	if s.image.Pintos == nil {
		return
	}
	before, stored := o.lap, o.stored
	o.lap, o.stored, o.storing, o.round = 0, false, false, false
	if s.field32(th, s.image.Pintos.Status) != image.PintosReady {
		return
	}
	sp := th.regs.RSP
	at, ok := s.translate(sp)
	if !ok || pageOf(sp) != o.number {
		return
	}
	h := fnv.New64a()
	r := &th.regs
	kept := []uint64{r.RIP, r.RSP, r.RBP, r.RBX, r.R12, r.R13, r.R14, r.R15}
	if s.wordSize == 4 {
		kept = append(kept, r.RSI, r.RDI)
	}
	for _, v := range kept {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
	h.Write(s.machine.Bytes(at, image.PageSize-sp%image.PageSize))
	o.lap = h.Sum64() | 1
	o.round = o.lap == before && !stored
}

// allRound: each thread that is ready has gone round.
func (s *Bare) allRound() bool {
	any := false
	for i := range s.threads {
		th := &s.threads[i]
		if !s.exists[i] || !th.live() || th.own.idle || th.own.state != ownReady {
			continue
		}
		if !th.own.round {
			return false
		}
		any = true
	}
	return any
}

// passes reports whether time passes with a thread's step.
func (s *Bare) passes(th *thread) bool {
	return th.own.round && th.own.tail && th.own.kind == tailOfYield && s.allRound()
}
