package ticks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts is all that can happen in a test.
type Counts struct {
	// Orders is in how many orders the threads' stretches without interrupts can come, from the
	// first to the last. Within[k] is how many of them have at most k preemptions.
	Orders int
	Within []int
	// Least is, for each way in which the test can fail, the least number of
	// such preemptions.
	Least map[string]int
}

// An enumerator counts orders. Different ticks can lead to the same order, and
// leave different ready lists behind. So it goes through sets of states: all in
// which the kernel can be after an order.
type enumerator struct {
	known map[string]*tree
}

// tree is what can come after an order: how often there are n preemptions in the
// rest, and the least number of them before each failure.
type tree struct {
	preemptions map[int]int
	least       map[string]int
}

// Count goes through all that can happen in the test.
func Count(name string, m Mistakes) (Counts, error) {
	t := New(name, m)
	if t == nil {
		return Counts{}, fmt.Errorf("no model of test %q", name)
	}
	e := enumerator{map[string]*tree{}}
	first := start(t, m)
	first.local()
	all := e.after([]*state{first}, noThread)
	c := Counts{Least: all.least}
	for n := 0; n <= slices.Max(slices.Collect(maps.Keys(all.preemptions))); n++ {
		c.Orders += all.preemptions[n]
		c.Within = append(c.Within, c.Orders)
	}
	return c, nil
}

// after counts what can come after an order whose last stretch was last's.
func (e *enumerator) after(states []*state, last int) *tree {
	key := fmt.Sprint(last)
	for _, s := range states {
		key += "|" + s.key()
	}
	if t := e.known[key]; t != nil {
		return t
	}
	t := &tree{map[int]int{}, map[string]int{}}
	e.known[key] = t
	next := map[string][]*state{} // by the stretch that comes next
	who := map[string]int{}
	for _, s := range reachable(states) {
		switch {
		case s.bad != "":
			// A tick that finds a failure was one preemption, if it was that tick.
			cost := 0
			if !slices.ContainsFunc(states, func(u *state) bool { return u.bad != "" }) {
				cost = 1
			}
			t.least[s.bad] = cost
			t.preemptions[cost] = 1
			continue
		case s.off:
			t.preemptions[0] = 1
			continue
		}
		th := s.threads[s.current]
		name := fmt.Sprintf("%d.%d.%d", s.current, th.at, th.phase)
		s = s.clone()
		who[name] = s.current
		s.stretch()
		s.local()
		next[name] = append(next[name], s)
	}
	for name, n := range next {
		// All states agree on where last stands.
		cost := 0
		if last != noThread && who[name] != last && states[0].couldGoOn(last) {
			cost = 1
		}
		rest := e.after(distinct(n), who[name])
		for p, orders := range rest.preemptions {
			t.preemptions[p+cost] += orders
		}
		for bad, p := range rest.least {
			if old, ok := t.least[bad]; !ok || p+cost < old {
				t.least[bad] = p + cost
			}
		}
	}
	return t
}

// couldGoOn: t has interrupts on and waits for nothing.
func (s *state) couldGoOn(t int) bool {
	return s.threads[t].status == ready && s.threads[t].phase == before
}

// reachable is states and those that ticks alone make of them.
func reachable(states []*state) []*state {
	seen := map[string]bool{}
	var all []*state
	for todo := states; len(todo) > 0; {
		s := todo[0]
		todo = todo[1:]
		if k := s.key(); !seen[k] {
			seen[k] = true
			all = append(all, s)
			if s.bad == "" && !s.off && s.threads[s.current].phase == before {
				after := s.clone()
				after.tick()
				after.local()
				todo = append(slices.Clone(todo), after)
			}
		}
	}
	return all
}

// distinct is states in an order of their own, each once.
func distinct(states []*state) []*state {
	slices.SortFunc(states, func(a, b *state) int { return strings.Compare(a.key(), b.key()) })
	return slices.CompactFunc(states, func(a, b *state) bool { return a.key() == b.key() })
}
