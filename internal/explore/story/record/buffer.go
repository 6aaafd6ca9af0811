package record

import "landgo/internal/trace"

// Stores that wait in a store buffer. One that is written to memory at once, before its thread or
// another goes on, is reported as under sequential consistency. A delayed one is told twice:
// where its thread buffers it, and where memory has it.

// OwnerOf is a thread, or the one whose store buffer it is.
func (r *Run) OwnerOf(t trace.TID) trace.TID {
	if r.guest.IsBuffer(t) {
		return t - 1
	}
	return t
}

// IsBuffered reports whether access k of beat j went into the store buffer.
func (r *Run) IsBuffered(j, k int) bool {
	a := &r.Beats[j].Accesses[k]
	return a.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write
}

// updateOf is the beat by which the store of beat j is in memory; len(r.beats) if none is.
func (r *Run) updateOf(j int) int {
	t := r.Beats[j].Step.Thread
	waiting := 1
	for i := range r.Beats[:j] {
		switch b := &r.Beats[i]; {
		case r.guest.IsBuffer(b.Step.Thread) && r.OwnerOf(b.Step.Thread) == t:
			waiting--
		case b.Step.Thread == t && r.pushes(i):
			waiting++
		}
	}
	for i := j + 1; i < len(r.Beats); i++ {
		if b := &r.Beats[i]; r.guest.IsBuffer(b.Step.Thread) && r.OwnerOf(b.Step.Thread) == t {
			if waiting--; waiting == 0 {
				return i
			}
		}
	}
	return len(r.Beats)
}

func (r *Run) pushes(j int) bool {
	for k := range r.Beats[j].Accesses {
		if r.IsBuffered(j, k) {
			return true
		}
	}
	return false
}

// Delayed reports whether access k of beat j is a store that isn't in memory at once.
func (r *Run) Delayed(j, k int) bool { return r.IsBuffered(j, k) && r.updateOf(j) != j+1 }

// Written reports whether access k of beat j is such a store's way to memory at once, which
// the store itself tells.
func (r *Run) Written(j, k int) bool {
	return j > 0 && r.guest.IsBuffer(r.Beats[j].Step.Thread) && r.Beats[j-1].Step.Thread == r.OwnerOf(r.Beats[j].Step.Thread) &&
		r.pushes(j-1) && r.updateOf(j-1) == j
}

// Overtakes reports whether the thread of a delayed store loads other memory before the
// store is in memory.
func (r *Run) Overtakes(j, k int) bool {
	s, t := &r.Beats[j].Accesses[k], r.Beats[j].Step.Thread
	for i := j + 1; i < r.updateOf(j); i++ {
		for n := range r.Beats[i].Accesses {
			if l := &r.Beats[i].Accesses[n]; r.Beats[i].Step.Thread == t && !l.IsWrite() && !l.Overlaps(s) {
				return true
			}
		}
	}
	return false
}

// ComesBefore is the first access by another thread, or its store's way to memory, to the
// bytes of a delayed store that isn't there yet.
func (r *Run) ComesBefore(j, k int) (x At, ok bool) {
	s, t := &r.Beats[j].Accesses[k], r.Beats[j].Step.Thread
	for i := j + 1; i < min(r.updateOf(j), len(r.Beats)); i++ {
		if o := r.Beats[i].Step.Thread; r.OwnerOf(o) == t {
			continue
		}
		for n := range r.Beats[i].Accesses {
			if l := &r.Beats[i].Accesses[n]; !r.IsBuffered(i, n) && l.Overlaps(s) {
				return At{i, n}, true
			}
		}
	}
	return x, false
}
