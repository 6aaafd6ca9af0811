package trust

import (
	"cmp"
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// guide is K, the events that have to come into a graph that is made again, in the
// order in which they stood (maximal.go). The part of it that is in the graph again
// is closed under what happened before.
type guide struct {
	events []guided
	order  *relation.Order // of them by number, for what they depend on: no clocks
	of     [][]int32       // per thread: its events' numbers
	in     []int32         // per thread: the number+1 of its last event that is in
	done   []int           // per thread: how many are in
	left   int             // aren't in
	clocks []int32
	found  []int32
	displ  displacers
}

// guided is an event of a guide.
type guided struct {
	*deed
	at    int32   // where it stood
	clock []int32 // the events that happened before it there
	now   int32   // where it stands
}

func (g *guided) before(h *guided) bool { return h.clock[g.Thread] > g.at }

// fill makes the guide of the events of w from r on.
func (g *guide) fill(w *Walk, r int) {
	n, width := w.size()-r, w.order.Width()
	if g.order == nil {
		g.order = relation.New()
	}
	g.clocks = g.clocks[:0]
	for i := range n {
		g.clocks = append(g.clocks, w.order.Clock(int32(r+i))...)
	}
	g.in, g.done, g.left = slices.Grow(g.in[:0], width)[:width], slices.Grow(g.done[:0], width)[:width], n
	clear(g.in)
	clear(g.done)
	g.of = atLeast(g.of, width)
	for i := 0; i < n; i++ {
		b := w.pool.copy(&w.steps[r+i].Event)
		g.events = append(g.events, guided{deed: b, at: int32(r + i), clock: g.clocks[i*width : (i+1)*width], now: -1})
		g.order.Note(&b.Event)
		g.of[b.Thread] = append(g.of[b.Thread], int32(i))
	}
}

// empty gives back what the guide has.
func (g *guide) empty(p *pool) {
	for i := len(g.events) - 1; i >= 0; i-- {
		g.order.Pop()
		p.put(g.events[i].deed)
	}
	for t := range g.of {
		g.of[t] = g.of[t][:0]
	}
	clear(g.events)
	g.events, g.left = g.events[:0], 0
}

// next is the number of thread t's next event that isn't in, -1 if all are.
func (g *guide) next(t trace.TID) int {
	if g.left == 0 || t == trace.NoThread || g.done[t] == len(g.of[t]) {
		return -1
	}
	return int(g.of[t][g.done[t]])
}

// enter notes that event i is in the graph, at now.
func (g *guide) enter(i int, now int32) {
	e := &g.events[i]
	e.now = now
	g.in[e.Thread], g.left = int32(i)+1, g.left-1
	g.done[e.Thread]++
}

// free reports whether all that happens before event i, its thread's next, is in.
func (g *guide) free(i int) bool {
	e := &g.events[i]
	for t, c := range e.clock {
		if k := g.next(trace.TID(t)); k >= 0 && trace.TID(t) != e.Thread && g.events[k].at < c {
			return false
		}
	}
	return true
}

// missing lists what happens before event i and isn't in, in order.
func (g *guide) missing(i int) []int32 {
	g.found = g.found[:0]
	e := &g.events[i]
	for t, c := range e.clock {
		for _, k := range g.of[t][g.done[t]:] {
			if g.events[k].at >= c || int(k) == i {
				break
			}
			g.found = append(g.found, k)
		}
	}
	slices.SortFunc(g.found, cmp.Compare[int32])
	return g.found
}

// first is the number of the event that displaces e, -1 for none. e is event k
// of the guide if k isn't -1.
func (g *guide) first(e *relation.Event, k int) int {
	if g.left == 0 {
		return -1
	}
	g.found = g.order.Conflicts(e, g.in, g.found[:0])
	g.displ.begin(e)
	for _, i := range g.found {
		if k < 0 || int(i) <= k || !g.events[k].before(&g.events[i]) {
			g.displ.add(i, &g.events[i].Event)
		}
	}
	return int(g.displ.first(func(i, j int32) bool { return g.events[i].before(&g.events[j]) }))
}
