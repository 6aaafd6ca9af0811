package scheduler

import (
	"landgo/heap"
	"landgo/internal/trace"
	"landgo/scheduler/undo"
)

// How a System goes back: it keeps what a step changes (Save, thread.go), and takes it up again. Mark and Rewind are in
// twin.go, for all twins do the same.

type threadSave struct {
	id  trace.TID
	old thread
}

type mark struct {
	machine  trace.Mark
	threads  int // of threadLog
	arena    undo.ArenaMark
	heap     heap.Mark
	mapped   heap.Mark
	covers   covers
	steps    int
	regs     int
	writes   int
	tallies  int
	through  int
	promises int
	panics   int
}

func (s *present) markAlone() trace.Mark {
	k := s.mark(s.machine.Mark())
	s.lib.Mark(k)
	return k
}

// aside marks the present state for what is tried, and takeBack goes back there and forgets it.
func (s *present) aside() trace.Mark {
	k := s.mark(s.machine.Aside())
	s.lib.Mark(k)
	return k
}

func (s *present) takeBack(k trace.Mark) {
	machine := s.marks[k].machine
	s.goBack(k)
	s.machine.Return(machine)
	s.marks = s.marks[:k]
}

// mark marks the state that goes with a mark of the machine.
func (s *state) mark(machine trace.Mark) trace.Mark {
	s.serial++
	s.marks = append(s.marks, mark{
		machine: machine, threads: s.threadLog.Len(), arena: s.arena.Mark(), heap: s.heap.Mark(), mapped: s.mapped.Mark(), covers: s.covers, steps: len(s.steps), regs: len(s.stepRegs), writes: s.writes.Len(), tallies: len(s.tallies), through: len(s.through), promises: len(s.promises), panics: len(s.panics),
	})
	return trace.Mark(len(s.marks) - 1)
}

func (s *System) rewindAlone(k trace.Mark) {
	s.longest.noteLong()
	s.goBack(k)
}

func (s *present) goBack(k trace.Mark) {
	m := &s.marks[k]
	s.machine.Rewind(m.machine)
	if s.companion != nil {
		s.companion.TakeUp(m.threads, m.steps)
	}
	s.lib.Rewind(k)
	s.rewind(k)
	s.listing.rewound(s.machine.Journal())
}

// takeUp takes up all threads again that were kept since mark m, the latest from now on.
func (s *state) takeUp(m *mark) {
	for i := s.threadLog.Len() - 1; i >= m.threads; i-- {
		e := s.threadLog.At(i)
		s.threads[e.id] = e.old
		s.listing.changes(e.id)
	}
	s.threadLog.Cut(m.threads)
	s.serial++
}

// rewind takes up what was marked; the machine is there already.
func (s *state) rewind(k trace.Mark) {
	m := &s.marks[k]
	s.takeUp(m)
	s.arena.Rewind(m.arena)
	s.heap.Rewind(m.heap)
	s.mapped.Rewind(m.mapped)
	s.covers = m.covers
	s.delist(m.steps)
	s.writes.Cut(m.writes)
	s.tallies = s.tallies[:m.tallies]
	s.steps, s.stepRegs = s.steps[:m.steps], s.stepRegs[:m.regs]
	s.through = s.through[:m.through]
	s.promises = s.promises[:m.promises]
	s.panics = s.panics[:m.panics]
	s.marks = s.marks[:k+1]
}
