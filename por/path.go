package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// path is the execution under way, E in the papers: its states, what can run in
// each and with how many outcomes, and what sleeps there. Searches read it; only
// the explorer makes it longer and shorter (explorerpath.go).
type path struct {
	nodes     []node          // nodes[i] is the state before event i; the last is the current one
	order     *relation.Order // happens-before on its events, nil if the search doesn't need it
	at        int             // the state in which the System stands, -1: after an end of the process
	present   *trace.Present  // of that state
	threads   []trace.Thread  // the same
	ready     []uint64        // bit sets of the states' ready threads, words each
	words     int             // of a bit set
	sleep     []*branch       // the states' sleep sets, end to end
	choices   []choice        // threads with several outcomes, per state
	observers *observers      // the layer over the System, nil but in that search
	// divided: other walks may be exploring what is before or beside what this one explores.
	divided bool
	spins   []spin  // spinning threads and their reads
	spin    []int32 // per thread: index+1 in spins
	waits   []trace.Access
	insns   []uint64 // per thread: its instruction number
}

// node is a state of the path, and the event that leads on from it.
type node struct {
	mark        trace.Mark
	marked      bool
	shared      *sharedState // other workers explore below it; nil if none does
	copied      bool         // todo is a copy of what shared has
	cur         *branch      // the branch that is being explored: event i
	kept        *branch      // event i for chains, nil until one needs it
	todo        *branch      // backtrack set or wakeup tree: to be explored, in order
	done        *branch      // explored
	over        *branch      // refused: over the bound
	begin, last uint64
	running     trace.TID // the thread of the event before
	next        trace.TID // of the guest's own choice (trace.Thread.Next)
	couldGoOn   bool      // switching away from it is a preemption
	preemptions int       // up to here
	sleeps      int32     // path.sleep[sleeps:slept] is the sleep set
	slept       int32
	strays      int32 // of those, the first are strays (wakeup.go)
	choices     int32 // len(path.choices) before
	spins       int32 // len(path.spins) before
	seen        int32 // len(path.waits) before
	depth       int32
	turn        int32  // how many events before it are of that thread, one after the other
	leads       bool   // to the rest of a wakeup tree: its event was run for that
	ended       bool   // an execution ended here
	ending      Ending // how, if nothing is left to explore from the start
}

type choice struct {
	thread   trace.TID
	outcomes uint32
	ways     []trace.Choice // the outcomes' names, in the order in which to try them; nil: 0 to outcomes-1
}

// spin notes that a thread was seen spinning, with its reads in waits[lo:hi], or
// (old > 0) that it went on: path.spin was old before.
type spin struct {
	thread trace.TID
	lo, hi int32
	old    int32
}

// depth is the number of events.
func (p *path) depth() int { return len(p.nodes) - 1 }

// event is event i.
func (p *path) event(i int32) *relation.Event { return &p.nodes[i].cur.Event }

// isReady reports whether t can run in the state before event i.
func (p *path) isReady(i int32, t trace.TID) bool {
	w := int(t) / 64
	return w < p.words && p.ready[int(i)*p.words+w]>>(uint(t)%64)&1 != 0
}

// readySet is the bit set of the threads that can run in n.
func (p *path) readySet(n *node) []uint64 {
	return p.ready[int(n.depth)*p.words : (int(n.depth)+1)*p.words]
}

// outcomes is the number of outcomes of ready thread t's step in the state of n.
func (p *path) outcomes(n *node, t trace.TID) trace.Choice { return p.choice(n, t).count() }

// possible reports whether ready thread t's step may have outcome c in the state of n.
func (p *path) possible(n *node, t trace.TID, c trace.Choice) bool {
	ch := p.choice(n, t)
	if ch == nil || ch.ways == nil {
		return c < ch.count()
	}
	return slices.Contains(ch.ways, c)
}

// choice is the outcomes of ready thread t's step in the state of n; nil: it has one, 0.
// It is good until the path is longer.
func (p *path) choice(n *node, t trace.TID) *choice {
	hi := int32(len(p.choices))
	if int(n.depth)+1 < len(p.nodes) {
		hi = p.nodes[n.depth+1].choices
	}
	for i := n.choices; i < hi; i++ {
		if p.choices[i].thread == t {
			return &p.choices[i]
		}
	}
	return nil
}

func (c *choice) count() trace.Choice {
	if c == nil {
		return 1
	}
	return trace.Choice(c.outcomes)
}

// way is the name of outcome number k.
func (c *choice) way(k trace.Choice) trace.Choice {
	if c == nil || c.ways == nil {
		return k
	}
	return c.ways[k]
}

// sleepers is the sleep set of n.
func (p *path) sleepers(n *node) []*branch { return p.sleep[n.sleeps:n.slept] }

// asleep reports whether t's step with outcome c sleeps in n.
func (p *path) asleep(n *node, t trace.TID, c trace.Choice) bool {
	for _, b := range p.sleepers(n) {
		if b.Thread == t && b.Choice == c {
			return true
		}
	}
	return false
}

// spinReads are the reads of thread t's loop, if its next step ends a spin.
func (p *path) spinReads(t trace.TID) []trace.Access {
	if k := p.spin[t]; k != 0 {
		return p.waits[p.spins[k-1].lo:p.spins[k-1].hi]
	}
	return nil
}

// thread is thread t in the newest state, nil if it isn't there yet.
func (p *path) thread(t trace.TID) *trace.Thread { return p.present.Thread(t) }

// atLeast returns list with n entries or more, new ones at zero.
func atLeast[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	return append(list, make([]T, n-len(list))...)
}

// pathSteps implements walker.
func (p *path) pathSteps(dst []PathStep) []PathStep {
	dst = slices.Grow(dst, p.depth())
	for i := range p.depth() {
		n := &p.nodes[i]
		dst = append(dst, PathStep{Thread: n.cur.Thread, Choice: n.cur.Choice, Begin: n.begin, Last: n.last, Preemption: n.preempts()})
	}
	return dst
}

// preempts reports whether the event that leads on from n is a preemption.
func (n *node) preempts() bool { return !n.cur.Beside() && n.preempting(n.cur.Thread) }

// preempting reports whether running t in the state of n is a preemption.
func (n *node) preempting(t trace.TID) bool { return n.couldGoOn && t != n.running }
