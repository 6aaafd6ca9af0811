package scheduler

import (
	"slices"

	"landgo/internal/trace"
)

// The steps of store buffers.

// update is a step of a buffer: its oldest entry goes to memory. Or it is one of a drain.
func (s *System) update(b trace.TID) (*trace.Transition, error) {
	th, own := s.edit(b-1), s.edit(b)
	tr := s.arena.Transition(b, 0)
	tr.Updates, tr.Begin = true, own.Insns
	info := stepInfo{tr: tr, before: s.machine.Journal(), journal: s.machine.Journal()}
	if th.asked {
		s.drain(th, tr)
	} else {
		s.flush(th, tr)
	}
	own.Insns = tr.Last
	info.end = s.machine.Journal()
	s.stepped++
	info.number = s.stepped
	s.steps = append(s.steps, info)
	err := s.Promises.judge(th, tr, len(s.promises), false)
	s.arena.Seal(tr)
	if err != nil {
		return nil, err
	}
	s.current = trace.NoThread
	s.wakeSpinners(tr)
	s.awaits.settle(&s.steps[len(s.steps)-1])
	return tr, s.news()
}

// flush writes the oldest entry of a thread's buffer to memory.
func (s *System) flush(th edit, tr *trace.Transition) {
	e := &th.buffer.Queue()[0]
	th.buffer = th.buffer.Pop()
	tr.Of, tr.Last = th.ID, e.Number
	for i := range e.Parts {
		p := &e.Parts[i]
		a := p.Access
		if slices.Equal(s.machine.Bytes(a.Addr, uint64(a.Size)), p.Bytes) {
			a.Flags |= trace.Silent
		}
		s.machine.Write(a.Addr, p.Bytes)
		tr.Accesses = append(tr.Accesses, a)
	}
	if op := s.buffers.beside(th.thread, trace.OpStored); op.Kind != trace.OpNone {
		tr.Did(op)
	}
}
