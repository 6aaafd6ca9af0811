package session

import (
	"cmp"
	"slices"

	"landgo/internal/explore/saved"
	"landgo/por"
)

// The lines that a unit of a search has reached, on their way to another process.

// Saved is that as plain data. nil: coverage isn't asked for.
func (r *Reached) Saved() *saved.Reached {
	if r == nil {
		return nil
	}
	out := &saved.Reached{Pieces: len(r.ran)}
	for i, ran := range r.ran {
		if ran {
			out.Ran = append(out.Ran, i)
		}
	}
	for at, n := range r.points {
		out.Points = append(out.Points, saved.ReachedPoint{PC: at.pc, Kind: at.kind, Flags: at.flags, Reached: n.reached, Switched: n.switched})
	}
	slices.SortFunc(out.Points, func(a, b saved.ReachedPoint) int {
		return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Flags, b.Flags))
	})
	return out
}

// ReadReached takes Saved's data. An error: it is of another guest, or isn't there though
// coverage is asked for.
func (s *Session) ReadReached(o *saved.Reached) (*Reached, error) {
	c := s.Covered
	if c == nil {
		return nil, nil
	}
	if o == nil || o.Pieces != len(c.pieces) {
		return nil, por.ErrPart
	}
	r := c.nothing()
	for _, i := range o.Ran {
		if i < 0 || i >= len(r.ran) {
			return nil, por.ErrPart
		}
		r.ran[i] = true
	}
	for _, p := range o.Points {
		r.points[point{p.PC, p.Kind, p.Flags}] = &passage{p.Reached, p.Switched}
	}
	return r, nil
}
