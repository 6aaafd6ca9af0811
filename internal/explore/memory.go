package explore

import (
	"fmt"
	"slices"

	"landgo/internal/explore/races"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/race"
)

// Processors have store buffers, and a search takes each store to be in memory at once.
// Where no execution has a triangular race (race.Triangular), that is the same: the verdict is
// one under x86-TSO. Where one has, the verdict holds under sequential consistency only,
// and a warning names what a processor may do beside.

// memory says under which memory model a verdict of verified holds.
func (h *hunt) memory() {
	r, w := h.result, h.whole
	if r.Verdict != result.Verified || w == nil || w.Triangular == nil || !races.Examined(h.Session, w) {
		return
	}
	stores := w.Triangular.Stores()
	if i := slices.IndexFunc(stores, h.NonTemporal); i >= 0 {
		place := result.Innermost(h.Frames(stores[i : i+1]))
		r.Warnings = append(r.Warnings, result.Warning{Code: result.SequentialOnly,
			Text: "under sequential consistency only: a non-temporal store may reach memory after later ones: " + place.Where()})
		return
	}
	found := w.Triangular.Found()
	if len(found) == 0 {
		r.Certificate.Memory = session.Robust
		return
	}
	text := "under sequential consistency only: " + h.delayed(found[0])
	if n := len(found) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more like it)", n)
	}
	r.Warnings = append(r.Warnings, result.Warning{Code: result.SequentialOnly, Text: text})
}

// delayed names a triangular race.
func (h *hunt) delayed(x *race.Triangle) string {
	place := result.Innermost(h.Frames([]uint64{x.Load.PC}))
	if x.Load.Size == 0 {
		return fmt.Sprintf("the store to %s may still be in thread %s's buffer when its call of %s begins or ends: %s",
			h.Guest.VariableName(x.Store.Addr), h.Guest.Name(x.Load.Thread), h.Guest.VariableName(x.Load.Addr), place.Where())
	}
	return fmt.Sprintf("the store to %s may still be in thread %s's buffer when it reads %s: %s",
		h.Guest.VariableName(x.Store.Addr), h.Guest.Name(x.Load.Thread), h.Guest.VariableName(max(x.Load.Addr, x.Racing.Addr)), place.Where())
}
