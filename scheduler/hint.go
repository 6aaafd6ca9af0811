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
	in        *present
	learning  *learning
	attempt   *attempt
	trials    *trials
	poises    *poises
	leftovers *leftovers
	counted   *countedSpins
	backs     *backouts
	blends    *blends
	ops       *wordOps
	unreads   *unreads
	spared    *spared
	joins     bool // a load and its exchange are one step
	surveyed  map[surveyKey]*spins.Hint
}

// begin is called where a search begins. The steps stay what they are when it is over. Whether a block is lost may
// depend on what a thread has loaded. And where stores have no order, all loads have to be on record.
func (h *hints) begin() {
	h.joins = h.counted.awaiting() && h.blends.testing && !h.blends.overwriting && !h.unreads.on && !h.in.cfg.Buffers && h.in.cfg.Leaks == LeaksOff
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
		canAwait(a) && (a.Flags&^trace.Library == 0 || h.ops.swaps(a.PC) && !h.learning.known.Swaps[a.PC] && !h.learning.known.Awaits[a.PC]) && !h.learning.known.Uncounted[lookOf(a.PC, hinted)] && !h.counted.is(th) && h.backs.waitsHere(a) &&
		!h.learning.known.Signalled.Has(uint64(th.ID)) && len(h.in.promises) == 0
}

// learn notes a load behind which the thread has tried to exchange the word, in its next step.
func (h *hints) learn(info *stepInfo) {
	if info.prev == 0 || !h.joins || len(info.tr.Accesses) != 1 || !h.ops.swaps(info.tr.Accesses[0].PC) {
		return
	}
	before, a := h.in.steps[info.prev-1].tr, &info.tr.Accesses[0]
	if len(before.Accesses) != 1 || len(before.Ops) > 0 || !canAwait(a) {
		return
	}
	if l := &before.Accesses[0]; l.SameBytes(a) && l.PC != a.PC && (l.Flags&^trace.Library == 0 || h.ops.swaps(l.PC) && !h.learning.known.Swaps[l.PC] && !h.learning.known.Awaits[l.PC]) && !h.learning.known.Uncounted[lookOf(l.PC, hinted)] && h.learning.known.Hints.Add(l.PC) {
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
		r := &spins.Hint{}
		if values := h.values(th); values != nil && !h.in.writes.InParts(&th.Access) {
			r = h.survey(th, values)
		}
		if e := h.in.edit(th.ID); r.Good {
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
	list := []uint64{h.in.valueAt(&th.Access)}
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
func (h *hints) survey(th *thread, values []uint64) (r *spins.Hint) {
	values = slices.Sorted(slices.Values(values))
	key := surveyKey{thread: th.ID, number: h.in.since(th), effects: th.Effects}
	sum := trace.NewHash()
	sum.Words(values...)
	key.values = sum.Sum()
	if r, ok := h.surveyed[key]; ok {
		return r
	}
	current := h.attempt.current
	h.trials.probe(th, func(th edit) {
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

// rests reports whether a thread that stands before a load, in a schedule's end state, would come back for ever, with
// what is there.
func (h *hints) rests(th *thread) (rests bool) {
	if !h.canHint(th) || h.in.cfg.Buffers {
		return false
	}
	v, current := h.in.valueAt(&th.Access), h.attempt.current
	h.trials.probe(th, func(th edit) { rests = h.try(th, []uint64{v}).Vain[v] })
	h.attempt.current = current
	return rests
}

// waits reports whether a thread that stands before a load may wait for another value there.
func (h *hints) waits(th *thread) bool {
	return th.hint != nil && h.is(th) && slices.Contains(slices.Collect(maps.Values(th.hint.Vain)), true)
}
