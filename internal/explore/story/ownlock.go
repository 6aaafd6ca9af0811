package story

import (
	"maps"
	"math"
	"slices"
	"strings"

	"landgo/internal/result"
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

// ownLocks finds these locks, and puts their uses into the record.
func (st *Story) ownLocks() {
	if st.own != nil {
		return
	}
	st.own = map[uint64]bool{}
	if st.Config.Buffers() {
		return // a store isn't in memory when its thread makes it
	}
	words := map[uint64]*ownState{}
	created := slices.IndexFunc(st.beats, func(b beat) bool {
		return slices.ContainsFunc(b.ops, func(o trace.Op) bool { return o.Kind == trace.OpCreate })
	})
	st.eachWord(func(x at, a *trace.Access, s *ownState) {
		switch t, old, now := st.maker(x), s.word, st.rawAt(x); {
		case x.beat < created && now == 0:
		case old == now && a.Flags&trace.RMW != 0:
		case old == 0 && now != 0 && st.exchanges(x):
			s.takes[t] = true
		case now != 0 || s.owner != t:
			s.not = true
		}
	}, words)
	maps.DeleteFunc(words, func(addr uint64, s *ownState) bool {
		return s.not || len(s.takes) < 2 || slices.ContainsFunc(st.beats, func(b beat) bool {
			return slices.ContainsFunc(b.ops, func(o trace.Op) bool { return o.Obj == addr })
		})
	})
	for addr := range words {
		st.own[addr] = true
	}
	if len(words) > 0 {
		st.useOwn()
	}
}

// eachWord visits the writes of a run, each with what its word was before, and keeps the words'
// states.
func (st *Story) eachWord(visit func(x at, a *trace.Access, s *ownState), words map[uint64]*ownState) {
	for i := range st.beats {
		for k := range st.beats[i].accesses {
			x := at{i, k}
			a := st.accessAt(x)
			if !a.IsWrite() || a.Addr < lowestVariable {
				continue
			}
			s := words[a.Addr]
			if s == nil {
				s = &ownState{owner: trace.NoThread, takes: map[trace.TID]bool{}}
				words[a.Addr] = s
			}
			visit(x, a, s)
			if now := st.rawAt(x); now == 0 {
				s.owner = trace.NoThread
			} else if s.word == 0 {
				s.owner = st.maker(x)
			}
			s.word = st.rawAt(x)
		}
	}
}

// exchanges reports whether an access of the user's is an atomic exchange, and no addition.
func (st *Story) exchanges(x at) bool {
	a := st.accessAt(x)
	if a.Flags&(trace.RMW|trace.Atomic) != trace.RMW|trace.Atomic || !slices.ContainsFunc(st.Frames([]uint64{a.PC}), func(f result.Frame) bool { return f.File != "" }) {
		return false
	}
	text := st.shown(x.beat, x.access).Instruction
	return strings.Contains(text, "xchg") || strings.Contains(text, "bts")
}

// taken is a lock of the guest's own that a thread holds.
type taken struct {
	lock uint64
	by   trace.TID
}

// useOwn puts the uses of the guest's own locks into the record.
func (st *Story) useOwn() {
	var holds []taken // oldest first
	words := map[uint64]*ownState{}
	ops := make([][]trace.Op, len(st.beats))
	held := make([][]taken, len(st.beats))
	last := -1
	st.eachWord(func(x at, a *trace.Access, s *ownState) {
		for ; last < x.beat; last++ {
			held[last+1] = slices.Clone(holds)
		}
		if !st.own[a.Addr] {
			return
		}
		switch now := st.rawAt(x); {
		case s.word == 0 && now != 0:
			holds = append(holds, taken{a.Addr, st.maker(x)})
			ops[x.beat] = append(ops[x.beat], trace.Op{Kind: trace.OpLock, Obj: a.Addr, At: uint16(min(x.access+1, math.MaxUint16)), PC: a.PC + 1})
		case s.word != 0 && now == 0:
			holds = slices.DeleteFunc(holds, func(l taken) bool { return l.lock == a.Addr })
			ops[x.beat] = append(ops[x.beat], trace.Op{Kind: trace.OpUnlock, Obj: a.Addr, At: uint16(min(x.access, math.MaxUint16)), PC: a.PC + 1})
		}
	}, words)
	for i := range st.beats {
		if i > last {
			held[i] = holds
		}
		st.beats[i].add(ops[i])
		for _, l := range held[i] {
			if l.by == st.beats[i].step.Thread {
				st.beats[i].held = append(slices.Clone(st.beats[i].held), st.Guest.VariableName(l.lock))
			}
		}
	}
}

// add puts operations among those of a beat, each where it happened.
func (b *beat) add(ops []trace.Op) {
	calls := map[int][]uint64{}
	list := make([]trace.Op, 0, len(b.ops)+len(ops))
	for n, o := range b.ops {
		for len(ops) > 0 && ops[0].At < o.At {
			list, ops = append(list, ops[0]), ops[1:]
		}
		if stack, ok := b.calls[n]; ok {
			calls[len(list)] = stack
		}
		list = append(list, o)
	}
	b.ops, b.calls = append(list, ops...), calls
}
