package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// The survey of a thread before a load: it is run with each two values, and taken back.

// hintTrial is a survey under way, of a thread before its load. It implements spins.Hinted.
type hintTrial struct {
	*hints
	th    edit
	at    trace.Access
	since uint64     // the machine's journal where it began
	regs  emu.Regs   // the thread's there
	begun trace.Mark // where the latest load began
}

// try has a thread before a load surveyed.
func (h *hints) try(th edit, values []uint64) *spins.Hint {
	t := hintTrial{hints: h, th: th, at: th.Access, since: h.in.machine.Journal(), regs: h.in.machine.Regs(th.Ctx)}
	here := h.poises.of(th.thread, true)
	here.Did = spins.Doings(&trace.Transition{End: trace.EndPoint})
	return spins.SurveyHint(&t, here, values)
}

// Load implements spins.Hinted.
func (t *hintTrial) Load(v uint64, before, on spins.Apart) *spins.HintEnd {
	t.begun = t.in.aside()
	t.in.Save(t.th.ID)
	t.leave(before)
	e := t.step(v)
	t.leave(on)
	return e
}

// Back implements spins.Hinted.
func (t *hintTrial) Back() { t.in.takeBack(t.begun) }

// Exchange implements spins.Hinted.
func (t *hintTrial) Exchange(w uint64) *spins.HintEnd { return t.step(w) }

// Told implements spins.Hinted.
func (t *hintTrial) Told() (told bool) {
	told, t.leftovers.told = t.leftovers.told, false
	return told
}

// Owns implements spins.Hinted.
func (t *hintTrial) Owns(at uint64) bool { return t.leftovers.ownsThere(t.th.thread, &t.regs, at) }

// leave has bytes watched from here on.
func (t *hintTrial) leave(left spins.Apart) {
	if len(left) > 0 {
		t.th.leftover = slices.Concat(t.th.leftover, spins.LeftBy(unread, left.Ranges()))
	}
}

// step runs the thread for a step with a value. Behind a load it stays, behind an exchange it is taken back.
func (t *hintTrial) step(v uint64) *spins.HintEnd {
	th, load := t.th, t.th.Access.PC == t.at.PC
	if !load {
		k := t.in.aside()
		t.in.Save(th.ID)
		defer t.in.takeBack(k)
	}
	t.trials.putValue(&t.at, v)
	logged, effects, blocks := t.in.machine.Logged(), th.Effects, t.in.heap.Mark()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := t.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns + mostTried - t.in.cfg.StepBudget // a longer step has an error
	if err := t.trials.step(th, tr, 0); err != nil || len(tr.Accesses) != 1 || !tr.Accesses[0].SameBytes(&t.at) {
		return &spins.HintEnd{}
	}
	t.in.arena.Seal(tr)
	e := &spins.HintEnd{OK: true, Access: tr.Accesses[0], Value: t.in.valueAt(&t.at), Poise: t.poises.of(th.thread, true)}
	t.poises.bornIn(tr, &e.Poise)
	a := &th.Access
	e.Before = load && th.Stand == StandAccess && a.SameBytes(&t.at) && a.PC != t.at.PC && th.Half == 0 && th.Set == 0 && t.ops.swaps(a.PC) &&
		tr.End == trace.EndPoint && len(tr.Ops)+len(tr.Wakes) == 0 && th.Effects == effects && t.in.machine.Logged() == logged && t.in.heap.Mark() == blocks
	did := *tr
	did.Accesses = nil // it is of the word, and value says whether it has changed that
	if spins.OnlyRests(did.Ops) {
		e.Rests, did.Ops = len(did.Ops) > 0, nil
	}
	e.Poise.Did = spins.Doings(&did)
	e.Poise.Memory, _ = t.poises.differences(t.since, &t.at)
	var err error
	if e.Poise.Words, err = t.in.machine.WordsSince(logged); err != nil {
		return &spins.HintEnd{}
	}
	return e
}
