package record

import (
	"slices"

	"landgo/internal/trace"
)

// Locks of the guest's own that are two words. Threads draw tickets from one, and the other says whose
// turn it is. Or each of two threads has a flag, and looks at the other one's before it goes in. What the
// run does has to fit from its first thread on: else the words aren't a lock.

// mostWords is how many words are tried as one half of a lock.
const mostWords = 16

// each visits the accesses to the guest's memory from a beat on.
func (r *Run) each(from int, visit func(x At, a *trace.Access, by trace.TID)) {
	for i := max(from, 0); i < len(r.Beats); i++ {
		for k := range r.Beats[i].Accesses {
			if x := (At{i, k}); r.AccessAt(x).Addr >= LowestVariable {
				visit(x, r.AccessAt(x), r.Maker(x))
			}
		}
	}
}

// written are the words that pass a test at each of their writes from a beat on. They come in the order of
// their first writes.
func (r *Run) written(from int, fits func(x At, a *trace.Access, by trace.TID) bool) (list []uint64) {
	fit := map[uint64]bool{}
	r.each(from, func(x At, a *trace.Access, by trace.TID) {
		if !a.IsWrite() {
			return
		}
		so, seen := fit[a.Addr]
		if !seen {
			list = append(list, a.Addr)
		}
		fit[a.Addr] = (so || !seen) && fits(x, a, by)
	})
	list = slices.DeleteFunc(list, func(addr uint64) bool { return !fit[addr] || r.own[addr] })
	return list[:min(len(list), mostWords)]
}

// counts reports whether a write adds 1 to what was there, as far as the run has it.
func (r *Run) counts(x At, a *trace.Access) bool {
	w, _, ok := r.Source(x)
	return !ok || r.AccessAt(w).Addr == a.Addr && r.RawAt(w) == before(r.RawAt(x), a)
}

// before is a number of an access's size, less 1.
func before(n uint64, a *trace.Access) uint64 { return (n - 1) & (1<<(8*min(a.Size, 7)) - 1) }

// drawn finds locks with tickets, and what threads do with them.
func (r *Run) drawn(created int) (uses []use) {
	counted := r.written(created, func(x At, a *trace.Access, _ trace.TID) bool { return r.counts(x, a) })
	draws := r.written(created, func(x At, a *trace.Access, _ trace.TID) bool {
		return a.Flags&(trace.RMW|trace.Atomic) == trace.RMW|trace.Atomic && r.counts(x, a)
	})
	for _, next := range draws {
		for _, turn := range counted {
			if list := r.turns(created, next, turn); list != nil {
				r.own[next], r.own[turn] = true, true
				uses = append(uses, list...)
				break
			}
		}
	}
	return uses
}

// ticket is a thread's number, and whether the thread has seen that its turn has come.
type ticket struct {
	number uint64
	turn   bool
}

// turns are the uses of two words as a lock with tickets, nil if they aren't one.
func (r *Run) turns(created int, next, turn uint64) (uses []use) {
	has, in, ok, released := map[trace.TID]*ticket{}, map[trace.TID]bool{}, next != turn, false
	r.each(created, func(x At, a *trace.Access, by trace.TID) {
		mine := has[by]
		switch {
		case a.Addr == next && a.IsWrite():
			ok = ok && mine == nil
			has[by] = &ticket{number: before(r.RawAt(x), a)}
		case a.Addr == turn && a.IsWrite():
			if mine == nil || !mine.turn || mine.number != before(r.RawAt(x), a) {
				ok = false
				return
			}
			uses = append(uses, use{x, turn, by, false})
			delete(has, by)
			released = true
		case a.Addr == turn && mine != nil && !mine.turn && r.RawAt(x) == mine.number:
			mine.turn, in[by] = true, true
			uses = append(uses, use{x, turn, by, true})
		}
	})
	if !ok || !released || len(in) < 2 {
		return nil
	}
	return uses
}

// flagged finds locks with a flag for each of two threads, and what they do with them.
func (r *Run) flagged(created int) (uses []use) {
	owner, set := map[uint64]trace.TID{}, map[uint64]bool{}
	flags := r.written(created, func(x At, a *trace.Access, by trace.TID) bool {
		was, known := owner[a.Addr]
		owner[a.Addr] = by
		once := set[a.Addr] != (r.RawAt(x) != 0)
		set[a.Addr] = r.RawAt(x) != 0
		return once && (!known || was == by)
	})
	for i, one := range flags {
		for _, other := range flags[i+1:] {
			if owner[one] == owner[other] || r.own[one] || r.own[other] {
				continue
			}
			if list := r.flags(created, min(one, other), max(one, other), owner); list != nil {
				r.own[one], r.own[other] = true, true
				uses = append(uses, list...)
			}
		}
	}
	return uses
}

// flag follows a thread from setting its flag to taking it back.
type flag struct {
	set, looked bool
	in          bool
	looks       At              // its latest look at the other one's
	wrote       map[uint64]bool // what else it has written before that
}

// flags are the uses of two words as the flags of two threads, nil if they aren't. A thread goes in when
// it has found the other one's flag clear. Or it has found after it that another word, which it had
// written itself, isn't as it was: it's its turn.
func (r *Run) flags(created int, one, other uint64, owner map[uint64]trace.TID) (uses []use) {
	state, inside, entered, left, ok := map[trace.TID]*flag{}, 0, map[trace.TID]bool{}, false, true
	for _, f := range []uint64{one, other} {
		state[owner[f]] = &flag{}
	}
	enter := func(s *flag, by trace.TID) {
		s.in, entered[by] = true, true
		inside++
		uses = append(uses, use{s.looks, one, by, true})
	}
	r.each(created, func(x At, a *trace.Access, by trace.TID) {
		s := state[by]
		mine := (a.Addr == one || a.Addr == other) && owner[a.Addr] == by
		theirs := (a.Addr == one || a.Addr == other) && !mine
		switch {
		case s == nil:
		case mine && a.IsWrite() && r.RawAt(x) != 0:
			*s = flag{set: true, wrote: map[uint64]bool{}}
		case mine && a.IsWrite():
			if s.in {
				inside--
				left = true
				uses = append(uses, use{x, one, by, false})
			}
			*s = flag{}
		case theirs && s.set && !s.in:
			s.looked, s.looks = true, x
			if r.RawAt(x) == 0 {
				enter(s, by)
			}
		case s.set && !s.in && a.IsWrite():
			s.wrote[a.Addr] = true
		case s.looked && !s.in && s.wrote[a.Addr]:
			if w, from, found := r.Source(x); found && from != by && r.RawAt(w) == r.RawAt(x) {
				s.looks = x
				enter(s, by)
			}
		}
		ok = ok && inside < 2
	})
	if !ok || !left || len(entered) < 2 {
		return nil
	}
	return uses
}
