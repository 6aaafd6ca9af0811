package scheduler

import "landgo/internal/trace"

// A load of which the thread's own stores, since it last waited for its buffer, have bytes, but none has all:
// it is cut into pieces, each with one answer. That is a store, if the buffer has it still, else memory.
// A piece depends on other threads' updates of its bytes as a load of its own would. Which store has a byte
// follows from the thread's past alone, so a load is cut alike in all orders.

// pieces are those of a load; nil: it is in one piece.
func (th *thread) pieces(a *trace.Access) (list []trace.Access) {
	if o, whole := th.answer(a.Addr, uint64(a.Size)); o == nil || whole {
		return nil
	}
	lo, hi := a.Counted()
	var last *ordinal
	for at, end := a.Addr, a.Addr+uint64(a.Size); at < end; at++ {
		o, _ := th.answer(at, 1)
		if at > a.Addr && o == last {
			list[len(list)-1].Size++
			continue
		}
		last = o
		p := *a
		if p.Addr, p.Size = at, 1; o != nil && o.n > th.updated() {
			p.Flags |= trace.Buffered
		}
		list = append(list, p)
	}
	for i := range list {
		p := &list[i]
		if end := p.Addr + uint64(p.Size); a.Ahead != 0 {
			p.Ahead = trace.MakeAhead(max(lo, p.Addr)-p.Addr, end-min(hi, end))
		}
	}
	return list
}
