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
// the events' hashes, in any order. A clock is hashed as the sum of the names of the events that it
// has, for with a hundred threads that is most of the work.
//
// Memory: about 40 bytes a trace.
type distinct struct {
	seen   map[trace.Digest]struct{}
	names  []trace.Digest // per position: of the event's thread and number within that, from 1
	counts []uint32       // per thread
}

func (d *distinct) clear() { d.seen = map[trace.Digest]struct{}{} }

// add adds the current execution and returns the number of traces.
func (d *distinct) add(p *path) uint64 {
	d.seen[d.digest(p)] = struct{}{}
	return uint64(len(d.seen))
}

func (d *distinct) digest(p *path) (sum trace.Digest) {
	o := p.order
	d.names = d.names[:0]
	d.counts = append(d.counts[:0], make([]uint32, o.Width())...)
	for i := range int32(o.Len()) {
		t := o.Thread(i)
		d.counts[t]++
		h := trace.NewHash()
		h.Word(uint64(t)<<32 | uint64(d.counts[t]))
		d.names = append(d.names, h.Sum())
		var before trace.Digest
		for _, c := range o.Clock(i) {
			if c > 0 {
				before.Add(d.names[c-1])
			}
		}
		h.Words(uint64(p.event(i).Choice), before[0], before[1])
		sum.Add(h.Sum())
	}
	return sum
}
