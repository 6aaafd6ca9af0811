package scheduler

import (
	"maps"
	"slices"

	"landgo/internal/trace"
)

// How a thread's tries end, and what it does on its way back from one that fails. It is run from
// where it stands with each value, and taken back (backout.go).

// wayBack is a survey under way: of a thread, from before a try.
type wayBack struct {
	*backouts
	th    edit
	at    trace.Access
	from  uint64   // the machine's journal where it began
	all   []uint64 // what a thread may find
	rooms map[spot]*room
	work  uint64 // instructions that were run, and what was compared
}

// survey is that of values, with what others may have added to them.
func (w *wayBack) survey(values, moved []uint64) *tries {
	if !w.look(0) {
		return &tries{}
	}
	w.closeRooms()
	r := &tries{fails: map[uint64]bool{}}
	var out *poise
	added := map[uint64]bool{}
	for _, n := range w.rooms {
		if !n.head && !n.open && n.added != 0 {
			added[n.added] = true
		}
		for v, o := range n.next {
			if !n.head {
				continue
			}
			fails := o.to != nil && (o.to.head || !o.to.open)
			if old, ok := r.fails[v]; ok && old != fails {
				return &tries{}
			}
			if r.fails[v] = fails; fails {
				continue
			}
			if out != nil && *out != o.out {
				return &tries{}
			}
			out = &o.out
		}
	}
	for _, v := range values {
		for _, d := range moved {
			if r.fails[v] && !r.fails[(v+d)&sizeMask(w.at.Size)] {
				return &tries{}
			}
		}
		for _, n := range w.rooms {
			if !n.head && !n.open && !n.comesOut(v, r.fails[v]) {
				return &tries{}
			}
		}
	}
	r.added, r.good = slices.Sorted(maps.Keys(added)), true
	return r
}

// comesOut reports whether a thread reaches a try from here, with a word that stays. It may
// stay in a loop if it waits, and has taken back what it added.
func (n *room) comesOut(v uint64, waits bool) bool {
	for range mostPlaces {
		if n.head {
			return true
		}
		n = n.next[v].to
	}
	for range mostPlaces {
		if n.added != 0 {
			return false
		}
		n = n.next[v].to
	}
	return waits
}

// closeRooms finds out from where a thread may leave but by a try.
func (w *wayBack) closeRooms() {
	for again := true; again; {
		again = false
		for _, n := range w.rooms {
			for _, o := range n.next {
				if !n.head && !n.open && o.to != nil && !o.to.head && o.to.open {
					n.open, again = true, true
				}
			}
		}
	}
}

// look runs the thread from where it stands, with each value. It reports whether that could
// be done, and with little work in few places. Where it couldn't, no try is left out.
func (w *wayBack) look(added uint64) bool {
	if len(w.rooms) >= mostPlaces || w.work > mostWork {
		return false
	}
	b, th := w.backouts, w.th
	n := &room{head: added == 0 && th.Access.Flags&trace.RMW != 0 && (b.adds(th.Access.PC) && !b.blindly(th.Access.PC) || b.swaps(th.Access.PC)), added: added, next: map[uint64]onto{}}
	w.rooms[spot{w.poise(), added}] = n
	for _, v := range w.all {
		k := b.in.aside()
		b.in.Save(th.ID)
		b.counts.putValue(&w.at, (v+added)&sizeMask(w.at.Size))
		ok := w.step(n, v)
		b.in.takeBack(k)
		if !ok {
			return false
		}
	}
	return true
}

// step takes one with a value, and looks on from there.
func (w *wayBack) step(n *room, v uint64) bool {
	b, th := w.backouts, w.th
	effects, logged := th.Effects, b.in.machine.Logged()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := b.in.arena.transition(th.ID, 0)
	tr.Begin = th.Insns
	if err := b.spins.runs.step(th, tr, 0); err != nil {
		return false
	}
	b.in.arena.seal(tr)
	w.work += th.Insns - tr.Begin
	if b.in.machine.Logged() != logged || th.Effects != effects {
		n.open = true
		return !n.head // what the machine's log has can't be compared
	}
	stands, o := w.poise(), onto{}
	if th.Stand == StandAccess && sameBytes(&th.Access, &w.at) && th.Half == 0 && th.Set == 0 && tr.End == trace.EndPoint && len(tr.Ops) == 0 && len(tr.Wakes) == 0 &&
		len(tr.Accesses) == 1 && sameBytes(&tr.Accesses[0], &w.at) && (!tr.Accesses[0].IsWrite() || b.adds(tr.Accesses[0].PC) || b.swaps(tr.Accesses[0].PC) && b.counts.valueAt(&w.at) == (v+n.added)&sizeMask(w.at.Size)) {
		if !b.waitsHere(&tr.Accesses[0]) {
			return false // it would be missing in the description of a race
		}
		p := spot{stands, (b.counts.valueAt(&w.at) - v) & sizeMask(w.at.Size)}
		if w.work > mostWork || w.rooms[p] == nil && !w.look(p.added) {
			return false
		}
		o.to = w.rooms[p]
	} else {
		n.open = true
	}
	if n.head {
		for i := range tr.Accesses { // wherever the try was made, and whether it changed something
			tr.Accesses[i].PC, tr.Accesses[i].Flags = 0, tr.Accesses[i].Flags&^trace.Silent
		}
		o.out = b.counts.poiseOf(th.thread, true)
		o.out.did, o.out.memory = doings(tr), stands.memory
	}
	n.next[v] = o
	return true
}

// poise is how the thread stands, and which bytes are other than where the survey began, but
// for the word.
func (w *wayBack) poise() poise {
	p := w.counts.poiseOf(w.th.thread, false)
	var n uint64
	p.memory, n = w.counts.differences(w.from, &w.at)
	w.work += n
	return p
}
