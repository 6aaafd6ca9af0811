package scheduler

import (
	"cmp"

	"landgo/emu"
	"landgo/internal/trace"
)

// Spawn makes a new thread, which the kernel described. Under PointMem it runs the thread's
// private beginning, up to its first operation. At coarser granularity what follows the runtime's
// thread start may touch shared memory: the thread stands at its start routine, because its
// creator may go on first. So it does beside twins, which tell where a step of the thread itself
// goes another way. The field roomAt is the end of its stack if landgo made that
// (library/carried.go), or 0.
func (s *System) Spawn(t, child trace.TID, regs *emu.Regs, tr *trace.Transition, roomAt uint64) error {
	parent := &s.threads[t]
	s.ensure(child)
	if s.cfg.Buffers {
		s.ensure(bufferOf(child))
	}
	c := s.edit(child)
	*c.thread = thread{
		Thread: Thread{ID: child, Exists: true, Parent: t, Ctx: s.machine.StartFrom(parent.Ctx, regs), Created: parent.Regs.RIP,
			Self: s.controlBlock(regs.FSBase), Stack: regs.RSP, Entry: regs.RIP, OwnStack: roomAt != 0},
		born: s.moment(tr, len(tr.Accesses)),
	}
	if s.observer != nil {
		s.observer.Created(t, child)
	}
	s.lib.Born(child, t, roomAt)
	s.Kinship.bear(c)
	s.Stacks.digUp(regs.RSP)
	s.Stacks.spans(c.thread)
	tr.Did(trace.Op{Kind: trace.OpCreate, Obj: uint64(child), PC: parent.Regs.RIP})
	tr.Wakes = append(tr.Wakes, child)
	if !c.Starting && (s.Coarse() || s.cfg.Fill != nil) || s.atStart {
		return nil
	}
	own := &trace.Transition{Thread: child}
	caller, limit := s.current, s.limit
	s.current, s.limit = child, cmp.Or(s.starts[s.Name(child)], min(longestBeginning, s.cfg.StepBudget/2))
	err := s.Advance(c.ID, own, 0)
	s.current, s.limit = caller, limit
	s.record.Met.Ran = s.record.Met.Ran || c.Insns > 0 && !c.Starting
	if len(own.Accesses) > 0 || len(own.Ops) > 0 {
		// A beginning with an operation that no point precedes (a create, a
		// lock that isn't a point): it counts as the creator's.
		tr.Append(own)
	}
	return err
}

// controlBlock is where a thread has its control block, by its thread pointer, or 0. One that a program makes
// itself may have another's pointer (clone without CLONE_SETTLS), and so no block of its own.
func (s *present) controlBlock(pointer uint64) uint64 {
	for t := range s.WithSelf(pointer) {
		if s.threads[t].Live() {
			return 0
		}
	}
	return pointer
}
