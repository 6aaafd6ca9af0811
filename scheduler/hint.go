package scheduler

import (
	"maps"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Hints: a thread loads a word, and then tries to change it by an exchange. Threads do that to add to a counter
// by compare-and-exchange, to push onto a stack, and to take a spin lock that they look at first. If another
// thread writes between the two, the exchange fails, and the thread tries again. Such failures have no effect.
// So the load and the exchange behind it are one step. That misses nothing if two conditions hold for any two
// values v and w that the word has while the thread stands before its load:
//
//  1. If the load finds v, it leads to an exchange of the word, with nothing else on the way. Or it leads
//     elsewhere; then it is a step of its own.
//  2. If the exchange finds w, though the load has found v, one of these is true. It leaves the word as it is, and
//     the thread is again before its load. Or the word stays, and the thread stands as if the load had found w.
//     Or the exchange does what it does where both find w.
//
// The proof: take an execution. Leave out each load that leads to an exchange, and each of the thread's exchanges
// that leaves the word as it is by one of the first two. Put a load right before what is left: the exchange that
// ends this, or where the thread has gone elsewhere, the load that finds that value. Nothing else is moved, and
// what was left out were reads. So all other threads find what they have found. By 2 the thread stands
// as it did. If the execution ends before, the thread stands before its load, as it may.
//
// "As if" is the whole state (spins.Poise). Bytes of the thread's own stack may differ, as long as it
// writes them before it reads them (spins.Leftover). They are watched in what is tried, and in each execution.
//
// landgo tests the conditions where a thread comes to such a load, and whenever the word is written then. It tries
// each pair of the values that the word has had since the thread wrote it, and takes that back. A value
// between two additions that commute may be one of another order. So additions to the word have all
// their orders. If a condition doesn't hold, landgo learns that of the load, and the search begins again.
//
// The transition has the exchange alone. A load that leads elsewhere might have written: FailedCAS says so to the
// search. It isn't a locked instruction, so it isn't Atomic.
//
// Judged by TestHints in por, on programs with all loads and exchanges apart, and with both as one step.
//
// Pure turns of loops with a compare-and-exchange are also left out by Kokologiannakis, Ren and Vafeiadis (FMCAD
// 2021). There the load stays, and what fails is cut off.

const (
	// hinted makes the look of a load of its place (lookOf).
	hinted = 14
	// mostHinted bounds how many values a word may have had.
	mostHinted = 24
)

// hints are the loads of a word right before an exchange.
type hints struct {
	in       *present
	learning *learning
	attempt  *attempt
	spins    *finder
	counts   *counts
	backs    *backouts
	blends   *blends
	unreads  *unreads
	spared   *spared
	joins    bool // a load and its exchange are one step
	surveyed map[surveyKey]*hint
}

// hint is what becomes of a thread's load, by the value that it finds.
type hint struct {
	good bool
	on   map[uint64]bool // it leads to an exchange
	vain map[uint64]bool // the thread comes back to a try with that, for ever
	// looks are the accesses of loads and of exchanges that fail.
	looks spins.Looks
	hintLeft
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

// begin is called where a search begins. The steps stay what they are when it is over. Whether a block is lost may
// depend on what a thread has loaded. And where stores have no order, all loads have to be on record.
func (h *hints) begin() {
	h.joins = h.counts.awaiting() && h.blends.testing && !h.blends.overwriting && !h.unreads.on && !h.in.cfg.Buffers && h.in.cfg.Leaks == LeaksOff
}

// is reports whether a thread stands before such a load.
func (h *hints) is(th *thread) bool {
	a := &th.Access
	return len(h.learning.known.Hints) > 0 && h.learning.known.Hints[a.PC] && h.joins && h.canHint(th)
}

// canHint reports whether a thread stands before an access of a word that may be a hint.
func (h *hints) canHint(th *thread) bool {
	a := &th.Access
	return th.Exists && (th.Stand == StandAccess || th.Stand == StandSpin && th.awaits && th.spinStand == StandAccess) && th.Half == 0 && th.Set == 0 &&
		canAwait(a) && (a.Flags&^trace.Library == 0 || h.backs.swaps(a.PC) && !h.learning.known.Swaps[a.PC] && !h.learning.known.Awaits[a.PC]) && !h.learning.known.Uncounted[lookOf(a.PC, hinted)] && !h.counts.is(th) && h.backs.waitsHere(a) &&
		!h.learning.known.Signalled.Has(uint64(th.ID)) && len(h.in.promises) == 0
}

// learn notes a load behind which the thread has tried to exchange the word, in its next step.
func (h *hints) learn(info *stepInfo) {
	if info.prev == 0 || !h.joins || len(info.tr.Accesses) != 1 || !h.backs.swaps(info.tr.Accesses[0].PC) {
		return
	}
	before, a := h.in.steps[info.prev-1].tr, &info.tr.Accesses[0]
	if len(before.Accesses) != 1 || len(before.Ops) > 0 || !canAwait(a) {
		return
	}
	if l := &before.Accesses[0]; l.SameBytes(a) && l.PC != a.PC && (l.Flags&^trace.Library == 0 || h.backs.swaps(l.PC) && !h.learning.known.Swaps[l.PC] && !h.learning.known.Awaits[l.PC]) && !h.learning.known.Uncounted[lookOf(l.PC, hinted)] && h.learning.known.Hints.Add(l.PC) {
		h.learning.finer = true
	}
}

// settle is called at the end of each step: how do the threads go on that stand before such loads?
func (h *hints) settle(info *stepInfo) {
	h.learn(info)
	if len(h.learning.known.Hints) == 0 {
		return
	}
	for i := range h.in.threads {
		th := &h.in.threads[i]
		if !h.is(th) || th.hint != nil && !overwrites(info.tr, &th.Access) {
			continue
		}
		h.blends.noteAwaited(&th.Access)
		h.blends.noteBetween(&th.Access)
		r := &hint{}
		if values := h.values(th); values != nil && !h.in.writes.InParts(&th.Access) {
			r = h.survey(th, values)
		}
		if e := h.in.edit(th.ID); r.good {
			e.hint = r
			*h.spared = append(*h.spared, sparedThread{th.ID, true, true})
		} else {
			e.hint = nil
			h.learning.known.Uncounted[lookOf(th.Access.PC, hinted)], h.learning.finer = true, true
		}
	}
}

// overwrites reports whether a step writes bytes of an access, or an operation of it may.
func overwrites(tr *trace.Transition, at *trace.Access) bool {
	return writesTo(tr, at) || slices.ContainsFunc(tr.Ops, func(op trace.Op) bool {
		return op.Size != 0 && at.Overlaps(&trace.Access{Addr: op.Obj, Size: op.Size})
	})
}

// values are those of a word since the thread has written it, the present one first; nil: there are too many.
func (h *hints) values(th *thread) []uint64 {
	list := []uint64{h.counts.valueAt(&th.Access)}
	for step, old := range h.in.writes.Before(&th.Access) {
		if h.in.steps[step].tr.Thread == th.ID {
			break
		}
		if !slices.Contains(list, old) {
			if list = append(list, old); len(list) > mostHinted {
				return nil
			}
		}
	}
	return list
}

// survey finds out what becomes of a thread's load and the exchange behind it, with each two of some values.
func (h *hints) survey(th *thread, values []uint64) (r *hint) {
	values = slices.Sorted(slices.Values(values))
	key := surveyKey{thread: th.ID, number: h.in.since(th), effects: th.Effects}
	sum := trace.NewHash()
	sum.Words(values...)
	key.values = sum.Sum()
	if r, ok := h.surveyed[key]; ok {
		return r
	}
	current := h.attempt.current
	h.spins.trials.probe(th, func(th edit) {
		th.Stand, th.Waits, th.awaits = StandAccess, nil, false
		r = h.try(th, values)
	})
	h.attempt.current = current
	if len(h.surveyed) >= mostPolls {
		clear(h.surveyed)
	}
	if key.number != 0 {
		h.surveyed[key] = r
	}
	return r
}

// try does so. What may differ is found out first, and then watched, while all is tried again.
func (h *hints) try(th edit, values []uint64) *hint {
	r := h.in.machine.Regs(th.Ctx)
	t := hintTrial{hints: h, th: th, at: th.Access, since: h.in.machine.Journal(), owns: func(at uint64) bool { return h.counts.ownsThere(th.thread, &r, at) },
		hintLeft: newHintLeft()}
	for range mostSurveys {
		n := t.len()
		t.watched = hintLeft{maps.Clone(t.before), maps.Clone(t.on), nil, nil, 0}
		h.counts.told = false
		on, vain, ok := t.tryAll(values)
		switch {
		case !ok || h.counts.told:
			return &hint{}
		case t.len() == n:
			return &hint{true, on, vain, t.looks, t.hintLeft}
		}
	}
	return &hint{}
}

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

// tryAll tries each two values.
func (t *hintTrial) tryAll(values []uint64) (on, vain map[uint64]bool, ok bool) {
	here := t.counts.poiseOf(t.th.thread, true)
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
	t.counts.putValue(&t.at, v)
	logged, effects, blocks := t.in.machine.Logged(), th.Effects, t.in.heap.Mark()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := t.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns + mostTried - t.in.cfg.StepBudget // a longer step has an error
	if err := t.spins.runs.step(th, tr, 0); err != nil || len(tr.Accesses) != 1 || !tr.Accesses[0].SameBytes(&t.at) {
		return &hintEnd{}
	}
	t.in.arena.Seal(tr)
	e := &hintEnd{ok: true, access: tr.Accesses[0], value: t.counts.valueAt(&t.at), poise: t.counts.poiseOf(th.thread, true)}
	t.counts.bornIn(tr, &e.poise)
	a := &th.Access
	e.before = load && th.Stand == StandAccess && a.SameBytes(&t.at) && a.PC != t.at.PC && th.Half == 0 && th.Set == 0 && t.backs.swaps(a.PC) &&
		tr.End == trace.EndPoint && len(tr.Ops)+len(tr.Wakes) == 0 && th.Effects == effects && t.in.machine.Logged() == logged && t.in.heap.Mark() == blocks
	did := *tr
	did.Accesses = nil // it is of the word, and value says whether it has changed that
	if spins.OnlyRests(did.Ops) {
		e.rests, did.Ops = len(did.Ops) > 0, nil
	}
	e.poise.Did = spins.Doings(&did)
	e.poise.Memory, _ = t.counts.differences(t.since, &t.at)
	var err error
	if e.poise.Words, err = t.in.machine.WordsSince(logged); err != nil {
		return &hintEnd{}
	}
	return e
}

// rests reports whether a thread that stands before a load, in a schedule's end state, would come back for ever, with
// what is there.
func (h *hints) rests(th *thread) (rests bool) {
	if !h.canHint(th) || h.in.cfg.Buffers {
		return false
	}
	v, current := h.counts.valueAt(&th.Access), h.attempt.current
	h.spins.trials.probe(th, func(th edit) { rests = h.try(th, []uint64{v}).vain[v] })
	h.attempt.current = current
	return rests
}

// poisedAtHint is the access of a thread that stands before such a load, as the search sees it.
func (s *System) poisedAtHint(th *thread) trace.Access {
	a, _ := s.machine.Poised(th.Ctx)
	if th.hint.on[s.counts.valueAt(&a)] {
		a.Flags = trace.Write | trace.RMW | trace.Atomic
	} else if !a.IsWrite() {
		a.Flags |= trace.FailedCAS
	}
	return a
}

// waits reports whether a thread that stands before a load may wait for another value there.
func (h *hints) waits(th *thread) bool {
	return th.hint != nil && h.is(th) && slices.Contains(slices.Collect(maps.Values(th.hint.vain)), true)
}
