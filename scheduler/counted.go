package scheduler

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Counted spins: a thread looks at the same bytes again and again, as long as it finds a
// value that it doesn't wait for. It counts its turns, to sleep in the kernel after
// sixteen, or to wait for longer after each. Its state never recurs, so that no turn is a
// poll (await.go); run one by one, the turns multiply with each write of these bytes.
//
// In an optimal search all turns of such a spin are one step, with the value that is there
// when it is taken. That misses nothing under two conditions. A thread's turns leave no more
// behind than the count. And the state after the spin doesn't tell how often the thread has
// looked. For take an execution in which writes come between the turns. The thread polled, in
// order, u1 ... un, and then left with v. Leave out its turns but the last: what polls has no
// effect, so all others do the same. Have it take the step there: it polls v as long as v has
// it poll, and leaves with v, in the same state. So each execution with all turns has the result
// of one in which each spin is a single step; and that is an execution.
//
// Whether it is so is tried each time that a thread stands before a spin, or that its bytes
// were written (survey). All values are tried that were there in this execution. In each
// state of the count that these lead to, all that let the thread stay have to lead to the
// same next one. And the present one has to lead out of the spin to the same state from
// wherever it does. "The same" is all memory and the CPU, but registers that are dead by
// the code alone. Of its own memory a turn may change bytes that the thread overwrites
// afterwards, before it reads them: a count on the stack (leftover.go). A register may have a count
// that is only saved by functions (leftreg.go). Which values matter
// isn't a matter of the order of
// independent steps: all writes of these bytes depend on each other, for nothing blends
// then. Where it isn't so, that is learned, and all begins again with the turns one by one.
//
// A count that ends nowhere (a back-off that stays at its most) reaches a state that recurs.
// Then there is no way out with this value, and the thread awaits another one.
//
// A loop that yields or sleeps with each look and counts nothing is one of these, too: its state recurs at
// once. A sleep moves the clock, which is nothing to threads that don't look at it.
//
// Judged by TestCounted in por, on programs with all turns and with steps of all turns.

// mostTurns bounds the turns of a counted spin: each stand before one tries them all, with
// each value. Longer ones are run turn by turn.
const mostTurns = 1 << 7

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
	spins    *spins
	kinship  *Kinship
	buffers  *buffers
	stacks   *Stacks
	awaiting func() bool // polls aren't possible
	surveyed map[surveyKey]look
	tried    map[pollKey]bool // of awaits: a survey may spare some of that
	deadTo   map[onward]dead  // where these lead out
	deeply   map[uint64]bool  // looks whose turns are compared but for what is dead in all code that follows
	deep     bool             // so are those under way
	fixed    []elffile.Range  // elffile.Constants, once it was asked for
	told     bool             // bytes were read of which unread is the look
}

// afterTurn is the result of a turn.
type afterTurn uint8

const (
	leaves afterTurn = iota // the spin, or the turn did something
	stays                   // before its bytes again
	fails                   // it can't be run
)

// turnOnce runs a thread that stands before a look for one step. It stays in the spin if it
// did no more, and is about to look again by an instruction that is in the spin.
func (c *counts) turnOnce(th edit, in func(pc uint64) bool) (afterTurn, *trace.Transition) {
	at, effects, mem, logged, blocks := th.Access, th.Effects, c.in.machine.Journal(), c.in.machine.Logged(), c.in.heap.Mark()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := c.in.arena.transition(th.ID, 0)
	tr.Begin = th.Insns
	if err := c.spins.runs.step(th, tr, 0); err != nil {
		return fails, tr
	}
	c.in.arena.seal(tr)
	if th.Stand == StandAccess && sameBytes(&th.Access, &at) && th.Half == 0 && th.Set == 0 && in(th.Access.PC) &&
		th.Effects == effects && c.in.onlySlept(logged) && tr.End == trace.EndPoint && c.spins.calm(tr) &&
		onlyRests(tr.Ops) && len(tr.Accesses) == 1 && sameBytes(&tr.Accesses[0], &at) &&
		c.in.heap.Mark() == blocks && c.ownChanges(th.thread, mem) {
		return stays, tr
	}
	return leaves, tr
}

// onlyRests: a turn may yield, which depends on nothing, and sleep. A sleep moves the clock. Where a thread
// looks at that, the turn has an access to it and isn't one of a counted spin.
func onlyRests(ops []trace.Op) bool {
	return !slices.ContainsFunc(ops, func(o trace.Op) bool { return o.Kind != trace.OpYield && o.Kind != trace.OpSleep })
}

// look is the result of a survey of a counted spin.
type look struct {
	turns  uint32       // with which the present value leads out; 0: it leads nowhere
	counts bool         // the turns can be one step
	left   []emu.Range  // in the thread's memory, by which the turns could be told
	regs   trace.RegSet // the same (leftreg.go)
	ends   bool         // each value that was tried leads out at last
}

// settle finds out of how many turns the next step of a thread is that stands before a
// counted spin. It reports whether the thread awaits another value.
func (c *counts) settle(th edit) (waits bool) {
	l := c.survey(th.thread)
	if !l.counts {
		c.learning.known.Uncounted[th.Access.PC] = true
		c.learning.finer = true
	}
	th.turns, th.leaving, th.leavingRegs = max(l.turns, 1), leftovers(l.left, th.Access.PC), l.regs
	return l.counts && l.turns == 0
}

// recursWith reports whether a thread comes back to a state of its count with what is there.
// It is run, in a probe.
func (c *counts) recursWith(th edit) bool {
	c.deep = c.deeply[th.Access.PC]
	defer func() { c.deep = false }()
	var seen poises
	here, at, mem := c.poiseOf(th.thread, false), th.Access, c.in.machine.Journal()
	v := c.valueAt(&at)
	for n := uint32(1); n <= mostTurns && seen.turn(&here) == 0; n++ {
		seen = append(seen, here)
		if triesGrown(n) {
			if o, next := c.tryWith(th, &at, v, mem, false, false); o == stays {
				if _, _, ok := c.grows(th, &here, next, v, []uint64{v}); ok {
					return true
				}
			}
		}
		if o, _ := c.turnOnce(th, c.counting); o != stays {
			return false
		}
		here = c.poiseOf(th.thread, false)
		here.memory, _ = c.differences(mem, &at)
	}
	return seen.turn(&here) != 0
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
func (c *counts) survey(th *thread) (l look) {
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
		if l.counts || c.deep {
			break
		}
	}
	if l.counts && c.deep {
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
	if l.counts && l.ends {
		for _, v := range values { // recursWith would find out the same
			c.tried[pollKey{thread: key.thread, number: key.number, effects: key.effects, value: v}] = false
		}
	}
	return l
}

// surveyFrom does so. values are the bytes' in the present execution, the present one first.
func (c *counts) surveyFrom(th edit, values []uint64) look {
	at, mem, now := th.Access, c.in.machine.Journal(), values[0]
	var left *poise
	here := c.poiseOf(th.thread, false)
	seen := poises{here}
	turns, latest := uint32(0), uint32(0) // the first and the last turn in which the present value led out
	apart, residue := apart{}, apart{}    // of states in which it leaves, and in which it stays
	var regs trace.RegSet                 // of states in which it leaves
	for n := uint32(1); n <= mostTurns; n++ {
		var next *poise
		var with uint64
		for _, v := range values {
			o, p := c.tryWith(th, &at, v, mem, v == now, left != nil)
			switch {
			case o == fails || o == leaves && v == now && p == nil:
				return look{}
			case o == stays && next == nil:
				next, with = p, v
			case o == stays && !c.sameLeft(next, p, residue, th.thread):
				return look{}
			case o == leaves && v == now:
				if left != nil {
					if !c.sameLeft(left, p, apart, th.thread) {
						return look{}
					}
					regs |= left.otherPushed(p)
				}
				if latest = n; turns == 0 {
					left, turns = p, n
				}
			}
		}
		if next != nil {
			next.memory = residue.without(next.memory)
			maps.Copy(apart, residue)
		}
		if next == nil || seen.turn(next) != 0 {
			// Where the count ends nowhere, the present value has to lead out of there too, or from nowhere.
			return look{turns: turns, counts: next == nil || turns == 0 || latest >= seen.turn(next), left: apart.ranges(), regs: regs, ends: next == nil}
		}
		if triesGrown(n) {
			if words, kept, ok := c.grows(th, &here, next, with, values); ok {
				apart.add(words)
				return look{turns: turns, counts: turns == 0 || latest == n, left: apart.ranges(), regs: regs | kept}
			}
		}
		seen = append(seen, *next)
		c.putValue(&at, with)
		c.turnOnce(th, c.counting)
		c.leaves(th, leftovers(residue.ranges(), at.PC)) // the next turns may not read what was found
		here = *next
	}
	return look{}
}

// tryWith runs a turn of a thread as if its bytes held v, and takes it back. p is how the thread
// stands then. If the thread left, p is nil without present. With compares it is nil, too, if the thread
// left and changed a part of the kernel's state that can't be compared.
func (c *counts) tryWith(th edit, at *trace.Access, v, mem uint64, present, compares bool) (o afterTurn, p *poise) {
	k := c.in.aside()
	c.in.Save(th.ID)
	c.putValue(at, v)
	logged := c.in.machine.Logged()
	o, tr := c.turnOnce(th, c.counting)
	if o == stays || o == leaves && present {
		now := c.poiseOf(th.thread, o == leaves)
		if p = &now; o == stays {
			now.memory, _ = c.differences(mem, at)
		} else {
			now.did = doings(tr)
			c.bornIn(tr, &now)
			now.memory, _ = c.differences(mem, &trace.Access{})
			var err error
			if now.words, err = c.in.machine.WordsSince(logged); err != nil && compares {
				p = nil
			}
		}
	}
	c.in.takeBack(k)
	return o, p
}

// stepTurns is a step, of all the turns of a counted spin if the thread stands before one.
// Of its looks, which all found the same, the last is on record.
func (s *System) stepTurns(th edit, tr *trace.Transition, c trace.Choice) (err error) {
	at, leaving, regs := th.Access, th.leaving, th.leavingRegs
	for left := max(th.turns, 1); ; left-- {
		s.turning = left > 1
		if err = s.step(th, tr, c); !s.turning {
			s.counts.leaves(th, leaving)
			s.counts.keeps(th, regs, at.PC)
			return err
		}
		s.turning = false
		if err != nil || th.Stand != StandAccess || !sameBytes(&th.Access, &at) || s.limit != 0 && th.Insns >= s.limit {
			if err == nil {
				err = s.standAt(th, tr)
			}
			return err // it was stopped on the way
		}
		tr.Accesses, tr.Fences, tr.Ops = tr.Accesses[:0], tr.Fences[:0], tr.Ops[:0]
	}
}

// doings has the effects of a step that other threads can observe. The instruction by which it looked
// is nothing to them: compilers copy a loop's first look.
func doings(tr *trace.Transition) string {
	text := fmt.Append(nil, tr.End, tr.Wakes, tr.Loose, tr.Disables)
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		text = fmt.Append(text, a.Addr, a.Size, a.Flags, a.Ahead)
	}
	for _, op := range tr.Ops {
		text = fmt.Append(text, op)
	}
	return string(text)
}

// bornIn adds to how a thread stands the threads that a step of it has created. A call of the kernel
// gives them its registers, and so the count.
func (c *counts) bornIn(tr *trace.Transition, p *poise) {
	for i := range tr.Ops {
		if tr.Ops[i].Kind == trace.OpCreate {
			p.rest.Add(c.in.threadDigest(&c.in.threads[tr.Ops[i].Obj]))
		}
	}
}

func sameBytes(a, b *trace.Access) bool { return a.Addr == b.Addr && a.Size == b.Size }

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
	for i := c.in.latest[a.Addr&^7]; i != 0; i = c.in.wrote[i-1].older {
		if w := &c.in.wrote[i-1]; w.addr == a.Addr && w.size == a.Size && !slices.Contains(values, w.old) {
			values = append(values, w.old)
		}
	}
	return values
}

// differences are the bytes that differ from what was there at a moment of the journal, and
// what they are; but for those of an access. work is how much was looked at.
func (c *counts) differences(since uint64, but *trace.Access) (list string, work uint64) {
	was := c.in.machine.Firsts(since)
	var text []byte
	for _, f := range was {
		if b := c.in.machine.Read8(f.Addr); b != f.Old && (f.Addr < but.Addr || f.Addr >= but.Addr+uint64(but.Size)) {
			text = append(binary.LittleEndian.AppendUint64(text, f.Addr), b)
		}
	}
	return string(text), c.in.machine.Journal() - since + uint64(len(was))
}
