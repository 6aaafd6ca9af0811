package explore

import (
	"cmp"
	"fmt"
	"slices"

	"landgo/internal/result"
	"landgo/race"
)

// widest is the size in bytes of the largest access that an instruction makes in one piece. What is
// larger is a copy that landgo makes for a system call or a function that it carries out, or a change
// of pages.
const widest = 16

// atOnce warns of a copy that another thread's access may fall into. A kernel copies bytes one after
// the other; here it is one step. Where no race detector has looked on, any copy of memory that
// threads share is one.
func (h *hunt) atOnce() {
	met := h.Guest.Seen().Met.Clone()
	r, w, calls := h.result, h.whole, met.Copied
	if r.Verdict != result.Verified && r.Verdict != result.Bounded {
		return
	}
	if w == nil || w.Races == nil || w.Blind {
		if len(calls) > 0 {
			place := result.Innermost(h.Frames(calls[:1]))
			r.Warnings = append(r.Warnings, result.Warning{Code: result.AtOnce, Text: "a call copies memory that threads share in one step: " + place.Where()})
		}
		return
	}
	paged := func(pc uint64) bool {
		_, ok := slices.BinarySearch(met.Paged, pc)
		return ok
	}
	if judged := slices.DeleteFunc(met.Judged, paged); len(judged) > 0 {
		place := result.Innermost(h.Frames(judged[:1]))
		r.Warnings = append(r.Warnings, result.Warning{Code: result.AtOnce, Text: "a call copies memory that a condition reads in one step: " + place.Where()})
		return
	}
	called := func(a *race.Access) bool {
		_, ok := slices.BinarySearch(calls, a.PC)
		return ok
	}
	copies := func(a *race.Access) bool {
		return called(a) || a.Size > widest && !paged(a.PC)
	}
	var copied, other race.Access
	for _, c := range w.Races.Candidates() {
		if c.Kind == race.Recycled || !c.BothOrders() || w.Orders(c) {
			continue
		}
		a, b := c.Shown.Earlier, c.Shown.Later
		if a.Size < b.Size {
			a, b = b, a
		}
		if !copies(&a) {
			a, b = b, a
		}
		if !copies(&a) || a.Free {
			continue
		}
		// The least of them, for their order depends on the workers.
		if copied.Size == 0 || cmp.Or(cmp.Compare(a.PC, copied.PC), cmp.Compare(b.PC, other.PC)) < 0 {
			copied, other = a, b
		}
	}
	if copied.Size == 0 {
		return
	}
	r.Warnings = append(r.Warnings, result.Warning{Code: result.AtOnce,
		Text: fmt.Sprintf("a call copies %d bytes in one step, and nothing orders it with thread %s, which uses some of them: %s",
			copied.Size, h.Guest.Name(other.Thread), h.Guest.VariableName(copied.Addr))})
}
