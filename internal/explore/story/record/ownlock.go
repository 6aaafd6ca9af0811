package record

import (
	"maps"
	"math"
	"slices"

	"landgo/internal/trace"
)

// Locks of the guest's own, of one word: a thread exchanges 0 for something else there, and writes 0
// later. While it is so, no other thread writes the word. A record has their uses as operations,
// beside those of the locks that landgo knows.

// ownState is what a walk over a run has seen of a word.
type ownState struct {
	owner trace.TID // NoThread if the word is 0
	word  uint64
	not   bool // it isn't a lock
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
		case now != 0 || s.owner != t:
			s.not = true
		}
	}, words)
	maps.DeleteFunc(words, func(addr uint64, s *ownState) bool {
		return s.not || len(s.takes) < 2 || slices.ContainsFunc(r.Beats, func(b Beat) bool {
			return slices.ContainsFunc(b.Ops, func(o trace.Op) bool { return o.Obj == addr })
		})
	})
	for addr := range words {
		r.own[addr] = true
	}
	if len(words) > 0 {
		r.useOwn()
	}
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

// taken is a lock of the guest's own that a thread holds.
type taken struct {
	lock uint64
	by   trace.TID
}

// useOwn puts the uses of the guest's own locks into the record.
func (r *Run) useOwn() {
	var holds []taken // oldest first
	words := map[uint64]*ownState{}
	ops := make([][]trace.Op, len(r.Beats))
	held := make([][]taken, len(r.Beats))
	last := -1
	r.eachWord(func(x At, a *trace.Access, s *ownState) {
		for ; last < x.Beat; last++ {
			held[last+1] = slices.Clone(holds)
		}
		if !r.own[a.Addr] {
			return
		}
		switch now := r.RawAt(x); {
		case s.word == 0 && now != 0:
			holds = append(holds, taken{a.Addr, r.Maker(x)})
			ops[x.Beat] = append(ops[x.Beat], trace.Op{Kind: trace.OpLock, Obj: a.Addr, At: uint16(min(x.Access+1, math.MaxUint16)), PC: a.PC + 1})
		case s.word != 0 && now == 0:
			holds = slices.DeleteFunc(holds, func(l taken) bool { return l.lock == a.Addr })
			ops[x.Beat] = append(ops[x.Beat], trace.Op{Kind: trace.OpUnlock, Obj: a.Addr, At: uint16(min(x.Access, math.MaxUint16)), PC: a.PC + 1})
		}
	}, words)
	for i := range r.Beats {
		if i > last {
			held[i] = holds
		}
		r.Beats[i].add(ops[i])
		for _, l := range held[i] {
			if l.by == r.Beats[i].Step.Thread {
				r.Beats[i].Held = append(slices.Clone(r.Beats[i].Held), r.guest.VariableName(l.lock))
			}
		}
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
