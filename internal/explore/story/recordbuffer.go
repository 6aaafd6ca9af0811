package story

import "landgo/internal/trace"

// Stores that wait in a store buffer. One that is written to memory at once, before its thread or
// another goes on, is reported as under sequential consistency. A delayed one is told twice:
// where its thread buffers it, and where memory has it.

// ownerOf is a thread, or the one whose store buffer it is.
func (r *record) ownerOf(t trace.TID) trace.TID {
	if r.IsBuffer(t) {
		return t - 1
	}
	return t
}

// buffered reports whether access k of beat j went into the store buffer.
func (r *record) buffered(j, k int) bool {
	a := &r.beats[j].accesses[k]
	return a.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write
}

// updateOf is the beat by which the store of beat j is in memory; len(r.beats) if none is.
func (r *record) updateOf(j int) int {
	t := r.beats[j].step.Thread
	waiting := 1
	for i := range r.beats[:j] {
		switch b := &r.beats[i]; {
		case r.IsBuffer(b.step.Thread) && r.ownerOf(b.step.Thread) == t:
			waiting--
		case b.step.Thread == t && r.pushes(i):
			waiting++
		}
	}
	for i := j + 1; i < len(r.beats); i++ {
		if b := &r.beats[i]; r.IsBuffer(b.step.Thread) && r.ownerOf(b.step.Thread) == t {
			if waiting--; waiting == 0 {
				return i
			}
		}
	}
	return len(r.beats)
}

func (r *record) pushes(j int) bool {
	for k := range r.beats[j].accesses {
		if r.buffered(j, k) {
			return true
		}
	}
	return false
}

// delayed reports whether access k of beat j is a store that isn't in memory at once.
func (r *record) delayed(j, k int) bool { return r.buffered(j, k) && r.updateOf(j) != j+1 }

// written reports whether access k of beat j is such a store's way to memory at once, which
// the store itself tells.
func (r *record) written(j, k int) bool {
	return j > 0 && r.IsBuffer(r.beats[j].step.Thread) && r.beats[j-1].step.Thread == r.ownerOf(r.beats[j].step.Thread) &&
		r.pushes(j-1) && r.updateOf(j-1) == j
}

// overtakes reports whether the thread of a delayed store loads other memory before the
// store is in memory.
func (r *record) overtakes(j, k int) bool {
	s, t := &r.beats[j].accesses[k], r.beats[j].step.Thread
	for i := j + 1; i < r.updateOf(j); i++ {
		for n := range r.beats[i].accesses {
			if l := &r.beats[i].accesses[n]; r.beats[i].step.Thread == t && !l.IsWrite() && !l.Overlaps(s) {
				return true
			}
		}
	}
	return false
}

// comesBefore is the first access by another thread, or its store's way to memory, to the
// bytes of a delayed store that isn't there yet.
func (r *record) comesBefore(j, k int) (x at, ok bool) {
	s, t := &r.beats[j].accesses[k], r.beats[j].step.Thread
	for i := j + 1; i < min(r.updateOf(j), len(r.beats)); i++ {
		if o := r.beats[i].step.Thread; r.ownerOf(o) == t {
			continue
		}
		for n := range r.beats[i].accesses {
			if l := &r.beats[i].accesses[n]; !r.buffered(i, n) && l.Overlaps(s) {
				return at{i, n}, true
			}
		}
	}
	return x, false
}
