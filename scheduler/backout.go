package scheduler

import (
	"maps"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/known"
	"landgo/scheduler/spins"
)

// Back-outs: a thread adds to a word, finds there a value with which it can't go on, takes its
// addition back, waits, and tries again. Reader-writer spin locks are of that kind. In a search that is
// spared polls (await.go) a try isn't possible where it would fail. That misses nothing, and
// no verdict differs, under these conditions:
//
//  1. From a try that fails a thread comes back to a try, whatever it finds. On the way it only
//     looks at the word and adds to it. Its additions cancel out by then, and where it may wait.
//     It waits there only as long as a try would fail.
//  2. Tries that work with several values leave the thread in the same state, wherever in
//     the loop they were made. With one value they work everywhere or nowhere. Bytes of its stack
//     may differ that it writes before it reads them (surveyBack).
//  3. Other threads make such tries, or add and use nothing of what they find.
//  4. A try that fails with a value fails also with what others' tries may have added to that.
//
// The proof: take an execution with tries that fail, and leave them out, from the try to the next one.
// The word differs by what threads have added that are on their way back. An addition whose
// result isn't used does the same (3). A try that works does so with the word as it is now, too:
// else it would have failed (4). The state is the same (2). Nothing else looks at the word.
// So what is left is an execution, in which all else happened as before. Where it ends, a thread
// that waits on its way back waits before its try, which would fail (1). A thread that tries
// again and again, with no other able to go on, waits there as well: such an execution has no end.
//
// A try may also leave the word as it is where it fails: that of a lock which is looked at first, and then
// taken by an exchange. Then conditions 3 and 4 are empty: nothing differs while such a thread is on its way
// back. Other threads may do with the word what they like.
//
// landgo tests the conditions where a thread stands before a try, for all values that the word had
// in the execution, with all sums that others may have added. It runs the thread from there with each,
// and takes that back. If one doesn't hold, landgo learns it, and the search begins again with all tries.
// An execution that breaks the third begins like one without tries that fail, which the search runs.
//
// Loops with a net effect of zero are those of Kokologiannakis, Ren and Vafeiadis ("Dynamic Partial Order
// Reductions for Spinloops", FMCAD 2021). The conditions here are landgo's own.
//
// Judged by TestBacks in por, on programs with all tries and without those that fail.

// mostHeld bounds how many values a word may have had. mostWork bounds the instructions and what is
// compared: a thread may wait for longer after each try.
const (
	mostWork = 1 << 20
	mostHeld = 32
)

// backouts are the words with which threads back out.
type backouts struct {
	in        *present
	learning  *learning
	attempt   *attempt
	trials    *trials
	poises    *poises
	leftovers *leftovers
	blends    *blends
	ops       *wordOps
	kinship   *Kinship
	on        func() bool // tries that fail aren't possible
	// waitsHere: see awaits.
	waitsHere func(*trace.Access) bool
	surveyed  map[surveyKey]*spins.Tries
	vain      map[uint64]int // surveys in vain, by place
	doubtful  int            // places of these that may still be some: which values words have had is of interest
	// taught is a step in which something was learned, by its place on the path and its number. An
	// execution that has it runs on to its end, with tries that weren't known.
	taught int
	number uint64
}

// tries reports whether a thread stands before a try with which it may back out.
func (b *backouts) tries(th *thread) bool {
	k := &b.learning.known
	return len(k.Movers)+len(k.Swaps) > 0 && (k.Swaps[th.Access.PC] || b.ops.adds(th.Access.PC) && b.moves(&th.Access)) && b.canTry(th) && !b.told(&th.Access)
}

// told reports whether other threads can observe tries that fail at a word. Conditions of the
// user's look at it after each step (promise.go).
func (b *backouts) told(a *trace.Access) bool {
	return b.learning.known.Told[a.Addr] || b.learning.known.Judged[a.Addr>>3]
}

// canTry reports whether a thread stands before an addition whose result it uses, or an exchange
// without which it may go round.
func (b *backouts) canTry(th *thread) bool {
	a := &th.Access
	return th.Exists && (th.Stand == StandAccess || th.Stand == StandSpin && th.awaits && th.spinStand == StandAccess) && th.Half == 0 && th.Set == 0 &&
		a.Flags&trace.RMW != 0 && canAwait(a) && (b.ops.adds(a.PC) && !b.blends.blindly(a.PC) || b.ops.swaps(a.PC) && !b.learning.known.Awaits[a.PC]) && !b.kinship.turnByTurn() &&
		!b.learning.known.Signalled.Has(uint64(th.ID)) // a handler may look at where it stands
}

// moves reports whether tries at a word may fail.
func (b *backouts) moves(a *trace.Access) bool {
	for m := range b.learning.known.Movers {
		if m.At == a.Addr {
			return true
		}
	}
	return false
}

// learn looks at a thread after its step. The thread may stand before a try that it reaches again, after one that
// failed.
func (b *backouts) learn(th *thread) {
	if !b.on() || !b.canTry(th) || th.Stand != StandAccess || b.tries(th) || b.told(&th.Access) || b.vain[th.Access.PC] > mostVain {
		return
	}
	writes, enough := 0, 2 // it has added, and taken that back
	if !b.ops.adds(th.Access.PC) {
		enough = 1 // it has been here before
	}
	for i, n := th.LastStep, 0; i != 0 && n < spins.MostPlaces && writes < enough; n++ {
		st := &b.in.steps[i-1]
		if !spins.OnlyRests(st.tr.Ops) || len(st.tr.Accesses) != 1 || !st.tr.Accesses[0].SameBytes(&th.Access) {
			return
		}
		if st.tr.Accesses[0].IsWrite() || enough == 1 && st.tr.Accesses[0].PC == th.Access.PC {
			writes++
		}
		i = st.prev
	}
	if writes < enough {
		return
	}
	switch r := b.survey(th, nil); {
	case r.Good && b.ops.swaps(th.Access.PC) && slices.Contains(slices.Collect(maps.Values(r.Fails)), true):
		b.learning.known.Swaps.Add(th.Access.PC)
		b.teach()
	case !r.Good || len(r.Added) == 0:
		b.missed(th.Access.PC)
	default:
		b.note(th, r)
	}
}

// mostVain bounds how often a place is looked at that isn't of this kind.
const mostVain = 8

// missed: a survey at a place was in vain.
func (b *backouts) missed(pc uint64) {
	switch b.vain[pc]++; b.vain[pc] {
	case 1:
		b.doubtful++
	case mostVain + 1:
		b.doubtful--
	}
}

// watch has a thread that is about to try watched for what failed tries would leave.
func (b *backouts) watch(th edit) {
	if b.tries(th.thread) {
		if r := b.survey(th.thread, nil); r.Good {
			th.leaving = slices.Concat(th.leaving, spins.LeftBy(lookOf(th.Access.PC, backsOut), r.Left))
		}
	}
}

// note takes in how a thread's tries end.
func (b *backouts) note(th *thread, r *spins.Tries) {
	a := &th.Access
	if !r.Good {
		if !b.runsOut() {
			b.tell(a)
		}
		return
	}
	for _, v := range r.Added {
		if b.learning.known.Movers.Add(known.Mover{Thread: th.ID, At: a.Addr, Size: a.Size, Adds: v}) {
			b.teach()
		}
	}
}

// teach notes that something was learned in the present step.
func (b *backouts) teach() {
	b.learning.finer, b.taught = true, len(b.in.steps)-1
	b.number = b.in.steps[b.taught].number
}

// runsOut reports whether the execution under way began before something was learned.
func (b *backouts) runsOut() bool {
	return b.number != 0 && b.taught < len(b.in.steps) && b.in.steps[b.taught].number == b.number
}

// tell notes that other threads can observe tries that fail at a word.
func (b *backouts) tell(a *trace.Access) {
	if !b.learning.known.Told[a.Addr] {
		b.learning.known.Told[a.Addr], b.learning.finer = true, true
	}
}

// noteUse looks at what a step did to words with which threads back out.
func (b *backouts) noteUse(info *stepInfo) {
	if len(b.learning.known.Movers) == 0 || b.runsOut() {
		return
	}
	for m := range b.learning.known.Movers {
		word := trace.Access{Addr: m.At, Size: m.Size}
		if b.learning.known.Told[m.At] || m.Thread == info.tr.Thread || !b.in.threads[m.Thread].Exists || !b.in.threads[m.Thread].Live() {
			continue
		}
		for i := range info.tr.Accesses {
			if a := &info.tr.Accesses[i]; a.Overlaps(&word) && !(a.SameBytes(&word) && a.Flags&trace.RMW != 0 && (info.tried && b.ops.adds(a.PC) || b.blends.blindly(a.PC))) {
				b.tell(&word)
			}
		}
		for i := range info.tr.Ops {
			if op := &info.tr.Ops[i]; (&trace.Access{Addr: op.Obj, Size: max(op.Size, 1)}).Overlaps(&word) {
				b.tell(&word)
			}
		}
	}
}

// fails reports whether a thread's try would fail with a value, nil for the present one. One
// that hasn't been announced to others is possible.
func (b *backouts) fails(th *thread, v *uint64) bool {
	r := b.survey(th, v)
	b.note(th, r)
	for _, m := range r.Added {
		if !b.learning.known.Movers[known.Mover{Thread: th.ID, At: th.Access.Addr, Size: th.Access.Size, Adds: m}] {
			return false
		}
	}
	now := b.in.valueAt(&th.Access)
	if v != nil {
		now = *v
	}
	return r.Good && r.Fails[now]
}

// rests reports whether a thread that stands before a try would only come back.
func (b *backouts) rests(th *thread) bool {
	if !b.canTry(th) {
		return false
	}
	r := b.survey(th, nil)
	return r.Good && r.Fails[b.in.valueAt(&th.Access)]
}

// moved are the sums that other threads' tries may have added to a word for a while.
func (b *backouts) moved(th *thread) []uint64 {
	by := map[trace.TID][]uint64{}
	for m := range b.learning.known.Movers {
		if m.At == th.Access.Addr && m.Thread != th.ID {
			by[m.Thread] = append(by[m.Thread], m.Adds)
		}
	}
	return spins.Sums(by, th.Access.Size)
}

// held are the values that a word has had in the present execution, now and v first; nil if there are too many.
func (b *backouts) held(a *trace.Access, v *uint64) []uint64 {
	list := []uint64{b.in.valueAt(a)}
	if v != nil && *v != list[0] {
		list = append(list, *v)
	}
	for _, old := range b.in.writes.Before(a) {
		if !slices.Contains(list, old) {
			if list = append(list, old); len(list) > mostHeld {
				return nil
			}
		}
	}
	slices.Sort(list)
	return list
}

// survey finds out how a thread's tries end with the values that the word has had, and v.
func (b *backouts) survey(th *thread, v *uint64) *spins.Tries {
	values, moved := b.held(&th.Access, v), b.moved(th)
	if values == nil || moved == nil {
		return &spins.Tries{}
	}
	key := surveyKey{thread: th.ID, effects: th.Effects}
	h := trace.NewHash()
	h.Words(values...)
	h.Words(moved...)
	key.number, key.values = b.in.since(th), h.Sum()
	if r, ok := b.surveyed[key]; ok {
		return r
	}
	current := b.attempt.current
	var r *spins.Tries
	b.trials.probe(th, func(th edit) {
		th.Stand, th.Waits, th.awaits = StandAccess, nil, false
		r = b.surveyBack(th, values, moved)
	})
	b.attempt.current = current
	if len(b.surveyed) >= mostPolls {
		clear(b.surveyed)
	}
	if key.number != 0 {
		b.surveyed[key] = r
	}
	return r
}
