package scheduler

import (
	"landgo/emu"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// A counted spin is one step of all its turns, where spins/counted.go says that it can be. Here a
// loop is surveyed; countedstep.go takes the step.

// countedSpins are the loops in which threads wait and count their turns.
type countedSpins struct {
	in        *present
	learning  *learning
	attempt   *attempt
	trials    *trials
	stillness *stillness
	dead      *deadCode
	poises    *poises
	leftovers *leftovers
	kinship   *Kinship
	buffers   *buffers
	awaiting  func() bool // polls aren't possible
	surveyed  map[surveyKey]spins.Look
	tried     map[pollKey]afterLook // of awaits: a survey may spare some of that
	deeply    map[uint64]bool       // looks whose turns are compared but for what is dead in all code that follows
}

// is reports whether a thread stands before a counted spin.
func (c *countedSpins) is(th *thread) bool {
	return th.Exists && (th.Stand == StandAccess || th.Stand == StandSpin && th.awaits && th.spinStand == StandAccess) && th.Half == 0 && th.Set == 0 &&
		c.counting(th.Access.PC) && canAwait(&th.Access) && !c.learning.known.Signalled.Has(uint64(th.ID)) // a handler may look at where it stands
}

// counting reports whether an instruction is known to look in a counted spin. While threads
// count as alike, none does: the two were judged apart only.
func (c *countedSpins) counting(pc uint64) bool {
	return c.learning.known.Counted[pc] && !c.kinship.turnByTurn() && !c.learning.known.Uncounted[pc] && !c.learning.known.Piecemeal[pc]
}

// settle finds out of how many turns the next step of a thread is that stands before a
// counted spin. It reports whether the thread awaits another value.
func (c *countedSpins) settle(th edit) (waits bool) {
	l := c.survey(th.thread)
	if !l.Counts {
		c.learning.known.Uncounted[th.Access.PC] = true
		c.learning.finer = true
	}
	th.turns, th.leaving, th.leavingRegs = max(l.Turns, 1), spins.LeftBy(th.Access.PC, l.Left), l.Regs
	return l.Counts && l.Turns == 0
}

// recursWith reports whether a thread comes back to a state of its count with what is there.
// It is run, in a probe.
func (c *countedSpins) recursWith(th edit) bool {
	c.poises.deep = c.deeply[th.Access.PC]
	defer func() { c.poises.deep = false }()
	var seen spins.Poises
	here, at, mem := c.poises.of(th.thread, false), th.Access, c.in.machine.Journal()
	v := c.in.valueAt(&at)
	for n := uint32(1); n <= spins.MostTurns && seen.Turn(&here) == 0; n++ {
		seen = append(seen, here)
		if spins.TriesGrown(n) {
			if o, next := c.tryWith(th, &at, v, mem, false, false); o == spins.Stays {
				if _, _, ok := c.grows(th, &here, next, v, []uint64{v}); ok {
					return true
				}
			}
		}
		if o, _ := c.turnOnce(th, c.counting); o != spins.Stays {
			return false
		}
		here = c.poises.of(th.thread, false)
		here.Memory, _ = c.poises.differences(mem, &at)
	}
	return seen.Turn(&here) != 0
}

// survey tries what a thread before a counted spin does with the value that is there, and with
// those that were there before.
func (c *countedSpins) survey(th *thread) (l spins.Look) {
	values := []uint64{c.in.valueFor(th, &th.Access)}
	if !th.buffer.Answered(th.Access.Addr, uint64(th.Access.Size)) {
		values = c.in.valuesAt(&th.Access, values[0])
	}
	key := surveyKey{thread: th.ID, effects: th.Effects}
	h := trace.NewHash()
	h.Words(values...)
	key.number, key.values = c.in.since(th), h.Sum()
	if known, ok := c.surveyed[key]; ok {
		return known
	}
	current := c.attempt.current
	pc := th.Access.PC
	for c.poises.deep = c.deeply[pc]; ; c.poises.deep = true {
		c.trials.probe(th, func(th edit) {
			c.buffers.enter(th)
			th.Stand = StandAccess
			l = c.surveyFrom(th, values)
		})
		if l.Counts || c.poises.deep {
			break
		}
	}
	if l.Counts && c.poises.deep {
		c.deeply[pc] = true
	}
	c.poises.deep, c.attempt.current = false, current
	if len(c.surveyed) >= mostPolls {
		clear(c.surveyed)
	}
	if key.number == 0 {
		return l
	}
	c.surveyed[key] = l
	if l.Counts && l.Ends {
		for _, v := range values { // recursWith would find out the same
			c.tried[pollKey{thread: key.thread, number: key.number, effects: key.effects, value: v}] = leads
		}
	}
	return l
}

// surveyFrom does so. values are the bytes' in the present execution, the present one first.
func (c *countedSpins) surveyFrom(th edit, values []uint64) spins.Look {
	l := loop{countedSpins: c, th: th, at: th.Access, mem: c.in.machine.Journal(), regs: c.in.machine.Regs(th.Ctx)}
	return spins.Survey(&l, c.poises.of(th.thread, false), values)
}

// loop is a counted spin under survey, of a thread before its look.
type loop struct {
	*countedSpins
	th   edit
	at   trace.Access
	mem  uint64   // the machine's journal where it began
	regs emu.Regs // the thread's now
}

// Try implements spins.Loop.
func (l *loop) Try(v uint64, present, compares bool) (o spins.AfterTurn, p *spins.Poise) {
	return l.tryWith(l.th, &l.at, v, l.mem, present, compares)
}

// Go implements spins.Loop.
func (l *loop) Go(v uint64, left []trace.Range) {
	l.trials.putValue(&l.at, v)
	l.turnOnce(l.th, l.counting)
	l.leftovers.leavesBytes(l.th, spins.LeftBy(l.at.PC, left))
	l.regs = l.in.machine.Regs(l.th.Ctx)
}

// Owns implements spins.Loop.
func (l *loop) Owns(at uint64) bool { return l.leftovers.ownsThere(l.th.thread, &l.regs, at) }

// Grows implements spins.Loop.
func (l *loop) Grows(here, next *spins.Poise, with uint64, values []uint64) ([]x86.GrownWord, trace.RegSet, bool) {
	return l.grows(l.th, here, next, with, values)
}
