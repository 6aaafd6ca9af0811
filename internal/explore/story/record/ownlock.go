package record

import (
	"cmp"
	"maps"
	"slices"

	"landgo/internal/trace"
)

// Locks of the guest's own, of one word: a thread exchanges 0 for something else there, and writes 0
// later. While it is so, no other thread writes the word. A record has their uses as operations,
// beside those of the locks that landgo knows.

// ownState is a word's state in a walk over a run.
type ownState struct {
	owner trace.TID // NoThread if the word is 0
	word  uint64
	not   bool // it isn't a lock
	mark  bool // one thread has taken it by a number that is no address, and released it
	takes map[trace.TID]bool
}

// OwnLocks finds these locks, and puts their uses into the record. The code tells which accesses are
// atomic exchanges.
func (r *Run) OwnLocks(exchanges func(x At) bool) {
	if r.own != nil {
		return // they were looked for
	}
	r.own = map[uint64]bool{}
	words := map[uint64]*ownState{}
	created := slices.IndexFunc(r.Beats, func(b Beat) bool {
		return slices.ContainsFunc(b.Ops, func(o trace.Op) bool { return o.Kind == trace.OpCreate })
	})
	r.eachWord(func(x At, a *trace.Access, s *ownState) {
		switch t, old, now := r.Maker(x), s.word, r.RawAt(x); {
		case x.Beat < created && now == 0:
		case old == now && a.Flags&trace.RMW != 0:
		case old == 0 && now != 0 && exchanges(x):
			s.takes[t] = true
			if slot := words[r.passedBy(t, x, words)]; slot != nil {
				slot.not, s.not = true, true
			}
		case now == 0 && s.owner == t:
			s.mark = s.mark || old < LowestVariable
		case now != 0 || s.owner != t:
			s.not = true
		}
	}, words)
	maps.DeleteFunc(words, func(addr uint64, s *ownState) bool {
		return s.not || len(s.takes) < 2 && !s.mark || slices.ContainsFunc(r.Beats, func(b Beat) bool {
			return slices.ContainsFunc(b.Ops, func(o trace.Op) bool { return o.Obj == addr })
		})
	})
	for addr := range words {
		r.own[addr] = true
	}
	uses := append(r.wordUses(), r.drawn(created)...)
	if uses = append(uses, r.flagged(created)...); len(uses) > 0 {
		r.useOwn(uses)
	}
}

// passedBy is another word that a thread has found taken just before it takes one, by the same instruction,
// or 0. Then it looks for any word that is free, as threads do that take a number each. A lock is waited for.
func (r *Run) passedBy(t trace.TID, x At, words map[uint64]*ownState) uint64 {
	taken := r.AccessAt(x)
	looks := []uint64{taken.PC}
	const near = 16 // there are a few accesses between two looks
	n := 0
	for y, a := range r.Backward(t, x) {
		switch n++; {
		case n > near || a.Addr == taken.Addr && len(looks) > 1:
			return 0
		case a.Addr == taken.Addr && !a.IsWrite():
			looks = append(looks, a.PC) // it looks before it exchanges
		case a.Addr != taken.Addr && slices.Contains(looks, a.PC):
			s := words[a.Addr]
			if s != nil && len(s.takes) > 0 && (a.Flags&trace.FailedCAS != 0 || !a.IsWrite() && r.RawAt(y) != 0) {
				return a.Addr
			}
			return 0
		}
	}
	return 0
}

// IsOwnLock reports whether a word is a lock of the guest's own.
func (r *Run) IsOwnLock(addr uint64) bool { return r.own[addr] }

// eachWord visits the writes of a run, each with what its word was before, and keeps the words'
// states.
func (r *Run) eachWord(visit func(x At, a *trace.Access, s *ownState), words map[uint64]*ownState) {
	for i := range r.Beats {
		for k := range r.Beats[i].Accesses {
			x := At{i, k}
			a := r.AccessAt(x)
			if !a.IsWrite() || a.Addr < LowestVariable {
				continue
			}
			s := words[a.Addr]
			if s == nil {
				s = &ownState{owner: trace.NoThread, takes: map[trace.TID]bool{}}
				words[a.Addr] = s
			}
			visit(x, a, s)
			if now := r.RawAt(x); now == 0 {
				s.owner = trace.NoThread
			} else if s.word == 0 {
				s.owner = r.Maker(x)
			}
			s.word = r.RawAt(x)
		}
	}
}

// use is where a thread takes or releases a lock of the guest's own.
type use struct {
	at    At
	lock  uint64
	by    trace.TID
	takes bool // by an access that comes before; it releases it by one that follows
}

// op is a use as an operation.
func (r *Run) op(u use) trace.Op {
	o := trace.Op{Kind: trace.OpUnlock, Obj: u.lock, At: uint32(u.at.Access), PC: r.AccessAt(u.at).PC + 1}
	if u.takes {
		o.Kind, o.At = trace.OpLock, uint32(u.at.Access+1)
	}
	return o
}

// wordUses are the uses of locks of one word.
func (r *Run) wordUses() (uses []use) {
	r.eachWord(func(x At, a *trace.Access, s *ownState) {
		if now := r.RawAt(x); r.own[a.Addr] && (s.word == 0) != (now == 0) {
			uses = append(uses, use{x, a.Addr, r.Maker(x), now != 0})
		}
	}, map[uint64]*ownState{})
	return uses
}

// useOwn puts the uses of the guest's own locks into the record.
func (r *Run) useOwn(uses []use) {
	slices.SortStableFunc(uses, func(u, v use) int {
		return cmp.Or(cmp.Compare(u.at.Beat, v.at.Beat), cmp.Compare(u.at.Access, v.at.Access))
	})
	var holds []use // oldest first
	for i := range r.Beats {
		for _, l := range holds {
			if l.by == r.Beats[i].Step.Thread {
				r.Beats[i].Held = append(slices.Clone(r.Beats[i].Held), r.guest.VariableName(l.lock))
			}
		}
		var ops []trace.Op
		for ; len(uses) > 0 && uses[0].at.Beat == i; uses = uses[1:] {
			if ops = append(ops, r.op(uses[0])); uses[0].takes {
				holds = append(holds, uses[0])
			} else {
				holds = slices.DeleteFunc(holds, func(l use) bool { return l.lock == uses[0].lock })
			}
		}
		r.Beats[i].add(ops)
	}
}

// add puts operations among those of a beat, each where it happened.
func (b *Beat) add(ops []trace.Op) {
	calls := map[int][]uint64{}
	list := make([]trace.Op, 0, len(b.Ops)+len(ops))
	for n, o := range b.Ops {
		for len(ops) > 0 && ops[0].At < o.At {
			list, ops = append(list, ops[0]), ops[1:]
		}
		if stack, ok := b.Calls[n]; ok {
			calls[len(list)] = stack
		}
		list = append(list, o)
	}
	b.Ops, b.Calls = append(list, ops...), calls
}
