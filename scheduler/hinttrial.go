package scheduler

import (
	"maps"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// The survey of a thread before a load: it is run with each two values, and taken back.

// hintTrial is a survey under way, of a thread before its load.
type hintTrial struct {
	*hints
	th    edit
	at    trace.Access
	since uint64 // the machine's journal where it began
	owns  func(at uint64) bool
	looks spins.Looks
	hintLeft
	watched hintLeft
}

// hintEnd is how a thread stands behind its load, or behind the exchange.
type hintEnd struct {
	ok     bool
	value  uint64 // of the word
	access trace.Access
	rests  bool // it has yielded or slept, and no more
	before bool // it is about to exchange it, and has done nothing else
	poise  spins.Poise
}

// hintLeft are bytes of a thread's own stack that may depend on how often the exchange has failed. before and behind
// are those before the load and behind the exchange. on and off are those behind a load that leads to an exchange,
// and behind one that leads elsewhere. regs are registers that only pushes read.
type hintLeft struct {
	before, on, off, behind spins.Apart
	regs                    trace.RegSet
}

func newHintLeft() hintLeft {
	return hintLeft{spins.Apart{}, spins.Apart{}, spins.Apart{}, spins.Apart{}, 0}
}

func (l *hintLeft) len() int { return len(l.before) + len(l.on) + len(l.off) + len(l.behind) }

// try does so. What may differ is found out first, and then watched, while all is tried again.
func (h *hints) try(th edit, values []uint64) *hint {
	r := h.in.machine.Regs(th.Ctx)
	t := hintTrial{hints: h, th: th, at: th.Access, since: h.in.machine.Journal(), owns: func(at uint64) bool { return h.leftovers.ownsThere(th.thread, &r, at) },
		hintLeft: newHintLeft()}
	for range mostSurveys {
		n := t.len()
		t.watched = hintLeft{maps.Clone(t.before), maps.Clone(t.on), nil, nil, 0}
		h.leftovers.told = false
		on, vain, ok := t.tryAll(values)
		switch {
		case !ok || h.leftovers.told:
			return &hint{}
		case t.len() == n:
			return &hint{true, on, vain, t.looks, t.hintLeft}
		}
	}
	return &hint{}
}

// tryAll tries each two values.
func (t *hintTrial) tryAll(values []uint64) (on, vain map[uint64]bool, ok bool) {
	here := t.poises.of(t.th.thread, true)
	here.Did = spins.Doings(&trace.Transition{End: trace.EndPoint})
	loads, joined := map[uint64]*hintEnd{}, map[uint64]*hintEnd{}
	on, vain = map[uint64]bool{}, map[uint64]bool{}
	for _, v := range values {
		t.load(v, func(e *hintEnd) {
			if loads[v] = e; e.ok {
				t.looks.Note(&e.access)
			}
			if e.before {
				joined[v] = t.step(v)
			}
		})
		e, j := loads[v], joined[v]
		if on[v] = e.before; !e.ok || e.before && (e.value != v || !j.ok) {
			return nil, nil, false
		}
		if e.before {
			vain[v] = j.value == v && !j.rests && (t.same(t.on, &j.poise, &e.poise) || t.same(t.before, &j.poise, &here))
			if !vain[v] && j.value == v && t.same(spins.Apart{}, &j.poise, &here) {
				return nil, nil, false // it yields on its way
			}
		} else {
			vain[v] = e.value == v && !e.rests && t.same(t.before, &e.poise, &here)
		}
	}
	for _, v := range values {
		if !on[v] {
			continue
		}
		ok = true
		t.load(v, func(*hintEnd) {
			for _, w := range values {
				if w == v || !ok {
					continue
				}
				e := t.step(w)
				if e.ok && e.value == w {
					t.looks.Note(&e.access)
				}
				elsewhere := t.off
				if on[w] {
					elsewhere = t.hintLeft.on
				}
				ok = e.ok && (e.value == w && t.same(t.before, &e.poise, &here) || e.value == loads[w].value && t.stands(elsewhere, &e.poise, &loads[w].poise, !on[w]) ||
					on[w] && e.value == joined[w].value && t.stands(t.behind, &e.poise, &joined[w].poise, true))
			}
		})
		if !ok {
			return nil, nil, false
		}
	}
	return on, vain, true
}

// same reports whether a thread stands in the same way, but for bytes of its own. It adds these.
func (t *hintTrial) same(apart spins.Apart, p, q *spins.Poise) bool {
	return t.stands(apart, p, q, false)
}

// stands is same; but with pushed, registers that only pushes read may differ. They are added.
func (t *hintTrial) stands(apart spins.Apart, p, q *spins.Poise, pushed bool) bool {
	differ, regs := spins.Apart{}, p.OtherPushed(q)
	if !differ.Same(p, q, t.owns) || regs != 0 && !pushed {
		return false
	}
	maps.Copy(apart, differ)
	t.regs |= regs
	return true
}

// load has the thread's load find v, calls f if that could be run, and takes it back.
func (t *hintTrial) load(v uint64, f func(*hintEnd)) {
	k := t.in.aside()
	t.in.Save(t.th.ID)
	t.leave(t.watched.before)
	e := t.step(v)
	t.leave(t.watched.on)
	f(e)
	t.in.takeBack(k)
}

// leave has bytes watched from here on.
func (t *hintTrial) leave(left spins.Apart) {
	if len(left) > 0 {
		t.th.leftover = slices.Concat(t.th.leftover, spins.LeftBy(unread, left.Ranges()))
	}
}

// step runs the thread for a step with a value. Behind a load it stays, behind an exchange it is taken back.
func (t *hintTrial) step(v uint64) *hintEnd {
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
		return &hintEnd{}
	}
	t.in.arena.Seal(tr)
	e := &hintEnd{ok: true, access: tr.Accesses[0], value: t.in.valueAt(&t.at), poise: t.poises.of(th.thread, true)}
	t.poises.bornIn(tr, &e.poise)
	a := &th.Access
	e.before = load && th.Stand == StandAccess && a.SameBytes(&t.at) && a.PC != t.at.PC && th.Half == 0 && th.Set == 0 && t.ops.swaps(a.PC) &&
		tr.End == trace.EndPoint && len(tr.Ops)+len(tr.Wakes) == 0 && th.Effects == effects && t.in.machine.Logged() == logged && t.in.heap.Mark() == blocks
	did := *tr
	did.Accesses = nil // it is of the word, and value says whether it has changed that
	if spins.OnlyRests(did.Ops) {
		e.rests, did.Ops = len(did.Ops) > 0, nil
	}
	e.poise.Did = spins.Doings(&did)
	e.poise.Memory, _ = t.poises.differences(t.since, &t.at)
	var err error
	if e.poise.Words, err = t.in.machine.WordsSince(logged); err != nil {
		return &hintEnd{}
	}
	return e
}
