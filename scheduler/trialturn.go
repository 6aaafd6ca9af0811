package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// A turn of a spin that looks once is tried: the thread is run round the loop, and taken back. So are the turns
// of longer ones, where what is dead isn't enough to say that they come back to the same state.

// verdict says how a step ends of a thread that stands at an access.
type verdict uint8

const (
	goesOn     verdict = iota
	looksOn            // it is about to look at the same bytes again, in another state
	comesBack          // it stands where it stood, and nothing has changed
	onlyLooks          // the same, by that access alone
	looksRests         // the same, and it has yielded or slept
)

// recurs reports whether the thread is in the same state as before.
func (v verdict) recurs() bool { return v >= comesBack }

// tryTurn runs the thread once round from where it stands and takes it back:
// does the state recur, with no effect? Then reads are the turn's reads.
func (t *trials) tryTurn(th *thread, of *trace.Transition) (reads []trace.Access, v verdict) {
	t.in.arena.Seal(of)
	read := of.Accesses[len(of.Accesses)-1]
	read.PC = th.Access.PC // the last one was perhaps before the loop
	t.probe(th, func(th edit) {
		var tr *trace.Transition
		if v, tr = t.comesRound(th); v.recurs() {
			reads = t.in.appendReads([]trace.Access{read}, tr)
		}
	})
	return reads, v
}

// comesRound runs a thread that stands at an access for a step.
func (t *trials) comesRound(th edit) (v verdict, tr *trace.Transition) {
	before, mem, logged := *th.thread, t.in.machine.Journal(), t.in.machine.Logged()
	tr = t.in.arena.Transition(th.ID, 0)
	if err := t.step(th, tr, 0); err != nil {
		return goesOn, tr // it will come up when the thread is really run
	}
	recurs := th.Stand == StandAccess && sameAccess(&th.Access, &before.Access) && th.Half == before.Half && th.Effects == before.Effects &&
		t.stillness.calm(tr) && tr.End == trace.EndPoint &&
		t.sameLive(th.thread, before.Ctx) && t.unchanged(mem, t.redZone(th.thread))
	single := len(tr.Accesses) == 1 && tr.Accesses[0].SameBytes(&before.Access)
	if recurs && !t.unchanged(mem, emu.Range{}) {
		t.in.arena.Seal(tr)
		recurs = t.again(th, []*trace.Transition{tr})
	}
	switch {
	case !recurs && single && th.Stand == StandAccess && th.Access.SameBytes(&before.Access):
		return looksOn, tr
	case !recurs:
		return goesOn, tr
	case single && len(tr.Ops) == 0:
		return onlyLooks, tr
	case single && spins.OnlyRests(tr.Ops) && t.in.hasClock() && t.in.onlySlept(logged):
		return looksRests, tr
	}
	return comesBack, tr
}

// Memory below a stack pointer is dead, as a rule: the next call overwrites it. So a
// turn of a loop may leave other bytes there than it found, and be a turn all the
// same. They are those of its first calls instead of those before. But a stack may lie
// in a block of the heap, in a static array, in another thread's memory or in an array
// on the very stack. Then live variables may lie below it. Addresses can't tell
// the two apart. So where only such bytes differ, the turn is run once more, and
// taken back: it has to do the same, and to leave every byte as it was. Then the state
// recurs in all, whatever is dead.

// runAgain reports whether the steps in was, run once more from where a thread stands,
// bring it back there, and takes them back. The transition of the step under way is of.
func (t *trials) runAgain(th *thread, of *trace.Transition, was []*trace.Transition) bool {
	t.in.arena.Seal(of)
	var same bool
	t.probe(th, func(th edit) { same = t.again(th, was) })
	return same
}

// again runs a thread, which may be in a spin, for as many steps as there are in was.
// It reports whether they do the same as those, and bring it back to where it stood
// with no byte changed.
func (t *trials) again(th edit, was []*trace.Transition) bool {
	before, pc, mem := *th.thread, t.in.standPC(th.thread), t.in.machine.Journal()
	for _, w := range was {
		var d trace.Thread
		if t.describe(th.thread, &d); d.Status != trace.Ready || d.Outcomes > 1 {
			return false
		}
		tr := t.in.arena.Transition(th.ID, 0)
		tr.Begin = th.Insns
		if err := t.step(th, tr, 0); err != nil || tr.End != trace.EndPoint || !t.stillness.still(tr) || !spins.SameSteps(tr, w) {
			return false // an error will come up when the thread is really run
		}
		t.in.arena.Seal(tr)
	}
	return th.Stand == before.Stand && th.Half == before.Half && th.Effects == before.Effects && t.in.standPC(th.thread) == pc &&
		th.Set == before.Set && (th.Set == 0 || th.Regs == before.Regs) &&
		(th.Stand != StandAccess || sameAccess(&th.Access, &before.Access)) &&
		t.sameLive(th.thread, before.Ctx) && t.unchanged(mem, emu.Range{})
}
