package por

import (
	"landgo/internal/trace"
)

// gates leads some of a random walk's runs (option gates). Threads wait at each gate until all that
// can run stand at one. Then the thread that passed the fewest goes on, to its next gate.
//
// A ring of thirty locks is a deadlock where each thread has its first lock before any has its
// second. In a random walk some thread is always faster. With gates at the locks all threads
// take their first one in the first round. DeadlockFuzzer (Joshi, Park, Sen and Naik, PLDI 2009)
// has threads wait at the locks of a cycle that it suspects, too. Deviation: nothing is suspected here;
// every lock is a gate, and in three of six such runs every operation is. Of the threads that have passed
// equally often, the one that came last goes first, or the one that came first, or any, in turn. Where each
// then waits for the one before it, the ring needs one preemption.
type gates struct {
	all    bool     // each operation is one
	order  order    // of threads that have passed equally often
	passed []uint32 // by thread
	last   trace.TID
	alone  int // steps that it has taken since it was drawn
}

// stint is how many steps a thread takes at the most before another is drawn. It may wait for one at a
// gate, by a loop that isn't known as one.
const stint = 256

type order uint8

const (
	lastFirst order = iota
	firstFirst
	anyFirst
	orders
)

// begin begins the run that is the n-th with gates.
func (g *gates) begin(n uint64) {
	g.order, g.all = order(n%uint64(orders)), n/uint64(orders)%2 == 1
	g.passed, g.last = g.passed[:0], trace.NoThread
}

// gate reports whether a thread that can run stands at one.
func (g *gates) gate(t *trace.Thread) bool {
	switch t.Pending.Kind {
	case trace.OpAccess:
		return !t.Updates && t.PendingAccess.Flags&trace.RMW != 0
	case trace.OpLock, trace.OpTryLock, trace.OpReadLock, trace.OpWriteLock, trace.OpSemWait, trace.OpSemTryWait:
		return true
	}
	return g.all
}

func (g *gates) pick(s *sampling) trace.TID {
	ready := s.path.present.Ready
	g.passed = atLeast(g.passed, 64*len(ready))
	tired := g.alone >= stint
	if g.last != trace.NoThread && ready.Has(g.last) && !tired {
		if t := s.path.thread(g.last); !t.Yielding && !g.gate(t) {
			g.alone++
			return g.last
		}
	}
	g.alone = 0
	// Those that stand at no gate come first, then those that have passed fewest.
	rank := func(t *trace.Thread) uint32 {
		if tired || !g.gate(t) {
			return 0
		}
		return 1 + g.passed[t.ID]
	}
	least, n := ^uint32(0), 0
	for t := range ready.All {
		switch r := rank(s.path.thread(t)); {
		case r < least:
			least, n = r, 1
		case r == least:
			n++
		}
	}
	switch g.order {
	case lastFirst:
		n--
	case firstFirst:
		n = 0
	default:
		n = s.rand.IntN(n)
	}
	for id := range ready.All {
		t := s.path.thread(id)
		if rank(t) != least {
			continue
		}
		if n == 0 {
			if g.gate(t) {
				g.passed[id]++
			}
			g.last = id
			return id
		}
		n--
	}
	panic("por: no thread of the least rank")
}
