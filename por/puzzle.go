package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/readsfrom"
	"landgo/por/relation"
)

// puzzle is the question whether steps have an order in which each load finds its store
// (sources.go, package readsfrom). Stores and loads of cells are its nodes.
type puzzle struct {
	graph readsfrom.Graph
	nodes []puzzleNode
	rank  []int32
}

type puzzleNode struct {
	step  int32 // of the path, -1 if it isn't there
	cell  *storeCell
	loads bool
	name  trace.Choice // of a store, or of what a load finds
}

// pose begins a question about the path's steps for which has holds.
func (o *observers) pose(has func(i int32) bool) {
	p := &o.puzzle
	o.number()
	p.nodes, p.rank = p.nodes[:0], p.rank[:0]
	for i := range int32(len(o.steps)) {
		if s := o.steps[i]; s.cell != nil && has(i) {
			p.nodes = append(p.nodes, puzzleNode{i, s.cell, !s.Accesses[0].IsWrite(), s.Choice})
			p.rank = append(p.rank, o.at[i])
		}
	}
}

// beside adds a step that isn't of the path, and says its node's number.
func (p *puzzle) beside(n puzzleNode) int {
	p.nodes, p.rank = append(p.nodes, n), append(p.rank, int32(1)<<30)
	return len(p.nodes) - 1
}

// order gives the nodes the order of the path.
func (o *observers) orderNodes() {
	p := &o.puzzle
	p.graph.Reset(p.rank)
	for j := range p.nodes {
		b := p.nodes[j].step
		if b < 0 {
			break
		}
		clock := o.order.Clock(b)
		for i := range p.nodes[:j] {
			if a := p.nodes[i].step; clock[o.order.Thread(a)] > a {
				p.graph.Given(i, j)
			}
		}
	}
}

// behind says that node n comes after those of the path that are in a clock. It reports
// whether that can be.
func (o *observers) behind(n int, clock []int32) bool {
	p := &o.puzzle
	for i := range p.nodes {
		a := p.nodes[i].step
		if a >= 0 && clock[o.order.Thread(a)] > a && !p.graph.Order(i, n) {
			return false
		}
	}
	return true
}

// store is the node that stores what node n loads, Initial if it finds what was there first.
func (p *puzzle) store(n int) (i int, ok bool) {
	if p.nodes[n].name == initial {
		return readsfrom.Initial, true
	}
	i = slices.IndexFunc(p.nodes, func(m puzzleNode) bool {
		return !m.loads && m.cell == p.nodes[n].cell && m.name == p.nodes[n].name
	})
	return i, i >= 0
}

// solve answers the question.
func (p *puzzle) solve() bool {
	for k := range p.nodes {
		p.nodes[k].cell.nodes = p.nodes[k].cell.nodes[:0]
	}
	for k := range p.nodes {
		if n := &p.nodes[k]; !n.loads {
			n.cell.nodes = append(n.cell.nodes, int32(k))
		}
	}
	for k := range p.nodes {
		if n := &p.nodes[k]; n.loads {
			from, ok := p.store(k)
			if !ok || from >= 0 && !p.graph.Order(from, k) {
				return false
			}
			p.graph.Finds(k, from, n.cell.nodes)
		}
	}
	return p.graph.Solve()
}

// poseLoad reports whether the next step of thread t, with base before it, can find in c what
// step i stored.
func (o *observers) poseLoad(t trace.TID, c *storeCell, i int32, base []int32) bool {
	o.pose(func(int32) bool { return true })
	n := o.puzzle.beside(puzzleNode{-1, c, true, o.nameOf(i)})
	o.orderNodes()
	return o.behind(n, base) && o.puzzle.solve()
}

// linear is an order of the path's steps, and of one more with base before it, as poseLoad
// has found it. It is as near to the present one as that allows.
func (o *observers) linear(base []int32) []int32 {
	p, n := &o.puzzle, int32(len(o.steps))
	node := make([]int, n+1)
	for i := range node {
		node[i] = -1
	}
	for k := range p.nodes[:len(p.nodes)-1] {
		node[p.nodes[k].step] = k
	}
	node[n] = len(p.nodes) - 1
	list, done := make([]int32, 0, n+1), make([]bool, n+1)
	var put func(i int32)
	put = func(i int32) {
		if done[i] {
			return
		}
		done[i] = true
		clock := base
		if i < n {
			clock = o.order.Clock(i)
		}
		before := []int32{}
		for t, k := range clock {
			if k-1 == i {
				k = o.order.Prev(i) + 1
			}
			if k > 0 && t < o.order.Width() {
				before = append(before, k-1)
			}
		}
		if k := node[i]; k >= 0 {
			for j := range p.nodes {
				if j != k && p.graph.Precedes(j, k) {
					if m := p.nodes[j].step; m >= 0 {
						before = append(before, m)
					} else {
						before = append(before, n)
					}
				}
			}
		}
		slices.SortFunc(before, func(a, b int32) int { return o.place(a) - o.place(b) })
		for _, j := range before {
			put(j)
		}
		list = append(list, i)
	}
	for _, i := range o.real.order {
		put(i)
	}
	put(n)
	return list
}

// place is where step i is in the present order; one that isn't there comes last.
func (o *observers) place(i int32) int {
	if int(i) < len(o.at) {
		return int(o.at[i])
	}
	return len(o.at)
}

// last adds the last step of v, if it is a load.
func (o *observers) last(v *relation.Sequence) int {
	e := &v.Last.Event
	if !e.Loads() {
		return -1
	}
	return o.puzzle.beside(puzzleNode{-1, o.open(&e.Accesses[0]), true, e.Choice})
}

// poseAlso reports whether the newest step, a load, can have another outcome with b, a load that
// was possible before it.
func (o *observers) poseAlso(i int32, way trace.Choice, b *relation.Step) bool {
	p := &o.puzzle
	o.pose(func(j int32) bool { return j < i })
	n := p.beside(puzzleNode{-1, o.steps[i].cell, true, way})
	m := p.beside(puzzleNode{-1, o.open(&b.Accesses[0]), true, b.Choice})
	o.orderNodes()
	return o.behind(n, o.baseAt(o.steps[i].Thread, i)) && o.behind(m, o.baseAt(b.Thread, i)) && p.solve()
}

// poseFound reports whether the last step of v, which reverses a race of a load, goes with the
// path's steps for which has holds.
func (o *observers) poseFound(v *relation.Sequence, has func(int32) bool) bool {
	o.pose(has)
	n := o.last(v)
	o.orderNodes()
	return o.behind(n, o.baseAt(v.Last.Thread, v.From)) && o.puzzle.solve()
}

// baseAt is a clock of what happens before the step of thread t that is next in the state before
// event at; it may have more.
func (o *observers) baseAt(t trace.TID, at int32) []int32 {
	j := o.order.Next(t, at)
	if j < 0 {
		return o.base(t)
	}
	o.clock = slices.Grow(o.clock[:0], o.order.Width())[:o.order.Width()]
	o.order.BaseOf(o.clock, j)
	return o.clock
}

// poseBeside reports whether v goes with steps that are none of its own, in their order.
func (o *observers) poseBeside(v *relation.Sequence, list []*relation.Step) bool {
	p := &o.puzzle
	o.pose(v.Has)
	last := o.last(v)
	first := len(p.nodes)
	for _, b := range list {
		cell := &storeCell{}
		if unorderedAccess(&b.Event) {
			cell = o.open(&b.Accesses[0])
		}
		p.beside(puzzleNode{-1, cell, b.Loads(), b.Choice})
	}
	o.orderNodes()
	if last >= 0 && !o.behind(last, o.baseAt(v.Last.Thread, v.From)) {
		return false
	}
	after := false // an operation: what comes after it isn't known
	for k, b := range list {
		n := first + k
		after = after || !unorderedAccess(&b.Event)
		if !o.behind(n, o.baseAt(b.Thread, v.From)) {
			return false
		}
		for i := range p.nodes[:n] {
			if s := p.nodes[i].step; (after && (s >= 0 && s < v.From || i >= first) || i >= first && list[i-first].Thread == b.Thread) && !p.graph.Order(i, n) {
				return false
			}
		}
	}
	return p.solve()
}

// unorderedAccess reports whether e is a load or a store of a cell.
func unorderedAccess(e *relation.Event) bool {
	return len(e.Accesses) == 1 && e.Accesses[0].Flags&trace.Unordered != 0
}
