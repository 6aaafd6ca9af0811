package readsfrom

import (
	"math/rand/v2"
	"testing"
)

// TestSolve compares Solve with all sequences of random events.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	yes, no := 0, 0
	var g Graph // one that is used again has nothing of what it was
	for range 6_000 {
		n := 3 + rng.IntN(4)
		var edges [][2]int
		for range rng.IntN(6) {
			if i, j := rng.IntN(n), rng.IntN(n); i < j {
				edges = append(edges, [2]int{i, j})
			}
		}
		// Each event is a load or a store of one of two variables.
		loads, where := make([]bool, n), make([]int, n)
		var stores [2][]int32
		for i := range n {
			loads[i], where[i] = rng.IntN(2) == 0, rng.IntN(2)
			if !loads[i] {
				stores[where[i]] = append(stores[where[i]], int32(i))
			}
		}
		source := make([]int, n)
		g.Reset(make([]int32, n))
		ok := true
		for _, e := range edges {
			ok = g.Order(e[0], e[1]) && ok
		}
		for i := range n {
			if source[i] = Initial; loads[i] {
				if list := stores[where[i]]; len(list) > 0 && rng.IntN(4) > 0 {
					source[i] = int(list[rng.IntN(len(list))])
					ok = g.Order(source[i], i) && ok
				}
				g.Finds(i, source[i], stores[where[i]])
			}
		}
		ok = ok && g.Solve()
		right := func(order []int) bool {
			at := make([]int, n)
			for k, i := range order {
				at[i] = k
			}
			for _, e := range edges {
				if at[e[0]] > at[e[1]] {
					return false
				}
			}
			last := [2]int{Initial, Initial}
			for _, i := range order {
				if !loads[i] {
					last[where[i]] = i
				} else if last[where[i]] != source[i] {
					return false
				}
			}
			return true
		}
		want := false
		permute(n, func(order []int) {
			holds := right(order)
			want = want || holds
			if !ok || holds {
				return
			}
			for k, i := range order {
				for _, j := range order[:k] {
					if g.Precedes(i, j) {
						return
					}
				}
			}
			t.Fatalf("the sequence %v respects the order, and isn't one", order)
		})
		if ok != want {
			t.Fatalf("%d events, %v, loads %v of %v find %v: %v, want %v", n, edges, loads, where, source, ok, want)
		}
		if ok {
			yes++
		} else {
			no++
		}
	}
	if yes < 500 || no < 500 {
		t.Errorf("%d with a sequence, %d without", yes, no)
	}
}

// permute calls f for all orders of 0 to n-1.
func permute(n int, f func([]int)) {
	order := make([]int, 0, n)
	used := make([]bool, n)
	var rec func()
	rec = func() {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if !used[i] {
				used[i], order = true, append(order, i)
				rec()
				used[i], order = false, order[:len(order)-1]
			}
		}
	}
	rec()
}

// TestOrderItself: no event comes before itself.
func TestOrderItself(t *testing.T) {
	var g Graph
	g.Reset(make([]int32, 2))
	if g.Order(1, 1) || !g.Order(0, 1) || g.Order(1, 0) {
		t.Error("an order with a cycle")
	}
}

// TestTries compares Solve with a search through all sequences of larger graphs. There what follows doesn't
// always settle it. The ranks are random, so the way that is tried first is often the wrong one.
func TestTries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	yes, no := 0, 0
	var g Graph
	for range 20_000 {
		const threads, each, variables = 4, 4, 3
		n := threads * each
		loads, where, rank := make([]bool, n), make([]int, n), make([]int32, n)
		var stores [variables][]int32
		for i := range n {
			loads[i], where[i], rank[i] = rng.IntN(2) == 0, rng.IntN(variables), int32(rng.IntN(n))
			if !loads[i] {
				stores[where[i]] = append(stores[where[i]], int32(i))
			}
		}
		g.Reset(rank)
		ok := true
		for i := range n {
			if i%each > 0 {
				ok = g.Order(i-1, i) && ok
			}
		}
		source := make([]int, n)
		for i := range n {
			if source[i] = Initial; loads[i] {
				if list := stores[where[i]]; len(list) > 0 && rng.IntN(8) > 0 {
					source[i] = int(list[rng.IntN(len(list))])
					ok = ok && g.Order(source[i], i)
				}
				g.Finds(i, source[i], stores[where[i]])
			}
		}
		ok = ok && g.Solve()
		// A state is how far each thread has got, and the last store of each variable.
		type state struct {
			done [threads]int
			last [variables]int
		}
		seen := map[state]bool{}
		var goes func(s state) bool
		goes = func(s state) bool {
			if seen[s] {
				return false
			}
			seen[s] = true
			over := true
			for k, d := range s.done {
				if d == each {
					continue
				}
				over = false
				i, next := k*each+d, s
				if next.done[k]++; !loads[i] {
					next.last[where[i]] = i
				} else if s.last[where[i]] != source[i] {
					continue
				}
				if goes(next) {
					return true
				}
			}
			return over
		}
		want := goes(state{last: [variables]int{Initial, Initial, Initial}})
		if ok != want {
			t.Fatalf("loads %v of %v find %v: %v, want %v", loads, where, source, ok, want)
		}
		if ok {
			yes++
		} else {
			no++
		}
	}
	if yes < 200 || no < 200 {
		t.Errorf("%d with a sequence, %d without", yes, no)
	}
}
