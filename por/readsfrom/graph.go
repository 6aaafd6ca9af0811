package readsfrom

import "slices"

// Initial is the store of what a load finds that was there from the start.
const Initial = -1

// Graph is events, 0 to n-1. Some have to come before others.
type Graph struct {
	n, words int
	after    []uint64 // of each event a set of words: what comes after it
	triples  []triple
	rank     []int32
}

// triple says that store doesn't come between source and load: it is before the source or
// after the load.
type triple struct{ load, source, store int32 }

// Reset makes g a graph of n events without an order. If two may come in both orders, the
// one with the lower rank is tried first.
func (g *Graph) Reset(rank []int32) {
	g.n, g.rank = len(rank), rank
	g.words = (g.n + 63) / 64
	g.after = slices.Grow(g.after[:0], g.n*g.words)[:g.n*g.words]
	clear(g.after)
	g.triples = g.triples[:0]
}

// Finds says that a load finds what source stored, or Initial, and none of the other stores of
// its bytes.
func (g *Graph) Finds(load, source int, others []int32) {
	for _, w := range others {
		if int(w) != source {
			g.triples = append(g.triples, triple{int32(load), int32(source), w})
		}
	}
}

// Precedes reports whether event i has to come before event j.
func (g *Graph) Precedes(i, j int) bool { return g.after[i*g.words+j/64]>>(j%64)&1 != 0 }

// Given says so of i and j, of all pairs of an order that is one (transitive).
func (g *Graph) Given(i, j int) { g.after[i*g.words+j/64] |= 1 << (j % 64) }

// Order says that event i comes before event j. It reports whether that can be.
func (g *Graph) Order(i, j int) bool {
	if i == j || g.Precedes(j, i) {
		return false
	}
	if g.Precedes(i, j) {
		return true
	}
	from := g.after[j*g.words : (j+1)*g.words]
	for k := range g.n {
		if k != i && !g.Precedes(k, i) {
			continue
		}
		row := g.after[k*g.words : (k+1)*g.words]
		for w, bits := range from {
			row[w] |= bits
		}
		row[j/64] |= 1 << (j % 64)
	}
	return true
}

// Solve reports whether there is a sequence. Precedes then has enough of it.
func (g *Graph) Solve() bool {
	open, ok := g.saturate(g.triples)
	if !ok || len(open) == 0 {
		return ok
	}
	t, before, open := open[0], slices.Clone(g.after), slices.Clone(open)
	first := t.source >= 0 && g.rank[t.store] < g.rank[t.source]
	for _, early := range [...]bool{first, !first} {
		if early && g.Order(int(t.store), int(t.source)) || !early && g.Order(int(t.load), int(t.store)) {
			g.triples = slices.Clone(open)
			if g.Solve() {
				return true
			}
		}
		copy(g.after, before)
	}
	return false
}

// saturate adds what follows, and says which triples are open still.
func (g *Graph) saturate(list []triple) (open []triple, ok bool) {
	for again := true; again; {
		again = false
		open = list[:0]
		for _, t := range list {
			load, source, store := int(t.load), int(t.source), int(t.store)
			switch {
			case g.Precedes(load, store), source >= 0 && g.Precedes(store, source):
			case source < 0 || g.Precedes(source, store):
				if !g.Order(load, store) {
					return nil, false
				}
				again = true
			case g.Precedes(store, load):
				if !g.Order(store, source) {
					return nil, false
				}
				again = true
			default:
				open = append(open, t)
			}
		}
		list = open
	}
	return open, true
}
