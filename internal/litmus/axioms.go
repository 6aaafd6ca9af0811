package litmus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The axioms of x86-TSO (Owens, Sarkar and Sewell, TPHOLs 2009, in the form of Alglave's
// thesis, 2010, §3.3). An execution is which store each load reads (rf) and the order of the
// stores to each location (co). It is allowed if
//
//   - each location by itself is sequentially consistent: program order on it, rf, co and fr
//     (a load comes before the stores after the one that it reads) have no cycle;
//   - global happens-before has none: rf between threads, co, fr, and program order. A store
//     and a later load aren't in that order, unless a fence is between or one of the two is
//     locked;
//   - nothing is stored between the two halves of a locked instruction.

// event is a load or a store. Store number i < locations is the one that makes location i 0.
type event struct {
	thread, at int
	location   int
	store      bool
	value      int
	locked     bool
	fences     int // before it in its thread
	reg        int
}

// Allowed lists the outcomes of a test that the axioms allow, in the words of Tell, sorted.
func (t *Test) Allowed() []string {
	x := &execution{test: t}
	for l := range t.Locations {
		x.events = append(x.events, event{thread: -1, location: l, store: true})
	}
	for th, code := range t.Program.Threads {
		fences := 0
		for at, i := range code {
			e := event{thread: th, at: at, location: i.Addr / 4, value: i.Value, fences: fences, reg: i.Reg, locked: i.Kind == Exchange}
			switch i.Kind {
			case Fence:
				fences++
			case Load:
				x.events = append(x.events, e)
			case Exchange:
				x.events = append(x.events, e)
				e.store = true
				x.events = append(x.events, e)
			case Store:
				e.store = true
				x.events = append(x.events, e)
			}
		}
	}
	x.reads = make([]int, len(x.events))
	x.order = make([][]int, t.Locations)
	x.outcomes = map[string]bool{}
	x.chooseReads(0)
	return slices.Sorted(maps.Keys(x.outcomes))
}

// execution is a candidate.
type execution struct {
	test     *Test
	events   []event
	reads    []int   // by load: the store that it reads
	order    [][]int // by location: its stores
	outcomes map[string]bool
}

func (x *execution) chooseReads(i int) {
	if i == len(x.events) {
		x.chooseOrder(0)
		return
	}
	if x.events[i].store {
		x.chooseReads(i + 1)
		return
	}
	for s, e := range x.events {
		if e.store && e.location == x.events[i].location {
			x.reads[i] = s
			x.chooseReads(i + 1)
		}
	}
}

func (x *execution) chooseOrder(l int) {
	if l == len(x.order) {
		if x.allowed() {
			x.outcomes[x.tell()] = true
		}
		return
	}
	var stores []int
	for s, e := range x.events {
		if e.store && e.location == l && e.thread >= 0 {
			stores = append(stores, s)
		}
	}
	permutations(stores, 0, func() {
		x.order[l] = append([]int{l}, stores...)
		x.chooseOrder(l + 1)
	})
}

// permutations calls f with each order of list[k:].
func permutations(list []int, k int, f func()) {
	if k == len(list) {
		f()
		return
	}
	for i := k; i < len(list); i++ {
		list[k], list[i] = list[i], list[k]
		permutations(list, k+1, f)
		list[k], list[i] = list[i], list[k]
	}
}

func (x *execution) allowed() bool {
	n := len(x.events)
	coherence, global := make([][]bool, n), make([][]bool, n)
	for i := range coherence {
		coherence[i], global[i] = make([]bool, n), make([]bool, n)
	}
	both := func(a, b int) { coherence[a][b], global[a][b] = true, true }
	for a := range x.events {
		for b := range x.events {
			e, f := &x.events[a], &x.events[b]
			if e.thread != f.thread || e.thread < 0 || e.at > f.at || e.at == f.at && (e.store || !f.store) {
				continue
			}
			coherence[a][b] = e.location == f.location
			global[a][b] = !(e.store && !f.store) || e.locked || f.locked || e.fences != f.fences
		}
	}
	for _, order := range x.order {
		for i, a := range order {
			for _, b := range order[i+1:] {
				both(a, b)
			}
		}
	}
	for r, e := range x.events {
		if e.store {
			continue
		}
		s := x.reads[r]
		coherence[s][r] = true
		global[s][r] = x.events[s].thread != e.thread
		order := x.order[e.location]
		later := order[slices.Index(order, s)+1:]
		for i, b := range later {
			if f := &x.events[b]; f.thread == e.thread && f.at == e.at { // its own half
				if i > 0 {
					return false
				}
				continue
			}
			both(r, b)
		}
	}
	return acyclic(coherence) && acyclic(global)
}

func acyclic(edges [][]bool) bool {
	state := make([]uint8, len(edges)) // 1: under way, 2: done
	var visit func(i int) bool
	visit = func(i int) bool {
		state[i] = 1
		for j, edge := range edges[i] {
			if edge && (state[j] == 1 || state[j] == 0 && !visit(j)) {
				return false
			}
		}
		state[i] = 2
		return true
	}
	for i := range edges {
		if state[i] == 0 && !visit(i) {
			return false
		}
	}
	return true
}

// tell is Test.Tell of a candidate.
func (x *execution) tell() string {
	var b strings.Builder
	for _, l := range x.test.loads {
		for i, e := range x.events {
			if !e.store && !e.locked && e.thread == l.thread && e.reg == l.reg {
				fmt.Fprintf(&b, "%d ", x.events[x.reads[i]].value)
			}
		}
	}
	for _, order := range x.order {
		fmt.Fprintf(&b, "%d ", x.events[order[len(order)-1]].value)
	}
	return strings.TrimSpace(b.String())
}
