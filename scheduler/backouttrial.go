package scheduler

import (
	"maps"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// The survey of a thread's tries (spins/tries.go): it is run from where it stands with each value, and
// taken back.

// backoutTrial is a survey under way: of a thread, from before a try.
type backoutTrial struct {
	*backouts
	th    edit
	at    trace.Access
	from  uint64   // the machine's journal where it began
	all   []uint64 // what the thread may find
	spots spins.WayBack
	work  uint64 // instructions that were run, and what was compared
	// left are bytes of the thread's own stack that aren't compared, and mayn't be read before they are
	// written, by the place where the thread stands. met are those that differed there.
	left, met map[uint64]spins.Apart
	first     map[uint64]spins.Memory // what was other there, the first time
	owns      func(at uint64) bool
	looks     spins.Looks // see spins.Tries
}

// behind is the place behind a try that works.
const behind = 0

// surveyBack surveys the tries of a thread that stands before one. Code without optimisation keeps what a try
// found: such bytes of the thread's own stack may differ, as long as it doesn't read them
// (spins.Leftover). A run finds out which these are.
func (b *backouts) surveyBack(th edit, values, moved []uint64) *spins.Tries {
	r := b.in.machine.Regs(th.Ctx)
	owns := func(at uint64) bool { return b.leftovers.ownsThere(th.thread, &r, at) }
	left := map[uint64]spins.Apart{}
	for range mostSurveys {
		w := backoutTrial{backouts: b, th: th, at: th.Access, from: b.in.machine.Journal(), spots: spins.WayBack{}, left: left, met: map[uint64]spins.Apart{}, first: map[uint64]spins.Memory{}, owns: owns}
		w.all = spins.Found(values, moved, w.at.Size)
		if w.look(0) {
			if t := w.spots.Judge(values, moved, w.at.Size); t.Good {
				t.Left, t.Looks = left[behind].Ranges(), w.looks
				return t
			}
		}
		if !w.more() || b.learning.known.Uncounted[lookOf(w.at.PC, backsOut)] {
			break
		}
	}
	return &spins.Tries{}
}

// more has the bytes that differed be left out from now on. It reports whether there are new ones.
func (w *backoutTrial) more() (news bool) {
	for pc, met := range w.met {
		if w.left[pc] == nil {
			w.left[pc] = spins.Apart{}
		}
		n := len(w.left[pc])
		maps.Copy(w.left[pc], met)
		news = news || len(w.left[pc]) > n
	}
	return news
}

const (
	// mostSurveys is how often the bytes that may differ are added to.
	mostSurveys = 3
	// backsOut makes the look of a try of its place (lookOf).
	backsOut = 15
)

// look runs the thread from where it stands, with each value. It reports whether that could
// be done, and with little work in few places. Where it couldn't, no try is left out.
func (w *backoutTrial) look(added uint64) bool {
	if len(w.spots) >= spins.MostPlaces || w.work > mostWork {
		return false
	}
	b, th := w.backouts, w.th
	here := w.poise()
	w.compare(here.PC, &here.Memory)
	n := &spins.Place{Head: added == 0 && th.Access.Flags&trace.RMW != 0 && (b.ops.adds(th.Access.PC) && !b.blends.blindly(th.Access.PC) || b.ops.swaps(th.Access.PC)), Added: added, Next: map[uint64]spins.Onto{}}
	w.spots[spins.Spot{Poise: here, Added: added}] = n
	for _, v := range w.all {
		k := b.in.aside()
		b.in.Save(th.ID)
		b.trials.putValue(&w.at, (v+added)&spins.Mask(w.at.Size))
		ok := w.step(n, v)
		b.in.takeBack(k)
		if !ok {
			return false
		}
	}
	return true
}

// step takes one with a value, and looks on from there.
func (w *backoutTrial) step(n *spins.Place, v uint64) bool {
	b, th := w.backouts, w.th
	effects, logged := th.Effects, b.in.machine.Logged()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := b.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns
	b.leftovers.told = false
	if left := w.left[th.Access.PC]; len(left) > 0 {
		th.leftover = slices.Concat(th.leftover, spins.LeftBy(unread, left.Ranges()))
	}
	if err := b.trials.step(th, tr, 0); err != nil || b.leftovers.told {
		return false
	}
	b.in.arena.Seal(tr)
	w.work += th.Insns - tr.Begin
	if b.in.machine.Logged() != logged || th.Effects != effects {
		n.Open = true
		return !n.Head // what the machine's log has can't be compared
	}
	stands, o := w.poise(), spins.Onto{}
	if th.Stand == StandAccess && th.Access.SameBytes(&w.at) && th.Half == 0 && th.Set == 0 && tr.End == trace.EndPoint && spins.OnlyRests(tr.Ops) && len(tr.Wakes) == 0 &&
		len(tr.Accesses) == 1 && tr.Accesses[0].SameBytes(&w.at) && (!tr.Accesses[0].IsWrite() || b.ops.adds(tr.Accesses[0].PC) || b.ops.swaps(tr.Accesses[0].PC) && b.in.valueAt(&w.at) == (v+n.Added)&spins.Mask(w.at.Size)) {
		if !b.waitsHere(&tr.Accesses[0]) {
			return false // the user wants it run
		}
		w.looks.Note(&tr.Accesses[0])
		w.compare(stands.PC, &stands.Memory)
		p := spins.Spot{Poise: stands, Added: (b.in.valueAt(&w.at) - v) & spins.Mask(w.at.Size)}
		if w.work > mostWork || w.spots[p] == nil && !w.look(p.Added) {
			return false
		}
		o.To = w.spots[p]
	} else if n.Open = true; n.Head {
		w.compare(behind, &stands.Memory)
	}
	if n.Head {
		for i := range tr.Accesses { // wherever the try was made, and whether it changed something
			tr.Accesses[i].PC, tr.Accesses[i].Flags = 0, tr.Accesses[i].Flags&^trace.Silent
		}
		o.Out = b.poises.of(th.thread, true)
		o.Out.Did, o.Out.Memory = spins.Doings(tr), stands.Memory
	}
	n.Next[v] = o
	return true
}

// poise is how the thread stands, and which bytes are other than where the survey began, but
// for the word.
func (w *backoutTrial) poise() spins.Poise {
	p := w.poises.of(w.th.thread, false)
	var n uint64
	p.Memory, n = w.poises.differences(w.from, &w.at)
	w.work += n
	return p
}

// compare notes the bytes of the thread's own stack that are other than at a place the first time, and leaves
// out those that may be.
func (w *backoutTrial) compare(place uint64, m *spins.Memory) {
	first, known := w.first[place]
	if !known {
		w.first[place], w.met[place] = *m, spins.Apart{}
		first = *m
	}
	m.Unequal(first, func(at uint64) bool {
		if w.owns(at) {
			w.met[place][at] = true
		}
		return true
	})
	*m = w.left[place].Without(*m)
}
