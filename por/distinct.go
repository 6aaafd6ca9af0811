package por

import "landgo/internal/trace"

// distinct is the set of traces that were seen, as 128-bit digests. Two
// executions have the same digest if and only if they are the same Mazurkiewicz
// trace, as far as 128 bits go.
//
// A trace is its events and their happens-before order. An event is named by its
// thread, its number within the thread and its outcome. Its clock vector says
// how many events of each thread happen before it; it is counted so that it
// doesn't depend on the linearisation. That says all. The digest is the sum of
// the events' hashes, in any order.
//
// Memory: about 40 bytes a trace.
type distinct struct {
	seen    map[trace.Digest]struct{}
	numbers []uint32 // per position: the event's number within its thread, from 1
	counts  []uint32 // per thread
}

func (d *distinct) clear() { d.seen = map[trace.Digest]struct{}{} }

// add adds the current execution and returns the number of traces.
func (d *distinct) add(p *path) uint64 {
	d.seen[d.digest(p)] = struct{}{}
	return uint64(len(d.seen))
}

func (d *distinct) digest(p *path) (sum trace.Digest) {
	o := p.order
	d.numbers = d.numbers[:0]
	d.counts = append(d.counts[:0], make([]uint32, o.Width())...)
	for i := range int32(o.Len()) {
		t := o.Thread(i)
		d.counts[t]++
		d.numbers = append(d.numbers, d.counts[t])
		h := trace.NewHash()
		h.Word(uint64(t)<<32 | uint64(d.counts[t]))
		h.Word(uint64(p.event(i).Choice))
		for u, c := range o.Clock(i) {
			if c > 0 {
				h.Word(uint64(u)<<32 | uint64(d.numbers[c-1]))
			}
		}
		sum.Add(h.Sum())
	}
	return sum
}
