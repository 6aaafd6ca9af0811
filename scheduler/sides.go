package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// What becomes of an addition's result (tested.go), where the code doesn't say it by itself. Code without
// optimisation returns it, C++ from several functions, and others compare it with a variable. So
// the step is tried with each small number in turn, and is taken back. Two numbers are on one side
// if the thread has done the same with both, and stands in the same state then. Registers may differ
// that are dead on all paths from there (spins.Poise). Bytes of the thread's own stack may differ, as
// long as it doesn't read them: they are watched as those that a counted spin leaves (spins.Leftover).
//
// In the direction of the addition, the numbers from the first one on are on one side. The
// next one is the pivot. Those behind it count as the other side only if they are all alike too.
// All of a side are tried: a step may come before others that it came after, and finds another number then.
//
// Where the result is compared with a variable, the thread reads that first. This is another
// step, and the result lives on behind the addition. So reads that follow are tried with it, if
// need be (due.go).
//
// Where each number leads elsewhere, as a ticket does, the addition is one like any other. That is
// learned of its place, and all begins again.

// mostTried bounds the instructions of a step that is tried.
const mostTried = firstChunk / 2

// side is the blend of the addition that a thread is about to make, as far as trying has found it.
type side struct {
	pc    uint64
	blend trace.Blend
	more  uint8
}

// tries reports whether a thread is about to make an addition whose result has to be tried out.
func (bl *blends) tries(th *thread) bool {
	a := &th.Access
	if !bl.testing || th.Stand != StandAccess || th.Half != 0 || th.Set != 0 || a.Flags&trace.Atomic == 0 || !canAwait(a) ||
		bl.learning.known.Apart[a.PC] || bl.learning.known.Signalled.Has(uint64(th.ID)) || bl.pivotAt(a.PC).is || bl.in.image.FlagsCross() {
		return false
	}
	return bl.ops.adds(a.PC) && bl.byCode(a.PC) == trace.NoBlend && bl.at(th.ID, a) == trace.NoBlend && bl.unordered(a)
}

// trySides finds the side of the addition that a thread is about to make.
func (s *System) trySides(th edit) {
	bl := s.Blends
	if th.turns == 0 {
		th.leaving, th.leavingRegs = nil, 0
	}
	if bl.side = (side{}); s.probing || !bl.tries(th.thread) {
		return
	}
	at := th.Access
	before := signed(s.valueFor(th.thread, &at), at.Size)
	if before < 0 || before > spins.LastTried {
		return
	}
	c := s.sides.choiceAt(th.thread, before)
	if !c.Is {
		if c.Apart {
			s.known.Apart[at.PC], s.finer = true, true
		}
		return
	}
	room := before
	if c.Added > 0 {
		room = spins.LastTried - before
	}
	b, more := trace.TestedAddition(at.Size, c.Added, c.Pivot, before)
	bl.side = side{at.PC, b.ByTrying(), uint8(min(int64(more), room))}
	if before == c.Pivot { // it is like no other
		c.Left, c.Regs = nil, 0
	}
	if th.due = c.due(at.PC); th.due != nil {
		bl.reading = true
	} else {
		th.leaving, th.leavingRegs = spins.LeftBy(lookOf(at.PC, 0), c.Left), c.Regs
	}
}

// signed is the number that so many bytes hold.
func signed(v uint64, size uint32) int64 {
	shift := 64 - 8*size
	return int64(v<<shift) >> shift
}

// sides try additions, each with many numbers.
type sides struct {
	in        *present
	learning  *learning
	attempt   *attempt
	trials    *trials
	poises    *poises
	leftovers *leftovers
	buffers   *buffers
	choices   map[surveyKey]choice
}

// choice says how a thread uses an addition's result.
type choice struct {
	spins.Choice
	depth int      // so many reads behind the addition make it
	reads []looked // these, by whatever result
}

// choiceAt is that of a thread whose count holds a number, remembered as long as the thread
// stands there and finds the same.
func (s *sides) choiceAt(th *thread, before int64) choice {
	key := surveyKey{thread: th.ID, number: s.in.since(th), effects: th.Effects}
	if known, ok := s.choices[key]; ok && (known.At(before) || !known.Is) && s.find(th, known.reads) {
		return known
	}
	var made choice
	current := s.attempt.current
	for n, on := 0, true; n <= mostReads && on && !made.At(before); n++ {
		if s.learning.known.Uncounted[lookOf(th.Access.PC, n)] {
			continue // the thread has read what made no difference up to there
		}
		s.trials.probe(th, func(th edit) {
			s.buffers.enter(th)
			made, on = s.tryChoice(th, before, n)
		})
	}
	s.attempt.current = current
	if made.Is = made.At(before); key.number == 0 {
		return made
	}
	if len(s.choices) >= mostPolls {
		clear(s.choices)
	}
	s.choices[key] = made
	return made
}

// tryChoice tries it, with so many reads behind the addition. on: with some result the thread stands
// before another one.
func (s *sides) tryChoice(th edit, before int64, reads int) (made choice, on bool) {
	at, since := th.Access, s.in.machine.Journal()
	r := s.in.machine.Regs(th.Ctx)
	outcomes := map[int64]outcome{}
	way := func(v int64) *spins.Poise {
		o, known := outcomes[v]
		if !known {
			o = s.outcome(th, &at, uint64(v), since, reads)
			outcomes[v] = o
			made.reads = append(made.reads, o.reads...)
		}
		return o.poise
	}
	way(before)
	added := outcomes[before].added
	if added != 1 && added != -1 {
		return choice{}, false
	}
	made.Choice, made.depth = spins.Choose(before, added, way, func(at uint64) bool { return s.leftovers.ownsThere(th.thread, &r, at) }), reads
	for _, o := range outcomes {
		on = on || o.on
	}
	made.Apart = made.Apart && (!on || reads == mostReads)
	return made, on
}

// outcome is how a thread stands after its step, and what its bytes hold then.
type outcome struct {
	poise *spins.Poise // nil: that can't be compared
	added int64        // by its first step
	reads []looked
	on    bool // it stands before another read
}

// outcome is that of a thread whose bytes held v, and that goes on for so many reads.
func (s *sides) outcome(th edit, at *trace.Access, v, since uint64, reads int) (o outcome) {
	k := s.in.aside()
	s.in.Save(th.ID)
	defer func() { s.in.takeBack(k) }()
	s.trials.putValue(at, v)
	logged := s.in.machine.Logged()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	did := ""
	for n := range reads + 1 {
		a := th.Access
		if n > 0 {
			if o.added = signed(s.in.valueAt(at)-v, at.Size); !s.reads(th.thread) {
				return outcome{added: o.added}
			}
			o.reads = append(o.reads, looked{a, s.in.valueAt(&a)})
		}
		tr := s.in.arena.Transition(th.ID, 0)
		tr.Begin = th.Insns + mostTried - s.in.cfg.StepBudget // a longer step has an error
		if err := s.trials.step(th, tr, 0); err != nil || len(tr.Accesses) != 1 || !tr.Accesses[0].SameBytes(&a) {
			return outcome{}
		}
		s.in.arena.Seal(tr)
		now := s.poises.of(th.thread, true)
		s.poises.bornIn(tr, &now)
		did += spins.Doings(tr)
		o.poise = &now
	}
	o.poise.Did = did
	o.poise.Memory, _ = s.poises.differences(since, at)
	var err error
	if o.poise.Words, err = s.in.machine.WordsSince(logged); err != nil {
		return outcome{}
	}
	o.added, o.on = signed(s.in.valueAt(at)-v, at.Size), s.reads(th.thread)
	return o
}
