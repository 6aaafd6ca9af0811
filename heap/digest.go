package heap

import "landgo/internal/trace"

// Digest is a digest of all that a later call's result depends on: which blocks
// there are and were, and where the next ones will be. Two histories that lead
// to the same have the same; which steps made the calls isn't in it.
func (h *Heap) Digest() trace.Digest {
	var sum trace.Digest // Digest.Add commutes
	for p, n := range h.last {
		b := &h.blocks[n-1]
		d := trace.NewHash()
		d.Words(p.addr, b.Size, uint64(b.Family), uint64(b.Origin))
		if b.Freed {
			d.Word(1)
		}
		if r := h.room[n-1]; r >= 0 {
			d.Words(h.rooms[r].addr, uint64(h.rooms[r].class))
		}
		sum.Add(d.Sum())
	}
	for _, a := range h.arenas {
		if a.parts[0].next|a.parts[1].next|a.parts[2].next == 0 {
			continue
		}
		d := trace.NewHash()
		d.Words(a.parts[0].base, a.parts[0].next, a.parts[1].next, a.parts[2].next)
		for c, r := range a.free {
			for ; r > 0; r = h.rooms[r-1].link {
				d.Words(uint64(c), h.rooms[r-1].addr)
			}
		}
		sum.Add(d.Sum())
	}
	return sum
}
