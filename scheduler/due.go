package scheduler

import (
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Behind an addition that was tried (sides.go), a thread may go on with reads, mostly of a variable that
// it compares the result with. Up to the last read the thread's state depends on the result, but what it
// does is the same. So additions on one side commute, if the thread finds there what it found when it was
// tried.
//
// So no other thread may write to these bytes from the thread's creation up to the read. landgo looks for
// writes before the addition where it is tried, and for later ones in each step. If one comes then,
// additions aren't tried with reads of these bytes any more: all begins again.
//
// This isn't done with store buffers.

const (
	// mostReads is how many reads are tried behind an addition.
	mostReads = 3
	// mostSince is how many steps are looked at since a thread was created.
	mostSince = 1024
)

// due is the rest of an addition that was tried with the reads behind it.
type due struct {
	steps int // of the thread, until it is over
	reads []looked
	// To be watched from then on: see spins.Choice.
	look uint64
	left []trace.Range
	regs trace.RegSet
}

// looked is a read, and what it found.
type looked struct {
	trace.Access
	value uint64
}

// reads reports whether a thread stands before a read with which it goes on so.
func (s *sides) reads(th *thread) bool {
	a := &th.Access
	if th.Stand != StandAccess || th.Half != 0 || th.Set != 0 || a.Flags&(trace.Atomic|trace.RMW) != 0 || a.IsWrite() || a.Size > 8 || s.in.cfg.Buffers {
		return false
	}
	for b := a.Addr; b < a.Addr+uint64(a.Size); b++ {
		if s.learning.known.Varying[b] {
			return false
		}
	}
	return s.untouched(th, a)
}

// untouched reports whether no other thread has written to the bytes of an access since a thread was
// created.
func (s *sides) untouched(th *thread, a *trace.Access) bool {
	since := s.in.steps[min(int(th.born>>momentShift), len(s.in.steps)):]
	if len(since) > mostSince {
		return false
	}
	for i := range since {
		if tr := since[i].tr; tr.Thread != th.ID && writesTo(tr, a) {
			return false
		}
	}
	return true
}

// writesTo reports whether a step writes to the bytes of an access.
func writesTo(tr *trace.Transition, a *trace.Access) bool {
	return slices.ContainsFunc(tr.Accesses, func(w trace.Access) bool { return w.IsWrite() && w.Overlaps(a) })
}

// find reports whether a thread would find now what such reads have found.
func (s *sides) find(th *thread, reads []looked) bool {
	return !slices.ContainsFunc(reads, func(l looked) bool { return s.in.valueFor(th, &l.Access) != l.value || !s.untouched(th, &l.Access) })
}

// due is the rest of the choice of an addition at pc, where it is about to be made; nil: there is none.
func (c *choice) due(pc uint64) *due {
	if c.depth == 0 {
		return nil
	}
	return &due{steps: c.depth + 1, reads: c.reads, look: lookOf(pc, c.depth), left: c.Left, regs: c.Regs}
}

// settleDue takes in a step of a thread: what it has left by its additions, and what it wrote that others
// are about to read.
func (s *System) settleDue(th edit, tr *trace.Transition) {
	if !s.Blends.reading {
		return
	}
	if d := th.due; d != nil && d.steps > 1 && th.Live() {
		next := *d
		next.steps--
		th.due = &next
	} else if d != nil {
		th.due = nil
		s.leftovers.leavesBytes(th, spins.LeftBy(d.look, d.left))
		s.leftovers.leavesRegs(th, d.regs, d.look)
	}
	for i := range s.threads {
		if o := &s.threads[i]; o.due != nil && o.ID != th.ID {
			s.vary(o.due, tr)
		}
	}
}

// vary notes which of the bytes that are about to be read a step wrote to.
func (s *System) vary(d *due, tr *trace.Transition) {
	for i := range d.reads {
		if r := &d.reads[i].Access; writesTo(tr, r) {
			for b := r.Addr; b < r.Addr+uint64(r.Size); b++ {
				s.known.Varying[b] = true
			}
			s.finer = true
		}
	}
}
