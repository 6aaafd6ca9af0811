package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Which instructions are the looks of a counted spin (counted.go). It is learned where a thread comes to
// look again, by running it on for some turns. Nothing rests on that: a survey decides, each time.

// learn notes that a thread is in a loop that counts: it is about to look again at the bytes at
// which it has just looked. It comes back to an instruction of those that look.
func (c *countedSpins) learn(th *thread) {
	a := th.Access
	if !c.awaiting() || c.kinship.turnByTurn() || !canAwait(&a) || c.learning.known.Counted[a.PC] || c.learning.known.Uncounted[a.PC] || c.learning.known.Piecemeal[a.PC] {
		return
	}
	for _, pc := range c.looks(th) {
		c.learning.finer = c.learning.finer || !c.learning.known.Counted[pc]
		c.learning.known.Counted[pc] = true
	}
}

// looks are the instructions by which a thread looks again and again that stands before one of them.
func (c *countedSpins) looks(th *thread) (pcs []uint64) {
	c.trials.probe(th, func(th edit) {
		pcs = spins.LookPlaces(th.Access, func() (trace.Access, bool) {
			o, _ := c.turnOnce(th, func(uint64) bool { return true })
			return th.Access, o == spins.Stays
		})
	})
	return pcs
}

// rests reports whether a thread that stands before a look, in a schedule's end state, would look in
// vain for ever, with what is there. It may know less than the search did. In a schedule that is followed
// sleeps are steps of their own (nap.go), in which a turn would end.
func (c *countedSpins) rests(th *thread) (rests bool) {
	starts := c.in.starts
	c.in.starts = nil
	defer func() { c.in.starts = starts }()
	known := c.learning.known.Counted
	for _, pc := range c.looks(th) {
		if !known[pc] {
			known[pc] = true
			defer delete(known, pc)
		}
		rests = true
	}
	if rests = rests && c.counting(th.Access.PC); rests {
		c.trials.probe(th, func(th edit) { rests = c.recursWith(th) })
	}
	return rests
}
