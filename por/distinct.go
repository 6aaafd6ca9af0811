package por

import "landgo/internal/trace"

// distinct is the set of traces that were seen, by their digests (relation.Order.Digest).
//
// Memory: about 40 bytes a trace.
type distinct struct{ seen map[trace.Digest]struct{} }

func (d *distinct) clear() { d.seen = map[trace.Digest]struct{}{} }

// add adds the current execution and returns the number of traces.
func (d *distinct) add(p *path) uint64 {
	d.seen[p.order.Digest()] = struct{}{}
	return uint64(len(d.seen))
}
