package relation

import "landgo/internal/trace"

// Steps that have the same effect in both orders, beyond the kinds of operations (kinds.go):
//
//   - Read-modify-writes of the same bytes whose results aren't used (trace.Blend). A counter
//     that n threads increment has one order, not n!. They don't commute with reads, other
//     writes or blends, and so a read comes after all of those that it finds, each for itself.
//   - Arrivals at a barrier in one round, where the program doesn't ask which came last
//     (trace.Gathers). Which thread completes the round, and which are in the next one, is a
//     matter of order: two arrivals commute if both are in the round in each order. That is so
//     for two of one round of the execution, since a round is over before an arrival of the next.
//     It isn't known of a step that hasn't been taken, which may be kept out of the round by the one
//     that completes it. Each thread leaves after all of its round's arrivals, an order that is
//     never reversed.
//
// The System says for which steps that is so; here it is taken for true. In Godefroid's
// terms (1996, ch. 3) this is a finer independence of the same operations: conditional on
// the round, and on what the code does with a result.

// commutes reports whether an access of all bytes in m, which blends, has the same result
// before r.
func (r *accRec) commutes(m uint8, blend trace.Blend) bool {
	return r.blend.Commutes(blend) && r.mask == m
}

// r is being made of access a for granule n. blends notes how a blends, and finds the
// access before it with which it commutes.
func (x *index) blends(n int32, r *accRec, a *trace.Access) int32 {
	if r.blend = a.Blends(); r.blend == trace.NoBlend {
		return -1
	}
	for k := x.grans[n].head; k >= 0 && x.accs[k].below&r.mask != 0; k = x.accs[k].prev {
		if y := &x.accs[k]; y.mask&r.mask != 0 {
			if y.commutes(r.mask, r.blend) {
				return k
			}
			return -1
		}
	}
	return -1
}

// findBlended finds access k, and those before it that it commutes with: what is older happens
// before each of them.
func (o *Order) findBlended(e *Event, k int32, base []int32) {
	for ; k >= 0; k = o.accs[k].blended {
		o.find(e, o.accs[k].ev, base)
	}
}

// gather reports whether two arrivals at a barrier commute, as far as they themselves tell:
// neither completes its round.
func gather(a, b uint64) bool {
	return a&b&trace.Gathers != 0 && (a|b)&trace.Completes == 0
}

// arrived finds the arrivals that an arrival e comes after, from record r on: those of the
// round before. It reports whether that was it; until then r is of e's own round.
func (o *Order) arrived(e *Event, r int32, base []int32) bool {
	if o.ops[r].arg&trace.Completes == 0 {
		return false
	}
	o.round(r, func(i int32) { o.find(e, i, base) })
	return true
}

// round calls f for the events that arrived in the round that record r completed. Events
// before that round happen before each of them.
func (o *Order) round(r int32, f func(i int32)) {
	f(o.ops[r].ev)
	for r = o.ops[r].prev; r >= 0; r = o.ops[r].prev {
		switch y := &o.ops[r]; {
		case y.kind == trace.OpBarrierLeave:
		case y.kind != trace.OpBarrierArrive || y.arg&trace.Gathers == 0:
			f(y.ev)
			return
		case y.arg&trace.Completes != 0:
			return
		default:
			f(y.ev)
		}
	}
}

// beforeRound calls f for the arrivals of the round that thread t leaves.
func (o *Order) beforeRound(t trace.TID, op *trace.Op, f func(c int32)) {
	completed := int32(-1)
	for r := o.objs[o.object(op)].head; r >= 0; r = o.ops[r].prev {
		y := &o.ops[r]
		if y.kind != trace.OpBarrierArrive || y.arg&trace.Gathers == 0 {
			continue
		}
		if y.arg&trace.Completes != 0 {
			completed = r
		}
		if o.ev[y.ev].thread == t {
			break
		}
	}
	if completed >= 0 {
		o.round(completed, f)
	}
}
