package scheduler

import (
	"cmp"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/trace"
)

// spawn makes a new thread, which the kernel described. Under PointMem it runs
// the thread's private beginning, up to its first operation. At coarser
// granularity what follows the runtime's thread start may touch shared memory:
// the thread stands at its start routine, for its creator may go on first.
// roomAt is the end of its stack if landgo made that (carried.go), or 0.
func (s *System) spawn(parent *thread, child trace.TID, regs *emu.Regs, tr *trace.Transition, roomAt uint64) error {
	s.ensure(child)
	s.save(child)
	c := &s.threads[child]
	*c = thread{
		Thread: Thread{ID: child, Exists: true, Parent: parent.ID, Ctx: s.machine.Start(regs), Created: parent.Regs.RIP},
		life: life{self: regs.FSBase, stack: regs.RSP, starting: parent.quiet.on && parent.quiet.role == image.Create, entry: regs.RIP,
			born: s.moment(tr, len(tr.Accesses))},
	}
	if c.starting {
		c.entry, c.Created = parent.entryOfChild, parent.quiet.ret
		c.ownStack, c.detached = parent.childStack, parent.childDetached
	}
	if c.roomAt = roomAt; roomAt != 0 {
		c.ownStack, c.exitSP = true, regs.RSP
	}
	s.digUp(regs.RSP)
	tr.Did(trace.Op{Kind: trace.OpCreate, Obj: uint64(child), PC: parent.Regs.RIP})
	tr.Wakes = append(tr.Wakes, child)
	if !c.starting && s.coarse() {
		return nil
	}
	own := &trace.Transition{Thread: child}
	caller, limit := s.current, s.limit
	s.current, s.limit = child, cmp.Or(s.starts[s.Name(child)], min(longestBeginning, s.cfg.StepBudget/2))
	err := s.advance(c, own, 0)
	s.current, s.limit = caller, limit
	s.met.Ran = s.met.Ran || c.Insns > 0 && !c.starting
	if len(own.Accesses) > 0 || len(own.Ops) > 0 {
		// A beginning with an operation that no point precedes (a create, a
		// lock that isn't a point): it counts as the creator's.
		tr.Append(own)
	}
	return err
}

// touch records an access that landgo makes for a thread to the guest's
// memory, if it is shared. pc is the instruction that it is for.
func (s *System) touch(th *thread, tr *trace.Transition, pc, addr uint64, size uint32, flags trace.AccessFlags) {
	if s.alone(th) {
		return
	}
	shared, learned := s.machine.Touch(th.ID, addr, uint64(size))
	if learned {
		s.finer = true
	}
	if shared {
		a := trace.Access{Addr: addr, Size: size, PC: pc, Flags: flags}
		tr.Accesses = append(tr.Accesses, a)
		if s.everyOperation() && s.coarse() {
			s.sightings.sight(th.ID, &a, nil, true) // its step begins with it
		}
	}
}
