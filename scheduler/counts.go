package scheduler

import (
	"encoding/binary"
	"slices"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

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

// number reads a word of memory; 0 outside of memory.
func (c *counts) number(addr, size uint64) uint64 {
	var b [8]byte
	copy(b[:], c.in.machine.Bytes(addr, min(size, 8)))
	return binary.LittleEndian.Uint64(b[:])
}

// differences are the bytes that differ from what was there at a moment of the journal, and
// what they are; but for those of an access. work is how much was looked at.
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

// bornIn adds to how a thread stands the threads that a step of it has created. A call of the kernel
// gives them its registers, and so the count.
func (c *counts) bornIn(tr *trace.Transition, p *spins.Poise) {
	for i := range tr.Ops {
		if tr.Ops[i].Kind == trace.OpCreate {
			p.Rest.Add(c.in.threadDigest(&c.in.threads[tr.Ops[i].Obj]))
		}
	}
}

// lookOf is the name of an addition that was tried with so many reads behind it, for what it leaves.
func lookOf(pc uint64, reads int) uint64 { return pc | uint64(reads)<<60 }

// tells is called where an execution tells how often a thread has looked.
func (c *counts) tells(look uint64) {
	if look == unread {
		c.told = true
		return
	}
	c.learning.known.Uncounted[look] = true
	c.learning.finer = true
}

// ownChanges reports whether a thread has changed only memory since a moment that no other thread has
// touched. A condition may read any.
func (c *counts) ownChanges(th *thread, since uint64) bool {
	return c.in.machine.Unchanged([]emu.Stretch{{From: since, To: c.in.machine.Journal()}}, func(a uint64) bool { return c.owns(th.ID, a) })
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

// mostReturns is how many functions of a stack deadOnward looks at.
const mostReturns = 8
