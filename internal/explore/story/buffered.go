package story

import (
	"fmt"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Stores that wait in a store buffer. One that is written to memory at once, before its
// thread or another goes on, is told as under sequential consistency. A delayed one is
// told twice: where its thread buffers it, and where memory has it.

// ownerOf is a thread, or the one whose store buffer it is.
func (st *Story) ownerOf(t trace.TID) trace.TID {
	if st.IsBuffer(t) {
		return t - 1
	}
	return t
}

// buffered reports whether access k of beat j went into the store buffer.
func (st *Story) buffered(j, k int) bool {
	a := &st.beats[j].accesses[k]
	return a.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write
}

// updateOf is the beat by which the store of beat j is in memory; len(st.beats) if none is.
func (st *Story) updateOf(j int) int {
	t := st.beats[j].step.Thread
	waiting := 1
	for i := range st.beats[:j] {
		switch b := &st.beats[i]; {
		case st.IsBuffer(b.step.Thread) && st.ownerOf(b.step.Thread) == t:
			waiting--
		case b.step.Thread == t && st.pushes(i):
			waiting++
		}
	}
	for i := j + 1; i < len(st.beats); i++ {
		if b := &st.beats[i]; st.IsBuffer(b.step.Thread) && st.ownerOf(b.step.Thread) == t {
			if waiting--; waiting == 0 {
				return i
			}
		}
	}
	return len(st.beats)
}

func (st *Story) pushes(j int) bool {
	for k := range st.beats[j].accesses {
		if st.buffered(j, k) {
			return true
		}
	}
	return false
}

// delayed reports whether access k of beat j is a store that isn't in memory at once.
func (st *Story) delayed(j, k int) bool { return st.buffered(j, k) && st.updateOf(j) != j+1 }

// written reports whether access k of beat j is such a store's way to memory at once, which
// the store itself tells.
func (st *Story) written(j, k int) bool {
	return j > 0 && st.IsBuffer(st.beats[j].step.Thread) && st.beats[j-1].step.Thread == st.ownerOf(st.beats[j].step.Thread) &&
		st.pushes(j-1) && st.updateOf(j-1) == j
}

// unseen tells of the first store that another thread comes before, because it is in its
// store buffer: of those that their own thread has loaded something behind, if there is one.
func (st *Story) unseen(b *result.Bug) bool {
	for _, loads := range []bool{true, false} {
		for j := range st.beats {
			for k := range st.beats[j].accesses {
				if !st.delayed(j, k) || loads && !st.overtakes(j, k) {
					continue
				}
				if x, ok := st.comesBefore(j, k); ok {
					st.tellUnseen(b, at{j, k}, x)
					return true
				}
			}
		}
	}
	return false
}

// overtakes reports whether the thread of a delayed store loads other memory before the
// store is in memory.
func (st *Story) overtakes(j, k int) bool {
	s, t := &st.beats[j].accesses[k], st.beats[j].step.Thread
	for i := j + 1; i < st.updateOf(j); i++ {
		for n := range st.beats[i].accesses {
			if l := &st.beats[i].accesses[n]; st.beats[i].step.Thread == t && !l.IsWrite() && !l.Overlaps(s) {
				return true
			}
		}
	}
	return false
}

// comesBefore is the first access by another thread, or its store's way to memory, to the
// bytes of a delayed store that isn't there yet.
func (st *Story) comesBefore(j, k int) (x at, ok bool) {
	s, t := &st.beats[j].accesses[k], st.beats[j].step.Thread
	for i := j + 1; i < min(st.updateOf(j), len(st.beats)); i++ {
		if o := st.beats[i].step.Thread; st.ownerOf(o) == t {
			continue
		}
		for n := range st.beats[i].accesses {
			if l := &st.beats[i].accesses[n]; !st.buffered(i, n) && l.Overlaps(s) {
				return at{i, n}, true
			}
		}
	}
	return x, false
}

func (st *Story) tellUnseen(b *result.Bug, s, x at) {
	store, other := st.shown(s.beat, s.access), st.shown(x.beat, x.access)
	does := "reads"
	if st.accessAt(x).IsWrite() {
		does = "has written"
	}
	b.Cause = fmt.Sprintf("thread %s's store to %s%s is still in its store buffer when thread %s %s %s%s",
		store.Thread, store.Symbol, placeText(&store), other.Thread, does, other.Symbol, placeText(&other))
	b.Accesses = []result.Access{store, other}
}

// placeText is where an access is, in brackets, with the value that a load found.
func placeText(a *result.Access) string {
	value := ""
	if a.Old != "" {
		value = " as " + a.Old
	}
	if len(a.Stack) == 0 || a.Stack[0].File == "" {
		return value
	}
	return fmt.Sprintf("%s (%s:%d)", value, a.Stack[0].File, a.Stack[0].Line)
}
