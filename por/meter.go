package por

import "landgo/internal/trace"

// cost is an execution's spending so far, by the measures that a walk can
// count step by step: all but Rounds, in the order of counted.
type cost [4]int32

var counted = [len(cost{})]Measure{Preempt, Fair, Delay, Switches}

// meter counts the measures along the current path. Each is known before a
// step is taken:
//   - Preempt (Coons, Musuvathi and McKinley 2013, Definition 2.5): 1 for a
//     step of another thread than the last one's, if that could go on. Deviation:
//     as everywhere in landgo it may be left freely at a yield, at its end and in
//     an exact spin. And it may be left freely where the fair bound keeps it
//     from going on (their §5.3), so that a state has a step within both bounds.
//   - Switches: 1 for a step of another thread than the last one's.
//   - Delay (Emmi, Qadeer and Rakamaric, POPL 2011): how many ready threads a
//     deterministic scheduler passes over. It goes on with the last thread while
//     that is ready, else with the next in the order of creation, round and round.
//     A thread at a yield comes after all others, and one that the fair bound
//     blocks isn't in the round: passing it costs nothing. Where a step may
//     wake one of several waiters, the scheduler takes the first.
//   - Fair (Coons et al., Definition 2.6): the greatest lead in yields that a
//     thread had, where it took a step, over one that was ready. A yield is a step
//     that is taken from a yield. So Y is a thread's own, whatever the others do,
//     and a search may use it as Coons et al. do.
//
// A step of a store buffer, or of a signal on its way, counts nothing, because it is no thread's.
// The switch to it doesn't either, and it isn't passed over.
// How early updates come makes no difference to what is spent, except where they end a spin. A thread
// that waits for stores of its buffer may be left and passed over freely, even if they are in memory
// by now (trace.Thread.Rests). It counts as ready to the fair bound, even if they aren't.
//
// Preempt, Switches and Delay add up; Fair is a maximum.
type meter struct {
	path   *path
	limits cost // the greatest values allowed, -1: any
	// first is the measure of counted that is the first of the bounds: that which
	// Options.Iterate raises. An execution that has spent less than fresh of it was
	// seen in an earlier round.
	first  int
	fresh  int32
	states []metered
	yields []int32     // per thread, in the current path
	early  *earlyFlush // nil: updates may come late
}

// metered is the meter's record of a state of the path.
type metered struct {
	spent  cost
	least  int32 // fewest yields of a ready thread
	yields bool  // the step taken from here is a yield
}

func newMeter(p *path, bounds Bounds) *meter {
	m := &meter{path: p}
	for i, measure := range counted {
		if len(bounds) > 0 && measure == bounds[0].Measure {
			m.first = i
		}
	}
	for i, measure := range counted {
		m.limits[i] = -1
		if limit, ok := bounds.Limit(measure); ok {
			m.limits[i] = int32(limit)
		}
	}
	return m
}

// enter notes the state of n, in which path.threads are.
func (m *meter) enter(n *node) {
	m.states = atLeast(m.states, int(n.depth)+1)
	s := &m.states[n.depth]
	if n.depth == 0 {
		s.spent = cost{}
	}
	s.least, s.yields = -1, false
	m.yields = atLeast(m.yields, len(m.path.present.Ready)*64)
	for i := range m.path.threads {
		t := &m.path.threads[i]
		if t.Status != trace.Ready && !(t.Status == trace.Blocked && t.Rests) || t.Updates || t.Arrives {
			continue
		}
		if y := m.yields[t.ID]; s.least < 0 || y < s.least {
			s.least = y
		}
	}
	if m.early != nil {
		m.early.enter(n)
	}
}

// step notes that thread t goes on from n, the newest state, with an outcome, and returns the
// preemptions up to and with it.
func (m *meter) step(n *node, t trace.TID, o trace.Choice, yields bool) int32 {
	m.states = atLeast(m.states, int(n.depth)+2)
	m.states[n.depth+1].spent = m.after(n, t, o)
	if m.states[n.depth].yields = yields; yields {
		m.yields[t]++
	}
	return m.states[n.depth+1].spent[0]
}

// stale reports whether the execution up to the state of the given depth was
// seen in an earlier round.
func (m *meter) stale(depth int) bool { return m.states[depth].spent[m.first] < m.fresh }

// back takes the step from n back.
func (m *meter) back(n *node, t trace.TID) {
	if m.states[n.depth].yields {
		m.yields[t]--
	}
}

func (m *meter) reset() {
	clear(m.yields)
	m.fresh = 0
}

// blocked reports whether the fair bound keeps t from going on from n, the
// newest state.
func (m *meter) blocked(n *node, t trace.TID) bool {
	return m.limits[1] >= 0 && m.yields[t]-m.states[n.depth].least > m.limits[1]
}

// flushes reports whether t, which can run in the newest state, is a store buffer, or a signal
// on its way.
func (m *meter) flushes(t trace.TID) bool {
	u := m.path.thread(t)
	return u != nil && (u.Updates || u.Arrives)
}

// leaves reports whether leaving the thread that ran before n is free there;
// n's step has been taken.
func (m *meter) leaves(n *node) bool {
	s := &m.states[n.depth]
	y := m.yields[n.running]
	if s.yields && n.cur.Thread == n.running {
		y--
	}
	return !n.couldGoOn || m.limits[1] >= 0 && y-s.least > m.limits[1]
}

// after is the cost of the execution when t has gone on from n, the newest
// state, with an outcome.
func (m *meter) after(n *node, t trace.TID, o trace.Choice) cost {
	s := &m.states[n.depth]
	c := s.spent
	if m.flushes(t) {
		return c
	}
	if n.preempting(t) && !m.blocked(n, n.running) {
		c[0]++
	}
	c[1] = max(c[1], m.yields[t]-s.least)
	if m.limits[2] >= 0 {
		c[2] += m.delays(n, t)
		if u := m.path.thread(t); u != nil && wakesOne(u.Pending.Kind) {
			c[2] += int32(o)
		}
	}
	if n.running != trace.NoThread && n.running != t {
		c[3]++
	}
	return c
}

// wakesOne reports whether an operation wakes one waiter, and each outcome is another one.
func wakesOne(k trace.OpKind) bool {
	return k == trace.OpCondSignal || k == trace.OpFutexWake || k == trace.OpFutexRequeue
}

// delays is how many threads the deterministic scheduler passes over for t.
func (m *meter) delays(n *node, t trace.TID) (passed int32) {
	p := m.path
	all := trace.TID(p.words * 64)
	from := n.running
	if from == trace.NoThread {
		from = 0
	} else if u := p.thread(from); u != nil && u.Yielding {
		from++
	}
	for k := trace.TID(0); k < all; k++ {
		u := (from + k) % all
		if u == t {
			break
		}
		if p.isReady(n.depth, u) && !m.blocked(n, u) && !m.flushes(u) && !p.thread(u).Rests {
			passed++
		}
	}
	return passed
}

// within reports whether c is within all limits, and if not, whether only the
// limit of measure i is in the way.
func (m *meter) within(c cost, i int) (ok, but bool) {
	ok, but = true, true
	for k, limit := range m.limits {
		if limit >= 0 && c[k] > limit {
			ok = false
			but = but && k == i
		}
	}
	return ok, but && !ok
}
