package por

import "math/bits"

// distinct is the set of traces that were seen, as 128-bit digests: two
// executions have the same digest if they are the same Mazurkiewicz trace, and
// different ones if they aren't, as far as 128 bits go.
//
// A trace is its events and their happens-before order. An event is named by
// its thread, its number within the thread and its outcome; with how many events
// of each thread happen before it or are it (its clock vector, counted so that
// it doesn't depend on the linearisation) that says all. The digest is the sum
// of the events' hashes, in any order.
//
// Memory: about 40 bytes a trace.
type distinct struct {
	seen    map[[2]uint64]struct{}
	numbers []uint32 // per position: the event's number within its thread, from 1
	counts  []uint32 // per thread
}

func (d *distinct) clear() { d.seen = map[[2]uint64]struct{}{} }

// add adds the current execution and returns the number of traces.
func (d *distinct) add(x *explorer) uint64 {
	d.seen[d.digest(x)] = struct{}{}
	return uint64(len(d.seen))
}

func (d *distinct) digest(x *explorer) (sum [2]uint64) {
	o := x.order
	d.numbers = d.numbers[:0]
	d.counts = append(d.counts[:0], make([]uint32, o.width)...)
	for i := range o.ev {
		t := o.ev[i].thread
		d.counts[t]++
		d.numbers = append(d.numbers, d.counts[t])
		h := newDigest()
		h.mix(uint64(t)<<32 | uint64(d.counts[t]))
		h.mix(uint64(x.nodes[i].cur.choice))
		for u, c := range o.clock(int32(i)) {
			if c > 0 {
				h.mix(uint64(u)<<32 | uint64(d.numbers[c-1]))
			}
		}
		e := h.sum()
		var carry uint64
		sum[0], carry = bits.Add64(sum[0], e[0], 0)
		sum[1], _ = bits.Add64(sum[1], e[1], carry)
	}
	return sum
}

// digest is a hash of a sequence of words, the same on every machine: two lanes
// that are mixed with each word and with each other. For a given word each step
// is a bijection of the state, so nothing of what came before is lost.
type digest struct{ a, b uint64 }

// The first digits of pi, and odd constants without pattern.
func newDigest() digest { return digest{0x243f6a8885a308d3, 0x13198a2e03707344} }

func (h *digest) mix(v uint64) {
	h.a = (h.a ^ v) * 0x9e3779b97f4a7c15
	h.a = bits.RotateLeft64(h.a, 29) + h.b
	h.b = (h.b ^ bits.RotateLeft64(v, 32)) * 0xa4093822299f31d1
	h.b = bits.RotateLeft64(h.b, 37) ^ h.a
}

func (h *digest) sum() [2]uint64 {
	for range 4 {
		h.mix(0x082efa98ec4e6c89)
	}
	return [2]uint64{h.a, h.b}
}
