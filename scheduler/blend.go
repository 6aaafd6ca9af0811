package scheduler

import (
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Steps that come to the same in both orders, for a search that asks (por.Blender):
//
//   - locked instructions that add to memory or combine bits, and whose results aren't used.
//     That is so by the code alone: the flags, and a register that gets what memory held, are
//     overwritten on every path before they are read (static.Blends). What the two orders leave
//     different is nothing that the thread ever looks at.
//   - exchanges with memory of which the result isn't used, where stores have no order
//     (Overwrite). They are stores then.
//   - arrivals at a trusted barrier whose result isn't read (library/barrier.go).
//
// Detectors beside the search see one order of the two. So those that ask for happens-before
// take no order from it (race.blended, race.Triangular); with --fail-on race, where accesses
// have to be seen as neighbours, nothing blends. Nor does anything with store buffers, or where
// steps have several accesses. Where a thread awaits a value (await.go), no locked instruction
// does: the thread may go on without two of them, though without neither alone.

// Blend implements por.Blender.
func (s *System) Blend(on bool) {
	s.blending = on && !s.cfg.Ordered && !s.steered() && !s.Coarse() && !s.cfg.Buffers
	s.Unlist()
}

// Overwrite implements por.Overwriter.
func (s *System) Overwrite(on bool) {
	s.overwriting = on && !s.steered() && !s.Coarse() && !s.cfg.Buffers
	s.Unlist()
}

// Blending reports whether the search was promised to be told what blends.
func (s *fixed) Blending() bool { return s.blending }

// blend marks the accesses that blend.
func (s *System) blend(list []trace.Access) {
	for i := range list {
		if a := &list[i]; a.Flags&trace.RMW != 0 && canAwait(a) {
			a.SetBlend(s.blendAt(a.PC))
		}
	}
}

// blendAt is static.Blends, remembered.
func (s *System) blendAt(pc uint64) trace.Blend {
	b, ok := s.blends[pc]
	if !ok {
		if b = static.Blends(s.image.File, pc); b != trace.NoBlend && s.image.FlagsCross() {
			b = trace.NoBlend
		}
		s.blends[pc] = b
	}
	if b == trace.BlendStore && !s.overwriting || b != trace.BlendStore && (!s.blending || len(s.known.Awaits) > 0) {
		return trace.NoBlend
	}
	return b
}

// ResultDead is static.ResultDead, remembered.
func (s *named) ResultDead(pc uint64) bool {
	dead, ok := s.unread[pc]
	if !ok {
		dead = static.ResultDead(s.image.File, pc)
		s.unread[pc] = dead
	}
	return dead
}
