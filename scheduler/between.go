package scheduler

import "landgo/internal/trace"

// Additions to a count that threads await (await.go): at a barrier of the program's own each thread adds one,
// and waits until all have. By ones, in one direction, they leave the same numbers between them in
// each order. So if no thread goes on with one of these, they commute as others do (tested.go). A
// thread that goes on only with all of them comes after all.
//
// It is looked at wherever a thread comes to await, and whenever what it awaits was written. Would it have
// gone on with one of the numbers between such additions, or before them? Then the order of
// these counts: it might have come between any two. That is learned of the bytes, and all begins
// again with their additions in all orders. So it is of bytes that a thread looks at in a loop of another kind.
//
// Judged by TestMeetings in por. With store buffers such additions have all their orders.

// unordered reports whether additions to the bytes of an access commute, though threads may await these.
func (bl *blends) unordered(a *trace.Access) bool {
	if !bl.isAwaited(a) {
		return true
	}
	for b := a.Addr; b < a.Addr+uint64(a.Size); b++ {
		if bl.learning.known.Between[b] {
			return false
		}
	}
	return !bl.in.cfg.Buffers && len(bl.learning.known.Awaited) <= mostAwaited && len(bl.learning.known.Between) < mostAwaited
}

// noteBetween notes that threads go on with numbers between additions to some bytes.
func (bl *blends) noteBetween(a *trace.Access) {
	for b := a.Addr; b < a.Addr+uint64(a.Size); b++ {
		if bl.testing && len(bl.learning.known.Between) < mostAwaited && bl.learning.known.Between.Add(b) {
			bl.learning.finer = true
		}
	}
}
