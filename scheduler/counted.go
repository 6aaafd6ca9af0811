package scheduler

import (
	"encoding/binary"
	"slices"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// A counted spin is one step of all its turns, where spins/counted.go says that it can be. Here its turns
// are run: to survey a spin, and to take the step.

// counting reports whether an instruction is known to look in a counted spin. While threads
// count as alike, none does: the two were judged apart only.
func (c *counts) counting(pc uint64) bool {
	return c.learning.known.Counted[pc] && !c.kinship.turnByTurn() && !c.learning.known.Uncounted[pc] && !c.learning.known.Piecemeal[pc]
}

// is reports whether a thread stands before a counted spin.
func (c *counts) is(th *thread) bool {
	return th.Exists && (th.Stand == StandAccess || th.Stand == StandSpin && th.awaits && th.spinStand == StandAccess) && th.Half == 0 && th.Set == 0 &&
		c.counting(th.Access.PC) && canAwait(&th.Access) && !c.learning.known.Signalled.Has(uint64(th.ID)) // a handler may look at where it stands
}

// counts are the accesses at which threads wait that count the turns of their loops.
type counts struct {
	in       *present
	learning *learning
	attempt  *attempt
	spins    *finder
	kinship  *Kinship
	buffers  *buffers
	stacks   *Stacks
	awaiting func() bool // polls aren't possible
	surveyed map[surveyKey]spins.Look
	choices  map[surveyKey]choice  // of additions (sides.go)
	tried    map[pollKey]afterLook // of awaits: a survey may spare some of that
	deadTo   map[onward]dead       // where these lead out
	deeply   map[uint64]bool       // looks whose turns are compared but for what is dead in all code that follows
	deep     bool                  // so are those under way
	fixed    []elffile.Range       // elffile.Constants, once it was asked for
	told     bool                  // bytes with the look unread were read
}

// turnOnce runs a thread that stands before a look for one step. It stays in the spin if it
// did no more, and is about to look again by an instruction that is in the spin.
func (c *counts) turnOnce(th edit, in func(pc uint64) bool) (spins.AfterTurn, *trace.Transition) {
	at, effects, mem, logged, blocks := th.Access, th.Effects, c.in.machine.Journal(), c.in.machine.Logged(), c.in.heap.Mark()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := c.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns
	if err := c.spins.runs.step(th, tr, 0); err != nil {
		return spins.Fails, tr
	}
	c.in.arena.Seal(tr)
	if th.Stand == StandAccess && th.Access.SameBytes(&at) && th.Half == 0 && th.Set == 0 && in(th.Access.PC) &&
		th.Effects == effects && c.in.onlySlept(logged) && tr.End == trace.EndPoint && c.spins.calm(tr) &&
		spins.OnlyRests(tr.Ops) && len(tr.Accesses) == 1 && tr.Accesses[0].SameBytes(&at) &&
		c.in.heap.Mark() == blocks && c.ownChanges(th.thread, mem) {
		return spins.Stays, tr
	}
	return spins.Leaves, tr
}

// settle finds out of how many turns the next step of a thread is that stands before a
// counted spin. It reports whether the thread awaits another value.
func (c *counts) settle(th edit) (waits bool) {
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
func (c *counts) recursWith(th edit) bool {
	c.deep = c.deeply[th.Access.PC]
	defer func() { c.deep = false }()
	var seen spins.Poises
	here, at, mem := c.poiseOf(th.thread, false), th.Access, c.in.machine.Journal()
	v := c.valueAt(&at)
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
		here = c.poiseOf(th.thread, false)
		here.Memory, _ = c.differences(mem, &at)
	}
	return seen.Turn(&here) != 0
}

// surveyKey is a thread in a state of its own, with what its bytes hold and have held.
type surveyKey struct {
	thread          trace.TID
	number, effects uint64
	values          trace.Digest
}

// onward is a place in the code, and where the functions there return to.
type onward struct {
	pc      uint64
	returns trace.Digest
	native  bool // landgo leaves locks to the guest's own code
}

// deadOnward is static.DeadOnward for a thread with registers r, remembered. Its stack says where
// its functions return to, by the call-frame information.
func (c *counts) deadOnward(th *thread, r emu.Regs) dead {
	returns := c.in.image.Unwind(&r, c.in.ReadStack)
	if len(returns) > mostReturns {
		returns = returns[:mostReturns]
	}
	ends, outermost := c.in.lib.EndsAt(th.ID), r.RIP
	if n := len(returns); n > 0 {
		outermost = returns[n-1]
	}
	if f, ok := c.in.image.SymbolAt(outermost); ok && ends != 0 && f.Addr == th.Entry {
		returns = append(returns, ends)
	}
	h := trace.NewHash()
	h.Words(returns...)
	key := onward{r.RIP, h.Sum(), c.learning.known.Native}
	d, ok := c.deadTo[key]
	if !ok {
		d.regs, d.saved, d.flags = static.DeadOnward(c.functions(ends), r.RIP, returns)
		c.deadTo[key] = d
	}
	return d
}

// functions are the program's, for static.DeadOnward.
func (c *counts) functions(ends uint64) *static.Onward {
	return &static.Onward{File: c.in.image.File, Ends: ends, Slot: c.slot, Stops: c.in.machine.Breaks, Carried: c.in.lib.CarriesOut, Arguments: c.in.lib.Arguments}
}

// slot is what a word of memory holds that isn't written any more.
func (c *counts) slot(addr uint64) (uint64, bool) {
	if c.fixed == nil {
		c.fixed = c.in.image.Constants()
	}
	fixed := slices.ContainsFunc(c.fixed, func(r elffile.Range) bool { return addr >= r.Lo && addr+8 <= r.Hi })
	return c.number(addr, 8), fixed
}

// mostReturns is how many functions of a stack deadOnward looks at.
const mostReturns = 8

// survey tries what a thread before a counted spin does with the value that is there, and with
// those that were there before.
func (c *counts) survey(th *thread) (l spins.Look) {
	values := []uint64{c.in.valueFor(th, &th.Access)}
	if !th.buffer.Answered(th.Access.Addr, uint64(th.Access.Size)) {
		values = c.valuesAt(&th.Access, values[0])
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
	for c.deep = c.deeply[pc]; ; c.deep = true {
		c.spins.trials.probe(th, func(th edit) {
			c.buffers.enter(th)
			th.Stand = StandAccess
			l = c.surveyFrom(th, values)
		})
		if l.Counts || c.deep {
			break
		}
	}
	if l.Counts && c.deep {
		c.deeply[pc] = true
	}
	c.deep, c.attempt.current = false, current
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
func (c *counts) surveyFrom(th edit, values []uint64) spins.Look {
	l := loop{counts: c, th: th, at: th.Access, mem: c.in.machine.Journal(), regs: c.in.machine.Regs(th.Ctx)}
	return spins.Survey(&l, c.poiseOf(th.thread, false), values)
}

// loop is a counted spin under survey, of a thread before its look.
type loop struct {
	*counts
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
	l.putValue(&l.at, v)
	l.turnOnce(l.th, l.counting)
	l.leaves(l.th, spins.LeftBy(l.at.PC, left))
	l.regs = l.in.machine.Regs(l.th.Ctx)
}

// Owns implements spins.Loop.
func (l *loop) Owns(at uint64) bool { return l.ownsThere(l.th.thread, &l.regs, at) }

// Grows implements spins.Loop.
func (l *loop) Grows(here, next *spins.Poise, with uint64, values []uint64) ([]x86.GrownWord, trace.RegSet, bool) {
	return l.grows(l.th, here, next, with, values)
}

// tryWith is a try of that, of a thread whose bytes are those of an access. What is compared began at a moment of the
// journal.
func (c *counts) tryWith(th edit, at *trace.Access, v, mem uint64, present, compares bool) (o spins.AfterTurn, p *spins.Poise) {
	k := c.in.aside()
	c.in.Save(th.ID)
	c.putValue(at, v)
	logged := c.in.machine.Logged()
	o, tr := c.turnOnce(th, c.counting)
	if o == spins.Stays || o == spins.Leaves && present {
		now := c.poiseOf(th.thread, o == spins.Leaves)
		if p = &now; o == spins.Stays {
			now.Memory, _ = c.differences(mem, at)
		} else {
			now.Did = spins.Doings(tr)
			c.bornIn(tr, &now)
			now.Memory, _ = c.differences(mem, &trace.Access{})
			var err error
			if now.Words, err = c.in.machine.WordsSince(logged); err != nil && compares {
				p = nil
			}
		}
	}
	c.in.takeBack(k)
	return o, p
}

// stepTurns is a step: that of all turns of a counted spin if the thread stands before one. All
// its looks found the same, and the last one is on record.
func (s *System) stepTurns(th edit, tr *trace.Transition, c trace.Choice) (err error) {
	if th.hint != nil && s.hints.joins {
		return s.hintedStep(th, tr, c)
	}
	at, leaving, regs := th.Access, th.leaving, th.leavingRegs
	for left := max(th.turns, 1); ; left-- {
		s.turning = left > 1
		if err = s.step(th, tr, c); !s.turning {
			s.counts.leaves(th, leaving)
			s.counts.keeps(th, regs, at.PC)
			return err
		}
		s.turning = false
		if err != nil || th.Stand != StandAccess || !th.Access.SameBytes(&at) || s.limit != 0 && th.Insns >= s.limit {
			if err == nil {
				err = s.standAt(th, tr)
			}
			return err // it was stopped on the way
		}
		tr.Accesses, tr.Fences, tr.Ops = tr.Accesses[:0], tr.Fences[:0], tr.Ops[:0]
	}
}

// bornIn adds to how a thread stands the threads that a step of it has created. A call of the kernel
// gives them its registers, and so the count.
func (c *counts) bornIn(tr *trace.Transition, p *spins.Poise) {
	for i := range tr.Ops {
		if tr.Ops[i].Kind == trace.OpCreate {
			p.Rest.Add(c.in.threadDigest(&c.in.threads[tr.Ops[i].Obj]))
		}
	}
}

// valueAt is the value that an access would find.
func (c *counts) valueAt(a *trace.Access) uint64 {
	var b [8]byte
	copy(b[:], c.in.machine.Bytes(a.Addr, uint64(a.Size)))
	return binary.LittleEndian.Uint64(b[:])
}

// putValue has it find v.
func (c *counts) putValue(a *trace.Access, v uint64) {
	if v != c.valueAt(a) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		c.in.machine.Write(a.Addr, b[:a.Size])
	}
}

// valuesAt are the values that the bytes of an access have had in the present execution, now
// first.
func (c *counts) valuesAt(a *trace.Access, now uint64) []uint64 {
	values := []uint64{now}
	for _, v := range c.in.writes.Before(a) {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// differences are the bytes that differ from what was there at a moment of the journal, and
// what they are; but for those of an access. work is how much was afterLook at.
func (c *counts) differences(since uint64, but *trace.Access) (list spins.Memory, work uint64) {
	was := c.in.machine.Firsts(since)
	var text []byte
	for _, f := range was {
		if b := c.in.machine.Read8(f.Addr); b != f.Old && (f.Addr < but.Addr || f.Addr >= but.Addr+uint64(but.Size)) {
			text = spins.With(text, f.Addr, b)
		}
	}
	return spins.Memory(text), c.in.machine.Journal() - since + uint64(len(was))
}
