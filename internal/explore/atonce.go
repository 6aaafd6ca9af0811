package explore

import (
	"cmp"
	"fmt"

	"landgo/internal/result"
	"landgo/race"
)

// widest is the size in bytes of the largest access that an instruction makes in one piece. What is
// larger is a copy that landgo makes for a system call or a function that it carries out.
const widest = 16

// atOnce warns of a copy that another thread's access may fall into. A kernel copies bytes one after
// the other; here it is one step.
func (h *hunt) atOnce() {
	r, w := h.result, h.whole
	if r.Verdict != result.Verified && r.Verdict != result.Bounded || w == nil || w.Races == nil {
		return
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
		if a.Size <= widest || a.Free {
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
