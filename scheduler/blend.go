package scheduler

import (
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Steps that have the same effect in both orders, for a search that asks (por.Blender):
//
//   - locked instructions that add to memory or combine bits, and whose results aren't used.
//     That is so by the code alone: the flags, and a register that gets what memory held, are
//     overwritten on every path before they are read (static.Blends). The thread never looks at
//     what the two orders leave different.
//   - those that add, and of whose results only is used whether a count is above zero, as long
//     as it is (above.go).
//   - those that add one, or take one away, and of whose results only is used whether a count was
//     below a number, at it, or above it. Two commute that find counts on one side (tested.go).
//   - exchanges with memory whose result isn't used, where stores have no order
//     (Overwrite). They are stores then.
//   - arrivals at a trusted barrier whose result isn't read (library/barrier.go).
//
// Detectors beside the search see one order of the two. So those that ask for happens-before
// take no order from it (race.blended, race.Triangular); with --fail-on race, where accesses
// have to be seen as neighbours, nothing blends. Nothing does where steps have several
// accesses, either. With store buffers a thread's is empty where it makes a locked instruction or arrives
// (TestBuffersBlend in por judges both). Locked instructions on bytes that threads await (await.go,
// counted.go) commute in some cases only (between.go): such a thread may go on without two of them, though without
// neither alone. And the values between them have to be those of one order.

// blends are the instructions that have the same effect in both orders.
type blends struct {
	in       *present
	learning *learning
	ops      *wordOps
	on       bool // steps that have the same effect in both orders are told
	tallying bool // and additions to counts that stay above zero (above.go)
	testing  bool // and others, where they find numbers on one side of another (tested.go)
	// overwriting: of stores of the same bytes the search runs one order, unless they are
	// read, and exchanges whose results aren't used are told.
	overwriting bool
	// The code's properties, by place: of locked instructions, of those that add and are
	// tested, and behind calls, where results aren't used.
	blends map[uint64]trace.Blend
	leasts map[uint64]int64
	adds   map[uint64]tested
	// reading: there were additions that are over only behind reads that follow (due.go).
	reading bool
	side    side // of the addition that a thread is about to make (sides.go)
	unread  map[uint64]bool
}

// Blend implements por.Blender.
func (s *System) Blend(on bool) {
	s.Blends.tallying, s.Blends.testing = false, false
	s.Blends.on = on && !s.cfg.Ordered && !s.steered() && !s.Coarse()
	s.Unlist()
}

// Overwrite implements por.Overwriter.
func (s *System) Overwrite(on bool) {
	s.Blends.overwriting = on && !s.steered() && !s.Coarse() && !s.cfg.Buffers
	s.Unlist()
}

// Arrivals reports whether arrivals at a barrier may blend.
func (bl *blends) Arrivals() bool { return bl.on }

// mark marks the accesses of a step that blend, made since a moment of the machine's journal.
func (bl *blends) mark(tr *trace.Transition, list []trace.Access, since uint64) {
	for i := range list {
		if a := &list[i]; a.Flags&trace.RMW != 0 && canAwait(a) {
			b := bl.at(tr.Thread, a)
			if b == trace.NoBlend && bl.testing {
				b, tr.More = bl.found(a, since)
			}
			a.SetBlend(b)
		}
	}
}

// mostAwaited is how many bytes may be awaited before nothing blends: with new ones all begins
// again.
const mostAwaited = 128

// noteAwaited notes that a thread awaits a value of these bytes.
func (bl *blends) noteAwaited(a *trace.Access) {
	for b := a.Addr; b < a.Addr+uint64(a.Size) && len(bl.learning.known.Awaited) <= mostAwaited; b++ {
		bl.learning.finer = bl.learning.finer || bl.on && !bl.learning.known.Awaited[b]
		bl.learning.known.Awaited[b] = true
	}
}

// isAwaited reports whether a thread was seen to await a value of some of these bytes.
func (bl *blends) isAwaited(a *trace.Access) bool {
	for b := a.Addr; b < a.Addr+uint64(a.Size) && len(bl.learning.known.Awaited) > 0; b++ {
		if bl.learning.known.Awaited[b] {
			return true
		}
	}
	return len(bl.learning.known.Awaited) > mostAwaited
}

// at is how an access of thread t blends: static.Blends, remembered, or as one of those that
// are counted (above.go).
func (bl *blends) at(t trace.TID, a *trace.Access) trace.Blend {
	b := bl.byCode(a.PC)
	if b == trace.NoBlend && bl.leastAt(a.PC) > 0 && !bl.isBelow(t, a) {
		b = trace.BlendAdd
	}
	if b == trace.NoBlend || b == trace.BlendStore && !bl.overwriting || b != trace.BlendStore && (!bl.on || bl.isAwaited(a)) ||
		bl.in.image.FlagsCross() {
		return trace.NoBlend
	}
	return b
}

// byCode is static.Blends, remembered.
func (bl *blends) byCode(pc uint64) trace.Blend {
	b, ok := bl.blends[pc]
	if !ok {
		b = static.Blends(bl.in.image.File, pc)
		bl.blends[pc] = b
	}
	return b
}

// ResultDead is static.ResultDead, remembered. So is a result of which the code only tells that it is one of two.
func (bl *blends) ResultDead(pc uint64, one, other uint32) bool {
	dead, ok := bl.unread[pc]
	if !ok {
		dead = static.ResultDead(bl.in.image.File, pc) || !bl.in.image.FlagsCross() && static.EitherResult(bl.in.image.File, pc, one, other)
		bl.unread[pc] = dead
	}
	return dead
}

// blindly reports whether an instruction adds, and nothing of what it finds is used.
func (bl *blends) blindly(pc uint64) bool {
	return bl.byCode(pc) == trace.BlendAdd && !bl.in.image.FlagsCross()
}
