package explore

import (
	"slices"

	"landgo/internal/explore/story"
)

// chooses reports whether the guest is given values, or its calls fail.
func (h *hunt) chooses() bool {
	return h.Config.Faults != "" || slices.Contains(h.Guest.Seen().Calls(), "landgo_choice")
}

// plainer makes the values of a finding's execution smaller (shorter, values.go).
func (h *hunt) plainer(f *finding, run *counted) error {
	if !h.chooses() || !f.own() {
		return nil
	}
	st, err := story.Tell(h.Session, f.path)
	if err != nil {
		return err
	}
	s := h.shortener(f, run)
	h.within(s, func() { s.Plainer(st.Chosen()) })
	f.take(s.Bug)
	return nil
}
