package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// A turn of a counted spin.

// turnOnce runs a thread that stands before a look for one step. It stays in the spin if it
// did no more, and is about to look again by an instruction that is in the spin.
func (c *countedSpins) turnOnce(th edit, in func(pc uint64) bool) (spins.AfterTurn, *trace.Transition) {
	at, effects, mem, logged, blocks := th.Access, th.Effects, c.in.machine.Journal(), c.in.machine.Logged(), c.in.heap.Mark()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := c.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns
	if err := c.trials.step(th, tr, 0); err != nil {
		return spins.Fails, tr
	}
	c.in.arena.Seal(tr)
	if th.Stand == StandAccess && th.Access.SameBytes(&at) && th.Half == 0 && th.Set == 0 && in(th.Access.PC) &&
		th.Effects == effects && c.in.onlySlept(logged) && tr.End == trace.EndPoint && c.stillness.calm(tr) &&
		spins.OnlyRests(tr.Ops) && len(tr.Accesses) == 1 && tr.Accesses[0].SameBytes(&at) &&
		c.in.heap.Mark() == blocks && c.leftovers.ownChanges(th.thread, mem) {
		return spins.Stays, tr
	}
	return spins.Leaves, tr
}

// tryWith is spins.Loop.Try, of a thread whose bytes are those of an access. What is compared began at a moment of
// the journal.
func (c *countedSpins) tryWith(th edit, at *trace.Access, v, mem uint64, present, compares bool) (o spins.AfterTurn, p *spins.Poise) {
	k := c.in.aside()
	c.in.Save(th.ID)
	c.trials.putValue(at, v)
	logged := c.in.machine.Logged()
	o, tr := c.turnOnce(th, c.counting)
	if o == spins.Stays || o == spins.Leaves && present {
		now := c.poises.of(th.thread, o == spins.Leaves)
		if p = &now; o == spins.Stays {
			now.Memory, _ = c.poises.differences(mem, at)
		} else {
			now.Did = spins.Doings(tr)
			c.poises.bornIn(tr, &now)
			now.Memory, _ = c.poises.differences(mem, &trace.Access{})
			var err error
			if now.Words, err = c.in.machine.WordsSince(logged); err != nil && compares {
				p = nil
			}
		}
	}
	c.in.takeBack(k)
	return o, p
}
