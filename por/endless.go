package por

import "fmt"

// States from which no end can be reached: threads that go round for ever
// whatever any of them does. Searches that run executions meet such an
// execution, and the System says that it is too long. stateful doesn't run it.
// So it keeps the steps between states, and looks at its end which states lead
// to an end.
//
// With sleep sets not every step is taken from every state, and a state that
// leads to an end may not be seen to. So if some aren't, the search is made
// again without (Stats.Replayed counts its steps). Its executions aren't
// reported again.

// EndlessError is a search that ended, and found states from which none
// of the executions does.
type EndlessError struct{ Endless, States int }

func (e *EndlessError) Error() string {
	if e.Endless == e.States {
		return fmt.Sprintf("no execution has an end: %d states, and none of them leads to one", e.States)
	}
	return fmt.Sprintf("some executions have no end, and can't reach one: %d of %d states lead to none", e.Endless, e.States)
}

// stateSteps are those between states, which have numbers from 0.
type stateGraph struct {
	path []uint32 // the states of the path, by depth
	both []uint32 // from, to, from, to, ...
	last []uint32 // states with a step to an end
}

func (s *stateGraph) reset() { s.path, s.both, s.last = s.path[:0], s.both[:0], s.last[:0] }

// lead notes that the path has led to a state, at a depth.
func (s *stateGraph) lead(depth int, state uint32) {
	s.path = append(s.path[:depth], state)
	if depth > 0 {
		s.both = append(s.both, s.path[depth-1], state)
	}
}

// ends notes that the state of the path at a depth has a step to an end.
func (s *stateGraph) ends(depth int) {
	k := s.path[depth]
	if n := len(s.last); n == 0 || s.last[n-1] != k {
		s.last = append(s.last, k)
	}
}

// endless is how many of this many states lead to no end.
func (s *stateGraph) endless(states int) int {
	// For each state, where in before those begin that lead to it.
	at := make([]int, states+1)
	for i := 1; i < len(s.both); i += 2 {
		at[s.both[i]]++
	}
	sum := 0
	for k := range at {
		at[k], sum = sum, sum+at[k]
	}
	before, next := make([]uint32, sum), append([]int(nil), at...)
	for i := 0; i < len(s.both); i += 2 {
		to := s.both[i+1]
		before[next[to]] = s.both[i]
		next[to]++
	}
	ended := make([]bool, states)
	var todo []uint32
	reach := func(k uint32) {
		if !ended[k] {
			ended[k] = true
			todo = append(todo, k)
		}
	}
	for _, k := range s.last {
		reach(k)
	}
	left := states
	for ; len(todo) > 0; left-- {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, from := range before[at[k]:at[k+1]] {
			reach(from)
		}
	}
	return left
}

func (s *stateGraph) pack(p *packer, depth int) {
	for _, list := range [][]uint32{s.path[:min(depth+1, len(s.path))], s.both, s.last} {
		putList(p, list, func(k *uint32) { p.put(uint64(*k)) })
	}
}

func (s *stateGraph) unpack(u *unpacker, states int) {
	state := func() uint32 { return uint32(u.below(uint64(states))) }
	s.path, s.both, s.last = getList(u, state), getList(u, state), getList(u, state)
	u.bad = u.bad || len(s.both)%2 == 1
}

// refill looks at the end of the search whether all states lead to an end.
func (s *stateful) refill(n *node) (more bool, err error) {
	if n.depth > 0 || n.ended && n.done == nil {
		return false, nil
	}
	endless := s.steps.endless(len(s.seen))
	switch {
	case endless == 0:
		return false, nil
	case !s.want.sleep:
		return false, &EndlessError{endless, len(s.seen)}
	}
	s.sets.pool.putAll(n.done)
	n.done = nil
	s.reset()
	s.want.sleep, s.want.retaken = false, true
	s.comeTo(n)
	err = s.seed(n, nil)
	return n.todo != nil, err
}
