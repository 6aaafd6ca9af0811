package enumerate

import (
	"cmp"
	"fmt"
	"slices"

	"landgo/internal/trace"
)

// A Bug is one way to fail, with the least number of preemptions of all
// schedules that fail so.
type Bug struct {
	Kind        Kind
	Message     string
	Preemptions int
}

// Result is what a program can do.
type Result struct {
	// Traces is the number of maximal Mazurkiewicz traces, those that end in
	// a bug or a deadlock included; Stuck of them end with no thread able to run.
	Traces, Stuck int
	// Within[k] is how many traces some schedule with at most k preemptions
	// produces. The last element is Traces.
	Within []int
	// Bugs are sorted by preemptions, then kind and message.
	Bugs []Bug
}

// digest is a trace's canonical form, hashed: equal for two interleavings if and
// only if they have the same events and order each dependent pair the same way.
type digest [2]uint64

// past is an event that has happened, after others.
type past struct {
	thread, index int
	uses          []use
	before        *past
}

// node is a trace prefix with the thread that ran last: two interleavings that
// agree in both have the same future, at the same price.
type node struct {
	state       *state
	events      *past // the last of them
	digest      digest
	last        int
	preemptions int // the least number of all interleavings that lead here
}

type nodeKey struct {
	digest digest
	last   int
}

type enumeration struct {
	points trace.Points
	lean   *sharing // nil: full
	level  map[nodeKey]*node
	ends   map[digest]int // maximal traces, with the least preemptions
	stuck  map[digest]bool
	bugs   map[Bug]int // Preemptions left 0 in the key
}

// maxLevel bounds the trace prefixes of one length, and so the memory, to about
// a gigabyte.
const maxLevel = 400_000

// Full enumerates everything: traces, bugs, and the price of each, with
// preemptions where points, a user's set, allow them. A thread may be left at a yield and
// at its end at all of them. The traces mean something at mem only:
// coarser points leave some out.
func Full(p *Program, points trace.Points) (Result, error) {
	e := &enumeration{points: points}
	if err := e.run(p); err != nil {
		return Result{}, err
	}
	return e.result(), nil
}

// Count gives the number of traces only, for programs too big for Full. An event on an object
// that one thread alone ever touches goes first, alone, for no other order of it makes another
// trace. It falls back on Full where the process may end under a live thread, because then it
// does.
func Count(p *Program) (int, error) {
	lean := &sharing{owner: map[use]int{}, shared: map[use]bool{}}
	for {
		lean.learned = false
		e := &enumeration{points: trace.MemPoints, lean: lean}
		if err := e.run(p); err != nil {
			return 0, err
		}
		switch {
		case lean.earlyEnd:
			r, err := Full(p, trace.MemPoints)
			return r.Traces, err
		case !lean.learned:
			return len(e.ends), nil
		}
	}
}

// run goes through the trace prefixes by their length.
func (e *enumeration) run(p *Program) error {
	e.ends, e.stuck, e.bugs = map[digest]int{}, map[digest]bool{}, map[Bug]int{}
	e.level = map[nodeKey]*node{{}: {state: newState(p)}}
	for len(e.level) > 0 {
		now := e.level
		e.level = make(map[nodeKey]*node, len(now))
		for _, n := range now {
			e.expand(n)
			if len(e.level) > maxLevel {
				return fmt.Errorf("more than %d trace prefixes of one length: too big to enumerate", maxLevel)
			}
		}
	}
	return nil
}

// expand adds a node's successors to the next level, or records its end.
func (e *enumeration) expand(n *node) {
	if n.state.ended {
		e.end(n, n.state.bug, n.state.message)
		return
	}
	lastReady := n.state.threads[n.last].life == running && n.state.ready(n.last)
	var next []*node
	anyReady := false
	for t := range n.state.threads {
		if !n.state.ready(t) {
			continue
		}
		anyReady = true
		price := 0
		if t != n.last && lastReady && !n.state.free(n.last) {
			if !e.mayPreempt(n.state, n.last) {
				continue
			}
			price = 1
		}
		for o := range n.state.outcomes(t) {
			next = append(next, n.successor(t, o, price))
		}
	}
	if !anyReady {
		kind := n.state.stuck()
		if kind != "" {
			e.stuck[n.digest] = true
		}
		e.end(n, kind, "")
		return
	}
	if e.lean != nil {
		if i := slices.IndexFunc(next, e.lean.alone); i >= 0 {
			next = next[i : i+1]
		}
	}
	for _, s := range next {
		e.add(s)
	}
}

// mayPreempt reports whether thread t stands at a preemption point.
func (e *enumeration) mayPreempt(s *state, t int) bool {
	if e.points.Has(trace.PointMem) {
		return true
	}
	if e.points.Has(trace.PointUnlock) && s.threads[t].released {
		return true
	}
	switch s.next(t).kind {
	case opLock, opTryLock, opReacquire, opDown, opReadLock, opWriteLock, opArrive, opOnceBegin:
		return e.points.Has(trace.PointLock)
	case opFetchAdd, opExchange, opCAS:
		return e.points.Has(trace.PointAtomic)
	}
	return false
}

// add puts a node into the next level, or lowers the price of its twin there.
func (e *enumeration) add(n *node) {
	key := nodeKey{n.digest, n.last}
	if e.lean != nil {
		key.last = 0
	}
	if twin, ok := e.level[key]; ok {
		twin.preemptions = min(twin.preemptions, n.preemptions)
		return
	}
	e.level[key] = n
}

// end records a maximal trace.
func (e *enumeration) end(n *node, kind Kind, message string) {
	if price, ok := e.ends[n.digest]; !ok || n.preemptions < price {
		e.ends[n.digest] = n.preemptions
	}
	if kind == "" {
		return
	}
	b := Bug{Kind: kind, Message: message}
	if price, ok := e.bugs[b]; !ok || n.preemptions < price {
		e.bugs[b] = n.preemptions
	}
}

func (e *enumeration) result() Result {
	r := Result{Traces: len(e.ends), Stuck: len(e.stuck)}
	for b, price := range e.bugs {
		b.Preemptions = price
		r.Bugs = append(r.Bugs, b)
	}
	slices.SortFunc(r.Bugs, func(a, b Bug) int {
		return cmp.Or(cmp.Compare(a.Preemptions, b.Preemptions), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message))
	})
	most := 0
	for _, price := range e.ends {
		most = max(most, price)
	}
	r.Within = make([]int, most+1)
	for _, price := range e.ends {
		for k := price; k <= most; k++ {
			r.Within[k]++
		}
	}
	return r
}

// successor is the node after thread t's next event.
func (n *node) successor(t, outcome, price int) *node {
	s := &node{state: n.state.clone(), last: t, preemptions: n.preemptions + price}
	index := n.state.threads[t].done
	uses := s.state.step(t, outcome)
	h := mixed(t, index, outcome)
	for p := n.events; p != nil; p = p.before {
		if p.thread != t && anyDependent(p.uses, uses) {
			before := mixed(p.thread, p.index, -1)
			h[0] += before[0]
			h[1] += before[1]
		}
	}
	s.digest = digest{n.digest[0] + scramble(h[0]), n.digest[1] + scramble(h[1])}
	s.events = &past{t, index, uses, n.events}
	return s
}

// mixed is an event's own part of its trace's digest.
func mixed(thread, index, outcome int) digest {
	x := uint64(thread)<<40 | uint64(index)<<8 | uint64(uint8(outcome))
	return digest{scramble(x + 0x9e3779b97f4a7c15), scramble(x ^ 0xd1b54a32d192ed03)}
}

// scramble is a bijection without visible structure (splitmix64's finisher).
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sharing is what Count has learned about which objects several threads touch.
type sharing struct {
	owner    map[use]int // by class and object; mode 0
	shared   map[use]bool
	learned  bool // something new in this run: run again
	earlyEnd bool
}

// alone reports whether a node's last event can't be told from one made at any
// other time: every object that it used is its thread's own.
func (h *sharing) alone(n *node) bool {
	own := true
	for _, u := range n.events.uses {
		switch u.class {
		case process:
			own = false
			for t := range n.state.threads {
				h.earlyEnd = h.earlyEnd || t != n.last && n.state.threads[t].life == running
			}
			continue
		case threadObj:
			continue
		}
		u.mode = 0
		if o, ok := h.owner[u]; !ok {
			h.owner[u] = n.last
		} else if o != n.last && !h.shared[u] {
			h.shared[u], h.learned = true, true
		}
		own = own && !h.shared[u]
	}
	return own
}
