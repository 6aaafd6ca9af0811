package relation

import "landgo/internal/trace"

// Tested additions (trace.TestedAddition) commute where each finds a number on the same side of their
// pivot. That is a matter of the state in which they are taken, not of the steps alone (conditional
// independence: Katz and Peled 1992; Godefroid 1996, ch. 3). In an execution it is settled: two
// whose sides are the same have no order, whatever lies between them but one on another side, which
// has one with both. So happens-before is valid in the sense of JACM 2017, Definition 3.1. What is
// independent of an event doesn't change whether another depends on that: it would be on both sides.
//
// Where a step is compared with others that it wasn't taken together with, it counts how many there
// are. It sleeps over as many of its side as there is room for (Event.More), since one more would
// find something else after it. A step that comes before one that it came after finds what
// that found. So it is then on that one's side (Sequence.Reverse).

// AddsAlike reports whether two events are tested additions to the same bytes that commute as they
// were taken.
func (e *Event) AddsAlike(f *Event) bool {
	a, b := e.tested(), f.tested()
	return a != nil && b != nil && a.Commutes(b)
}

// sameTest reports whether they are of the same bytes, pivot and sign, on whatever side.
func (e *Event) sameTest(f *Event) bool {
	a, b := e.tested(), f.tested()
	return a != nil && b != nil && a.Blends().SameTest(b.Blends()) && a.Addr == b.Addr && a.Size == b.Size
}

// tested is e's access, if it is a tested addition; else nil.
func (e *Event) tested() *trace.Access {
	if len(e.Accesses) != 1 || !e.Accesses[0].Blends().Tested() {
		return nil
	}
	return &e.Accesses[0]
}

// takenBefore makes s, a step that came after event c, what it does before that. If both are additions
// of one test, it finds what c found. What another addition finds there isn't known: it may vary.
func (s *Step) takenBefore(c *Event) (varies bool) {
	a := s.tested()
	switch {
	case a == nil:
		return false
	case s.sameTest(c):
		a.SetBlend(c.Accesses[0].Blends())
		s.More = c.More
		return false
	}
	a.SetBlend(trace.NoBlend)
	s.More = 0
	return true
}
